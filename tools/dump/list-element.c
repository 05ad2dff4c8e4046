// SPDX-License-Identifier: GPL-2.0-only
/* Elements in csflow's words. */
#include "../lib/access-words.h"
#include "list.h"

static void put_hex(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_text(o, "0x");
	out_hex(o, v);
}

static void put_dec(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_dec(o, v);
}

static void put_range(struct out *o, const struct csf_element *e)
{
	put_hex(o, "range ", e->st_addr);
	put_hex(o, "-", e->en_addr);
	put_dec(o, " ", e->n_insn);
	out_text(o, e->flags & CSF_ELEM_EXEC ? " E " : " N ");
	out_text(o, e->last_kind == CSF_INSN_EXCEPTION ? "call" :
		    csf_insn_kind_name(e->last_kind));
	if (e->flags & CSF_ELEM_COND)
		out_text(o, " cond");
	if (e->last_flags & CSF_FLAG_LINK)
		out_text(o, " link");
	if (e->last_flags & CSF_FLAG_RET)
		out_text(o, " return");
	if (e->last_flags & CSF_FLAG_ERET)
		out_text(o, " eret");
	if (e->isa != CSF_A64)
		out_text(o, e->isa == CSF_T32 ? " t32" : " a32");
}

static void put_context(struct out *o, const struct csf_context *c)
{
	static const char *const states[] = { " secure", " nonsecure", " root", " realm" };

	put_dec(o, "context el", c->el);
	out_text(o, states[c->security & 3]);
	out_text(o, c->bits64 ? " 64" : " 32");
	if (c->has_contextid)
		put_hex(o, " contextid ", c->contextid);
	if (c->has_vmid)
		put_hex(o, " vmid ", c->vmid);
}

static void put_exception(struct out *o, const struct csf_element *e)
{
	put_hex(o, "exception ", e->value);
	if (e->flags & CSF_ELEM_RET_ADDR)
		put_hex(o, " at ", e->en_addr);
	if (e->flags & CSF_ELEM_RET_BR_TGT)
		out_text(o, " target");
	if (e->flags & CSF_ELEM_TAIL_CHAIN)
		out_text(o, " tail-chain");
}

/* Prints the target of the previous exception or branch, which was not traced. */
static void put_untraced(struct out *o, const struct csf_element *e)
{
	if (e->flags & CSF_ELEM_UNTRACED)
		put_hex(o, ", not traced: ", e->st_addr);
}

static void put_event(struct out *o, const struct csf_element *e)
{
	static const char *const reasons[] = { "trace on", "trace on, overflow",
					       "trace on, debug" };
	static const char *const transactions[] = {
		"transaction inside", "transaction start", "transaction commit",
		"transaction failure"
	};

	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_TRACE_ON:
		out_text(o, reasons[e->value < 3 ? e->value : 0]);
		put_untraced(o, e);
		break;
	case CSF_ELEM_TIMESTAMP:
		put_hex(o, "time ", e->timestamp);
		if (e->flags & CSF_ELEM_HAS_CC)
			put_dec(o, " cycles ", e->cycle_count);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		put_dec(o, "cycles ", e->cycle_count);
		break;
	case CSF_ELEM_EVENT:
		put_hex(o, "event ", e->value);
		break;
	case CSF_ELEM_INSTRUMENTATION:
		put_dec(o, "ite el", e->el);
		put_hex(o, " ", e->value);
		break;
	case CSF_ELEM_MEMTRANS:
		out_text(o, transactions[e->value & 3]);
		break;
	case CSF_ELEM_EXCEPTION_RET:
		out_text(o, "exception return");
		break;
	case CSF_ELEM_SYNC_MARKER:
		out_text(o, "timestamp marker");
		break;
	case CSF_ELEM_EO_TRACE:
		out_text(o, "end of trace");
		put_untraced(o, e);
		break;
	default:
		put_dec(o, "element ", e->type);
		break;
	}
}

static void put_access(struct out *o, const struct csf_access *a)
{
	char words[ACCESS_WORDS_MAX];

	access_words(a, words);
	out_text(o, "data ");
	out_text(o, words);
}

static void put_gap(struct out *o, const struct csf_element *e)
{
	if (e->type == CSF_ELEM_ADDR_NACC) {
		put_hex(o, "no code at ", e->st_addr);
		return;
	}
	out_text(o, "gap ");
	out_text(o, csf_gap_name(e->value < CSF_GAP_NR ? e->value : CSF_GAP_START));
	put_untraced(o, e);
}

void list_element(struct out *o, const struct csf_element *e)
{
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_INSTR_RANGE:
		put_range(o, e);
		break;
	case CSF_ELEM_I_RANGE_NOPATH:
		put_hex(o, "q from ", e->st_addr);
		put_hex(o, " to ", e->en_addr);
		put_dec(o, " ", e->n_insn);
		break;
	case CSF_ELEM_PE_CONTEXT:
		put_context(o, &e->context);
		break;
	case CSF_ELEM_EXCEPTION:
		put_exception(o, e);
		break;
	case CSF_ELEM_ADDR_NACC:
	case CSF_ELEM_ADDR_UNKNOWN:
	case CSF_ELEM_NO_SYNC:
		put_gap(o, e);
		break;
	case CSF_ELEM_DATA:
		put_access(o, e->access);
		break;
	default:
		put_event(o, e);
		break;
	}
}
