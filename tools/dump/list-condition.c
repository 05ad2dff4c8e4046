// SPDX-License-Identifier: GPL-2.0-only
/* Conditional instructions in csflow's words. */
#include "list.h"

static void put_hex(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_text(o, "0x");
	out_hex(o, v);
}

/* The instruction, or its place in a block. */
static void put_place(struct out *o, const struct csf_element *e, const struct conditional *insn)
{
	if (insn) {
		put_hex(o, " ", insn->addr);
		return;
	}
	out_text(o, " number ");
	out_dec(o, e->n_insn);
	if (e->st_addr)
		put_hex(o, " from ", e->st_addr);
}

static void put_flags(struct out *o, unsigned int flags)
{
	out_char(o, ' ');
	for (unsigned int i = 0; i < 4; i++)
		out_char(o, flags >> (3 - i) & 1 ? "NZCV"[i] : "nzcv"[i]);
}

static void put_result(struct out *o, const struct csf_element *e, const struct conditional *insn)
{
	const unsigned int flags = e->value >> CSF_MARK_APSR_SHIFT & 15;
	bool passed = e->value & CSF_MARK_PASSED, failed = e->value & CSF_MARK_FAILED;

	if (e->value & CSF_MARK_NO_RESULT) {
		out_text(o, " no result");
		return;
	}
	if (e->value & CSF_MARK_APSR) {
		put_flags(o, flags);
		passed = insn && condition_holds(insn->condition, flags);
		failed = insn && !passed;
		if (!insn)
			return;
	}
	out_text(o, passed ? " passed" : failed ? " failed" : " unknown");
}

void list_condition(struct out *o, const struct csf_element *e,
		    const struct conditional_code *code)
{
	struct conditional insn;
	bool found;

	out_text(o, "cond");
	if (e->value & CSF_MARK_LOST) {
		out_text(o, " lost ");
		out_dec(o, e->n_insn);
		return;
	}
	if (e->value & CSF_MARK_NO_INSN) {
		out_text(o, " without instruction, key ");
		out_dec(o, e->n_insn);
		put_result(o, e, NULL);
		return;
	}
	found = e->st_addr && e->isa != CSF_A64 &&
		conditional_find(code, e->st_addr | (e->isa == CSF_T32), e->n_insn, &insn);
	put_place(o, e, found ? &insn : NULL);
	put_result(o, e, found ? &insn : NULL);
	if (e->value & CSF_MARK_BAD_KEY)
		out_text(o, " bad key");
}
