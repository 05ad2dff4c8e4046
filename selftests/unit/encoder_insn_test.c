// SPDX-License-Identifier: GPL-2.0-only
/* What instructions are to the trace unit. */
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

TEST_HARNESS_MAIN
