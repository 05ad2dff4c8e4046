// SPDX-License-Identifier: GPL-2.0-only
/* Search in what is sorted: of each size, before, at, between and after all elements. */
#include <stdint.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/lower-bound.h"

#define MAX	70

/* Elements 1, 1, 3, 3, 5, 5, ...: each value twice. */
static uint32_t element(size_t i)
{
	return i / 2 * 2 + 1;
}

TEST(first_that_is_not_before)
{
	for (size_t n = 0; n <= MAX; n++) {
		for (uint32_t v = 0; v <= MAX + 2; v++) {
			size_t first = 0, after = 0;

			while (first < n && element(first) < v)
				first++;
			while (after < n && element(after) <= v)
				after++;
			ASSERT_EQ(first, LOWER_BOUND(n, i, element(i) < v));
			ASSERT_EQ(after, LOWER_BOUND(n, i, element(i) <= v));
		}
	}
}

/* Of no elements, none is looked at; the number is read once. */
TEST(nothing_is_read_in_vain)
{
	size_t n = 0, reads = 0;

	EXPECT_EQ(0, LOWER_BOUND(reads++ ? 9 : n, i, ({ n = i + 1; true; })));
	EXPECT_EQ(1, reads);
	EXPECT_EQ(0, n);
}

/* An index may have all bits. */
TEST(the_most_elements)
{
	EXPECT_EQ(SIZE_MAX - 1, LOWER_BOUND(SIZE_MAX, i, i < SIZE_MAX - 1));
	EXPECT_EQ(SIZE_MAX, LOWER_BOUND(SIZE_MAX, i, true));
}

/* One search in the condition of another. */
TEST(a_search_in_a_search)
{
	const size_t most = LOWER_BOUND(MAX, i, LOWER_BOUND(MAX, k, element(k) < i) < 10);

	EXPECT_EQ(10, most);
}

TEST_HARNESS_MAIN
