// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames: 16 bytes each, taken apart into the streams of their trace IDs
 *
 * Bytes at odd places up to 13 are data.  Those at even places, "mixed" bytes,
 * are a new ID if bit 0 is set, and else data whose bit 0 is in the auxiliary
 * byte, the last: bit k for byte 2k.  For an ID that bit says, if set, that the
 * byte behind it still belongs to the ID before.  So 15 bytes of data at most:
 *
 *	21 00 00 00 00 00 80 08 23 00 aa bb 21 80 00 10
 *	0x10, 7 bytes; 0x11, but 00 is 0x10's yet, aa bb; 0x10, 2 bytes
 *
 * Source: ARM IHI 0029, "Frame descriptions".
 */
#include "frame.h"
#include "frame-simd.h"

/* One way to write the rule above; split() is the other, for speed. */
unsigned int frame_pieces(const uint8_t *frame, unsigned int *id, struct frame_piece *piece)
{
	unsigned int mask = 0;
	unsigned int n = 0;
	unsigned int i;

	for (i = 0; i < 15; i++) {
		const bool late = i < 14 && frame[15] >> i / 2 & 1;

		if (i % 2 || !(frame[i] & 1)) {
			mask |= BIT(i);
			continue;
		}
		if (late)
			mask |= BIT(i + 1);
		if (mask && frame[i] >> 1 != *id) {
			piece[n++] = (struct frame_piece) { .id = *id, .mask = mask };
			mask = 0;
		}
		*id = frame[i] >> 1;
		i += late;
	}
	if (mask)
		piece[n++] = (struct frame_piece) { .id = *id, .mask = mask };
	return n;
}

static __always_inline void check_full(struct frame_demux *demux, const struct frame_map *map)
{
	if (unlikely(map->n >= map->full))
		demux->full = true;
}

static __always_inline uint64_t pos_of(const struct frame_stream *stream, const uint8_t *next)
{
	return stream->pos + (next - stream->buf);
}

/* Bytes @mask of the frame at @at are those at @next of the stream. */
static __always_inline void own_piece(struct frame_demux *demux, struct frame_stream *stream,
				      const uint8_t *next, unsigned int mask, uint64_t at)
{
	if (!stream->map.span || !mask)
		return;
	frame_map_add(&stream->map, pos_of(stream, next) << 16 | 1, at << 16 | mask);
	check_full(demux, &stream->map);
}

/* All bytes of @n frames at @at are those at @next of the stream. */
static __always_inline void own_frames(struct frame_demux *demux, struct frame_stream *stream,
				       const uint8_t *next, size_t n, uint64_t at)
{
	if (!stream->map.span)
		return;
	frame_map_run(&stream->map, pos_of(stream, next), n, at);
	check_full(demux, &stream->map);
}

/* The bytes @mask of a frame: a span for each part that was in one piece in the capture. */
static void append(struct frame_demux *demux, const struct frame_item *item, unsigned int mask,
		   const uint8_t *bytes)
{
	struct frame_stream *stream = &demux->stream[demux->id];
	unsigned int i = 0;

	while (mask) {
		const uint8_t *from = stream->next;
		unsigned int part = 0;
		uint64_t at;

		i = __builtin_ctz(mask);
		at = item->at ? item->at[i] - i : item->offset;
		for (; i < 15 && (!item->at || item->at[i] - i == at); i++) {
			if (!(mask & BIT(i)))
				continue;
			part |= BIT(i);
			*stream->next++ = bytes[i];
		}
		if (part == FRAME_WHOLE)
			own_frames(demux, stream, from, 1, at);
		else
			own_piece(demux, stream, from, part, at);
		mask &= ~part;
	}
}

void frame_take(struct frame_demux *demux, const struct frame_item *item)
{
	struct frame_piece piece[FRAME_PIECES];
	unsigned int id = demux->id;
	const unsigned int n = frame_pieces(item->data, &id, piece);
	uint8_t bytes[FRAME_SIZE];
	unsigned int i;

	frame_expand_plain(bytes, item->data);
	for (i = 0; i < n; i++) {
		frame_id_set(demux, piece[i].id);
		append(demux, item, piece[i].mask, bytes);
	}
	frame_id_set(demux, id);
	demux->frames++;
	demux->overhead += 1 + __builtin_popcount(frame_ids(item->data));
}

/**
 * struct cursor - a demux at work, what it changes all the time at hand
 * @id: ID in force
 * @stream: its stream
 * @next: the stream's next byte
 */
struct cursor {
	struct frame_demux *demux;
	unsigned int id;
	struct frame_stream *stream;
	uint8_t *next;
};

static __always_inline void open_stream(struct cursor *c, unsigned int id)
{
	c->id = id;
	c->stream = &c->demux->stream[id];
	c->next = c->stream->next;
	c->demux->touched[id / 64] |= 1ull << id % 64;
}

/*
 * A frame with ID bytes.  It is in two registers, and shifted by what is done.
 * 16 bytes are written at a time, however few are wanted; the byte that an ID
 * comes before but does not own is put in place by itself, or, if the ID does
 * own it, is overwritten by what comes next.
 */
static __always_inline void split(struct cursor *c, const uint8_t *frame, uint64_t at)
{
	uint64_t lo = get_le64(frame);
	uint64_t hi = get_le64(frame + 8);
	unsigned int ids = frame_half_ids(lo) | frame_half_ids(hi) << 4;
	const unsigned int aux = hi >> 56;
	const uint8_t *from = c->next;
	unsigned int begin = 0;
	unsigned int mask = 0;

	lo = frame_half_expand(lo, aux);
	hi = frame_half_expand(hi, aux >> 4);
	for (; ids; ids &= ids - 1) {
		const unsigned int i = 2 * __builtin_ctz(ids);
		const unsigned int late = (aux & 0x7f) >> i / 2 & 1;
		unsigned int shift = 8 * (i + 1 + late - begin);

		put_le64(c->next, lo);
		put_le64(c->next + 8, hi);
		c->next[i - begin] = frame[i + 1];
		c->next += i - begin + late;
		mask |= (BIT(i) - BIT(begin)) | late << (i + 1);
		begin = i + 1 + late;
		lo = shift >= 64 ? hi : lo;
		hi = shift >= 64 ? 0 : hi;
		shift %= 64;
		lo = lo >> shift | hi << 1 << (63 - shift);
		hi >>= shift;
		c->demux->overhead++;
		if (frame[i] >> 1 == c->id)
			continue;
		own_piece(c->demux, c->stream, from, mask, at);
		c->stream->next = c->next;
		open_stream(c, frame[i] >> 1);
		from = c->next;
		mask = 0;
	}
	put_le64(c->next, lo);
	put_le64(c->next + 8, hi);
	own_piece(c->demux, c->stream, from, mask | (BIT(15) - BIT(begin)), at);
	c->next += 15 - begin;
}

/* Frames without ID bytes.  Return: behind the last one. */
static __always_inline const uint8_t *plain(struct cursor *c, const uint8_t *p,
					    const uint8_t *end, uint64_t at)
{
	const uint8_t *first = p;
	const uint8_t *from = c->next;

	for (; end - p >= FRAME_SIZE && !frame_has_id(p); p += FRAME_SIZE, c->next += 15)
		frame_expand(c->next, p);
	if (p != first)
		own_frames(c->demux, c->stream, from, (p - first) / FRAME_SIZE, at);
	return p;
}

size_t frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at, bool port)
{
	const uint8_t *const first = p;
	const uint8_t *const end = p + n;
	struct cursor c = { .demux = demux };
	uint64_t fsync = 0;

	open_stream(&c, demux->id);
	while (!demux->full) {
		if (port && end - p >= 4 && get_le32(p) == FRAME_FSYNC) {
			p += 4;
			fsync++;
		}
		p = plain(&c, p, end, at + (p - first));
		if (end - p < FRAME_SIZE || demux->full)
			break;
		if (*p != 0xff && !(port && frame_has_sync(p))) {
			split(&c, p, at + (p - first));
			p += FRAME_SIZE;
		} else if (!port || get_le32(p) != FRAME_FSYNC) {
			break;
		}
	}
	c.stream->next = c.next;
	demux->id = c.id;
	n = p - first;
	demux->fsync += fsync;
	demux->frames += (n - 4 * fsync) / FRAME_SIZE;
	demux->overhead += (n - 4 * fsync) / FRAME_SIZE;
	return n;
}
