// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a recording is cut: KUnit cases, in a module of their own where the kernel has KUnit.  The
 * selftests compile this file for user space, too.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "replay.c"

#define SYNC	(SYNC_ZEROS + 1)	/* bytes of an A-sync */

/* Makes room and adds bytes, as a writer of sysfs does.  Returns NULL if there is no room. */
static struct replay *add(struct replay *r, const u8 *bytes, size_t n)
{
	struct replay *more = r;

	if (!r)
		return NULL;
	if (!replay_has_room(r, n)) {
		more = replay_grow(r, n);
		replay_free(r);
	}
	if (more)
		replay_add(more, bytes, n);
	return more;
}

static struct replay *add_zeros(struct replay *r, unsigned int zeros)
{
	static const u8 zero[32];

	return add(r, zero, zeros);
}

static struct replay *add_byte(struct replay *r, u8 byte)
{
	return add(r, &byte, 1);
}

static struct replay *add_sync(struct replay *r)
{
	return add_byte(add_zeros(r, SYNC_ZEROS), 0x80);
}

/* @n bytes of trace that are no part of an A-sync. */
static struct replay *add_trace(struct replay *r, size_t n)
{
	while (r && n--)
		r = add_byte(r, 0xf7);
	return r;
}

/* A-syncs at 0, 100, 150 and 400; 500 bytes. */
static struct replay *four_pieces(void)
{
	struct replay *r = add_trace(add_sync(replay_new()), 100 - SYNC);

	r = add_trace(add_sync(r), 50 - SYNC);
	r = add_trace(add_sync(r), 250 - SYNC);
	return add_trace(add_sync(r), 100 - SYNC);
}

/* Bytes of the next piece, which is played. */
static size_t play(struct replay *r, size_t want, size_t room, size_t size, size_t *lost)
{
	const size_t n = replay_piece(r, want, room, size, false, lost);

	r->pos += n;
	return n;
}

/* -------- where A-syncs are */

static void syncs_are_found(struct kunit *test)
{
	struct replay *r = four_pieces();

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->n, 500);
	KUNIT_EXPECT_EQ(test, r->n_sync, 4);
	KUNIT_EXPECT_EQ(test, r->sync[0], 0);
	KUNIT_EXPECT_EQ(test, r->sync[1], 100);
	KUNIT_EXPECT_EQ(test, r->sync[2], 150);
	KUNIT_EXPECT_EQ(test, r->sync[3], 400);
	replay_free(r);
}

/* Zeros before it are no part of it; with fewer, or another byte between, it is none. */
static void syncs_have_eleven_zeros(struct kunit *test)
{
	struct replay *r = add_byte(add_zeros(replay_new(), 20), 0x80);

	r = add_byte(add_zeros(r, SYNC_ZEROS - 1), 0x80);
	r = add_byte(add_zeros(r, 6), 1);
	r = add_byte(add_zeros(r, 6), 0x80);
	r = add_byte(add_zeros(r, SYNC_ZEROS), 0x81);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->n_sync, 1);
	KUNIT_EXPECT_EQ(test, r->sync[0], 20 - SYNC_ZEROS);
	replay_free(r);
}

/* A recording comes in pages, which end anywhere. */
static void syncs_over_two_writes(struct kunit *test)
{
	static const u8 sync[SYNC] = { [SYNC_ZEROS] = 0x80 };

	for (size_t first = 1; first < SYNC; first++) {
		struct replay *r = add(add_byte(replay_new(), 1), sync, first);

		r = add(r, sync + first, SYNC - first);
		KUNIT_ASSERT_NOT_NULL(test, r);
		KUNIT_EXPECT_EQ(test, r->n_sync, 1);
		KUNIT_EXPECT_EQ(test, r->sync[0], 1);
		replay_free(r);
	}
}

/* -------- room */

static void growing_keeps_all(struct kunit *test)
{
	struct replay *r = four_pieces(), *more;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->pos = 42;
	r = add_zeros(r, 5);
	more = replay_grow(r, 100000);
	KUNIT_ASSERT_NOT_NULL(test, more);
	KUNIT_EXPECT_EQ(test, more->n, r->n);
	KUNIT_EXPECT_EQ(test, more->pos, 42);
	KUNIT_EXPECT_EQ(test, memcmp(more->bytes, r->bytes, r->n), 0);
	KUNIT_EXPECT_EQ(test, more->n_sync, r->n_sync);
	KUNIT_EXPECT_EQ(test, memcmp(more->sync, r->sync, r->n_sync * sizeof(*r->sync)), 0);
	KUNIT_EXPECT_TRUE(test, replay_has_room(more, 100000));
	replay_free(r);

	/* The zeros at its end count. */
	more = add_byte(add_zeros(more, SYNC_ZEROS - 5), 0x80);
	KUNIT_ASSERT_NOT_NULL(test, more);
	KUNIT_EXPECT_EQ(test, more->n_sync, 5);
	replay_free(more);
}

/* Bytes that are all A-syncs have room for their offsets, too: 100 at once, then others. */
static void room_for_syncs(struct kunit *test)
{
	static u8 syncs[100 * SYNC];
	struct replay *r;

	for (unsigned int i = 0; i < 100; i++)
		syncs[i * SYNC + SYNC_ZEROS] = 0x80;
	r = add(replay_new(), syncs, sizeof(syncs));
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->n_sync, 100);
	KUNIT_EXPECT_LE(test, r->n_sync, r->max_sync);
	for (unsigned int i = 0; i < 900; i++)
		r = add_sync(r);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->n_sync, 1000);
	KUNIT_EXPECT_LE(test, r->n_sync, r->max_sync);
	replay_free(r);
}

static void too_large(struct kunit *test)
{
	struct replay *r = add_trace(replay_new(), 10);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_FALSE(test, replay_has_room(r, REPLAY_MAX));
	KUNIT_EXPECT_NULL(test, replay_grow(r, REPLAY_MAX));
	KUNIT_EXPECT_NULL(test, replay_grow(r, REPLAY_MAX - 9));
	KUNIT_EXPECT_NULL(test, replay_grow(r, SIZE_MAX));
	replay_free(r);
}

/* -------- pieces */

static void pieces_end_before_syncs(struct kunit *test)
{
	struct replay *r = four_pieces();
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 149, 1000, 1000, &lost), 100);
	KUNIT_EXPECT_EQ(test, play(r, 50, 1000, 1000, &lost), 50);
	KUNIT_EXPECT_EQ(test, play(r, 251, 1000, 1000, &lost), 250);
	KUNIT_EXPECT_EQ(test, play(r, 1000, 1000, 1000, &lost), 100);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, play(r, 1000, 1000, 1000, &lost), 0);
	replay_free(r);
}

/* All that is wanted at once: over two A-syncs, and to the end. */
static void pieces_are_as_large_as_wanted(struct kunit *test)
{
	struct replay *r = four_pieces();
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 399, 500, 500, &lost), 150);
	KUNIT_EXPECT_EQ(test, play(r, 350, 500, 500, &lost), 350);
	replay_free(r);
}

/* Fewer bytes are wanted than lie before the next A-sync. */
static void pieces_are_as_small_as_possible(struct kunit *test)
{
	struct replay *r = four_pieces();
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 1, 100, 1000, &lost), 100);
	KUNIT_EXPECT_EQ(test, play(r, 0, 100, 1000, &lost), 50);
	/* There is not enough room now; in an empty buffer there will be. */
	KUNIT_EXPECT_EQ(test, play(r, 100, 249, 1000, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, play(r, 100, 250, 1000, &lost), 250);
	/* The piece before may have ended anywhere. */
	r->pos = 99;
	KUNIT_EXPECT_EQ(test, play(r, 0, 1000, 1000, &lost), 1);
	replay_free(r);
}

/* No buffer takes the third piece. */
static void pieces_that_are_too_large(struct kunit *test)
{
	struct replay *r = four_pieces();
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 249, 249, 249, &lost), 150);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, play(r, 249, 249, 249, &lost), 100);
	KUNIT_EXPECT_EQ(test, lost, 250);
	KUNIT_EXPECT_EQ(test, r->pos, r->n);
	replay_free(r);

	/* One that is as large as the buffer is none of them. */
	r = four_pieces();
	KUNIT_ASSERT_NOT_NULL(test, r);
	r->pos = 150;
	KUNIT_EXPECT_EQ(test, play(r, 250, 250, 250, &lost), 250);
	KUNIT_EXPECT_EQ(test, lost, 0);
	replay_free(r);

	/* No buffer takes the last one, after which there is no A-sync. */
	r = four_pieces();
	KUNIT_ASSERT_NOT_NULL(test, r);
	r->pos = 400;
	KUNIT_EXPECT_EQ(test, play(r, 99, 99, 99, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, 100);
	KUNIT_EXPECT_EQ(test, r->pos, r->n);
	replay_free(r);
}

static void without_syncs(struct kunit *test)
{
	struct replay *r = add_trace(replay_new(), 30);
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 10, 29, 1000, &lost), 0);
	KUNIT_EXPECT_EQ(test, play(r, 10, 30, 1000, &lost), 30);
	replay_free(r);

	r = replay_new();
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, play(r, 10, 10, 10, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	replay_free(r);
}

static void anywhere(struct kunit *test)
{
	struct replay *r = four_pieces();
	size_t lost;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, replay_piece(r, 7, 7, 10, true, &lost), 7);
	r->pos = 495;
	KUNIT_EXPECT_EQ(test, replay_piece(r, 7, 7, 10, true, &lost), 5);
	KUNIT_EXPECT_EQ(test, lost, 0);
	replay_free(r);
}

static bool is_sync(const struct replay *r, size_t at)
{
	for (size_t i = 0; i < r->n_sync; i++) {
		if (r->sync[i] == at)
			return true;
	}
	return false;
}

/* Whatever is wanted and fits: no byte is lost unsaid, none comes twice, and it ends. */
static void pieces_add_up(struct kunit *test)
{
	struct replay *r = four_pieces();

	KUNIT_ASSERT_NOT_NULL(test, r);
	for (size_t size = 1; size <= 520; size += 7) {
		for (size_t want = 0; want <= size; want += 13) {
			size_t sum = 0, lost, n;

			r->pos = 0;
			do {
				n = play(r, want, size, size, &lost);
				sum += n + lost;
				KUNIT_EXPECT_LE(test, n, size);
				KUNIT_EXPECT_EQ(test, sum, r->pos);
				KUNIT_EXPECT_TRUE(test, r->pos == r->n || is_sync(r, r->pos));
			} while (n);
			KUNIT_EXPECT_EQ(test, sum, r->n);
		}
	}
	replay_free(r);
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(syncs_are_found),
	KUNIT_CASE(syncs_have_eleven_zeros),
	KUNIT_CASE(syncs_over_two_writes),
	KUNIT_CASE(growing_keeps_all),
	KUNIT_CASE(room_for_syncs),
	KUNIT_CASE(too_large),
	KUNIT_CASE(pieces_end_before_syncs),
	KUNIT_CASE(pieces_are_as_large_as_wanted),
	KUNIT_CASE(pieces_are_as_small_as_possible),
	KUNIT_CASE(pieces_that_are_too_large),
	KUNIT_CASE(without_syncs),
	KUNIT_CASE(anywhere),
	KUNIT_CASE(pieces_add_up),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "csflow-replay",
	.test_cases = replay_cases,
};

kunit_test_suite(replay_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of the virtual CoreSight trace units");
