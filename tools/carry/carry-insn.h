/* SPDX-License-Identifier: GPL-2.0-only */
/* A64 instructions as two builds of a program have in common: without what a linker sets. */
#ifndef CSF_CARRY_INSN_H
#define CSF_CARRY_INSN_H

#include "../../decoder/csflow.h"

/**
 * struct carry_insn - an instruction, at three degrees of likeness
 * @same: all but the distances of branches and of addresses, and the sense of a condition
 * @like: the same without constants, such as offsets in structures
 * @form: the same without registers
 * @target: address of the target of a direct branch
 * @kind: enum csf_insn_kind
 * @flags: CSF_FLAG_x
 * @sense: the bit of the opcode that turns the condition round; 0: there is no condition
 */
struct carry_insn {
	uint32_t same, like, form;
	uint64_t target;
	uint8_t kind, flags;
	bool sense;
};

/**
 * carry_insn() - read an instruction
 * @pages: bit n: register n has the address of a page, by ADRP; 0 at the start of a function
 */
void carry_insn(struct carry_insn *insn, uint32_t opcode, uint64_t pc, uint32_t *pages);

/* Does execution go on after it, when it does not branch or when what it calls returns? */
static inline bool carry_falls(const struct carry_insn *insn)
{
	return (insn->kind != CSF_INSN_BRANCH && insn->kind != CSF_INSN_INDIRECT) ||
	       insn->flags & (CSF_FLAG_COND | CSF_FLAG_LINK);
}

/* A direct branch that is no call. */
static inline bool carry_jumps(const struct carry_insn *insn)
{
	return insn->kind == CSF_INSN_BRANCH && !(insn->flags & CSF_FLAG_LINK);
}

#endif /* CSF_CARRY_INSN_H */
