// SPDX-License-Identifier: GPL-2.0-only
/* The tree of callers: how far it grows, and where code counts when it grows no more. */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/call-stack.h"
#include "../../tools/context/context-parts.h"

/*
 * Function f, at 0x100 of file 0, calls itself, or g at 0x200, from its blocks 1 and 2; g returns
 * from block 3, f from block 4.
 */
FIXTURE(tree)
{
	struct contexts c;
	struct context_code code;
	struct context_thread t;
	struct context_block block[5];
	uint16_t info[10];
};

enum { F_CALL = 1 << 1 | 1, F_CALL2 = 2 << 1 | 1, G_RET = 3 << 1 | 1, F_RET = 4 << 1 | 1 };

FIXTURE_SETUP(tree)
{
	const struct context_node thread = { .kind = CONTEXT_THREAD, .site = 1 };
	uint32_t f, g;

	self->t.node = context_node(&self->c, &thread);
	f = context_function(&self->c, 0, 0x100, "f");
	g = context_function(&self->c, 0, 0x200, "g");
	self->block[1] = (struct context_block){ { .function = f, .offset = 0x100 }, 8, 4, 0 };
	self->block[2] = (struct context_block){ { .function = f, .offset = 0x120 }, 8, 4, 0 };
	self->block[3] = (struct context_block){ { .function = g, .offset = 0x200 }, 8, 4, 0 };
	self->block[4] = (struct context_block){ { .function = f, .offset = 0x108 }, 8, 4, 0 };
	self->info[F_CALL] = STEP_CALL << STEP_SHIFT;
	self->info[F_CALL2] = STEP_CALL << STEP_SHIFT;
	self->info[G_RET] = STEP_RETURN << STEP_SHIFT;
	self->info[F_RET] = STEP_RETURN << STEP_SHIFT;
	self->code = (struct context_code){ .contexts = &self->c, .info = self->info,
					    .block = self->block };
	context_forget(&self->t);
	ASSERT_EQ(0, context_resume(&self->code, &self->t, &self->block[1].at, false, false));
}

FIXTURE_TEARDOWN(tree)
{
	free(self->t.frame);
	contexts_fini(&self->c);
}

/* Step @open led to @to. */
static int move(struct context_code *code, struct context_thread *t, uint32_t open, uint32_t to)
{
	t->open = open;
	return context_move(code, t, &code->block[to].at);
}

TEST_F(tree, a_path_of_calls_by_itself_is_one)
{
	/* of two places each: there would be 2^20 paths */
	for (unsigned int path = 0; path < 2048; path++) {
		for (int i = 0; i < 20; i++)
			ASSERT_EQ(0, move(&self->code, &self->t,
					  path >> i & 1 ? F_CALL : F_CALL2, 1));
		while (self->t.n > 1) {
			const struct context_place to = {
				.function = self->block[1].at.function,
				.offset = self->t.frame[self->t.n - 1].ret,
			};

			self->t.open = F_RET;
			ASSERT_EQ(0, context_move(&self->code, &self->t, &to));
		}
	}
	/* root, thread, f, and 20 below it */
	EXPECT_EQ(23, self->c.n);
	EXPECT_EQ(0, self->c.folded);
	EXPECT_EQ(2048, self->c.node[22].calls);
	EXPECT_EQ(1, self->t.n);
}

TEST_F(tree, what_is_too_deep_counts_as_its_caller)
{
	const unsigned int calls = 3 * CALL_STACK_MAX;

	for (unsigned int i = 0; i < calls; i++)
		ASSERT_EQ(0, move(&self->code, &self->t, F_CALL, 1));
	EXPECT_EQ(CONTEXT_DEPTH_MAX + 1, self->c.n);
	EXPECT_EQ(calls - (CONTEXT_DEPTH_MAX - 2), self->c.folded);
	EXPECT_LE(self->t.n, CALL_STACK_MAX);
	EXPECT_EQ(CONTEXT_DEPTH_MAX, self->t.frame[self->t.n - 1].node);
	/* and the function that it calls returns to it */
	ASSERT_EQ(0, move(&self->code, &self->t, F_CALL, 3));
	ASSERT_EQ(0, move(&self->code, &self->t, G_RET, 4));
	EXPECT_EQ(CONTEXT_DEPTH_MAX, self->t.frame[self->t.n - 1].node);
}

TEST_F(tree, there_is_an_end_to_nodes)
{
	struct context_node key = { .parent = 2, .kind = CONTEXT_CALL, .function = 1 };

	while (!self->c.folded) {
		key.site += 4;
		ASSERT_NE(0, context_node(&self->c, &key));
	}
	EXPECT_EQ(CONTEXT_MAX, self->c.n);
	EXPECT_EQ(2, context_node(&self->c, &key));
	/* those that are there stay */
	key.site = 4;
	EXPECT_EQ(3, context_node(&self->c, &key));
}

TEST_F(tree, a_deeper_exception_level_is_entered)
{
	ASSERT_EQ(0, move(&self->code, &self->t, F_CALL, 3));
	context_break(&self->t);
	self->t.resume = (struct context_place){ .function = self->block[3].at.function,
						 .offset = 0x204 };
	/* not at the first instruction of f */
	ASSERT_EQ(0, context_resume(&self->code, &self->t, &self->block[2].at, false, true));
	ASSERT_EQ(3, self->t.n);
	EXPECT_EQ(CONTEXT_ASYNC, self->c.node[self->t.frame[2].node].kind);
	EXPECT_EQ(0x204, self->c.node[self->t.frame[2].node].site);
	/* and left */
	context_break(&self->t);
	ASSERT_EQ(0, context_resume(&self->code, &self->t,
				    &(struct context_place){ .function = self->block[3].at.function,
							     .offset = 0x204 }, false, false));
	EXPECT_EQ(2, self->t.n);
	/* after a loss no caller is known */
	context_forget(&self->t);
	ASSERT_EQ(0, context_resume(&self->code, &self->t, &self->block[3].at, false, false));
	ASSERT_EQ(1, self->t.n);
	EXPECT_EQ(CONTEXT_BEGIN, self->c.node[self->t.frame[0].node].kind);
}

/* No record has the name of the thread whose number is that of the stream. */
TEST(who_is_not_known_has_no_name)
{
	const struct perf_replay_options options = { .n_threads = 1 };
	struct perf_stream stream = { .number = 0 };
	struct perf_run run = {
		.stream = &stream, .who = { .pid = PERF_NO_TID, .tid = PERF_NO_TID },
		.run.end = CSF_END_FULL,
	};
	struct perf_replay *replay;
	struct contexts c = { 0 };
	struct context_fill *fill;

	ASSERT_EQ(0, perf_replay_new(&replay, "selftests/data/demo/perf.data", &options));
	ASSERT_STREQ("swapper", perf_tasks_comm(replay->tasks, 0, PERF_TASKS_LAST));
	ASSERT_EQ(0, context_fill_new(&fill, &c, replay));
	ASSERT_EQ(0, context_fill_run(fill, &run, true));
	ASSERT_EQ(2, c.n);
	EXPECT_EQ(CONTEXT_THREAD, c.node[1].kind);
	EXPECT_EQ(NULL, c.function[c.node[1].function].name);
	context_fill_free(fill);
	contexts_fini(&c);
	perf_replay_free(replay);
}

TEST_HARNESS_MAIN
