// SPDX-License-Identifier: GPL-2.0-only
#include "encode-event.h"
#include "../encoder/encoder.h"

uint32_t type_of_esr(uint32_t esr)
{
	switch (esr >> 26) {
	case 0x11: case 0x12: case 0x13: case 0x15: case 0x16: case 0x17:
		return ENC_EXC_CALL;
	case 0x20: case 0x21:
		return ENC_EXC_INST_FAULT;
	case 0x24: case 0x25:
		return ENC_EXC_DATA_FAULT;
	case 0x22: case 0x26:
		return ENC_EXC_ALIGNMENT;
	case 0x2f:
		return ENC_EXC_SERROR;
	case 0x30: case 0x31: case 0x32: case 0x33: case 0x38: case 0x3c:
		return ENC_EXC_INST_DEBUG;
	case 0x34: case 0x35:
		return ENC_EXC_DATA_DEBUG;
	}
	return ENC_EXC_TRAP;
}

uint32_t type_of_event(uint64_t number)
{
	static const uint32_t old[] = {
		[1] = ENC_EXC_RESET, [2] = ENC_EXC_TRAP, [3] = ENC_EXC_CALL,
		[4] = ENC_EXC_INST_FAULT, [5] = ENC_EXC_DATA_FAULT, [7] = ENC_EXC_IRQ,
		[8] = ENC_EXC_FIQ, [0xe] = ENC_EXC_SERROR,
	};
	static const uint32_t kinds[] = { TYPE_OPEN, ENC_EXC_IRQ, ENC_EXC_FIQ, ENC_EXC_SERROR };

	return number < 0x80 ? old[number] : kinds[number & 3];
}

bool is_exception_event(uint64_t number)
{
	return (number >= 1 && number <= 8 && number != 6) || number == 0xe ||
	       (number >= 0x80 && number <= 0x8f);
}

uint32_t type_of_vector(uint64_t n, bool is_vector, uint8_t isa)
{
	static const uint32_t m[] = { 0, ENC_EXC_RESET, ENC_EXC_IRQ, ENC_EXC_TRAP,
				      ENC_EXC_DATA_FAULT, ENC_EXC_DATA_FAULT, ENC_EXC_TRAP };
	static const uint32_t a64[] = { TYPE_OPEN, ENC_EXC_IRQ, ENC_EXC_FIQ, ENC_EXC_SERROR };

	if (!is_vector)
		return n == 11 ? ENC_EXC_CALL : n && n < 7 ? m[n] : ENC_EXC_IRQ;
	if (isa == ENC_A64)
		return a64[n >> 7 & 3];
	n = n / 4 + 1;
	return n == 6 ? ENC_EXC_TRAP : type_of_event(n < 9 ? n : 2);
}
