// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Source: ARM IHI 0035, "Exception information byte". */
#include "parts.h"

uint8_t ptm_exception_kind(const struct config *c, uint32_t type)
{
	static const uint8_t kind[] = {
		[1] = CSF_EXC_KIND_HALT, [2] = CSF_EXC_KIND_CALL, [4] = CSF_EXC_KIND_SERROR,
		[8] = CSF_EXC_KIND_RESET, [9] = CSF_EXC_KIND_TRAP, [10] = CSF_EXC_KIND_CALL,
		[11] = CSF_EXC_KIND_INSN, [12] = CSF_EXC_KIND_DATA, [14] = CSF_EXC_KIND_IRQ,
		[15] = CSF_EXC_KIND_FIQ,
	};

	return type < ARRAY_SIZE(kind) ? kind[type] : CSF_EXC_KIND_OTHER;
}
