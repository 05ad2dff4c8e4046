// SPDX-License-Identifier: GPL-2.0-only
/* Tables of atom runs: their order, and what is added after that. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/quick/quick.h"

static const struct csf_config unit = { .size = sizeof(unit), .trcdevarch = 0x47715a13 };

static long section(struct quick *quick, uint64_t offset)
{
	const struct dso_key key = { .name = "program", .kind = DSO_FILE };
	const struct quick_section range = { .offset = offset, .n = 0x1000 };

	return quick_section(quick, &key, &range);
}

/* Counts a run of @n atoms in @section, and after a first part one of its own. */
static void count(struct quick *quick, uint32_t section, uint64_t from, uint64_t times)
{
	struct atom_run part = { .section = section, .from = from, .n = 64, .atoms = -from };

	part.parent = quick_part(quick, &part) + 1;
	part.section = 0;
	part.from = 0;
	part.n = 3;
	part.atoms = 5;
	part.end = QUICK_STOP;
	quick_count(quick, &part, 0, times);
}

/* The order of atom runs does not depend on that in which they came. */
TEST(order)
{
	static const uint64_t from[] = { 0x40, 0xffff800008010c00, 0x10, 0x44, 0x20 };
	struct quick a = { .max = 100 }, b = { .max = 100 };

	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, quick_unit(i & 1 ? &a : &b, &unit));
		count(&a, section(&a, i % 2 * 0x1000), from[i], i + 1);
		count(&b, section(&b, (4 - i) % 2 * 0x1000), from[4 - i], 5 - i);
	}
	ASSERT_EQ(0, quick_settle(&a));
	ASSERT_EQ(0, quick_settle(&b));
	ASSERT_EQ(10, a.n);
	ASSERT_EQ(10, b.n);
	EXPECT_EQ(0, memcmp(a.atom_run, b.atom_run, 10 * sizeof(*a.atom_run)));
	for (size_t i = 0; i < 4; i++)
		EXPECT_TRUE(a.atom_run[i].section < a.atom_run[i + 1].section ||
			    a.atom_run[i].from < a.atom_run[i + 1].from);
	for (size_t i = 5; i < 10; i++)
		EXPECT_EQ(i - 4, a.atom_run[i].parent);
	quick_fini(&a);
	quick_fini(&b);
}

/* Sections that became one: their equal atom runs are one, too. */
TEST(sections_that_became_one)
{
	struct quick quick = { .max = 100 };

	ASSERT_EQ(0, quick_unit(&quick, &unit));
	count(&quick, section(&quick, 0), 0x10, 3);
	count(&quick, section(&quick, 0x1000), 0x10, 4);
	ASSERT_EQ(4, quick.n);
	quick.section[2].offset = 0;
	ASSERT_EQ(0, quick_settle(&quick));
	ASSERT_EQ(2, quick.n);
	EXPECT_EQ(2, quick.n_section);
	EXPECT_EQ(7, quick.atom_run[1].count[0]);
	quick_fini(&quick);
}

/* A table that was sorted, and is full, still finds what it has. */
TEST(full_after_sorting)
{
	struct quick quick = { .max = 200 };
	struct atom_run other = { .n = 1, .end = QUICK_STOP };

	ASSERT_EQ(0, quick_unit(&quick, &unit));
	for (int i = 0; i < 100; i++)
		count(&quick, section(&quick, 0), 4 * i, 1);
	ASSERT_EQ(200, quick.n);
	ASSERT_EQ(0, quick_settle(&quick));
	for (int i = 0; i < 100; i++)
		count(&quick, 1, 4 * i, 1);
	EXPECT_EQ(200, quick.n);
	for (int i = 100; i < 200; i++)
		EXPECT_EQ(2, quick.atom_run[i].count[0]);
	EXPECT_EQ(UINT32_MAX, quick_part(&quick, &other));
	quick_fini(&quick);
}

TEST_HARNESS_MAIN
