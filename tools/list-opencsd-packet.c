// SPDX-License-Identifier: GPL-2.0-only
/* Packets in trc_pkt_lister's words. */
#include "list-opencsd-line.h"

static const struct {
	const char *name, *text;
} words[CSF_PKT_NR] = {
	[CSF_PKT_BAD] = { "I_EXTENSION", "Extension packet." },
	[CSF_PKT_ASYNC] = { "I_ASYNC", "Alignment Synchronisation." },
	[CSF_PKT_DISCARD] = { "I_DISCARD", "Discard." },
	[CSF_PKT_OVERFLOW] = { "I_OVERFLOW", "Overflow." },
	[CSF_PKT_BF_FLUSH] = { "I_EXTENSION", "Extension packet." },
	[CSF_PKT_INFO] = { "I_TRACE_INFO", "Trace Info." },
	[CSF_PKT_TIME] = { "I_TIMESTAMP", "Timestamp." },
	[CSF_PKT_ON] = { "I_TRACE_ON", "Trace On." },
	[CSF_PKT_RETURN] = { "I_FUNC_RET", "V8M - function return." },
	[CSF_PKT_EXCEPTION] = { "I_EXCEPT", "Exception." },
	[CSF_PKT_ERET] = { "I_EXCEPT_RTN", "Exception Return." },
	[CSF_PKT_ITE] = { "I_ITE", "Instrumentation" },
	[CSF_PKT_TM_START] = { "I_TRANS_ST", "Transaction Start." },
	[CSF_PKT_TM_COMMIT] = { "I_TRANS_COMMIT", "Transaction Commit." },
	[CSF_PKT_CC1] = { "I_CCNT_F1", "Cycle Count format 1." },
	[CSF_PKT_CC2] = { "I_CCNT_F2", "Cycle Count format 2." },
	[CSF_PKT_CC3] = { "I_CCNT_F3", "Cycle Count format 3." },
	[CSF_PKT_DSYNC_N] = { "I_NUM_DS_MKR", "Data Synchronisation Marker - Numbered." },
	[CSF_PKT_DSYNC_U] = { "I_UNNUM_DS_MKR", "Data Synchronisation Marker - Unnumbered." },
	[CSF_PKT_COMMIT] = { "I_COMMIT", "Commit" },
	[CSF_PKT_CANCEL1] = { "I_CANCEL_F1", "Cancel Format 1." },
	[CSF_PKT_MISPREDICT] = { "I_MISPREDICT", "Mispredict." },
	[CSF_PKT_CANCEL2] = { "I_CANCEL_F2", "Cancel Format 2." },
	[CSF_PKT_CANCEL3] = { "I_CANCEL_F3", "Cancel Format 3." },
	[CSF_PKT_COND_I1] = { "I_COND_I_F1", "Conditional Instruction, format 1." },
	[CSF_PKT_COND_I2] = { "I_COND_I_F2", "Conditional Instruction, format 2." },
	[CSF_PKT_COND_I3] = { "I_COND_I_F3", "Conditional Instruction, format 3." },
	[CSF_PKT_COND_FLUSH] = { "I_COND_FLUSH", "Conditional Flush." },
	[CSF_PKT_COND_R1] = { "I_COND_RES_F1", "Conditional Result, format 1." },
	[CSF_PKT_COND_R2] = { "I_COND_RES_F2", "Conditional Result, format 2." },
	[CSF_PKT_COND_R3] = { "I_COND_RES_F3", "Conditional Result, format 3." },
	[CSF_PKT_COND_R4] = { "I_COND_RES_F4", "Conditional Result, format 4." },
	[CSF_PKT_IGNORE] = { "I_IGNORE", "Ignore." },
	[CSF_PKT_EVENT] = { "I_EVENT", "Trace Event." },
	[CSF_PKT_CONTEXT] = { "I_CTXT", "Context Packet." },
	[CSF_PKT_ADDR_CTXT32] = { "I_ADDR_CTXT_L_32IS", "Address & Context, Long, 32 bit, IS" },
	[CSF_PKT_ADDR_CTXT64] = { "I_ADDR_CTXT_L_64IS", "Address & Context, Long, 64 bit, IS" },
	[CSF_PKT_MARKER] = { "I_TS_MARKER", "Timestamp Marker" },
	[CSF_PKT_ADDR_MATCH] = { "I_ADDR_MATCH", "Exact Address Match." },
	[CSF_PKT_ADDR_SHORT] = { "I_ADDR_S_IS", "Address, Short, IS" },
	[CSF_PKT_ADDR32] = { "I_ADDR_L_32IS", "Address, Long, 32 bit, IS" },
	[CSF_PKT_ADDR64] = { "I_ADDR_L_64IS", "Address, Long, 64 bit, IS" },
	[CSF_PKT_Q] = { "I_Q", "Q Packet." },
	[CSF_PKT_SRC_MATCH] = { "I_SRC_ADDR_MATCH", "Exact Source Address Match." },
	[CSF_PKT_SRC_SHORT] = { "I_SRC_ADDR_S_IS", "Source Address, Short, IS" },
	[CSF_PKT_SRC32] = { "I_SCR_ADDR_L_32IS", "Source Address, Long, 32 bit, IS" },
	[CSF_PKT_SRC64] = { "I_SCR_ADDR_L_64IS", "Source Address, Long, 64 bit, IS" },
	[CSF_PKT_ATOM] = { "I_ATOM_F", "Atom format " },
};

static const char *const exceptions_a[32] = {
	"PE Reset", "Debug Halt", "Call", "Trap", "System Error", "Reserved", "Inst Debug",
	"Data Debug", "Reserved", "Reserved", "Alignment", "Inst Fault", "Data Fault",
	"Reserved", "IRQ", "FIQ",
};

static const char *const exceptions_m[32] = {
	"Reserved", "PE Reset", "NMI", "HardFault", "MemManage", "BusFault", "UsageFault",
	"Reserved", "Reserved", "Reserved", "Reserved", "SVC", "DebugMonitor", "Reserved",
	"PendSV", "SysTick", "IRQ0", "IRQ1", "IRQ2", "IRQ3", "IRQ4", "IRQ5", "IRQ6", "IRQ7",
	"DebugHalt", "LazyFP Push", "Lockup",
};

static bool is_short(const struct csf_packet *p)
{
	return p->type == CSF_PKT_ADDR_SHORT || p->type == CSF_PKT_SRC_SHORT;
}

static bool is_address(const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC_MATCH:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		return true;
	default:
		return p->flags & CSF_PKT_ADDR;
	}
}

static bool is_match(const struct csf_packet *p)
{
	return p->type == CSF_PKT_ADDR_MATCH || p->type == CSF_PKT_SRC_MATCH ||
	       (p->flags & CSF_PKT_MATCH);
}

static uint64_t low(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

static void update_address(struct ocsd_history *h, const struct csf_packet *p)
{
	uint64_t keep = h->addr[0], addr;

	if (is_match(p)) {
		addr = h->addr[p->val < 3 ? p->val : 0];
	} else {
		if (p->n == 32 && !h->bits64 && p->type != CSF_PKT_Q)
			keep = 0;
		addr = (keep & ~low(p->n)) | (p->val & low(p->n));
	}
	h->addr[2] = h->addr[1];
	h->addr[1] = h->addr[0];
	h->addr[0] = addr;
}

void ocsd_history_update(struct ocsd_history *h, const struct csf_config *config,
			 const struct csf_packet *p)
{
	if (p->type == CSF_PKT_INFO) {
		bool bits64 = h->bits64;

		*h = (struct ocsd_history){ .threshold = p->count, .bits64 = bits64 };
	} else if (p->type == CSF_PKT_TIME) {
		h->time = (h->time & ~low(p->n)) | (p->val & low(p->n));
	} else if (is_address(p)) {
		update_address(h, p);
	} else if (p->type == CSF_PKT_EXCEPTION && (p->flags & CSF_PKT_UNKNOWN)) {
		h->addr[2] = h->addr[1];
		h->addr[1] = h->addr[0];
		h->addr[0] = 0;
	}
	if (p->flags & CSF_PKT_CTXT)
		h->bits64 = p->info >> 4 & 1;
}

static void put_address(struct out *o, const struct ocsd_history *h, const struct csf_packet *p)
{
	out_text(o, "Addr=0x");
	out_digits(o, h->addr[0], 16, "0123456789ABCDEF");
	if (is_match(p) || (!is_short(p) && p->type != CSF_PKT_Q))
		return;
	out_text(o, " ~[0x");
	out_digits(o, h->addr[0] & low(p->n), out_width(h->addr[0] & low(p->n)),
		   "0123456789ABCDEF");
	out_char(o, ']');
}

static void put_context(struct out *o, const struct csf_packet *p)
{
	static const char *const states[] = { "S", "NS", "Root", "Realm" };

	if (!(p->flags & CSF_PKT_CTXT)) {
		out_text(o, "Ctxt: Same");
		return;
	}
	out_text(o, "Ctxt: ");
	out_text(o, p->info & 0x10 ? "AArch64,EL" : "AArch32, EL");
	out_char(o, '0' + (p->info & 3));
	out_text(o, ", ");
	out_text(o, states[(p->info >> 5 & 1) | (p->info >> 2 & 2)]);
	out_text(o, "; ");
	if (p->info & 0x80) {
		out_text(o, "CID=0x");
		out_hex_wide(o, p->contextid, 8);
		out_text(o, "; ");
	}
	if (p->info & 0x40) {
		out_text(o, "VMID=0x");
		out_hex_wide(o, p->vmid, 4);
		out_text(o, "; ");
	}
}

static void put_is(struct out *o, const struct csf_packet *p)
{
	out_char(o, p->flags & CSF_PKT_IS1 ? '1' : '0');
}

static void address_line(struct out *o, const struct ocsd_history *h, const struct csf_packet *p)
{
	out_text(o, words[p->type].name);
	if (!is_match(p))
		put_is(o, p);
	out_text(o, " : ");
	out_text(o, words[p->type].text);
	if (is_match(p)) {
		out_text(o, ", [");
		out_dec(o, p->val);
		out_char(o, ']');
	} else {
		put_is(o, p);
		out_char(o, '.');
	}
	out_text(o, "; ");
	put_address(o, h, p);
	if (!is_short(p))
		out_text(o, "; ");
	if (p->flags & CSF_PKT_CTXT)
		put_context(o, p);
}

static void put_atoms(struct out *o, const struct csf_packet *p)
{
	for (int i = 0; i < p->n; i++)
		out_char(o, p->val >> i & 1 ? 'E' : 'N');
}

static void atom_line(struct out *o, uint8_t header, const struct csf_packet *p)
{
	char format = p->n <= 3 ? '0' + p->n :
		      header == 0xf5 || (header >= 0xd5 && header <= 0xd7) ? '5' :
		      header >= 0xdc && header <= 0xdf ? '4' : '6';

	out_text(o, "I_ATOM_F");
	out_char(o, format);
	out_text(o, " : Atom format ");
	out_char(o, format);
	out_text(o, ".; ");
	put_atoms(o, p);
}

static void put_number(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_hex(o, v);
}

static void info_detail(struct out *o, const struct csf_config *config,
			const struct csf_packet *p)
{
	out_text(o, "; INFO=0x");
	out_digits(o, p->val, out_width(p->val), "0123456789ABCDEF");
	out_text(o, p->val & 1 ? " { CC.1" : " { CC.0");
	if (csf_config_version(config) >= 0x50)
		out_text(o, p->val & 0x40 ? ", TSTATE.1" : ", TSTATE.0");
	out_text(o, " }");
	if (p->val & 1)
		put_number(o, "; CC_THRESHOLD=0x", p->count);
}

static void exception_detail(struct out *o, const struct csf_config *config,
			     const struct csf_packet *p)
{
	bool m = config->profile == CSF_PROFILE_M;
	const char *name = (m ? exceptions_m : exceptions_a)[p->exception & 31];

	out_text(o, ";  ");
	if (m && p->exception >= 0x208 && p->exception <= 0x3ef) {
		out_text(o, "IRQ");
		out_dec(o, p->exception - 0x200);
	} else {
		out_text(o, p->exception > 31 || !name ? "Reserved" : name);
	}
	out_char(o, ';');
	if (!(p->flags & CSF_PKT_UNKNOWN))
		out_text(o, p->n == 2 ? " Ret Addr Follows, Match Prev;" : " Ret Addr Follows;");
	if (m && p->info & 0x20)
		out_text(o, " Fault Pending;");
}

static void put_count(struct out *o, const char *text, uint64_t n)
{
	out_text(o, text);
	out_dec(o, n);
	out_char(o, ')');
}

/* Atoms that come first, cancels, and then the mispredict. */
static void cancel_detail(struct out *o, const struct csf_packet *p)
{
	out_text(o, "; ");
	if (p->type != CSF_PKT_CANCEL1 && p->n) {
		out_text(o, "Atom: ");
		put_atoms(o, p);
		out_text(o, ", ");
	}
	if (p->type != CSF_PKT_MISPREDICT)
		put_count(o, "Cancel(", p->count);
	if (p->type == CSF_PKT_MISPREDICT)
		out_text(o, "Mispredict");
	else if (p->type != CSF_PKT_CANCEL1 || p->flags & CSF_PKT_MISP)
		out_text(o, ", Mispredict");
}

static void q_detail(struct out *o, const struct ocsd_history *h, const struct csf_packet *p)
{
	if (p->flags & CSF_PKT_COUNT)
		put_count(o, "; Count(", p->count);
	else
		out_text(o, "; Count(Unknown)");
	if (p->flags & CSF_PKT_MATCH) {
		out_text(o, "; [");
		out_dec(o, p->val);
		out_char(o, ']');
	}
	if (!is_address(p))
		return;
	out_text(o, "; ");
	put_address(o, h, p);
}

/* The printed count includes the threshold; one that is unknown is 0. */
static void cycles_detail(struct out *o, const struct ocsd_history *h, const struct csf_packet *p)
{
	bool known = p->type != CSF_PKT_CC1 || p->flags & CSF_PKT_COUNT;

	put_number(o, "; Count=0x", known ? p->count + h->threshold : 0);
}

static void detail(struct out *o, const struct csf_config *config, const struct ocsd_history *h,
		   const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_INFO:
		info_detail(o, config, p);
		break;
	case CSF_PKT_TIME:
		put_number(o, "; Updated val = 0x", h->time);
		if (p->flags & CSF_PKT_COUNT)
			put_number(o, "; CC=0x", p->count);
		break;
	case CSF_PKT_EXCEPTION:
		exception_detail(o, config, p);
		break;
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		cycles_detail(o, h, p);
		break;
	case CSF_PKT_COMMIT:
		put_count(o, "; Commit(", p->count);
		break;
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
	case CSF_PKT_MISPREDICT:
		cancel_detail(o, p);
		break;
	case CSF_PKT_Q:
		q_detail(o, h, p);
		break;
	case CSF_PKT_ITE:
		put_number(o, "; EL", p->n & 3);
		put_number(o, "; Payload=0x", p->val);
		break;
	case CSF_PKT_CONTEXT:
		out_text(o, "; ");
		put_context(o, p);
		break;
	default:
		break;
	}
}

static void put_name(struct out *o, uint8_t type)
{
	out_text(o, words[type < CSF_PKT_NR ? type : 0].name);
	if (type == CSF_PKT_ATOM)
		out_char(o, '1');
	else if (type == CSF_PKT_ADDR_SHORT || type == CSF_PKT_ADDR32 || type == CSF_PKT_ADDR64 ||
		 type == CSF_PKT_ADDR_CTXT32 || type == CSF_PKT_ADDR_CTXT64 ||
		 type == CSF_PKT_SRC_SHORT || type == CSF_PKT_SRC32 || type == CSF_PKT_SRC64)
		out_char(o, '0');
}

/* In square brackets stands what the reader was at when it turned out bad. */
static void bad_line(struct out *o, const struct csf_packet *p)
{
	switch ((enum csf_bad)p->n) {
	case CSF_BAD_UNSYNC:
		out_text(o, "I_NOT_SYNC : I Stream not synchronised");
		return;
	case CSF_BAD_RESERVED:
		out_text(o, "I_RESERVED : Reserved Packet Header");
		return;
	case CSF_BAD_CONFIG:
		if (p->info == CSF_PKT_Q) {
			out_text(o, "I_RESERVED : Reserved Packet Header");
			return;
		}
		out_text(o, "I_RESERVED_CFG : Reserved header for current configuration.");
		break;
	case CSF_BAD_SEQUENCE:
		out_text(o, "I_BAD_SEQUENCE : Invalid Sequence in packet.");
		break;
	case CSF_BAD_CUT:
		out_text(o, "I_INCOMPLETE_EOT : Incomplete packet at end of trace.");
		break;
	}
	out_char(o, '[');
	put_name(o, p->info);
	out_char(o, ']');
}

void ocsd_packet(struct out *o, const struct csf_config *config, const struct ocsd_history *h,
		 const struct csf_packet *p, uint8_t header)
{
	if (p->type == CSF_PKT_ATOM) {
		atom_line(o, header, p);
	} else if (p->type == CSF_PKT_BAD) {
		bad_line(o, p);
	} else if (is_address(p) && p->type != CSF_PKT_Q) {
		address_line(o, h, p);
	} else if (p->type == CSF_PKT_EXCEPTION && !p->exception && p->flags & CSF_PKT_UNKNOWN &&
		   config->profile != CSF_PROFILE_M) {
		out_text(o, "I_PE_RESET : PE Reset.");
	} else if (p->type == CSF_PKT_EXCEPTION && p->exception == 0x18 &&
		   p->flags & CSF_PKT_UNKNOWN) {
		out_text(o, "I_TRANS_FAIL : Transaction Fail.");
	} else {
		out_text(o, words[p->type].name);
		if (p->type == CSF_PKT_CANCEL1 && p->flags & CSF_PKT_MISP)
			out_text(o, "_MISPRED");
		out_text(o, " : ");
		out_text(o, words[p->type].text);
		detail(o, config, h, p);
	}
}
