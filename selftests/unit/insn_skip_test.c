// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_skip() passes over no instruction that takes an atom, and insn_size_a64() finds the first
 * that does: csf_insn() is the judge.
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/insn-a64.h"

#define ROUNDS		30000
#define CODE_MAX	96
#define RULES \
	(CSF_RULE_WFX | CSF_RULE_LOAD | CSF_RULE_STORE | CSF_RULE_M | CSF_RULE_BARRIER)

/**
 * struct row - some code, and what is skipped of it
 * @what: about it
 * @isa: enum csf_isa
 * @rule: CSF_RULE_x
 * @n: bytes of @code
 * @max: as for insn_skip()
 * @count: instructions that are skipped
 * @size: their bytes
 * @code: words, or halfwords if T32
 */
struct row {
	const char *what;
	uint8_t isa, rule;
	uint8_t n, max;
	uint8_t count, size;
	union {
		uint32_t word[4];
		uint16_t half[8];
	} code;
};

#define ADD	0x91000400	/* add x0, x0, #1 */
#define LDR	0xf9400020	/* ldr x0, [x1] */
#define STR	0xf9000020	/* str x0, [x1] */
#define CMP32	0xe3500001	/* cmp r0, #1 */
#define ADDS	0x3001		/* adds r0, #1 */
#define ADDW	0xeb00, 0x0001	/* add.w r0, r0, r1 */

static const struct row rows[] = {
	{ "up to a branch", CSF_A64, 0, 16, 9, 2, 8, { .word = { ADD, ADD, 0x14000000, ADD } } },
	{ "up to a return", CSF_A64, 0, 16, 9, 1, 4, { .word = { ADD, 0xd65f03c0, ADD, ADD } } },
	{ "the last one stays", CSF_A64, 0, 16, 9, 3, 12, { .word = { ADD, ADD, ADD, ADD } } },
	{ "and what is cut off", CSF_A64, 0, 15, 9, 2, 8, { .word = { ADD, ADD, ADD, ADD } } },
	{ "no more than asked", CSF_A64, 0, 16, 2, 2, 8, { .word = { ADD, ADD, ADD, ADD } } },
	{ "none", CSF_A64, 0, 16, 0, 0, 0, { .word = { ADD, ADD, ADD, ADD } } },
	{ "one is all there is", CSF_A64, 0, 4, 9, 0, 0, { .word = { ADD } } },
	{ "nothing there", CSF_A64, 0, 0, 9, 0, 0 },
	{ "loads do not count", CSF_A64, 0, 16, 9, 3, 12, { .word = { ADD, LDR, STR, ADD } } },
	{ "loads count", CSF_A64, CSF_RULE_LOAD, 16, 9, 1, 4, { .word = { ADD, LDR, STR, ADD } } },
	{ "a32: up to a branch", CSF_A32, 0, 16, 9, 1, 4,
	  { .word = { CMP32, 0x0a000000, CMP32, CMP32 } } },
	{ "a32: up to a blx", CSF_A32, 0, 16, 9, 1, 4,
	  { .word = { CMP32, 0xfa000000, CMP32, CMP32 } } },
	{ "a32: up to an isb", CSF_A32, 0, 16, 9, 1, 4,
	  { .word = { CMP32, 0xf57ff06f, CMP32, CMP32 } } },
	{ "a32: the last one stays", CSF_A32, 0, 16, 9, 3, 12,
	  { .word = { CMP32, CMP32, CMP32, CMP32 } } },
	{ "t32: up to a branch", CSF_T32, 0, 16, 9, 3, 8,
	  { .half = { ADDS, ADDW, ADDS, 0xe7fe, ADDS, ADDS, ADDS } } },
	{ "t32: up to a wide one", CSF_T32, 0, 16, 9, 2, 6,
	  { .half = { ADDS, ADDW, 0xf000, 0xf800, ADDS, ADDS, ADDS } } },
	{ "t32: four bytes stay", CSF_T32, 0, 16, 9, 6, 12,
	  { .half = { ADDS, ADDS, ADDS, ADDS, ADDS, ADDS, ADDS, ADDS } } },
	{ "t32: behind a wide one too", CSF_T32, 0, 14, 9, 2, 8,
	  { .half = { ADDW, ADDW, ADDW, ADDS } } },
	{ "t32: three halfwords are too few", CSF_T32, 0, 6, 9, 0, 0,
	  { .half = { ADDS, ADDS, ADDS } } },
};

FIXTURE(skip)
{
	struct insn_filter filter;
	uint64_t random;
	uint8_t *bytes;
	size_t n;
};

FIXTURE_SETUP(skip)
{
	insn_filter_init(&self->filter);
	self->random = 0x9e3779b97f4a7c15;
}

FIXTURE_TEARDOWN(skip)
{
}

static uint32_t rnd(struct _test_data_skip *self)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return self->random >> 16;
}

/* A list of rows, and which bits of an opcode pick it; several values may pick the same. */
struct list {
	const struct insn_row *const *table;
	unsigned int shift;
	uint32_t number;
};

static struct list list_of(uint32_t op, enum csf_isa isa)
{
	static const struct list lists[] = {
		{ a64_rows, 24 }, { a32_rows, 20 }, { t32_rows, 21 }, { t16_rows, 8 },
	};
	struct list list = lists[isa == CSF_T32 && op < 0x10000 ? 3 : isa];

	list.number = op >> list.shift & 0xff;
	return list;
}

/*
 * The opcode, changed to one of a row of its list, because some rows match one opcode of millions.
 */
static uint32_t towards_row(struct _test_data_skip *self, uint32_t op, enum csf_isa isa)
{
	const struct list list = list_of(op, isa);
	const bool always = isa == CSF_A32 && op >> 28 == 0xf;
	const struct insn_row *row = always ? a32_always : list.table[list.number];
	uint32_t n = 0;

	if (!row)
		return op;
	while (row[n].mask || row[n].flags & ROW_M)
		n++;
	row += rnd(self) % (n + 1);
	op = row->value | (op & ~row->mask);
	if (always)
		return op | 0xf0000000;
	return (op & ~(0xffu << list.shift)) | list.number << list.shift;
}

/* T32: a halfword, or two with the first one in the high bits. */
static uint32_t random_opcode(struct _test_data_skip *self, enum csf_isa isa)
{
	uint32_t op = rnd(self);

	if (isa == CSF_T32) {
		if (rnd(self) % 2)
			op = op % 0xe800;
		else
			op = 0xe8000000 + op % 0x18000000;
	} else if (isa == CSF_A32 && rnd(self) % 4) {
		op = (op & 0x0fffffff) | 0xe0000000;
	}
	return towards_row(self, op, isa);
}

static bool takes_atom(uint32_t op, enum csf_isa isa, uint32_t rule)
{
	struct csf_insn insn;

	csf_insn(&insn, op, 0, isa, rule);
	return insn.flags & CSF_FLAG_P0;
}

/* Random code of @n bytes, in memory that ends there; mostly of instructions that take no atom. */
static void make_code(struct _test_data_skip *self, enum csf_isa isa, uint32_t rule, size_t n)
{
	size_t at = 0;

	self->bytes = malloc(n ? n : 1);
	self->n = n;
	while (at < n) {
		uint32_t op = random_opcode(self, isa);
		uint8_t out[4];
		unsigned int size = 4;

		if (takes_atom(op, isa, rule) && rnd(self) % 8)
			continue;
		if (isa == CSF_T32 && op < 0x10000)
			size = 2;
		if (isa == CSF_T32 && size == 4)
			op = op << 16 | op >> 16;	/* the first halfword comes first */
		for (unsigned int i = 0; i < 4; i++)
			out[i] = op >> 8 * i;
		for (unsigned int i = 0; i < size && at < n; i++)
			self->bytes[at++] = out[i];
	}
}

/* The opcode at @at, of which at least four bytes are there. */
static uint32_t opcode_at(const struct _test_data_skip *self, enum csf_isa isa, size_t at)
{
	const uint8_t *p = self->bytes + at;
	uint32_t first = p[0] | p[1] << 8, second = p[2] | p[3] << 8;

	if (isa != CSF_T32)
		return first | second << 16;
	return first < 0xe800 ? first : first << 16 | second;
}

static unsigned int size_at(const struct _test_data_skip *self, enum csf_isa isa, size_t at)
{
	return isa == CSF_T32 && opcode_at(self, isa, at) < 0x10000 ? 2 : 4;
}

/* Skipped instructions take no atom, and they are whole.  Return: how many. */
static unsigned int check_skipped(struct __test_metadata *const _metadata,
				  const struct _test_data_skip *self, enum csf_isa isa,
				  uint32_t rule, uint32_t size)
{
	unsigned int n = 0;
	size_t at = 0;

	for (; at < size; n++) {
		uint32_t op = opcode_at(self, isa, at);

		EXPECT_FALSE(takes_atom(op, isa, rule))
			TH_LOG("isa %d, rule %x, opcode %x", isa, rule, op);
		at += size_at(self, isa, at);
	}
	EXPECT_EQ(size, at);
	return n;
}

TEST_F(skip, random_code)
{
	unsigned int skipped[3] = { 0 };

	for (unsigned int i = 0; i < ROUNDS; i++) {
		enum csf_isa isa = i % 3;
		uint32_t rule = rnd(self) & RULES, size = ~0u, max = CODE_MAX;
		unsigned int count;

		if (rnd(self) % 4 == 0)
			max = rnd(self) % 8;
		make_code(self, isa, rule, rnd(self) % CODE_MAX);
		count = insn_skip(&self->filter, self->bytes, self->n, isa, rule, max, &size);
		ASSERT_GE(max, count);
		ASSERT_TRUE(!size || size + 4 <= self->n) TH_LOG("%u of %zu", size, self->n);
		ASSERT_EQ(count, check_skipped(_metadata, self, isa, rule, size));
		skipped[isa] += count;
		free(self->bytes);
	}
	/* It may stop early, but not always: half of these opcodes matter to trace. */
	EXPECT_LT(30000, skipped[CSF_A64]);
	EXPECT_LT(1500, skipped[CSF_A32]);
	EXPECT_LT(9000, skipped[CSF_T32]);
}

/* The answer of csf_insn() for the instruction at @k. */
static struct csf_insn judge(const struct _test_data_skip *self, unsigned int k, uint64_t pc,
			     uint32_t rule)
{
	struct csf_insn insn;

	csf_insn(&insn, opcode_at(self, CSF_A64, 4 * k), pc + 4 * k, CSF_A64, rule);
	return insn;
}

/* Whole groups of eight are looked at, and the rest is not. */
TEST_F(skip, size_a64)
{
	unsigned int found = 0, far = 0, none = 0;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		const uint32_t rule = i % 2 ? 0 : rnd(self) & (CSF_RULE_WFX | CSF_RULE_M);
		const uint64_t pc = (uint64_t)rnd(self) << 20 & ~3ull;
		struct csf_insn insn = { 0 }, should;
		unsigned int k = 0, n, size;

		make_code(self, CSF_A64, rule, INSN_GROUP + rnd(self) % (2 * CODE_MAX));
		n = self->n / INSN_GROUP * 8;
		while (k < n && !(judge(self, k, pc, rule).flags & CSF_FLAG_P0))
			k++;
		size = insn_size_a64(&self->filter, self->bytes, self->n, pc, rule, &insn);
		ASSERT_EQ(k < n ? 4 * k + 4 : 0, size);
		none += !size;
		if (size) {
			should = judge(self, k, pc, rule);
			ASSERT_EQ(should.kind, insn.kind);
			ASSERT_EQ(should.flags, insn.flags);
			ASSERT_EQ(should.target, insn.target);
			found++;
			far += k >= 8;
		}
		free(self->bytes);
	}
	EXPECT_LT(ROUNDS / 5, found);
	EXPECT_LT(ROUNDS / 20, far);
	EXPECT_LT(ROUNDS / 20, none);
}

/* Every value of the bits that tell the group, in each place. */
TEST_F(skip, group)
{
	uint8_t bytes[32];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int should = 0;

		for (unsigned int k = 0; k < sizeof(bytes); k++)
			bytes[k] = rnd(self);
		for (unsigned int k = 0; k < 8; k++)
			should |= ((bytes[4 * k + 3] & 0x1c) == 0x14) << k;
		ASSERT_EQ(should, insn_group_plain(bytes));
		ASSERT_EQ(should, insn_group(bytes));
	}
}

TEST_F(skip, table)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		uint8_t *bytes = malloc(row->n ? row->n : 1);
		uint32_t size = ~0u;

		memcpy(bytes, &row->code, row->n);
		EXPECT_EQ(row->count, insn_skip(&self->filter, bytes, row->n, row->isa, row->rule,
						row->max, &size)) TH_LOG("%s", row->what);
		EXPECT_EQ(row->size, size) TH_LOG("%s", row->what);
		free(bytes);
	}
}

TEST_HARNESS_MAIN
