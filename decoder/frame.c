// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames: 16 bytes each, taken apart into the streams of their trace IDs
 *
 * Bytes at odd positions up to 13 are data.  Bytes at even positions, "mixed" bytes, are a new ID
 * if bit 0 is set; otherwise they are data, whose bit 0 is in the last byte, the auxiliary byte:
 * bit k for byte 2k.  For an ID, that bit, if set, says that the byte after it still belongs to the
 * ID before.  So a frame has at most 15 bytes of data:
 *
 *	21 00 00 00 00 00 80 08 23 00 aa bb 21 80 00 10
 *	0x10, 7 bytes; 0x11, but 00 is 0x10's yet, aa bb; 0x10, 2 bytes
 *
 * Source: ARM IHI 0029, "Frame descriptions".
 */
#include "frame.h"
#include "frame-simd.h"

/* One implementation of the rule above; split() is the other, for speed. */
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

#define BIT0(aux, k)	((aux) >> (k) & 1), 0
#define ROW(aux)	{ BIT0(aux, 0), BIT0(aux, 1), BIT0(aux, 2), BIT0(aux, 3), \
			  BIT0(aux, 4), BIT0(aux, 5), BIT0(aux, 6), BIT0(aux, 7) }
#define ROWS4(aux)	ROW(aux), ROW((aux) + 1), ROW((aux) + 2), ROW((aux) + 3)
#define ROWS16(aux)	ROWS4(aux), ROWS4((aux) + 4), ROWS4((aux) + 8), ROWS4((aux) + 12)
#define ROWS64(aux)	ROWS16(aux), ROWS16((aux) + 16), ROWS16((aux) + 32), ROWS16((aux) + 48)

/*
 * By auxiliary byte: bit 0 of each byte of a frame.  There is one more row because reads cross the
 * end.
 */
static const uint8_t low[257][16] = { ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192) };

/**
 * struct cursor - a demux at work: what changes all the time, in locals
 * @demux: the demux that this is part of
 * @id: current ID
 * @stream: its stream
 * @next: place for the stream's next byte
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
}

static __always_inline void close_stream(struct cursor *c)
{
	c->stream->next = c->next;
}

/*
 * The next byte of the stream is the first of @mask in the frame at @at, if @really there is one.
 */
static __always_inline void own(struct cursor *c, unsigned int mask, uint64_t at, bool really)
{
	struct frame_stream *stream = c->stream;

	if (!stream->map.span)
		return;
	frame_map_add(&stream->map, stream->pos + (c->next - stream->buf), at << 16 | mask, really);
	if (unlikely(stream->map.n >= stream->map.full))
		c->demux->full = true;
}

/* Appends the bytes @mask of a frame: one span for each part that is contiguous in the capture. */
static void append(struct cursor *c, const struct frame_item *item, unsigned int mask,
		   const uint8_t *bytes)
{
	unsigned int i;

	while (mask) {
		unsigned int part = 0;
		uint8_t *next = c->next;
		uint64_t at;

		i = __builtin_ctz(mask);
		at = item->at ? item->at[i] - i : item->offset;
		for (; i < 15 && (!item->at || item->at[i] - i == at); i++) {
			if (!(mask & BIT(i)))
				continue;
			part |= BIT(i);
			*next++ = bytes[i];
		}
		/* A frame that only continues the last span needs no span of its own. */
		own(c, part, at, part != FRAME_WHOLE || at != c->demux->expect);
		c->next = next;
		mask &= ~part;
	}
}

void frame_take(struct frame_demux *demux, const struct frame_item *item)
{
	struct frame_piece piece[FRAME_PIECES];
	unsigned int id = demux->id;
	const unsigned int n = frame_pieces(item->data, &id, piece);
	struct cursor c = { .demux = demux };
	uint8_t bytes[FRAME_SIZE];
	unsigned int i;

	frame_expand_plain(bytes, item->data);
	for (i = 0; i < n; i++) {
		open_stream(&c, piece[i].id);
		append(&c, item, piece[i].mask, bytes);
		close_stream(&c);
	}
	demux->id = id;
	demux->expect = item->at || piece[n - 1].id != id ? UINT64_MAX :
			item->offset + FRAME_SIZE;
	demux->frames++;
}

/*
 * A frame with ID bytes, followed by 16 bytes that may be read.  16 bytes are written at a time,
 * however few are needed.  The byte after an ID that still belongs to the ID before is written
 * separately; if it belongs to the new ID, later bytes overwrite it.  The code avoids branches
 * where possible, as nothing here can be predicted.
 */
static __always_inline void split(struct cursor *c, const uint8_t *frame, uint64_t at)
{
	const uint8_t *const bits = low[frame[15]];
	const uint8_t *const lates = low[frame[15] & 0x7f];
	unsigned int ids = frame_ids(frame);
	unsigned int begin = 0;

	for (; ids; ids &= ids - 1) {
		const unsigned int i = 2 * __builtin_ctz(ids);
		const unsigned int late = lates[i];

		frame_merge(c->next, frame + begin, bits + begin);
		c->next[i - begin] = frame[i + 1];
		c->next += i - begin;
		begin = i + 1;
		if (frame[i] >> 1 != c->id) {
			own(c, BIT(i + 1), at, late);
			c->next += late;
			begin += late;
			close_stream(c);
			open_stream(c, frame[i] >> 1);
		}
		own(c, BIT(15) - BIT(begin), at, true);
	}
	frame_merge(c->next, frame + begin, bits + begin);
	c->next += 15 - begin;
}

/* Takes frames without ID bytes.  Return: the end of the last one. */
static __always_inline const uint8_t *plain(struct cursor *c, const uint8_t *p,
					    const uint8_t *end)
{
	uint8_t *next = c->next;

	for (; end - p >= FRAME_SIZE && !frame_has_id(p); p += FRAME_SIZE, next += 15)
		frame_expand(next, p);
	c->next = next;
	return p;
}

/*
 * The place of its loops in cache lines makes a third of its speed: do not leave it to the linker.
 */
__attribute__((aligned(64)))
size_t frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at, bool port)
{
	const uint8_t *const first = p;
	const uint8_t *const end = p + n;
	struct cursor c = { .demux = demux };
	const uint8_t *from;
	uint64_t fsync = 0;

	open_stream(&c, demux->id);
	while (!demux->full) {
		if (port && end - p >= 4 && get_le32(p) == FRAME_FSYNC) {
			p += 4;
			fsync++;
		}
		if (end - p < FRAME_SIZE)
			break;
		own(&c, FRAME_WHOLE, at + (p - first), demux->expect != at + (p - first));
		demux->expect = at + (p - first);
		from = p;
		p = plain(&c, p, end);
		if (end - p >= 2 * FRAME_SIZE && *p != 0xff && !(port && frame_has_sync(p))) {
			split(&c, p, at + (p - first));
			p += FRAME_SIZE;
		}
		if (p != from)
			demux->expect = at + (p - first);
		else if (!port || get_le32(p) != FRAME_FSYNC)
			break;
	}
	close_stream(&c);
	demux->id = c.id;
	n = p - first;
	demux->fsync += fsync;
	demux->frames += (n - 4 * fsync) / FRAME_SIZE;
	return n;
}
