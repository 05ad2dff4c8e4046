// SPDX-License-Identifier: GPL-2.0-only
/* The structure of a packet of ETMv3 that clients get, and the words of trc_pkt_lister for it. */
#include "packet-older.h"

#define DATA_BIG	0x02	/* DATA_x: csf_packet.info */
#define DATA_TAG(i)	((i) >> 4 & 3)

static const uint8_t types[CSF_PKT_NR] = {
	[CSF_PKT_BAD] = ABI_ETM3_RESERVED, [CSF_PKT_ASYNC] = ABI_ETM3_ASYNC,
	[CSF_PKT_ISYNC] = ABI_ETM3_ISYNC, [CSF_PKT_BRANCH] = ABI_ETM3_BRANCH,
	[CSF_PKT_ATOM] = ABI_ETM3_ATOMS, [CSF_PKT_CYCLES] = ABI_ETM3_CYCLES,
	[CSF_PKT_TIME] = ABI_ETM3_TIME, [CSF_PKT_CTXTID] = ABI_ETM3_CID,
	[CSF_PKT_VMID] = ABI_ETM3_VMID, [CSF_PKT_TRIGGER] = ABI_ETM3_TRIGGER,
	[CSF_PKT_IGNORE] = ABI_ETM3_IGNORE, [CSF_PKT_ERET] = ABI_ETM3_ERET,
	[CSF_PKT_EXC_ENTRY] = ABI_ETM3_EXC_ENTRY, [CSF_PKT_DATA] = ABI_ETM3_DATA,
	[CSF_PKT_DATA_PLACE] = ABI_ETM3_DATA_PLACE, [CSF_PKT_DATA_LATE] = ABI_ETM3_DATA_LATE,
	[CSF_PKT_DATA_UNTRACED] = ABI_ETM3_DATA_UNTRACED,
	[CSF_PKT_DATA_FAILED] = ABI_ETM3_DATA_FAILED, [CSF_PKT_DATA_LOST] = ABI_ETM3_DATA_LOST,
};

/* Of A and R profile. */
static const uint8_t exceptions[16] = {
	ABI_EXC_NONE, ABI_EXC_DEBUG_HALT, ABI_EXC_SMC, ABI_EXC_HYP, ABI_EXC_ASYNC_ABORT,
	ABI_EXC_JAZELLE, ABI_EXC_RESERVED, ABI_EXC_RESERVED, ABI_EXC_RESET, ABI_EXC_UNDEF,
	ABI_EXC_SVC, ABI_EXC_PREFETCH_ABORT, ABI_EXC_DATA_ABORT, ABI_EXC_GENERIC, ABI_EXC_IRQ,
	ABI_EXC_FIQ,
};

/* Of M profile; from 24 on they are interrupts. */
static const uint8_t exceptions_m[24] = {
	ABI_EXC_NONE, ABI_EXC_M_IRQ, ABI_EXC_M_IRQ, ABI_EXC_M_IRQ, ABI_EXC_M_IRQ, ABI_EXC_M_IRQ,
	ABI_EXC_M_IRQ, ABI_EXC_M_IRQ, ABI_EXC_M_IRQ, ABI_EXC_M_USAGE_FAULT, ABI_EXC_M_NMI,
	ABI_EXC_SVC, ABI_EXC_M_DEBUG_MONITOR, ABI_EXC_M_MEM_MANAGE, ABI_EXC_M_PENDSV,
	ABI_EXC_M_SYSTICK, ABI_EXC_RESERVED, ABI_EXC_RESET, ABI_EXC_RESERVED, ABI_EXC_M_HARD_FAULT,
	ABI_EXC_RESERVED, ABI_EXC_M_BUS_FAULT, ABI_EXC_RESERVED, ABI_EXC_RESERVED,
};

/* Of the older form. */
static const uint8_t exceptions_old[8] = {
	ABI_EXC_RESET, ABI_EXC_IRQ, ABI_EXC_RESERVED, ABI_EXC_RESERVED, ABI_EXC_JAZELLE,
	ABI_EXC_FIQ, ABI_EXC_ASYNC_ABORT, ABI_EXC_DEBUG_HALT,
};

void ocsd_etm3_start(struct abi_etm3_packet *p)
{
	*p = (struct abi_etm3_packet){ .isa = ABI_ISA_UNKNOWN, .isa_before = ABI_ISA_UNKNOWN };
}

/* Clears what belongs to one packet only. */
static void forget(struct abi_etm3_packet *p)
{
	p->isa_before = p->isa;
	p->context.flags &= ABI_OLDER_ALT | ABI_OLDER_NS | ABI_OLDER_HYP;
	p->addr.bits = 0;
	p->isync_flags = 0;
	p->exception = (struct abi_older_packet_exception){ 0 };
	p->atoms = (struct abi_older_atoms){ 0 };
	p->format = 0;
	p->cycle_count = 0;
	p->time_bits = 0;
	p->data.value = 0;
	p->data.addr.bits = 0;
	p->data.flags = 0;
	p->err_type = ABI_ETM3_NO_ERR;
}

static void make_bad(struct abi_etm3_packet *p, const struct csf_packet *pkt)
{
	static const uint8_t why[] = {
		[CSF_BAD_RESERVED] = ABI_ETM3_RESERVED, [CSF_BAD_CONFIG] = ABI_ETM3_BAD_MODE,
		[CSF_BAD_SEQUENCE] = ABI_ETM3_BAD_SEQUENCE, [CSF_BAD_CUT] = ABI_ETM3_CUT,
		[CSF_BAD_UNSYNC] = ABI_ETM3_NOT_SYNC,
	};

	p->type = why[pkt->n <= CSF_BAD_UNSYNC ? pkt->n : CSF_BAD_RESERVED];
	if (p->type != ABI_ETM3_NOT_SYNC)
		p->err_type = types[pkt->info < CSF_PKT_NR ? pkt->info : 0];
}

static void take_cid(struct abi_etm3_packet *p, const struct csf_packet *pkt)
{
	p->context.contextid = pkt->contextid;
	p->context.flags |= ABI_OLDER_CID;
}

static void take_data_address(struct abi_etm3_packet *p, uint64_t val, unsigned int bits)
{
	struct abi_older_address *a = &p->data.addr;
	const uint64_t mask = bits < 32 ? (1ull << bits) - 1 : UINT32_MAX;

	a->addr = (a->addr & ~mask) | (val & mask);
	a->bits = bits < 32 ? bits : 32;
	if (a->valid < a->bits)
		a->valid = a->bits;
}

static void make_isync(struct abi_etm3_packet *p, const struct csf_config *config,
		       const struct csf_packet *pkt)
{
	const uint32_t isa = ocsd_older_isa(pkt);
	const unsigned int unit = isa == ABI_A32 ? 2 : isa != ABI_JAZELLE;

	p->isync_reason = OLDER_REASON(pkt->info);
	if (pkt->flags & CSF_PKT_COUNT) {
		p->type = ABI_ETM3_ISYNC_CYCLES;
		p->isync_flags |= ABI_ETM3_HAS_CYCLES;
		p->cycle_count = pkt->count;
	}
	ocsd_older_state(&p->context, pkt, true);
	if (config->etmcr >> 14 & 3)
		take_cid(p, pkt);
	if (pkt->n)
		ocsd_older_address(&p->addr, &p->isa, pkt);
	else
		p->isync_flags |= ABI_ETM3_NO_ADDRESS;
	if (!pkt->commit)
		return;
	p->isync_flags |= ABI_ETM3_HAS_LSIP;
	p->data.addr = (struct abi_older_address){ .addr = p->addr.addr, .valid = 32 };
	take_data_address(p, pkt->val2 << unit, pkt->commit + unit);
}

static void make_exception(struct abi_etm3_packet *p, const struct csf_config *config,
			   const struct csf_packet *pkt)
{
	const bool m = config->profile == CSF_PROFILE_M && !(pkt->info & OLDER_OLD);
	const unsigned int number = pkt->exception;
	struct abi_older_packet_exception *e = &p->exception;
	unsigned int irq = number >= 24 ? number - 16 : number & 7;

	e->number = number;
	e->flags = ABI_OLDER_EXC | (pkt->info & OLDER_CANCEL ? ABI_OLDER_EXC_CANCEL : 0) |
		   (m ? ABI_OLDER_EXC_M : 0);
	if (pkt->info & OLDER_OLD)
		e->kind = exceptions_old[number & 7];
	else if (m)
		e->kind = number < 24 ? exceptions_m[number] : ABI_EXC_M_IRQ;
	else
		e->kind = number < 16 ? exceptions[number] : ABI_EXC_RESERVED;
	if (m && e->kind == ABI_EXC_M_IRQ)
		e->flags |= irq << ABI_OLDER_EXC_IRQ;
	if (pkt->info & OLDER_RESUME && !(pkt->info & OLDER_OLD))
		e->flags |= (pkt->count & 15) << ABI_OLDER_EXC_RESUME;
}

static void make_branch(struct abi_etm3_packet *p, const struct csf_config *config,
			const struct csf_packet *pkt)
{
	ocsd_older_address(&p->addr, &p->isa, pkt);
	if (pkt->flags & CSF_PKT_CTXT) {
		ocsd_older_state(&p->context, pkt, pkt->info & OLDER_LONG);
		p->context.flags &= ~ABI_OLDER_ALT;
		p->context.flags |= pkt->info & OLDER_ALT ? ABI_OLDER_ALT : 0;
	}
	if (pkt->flags & CSF_PKT_CTXT || pkt->info & OLDER_OLD)
		make_exception(p, config, pkt);
}

/* The format is that of the header. */
static void make_atoms(struct abi_etm3_packet *p, const struct csf_packet *pkt, uint8_t header)
{
	p->atoms = (struct abi_older_atoms){ pkt->val, pkt->n };
	p->cycle_count = pkt->flags & CSF_PKT_COUNT ? pkt->count : 0;
	if (header & 2)
		p->format = header & 0x10 ? 4 : 2;
	else
		p->format = pkt->flags & CSF_PKT_COUNT && header & 0x20 ? 3 : 1;
}

static void make_time(struct abi_etm3_packet *p, const struct csf_packet *pkt)
{
	const uint64_t mask = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;

	p->time = (p->time & ~mask) | pkt->val;
	p->time_bits = pkt->n;
}

static void make_data(struct abi_etm3_packet *p, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_ADDR) {
		take_data_address(p, pkt->val2, pkt->commit);
		p->data.flags |= ABI_ETM3_DATA_HAS_ADDR | ABI_ETM3_DATA_HAS_BE |
				 (pkt->info & DATA_BIG ? ABI_ETM3_DATA_BE : 0);
	}
	p->data.flags |= DATA_TAG(pkt->info);
	if (pkt->type != CSF_PKT_DATA && pkt->type != CSF_PKT_DATA_LATE)
		return;
	p->data.value = pkt->val;
	p->data.flags |= ABI_ETM3_DATA_HAS_VALUE;
}

void ocsd_etm3_make(struct abi_etm3_packet *p, const struct csf_config *config,
		    const struct csf_packet *pkt, uint8_t header)
{
	forget(p);
	p->type = types[pkt->type < CSF_PKT_NR ? pkt->type : 0];
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		make_bad(p, pkt);
		break;
	case CSF_PKT_ISYNC:
		make_isync(p, config, pkt);
		break;
	case CSF_PKT_BRANCH:
		make_branch(p, config, pkt);
		break;
	case CSF_PKT_ATOM:
		make_atoms(p, pkt, header);
		break;
	case CSF_PKT_CYCLES:
		p->cycle_count = pkt->count;
		break;
	case CSF_PKT_TIME:
		make_time(p, pkt);
		break;
	case CSF_PKT_CTXTID:
		take_cid(p, pkt);
		break;
	case CSF_PKT_VMID:
		p->context.vmid = pkt->vmid;
		p->context.flags |= ABI_OLDER_VMID;
		break;
	case CSF_PKT_DATA:
	case CSF_PKT_DATA_PLACE:
	case CSF_PKT_DATA_LATE:
	case CSF_PKT_DATA_UNTRACED:
		make_data(p, pkt);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- words */

static const struct {
	const char *name, *text;
} words[] = {
	[ABI_ETM3_NOT_SYNC] = { "NOTSYNC", "Trace Stream not synchronised" },
	[ABI_ETM3_CUT] = { "INCOMPLETE_EOT.", "Incomplete packet at end of trace data." },
	[ABI_ETM3_BRANCH] = { "BRANCH_ADDRESS", "Branch address." },
	[ABI_ETM3_ASYNC] = { "A_SYNC", "Alignment Synchronisation." },
	[ABI_ETM3_CYCLES] = { "CYCLE_COUNT", "Cycle Count." },
	[ABI_ETM3_ISYNC] = { "I_SYNC", "Instruction Packet synchronisation." },
	[ABI_ETM3_ISYNC_CYCLES] = {
		"I_SYNC_CYCLE", "Instruction Packet synchronisation with cycle count."
	},
	[ABI_ETM3_TRIGGER] = { "TRIGGER", "Trace Trigger Event." },
	[ABI_ETM3_ATOMS] = { "P_HDR", "Atom P-header." },
	[ABI_ETM3_DATA_FAILED] = { "STORE_FAIL", "Data Store Failed." },
	[ABI_ETM3_DATA_LATE] = { "OOO_DATA", "Out of Order data value packet." },
	[ABI_ETM3_DATA_PLACE] = { "OOO_ADDR_PLC", "Out of Order data address placeholder." },
	[ABI_ETM3_DATA] = { "NORM_DATA", "Data trace packet." },
	[ABI_ETM3_DATA_LOST] = { "DATA_SUPPRESSED", "Data trace suppressed." },
	[ABI_ETM3_DATA_UNTRACED] = { "VAL_NOT_TRACED", "Data trace value not traced." },
	[ABI_ETM3_IGNORE] = { "IGNORE", "Packet ignored." },
	[ABI_ETM3_CID] = { "CONTEXT_ID", "Context ID change." },
	[ABI_ETM3_VMID] = { "VMID", "VMID change." },
	[ABI_ETM3_EXC_ENTRY] = { "EXCEPTION_ENTRY", "Exception entry data marker." },
	[ABI_ETM3_ERET] = { "EXCEPTION_EXIT", "Exception return." },
	[ABI_ETM3_TIME] = { "TIMESTAMP", "Timestamp Value." },
	[ABI_ETM3_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence for packet type." },
	[ABI_ETM3_BAD_MODE] = { "BAD_TRACEMODE", "Invalid packet type for this trace mode." },
	[ABI_ETM3_RESERVED] = { "I_RESERVED", "Reserved Packet Header" },
};

static uint32_t named(uint32_t type)
{
	return type <= ABI_ETM3_RESERVED && words[type].name ? type : ABI_ETM3_RESERVED;
}

static void put_cycles(struct out *o, uint32_t count, const char *after)
{
	out_text(o, "Cycles=");
	out_dec(o, count);
	out_text(o, after);
}

static void put_isync(struct out *o, const struct abi_etm3_packet *p)
{
	ocsd_older_put_reason(o, p->isync_reason);
	if (!(p->isync_flags & ABI_ETM3_NO_ADDRESS)) {
		out_text(o, p->isync_flags & ABI_ETM3_HAS_LSIP ? "Data Instr Addr=0x" : "Addr=0x");
		out_hex_wide(o, p->addr.addr, 8);
		out_text(o, "; ");
	}
	ocsd_older_put_state(o, &p->context);
	if (!(p->context.flags & ABI_OLDER_HYP))
		out_char(o, ' ');
	if (p->context.flags & ABI_OLDER_CID) {
		out_text(o, "CtxtID=");
		out_hex(o, p->context.contextid);
		out_text(o, "; ");
	}
	if (p->isync_flags & ABI_ETM3_NO_ADDRESS)
		return;
	ocsd_older_put_isa(o, p->isa);
	if (p->isync_flags & ABI_ETM3_HAS_CYCLES)
		put_cycles(o, p->cycle_count, "; ");
	if (!(p->isync_flags & ABI_ETM3_HAS_LSIP))
		return;
	ocsd_older_put_address(o, "Curr Instr Addr", &p->data.addr);
	out_char(o, ';');
}

static void put_exception(struct out *o, const struct abi_older_packet_exception *e)
{
	const bool m = e->flags & ABI_OLDER_EXC_M;
	const uint32_t resume = e->flags >> ABI_OLDER_EXC_RESUME & 15;

	out_text(o, "Exception=");
	out_text(o, ocsd_older_exception(e->kind));
	if (m && e->kind == ABI_EXC_M_IRQ)
		out_dec(o, e->flags >> ABI_OLDER_EXC_IRQ & 0x1ff);
	out_text(o, m ? "" : "; ");
	if (m && resume) {
		out_text(o, "; Resume=");
		out_dec(o, resume);
	}
	if (e->flags & ABI_OLDER_EXC_CANCEL)
		out_text(o, "; Cancel prev instr");
}

static void put_branch(struct out *o, const struct abi_etm3_packet *p)
{
	ocsd_older_put_address(o, "Addr", &p->addr);
	out_text(o, "; ");
	if (p->isa != p->isa_before)
		ocsd_older_put_isa(o, p->isa);
	if (p->context.flags & ABI_OLDER_UPDATED)
		ocsd_older_put_state(o, &p->context);
	if (p->exception.flags & ABI_OLDER_EXC)
		put_exception(o, &p->exception);
}

/* W for each cycle: one before each atom; or one for all of them; or all before the only one. */
static void put_atoms(struct out *o, const struct abi_etm3_packet *p)
{
	const uint32_t cycles = p->cycle_count < 8 ? p->cycle_count : 8;

	if (p->format == 3 || (p->format == 2 && cycles))
		for (uint32_t i = 0; i < (p->format == 3 ? cycles : 1); i++)
			out_char(o, 'W');
	for (int i = 0; i < p->atoms.n && i < 32; i++) {
		if (p->format == 1 && cycles)
			out_char(o, 'W');
		out_char(o, p->atoms.bits >> i & 1 ? 'E' : 'N');
	}
	if (!cycles)
		return;
	out_text(o, "; ");
	put_cycles(o, p->cycle_count, "");
}

static void put_number(struct out *o, const char *name, uint64_t v)
{
	out_text(o, name);
	out_hex(o, v);
}

static void put_data(struct out *o, const struct abi_etm3_packet *p)
{
	if (p->data.flags & ABI_ETM3_DATA_HAS_ADDR && p->type != ABI_ETM3_DATA_LATE) {
		out_text(o, "; ");
		ocsd_older_put_address(o, "Addr", &p->data.addr);
	}
	if (p->type == ABI_ETM3_DATA_LATE ||
	    (p->type == ABI_ETM3_DATA && p->data.flags & ABI_ETM3_DATA_HAS_VALUE))
		put_number(o, "; Val=0x", p->data.value);
	if (p->type == ABI_ETM3_DATA_LATE || p->type == ABI_ETM3_DATA_PLACE)
		put_number(o, "; OO_Tag=0x", p->data.flags & 3);
}

static void put_time(struct out *o, const struct abi_etm3_packet *p)
{
	out_text(o, "TS=0x");
	out_hex(o, p->time);
	out_text(o, " (");
	out_dec(o, p->time);
	out_text(o, ") ");
}

/* Writes what comes after "; ". */
static void put_detail(struct out *o, const struct abi_etm3_packet *p)
{
	switch ((enum abi_etm3_type)p->type) {
	case ABI_ETM3_BRANCH:
		put_branch(o, p);
		break;
	case ABI_ETM3_ISYNC:
	case ABI_ETM3_ISYNC_CYCLES:
		put_isync(o, p);
		break;
	case ABI_ETM3_ATOMS:
		put_atoms(o, p);
		break;
	case ABI_ETM3_CYCLES:
		put_cycles(o, p->cycle_count, "");
		break;
	case ABI_ETM3_CID:
		put_number(o, "CtxtID=0x", p->context.contextid);
		break;
	case ABI_ETM3_VMID:
		put_number(o, "VMID=0x", p->context.vmid);
		break;
	default:
		put_time(o, p);
		break;
	}
}

/* Types whose words end with details after "; ". */
#define DETAILED	(1u << ABI_ETM3_BRANCH | 1u << ABI_ETM3_ISYNC | 1u << ABI_ETM3_ATOMS | \
			 1u << ABI_ETM3_ISYNC_CYCLES | 1u << ABI_ETM3_CYCLES | \
			 1u << ABI_ETM3_CID | 1u << ABI_ETM3_VMID | 1u << ABI_ETM3_TIME)

void ocsd_etm3_text(struct out *o, const struct abi_etm3_packet *p)
{
	const uint32_t type = named(p->type);

	out_text(o, words[type].name);
	out_text(o, " : ");
	out_text(o, words[type].text);
	if (1u << type & DETAILED) {
		out_text(o, "; ");
		put_detail(o, p);
	} else if (type >= ABI_ETM3_DATA_LATE && type <= ABI_ETM3_DATA_UNTRACED) {
		put_data(o, p);
	} else if (type == ABI_ETM3_BAD_SEQUENCE || type == ABI_ETM3_BAD_MODE) {
		out_char(o, '[');
		out_text(o, words[named(p->err_type)].name);
		out_char(o, ']');
	}
}
