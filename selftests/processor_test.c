// SPDX-License-Identifier: GPL-2.0-only
/* Which processor a thread is on, and that it may be on the same ones behind a move. */
#define _GNU_SOURCE
#include <sched.h>

#include "kselftest_harness.h"

#include "../decoder/processor.h"

FIXTURE(affinity)
{
	cpu_set_t may;
};

FIXTURE_SETUP(affinity)
{
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(self->may), &self->may));
}

FIXTURE_TEARDOWN(affinity)
{
	sched_setaffinity(0, sizeof(self->may), &self->may);
}

static bool is_same(const cpu_set_t *may)
{
	cpu_set_t now;

	return !sched_getaffinity(0, sizeof(now), &now) && CPU_EQUAL(&now, may);
}

TEST_F(affinity, here)
{
	EXPECT_LE(0, processor_here());
	EXPECT_TRUE(CPU_ISSET(processor_here(), &self->may));
}

/* Whether it goes is a matter of what else runs. */
TEST_F(affinity, may_come_back)
{
	for (int i = 0; i < 100; i++)
		processor_leave(processor_here());
	EXPECT_TRUE(is_same(&self->may));
	processor_leave(-1);
	processor_leave(CPU_SETSIZE);
	EXPECT_TRUE(is_same(&self->may));
}

TEST_F(affinity, there_is_no_other)
{
	const int cpu = processor_here();
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(only), &only));
	processor_leave(cpu);
	EXPECT_EQ(cpu, processor_here());
	EXPECT_TRUE(is_same(&only));
}

TEST_HARNESS_MAIN
