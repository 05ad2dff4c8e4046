// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/string.h>

#include "frames.h"

#define LAST	(FRAME_SIZE - 1)	/* bit 0 of each even byte: of data, or when an ID holds */
#define IS_ID	1

#define FRAMES_ID	8	/* of so many frames one names an ID at least, as in hardware */

static void set_last(struct frames *f, unsigned int at, bool value)
{
	const u8 bit = BIT(at / 2);

	f->frame[LAST] = value ? f->frame[LAST] | bit : f->frame[LAST] & ~bit;
}

static void advance(struct frames *f)
{
	if (++f->n < LAST)
		return;
	memcpy(f->ring + (f->written & (f->size - 1)), f->frame, FRAME_SIZE);
	f->written += FRAME_SIZE;
	memset(f->frame, 0, FRAME_SIZE);
	f->n = 0;
}

/*
 * Only even bytes have room for an ID.  At an odd one, the ID takes the place of the byte before,
 * which moves, and holds from the byte after that.
 */
static void change_id(struct frames *f, u8 id)
{
	const unsigned int even = f->n & ~1u;

	if (f->n != even)
		f->frame[f->n] = f->frame[even] | (f->frame[LAST] >> even / 2 & 1);
	set_last(f, even, f->n != even);
	f->frame[even] = id << 1 | IS_ID;
	f->id = id;
	advance(f);
}

static void add_byte(struct frames *f, u8 byte)
{
	if (f->n & 1) {
		f->frame[f->n] = byte;
	} else {
		f->frame[f->n] = byte & ~IS_ID;
		set_last(f, f->n, byte & 1);
	}
	advance(f);
}

/* Older frames may be overwritten or left out, and later ones must tell the ID, too. */
static bool names_id(const struct frames *f)
{
	return !f->n && !(f->written & (FRAMES_ID * FRAME_SIZE - 1));
}

void frames_add(struct frames *f, u8 id, const u8 *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (f->id != id || names_id(f))
			change_id(f, id);
		add_byte(f, bytes[i]);
	}
}

void frames_flush(struct frames *f)
{
	static const u8 zero;

	while (f->n)
		frames_add(f, 0, &zero, 1);
	/* What follows names its ID again, if nothing was filled, too. */
	f->id = 0;
}
