// SPDX-License-Identifier: GPL-2.0-only
/* access_of_insn(): opcodes as LLVM assembles them; and all of 16 bits. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/access.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define R	CSF_ACCESS_READ
#define W	CSF_ACCESS_WRITE
#define REG	CSF_ACCESS_REGISTER

static const struct {
	uint8_t isa;
	uint32_t opcode;
	uint16_t flags;
	uint8_t size;
	const char *text;
} known[] = {
	{ CSF_A32, 0xe5910000, R, 4, "ldr r0, [r1]" },
	{ CSF_A32, 0xe7c10102, W, 1, "strb r0, [r1, r2, lsl #2]" },
	{ CSF_A32, 0xe7210112, 0, 0, "media" },
	{ CSF_A32, 0xe1d100b2, R, 2, "ldrh r0, [r1, #2]" },
	{ CSF_A32, 0xe1d100d2, R, 1, "ldrsb r0, [r1, #2]" },
	{ CSF_A32, 0xe1d100f2, R, 2, "ldrsh r0, [r1, #2]" },
	{ CSF_A32, 0xe1c100b2, W, 2, "strh r0, [r1, #2]" },
	{ CSF_A32, 0xe1c120d8, R, 4, "ldrd r2, r3, [r1, #8]" },
	{ CSF_A32, 0xe1c120f8, W, 4, "strd r2, r3, [r1, #8]" },
	{ CSF_A32, 0xe0010392, 0, 0, "mul r1, r2, r3" },
	{ CSF_A32, 0xe8bd8010, R, 4, "pop {r4, pc}" },
	{ CSF_A32, 0xe92d4010, W, 4, "push {r4, lr}" },
	{ CSF_A32, 0xe1910f9f, R, 4, "ldrex r0, [r1]" },
	{ CSF_A32, 0xe1b10f9f, R, 4, "ldrexd r0, r1, [r1]" },
	{ CSF_A32, 0xe1d10f9f, R, 1, "ldrexb r0, [r1]" },
	{ CSF_A32, 0xe1f10f9f, R, 2, "ldrexh r0, [r1]" },
	{ CSF_A32, 0xe1812f90, W, 4, "strex r2, r0, [r1]" },
	{ CSF_A32, 0xe1e12f90, W, 2, "strexh r2, r0, [r1]" },
	{ CSF_A32, 0xe1001092, R | W, 4, "swp r1, r2, [r0]" },
	{ CSF_A32, 0xe1401092, R | W, 1, "swpb r1, r2, [r0]" },
	{ CSF_A32, 0xee110f10, R | REG, 4, "mrc p15, 0, r0, c1, c0, 0" },
	{ CSF_A32, 0xee010f10, W | REG, 4, "mcr p15, 0, r0, c1, c0, 0" },
	{ CSF_A32, 0xec510f02, R | REG, 4, "mrrc p15, 0, r0, r1, c2" },
	{ CSF_A32, 0xec410f02, W | REG, 4, "mcrr p15, 0, r0, r1, c2" },
	{ CSF_A32, 0xee000f10 & ~0x10u, 0, 0, "cdp" },
	{ CSF_A32, 0xed910a01, R, 4, "vldr s0, [r1, #4]" },
	{ CSF_A32, 0xed2d8b02, W, 4, "vpush {d8}" },
	{ CSF_A32, 0xf8bd0a00, R, 4, "rfeia sp!" },
	{ CSF_A32, 0xf96d0513, W, 4, "srsdb sp!, #19" },
	{ CSF_A32, 0xf421070f, R, 0, "vld1.8 {d0}, [r1]" },
	{ CSF_A32, 0xf5d1f000, 0, 0, "pld [r1]" },
	{ CSF_A32, 0xef000000, 0, 0, "svc #0" },
	{ CSF_A32, 0xea000000, 0, 0, "b" },
	{ CSF_T32, 0x4801, R, 4, "ldr r0, [pc, #4]" },
	{ CSF_T32, 0x4770, 0, 0, "bx lr" },
	{ CSF_T32, 0x5088, W, 4, "str r0, [r1, r2]" },
	{ CSF_T32, 0x5688, R, 1, "ldrsb r0, [r1, r2]" },
	{ CSF_T32, 0x5e88, R, 2, "ldrsh r0, [r1, r2]" },
	{ CSF_T32, 0x7808, R, 1, "ldrb r0, [r1]" },
	{ CSF_T32, 0x8008, W, 2, "strh r0, [r1]" },
	{ CSF_T32, 0x9801, R, 4, "ldr r0, [sp, #4]" },
	{ CSF_T32, 0xb510, W, 4, "push {r4, lr}" },
	{ CSF_T32, 0xbd10, R, 4, "pop {r4, pc}" },
	{ CSF_T32, 0xb100, 0, 0, "cbz" },
	{ CSF_T32, 0xc907, R, 4, "ldm r1, {r0, r1, r2}" },
	{ CSF_T32, 0xc107, W, 4, "stm r1!, {r0, r1, r2}" },
	{ CSF_T32, 0xe8bd8010, R, 4, "pop.w {r4, pc}" },
	{ CSF_T32, 0xe9d10100, R, 4, "ldrd r0, r1, [r1]" },
	{ CSF_T32, 0xe8510f00, R, 4, "ldrex r0, [r1]" },
	{ CSF_T32, 0xe8d10f5f, R, 2, "ldrexh r0, [r1]" },
	{ CSF_T32, 0xe8c10f42, W, 1, "strexb r2, r0, [r1]" },
	{ CSF_T32, 0xe8d1f002, R, 1, "tbb [r1, r2]" },
	{ CSF_T32, 0xe8d1f012, R, 2, "tbh [r1, r2, lsl #1]" },
	{ CSF_T32, 0xf8d10000, R, 4, "ldr.w r0, [r1]" },
	{ CSF_T32, 0xf8810000, W, 1, "strb.w r0, [r1]" },
	{ CSF_T32, 0xf9b10000, R, 2, "ldrsh.w r0, [r1]" },
	{ CSF_T32, 0xf891f000, 0, 0, "pld [r1]" },
	{ CSF_T32, 0xf8d1f000, R, 4, "ldr.w pc, [r1]" },
	{ CSF_T32, 0xee110f10, R | REG, 4, "mrc p15, 0, r0, c1, c0, 0" },
	{ CSF_T32, 0xf3af8000, 0, 0, "nop.w" },
	{ CSF_A64, 0xf9400020, 0, 0, "ldr x0, [x1]" },
};

TEST(table)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct access_kind kind = access_of_insn(known[i].isa, known[i].opcode);

		EXPECT_EQ(known[i].flags, kind.flags)
			TH_LOG("%s", known[i].text);
		EXPECT_EQ(known[i].size, kind.size)
			TH_LOG("%s", known[i].text);
	}
}

/* Loads and stores are those of csf_insn(), and nearly all of them have a size. */
TEST(as_csf_insn)
{
	unsigned int wrong = 0, unknown = 0;

	for (uint32_t opcode = 0; opcode < 0xe800; opcode++) {
		const struct access_kind kind = access_of_insn(CSF_T32, opcode);
		struct csf_insn insn;

		csf_insn(&insn, opcode, 0, CSF_T32, 0);
		wrong += insn.kind == CSF_INSN_LOAD && kind.flags != R;
		wrong += insn.kind == CSF_INSN_STORE && kind.flags != W;
		wrong += insn.kind == CSF_INSN_BRANCH && kind.flags;
		unknown += kind.flags && !kind.size;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, unknown);
}

TEST_HARNESS_MAIN
