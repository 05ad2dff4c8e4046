// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of csflow merge: random tables in the sums of several threads, with so little memory that
 * they are written to sorted runs again and again, are what count_table_merge() makes of the same
 * tables; and weights.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../lib/random-counts.h"
#include "../../tools/count/count-file.h"
#include "../../tools/merge/count-input.h"
#include "../../tools/merge/sums-write.h"

#define ROUNDS	100
#define TABLES	12
#define SUMS	3

/* Adds it as it is, or as a file that is read. */
static int add(struct sums *sums, const struct count_table *table, uint64_t weight, bool file)
{
	const struct weight w = { weight, 1, 1 };
	struct count_input in = { .n = 0 };
	struct packed_problem problem;
	struct count_bytes bytes = { 0 };
	uint64_t ran;
	int err;

	if (!file)
		return sums_table(sums, table, &w);
	err = count_bytes(table, &bytes) ? 0 : -1;
	if (!err)
		err = count_input_check(&in, (uint8_t *)bytes.p, bytes.n, &ran, &problem);
	if (!err)
		err = count_input_add(&in, (uint8_t *)bytes.p, bytes.n, sums, &w);
	count_input_fini(&in);
	free(bytes.p);
	return err;
}

/* All tables, some of them in the sums of each; @max: bytes of memory */
static bool add_up(const struct count_table *table, const uint64_t *weight, size_t max,
		   struct dice *d, struct count_bytes *out, bool *full)
{
	struct merge_files files;
	struct sums sums[SUMS];
	bool good = true;
	FILE *f;

	merge_files_init(&files);
	for (int i = 0; i < SUMS; i++)
		sums_init(&sums[i], &files, max);
	for (int i = 0; i < TABLES; i++)
		good = good && !add(&sums[roll(d, SUMS)], &table[i], weight[i], roll(d, 2));
	for (int i = 0; i < SUMS; i++)
		good = good && !sums_end(&sums[i]);
	f = open_memstream(&out->p, &out->n);
	good = good && f && !sums_write(sums, SUMS, f, full) && !fclose(f);
	for (int i = 0; i < SUMS; i++)
		sums_fini(&sums[i]);
	merge_files_fini(&files);
	return good;
}

/* Random tables give the sums that count_table_merge() makes of them. */
static void check_round(struct __test_metadata *_metadata, struct dice *d, size_t max)
{
	struct count_table table[TABLES] = { 0 }, all = { 0 };
	struct count_bytes want = { 0 }, got = { 0 };
	uint64_t weight[TABLES];
	bool full = false;

	for (int i = 0; i < TABLES; i++) {
		ASSERT_TRUE(random_counts(&table[i], 40, d));
		weight[i] = 1 + roll(d, 3);
		ASSERT_EQ(0, count_table_merge(&all, &table[i], weight[i]));
	}
	ASSERT_EQ(0, count_table_settle(&all));
	ASSERT_TRUE(count_bytes(&all, &want));
	ASSERT_TRUE(add_up(table, weight, max, d, &got, &full));
	ASSERT_EQ(want.n, got.n);
	ASSERT_EQ(0, memcmp(want.p, got.p, got.n));
	EXPECT_EQ(count_table_full(&all), full);
	for (int i = 0; i < TABLES; i++)
		count_table_fini(&table[i]);
	count_table_fini(&all);
	free(want.p);
	free(got.p);
}

TEST(as_tables)
{
	struct dice d = { .state = 11 };

	for (int round = 0; round < ROUNDS; round++)
		check_round(_metadata, &d, roll(&d, 2) ? 4096 : 1 << 20);
}

/* About a hundred sorted runs in few files. */
TEST(few_files)
{
	const struct rlimit few = { 20, 20 };
	struct dice d = { .state = 12 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	check_round(_metadata, &d, 1024);
}

TEST(scaled)
{
	const struct weight third = { 1, 1, 3 }, twice = { 2, 5, 5 }, large = { 1, 1ull << 40, 3 };

	EXPECT_EQ(0, weight_of(&third, 1));
	EXPECT_EQ(1, weight_of(&third, 2));
	EXPECT_EQ(6148914691236517205ull, weight_of(&third, UINT64_MAX));
	EXPECT_EQ(14, weight_of(&twice, 7));
	EXPECT_EQ(UINT64_MAX, weight_of(&large, 1ull << 30));
	EXPECT_EQ(366503875925ull, weight_of(&large, 1));
}

/* Within a half of what the mathematics say, and a little for the last digit. */
TEST(age)
{
	const uint64_t half = 30 * WEIGHT_DAY;

	EXPECT_EQ(1024, weight_of_age(-5, half));
	EXPECT_EQ(1024, weight_of_age(0, half));
	EXPECT_EQ(512, weight_of_age(half, half));
	EXPECT_EQ(1, weight_of_age(10 * half, half));
	EXPECT_EQ(0, weight_of_age(12 * half, half));
	EXPECT_EQ(0, weight_of_age(INT64_MAX, 1));
	for (int64_t age = 0; age < 12 * (int64_t)half; age += 4001) {
		const double want = 1024 * exp2(-(double)age / half);

		EXPECT_LT(fabs(weight_of_age(age, half) - want), 0.52)
			TH_LOG("age %ld", (long)age);
	}
}

TEST(date)
{
	int64_t date;

	EXPECT_TRUE(weight_date("1970-01-02", &date));
	EXPECT_EQ(86400, date);
	EXPECT_TRUE(weight_date("1795824000", &date));
	EXPECT_EQ(1795824000, date);
	EXPECT_FALSE(weight_date("2026-13-01", &date));
	EXPECT_FALSE(weight_date("yesterday", &date));
	EXPECT_FALSE(weight_date("", &date));
	EXPECT_FALSE(weight_date("12x", &date));
}

TEST_HARNESS_MAIN
