// SPDX-License-Identifier: GPL-2.0-only
/* csf_insn(), instruction by instruction. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

#define BRANCH		CSF_INSN_BRANCH
#define INDIRECT	CSF_INSN_INDIRECT
#define ISB		CSF_INSN_ISB
#define WFX		CSF_INSN_WFX
#define TSTART		CSF_INSN_TSTART
#define LOAD		CSF_INSN_LOAD
#define STORE		CSF_INSN_STORE
#define BARRIER		CSF_INSN_BARRIER
#define EXCEPTION	CSF_INSN_EXCEPTION
#define OTHER		CSF_INSN_OTHER
#define P0		CSF_FLAG_P0
#define COND		CSF_FLAG_COND
#define LINK		CSF_FLAG_LINK
#define RET		CSF_FLAG_RET
#define ERET		CSF_FLAG_ERET
#define SVC		CSF_FLAG_SVC
#define A64		CSF_A64
#define A32		CSF_A32
#define T32		CSF_T32

/**
 * struct row - one instruction
 * @text: as for an assembler, a displacement as the assembler counts it
 * @op: opcode
 * @kind: enum csf_insn_kind
 * @flags: of CSF_FLAG_x all but P0, which depends on the rule; COND only goes with P0
 * @distance: BRANCH: from the instruction to its target
 * @to: enum csf_isa of the target, if another; @to is never A64
 * @m: M profile only
 * @both: loads and stores
 */
struct row {
	const char *text;
	uint32_t op;
	uint8_t kind;
	uint8_t flags;
	int64_t distance;
	uint8_t to;
	bool m;
	bool both;
};

#include "insn-a64.h"
#include "insn-a32.h"
#include "insn-t32.h"

#define PC	0x40000000

static unsigned int size_of(const struct row *row, enum csf_isa isa)
{
	return isa == CSF_T32 && row->op < 0x10000 ? 2 : 4;
}

static bool takes_atom(const struct row *row, uint32_t rule)
{
	switch (row->kind) {
	case BRANCH: case INDIRECT: case ISB: case TSTART:
		return true;
	case WFX:
		return rule & CSF_RULE_WFX;
	case LOAD:
		return rule & (row->both ? CSF_RULE_LOAD | CSF_RULE_STORE : CSF_RULE_LOAD);
	case STORE:
		return rule & CSF_RULE_STORE;
	case BARRIER:
		return rule & CSF_RULE_BARRIER;
	}
	return false;
}

static uint64_t target(const struct row *row, enum csf_isa isa, uint64_t pc)
{
	uint64_t to = 0;

	if (row->kind == BRANCH)
		to = pc + row->distance;
	else if (row->kind == ISB || row->kind == WFX || row->kind == TSTART)
		to = pc + size_of(row, isa);
	return isa == CSF_A64 ? to : (uint32_t)to;
}

static void check(struct __test_metadata *const _metadata, const struct row *row, enum csf_isa isa,
		  uint32_t rule)
{
	uint8_t flags = row->flags;
	struct csf_insn insn;

	if (takes_atom(row, rule))
		flags |= P0;
	else
		flags &= ~COND;

	memset(&insn, 0xa5, sizeof(insn));
	csf_insn(&insn, row->op, PC, isa, rule);
	EXPECT_EQ(row->kind, insn.kind)
		TH_LOG("%s, rule %x", row->text, rule);
	EXPECT_EQ(flags, insn.flags)
		TH_LOG("%s, rule %x", row->text, rule);
	EXPECT_EQ(size_of(row, isa), insn.size)
		TH_LOG("%s, rule %x", row->text, rule);
	EXPECT_EQ(target(row, isa, PC), insn.target)
		TH_LOG("%s, rule %x", row->text, rule);
	EXPECT_EQ(row->to ? row->to : isa, insn.target_isa)
		TH_LOG("%s, rule %x", row->text, rule);
}

static void check_all(struct __test_metadata *const _metadata, const struct row *row, size_t n,
		      enum csf_isa isa)
{
	for (size_t i = 0; i < n; i++)
		for (uint32_t rule = 0; rule < 2 * CSF_RULE_BARRIER; rule++)
			if (!!(rule & CSF_RULE_M) == !!row[i].m)
				check(_metadata, &row[i], isa, rule);
}

TEST(every_a64_row)
{
	check_all(_metadata, a64, ARRAY_SIZE(a64), CSF_A64);
}

TEST(every_a32_row)
{
	check_all(_metadata, a32, ARRAY_SIZE(a32), CSF_A32);
}

TEST(every_t32_row)
{
	check_all(_metadata, t32, ARRAY_SIZE(t32), CSF_T32);
}

/* All that A profile has M profile has, too, except BLX to A32. */
TEST(t32_rows_on_m_profile)
{
	for (size_t i = 0; i < ARRAY_SIZE(t32); i++)
		if (t32[i].to != A32)
			check(_metadata, &t32[i], CSF_T32, CSF_RULE_M | CSF_RULE_WFX);
}

static struct csf_insn classify(uint32_t op, uint64_t pc, enum csf_isa isa, uint32_t rule)
{
	struct csf_insn insn;

	csf_insn(&insn, op, pc, isa, rule);
	return insn;
}

/* Loops and other instructions that only M profile has are nothing elsewhere. */
TEST(m_profile_loops_only_there)
{
	EXPECT_EQ(OTHER, classify(0xf040c001, PC, CSF_T32, 0).kind);		/* WLS */
	EXPECT_EQ(OTHER, classify(0xf000c001, PC, CSF_T32, 0).kind);		/* WLSTP */
	EXPECT_EQ(OTHER, classify(0xf00fc001, PC, CSF_T32, 0).kind);		/* LE lr */
	EXPECT_EQ(OTHER, classify(0xf01fc001, PC, CSF_T32, 0).kind);		/* LETP */
	EXPECT_EQ(OTHER, classify(0xf02fc001, PC, CSF_T32, 0).kind);		/* LE */
	EXPECT_EQ(OTHER, classify(0xfb510f12, PC, CSF_T32, 0).kind);		/* BXAUT */
	EXPECT_EQ(INDIRECT, classify(0xfb510f12, PC, CSF_T32, CSF_RULE_M).kind);
	/* Between LE and LETP there is a hole. */
	EXPECT_EQ(OTHER, classify(0xf03fc001, PC, CSF_T32, CSF_RULE_M).kind);
	/* VCTP.8 r0 there is BLX here. */
	EXPECT_EQ(OTHER, classify(0xf000e800, PC, CSF_T32, CSF_RULE_M).kind);
	EXPECT_EQ(BRANCH, classify(0xf000e800, PC, CSF_T32, 0).kind);
}

TEST(addresses_wrap)
{
	EXPECT_EQ(UINT64_C(0xfffffffffffffffc), classify(0x17ffffff, 0, CSF_A64, 0).target);
	EXPECT_EQ(0, classify(0x14000001, -4ull, CSF_A64, 0).target);
	EXPECT_EQ(0, classify(0xd5033fdf, -4ull, CSF_A64, 0).target);
	EXPECT_EQ(UINT64_C(0xfffffffc), classify(0xeafffffd, 0, CSF_A32, 0).target);
	EXPECT_EQ(4, classify(0xea000000, 0xfffffffc, CSF_A32, 0).target);
	EXPECT_EQ(0, classify(0xf57ff06f, 0xfffffffc, CSF_A32, 0).target);
	EXPECT_EQ(UINT64_C(0xfffffffe), classify(0xe7fd, 0, CSF_T32, 0).target);
	EXPECT_EQ(2, classify(0xe7ff, 0, CSF_T32, 0).target);
	EXPECT_EQ(0, classify(0xbf30, 0xfffffffe, CSF_T32, CSF_RULE_WFX).target);
	EXPECT_EQ(2, classify(0xe000, 0xfffffffe, CSF_T32, 0).target);
}

/* BLX counts from a word, wherever it is. */
TEST(blx_from_a_halfword)
{
	struct csf_insn insn = classify(0xf000e802, 0x1002, CSF_T32, 0);

	EXPECT_EQ(0x1008, insn.target);
	EXPECT_EQ(CSF_A32, insn.target_isa);
	EXPECT_EQ(0x1008, classify(0xf000e802, 0x1000, CSF_T32, 0).target);
}

/* The rest of the instruction is not known yet: no claim but its size. */
TEST(first_halfword_alone)
{
	for (uint32_t op = 0xe800; op <= 0xffff; op++) {
		struct csf_insn insn = classify(op, PC, CSF_T32, 0xf);

		ASSERT_EQ(OTHER, insn.kind);
		ASSERT_EQ(4, insn.size);
		ASSERT_EQ(0, insn.flags);
	}
	EXPECT_EQ(2, classify(0xe7ff, PC, CSF_T32, 0).size);
	/* No such instruction: a short one in front. */
	EXPECT_EQ(OTHER, classify(0x48500000, PC, CSF_T32, 0xf).kind);
}

TEST(unallocated_is_nothing)
{
	EXPECT_EQ(OTHER, classify(0x74800000, PC, CSF_A64, 0xf).kind);	/* CB<cc>, cc 0b100 */
	EXPECT_EQ(OTHER, classify(0x74a08000, PC, CSF_A64, 0xf).kind);	/* CBB<cc>, cc 0b101 */
	EXPECT_EQ(OTHER, classify(0x75a00000, PC, CSF_A64, 0xf).kind);
	EXPECT_EQ(OTHER, classify(0x74004000, PC, CSF_A64, 0xf).kind);	/* neither CB nor CBB */
	EXPECT_EQ(OTHER, classify(0xf4008000, PC, CSF_A64, 0xf).kind);	/* CBB, 64 bits */
	EXPECT_EQ(OTHER, classify(0x55000000, PC, CSF_A64, 0xf).kind);
	EXPECT_EQ(OTHER, classify(0xd61f0001, PC, CSF_A64, 0xf).kind);
	EXPECT_EQ(OTHER, classify(0x59000400, PC, CSF_A64, 0xf).kind);	/* CPYF is 0x19 only */
	EXPECT_EQ(OTHER, classify(0xd9800000, PC, CSF_A64, 0xf).kind);	/* LDAPURSW, 64 bits */
	EXPECT_EQ(OTHER, classify(0xe1800d90, PC, CSF_A32, 0xf).kind);	/* beside STREX */
	EXPECT_EQ(OTHER, classify(0xe8000000, PC, CSF_T32, 0xf).kind);	/* beside SRS */
	EXPECT_EQ(OTHER, classify(0xe9900000, PC, CSF_T32, 0xf).kind);	/* beside RFE */
	EXPECT_EQ(OTHER, classify(0xf8600000, PC, CSF_T32, 0xf).kind);	/* STR of 64 bits */
	EXPECT_EQ(OTHER, classify(0xf9500000, PC, CSF_T32, 0xf).kind);	/* LDRSW */
	EXPECT_EQ(OTHER, classify(0xf850f800, PC, CSF_T32, 0xf).kind);	/* neither index nor back */
	EXPECT_EQ(OTHER, classify(0xde00, PC, CSF_T32, 0xf).kind);	/* UDF, no B<c> */
	EXPECT_EQ(OTHER, classify(0, PC, (enum csf_isa)3, 0xf).kind);
}

/* Any condition but AL makes an instruction that takes an atom conditional. */
TEST(a32_conditions)
{
	for (uint32_t cond = 0; cond < 0xf; cond++) {
		const uint8_t flag = cond < 0xe ? COND : 0;

		EXPECT_EQ(P0 | flag, classify(cond << 28 | 0x0a000000, PC, CSF_A32, 0).flags);
		EXPECT_EQ(P0 | RET | flag, classify(cond << 28 | 0x012fff1e, PC, CSF_A32, 0).flags);
		EXPECT_EQ(SVC, classify(cond << 28 | 0x0f000000, PC, CSF_A32, 0).flags);
		EXPECT_EQ(0, classify(cond << 28 | 0x05910000, PC, CSF_A32, 0).flags);
	}
}

/* With an atom for each load and each store the result is that of the two rules, each alone. */
TEST(loads_that_store)
{
	EXPECT_EQ(P0, classify(0xf8208020, PC, CSF_A64, CSF_RULE_LOAD).flags);	/* SWP */
	EXPECT_EQ(P0, classify(0xf8208020, PC, CSF_A64, CSF_RULE_STORE).flags);
	EXPECT_EQ(0, classify(0xf9400020, PC, CSF_A64, CSF_RULE_STORE).flags);	/* LDR */
	EXPECT_EQ(0, classify(0xf9000020, PC, CSF_A64, CSF_RULE_LOAD).flags);	/* STR */
}

/* For any opcode: the fields fit each other, and no list of rows runs on without end. */
static bool is_sane(const struct csf_insn *insn, enum csf_isa isa)
{
	const bool flow = insn->kind >= BRANCH && insn->kind <= TSTART;
	const bool branch = insn->kind == BRANCH || insn->kind == INDIRECT;

	if (insn->kind > EXCEPTION || insn->flags & ~(P0 | COND | LINK | RET | ERET | SVC))
		return false;
	if (insn->flags & COND && !(insn->flags & P0))
		return false;
	if (insn->flags & (LINK | RET | ERET) && !branch)
		return false;
	if (insn->flags & SVC && insn->kind != EXCEPTION)
		return false;
	if (insn->target && (!flow || insn->kind == INDIRECT))
		return false;
	if (isa != A64 && insn->target >> 32)
		return false;
	return insn->target_isa == isa || (insn->target_isa == (isa ^ A32 ^ T32) && isa != A64);
}

TEST(any_opcode)
{
	uint32_t filling = 1;

	for (uint32_t i = 0; i < 0x100000; i++) {
		const uint32_t op = i << 16 | (filling >> 16);

		filling = filling * 1664525 + 1013904223;
		for (enum csf_isa isa = A64; isa <= T32; isa++) {
			struct csf_insn insn = classify(op, PC | op, isa, i >> 16);

			ASSERT_TRUE(is_sane(&insn, isa))
				TH_LOG("%08x, instruction set %d, rule %x", op, isa, i >> 16);
		}
	}
}

/* ETMv3: all instructions take an atom, and in A32 all but AL can be conditional. */
TEST(each_takes_an_atom)
{
	static const struct { uint32_t op; enum csf_isa isa; bool cond; } rows[] = {
		{ 0xe320f000, A32, false }, { 0x02800001, A32, true }, { 0xef000000, A32, false },
		{ 0xf57ff05f, A32, false }, { 0xbf00, T32, false }, { 0xf3af8000, T32, false },
		{ 0x0000, T32, false }, { 0xdf00, T32, false }, { 0xd503201f, A64, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct csf_insn insn = classify(rows[i].op, PC, rows[i].isa, CSF_RULE_EACH);

		EXPECT_TRUE(insn.flags & CSF_FLAG_P0)
			TH_LOG("%08x", rows[i].op);
		EXPECT_EQ(rows[i].cond, !!(insn.flags & CSF_FLAG_COND))
			TH_LOG("%08x", rows[i].op);
	}
}

/* ENTERX and LEAVEX are waypoints of a PTM, and nothing to other units. */
TEST(thumbee)
{
	struct csf_insn insn;

	csf_insn(&insn, 0xf3bf8f1f, 0x1000, CSF_T32, CSF_RULE_THUMBEE);
	EXPECT_EQ(CSF_INSN_INDIRECT, insn.kind);
	EXPECT_EQ(CSF_FLAG_P0 | CSF_FLAG_THUMBEE, insn.flags);
	csf_insn(&insn, 0xf3bf8f0f, 0x1000, CSF_T32, CSF_RULE_THUMBEE);
	EXPECT_EQ(CSF_INSN_OTHER, insn.kind);
	EXPECT_EQ(CSF_FLAG_P0, insn.flags);
	for (uint32_t opcode = 0xf3bf8f0f; opcode <= 0xf3bf8f1f; opcode += 0x10) {
		csf_insn(&insn, opcode, 0x1000, CSF_T32, CSF_RULE_WFX | CSF_RULE_BARRIER);
		EXPECT_EQ(CSF_INSN_OTHER, insn.kind);
		EXPECT_EQ(0, insn.flags);
		EXPECT_EQ(4, insn.size);
	}
}

TEST_HARNESS_MAIN
