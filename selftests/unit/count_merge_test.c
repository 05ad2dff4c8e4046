// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count tables added up in any order, in any groups, kept on disk in between or not, are the same
 * file, byte for byte: ten thousand times a few of eight random tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../lib/random-counts.h"
#include "../../tools/count/count-file.h"

#define TABLES	8
#define ROUNDS	10000

/* To a file and back. */
static bool keep(struct count_table *table)
{
	struct count_bytes file = { 0 };
	struct packed_problem problem;
	bool good = count_bytes(table, &file);

	count_table_fini(table);
	good = good && !count_file_read(table, file.p, file.n, &problem);
	free(file.p);
	return good && !count_table_settle(table);
}

/* Adds @from to @to, which may stay unsettled until it is read. */
static bool join(struct count_table *to, const struct count_table *from, uint64_t weight)
{
	return !count_table_merge(to, from, weight) && !count_table_settle(to);
}

FIXTURE(merge) {
	struct dice dice;
	struct count_table table[TABLES];
	uint64_t weight[TABLES];
	struct count_bytes sum[1 << TABLES];
};

FIXTURE_SETUP(merge)
{
	self->dice.state = 8;
	for (int i = 0; i < TABLES; i++) {
		ASSERT_TRUE(random_counts(&self->table[i], 5, &self->dice));
		self->weight[i] = 1 + roll(&self->dice, 3);
	}
}

FIXTURE_TEARDOWN(merge)
{
	for (int i = 0; i < TABLES; i++)
		count_table_fini(&self->table[i]);
	for (int i = 0; i < 1 << TABLES; i++)
		free(self->sum[i].p);
}

/* One after the other: all other ways must give the same. */
static const struct count_bytes *straight(struct _test_data_merge *self, uint32_t set)
{
	struct count_table all = { 0 };
	bool good = true;

	if (self->sum[set].p)
		return &self->sum[set];
	for (int i = 0; i < TABLES; i++)
		if (set >> i & 1)
			good = good && join(&all, &self->table[i], self->weight[i]);
	good = good && count_bytes(&all, &self->sum[set]);
	count_table_fini(&all);
	return good ? &self->sum[set] : NULL;
}

/* Any two become one, until one is left. */
static bool crooked(struct _test_data_merge *self, uint32_t set, struct count_bytes *out)
{
	struct count_table part[TABLES] = { 0 };
	bool good = true;
	int n = 0;

	for (int i = 0; i < TABLES; i++)
		if (set >> i & 1)
			good = good && join(&part[n++], &self->table[i], self->weight[i]);
	while (n > 1) {
		const int to = roll(&self->dice, n);
		const int from = (to + 1 + roll(&self->dice, n - 1)) % n;

		good = good && join(&part[to], &part[from], 1);
		if (!roll(&self->dice, 4))
			good = good && keep(&part[to]);
		count_table_fini(&part[from]);
		n--;
		part[from] = part[n];
		part[n] = (struct count_table){ 0 };
	}
	good = good && count_bytes(&part[0], out);
	count_table_fini(&part[0]);
	return good;
}

TEST_F(merge, any_order)
{
	for (int i = 0; i < ROUNDS; i++) {
		const uint32_t set = 1 + roll(&self->dice, (1 << TABLES) - 1);
		const struct count_bytes *want = straight(self, set);
		struct count_bytes got = { 0 };

		ASSERT_NE(NULL, want);
		ASSERT_TRUE(crooked(self, set, &got));
		ASSERT_EQ(want->n, got.n)
			TH_LOG("set %#x", set);
		ASSERT_EQ(0, memcmp(want->p, got.p, got.n))
			TH_LOG("set %#x", set);
		free(got.p);
	}
}

/* Counts stay where they are if they cannot grow. */
TEST(stops)
{
	const struct count_block b = { .size = 4, .n_insn = 1, .last_size = 4, .taken = 3,
				       .passed = UINT64_MAX - 1 };
	struct count_table from = { 0 }, to = { 0 };

	ASSERT_EQ(0, count_dso_add(&from, &random_files[0]));
	ASSERT_EQ(0, count_block_add(&from.dso[0], &b));
	ASSERT_TRUE(join(&to, &from, 1));
	EXPECT_EQ(UINT64_MAX - 1, to.dso[0].block[0].passed);
	ASSERT_TRUE(join(&to, &from, 1));
	EXPECT_EQ(UINT64_MAX, to.dso[0].block[0].passed);
	ASSERT_TRUE(join(&to, &from, UINT64_MAX / 2));
	EXPECT_EQ(UINT64_MAX, to.dso[0].block[0].passed);
	EXPECT_EQ(UINT64_MAX, to.dso[0].block[0].taken);
	EXPECT_EQ(UINT64_MAX, count_ran(&to.dso[0].block[0]));
	count_table_fini(&from);
	count_table_fini(&to);
}

/* A table of no files and @n statistics: 1, 2, 3 and so on. */
static size_t make_file(uint8_t *file, uint32_t n)
{
	const size_t size = PACKED_HEAD + 1 + n + 1;
	uint32_t crc;

	memcpy(file, COUNT_MAGIC "\1\0\0\0", 12);
	file[PACKED_HEAD] = n;
	for (uint32_t i = 0; i < n; i++)
		file[PACKED_HEAD + 1 + i] = i + 1;
	file[size - 1] = 0;
	crc = crc32_z(crc32_z(0, NULL, 0), file + PACKED_HEAD, size - PACKED_HEAD);
	for (int i = 0; i < 4; i++)
		file[12 + i] = crc >> 8 * i;
	return size;
}

/* Earlier files have fewer statistics, later ones may have more. */
TEST(statistics)
{
	static const uint32_t known[] = { 2, 23, COUNT_STAT_NR, 60 };

	for (int i = 0; i < 4; i++) {
		struct count_table table = { 0 };
		uint8_t file[100];
		const size_t n = make_file(file, known[i]);
		struct packed_problem problem;

		EXPECT_EQ(0, count_file_read(&table, file, n, &problem));
		for (uint32_t k = 0; k < COUNT_STAT_NR; k++)
			EXPECT_EQ(k < known[i] ? k + 1 : 0, table.stat[k]);
		count_table_fini(&table);
	}
}

TEST_HARNESS_MAIN
