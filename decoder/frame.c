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

/* @piece->mask of the @n frames at @at are the bytes that go to @stream->next. */
static __always_inline void own(struct frame_demux *demux, struct frame_stream *stream,
				const struct frame_span *piece)
{
	struct frame_map *map = &stream->map;
	struct frame_span span = *piece;

	if (!map->span)
		return;
	span.pos = stream->pos + (stream->next - stream->buf);
	if (span.mask == FRAME_WHOLE)
		frame_map_run(map, &span);
	else
		frame_map_add(map, &span);
	if (unlikely(map->n >= map->full))
		demux->full = true;
}

/* The bytes @mask of a frame: a span for each part that was in one piece in the capture. */
static void append(struct frame_demux *demux, const struct frame_item *item, unsigned int mask,
		   const uint8_t *bytes)
{
	struct frame_stream *stream = &demux->stream[demux->id];
	unsigned int i = 0;

	while (mask) {
		struct frame_span span = { .n = 1 };
		uint8_t *next = stream->next;

		i = __builtin_ctz(mask);
		span.at = item->at ? item->at[i] - i : item->offset;
		for (; i < 15 && (!item->at || item->at[i] - i == span.at); i++) {
			if (!(mask & BIT(i)))
				continue;
			span.mask |= BIT(i);
			*next++ = bytes[i];
		}
		own(demux, stream, &span);
		stream->next = next;
		mask &= ~span.mask;
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

/*
 * A frame with ID bytes.  Its bytes are copied 16 at a time, however few are
 * wanted; the byte that an ID comes before but does not own is put in place by
 * itself, or, if the ID does own it, is overwritten by what comes next.
 */
static __always_inline void split(struct frame_demux *demux, const uint8_t *frame, uint64_t at)
{
	struct frame_stream *stream = &demux->stream[demux->id];
	struct frame_span piece = { .n = 1, .at = at };
	const unsigned int aux = frame[15] & 0x7f;
	unsigned int ids = frame_ids(frame);
	uint8_t *next = stream->next;
	unsigned int begin = 0;
	uint8_t bytes[32];

	frame_expand(bytes, frame);
	for (; ids; ids &= ids - 1) {
		const unsigned int k = __builtin_ctz(ids);
		const unsigned int late = aux >> k & 1;

		memcpy(next, bytes + begin, 16);
		next[2 * k - begin] = frame[2 * k + 1];
		next += 2 * k - begin + late;
		piece.mask |= (BIT(2 * k) - BIT(begin)) | late << (2 * k + 1);
		begin = 2 * k + 1 + late;
		demux->overhead++;
		if (frame[2 * k] >> 1 == demux->id)
			continue;
		if (piece.mask)
			own(demux, stream, &piece);
		stream->next = next;
		frame_id_set(demux, frame[2 * k] >> 1);
		stream = &demux->stream[demux->id];
		next = stream->next;
		piece.mask = 0;
	}
	memcpy(next, bytes + begin, 16);
	piece.mask |= BIT(15) - BIT(begin);
	if (piece.mask)
		own(demux, stream, &piece);
	stream->next = next + 15 - begin;
}

/* Frames without ID bytes.  Return: behind the last one. */
static __always_inline const uint8_t *plain(struct frame_demux *demux, const uint8_t *frame,
					    const uint8_t *end, uint64_t at)
{
	struct frame_stream *stream = &demux->stream[demux->id];
	const uint8_t *p = frame;
	uint8_t *next = stream->next;

	for (; p != end && !frame_has_id(p); p += FRAME_SIZE, next += 15)
		frame_expand(next, p);
	if (p != frame)
		own(demux, stream, &(struct frame_span) {
			.n = (p - frame) / FRAME_SIZE, .at = at, .mask = FRAME_WHOLE,
		});
	stream->next = next;
	return p;
}

size_t frame_run(struct frame_demux *demux, const uint8_t *frame, size_t n, uint64_t at,
		 bool port)
{
	const uint8_t *end = frame + n * FRAME_SIZE;
	const uint8_t *p = frame;

	while (!demux->full) {
		p = plain(demux, p, end, at + (p - frame));
		if (p == end || *p == 0xff || (port && frame_has_sync(p)) || demux->full)
			break;
		split(demux, p, at + (p - frame));
		p += FRAME_SIZE;
	}
	n = (p - frame) / FRAME_SIZE;
	demux->frames += n;
	demux->overhead += n;
	return n;
}
