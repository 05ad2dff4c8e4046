// SPDX-License-Identifier: GPL-2.0-only
/* Frames that begin anywhere and lose bytes: made here, and found. */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/input/phase.h"
#include "../lib/random-itm.h"

#define FRAMES	400
#define ID	1
#define OTHER	5

/**
 * struct maker - frames
 * @itm: where trace comes from, at @at of its batch
 * @padded: a frame often ends with padding; else it is full
 * @bytes: @n bytes
 */
struct maker {
	struct random_itm itm;
	size_t at;
	bool padded;
	uint8_t bytes[16 * FRAMES];
	size_t n;
};

static uint8_t next_byte(struct maker *m)
{
	if (m->at == m->itm.n) {
		m->itm.n_want = 0;
		m->itm.waiting = 0;
		random_itm_batch(&m->itm);
		m->at = 0;
	}
	return m->itm.bytes[m->at++];
}

static void put(uint8_t *frame, int i, uint8_t byte)
{
	frame[i] = i % 2 ? byte : byte & 0xfe;
	frame[15] |= i % 2 ? 0 : (byte & 1) << i / 2;
}

/* Begins with an ID if there is to be one; with padding, another ID 0 and zeros come at last. */
static void put_frame(struct maker *m, uint8_t id)
{
	uint8_t *frame = m->bytes + m->n;
	const int end = m->padded && random_itm_dice(&m->itm, 3) ?
			2 * (1 + (int)random_itm_dice(&m->itm, 7)) : 15;
	int i = 0;

	memset(frame, 0, 16);
	if (id)
		frame[i++] = id << 1 | 1;
	for (; i < end; i++)
		put(frame, i, id == OTHER ? 0x42 : next_byte(m));
	if (end < 15)
		frame[end] = 1;
	m->n += 16;
}

static struct maker *make(uint64_t seed, bool padded)
{
	struct maker *m = calloc(1, sizeof(*m));
	bool idle = true;

	/* one without reserved packets */
	random_itm_begin(&m->itm, 3 * seed + 1);
	m->itm.plain = seed & 1;
	m->padded = padded;
	for (int i = 0; i < FRAMES; i++) {
		const bool other = padded && !random_itm_dice(&m->itm, 12);

		put_frame(m, other ? OTHER : padded || idle || i % 8 == 0 ? ID : 0);
		idle = other;
	}
	return m;
}

static struct input input_of(const struct maker *m, const struct input_source *source)
{
	return (struct input){
		.data = m->bytes, .n = m->n, .framing = CSF_FRAMES_MEMORY, .source = source,
		.n_source = 1,
	};
}

static const struct input_source source = {
	.config = { .size = sizeof(source.config), .protocol = CSF_PROTOCOL_ITM }, .id = ID,
};

/* No cut but one at the start, if there is one. */
TEST(any_phase)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct maker *m = make(seed, seed & 2);
		struct input in = input_of(m, &source);
		const size_t skip = seed % 16;
		struct input_cut *cut;

		in.data += skip;
		in.n -= skip;
		ASSERT_EQ(0, phase_find(&in, &cut, &in.n_cut));
		EXPECT_EQ(skip ? 1 : 0, in.n_cut)
			TH_LOG("seed %d, padded %d", (int)seed, m->padded);
		if (in.n_cut) {
			EXPECT_EQ(0, cut[0].at);
			EXPECT_EQ((16 - skip) % 16, cut[0].n);
		}
		free(cut);
		free(m);
	}
}

/*
 * Bytes are lost: the place is found within some frames, and then all are right.  Random trace may
 * make sense in a third phase for a frame or two.
 */
TEST(lost_bytes)
{
	unsigned int once = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct maker *m = make(seed, seed & 2);
		struct input in = input_of(m, &source);
		const size_t n = 1 + seed % 15, at = 800 + random_itm_dice(&m->itm, 4800);
		size_t sum = 0;
		struct input_cut *cut;

		memmove(m->bytes + at, m->bytes + at + n, m->n - at - n);
		in.n -= n;
		ASSERT_EQ(0, phase_find(&in, &cut, &in.n_cut));
		for (size_t i = 0; i < in.n_cut; i++) {
			EXPECT_LE(cut[i].at, at + 6 * 16);
			EXPECT_GE(cut[i].at + 6 * 16, at);
			sum += cut[i].n;
		}
		EXPECT_EQ(16 - n, sum % 16)
			TH_LOG("seed %d, padded %d: %zu cuts", (int)seed, m->padded, in.n_cut);
		once += in.n_cut == 1;
		free(cut);
		free(m);
	}
	EXPECT_GE(once, 50);
}

/* Without the trace unit, IDs and padding are enough. */
TEST(unknown_unit)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct maker *m = make(seed, true);
		struct input in = input_of(m, NULL);
		struct input_cut *cut;

		in.n_source = 0;
		in.data += 5;
		in.n -= 5;
		ASSERT_EQ(0, phase_find(&in, &cut, &in.n_cut));
		EXPECT_EQ(1, in.n_cut)
			TH_LOG("seed %d", (int)seed);
		EXPECT_EQ(11, in.n_cut ? cut[0].n : 0);
		free(cut);
		free(m);
	}
}

TEST(nothing)
{
	const uint8_t zeros[40] = { 0 };
	struct input in = { .data = zeros, .framing = CSF_FRAMES_MEMORY };
	struct input_cut *cut;

	for (in.n = 0; in.n <= sizeof(zeros); in.n++) {
		ASSERT_EQ(0, phase_find(&in, &cut, &in.n_cut));
		EXPECT_EQ(0, in.n_cut);
		free(cut);
	}
}

TEST_HARNESS_MAIN
