// SPDX-License-Identifier: GPL-2.0-only
/* Elements in the words of trc_pkt_lister. */
#include <string.h>

#include "element.h"

static void put_isa(struct out *o, const struct abi_element *e)
{
	static const char *const isas[] = {
		"(ISA=A32)", "(ISA=T32)", "(ISA=A64)", "(ISA=TEE)", "(ISA=Jaz)", "(ISA=Cst)",
	};

	out_text(o, e->isa < ABI_ISA_UNKNOWN ? isas[e->isa] : "(ISA=Unk)");
}

/* Writes the kind of the last instruction of a range. */
static void put_insn(struct out *o, const struct abi_element *e)
{
	static const char *const insns[] = {
		"--- ", "BR  ", "iBR ", "ISB ", "DSB.DMB", "WFI.WFE", "TSTART",
	};
	static const char *const subtypes[] = {
		"", "b+link ", "A64:ret ", "A64:eret ", "V7:impl ret",
	};

	out_text(o, insns[e->last_insn <= ABI_INSN_TSTART ? e->last_insn : 0]);
	out_text(o, subtypes[e->last_subtype <= ABI_SUB_V7_RET ? e->last_subtype : 0]);
	if (e->flags & ABI_COND)
		out_text(o, " <cond>");
}

static void put_range(struct out *o, const struct abi_element *e)
{
	out_text(o, "INSTR_RANGE(exec range=0x");
	out_hex(o, e->st_addr);
	out_text(o, ":[0x");
	out_hex(o, e->en_addr);
	out_text(o, "] num_i(");
	out_dec(o, e->value);
	out_text(o, ") last_sz(");
	out_dec(o, e->flags >> ABI_SIZE_SHIFT & 7);
	out_text(o, ") ");
	put_isa(o, e);
	out_text(o, e->flags & ABI_EXEC ? " E " : " N ");
	put_insn(o, e);
}

static void put_nopath(struct out *o, const struct abi_element *e)
{
	out_text(o, "I_RANGE_NOPATH(first 0x");
	out_hex(o, e->st_addr);
	out_text(o, ":[next 0x");
	out_hex(o, e->en_addr);
	out_text(o, "] num_i(");
	out_dec(o, e->value);
	out_text(o, ") ");
}

static void put_nacc(struct out *o, const struct abi_element *e, bool says_space)
{
	static const char *const names[] = {
		"EL1S", "EL1N", "EL2N", "EL3", "EL2S", "EL1R", "EL2R", "Root"
	};

	out_text(o, "ADDR_NACC( 0x");
	out_hex(o, e->st_addr);
	if (e->value && says_space) {
		out_text(o, "; Memspace [0x");
		out_hex(o, e->value);
		out_char(o, ':');
		out_text(o, e->value == ABI_SPACES_S ? "Any S" :
			 e->value == ABI_SPACES_N ? "Any NS" :
			 names[__builtin_ctz(e->value) & 7]);
		out_char(o, ']');
	}
	out_char(o, ' ');
}

static void put_exception(struct out *o, const struct abi_element *e)
{
	out_text(o, "EXCEPTION(");
	if (e->flags & ABI_RET_ADDR) {
		out_text(o, "pref ret addr:0x");
		out_hex(o, e->en_addr);
		if (e->flags & ABI_RET_BR_TGT)
			out_text(o, " [addr also prev br tgt]");
		out_text(o, "; ");
	}
	out_text(o, "excep num (0x");
	out_hex_wide(o, e->value, 2);
	out_text(o, ") ");
}

static void put_context(struct out *o, const struct abi_element *e)
{
	static const char *const states[] = { "S; ", "N; ", "Root; ", "Realm; " };
	const struct abi_context *c = &e->context;

	out_text(o, "PE_CONTEXT(");
	put_isa(o, e);
	out_char(o, ' ');
	if (c->flags & ABI_CTX_EL) {
		out_text(o, "EL");
		out_dec(o, c->el & 3);
	}
	out_text(o, states[c->security & 3]);
	out_text(o, c->flags & ABI_CTX_64 ? "64-bit; " : "32-bit; ");
	if (c->flags & ABI_CTX_VMID) {
		out_text(o, "VMID=0x");
		out_hex(o, c->vmid);
		out_text(o, "; ");
	}
	if (c->flags & ABI_CTX_CONTEXTID) {
		out_text(o, "CTXTID=0x");
		out_hex(o, c->contextid);
		out_text(o, "; ");
	}
}

static void put_cycles(struct out *o, uint32_t count)
{
	out_text(o, " [CC=");
	out_dec(o, count);
	out_text(o, "]; ");
}

static void put_time(struct out *o, const struct abi_element *e)
{
	out_text(o, "TIMESTAMP( [ TS=0x");
	out_hex_wide(o, e->timestamp, 12);
	out_text(o, "]; ");
}

/* Writes one of a few words, in brackets. */
static void put_word(struct out *o, const char *name, const char *const *words, uint32_t i)
{
	out_text(o, name);
	out_text(o, words[i]);
}

static void put_unsync(struct out *o, const char *name, const struct abi_element *e,
		       const struct ocsd_release *release)
{
	static const char *const reasons[] = {
		"undefined]", "init-decoder]", "reset-decoder]", "overflow]", "discard]",
		"bad-packet]", "bad-program-image]",
	};

	out_text(o, name);
	if (e->value == release->unsync_end)
		out_text(o, "end-of-trace]");
	else
		out_text(o, reasons[e->value <= ABI_UNSYNC_END ? e->value : 0]);
}

/* The payload of software trace is where the client can read it. */
static void put_payload(struct out *o, const struct abi_element *e)
{
	const unsigned int bits = e->swt.flags & 0xff;
	uint64_t v = 0;

	if (!(e->flags & ABI_EXTENDED) || !e->payload || !bits || bits > 64)
		return;
	memcpy(&v, (const void *)(uintptr_t)e->payload, (bits + 7) / 8);
	out_text(o, "0x");
	out_hex_wide(o, htole64(v), (bits + 3) / 4);
	out_text(o, "; ");
}

static void put_swt_time(struct out *o, const struct abi_element *e)
{
	out_text(o, " [ TS=0x");
	out_hex_wide(o, e->timestamp, 12);
	out_text(o, "]; ");
}

static void put_swt(struct out *o, const struct abi_element *e)
{
	const uint32_t flags = e->swt.flags;

	out_text(o, "SWTRACE(");
	if (flags & ABI_SWT_GLOBAL_ERROR) {
		out_text(o, "{Global Error.}");
		return;
	}
	if (flags & ABI_SWT_ID_VALID) {
		out_text(o, " (Ma:0x");
		out_hex_wide(o, e->swt.master, 2);
		out_text(o, "; Ch:0x");
		out_hex_wide(o, e->swt.channel, 2);
		out_text(o, ") ");
	} else {
		out_text(o, "(Ma:0x??; Ch:0x?" "?) ");
	}
	put_payload(o, e);
	out_text(o, flags & ABI_SWT_MARKER ? "+Mrk " : "");
	out_text(o, flags & ABI_SWT_TRIGGER ? "Trig " : "");
	if (flags & ABI_SWT_HAS_TIME)
		put_swt_time(o, e);
	out_text(o, flags & ABI_SWT_FREQUENCY ? "Freq" : "");
	out_text(o, flags & ABI_SWT_MASTER_ERROR ? "{Master Error.}" : "");
}

static void put_itm_data(struct out *o, const char *name, const struct abi_element *e)
{
	out_text(o, name);
	out_hex(o, e->itm.source);
	out_text(o, "; Data: 0x");
	out_hex_wide(o, e->itm_value, 2 * e->itm.size);
	out_text(o, ") ");
}

static void put_itm_local(struct out *o, const struct abi_element *e)
{
	static const char *const names[] = {
		"TS Sync", "TS Delay", "Packet Delay", "TS and Packet Delay",
	};

	out_text(o, "ITM_TS_LOCAL ( TS delta: 0x");
	out_hex_wide(o, e->itm_value, 8);
	out_text(o, ", { ");
	out_text(o, names[(e->itm.kind - ABI_SWT_ITM_TIME_LOCAL) & 3]);
	out_text(o, "}; TS cumulative: 0x");
	out_hex(o, e->timestamp);
	out_text(o, ") ");
}

static void put_itm(struct out *o, const struct abi_element *e)
{
	out_text(o, "ITMTRACE(");
	out_text(o, e->itm_overflow ? "ITM_OVERFLOW; " : "");
	switch (e->itm.kind) {
	case ABI_SWT_ITM_SWIT:
		put_itm_data(o, "ITM_SWIT (ch: 0x", e);
		break;
	case ABI_SWT_ITM_DWT:
		put_itm_data(o, "ITM_DWT (desc: 0x", e);
		break;
	case ABI_SWT_ITM_TIME_GLOBAL:
		out_text(o, "ITM_TS_GLOBAL ( TS: 0x");
		out_hex_wide(o, e->timestamp, 16);
		out_text(o, ") ");
		break;
	default:
		put_itm_local(o, e);
		break;
	}
}

static void put_simple(struct out *o, const struct abi_element *e,
		       const struct ocsd_release *release)
{
	static const char *const transactions[] = { "Init", "Start", "Commit", "Fail" };
	static const char *const reasons[] = { "begin or filter]", "overflow]", "debug restart]" };

	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_NO_SYNC:
		put_unsync(o, "NO_SYNC( [", e, release);
		break;
	case CSF_ELEM_EO_TRACE:
		put_unsync(o, "EO_TRACE( [", e, release);
		break;
	case CSF_ELEM_TRACE_ON:
		put_word(o, "TRACE_ON( [", reasons, e->value < 3 ? e->value : 0);
		break;
	case CSF_ELEM_TIMESTAMP:
		put_time(o, e);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		out_text(o, "CYCLE_COUNT(");
		break;
	case CSF_ELEM_EVENT:
		if (e->event.kind == 1) {
			out_text(o, "EVENT( Trigger; ");
			break;
		}
		out_text(o, "EVENT( Numbered:");
		out_dec(o, e->event.number);
		out_text(o, "; ");
		break;
	case CSF_ELEM_SYNC_MARKER:
		out_text(o, "SYNC_MARKER( [Timestamp marker(0x00000000)]");
		break;
	case CSF_ELEM_MEMTRANS:
		put_word(o, "MEMTRANS(", transactions, e->value & 3);
		break;
	case CSF_ELEM_INSTRUMENTATION:
		out_text(o, "INSTRUMENTATION(EL");
		out_dec(o, e->el);
		out_text(o, "; 0x");
		out_hex_wide(o, e->payload, 16);
		break;
	case CSF_ELEM_EXCEPTION_RET:
		out_text(o, "EXCEPTION_RET(");
		break;
	case CSF_ELEM_ADDR_UNKNOWN:
		out_text(o, "ADDR_UNKNOWN(");
		break;
	default:
		out_text(o, "UNKNOWN(");
		break;
	}
}

void ocsd_element_text(struct out *o, const struct abi_element *e,
		       const struct ocsd_release *release)
{
	out_text(o, "OCSD_GEN_TRC_ELEM_");
	if (e->type == release->custom) {
		out_text(o, "CUSTOM()");
		return;
	}
	if (e->type == ABI_ELEM_ITMTRACE && e->type < release->custom) {
		put_itm(o, e);
		out_char(o, ')');
		return;
	}
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_INSTR_RANGE:
		put_range(o, e);
		break;
	case CSF_ELEM_I_RANGE_NOPATH:
		put_nopath(o, e);
		break;
	case CSF_ELEM_ADDR_NACC:
		put_nacc(o, e, release->says_space);
		break;
	case CSF_ELEM_EXCEPTION:
		put_exception(o, e);
		break;
	case CSF_ELEM_PE_CONTEXT:
		put_context(o, e);
		break;
	case CSF_ELEM_SWTRACE:
		put_swt(o, e);
		break;
	default:
		put_simple(o, e, release);
		break;
	}
	if (e->flags & ABI_HAS_CC)
		put_cycles(o, e->cycle_count);
	out_char(o, ')');
}
