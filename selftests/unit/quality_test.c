// SPDX-License-Identifier: GPL-2.0-only
/* The quality of counts, from tables that are written down here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/profile/quality.h"

static const struct dso_key key = { .name = "/bin/x", .kind = DSO_FILE };
static const struct dso_key library = { .name = "/lib/y", .kind = DSO_FILE };

/*
 * A program that was come to once, whose loop ran 10 times, and that called a library each time by
 * a pointer:
 *
 *	0x00	mov; mov; then the first time through 0x08
 *	0x08	blr		to y+0x40, 10 times
 *	0x0c	cbnz 0x08	9 times, then
 *	0x10	svc: cut
 *	y+0x40	ret		to 0x0c, 10 times
 */
static const struct count_block loop[] = {
	{ .start = 0x00, .size = 12, .n_insn = 3, .kind = CSF_INSN_INDIRECT, .last_size = 4,
	  .flags = CSF_FLAG_LINK, .taken = 1 },
	{ .start = 0x08, .size = 4, .n_insn = 1, .kind = CSF_INSN_INDIRECT, .last_size = 4,
	  .flags = CSF_FLAG_LINK, .taken = 9 },
	{ .start = 0x0c, .size = 4, .n_insn = 1, .kind = CSF_INSN_BRANCH, .last_size = 4,
	  .flags = CSF_FLAG_COND, .direct = true, .target = 0x08, .taken = 9, .passed = 1 },
	{ .start = 0x10, .size = 8, .n_insn = 2, .kind = CSF_INSN_EXCEPTION, .last_size = 4,
	  .flags = CSF_FLAG_CUT, .passed = 1 },
};

static const struct count_block callee = {
	.start = 0x40, .size = 8, .n_insn = 2, .kind = CSF_INSN_INDIRECT, .last_size = 4,
	.flags = CSF_FLAG_RET, .taken = 10,
};

FIXTURE(quality) {
	struct count_table table;
	struct quality q;
};

FIXTURE_SETUP(quality)
{
	const struct count_edge call = { .from = 0x08, .dso = 1, .to = 0x40, .count = 10 };
	const struct count_edge back = { .from = 0x44, .dso = 0, .to = 0x0c, .count = 10 };
	uint64_t *s = self->table.stat;

	ASSERT_EQ(0, count_dso_add(&self->table, &key));
	ASSERT_EQ(1, count_dso_add(&self->table, &library));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, count_block_add(&self->table.dso[0], &loop[i]));
	ASSERT_EQ(0, count_block_add(&self->table.dso[1], &callee));
	ASSERT_EQ(0, count_edge_add(&self->table.dso[0], &call));
	ASSERT_EQ(0, count_edge_add(&self->table.dso[1], &back));
	ASSERT_EQ(0, count_table_settle(&self->table));
	s[COUNT_RECORDINGS] = 1;
	s[COUNT_BYTES] = 1000;
	s[COUNT_BREAKS] = 1;
}

FIXTURE_TEARDOWN(quality)
{
	quality_fini(&self->q);
	count_table_fini(&self->table);
}

static bool measure(struct _test_data_quality *self)
{
	quality_fini(&self->q);
	return !quality_measure(&self->q, &self->table);
}

/* The answer of quality_enough() for @percent. */
static char *words(const struct quality *q, uint64_t percent, bool *enough)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	*enough = quality_enough(q, percent, f);
	fclose(f);
	return text;
}

TEST_F(quality, whole)
{
	bool enough;
	char *text;

	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000, quality_of(&self->q, QUALITY_TRACE));
	EXPECT_EQ(1000, quality_of(&self->q, QUALITY_FILES));
	EXPECT_EQ(1000, quality_of(&self->q, QUALITY_FLOW));
	EXPECT_EQ(-1, quality_of(&self->q, QUALITY_SATURATION));
	EXPECT_EQ(0, self->q.came);
	EXPECT_EQ(1, self->q.went);
	text = words(&self->q, 100, &enough);
	EXPECT_TRUE(enough);
	EXPECT_STREQ("", text);
	free(text);
}

/* 30 atoms were followed, of these blocks: 1 + 9 + 10 + 10. */
TEST_F(quality, atoms_lost)
{
	self->table.stat[COUNT_LOST + CSF_GAP_WALK] = 6;
	self->table.stat[COUNT_LOST + CSF_GAP_IMAGE] = 10;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000 * 30 / 36, quality_of(&self->q, QUALITY_TRACE));
	EXPECT_EQ(1000 * 30 / 40, quality_of(&self->q, QUALITY_FILES));
	self->table.stat[COUNT_NOWHERE] = 20;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000 * 30 / 60, quality_of(&self->q, QUALITY_FILES));
}

/* Of an overflow only bytes are known. */
TEST_F(quality, bytes_lost)
{
	self->table.stat[COUNT_LOST + CSF_GAP_WALK] = 1;
	self->table.stat[COUNT_SKIPPED] = 100;
	self->table.stat[COUNT_NO_UNIT] = 1000;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000 * 900 / 2000, quality_of(&self->q, QUALITY_TRACE));
}

/* It is unknown how much was lost: one atom, or more. */
TEST_F(quality, holes)
{
	self->table.stat[COUNT_HOLES] = 2;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000 * 30 / 32, quality_of(&self->q, QUALITY_TRACE));
}

TEST_F(quality, halves)
{
	bool enough;
	char *text;

	self->table.stat[COUNT_HALVED] = 1000;
	self->table.stat[COUNT_ALIKE] = 949;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(949, quality_of(&self->q, QUALITY_SATURATION));
	free(words(&self->q, 94, &enough));
	EXPECT_TRUE(enough);
	text = words(&self->q, 95, &enough);
	EXPECT_FALSE(enough);
	EXPECT_EQ(text, strstr(text, "csflow: quality: saturation is 94.9 %, less than 95 %: "));
	EXPECT_EQ(NULL, strstr(text, "trace"));
	free(text);
}

/* The loop ran 3 times more than branches led there, of which a break explains one. */
TEST_F(quality, flow_executed)
{
	self->table.dso[0].block[1].taken += 3;
	self->table.dso[0].edge[0].count += 3;
	self->table.dso[1].block[0].taken += 3;
	self->table.dso[1].edge[0].count += 3;
	self->table.dso[0].block[2].passed += 3;
	self->table.dso[0].block[3].passed += 3;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(0, self->q.came);
	EXPECT_EQ(4, self->q.went);
	EXPECT_EQ(1000 * (31 + 12 - 3) / (31 + 12), quality_of(&self->q, QUALITY_FLOW));
}

/* The target of a call did not run. */
TEST_F(quality, flow_led_to)
{
	self->table.dso[0].edge[0].count = 15;
	self->table.dso[0].block[1].taken = 14;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(5, self->q.came);
	EXPECT_EQ(6, self->q.went);
	EXPECT_EQ(1000 * (36 - 4 - 5) / 36, quality_of(&self->q, QUALITY_FLOW));
	self->table.stat[COUNT_BREAKS] = 6;
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1000, quality_of(&self->q, QUALITY_FLOW));
}

/* After a block that was cut short execution went on, or did not. */
TEST_F(quality, flow_cut)
{
	const struct count_block cut = {
		.start = 0x18, .size = 4, .n_insn = 1, .kind = CSF_INSN_EXCEPTION,
		.last_size = 4, .flags = CSF_FLAG_CUT, .passed = 1,
	};

	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1, self->q.went);
	ASSERT_EQ(0, count_block_add(&self->table.dso[0], &cut));
	ASSERT_EQ(0, count_table_settle(&self->table));
	ASSERT_TRUE(measure(self));
	EXPECT_EQ(1, self->q.went);
	EXPECT_EQ(0, self->q.came);
}

TEST_HARNESS_MAIN
