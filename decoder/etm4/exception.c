// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Source: ARM IHI 0064, "Exception packet", TYPE for A and R profiles, and for M profile. */
#include "parts.h"

#define M_IRQ0		0x10
#define M_IRQ7		0x17
#define M_HALT		0x18
#define M_IRQ8		0x208

static uint8_t kind_m(uint32_t type)
{
	static const uint8_t kind[] = {
		[1] = CSF_EXC_KIND_RESET, [2] = CSF_EXC_KIND_FIQ, [4] = CSF_EXC_KIND_DATA,
		[5] = CSF_EXC_KIND_DATA, [6] = CSF_EXC_KIND_TRAP, [11] = CSF_EXC_KIND_CALL,
		[14] = CSF_EXC_KIND_IRQ, [15] = CSF_EXC_KIND_IRQ,
	};

	if ((type >= M_IRQ0 && type <= M_IRQ7) || type >= M_IRQ8)
		return CSF_EXC_KIND_IRQ;
	if (type == M_HALT)
		return CSF_EXC_KIND_HALT;
	return type < ARRAY_SIZE(kind) ? kind[type] : CSF_EXC_KIND_OTHER;
}

uint8_t etm4_exception_kind(const struct config *c, uint32_t type)
{
	static const uint8_t kind[] = {
		[0] = CSF_EXC_KIND_RESET, [1] = CSF_EXC_KIND_HALT, [2] = CSF_EXC_KIND_CALL,
		[3] = CSF_EXC_KIND_TRAP, [4] = CSF_EXC_KIND_SERROR, [11] = CSF_EXC_KIND_INSN,
		[12] = CSF_EXC_KIND_DATA, [14] = CSF_EXC_KIND_IRQ, [15] = CSF_EXC_KIND_FIQ,
	};

	if (c->profile == CSF_PROFILE_M)
		return kind_m(type);
	return type < ARRAY_SIZE(kind) ? kind[type] : CSF_EXC_KIND_OTHER;
}
