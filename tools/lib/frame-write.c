// SPDX-License-Identifier: GPL-2.0-only
/*
 * A frame has seven pairs of bytes, one byte more, and a byte of flags.  The first byte of a pair
 * is an ID, with bit 0 set; or data, whose bit 0 is then in the flags.  The second is always data:
 * with its flag set, an ID begins after it.  So the first byte of a pair is held until it is
 * known whether the next byte has the same ID.
 */
#include "frame-write.h"

#include <stdlib.h>
#include <string.h>

#define FLAGS	15

static void emit(struct frame_writer *w)
{
	if (w->size - w->n < sizeof(w->frame)) {
		size_t size = w->size ? 2 * w->size : 4096;
		uint8_t *p = realloc(w->data, size);

		if (!p)
			w->no_memory = true;
		else
			w->data = p;
		w->size = p ? size : w->size;
	}
	if (w->size - w->n >= sizeof(w->frame)) {
		memcpy(w->data + w->n, w->frame, sizeof(w->frame));
		w->n += sizeof(w->frame);
	}
	memset(w->frame, 0, sizeof(w->frame));
	w->at = 0;
}

static void put(struct frame_writer *w, uint8_t byte)
{
	w->frame[w->at++] = byte;
	if (w->at == FLAGS)
		emit(w);
}

static void put_first(struct frame_writer *w, uint8_t byte)
{
	w->frame[FLAGS] |= (byte & 1) << w->at / 2;
	put(w, byte & ~1);
}

/* @later: the ID applies after the second byte of the pair. */
static void put_id(struct frame_writer *w, uint8_t id, bool later)
{
	w->frame[FLAGS] |= later << w->at / 2;
	w->id = id;
	put(w, id << 1 | 1);
}

/* Writes the held byte, and the new ID after it. */
static void release(struct frame_writer *w, uint8_t id)
{
	put_id(w, id, true);
	put(w, w->held);
	w->is_held = false;
}

static void byte(struct frame_writer *w, uint8_t id, uint8_t value)
{
	if (w->is_held && id == w->id) {
		put_first(w, w->held);
		put(w, value);
		w->is_held = false;
		return;
	}
	if (w->is_held)
		release(w, id);
	if (id != w->id) {
		put_id(w, id, false);
		if (w->at) {
			put(w, value);
			return;
		}
	}
	if (w->at == FLAGS - 1) {
		put_first(w, value);
		return;
	}
	w->held = value;
	w->is_held = true;
}

void frame_write(struct frame_writer *w, uint8_t id, const uint8_t *bytes, size_t n)
{
	while (n--)
		byte(w, id, *bytes++);
}

/* ID 0 has no source: bytes after it are padding. */
void frame_write_end(struct frame_writer *w)
{
	if (w->is_held)
		release(w, 0);
	else if (w->at)
		put_id(w, 0, false);
	if (w->at)
		emit(w);
	w->id = 0;
}
