// SPDX-License-Identifier: GPL-2.0-only
/* Times of changes: the span around a time, in whatever order they came. */
#include "../lib/kselftest_harness.h"

#include "../../decoder/flow.h"

/* Times that were added, and the span around @time. */
struct row {
	uint64_t at[6];
	size_t n;
	uint64_t time, from, until;
};

static const struct row rows[] = {
	{ { 0 }, 0, 0, 0, UINT64_MAX },
	{ { 0 }, 0, UINT64_MAX - 1, 0, UINT64_MAX },
	{ { 10 }, 1, 9, 0, 10 },
	{ { 10 }, 1, 10, 10, UINT64_MAX },
	{ { 10, 20, 30 }, 3, 20, 20, 30 },
	{ { 10, 20, 30 }, 3, 29, 20, 30 },
	{ { 30, 10, 20 }, 3, 19, 10, 20 },
	{ { 30, 10, 20 }, 3, 0, 0, 10 },
	{ { 20, 20, 10, 20 }, 4, 20, 20, UINT64_MAX },
	{ { UINT64_MAX, 1 }, 2, 1, 1, UINT64_MAX },
	{ { 5, 3, 4, 1, 2, 6 }, 6, 4, 4, 5 },
};

TEST(around)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct steady s = { .until = UINT64_MAX };
		struct times t = { 0 };

		for (size_t k = 0; k < r->n; k++)
			ASSERT_TRUE(times_add(&t, r->at[k]));
		times_narrow(&t, r->time, &s);
		EXPECT_EQ(r->from, s.from) TH_LOG("row %zu", i);
		EXPECT_EQ(r->until, s.until) TH_LOG("row %zu", i);
		times_free(&t);
	}
}

/* A span that is known already only becomes smaller. */
TEST(of_two)
{
	struct steady s = { .from = 12, .until = 18 };
	struct times t = { 0 };

	ASSERT_TRUE(times_add(&t, 10));
	ASSERT_TRUE(times_add(&t, 20));
	times_narrow(&t, 15, &s);
	EXPECT_EQ(12, s.from);
	EXPECT_EQ(18, s.until);
	ASSERT_TRUE(times_add(&t, 14));
	times_narrow(&t, 15, &s);
	EXPECT_EQ(14, s.from);
	EXPECT_EQ(18, s.until);
	times_free(&t);
}

/* A time that is added in between is seen, though no call looked since. */
TEST(more_comes)
{
	struct steady s = { .until = UINT64_MAX };
	struct times t = { 0 };

	for (uint64_t k = 0; k < 100; k++)
		ASSERT_TRUE(times_add(&t, 1000 * (100 - k)));
	s.n = times_n(&t);
	times_narrow(&t, 5500, &s);
	EXPECT_TRUE(times_same(&t, &s, 5000));
	EXPECT_TRUE(times_same(&t, &s, 5999));
	EXPECT_FALSE(times_same(&t, &s, 4999));
	EXPECT_FALSE(times_same(&t, &s, 6000));
	ASSERT_TRUE(times_add(&t, 5700));
	EXPECT_FALSE(times_same(&t, &s, 5500));
	times_free(&t);
}

/* A decoder forgets what it knows of addresses when maps change, and at no other time. */
TEST(forgets)
{
	static const struct {
		uint64_t time;
		bool forgets;
	} to[] = {
		{ 5, true }, { 9, false }, { 10, true }, { 19, false }, { 11, false },
		{ 20, true }, { 1000, false }, { 1000, false }, { 9, true }, { 0, false },
	};
	const struct csf_config config = { .size = sizeof(config), .trcidr1 = 0x420 };
	static const uint32_t code[] = { 0xd65f03c0 };
	struct csf_image *image;
	struct csf_decoder *d;
	int section, space;
	uint32_t generation;

	ASSERT_EQ(0, csf_image_new(&image));
	section = csf_section_bytes(image, code, sizeof(code));
	space = csf_space_new(image);
	ASSERT_EQ(0, csf_new(&d, &config, image));
	generation = d->addr.generation;
	csf_set_time(d, 7, 0);
	EXPECT_EQ(generation, d->addr.generation);
	ASSERT_EQ(0, csf_map_span(image, CSF_SPACE_ALL, 0x1000, 4, section, 0, 10, UINT64_MAX));
	/* the changed map need not be visible */
	ASSERT_EQ(0, csf_map_span(image, space, 0x1000, 4, section, 0, 0, 20));
	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		generation = d->addr.generation;
		csf_set_time(d, to[i].time, 0);
		EXPECT_EQ(to[i].forgets, d->addr.generation != generation) TH_LOG("row %zu", i);
	}
	/* nor does a steady span stay so when there are more times */
	ASSERT_EQ(0, csf_map_span(image, space, 0x2000, 4, section, 0, 3, UINT64_MAX));
	generation = d->addr.generation;
	csf_set_time(d, 1, 0);
	EXPECT_NE(generation, d->addr.generation);
	csf_free(d);
	csf_image_free(image);
}

TEST_HARNESS_MAIN
