// SPDX-License-Identifier: GPL-2.0-only
/* Classifies instructions, and finds the end of a block. */
#include "encode-insn.h"
#include "encode-unit.h"

struct enc_insn enc_classify(enum enc_isa isa, uint32_t opcode, uint64_t pc)
{
	switch (isa) {
	case ENC_A64:
		return encode_a64(opcode, pc);
	case ENC_A32:
		return encode_a32(opcode, pc);
	case ENC_T32:
		return encode_t32(opcode, pc, false);
	}
	return (struct enc_insn){ .size = 4 };
}

struct enc_insn enc_classify_m(uint32_t opcode, uint64_t pc)
{
	return encode_t32(opcode, pc, true);
}

static uint32_t halfword(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

/* Reads the opcode at @p, with @n bytes.  Return: its size; 0: it is incomplete. */
static unsigned int fetch(uint32_t *opcode, enum enc_isa isa, const uint8_t *p, size_t n)
{
	if (n < 2)
		return 0;
	*opcode = halfword(p);
	if (isa == ENC_T32 && !enc_t32_is_wide(*opcode))
		return 2;
	if (n < 4)
		return 0;
	*opcode = isa == ENC_T32 ? *opcode << 16 | halfword(p + 2) :
				   *opcode | halfword(p + 2) << 16;
	return 4;
}

bool unit_takes_atom(const struct enc_setup *setup, const struct enc_insn *insn)
{
	if (setup->config.protocol == CSF_PROTOCOL_ETM3)
		return true;
	switch ((enum enc_class)insn->class) {
	case ENC_PLAIN:
	case ENC_CALL:
	case ENC_TRCIT:
		return false;
	case ENC_WFX:
		return setup->wfx;
	case ENC_BARRIER:
		return setup->barriers;
	case ENC_DIRECT:
	case ENC_INDIRECT:
	case ENC_ISB:
	case ENC_TSTART:
		return true;
	}
	return false;
}

/* ETMv3: one that may fail its condition ends it, so that only the last one may. */
static bool ends_block(const struct enc_setup *setup, const struct enc_insn *insn)
{
	if (setup->config.protocol == CSF_PROTOCOL_ETM3)
		return insn->class != ENC_PLAIN || insn->flags & ENC_COND;
	return insn->class == ENC_CALL || unit_takes_atom(setup, insn);
}

void enc_scan(const struct enc_setup *setup, struct enc_block *block, const void *code, size_t n)
{
	const bool m = setup->config.profile == CSF_PROFILE_M;
	const uint8_t *p = code;
	uint32_t opcode;

	block->size = 0;
	block->n_insn = 0;
	while (block->n_insn < UINT16_MAX &&
	       fetch(&opcode, block->isa, p + block->size, n - block->size)) {
		uint64_t pc = block->pc + block->size;
		struct enc_insn insn = m ? enc_classify_m(opcode, pc) :
				       enc_classify(block->isa, opcode, pc);

		if (block->it) {
			block->it--;
			insn.flags |= ENC_COND;
		} else if (insn.flags & ENC_IT) {
			block->it = insn.it;
		}
		block->last = insn;
		block->size += insn.size;
		block->n_insn++;
		if (ends_block(setup, &insn))
			break;
	}
}
