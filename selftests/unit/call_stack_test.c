// SPDX-License-Identifier: GPL-2.0-only
/* Call chains and last branches, from moves. */
#include <stdio.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/call-stack.h"

#define CALL	(CS_FLAG_BRANCH | CS_FLAG_CALL)
#define RETURN	(CS_FLAG_BRANCH | CS_FLAG_RETURN)

FIXTURE(stacks)
{
	struct call_stacks stacks;
	struct call_stack *stack;
	uint64_t trace_nr;
	uint32_t stream;
};

FIXTURE_SETUP(stacks)
{
	call_stacks_init(&self->stacks, 3);
	self->stack = call_stacks_of(&self->stacks, 1);
	ASSERT_NE(NULL, self->stack);
	self->trace_nr = 0;
	self->stream = 0;
}

FIXTURE_TEARDOWN(stacks)
{
	call_stacks_fini(&self->stacks);
}

static void move(struct _test_data_stacks *self, uint32_t flags, uint64_t ip, uint64_t addr)
{
	const struct cs_sample sample = {
		.flags = flags, .ip = ip, .addr = addr, .trace_nr = self->trace_nr,
		.ret = flags & CS_FLAG_CALL ? ip + 4 : 0,
	};

	call_stack_move(self->stack, &sample, self->stream);
}

static const char *chain(struct _test_data_stacks *self, uint64_t ip)
{
	static char text[128];
	uint64_t at[4];
	size_t n = call_stack_chain(self->stack, ip, at, 4);

	text[0] = 0;
	for (size_t i = 0; i < n; i++)
		sprintf(text + strlen(text), "%s%llx", i ? " " : "", (unsigned long long)at[i]);
	return text;
}

static const char *last(struct _test_data_stacks *self)
{
	const struct call_branch *b;
	static char text[128];

	text[0] = 0;
	for (unsigned int i = 0; (b = call_stack_branch(self->stack, i)); i++)
		sprintf(text + strlen(text), "%s%llx-%llx", i ? " " : "",
			(unsigned long long)b->from, (unsigned long long)b->to);
	return text;
}

TEST_F(stacks, calls_and_returns)
{
	move(self, CALL, 0x10, 0x100);
	move(self, CS_FLAG_BRANCH, 0x100, 0x110);
	move(self, CALL, 0x110, 0x200);
	EXPECT_STREQ("200 114 14", chain(self, 0x200));
	move(self, RETURN, 0x210, 0x114);
	EXPECT_STREQ("114 14", chain(self, 0x114));
	EXPECT_STREQ("210-114 110-200 100-110", last(self));
}

/* longjmp() leaves several calls at once; a return to an unknown place leaves none. */
TEST_F(stacks, returns_that_skip)
{
	move(self, CALL, 0x10, 0x100);
	move(self, CALL, 0x110, 0x200);
	move(self, CALL, 0x210, 0x300);
	move(self, RETURN, 0x310, 0x900);
	EXPECT_STREQ("900 214 114 14", chain(self, 0x900));
	move(self, RETURN, 0x310, 0x114);
	EXPECT_STREQ("114 14", chain(self, 0x114));
}

TEST_F(stacks, deep)
{
	for (int i = 0; i < CALL_STACK_MAX + 10; i++)
		move(self, CALL, 0x10 + 16ull * i, 0x20 + 16ull * i);
	EXPECT_STREQ("5 400a4 40094 40084", chain(self, 5));
	EXPECT_GE(CALL_STACK_MAX, self->stack->n);
}

/* A call of the next instruction only finds out its own address. */
TEST_F(stacks, call_of_what_follows)
{
	move(self, CALL, 0x10, 0x14);
	EXPECT_STREQ("14", chain(self, 0x14));
}

/* A system call of a recording of user space: trace is off, and comes back. */
TEST_F(stacks, off)
{
	move(self, CALL, 0x10, 0x100);
	move(self, CALL | CS_FLAG_SYSCALLRET | CS_FLAG_TRACE_END, 0x100, 0);
	move(self, CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN, 0, 0x104);
	EXPECT_STREQ("104 14", chain(self, 0x104));
	EXPECT_STREQ("", last(self));
}

/* After a loss no call is known; on another CPU all still are. */
TEST_F(stacks, lost)
{
	move(self, CALL, 0x10, 0x100);
	self->stream = 1;
	self->trace_nr = 7;
	move(self, CALL, 0x110, 0x200);
	EXPECT_STREQ("200 114 14", chain(self, 0x200));
	self->trace_nr = 8;
	move(self, CALL, 0x210, 0x300);
	EXPECT_STREQ("300 214", chain(self, 0x300));
	EXPECT_STREQ("210-300", last(self));
}

TEST_F(stacks, many_threads)
{
	for (uint64_t i = 0; i < 5000; i++) {
		self->stack = call_stacks_of(&self->stacks, i << 20 | 5);
		ASSERT_NE(NULL, self->stack);
		move(self, CALL, (i + 1) << 4, 0x100);
	}
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t at[2];

		self->stack = call_stacks_of(&self->stacks, i << 20 | 5);
		ASSERT_EQ(2, call_stack_chain(self->stack, 1, at, 2));
		EXPECT_EQ(((i + 1) << 4) + 4, at[1]);
	}
}

TEST_HARNESS_MAIN
