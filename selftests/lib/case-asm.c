// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "../../decoder/bytes.h"
#include "case-asm.h"

/* Where the distance to the target goes. */
enum form {
	FORM_NONE,
	A64_26, A64_19, A64_14,
	A32_24, A32_BLX,
	T32_8, T32_11, T32_CB, T32_20, T32_24, T32_BLX, T32_LOOP,
};

struct mnemonic {
	uint8_t isa;
	uint8_t size;
	uint8_t form;
	const char *name;	/* "?" stands for a condition: eq, ne, ... */
	uint32_t opcode;
	uint8_t cond;		/* bit where a condition goes */
};

/* clang-format off */
static const struct mnemonic mnemonic[] = {
	{ CSF_A64, 4, FORM_NONE, "nop",     0xd503201f },
	{ CSF_A64, 4, A64_26,    "b",       0x14000000 },
	{ CSF_A64, 4, A64_26,    "bl",      0x94000000 },
	{ CSF_A64, 4, A64_19,    "b.?",     0x54000000, 0 },
	{ CSF_A64, 4, A64_19,    "bc.?",    0x54000010, 0 },
	{ CSF_A64, 4, A64_19,    "cbz",     0xb4000000 },
	{ CSF_A64, 4, A64_19,    "cbnz",    0xb5000000 },
	{ CSF_A64, 4, A64_14,    "tbz",     0x36000000 },
	{ CSF_A64, 4, A64_14,    "tbnz",    0x37000000 },
	{ CSF_A64, 4, FORM_NONE, "br",      0xd61f0000 },
	{ CSF_A64, 4, FORM_NONE, "blr",     0xd63f0000 },
	{ CSF_A64, 4, FORM_NONE, "ret",     0xd65f03c0 },
	{ CSF_A64, 4, FORM_NONE, "retaa",   0xd65f0bff },
	{ CSF_A64, 4, FORM_NONE, "eret",    0xd69f03e0 },
	{ CSF_A64, 4, FORM_NONE, "texit",   0xd6ff03e0 },
	{ CSF_A64, 4, FORM_NONE, "texit.nb", 0xd6ff07e0 },
	{ CSF_A64, 4, FORM_NONE, "tenter",  0xd4e00000 },
	{ CSF_A64, 4, FORM_NONE, "svc",     0xd4000001 },
	{ CSF_A64, 4, FORM_NONE, "hvc",     0xd4000002 },
	{ CSF_A64, 4, FORM_NONE, "smc",     0xd4000003 },
	{ CSF_A64, 4, FORM_NONE, "brk",     0xd4200000 },
	{ CSF_A64, 4, FORM_NONE, "isb",     0xd5033fdf },
	{ CSF_A64, 4, FORM_NONE, "dsb",     0xd5033f9f },
	{ CSF_A64, 4, FORM_NONE, "dmb",     0xd5033fbf },
	{ CSF_A64, 4, FORM_NONE, "wfi",     0xd503207f },
	{ CSF_A64, 4, FORM_NONE, "wfe",     0xd503205f },
	{ CSF_A64, 4, FORM_NONE, "tstart",  0xd5233060 },
	{ CSF_A64, 4, FORM_NONE, "tcommit", 0xd503307f },
	{ CSF_A64, 4, FORM_NONE, "trcit",   0xd50b72e0 },
	{ CSF_A64, 4, FORM_NONE, "add",     0x91000400 },
	{ CSF_A64, 4, FORM_NONE, "ldr",     0xf9400020 },
	{ CSF_A64, 4, FORM_NONE, "str",     0xf9000020 },

	{ CSF_A32, 4, FORM_NONE, "nop",     0xe320f000 },
	{ CSF_A32, 4, A32_24,    "b",       0xea000000 },
	{ CSF_A32, 4, A32_24,    "b?",      0x0a000000, 28 },
	{ CSF_A32, 4, A32_24,    "bl",      0xeb000000 },
	{ CSF_A32, 4, A32_24,    "bl?",     0x0b000000, 28 },
	{ CSF_A32, 4, A32_BLX,   "blx",     0xfa000000 },
	{ CSF_A32, 4, FORM_NONE, "blxr",    0xe12fff33 },
	{ CSF_A32, 4, FORM_NONE, "bx",      0xe12fff1e },
	{ CSF_A32, 4, FORM_NONE, "bx?",     0x012fff1e, 28 },
	{ CSF_A32, 4, FORM_NONE, "pop.pc",  0xe49df004 },
	{ CSF_A32, 4, FORM_NONE, "eret",    0xe160006e },
	{ CSF_A32, 4, FORM_NONE, "svc",     0xef000000 },
	{ CSF_A32, 4, FORM_NONE, "isb",     0xf57ff06f },
	{ CSF_A32, 4, FORM_NONE, "dsb",     0xf57ff04f },
	{ CSF_A32, 4, FORM_NONE, "dmb",     0xf57ff05f },
	{ CSF_A32, 4, FORM_NONE, "wfi",     0xe320f003 },
	{ CSF_A32, 4, FORM_NONE, "wfi?",    0x0320f003, 28 },
	{ CSF_A32, 4, FORM_NONE, "add",     0xe2800001 },
	{ CSF_A32, 4, FORM_NONE, "ldr",     0xe5900000 },
	{ CSF_A32, 4, FORM_NONE, "str",     0xe5800000 },

	{ CSF_T32, 2, FORM_NONE, "nop",     0xbf00 },
	{ CSF_T32, 4, FORM_NONE, "nop.w",   0xf3af8000 },
	{ CSF_T32, 2, T32_11,    "b",       0xe000 },
	{ CSF_T32, 4, T32_24,    "b.w",     0xf0009000 },
	{ CSF_T32, 2, T32_8,     "b?",      0xd000, 8 },
	{ CSF_T32, 4, T32_20,    "b?.w",    0xf0008000, 22 },
	{ CSF_T32, 4, T32_24,    "bl",      0xf000d000 },
	{ CSF_T32, 4, T32_BLX,   "blx",     0xf000c000 },
	{ CSF_T32, 2, FORM_NONE, "blxr",    0x4798 },
	{ CSF_T32, 2, FORM_NONE, "bx",      0x4770 },
	{ CSF_T32, 2, T32_CB,    "cbz",     0xb100 },
	{ CSF_T32, 2, T32_CB,    "cbnz",    0xb900 },
	{ CSF_T32, 2, FORM_NONE, "pop.pc",  0xbd00 },
	{ CSF_T32, 4, FORM_NONE, "tbb",     0xe8d0f001 },
	{ CSF_T32, 4, FORM_NONE, "eret",    0xf3de8f00 },
	{ CSF_T32, 2, FORM_NONE, "svc",     0xdf00 },
	{ CSF_T32, 4, FORM_NONE, "isb",     0xf3bf8f6f },
	{ CSF_T32, 4, FORM_NONE, "dsb",     0xf3bf8f4f },
	{ CSF_T32, 4, FORM_NONE, "dmb",     0xf3bf8f5f },
	{ CSF_T32, 2, FORM_NONE, "wfi",     0xbf30 },
	{ CSF_T32, 2, FORM_NONE, "wfe",     0xbf20 },
	{ CSF_T32, 4, FORM_NONE, "wfe.w",   0xf3af8002 },
	{ CSF_T32, 2, FORM_NONE, "it",      0xbf08 },
	{ CSF_T32, 2, FORM_NONE, "add",     0x3001 },
	{ CSF_T32, 4, FORM_NONE, "mov.w",   0xf04f0001 },
	{ CSF_T32, 2, FORM_NONE, "ldr",     0x6800 },
	{ CSF_T32, 2, FORM_NONE, "str",     0x6000 },
	{ CSF_T32, 4, T32_LOOP,  "le",      0xf00fc001 },
};

/* clang-format on */

static const char *const cond[] = {
	"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al",
};

/* Fills in the distance: see the target column of the classifier's tables. */
static uint32_t distance_bits(enum form form, uint64_t pc, uint64_t to)
{
	int64_t d = to - pc;
	uint32_t s, i1, i2;

	switch (form) {
	case FORM_NONE:
		return 0;
	case A64_26:
		return d >> 2 & 0x3ffffff;
	case A64_19:
		return (d >> 2 & 0x7ffff) << 5;
	case A64_14:
		return (d >> 2 & 0x3fff) << 5;
	case A32_24:
		return (d - 8) >> 2 & 0xffffff;
	case A32_BLX:
		d -= 8;
		return (d >> 2 & 0xffffff) | (d >> 1 & 1) << 24;
	case T32_8:
		return (d - 4) >> 1 & 0xff;
	case T32_11:
		return (d - 4) >> 1 & 0x7ff;
	case T32_CB:
		d -= 4;
		return (d >> 6 & 1) << 9 | (d >> 1 & 0x1f) << 3;
	case T32_20:
		d -= 4;
		return (d >> 20 & 1) << 26 | (d >> 12 & 0x3f) << 16 | (d >> 18 & 1) << 13 |
		       (d >> 19 & 1) << 11 | (d >> 1 & 0x7ff);
	case T32_BLX:
		d = to - ((pc + 4) & ~3ull) + 4;
		fallthrough;
	case T32_24:
		d -= 4;
		s = d >> 24 & 1;
		i1 = d >> 23 & 1;
		i2 = d >> 22 & 1;
		return s << 26 | (d >> 12 & 0x3ff) << 16 | (!i1 ^ s) << 13 | (!i2 ^ s) << 11 |
		       (d >> 1 & 0x7ff);
	case T32_LOOP:
		d = pc + 4 - to;
		return (d >> 2 & 0x3ff) << 1 | (d >> 1 & 1) << 11;
	}
	return 0;
}

static int match(const struct mnemonic *m, const char *name)
{
	const char *mark = strchr(m->name, '?');
	char full[16];

	if (!mark)
		return strcmp(m->name, name) ? -1 : 0;
	for (unsigned int i = 0; i < sizeof(cond) / sizeof(*cond); i++) {
		snprintf(full, sizeof(full), "%.*s%s%s", (int)(mark - m->name), m->name, cond[i],
			 mark + 1);
		if (!strcmp(full, name))
			return i;
	}
	return -1;
}

unsigned int case_asm(enum csf_isa isa, const char *name, uint64_t pc, uint64_t to, uint8_t *out)
{
	for (size_t i = 0; i < sizeof(mnemonic) / sizeof(*mnemonic); i++) {
		const struct mnemonic *m = &mnemonic[i];
		int c = m->isa == isa ? match(m, name) : -1;
		uint32_t op;

		if (c < 0)
			continue;
		op = m->opcode | distance_bits(m->form, pc, to);
		if (strchr(m->name, '?'))
			op |= (uint32_t)c << m->cond;
		if (isa == CSF_T32 && m->size == 4)
			op = op << 16 | op >> 16;
		for (int b = 0; b < m->size; b++)
			out[b] = op >> (8 * b);
		return m->size;
	}
	return 0;
}
