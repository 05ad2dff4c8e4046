// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "encode-frames.h"

static void next(struct encode_frames *f)
{
	if (++f->at < 15)
		return;
	fwrite(f->frame, 1, sizeof(f->frame), f->file);
	f->n += sizeof(f->frame);
	memset(f->frame, 0, sizeof(f->frame));
	f->at = 0;
}

/* At an even place.  @late: it holds only behind the next byte. */
static void put_id(struct encode_frames *f, uint8_t id, bool late)
{
	f->frame[f->at] = id << 1 | 1;
	f->frame[15] |= late << f->at / 2;
	f->id = id;
	next(f);
}

static void put_byte(struct encode_frames *f, uint8_t byte)
{
	if (f->at & 1) {
		f->frame[f->at] = byte;
	} else {
		f->frame[f->at] = byte & 0xfe;
		f->frame[15] |= (byte & 1) << f->at / 2;
	}
	next(f);
}

/*
 * A byte of @id, when it is known that the next one is of @behind.  An ID stands at even places
 * only: where the last byte of a unit is at such a place, the ID behind it comes first.
 */
static void put(struct encode_frames *f, uint8_t id, uint8_t byte, uint8_t behind)
{
	if (id != f->id)
		put_id(f, id, false);
	if (!(f->at & 1) && behind != id && f->at < 14)
		put_id(f, behind, true);
	put_byte(f, byte);
}

void encode_frames_put(struct encode_frames *f, uint8_t id, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (f->held)
			put(f, f->held_id, f->held_byte, id);
		f->held = true;
		f->held_id = id;
		f->held_byte = bytes[i];
	}
}

void encode_frames_end(struct encode_frames *f)
{
	if (f->held)
		put(f, f->held_id, f->held_byte, 0);
	f->held = false;
	if (f->id && f->at)
		put_id(f, 0, false);
	while (f->at)
		next(f);
}
