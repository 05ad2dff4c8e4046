// SPDX-License-Identifier: GPL-2.0-only
/* The list of a trace's streams: each once, as many as come, in the order in which they came. */
#include "../lib/kselftest_harness.h"

#include "../../tools/source/source-private.h"

#define MANY	200000

/* Numbers that are neither in order nor near each other; both ends are among them. */
static uint32_t number(uint32_t i)
{
	return i == 7 ? 0 : i == 9 ? UINT32_MAX : i * 2654435761u + 1;
}

TEST(each_once_however_many)
{
	struct source_numbers list = { 0 };

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++)
			ASSERT_EQ(0, source_number(&list, number(i)));
	ASSERT_EQ(MANY, list.n);
	for (uint32_t i = 0; i < MANY; i++)
		ASSERT_EQ(number(i), list.v[i]);
	source_numbers_fini(&list);
	ASSERT_EQ(0, list.n);
	source_numbers_fini(&list);
}

TEST_HARNESS_MAIN
