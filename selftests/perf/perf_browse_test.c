// SPDX-License-Identifier: GPL-2.0-only
/* Walks through a recording whose branches are known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/browse/find.h"
#include "../../tools/browse/insn.h"
#include "../../tools/browse/jump.h"
#include "../../tools/browse/walk.h"
#include "../lib/kselftest_harness.h"

#define DEMO	"selftests/data/demo/"

FIXTURE(browse) {
	struct perf_replay *replay;
	struct walk *walk;
};

FIXTURE_SETUP(browse)
{
	const struct perf_replay_options options = {
		.dso.symfs = DEMO, .marks = CSF_MARK_TIME, .n_threads = 1,
	};

	ASSERT_EQ(perf_replay_new(&self->replay, DEMO "perf.data", &options), 0);
	ASSERT_EQ(walk_new(&self->walk, self->replay), 0);
}

FIXTURE_TEARDOWN(browse)
{
	walk_free(self->walk);
	perf_replay_free(self->replay);
}

/* All instructions of a track, or in the other direction. */
static size_t all(struct walk *walk, int direction, uint64_t *addr, size_t max)
{
	struct walk_item item;
	struct walk_at at;
	size_t n = 0;
	int ret = walk_end(walk, &at, direction);

	for (; ret == WALK_MOVED && n < max; ret = walk_insn(walk, &at, direction)) {
		if (walk_look(walk, &at, &item) || item.kind != WALK_INSN)
			continue;
		addr[n++] = item.addr;
	}
	return n;
}

TEST_F(browse, there_are_two_tracks)
{
	ASSERT_EQ(self->walk->tracks.n, 2);
	EXPECT_EQ(self->walk->tracks.track[0].cpu.first, 0);
	EXPECT_EQ(self->walk->tracks.track[1].cpu.first, 1);
	EXPECT_EQ(self->walk->tracks.track[0].n, 1);
}

TEST_F(browse, back_is_the_same_way)
{
	static uint64_t forward[100000], back[100000];

	for (size_t t = 0; t < 2; t++) {
		size_t n;

		self->walk->track = &self->walk->tracks.track[t];
		n = all(self->walk, WALK_FORWARD, forward, 100000);
		printf("# track %zu: %zu instructions\n", t, n);
		ASSERT_GT(n, 100);
		ASSERT_EQ(all(self->walk, WALK_BACK, back, 100000), n);
		for (size_t i = 0; i < n; i++)
			ASSERT_EQ(forward[i], back[n - 1 - i]);
	}
}

/* The next branch of the log that is @from to @to. */
static bool logged(FILE *log, uint64_t from, uint64_t to)
{
	uint64_t a, b;

	while (fscanf(log, "%" SCNx64 " %" SCNx64, &a, &b) == 2)
		if (a == from && b == to)
			return true;
	return false;
}

/* The log is that of an emulator; the thread was on one CPU, then on the other, then back. */
TEST_F(browse, what_was_executed_is_in_the_log)
{
	static uint64_t addr[100000];
	size_t n_branch = 0;

	for (size_t t = 0; t < 2; t++) {
		FILE *log = fopen(DEMO "branches", "r");
		size_t n;

		ASSERT_NE(log, NULL);
		self->walk->track = &self->walk->tracks.track[t];
		n = all(self->walk, WALK_FORWARD, addr, 100000);
		for (size_t i = 1; i < n; i++) {
			if (addr[i] == addr[i - 1] + 4)
				continue;
			/* where it leaves this CPU, and comes back, there is no branch */
			if (logged(log, addr[i - 1], addr[i]))
				n_branch++;
			else
				rewind(log);
		}
		fclose(log);
	}
	EXPECT_GT(n_branch, 700);
}

/* ---------------------------------------------------------------- calls */

/* The name of the function at a place, and "+" and the distance from its start. */
static const char *name_at(struct walk *walk, const struct walk_at *at)
{
	static char name[4][64];
	static unsigned int next;
	struct code_where where;
	struct walk_item item;
	char *text = name[next++ % 4];

	walk_look(walk, at, &item);
	if (item.kind != WALK_INSN) {
		snprintf(text, sizeof(name[0]), "event %d", item.kind);
		return text;
	}
	code_where(&walk->replay->tasks->code, item.section, item.offset, &where);
	snprintf(text, sizeof(name[0]), "%s+%" PRIx64, where.symbol ? where.symbol : "?",
		 item.offset - where.start);
	return text;
}

static int find(struct walk *walk, struct walk_at *at, const char *name, int direction)
{
	struct find find = { .name = name };
	int ret = find_next(&find, walk, at, direction);

	find_fini(&find);
	return ret;
}

TEST_F(browse, functions_are_found_forward_and_back)
{
	struct walk *walk = self->walk;
	struct walk_at at, first;

	ASSERT_EQ(walk_end(walk, &at, WALK_FORWARD), WALK_MOVED);
	ASSERT_EQ(find(walk, &at, "digits", WALK_FORWARD), WALK_MOVED);
	EXPECT_STREQ(name_at(walk, &at), "digits+0");
	first = at;
	EXPECT_EQ(find(walk, &at, "nosuch", WALK_FORWARD), WALK_NONE);
	EXPECT_EQ(walk_compare(&at, &first), 0);
	ASSERT_EQ(find(walk, &at, "DO_OP", WALK_BACK), WALK_NONE);
	ASSERT_EQ(find(walk, &at, "do_op", WALK_BACK), WALK_MOVED);
	EXPECT_STREQ(name_at(walk, &at), "do_op+0");
	EXPECT_EQ(find(walk, &at, "do_op", WALK_BACK), WALK_NONE);
	ASSERT_EQ(find(walk, &at, "digits", WALK_FORWARD), WALK_MOVED);
	EXPECT_EQ(walk_compare(&at, &first), 0);
}

TEST_F(browse, all_times_have_their_callers)
{
	struct find find = { .name = "digits" };
	struct find_runs runs = { 0 };
	size_t from_digits = 0, from_print = 0;

	ASSERT_EQ(find_all(&find, self->walk, &runs), WALK_MOVED);
	for (size_t i = 0; i < runs.n; i++) {
		struct code_where where;

		code_where(&self->replay->tasks->code, runs.run[i].from, runs.run[i].from_offset,
			   &where);
		from_digits += where.symbol && !strcmp(where.symbol, "digits");
		from_print += where.symbol && !strcmp(where.symbol, "print");
	}
	printf("# %zu: %zu from digits, %zu from print\n", runs.n, from_digits, from_print);
	EXPECT_EQ(runs.n, runs.total);
	/* CPU 0 printed two rows of ten numbers, of which seven have two digits */
	EXPECT_EQ(from_print, 20);
	EXPECT_EQ(from_digits, 14);
	EXPECT_EQ(from_digits + from_print, runs.n);
	find_runs_fini(&runs);
	find_fini(&find);
}

TEST_F(browse, a_call_is_left_and_stepped_over)
{
	struct walk *walk = self->walk;
	struct walk_at at, call, after;
	struct jump_stack stack;

	walk_end(walk, &at, WALK_FORWARD);
	ASSERT_EQ(find(walk, &at, "digits", WALK_FORWARD), WALK_MOVED);
	/* 31: digits calls itself */
	ASSERT_EQ(find(walk, &at, "digits", WALK_FORWARD), WALK_MOVED);
	ASSERT_EQ(jump_stack(walk, &at, 1, &stack), 0);
	ASSERT_GE(stack.n, 5);
	EXPECT_STREQ(name_at(walk, &stack.frame[0].at), "digits+0");
	EXPECT_EQ(strncmp(name_at(walk, &stack.frame[1].at), "digits+", 7), 0);
	EXPECT_EQ(strncmp(name_at(walk, &stack.frame[2].at), "print+", 6), 0);
	EXPECT_EQ(strncmp(name_at(walk, &stack.frame[3].at), "do_op+", 6), 0);
	EXPECT_EQ(strncmp(name_at(walk, &stack.frame[4].at), "_start+", 7), 0);
	EXPECT_TRUE(stack.limit);

	call = at;
	ASSERT_EQ(jump_out(walk, &call, WALK_BACK), WALK_MOVED);
	EXPECT_EQ(walk_compare(&call, &stack.frame[1].at), 0);
	after = call;
	ASSERT_EQ(jump_over(walk, &after, WALK_FORWARD), WALK_MOVED);
	ASSERT_EQ(jump_out(walk, &at, WALK_FORWARD), WALK_MOVED);
	EXPECT_EQ(walk_compare(&at, &after), 0);
	ASSERT_EQ(jump_over(walk, &at, WALK_BACK), WALK_MOVED);
	EXPECT_EQ(walk_compare(&at, &call), 0);
}

TEST_HARNESS_MAIN
