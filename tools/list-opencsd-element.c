// SPDX-License-Identifier: GPL-2.0-only
/* Elements in trc_pkt_lister's words. */
#include "list-opencsd-line.h"
#include "snapshot.h"
#include "snapshot-image.h"

static const char *const isa_names[] = { "A64", "A32", "T32" };

static void put_isa(struct out *o, const struct csf_element *e)
{
	out_text(o, "(ISA=");
	out_text(o, isa_names[e->isa < 3 ? e->isa : 0]);
	out_char(o, ')');
}

/* What the last instruction of a range is. */
static void put_insn(struct out *o, const struct csf_element *e)
{
	switch ((enum csf_insn_kind)e->last_kind) {
	case CSF_INSN_BRANCH:
		out_text(o, "BR  ");
		break;
	case CSF_INSN_INDIRECT:
		out_text(o, "iBR ");
		break;
	case CSF_INSN_ISB:
		out_text(o, "ISB ");
		break;
	case CSF_INSN_WFX:
		out_text(o, e->last_flags & CSF_FLAG_P0 ? "WFI.WFE" : "--- ");
		break;
	case CSF_INSN_TSTART:
		out_text(o, "TSTART");
		break;
	case CSF_INSN_BARRIER:
	case CSF_INSN_OTHER:
	case CSF_INSN_LOAD:
	case CSF_INSN_STORE:
	case CSF_INSN_EXCEPTION:
		out_text(o, "--- ");
		break;
	}
	if (e->last_flags & CSF_FLAG_LINK)
		out_text(o, "b+link ");
	else if (e->last_flags & CSF_FLAG_ERET && e->isa == CSF_A64)
		out_text(o, "A64:eret ");
	else if (e->last_flags & CSF_FLAG_RET)
		out_text(o, e->isa == CSF_A64 ? "A64:ret " : "V7:impl ret");
	if (e->flags & CSF_ELEM_COND)
		out_text(o, " <cond>");
}

static void put_range(struct out *o, const struct csf_element *e)
{
	out_text(o, "INSTR_RANGE(exec range=0x");
	out_hex(o, e->st_addr);
	out_text(o, ":[0x");
	out_hex(o, e->en_addr);
	out_text(o, "] num_i(");
	out_dec(o, e->n_insn);
	out_text(o, ") last_sz(");
	out_dec(o, e->last_size);
	out_text(o, ") ");
	put_isa(o, e);
	out_text(o, e->flags & CSF_ELEM_EXEC ? " E " : " N ");
	put_insn(o, e);
}

static void put_nacc(struct out *o, const struct csf_element *e)
{
	static const char *const names[] = {
		"EL1S", "EL1N", "EL2N", "EL3", "EL2S", "EL1R", "EL2R", "Root"
	};
	uint32_t bit = snapshot_space_bit(&e->context);

	out_text(o, "ADDR_NACC( 0x");
	out_hex(o, e->st_addr);
	out_text(o, "; Memspace [0x");
	out_hex(o, bit);
	out_char(o, ':');
	out_text(o, names[__builtin_ctz(bit)]);
	out_text(o, "] ");
}

static void put_exception(struct out *o, const struct csf_element *e)
{
	out_text(o, "EXCEPTION(");
	if (e->flags & CSF_ELEM_RET_ADDR && !(e->flags & CSF_ELEM_TAIL_CHAIN)) {
		out_text(o, "pref ret addr:0x");
		out_hex(o, e->en_addr);
		if (e->flags & CSF_ELEM_RET_BR_TGT)
			out_text(o, " [addr also prev br tgt]");
		out_text(o, "; ");
	}
	out_text(o, "excep num (0x");
	out_hex_wide(o, e->value, 2);
	out_text(o, ") ");
}

static void put_context(struct out *o, struct ocsd_sticky *sticky, const struct csf_element *e)
{
	static const char *const states[] = { "S; ", "N; ", "Root; ", "Realm; " };
	const struct csf_context *c = &e->context;

	if (c->has_vmid) {
		sticky->has_vmid = true;
		sticky->vmid = c->vmid;
	}
	if (c->has_contextid) {
		sticky->has_contextid = true;
		sticky->contextid = c->contextid;
	}
	out_text(o, "PE_CONTEXT(");
	put_isa(o, e);
	out_text(o, " EL");
	out_dec(o, c->el);
	out_text(o, states[c->security & 3]);
	out_text(o, c->bits64 ? "64-bit; " : "32-bit; ");
	if (sticky->has_vmid) {
		out_text(o, "VMID=0x");
		out_hex(o, sticky->vmid);
		out_text(o, "; ");
	}
	if (sticky->has_contextid) {
		out_text(o, "CTXTID=0x");
		out_hex(o, sticky->contextid);
		out_text(o, "; ");
	}
}

static void put_cycles(struct out *o, uint32_t count)
{
	out_text(o, " [CC=");
	out_dec(o, count);
	out_text(o, "]; ");
}

/* That there is a count is taken from the configuration, not from the packet. */
static void put_time(struct out *o, const struct csf_config *config, const struct csf_element *e)
{
	out_text(o, "TIMESTAMP( [ TS=0x");
	out_hex_wide(o, e->timestamp, 12);
	out_text(o, "]; ");
	if (config->trcconfigr & 0x10)
		put_cycles(o, e->flags & CSF_ELEM_HAS_CC ? e->cycle_count : 0);
}

static void put_simple(struct out *o, const struct csf_config *config,
		       const struct csf_element *e)
{
	static const char *const transactions[] = { "Init", "Start", "Commit", "Fail" };
	static const char *const reasons[] = { "begin or filter", "overflow", "debug restart" };

	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_TRACE_ON:
		out_text(o, "TRACE_ON( [");
		out_text(o, reasons[e->value < 3 ? e->value : 0]);
		out_char(o, ']');
		break;
	case CSF_ELEM_TIMESTAMP:
		put_time(o, config, e);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		out_text(o, "CYCLE_COUNT(");
		put_cycles(o, e->flags & CSF_ELEM_HAS_CC ? e->cycle_count : 0);
		break;
	case CSF_ELEM_EVENT:
		out_text(o, "EVENT( Numbered:");
		out_dec(o, e->value);
		out_text(o, "; ");
		break;
	case CSF_ELEM_SYNC_MARKER:
		out_text(o, "SYNC_MARKER( [Timestamp marker(0x00000000)]");
		break;
	case CSF_ELEM_MEMTRANS:
		out_text(o, "MEMTRANS(");
		out_text(o, transactions[e->value & 3]);
		break;
	case CSF_ELEM_INSTRUMENTATION:
		out_text(o, "INSTRUMENTATION(EL");
		out_dec(o, e->el);
		out_text(o, "; 0x");
		out_hex_wide(o, e->value, 16);
		break;
	case CSF_ELEM_EXCEPTION_RET:
		out_text(o, "EXCEPTION_RET(");
		break;
	default:
		out_text(o, "UNKNOWN(");
		break;
	}
}

void ocsd_element(struct out *o, const struct csf_config *config, struct ocsd_sticky *sticky,
		  const struct csf_element *e)
{
	out_text(o, "OCSD_GEN_TRC_ELEM_");
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_INSTR_RANGE:
		put_range(o, e);
		break;
	case CSF_ELEM_I_RANGE_NOPATH:
		out_text(o, "I_RANGE_NOPATH(first 0x");
		out_hex(o, e->st_addr);
		out_text(o, ":[next 0x");
		out_hex(o, e->en_addr);
		out_text(o, "] num_i(");
		out_dec(o, e->n_insn);
		out_text(o, ") ");
		break;
	case CSF_ELEM_ADDR_NACC:
		put_nacc(o, e);
		break;
	case CSF_ELEM_EXCEPTION:
		put_exception(o, e);
		break;
	case CSF_ELEM_PE_CONTEXT:
		put_context(o, sticky, e);
		break;
	default:
		put_simple(o, config, e);
		break;
	}
	out_char(o, ')');
}
