// SPDX-License-Identifier: GPL-2.0-only
/* Packets in the words of trc_pkt_lister. */
#include "packet.h"

#define ABI_PKT_NAMED	(ABI_PKT_TM_FAIL + 1)

static const struct words {
	const char *name, *text;
} words[ABI_PKT_NAMED] = {
	[ABI_PKT_ASYNC] = { "I_ASYNC", "Alignment Synchronisation." },
	[ABI_PKT_DISCARD] = { "I_DISCARD", "Discard." },
	[ABI_PKT_OVERFLOW] = { "I_OVERFLOW", "Overflow." },
	[ABI_PKT_EXTENSION] = { "I_EXTENSION", "Extension packet." },
	[ABI_PKT_INFO] = { "I_TRACE_INFO", "Trace Info." },
	[ABI_PKT_TIME] = { "I_TIMESTAMP", "Timestamp." },
	[ABI_PKT_ON] = { "I_TRACE_ON", "Trace On." },
	[ABI_PKT_RETURN] = { "I_FUNC_RET", "V8M - function return." },
	[ABI_PKT_EXCEPTION] = { "I_EXCEPT", "Exception." },
	[ABI_PKT_ERET] = { "I_EXCEPT_RTN", "Exception Return." },
	[ABI_PKT_ITE] = { "I_ITE", "Instrumentation" },
	[ABI_PKT_TM_START] = { "I_TRANS_ST", "Transaction Start." },
	[ABI_PKT_TM_COMMIT] = { "I_TRANS_COMMIT", "Transaction Commit." },
	[ABI_PKT_CC1] = { "I_CCNT_F1", "Cycle Count format 1." },
	[ABI_PKT_CC2] = { "I_CCNT_F2", "Cycle Count format 2." },
	[ABI_PKT_CC3] = { "I_CCNT_F3", "Cycle Count format 3." },
	[ABI_PKT_DSYNC_N] = { "I_NUM_DS_MKR", "Data Synchronisation Marker - Numbered." },
	[ABI_PKT_DSYNC_U] = { "I_UNNUM_DS_MKR", "Data Synchronisation Marker - Unnumbered." },
	[ABI_PKT_COMMIT] = { "I_COMMIT", "Commit" },
	[ABI_PKT_CANCEL1] = { "I_CANCEL_F1", "Cancel Format 1." },
	[ABI_PKT_CANCEL1_MISP] = { "I_CANCEL_F1_MISPRED", "Cancel Format 1 + Mispredict." },
	[ABI_PKT_MISPREDICT] = { "I_MISPREDICT", "Mispredict." },
	[ABI_PKT_CANCEL2] = { "I_CANCEL_F2", "Cancel Format 2." },
	[ABI_PKT_CANCEL3] = { "I_CANCEL_F3", "Cancel Format 3." },
	[ABI_PKT_COND_I1] = { "I_COND_I_F1", "Conditional Instruction, format 1." },
	[ABI_PKT_COND_I2] = { "I_COND_I_F2", "Conditional Instruction, format 2." },
	[ABI_PKT_COND_I3] = { "I_COND_I_F3", "Conditional Instruction, format 3." },
	[ABI_PKT_COND_FLUSH] = { "I_COND_FLUSH", "Conditional Flush." },
	[ABI_PKT_COND_R1] = { "I_COND_RES_F1", "Conditional Result, format 1." },
	[ABI_PKT_COND_R2] = { "I_COND_RES_F2", "Conditional Result, format 2." },
	[ABI_PKT_COND_R3] = { "I_COND_RES_F3", "Conditional Result, format 3." },
	[ABI_PKT_COND_R4] = { "I_COND_RES_F4", "Conditional Result, format 4." },
	[ABI_PKT_IGNORE] = { "I_IGNORE", "Ignore." },
	[ABI_PKT_EVENT] = { "I_EVENT", "Trace Event." },
	[ABI_PKT_CONTEXT] = { "I_CTXT", "Context Packet." },
	[ABI_PKT_ADDR_CTXT32] = { "I_ADDR_CTXT_L_32IS", "Address & Context, Long, 32 bit, IS" },
	[ABI_PKT_ADDR_CTXT32 + 1] = { "I_ADDR_CTXT_L_32IS", "Address & Context, Long, 32 bit, IS" },
	[ABI_PKT_ADDR_CTXT64] = { "I_ADDR_CTXT_L_64IS", "Address & Context, Long, 64 bit, IS" },
	[ABI_PKT_ADDR_CTXT64 + 1] = { "I_ADDR_CTXT_L_64IS", "Address & Context, Long, 64 bit, IS" },
	[ABI_PKT_MARKER] = { "I_TS_MARKER", "Timestamp Marker" },
	[ABI_PKT_ADDR_MATCH] = { "I_ADDR_MATCH", "Exact Address Match." },
	[ABI_PKT_ADDR_SHORT] = { "I_ADDR_S_IS", "Address, Short, IS" },
	[ABI_PKT_ADDR_SHORT + 1] = { "I_ADDR_S_IS", "Address, Short, IS" },
	[ABI_PKT_ADDR32] = { "I_ADDR_L_32IS", "Address, Long, 32 bit, IS" },
	[ABI_PKT_ADDR32 + 1] = { "I_ADDR_L_32IS", "Address, Long, 32 bit, IS" },
	[ABI_PKT_ADDR64] = { "I_ADDR_L_64IS", "Address, Long, 64 bit, IS" },
	[ABI_PKT_ADDR64 + 1] = { "I_ADDR_L_64IS", "Address, Long, 64 bit, IS" },
	[ABI_PKT_Q] = { "I_Q", "Q Packet." },
	[ABI_PKT_SRC_MATCH] = { "I_SRC_ADDR_MATCH", "Exact Source Address Match." },
	[ABI_PKT_SRC_SHORT] = { "I_SRC_ADDR_S_IS", "Source Address, Short, IS" },
	[ABI_PKT_SRC_SHORT + 1] = { "I_SRC_ADDR_S_IS", "Source Address, Short, IS" },
	[ABI_PKT_SRC32] = { "I_SCR_ADDR_L_32IS", "Source Address, Long, 32 bit, IS" },
	[ABI_PKT_SRC32 + 1] = { "I_SCR_ADDR_L_32IS", "Source Address, Long, 32 bit, IS" },
	[ABI_PKT_SRC64] = { "I_SCR_ADDR_L_64IS", "Source Address, Long, 64 bit, IS" },
	[ABI_PKT_SRC64 + 1] = { "I_SCR_ADDR_L_64IS", "Source Address, Long, 64 bit, IS" },
	[ABI_PKT_RESET] = { "I_PE_RESET", "PE Reset." },
	[ABI_PKT_TM_FAIL] = { "I_TRANS_FAIL", "Transaction Fail." },
	[ABI_PKT_ATOM1] = { "I_ATOM_F1", "Atom format 1." },
	[ABI_PKT_ATOM2] = { "I_ATOM_F2", "Atom format 2." },
	[ABI_PKT_ATOM3] = { "I_ATOM_F3", "Atom format 3." },
	[ABI_PKT_ATOM4] = { "I_ATOM_F4", "Atom format 4." },
	[ABI_PKT_ATOM5] = { "I_ATOM_F5", "Atom format 5." },
	[ABI_PKT_ATOM6] = { "I_ATOM_F6", "Atom format 6." },
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

static bool is_short(const struct abi_packet *p)
{
	return p->type == ABI_PKT_ADDR_SHORT || p->type == ABI_PKT_ADDR_SHORT + 1 ||
	       p->type == ABI_PKT_SRC_SHORT || p->type == ABI_PKT_SRC_SHORT + 1;
}

static bool is_match(const struct abi_packet *p)
{
	return p->type == ABI_PKT_ADDR_MATCH || p->type == ABI_PKT_SRC_MATCH;
}

/* Do name and text end with the instruction set? */
static bool has_is(uint32_t type)
{
	switch (type) {
	case ABI_PKT_ADDR_CTXT32 ... ABI_PKT_ADDR_CTXT32 + 1:
	case ABI_PKT_ADDR_CTXT64 ... ABI_PKT_ADDR_CTXT64 + 1:
	case ABI_PKT_ADDR_SHORT ... ABI_PKT_ADDR_SHORT + 1:
	case ABI_PKT_ADDR32 ... ABI_PKT_ADDR32 + 1:
	case ABI_PKT_ADDR64 ... ABI_PKT_ADDR64 + 1:
	case ABI_PKT_SRC_SHORT ... ABI_PKT_SRC64 + 1:
		return true;
	default:
		return false;
	}
}

static uint64_t low(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

/* @part: also prints the bits that the packet had, if its name does not imply them. */
static void put_address(struct out *o, const struct abi_packet *p, bool part)
{
	uint64_t bits = p->addr & low(p->addr_bits);

	out_text(o, "Addr=0x");
	out_digits(o, p->addr, 16, "0123456789ABCDEF");
	if (!part)
		return;
	out_text(o, " ~[0x");
	out_digits(o, bits, out_width(bits), "0123456789ABCDEF");
	out_char(o, ']');
}

static void put_context(struct out *o, const struct abi_packet *p)
{
	static const char *const states[] = { "S", "NS", "Root", "Realm" };

	if (!(p->ctx & ABI_PKT_CTX_UPDATED)) {
		out_text(o, "Ctxt: Same");
		return;
	}
	out_text(o, "Ctxt: ");
	out_text(o, p->ctx & ABI_PKT_CTX_64 ? "AArch64,EL" : "AArch32, EL");
	out_char(o, '0' + (p->ctx & 3));
	out_text(o, ", ");
	out_text(o, states[(p->ctx & ABI_PKT_CTX_NS ? 1 : 0) | (p->ctx & ABI_PKT_CTX_NSE ? 2 : 0)]);
	out_text(o, "; ");
	if (p->ctx & ABI_PKT_CTX_CONTEXTID) {
		out_text(o, "CID=0x");
		out_hex_wide(o, p->contextid, 8);
		out_text(o, "; ");
	}
	if (p->ctx & ABI_PKT_CTX_VMID) {
		out_text(o, "VMID=0x");
		out_hex_wide(o, p->vmid, 4);
		out_text(o, "; ");
	}
}

static void address_line(struct out *o, const struct abi_packet *p)
{
	if (is_match(p)) {
		out_text(o, ", [");
		out_dec(o, p->match);
		out_char(o, ']');
	} else {
		out_char(o, p->is ? '1' : '0');
		out_char(o, '.');
	}
	out_text(o, "; ");
	put_address(o, p, is_short(p));
	if (!is_short(p))
		out_text(o, "; ");
	if (p->type >= ABI_PKT_ADDR_CTXT32 && p->type <= ABI_PKT_ADDR_CTXT64 + 1)
		put_context(o, p);
}

static void put_atoms(struct out *o, const struct abi_packet *p)
{
	for (int i = 0; i < p->n_atom && i < 32; i++)
		out_char(o, p->atoms >> i & 1 ? 'E' : 'N');
}

static void put_number(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_hex(o, v);
}

static void put_info(struct out *o, const struct abi_packet *p)
{
	out_text(o, "; INFO=0x");
	out_digits(o, p->info, out_width(p->info), "0123456789ABCDEF");
	out_text(o, p->info & 1 ? " { CC.1" : " { CC.0");
	if (p->version >= 0x50)
		out_text(o, p->info & 0x40 ? ", TSTATE.1" : ", TSTATE.0");
	out_text(o, " }");
	if (p->info & 1)
		put_number(o, "; CC_THRESHOLD=0x", p->threshold);
}

static void put_exception(struct out *o, const struct abi_packet *p)
{
	bool m = p->exception & ABI_PKT_EXC_M;
	uint32_t number = p->exception & 0x3ff;
	const char *name = (m ? exceptions_m : exceptions_a)[number & 31];

	out_text(o, ";  ");
	if (m && number >= 0x208 && number <= 0x3ef) {
		out_text(o, "IRQ");
		out_dec(o, number - 0x200);
	} else {
		out_text(o, number > 31 || !name ? "Reserved" : name);
	}
	out_char(o, ';');
	if (p->type == ABI_PKT_EXCEPTION && !p->no_addr)
		out_text(o, (p->exception >> ABI_PKT_EXC_ADDR_SHIFT & 3) == 2 ?
			 " Ret Addr Follows, Match Prev;" : " Ret Addr Follows;");
	if (m && p->exception & ABI_PKT_EXC_FAULT)
		out_text(o, " Fault Pending;");
}

static void put_count(struct out *o, const char *text, uint64_t n)
{
	out_text(o, text);
	out_dec(o, n);
	out_char(o, ')');
}

/* First the atoms, then the cancel, then the mispredict. */
static void put_cancel(struct out *o, const struct abi_packet *p)
{
	bool first = p->type == ABI_PKT_CANCEL1 || p->type == ABI_PKT_CANCEL1_MISP;

	out_text(o, "; ");
	if (!first && p->n_atom) {
		out_text(o, "Atom: ");
		put_atoms(o, p);
		out_text(o, ", ");
	}
	if (p->type != ABI_PKT_MISPREDICT)
		put_count(o, "Cancel(", p->cancel);
	if (p->type == ABI_PKT_MISPREDICT)
		out_text(o, "Mispredict");
	else if (p->type != ABI_PKT_CANCEL1)
		out_text(o, ", Mispredict");
}

static void put_q(struct out *o, const struct abi_packet *p)
{
	if (p->q.flags & ABI_PKT_Q_COUNT)
		put_count(o, "; Count(", p->q.count);
	else
		out_text(o, "; Count(Unknown)");
	if (p->q.flags & ABI_PKT_Q_MATCH) {
		out_text(o, "; [");
		out_dec(o, p->match);
		out_char(o, ']');
	}
	if (!(p->q.flags & ABI_PKT_Q_ADDR))
		return;
	out_text(o, "; ");
	put_address(o, p, p->addr_bits < 64);
}

/* The words after the text of a packet; most packets have none. */
static void detail(struct out *o, const struct abi_packet *p)
{
	switch (p->type) {
	case ABI_PKT_INFO:
		put_info(o, p);
		break;
	case ABI_PKT_TIME:
		put_number(o, "; Updated val = 0x", p->time);
		if (p->valid & ABI_PKT_HAS_CC)
			put_number(o, "; CC=0x", p->cycle_count);
		break;
	case ABI_PKT_EXCEPTION:
		put_exception(o, p);
		break;
	case ABI_PKT_CC1:
	case ABI_PKT_CC2:
	case ABI_PKT_CC3:
		put_number(o, "; Count=0x", p->cycle_count);
		break;
	case ABI_PKT_COMMIT:
		put_count(o, "; Commit(", p->commit);
		break;
	case ABI_PKT_CANCEL1:
	case ABI_PKT_CANCEL1_MISP:
	case ABI_PKT_CANCEL2:
	case ABI_PKT_CANCEL3:
	case ABI_PKT_MISPREDICT:
		put_cancel(o, p);
		break;
	case ABI_PKT_Q:
		put_q(o, p);
		break;
	case ABI_PKT_ITE:
		put_number(o, "; EL", p->payload_el);
		put_number(o, "; Payload=0x", p->payload);
		break;
	case ABI_PKT_CONTEXT:
		out_text(o, "; ");
		put_context(o, p);
		break;
	case ABI_PKT_ATOM1:
	case ABI_PKT_ATOM2:
	case ABI_PKT_ATOM3:
	case ABI_PKT_ATOM4:
	case ABI_PKT_ATOM5:
	case ABI_PKT_ATOM6:
		out_text(o, "; ");
		put_atoms(o, p);
		break;
	default:
		break;
	}
}

static const struct words *words_of(uint32_t type)
{
	return &words[type < ABI_PKT_NAMED && words[type].name ? type : ABI_PKT_EXTENSION];
}

/* The brackets contain the packet that was being read when it turned out bad. */
static void bad_line(struct out *o, const struct abi_packet *p)
{
	switch (p->type) {
	case ABI_PKT_NOT_SYNC:
		out_text(o, "I_NOT_SYNC : I Stream not synchronised");
		return;
	case ABI_PKT_RESERVED:
		out_text(o, "I_RESERVED : Reserved Packet Header");
		return;
	case ABI_PKT_RESERVED_CONFIG:
		out_text(o, "I_RESERVED_CFG : Reserved header for current configuration.");
		break;
	case ABI_PKT_BAD_SEQUENCE:
		out_text(o, "I_BAD_SEQUENCE : Invalid Sequence in packet.");
		break;
	default:
		out_text(o, "I_INCOMPLETE_EOT : Incomplete packet at end of trace.");
		break;
	}
	out_char(o, '[');
	out_text(o, words_of(p->err_type)->name);
	if (has_is(p->err_type))
		out_char(o, '0');
	out_char(o, ']');
}

void ocsd_packet_text(struct out *o, const struct abi_packet *p)
{
	if (p->type >= ABI_PKT_NOT_SYNC && p->type < ABI_PKT_RESET) {
		bad_line(o, p);
		return;
	}
	out_text(o, words_of(p->type)->name);
	if (has_is(p->type))
		out_char(o, p->is ? '1' : '0');
	out_text(o, " : ");
	out_text(o, words_of(p->type)->text);
	if (has_is(p->type) || is_match(p))
		address_line(o, p);
	else
		detail(o, p);
}
