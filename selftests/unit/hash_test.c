// SPDX-License-Identifier: GPL-2.0-only
/* Hash tables: empty, half full, with the same hash for all, and around their end. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/hash.h"

#define MAX	5000

struct set {
	struct hash_table table;
	uint64_t key[MAX + 1];
	uint32_t n;
};

/* @last: all have one hash, that of the last slot */
static uint64_t hash_of(uint64_t key, bool last)
{
	return last ? UINT64_MAX : hash_mix(0, key);
}

static uint32_t *find(const struct set *s, uint64_t key, bool last)
{
	return HASH_SLOT(&s->table, hash_of(key, last), i, s->key[i] == key);
}

/* Return: its number; 0: no memory. */
static uint32_t enter(struct set *s, uint64_t key, bool last)
{
	uint32_t *slot;

	if (!HASH_ROOM(&s->table, s->n, 1, i, hash_of(s->key[i], last)))
		return 0;
	slot = find(s, key, last);
	if (!*slot) {
		s->key[++s->n] = key;
		*slot = s->n;
	}
	return *slot;
}

static void fill(struct __test_metadata *const _metadata, uint32_t max, bool last)
{
	struct set *s = calloc(1, sizeof(*s));
	size_t used = 0;

	ASSERT_TRUE(s);
	for (uint32_t i = 1; i <= max; i++) {
		ASSERT_EQ(i, enter(s, (uint64_t)i << (i & 32), last));
		/* half of the slots stay free, of a power of two */
		ASSERT_GE(s->table.n, 2 * i);
		ASSERT_EQ(0, s->table.n & (s->table.n - 1));
	}
	/* again, nothing is new */
	for (uint32_t i = 1; i <= max; i++) {
		ASSERT_EQ(i, enter(s, (uint64_t)i << (i & 32), last));
		ASSERT_EQ(0, *find(s, ~(uint64_t)i, last));
	}
	ASSERT_EQ(max, s->n);
	for (size_t i = 0; i < s->table.n; i++)
		used += !!s->table.slot[i];
	EXPECT_EQ(max, used);
	free(s->table.slot);
	free(s);
}

TEST(all_are_found_again)
{
	fill(_metadata, MAX, false);
}

TEST(though_they_have_one_hash)
{
	fill(_metadata, 200, true);
}

TEST(an_empty_table_has_no_slots)
{
	struct hash_table table = { 0 };

	ASSERT_TRUE(HASH_ROOM(&table, 0, 1, i, (abort(), 0)));
	EXPECT_NE(0, table.n);
	EXPECT_EQ(0, *HASH_SLOT(&table, 5, i, (abort(), true)));
	free(table.slot);
}

/* Without memory the table stays as it is. */
TEST(no_memory)
{
	uint32_t *slot = malloc(sizeof(*slot));
	struct hash_table table = { slot, 1 };
	size_t n;

	ASSERT_TRUE(slot);
	while (table.n <= SIZE_MAX / sizeof(*slot) / 2)
		table.n *= 2;
	n = table.n;
	*slot = 7;
	EXPECT_FALSE(hash_more(&table, 0));
	EXPECT_EQ(n, table.n);
	EXPECT_EQ(7, *table.slot);
	free(table.slot);
}

/* Numbers that differ in one bit, or in their order, have other slots in a table of 4,096. */
TEST(each_bit_counts)
{
	for (int bit = 0; bit < 64; bit++) {
		const uint64_t v = 1ull << bit;

		EXPECT_NE(hash_mix(0, 0) & 4095, hash_mix(0, v) & 4095) TH_LOG("bit %d", bit);
		EXPECT_NE(hash_mix(hash_mix(0, v), 0) & 4095, hash_mix(hash_mix(0, 0), v) & 4095)
			TH_LOG("bit %d", bit);
	}
}

TEST_HARNESS_MAIN
