// SPDX-License-Identifier: GPL-2.0-only
/* How the trace unit classifies instructions. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/encoder.h"

/* ---------------------------------------------------------------- how far branches reach */

/* The farthest back and the farthest ahead. */
static const struct {
	uint32_t opcode;
	int64_t offset;
} reach[] = {
	{ 0x36040000, -0x8000 }, { 0x3603ffe0, 0x7ffc },		/* TBZ x0, #0 */
	{ 0xb7fc001f, -0x8000 }, { 0xb7fbffff, 0x7ffc },		/* TBNZ xzr, #63 */
	{ 0x34800000, -0x100000 }, { 0xb57fffff, 0xffffc },		/* CBZ, CBNZ */
	{ 0x54800000, -0x100000 }, { 0x547fffed, 0xffffc },		/* B.cond */
	{ 0x16000000, -0x8000000 }, { 0x15ffffff, 0x7fffffc },		/* B */
	{ 0x96000000, -0x8000000 }, { 0x95ffffff, 0x7fffffc },		/* BL */
	{ 0x74002000, -0x400 }, { 0x74001fe0, 0x3fc },			/* CBcc */
};

TEST(branches_reach)
{
	for (size_t i = 0; i < ARRAY_SIZE(reach); i++) {
		const struct enc_insn insn = enc_classify(ENC_A64, reach[i].opcode, 0x40000000);

		EXPECT_EQ(insn.target, 0x40000000 + reach[i].offset)
			TH_LOG("%08x", reach[i].opcode);
	}
}

/* ---------------------------------------------------------------- exceptions and their returns */

static const struct {
	uint32_t opcode;
	enum enc_class class;
	uint8_t flags;
} exceptions[] = {
	{ 0xd69f03e0, ENC_INDIRECT, ENC_ERET }, { 0xd69f0bff, ENC_INDIRECT, ENC_ERET },
	{ 0xd69f0fff, ENC_INDIRECT, ENC_ERET },				/* ERETAB */
	{ 0xd6ff03e0, ENC_INDIRECT, ENC_ERET },				/* TEXIT */
	{ 0xd6ff07e0, ENC_INDIRECT, ENC_ERET },
	{ 0xd4000001, ENC_CALL }, { 0xd4000002, ENC_CALL }, { 0xd4000003, ENC_CALL },
	{ 0xd4e00000, ENC_CALL }, { 0xd4e20000, ENC_CALL },		/* TENTER */
};

TEST(exceptions_and_returns)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++) {
		const struct enc_insn insn = enc_classify(ENC_A64, exceptions[i].opcode, 0x1000);

		EXPECT_EQ(insn.class, exceptions[i].class) TH_LOG("%08x", exceptions[i].opcode);
		EXPECT_EQ(insn.flags, exceptions[i].flags) TH_LOG("%08x", exceptions[i].opcode);
	}
}

/* ---------------------------------------------------------------- M profile */

static const struct {
	uint32_t opcode;
	enum enc_class class;
	uint8_t flags;
	int64_t offset;
} of_m[] = {
	{ 0x4704, ENC_INDIRECT }, { 0x4774, ENC_INDIRECT },		/* BXNS */
	{ 0x4784, ENC_INDIRECT, ENC_LINK },					/* BLXNS */
	{ 0x4770, ENC_INDIRECT }, { 0xe97fe97f, ENC_PLAIN },		/* BX lr, SG */
	{ 0xf00fc807, ENC_DIRECT, ENC_COND, -10 },				/* LE lr */
	{ 0xf02fcfff, ENC_DIRECT, ENC_COND, -4094 + 4 },			/* LE */
	{ 0xf01fc001, ENC_DIRECT, ENC_COND, 4 },				/* LETP lr */
	{ 0xf042c807, ENC_DIRECT, ENC_COND, 18 },				/* WLS lr, r2 */
	{ 0xf002c003, ENC_DIRECT, ENC_COND, 8 },				/* WLSTP.8 */
	{ 0xf043e001, ENC_PLAIN }, { 0xf00fe001, ENC_PLAIN },			/* DLS, LCTP */
	{ 0xfb5e0f1c, ENC_INDIRECT },						/* BXAUT */
	{ 0xf000f800, ENC_DIRECT, ENC_LINK, 4 },				/* BL */
};

TEST(m_profile)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_m); i++) {
		const struct enc_insn insn = enc_classify_m(of_m[i].opcode, 0x1000);

		EXPECT_EQ(insn.class, of_m[i].class) TH_LOG("%08x", of_m[i].opcode);
		EXPECT_EQ(insn.flags, of_m[i].flags) TH_LOG("%08x", of_m[i].opcode);
		if (insn.class == ENC_DIRECT)
			EXPECT_EQ(insn.target, 0x1000 + of_m[i].offset)
				TH_LOG("%08x", of_m[i].opcode);
	}
	EXPECT_EQ(enc_classify(ENC_T32, 0xf00fc807, 0x1000).class, ENC_PLAIN);
}

TEST_HARNESS_MAIN
