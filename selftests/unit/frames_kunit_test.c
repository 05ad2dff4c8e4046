// SPDX-License-Identifier: GPL-2.0-only
/* The frames of the virtual ETR, of kernel-glue, in user space. */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../kernel-glue/frames.c"

#define SIZE	4096
#define IDS	0x70
#define UNKNOWN	0x7f

/* What a reader of frames @from and later has of each ID, and before the first one */
struct got {
	u8 byte[IDS][SIZE];
	size_t n[IDS], before;
	u8 id;
};

static void take_byte(struct got *got, u8 byte)
{
	if (got->id == UNKNOWN)
		got->before++;
	else if (got->id < IDS)
		got->byte[got->id][got->n[got->id]++] = byte;
}

static void read_frame(struct got *got, const u8 *frame)
{
	for (int i = 0; i < LAST; i += 2) {
		const u8 last = frame[LAST] >> i / 2 & 1;

		if (!(frame[i] & IS_ID)) {
			take_byte(got, frame[i] | last);
		} else if (last && i + 1 < LAST) {
			take_byte(got, frame[i + 1]);
			got->id = frame[i] >> 1;
			continue;
		} else {
			got->id = frame[i] >> 1;
		}
		if (i + 1 < LAST)
			take_byte(got, frame[i + 1]);
	}
}

static struct got *read_from(const struct frames *f, size_t from)
{
	struct got *got = calloc(1, sizeof(*got));

	got->id = UNKNOWN;
	for (size_t at = from; at < f->written; at += FRAME_SIZE)
		read_frame(got, f->ring + at);
	return got;
}

/* Bytes of two IDs, in pieces of all lengths: both come out in order. */
TEST(two_ids)
{
	u8 ring[SIZE], bytes[64];
	struct frames f = { .ring = ring, .size = sizeof(ring) };
	size_t sent[2] = { 0 };
	struct got *got;

	for (size_t n = 0; n < 50; n++) {
		const u8 which = n & 1;

		for (size_t i = 0; i < n; i++)
			bytes[i] = (sent[which] + i) * 7;
		frames_add(&f, 0x10 + which, bytes, n);
		sent[which] += n;
	}
	frames_flush(&f);
	got = read_from(&f, 0);
	EXPECT_EQ(0, got->before);
	for (int which = 0; which < 2; which++) {
		ASSERT_EQ(sent[which], got->n[0x10 + which]);
		for (size_t i = 0; i < sent[which]; i++)
			ASSERT_EQ((u8)(i * 7), got->byte[0x10 + which][i]);
	}
	free(got);
}

/* A reader that begins anywhere learns the ID of a single source soon. */
TEST(id_is_repeated)
{
	u8 ring[SIZE], bytes[2048] = { 0 };
	struct frames f = { .ring = ring, .size = sizeof(ring) };
	struct got *got;

	frames_add(&f, 0x10, bytes, sizeof(bytes));
	frames_flush(&f);
	for (size_t from = 0; from + 16 * FRAME_SIZE < f.written; from += FRAME_SIZE) {
		got = read_from(&f, from);
		EXPECT_LE(got->before, FRAMES_ID * LAST);
		EXPECT_LT(0, got->n[0x10]);
		free(got);
	}
}

TEST_HARNESS_MAIN
