// SPDX-License-Identifier: GPL-2.0-only
/* The structure of a packet of PTM that clients get, and the words of trc_pkt_lister for it. */
#include "packet-older.h"

static const uint8_t types[CSF_PKT_NR] = {
	[CSF_PKT_BAD] = ABI_PTM_RESERVED, [CSF_PKT_ASYNC] = ABI_PTM_ASYNC,
	[CSF_PKT_ISYNC] = ABI_PTM_ISYNC, [CSF_PKT_BRANCH] = ABI_PTM_BRANCH,
	[CSF_PKT_WAYPOINT] = ABI_PTM_WAYPOINT, [CSF_PKT_ATOM] = ABI_PTM_ATOMS,
	[CSF_PKT_TIME] = ABI_PTM_TIME, [CSF_PKT_CTXTID] = ABI_PTM_CID,
	[CSF_PKT_VMID] = ABI_PTM_VMID, [CSF_PKT_TRIGGER] = ABI_PTM_TRIGGER,
	[CSF_PKT_IGNORE] = ABI_PTM_IGNORE, [CSF_PKT_ERET] = ABI_PTM_ERET,
};

static const uint8_t exceptions[16] = {
	ABI_EXC_NONE, ABI_EXC_DEBUG_HALT, ABI_EXC_SMC, ABI_EXC_HYP, ABI_EXC_ASYNC_ABORT,
	ABI_EXC_TEE_CHECK, ABI_EXC_RESERVED, ABI_EXC_RESERVED, ABI_EXC_RESET, ABI_EXC_UNDEF,
	ABI_EXC_SVC, ABI_EXC_PREFETCH_ABORT, ABI_EXC_DATA_ABORT, ABI_EXC_GENERIC, ABI_EXC_IRQ,
	ABI_EXC_FIQ,
};

void ocsd_ptm_start(struct abi_ptm_packet *p)
{
	*p = (struct abi_ptm_packet){
		.isa = ABI_ISA_UNKNOWN, .isa_before = ABI_ISA_UNKNOWN, .err_type = ABI_PTM_NO_ERR,
	};
}

/* Clears what belongs to one packet only. */
static void forget(struct abi_ptm_packet *p)
{
	p->isa_before = p->isa;
	p->context.flags &= ABI_OLDER_ALT | ABI_OLDER_NS | ABI_OLDER_HYP;
	p->atoms.bits = 0;
	p->cycle_count = 0;
	p->has_cycles = 0;
	p->time_bits = 0;
	p->exception = (struct abi_older_packet_exception){ 0 };
	p->err_type = ABI_PTM_NO_ERR;
}

static void make_bad(struct abi_ptm_packet *p, const struct csf_packet *pkt)
{
	p->type = pkt->n == CSF_BAD_UNSYNC ? ABI_PTM_NOT_SYNC :
		  pkt->n == CSF_BAD_CUT ? ABI_PTM_CUT :
		  pkt->n == CSF_BAD_SEQUENCE ? ABI_PTM_BAD_SEQUENCE : ABI_PTM_RESERVED;
	if (pkt->n == CSF_BAD_CUT || pkt->n == CSF_BAD_SEQUENCE)
		p->err_type = types[pkt->info < CSF_PKT_NR ? pkt->info : 0];
}

static void take_cid(struct abi_ptm_packet *p, const struct csf_packet *pkt)
{
	p->context.contextid = pkt->contextid;
	p->context.flags |= ABI_OLDER_CID;
}

static void make_isync(struct abi_ptm_packet *p, const struct csf_config *config,
		       const struct csf_packet *pkt)
{
	ocsd_older_address(&p->addr, &p->isa, pkt);
	ocsd_older_state(&p->context, pkt, true);
	p->context.flags &= ~ABI_OLDER_ALT;
	p->context.flags |= pkt->info & OLDER_ALT ? ABI_OLDER_ALT : 0;
	p->isync_reason = OLDER_REASON(pkt->info);
	if (config->etmcr >> 14 & 3)
		take_cid(p, pkt);
}

/* Before a full address, a short one counts as that of T32. */
static void make_branch(struct abi_ptm_packet *p, const struct csf_packet *pkt)
{
	uint32_t isa = p->isa == ABI_ISA_UNKNOWN ? ABI_T32 : p->isa;

	ocsd_older_address(&p->addr, &isa, pkt);
	if (pkt->n == 32)
		p->isa = isa;
	if (!(pkt->flags & CSF_PKT_CTXT) || pkt->type == CSF_PKT_WAYPOINT)
		return;
	ocsd_older_state(&p->context, pkt, true);
	p->exception = (struct abi_older_packet_exception){
		.kind = pkt->exception < 16 ? exceptions[pkt->exception] : ABI_EXC_RESERVED,
		.number = pkt->exception, .flags = ABI_OLDER_EXC,
	};
}

static void make_time(struct abi_ptm_packet *p, const struct csf_packet *pkt)
{
	const uint64_t mask = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;

	p->time = (p->time & ~mask) | pkt->val;
	p->time_bits = pkt->n;
}

void ocsd_ptm_make(struct abi_ptm_packet *p, const struct csf_config *config,
		   const struct csf_packet *pkt)
{
	forget(p);
	p->type = types[pkt->type < CSF_PKT_NR ? pkt->type : 0];
	p->has_cycles = !!(pkt->flags & CSF_PKT_COUNT);
	p->cycle_count = p->has_cycles ? pkt->count : 0;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		make_bad(p, pkt);
		break;
	case CSF_PKT_ISYNC:
		make_isync(p, config, pkt);
		break;
	case CSF_PKT_BRANCH:
	case CSF_PKT_WAYPOINT:
		make_branch(p, pkt);
		break;
	case CSF_PKT_ATOM:
		p->atoms = (struct abi_older_atoms){ pkt->val, pkt->n };
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
	default:
		break;
	}
}

/* ---------------------------------------------------------------- words */

static const struct {
	const char *name, *text;
} words[] = {
	[ABI_PTM_NOT_SYNC] = { "NOTSYNC", "PTM Not Synchronised" },
	[ABI_PTM_CUT] = { "INCOMPLETE_EOT", "Incomplete packet flushed at end of trace" },
	[ABI_PTM_NO_ERR] = { "NO_ERROR", "Error type not set" },
	[ABI_PTM_BRANCH] = { "BRANCH_ADDRESS", "Branch address packet" },
	[ABI_PTM_ASYNC] = { "ASYNC", "Alignment Synchronisation Packet" },
	[ABI_PTM_ISYNC] = { "ISYNC", "Instruction Synchronisation packet" },
	[ABI_PTM_TRIGGER] = { "TRIGGER", "Trigger Event packet" },
	[ABI_PTM_WAYPOINT] = { "WP_UPDATE", "Waypoint update packet" },
	[ABI_PTM_IGNORE] = { "IGNORE", "Ignore packet" },
	[ABI_PTM_CID] = { "CTXTID", "Context ID packet" },
	[ABI_PTM_VMID] = { "VMID", "VM ID packet" },
	[ABI_PTM_ATOMS] = { "ATOM", "Atom packet" },
	[ABI_PTM_TIME] = { "TIMESTAMP", "Timestamp packet" },
	[ABI_PTM_ERET] = { "ERET", "Exception return packet" },
	[ABI_PTM_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence in packet" },
	[ABI_PTM_RESERVED] = { "RESERVED", "Reserved Packet Header" },
};

static const char *name_of(uint32_t type)
{
	return (type <= ABI_PTM_RESERVED ? words[type].name : NULL) ?: "UNKNOWN";
}

static void put_isync(struct out *o, const struct abi_ptm_packet *p)
{
	ocsd_older_put_reason(o, p->isync_reason);
	out_text(o, "Addr=0x");
	out_hex_wide(o, p->addr.addr, 8);
	out_text(o, "; ");
	ocsd_older_put_state(o, &p->context);
	if (!(p->context.flags & ABI_OLDER_HYP))
		out_char(o, ' ');
	if (p->context.flags & ABI_OLDER_CID) {
		out_text(o, "CtxtID=");
		out_hex_wide(o, p->context.contextid, 8);
		out_text(o, "; ");
	}
	ocsd_older_put_isa(o, p->isa);
}

static void put_branch(struct out *o, const struct abi_ptm_packet *p)
{
	const struct abi_older_packet_exception *e = &p->exception;

	ocsd_older_put_address(o, "Addr", &p->addr);
	out_text(o, "; ");
	if (p->isa != p->isa_before)
		ocsd_older_put_isa(o, p->isa);
	if (p->context.flags & ABI_OLDER_UPDATED)
		ocsd_older_put_state(o, &p->context);
	if (!(e->flags & ABI_OLDER_EXC))
		return;
	out_text(o, "Excep=");
	out_text(o, e->number < 16 ? ocsd_older_exception(e->kind) : "Unknown");
	out_text(o, " [");
	out_hex_wide(o, e->number, 2);
	out_text(o, "]; ");
}

static void put_time(struct out *o, const struct abi_ptm_packet *p)
{
	const uint64_t mask = p->time_bits < 64 ? (1ull << p->time_bits) - 1 : ~0ull;

	out_text(o, "TS=0x");
	ocsd_older_put_capitals(o, p->time, 16);
	if (p->time_bits) {
		out_text(o, " ~[0x");
		ocsd_older_put_capitals(o, p->time & mask, 1);
		out_char(o, ']');
	}
	out_char(o, '(');
	out_dec(o, p->time);
	out_text(o, "); ");
}

static void put_number(struct out *o, const char *name, uint32_t v, int width)
{
	out_text(o, name);
	out_hex_wide(o, v, width);
	out_text(o, "; ");
}

static void put_detail(struct out *o, const struct abi_ptm_packet *p)
{
	switch ((enum abi_ptm_type)p->type) {
	case ABI_PTM_ISYNC:
		put_isync(o, p);
		break;
	case ABI_PTM_BRANCH:
	case ABI_PTM_WAYPOINT:
		put_branch(o, p);
		break;
	case ABI_PTM_ATOMS:
		for (int i = 0; i < p->atoms.n && i < 32; i++)
			out_char(o, p->atoms.bits >> i & 1 ? 'E' : 'N');
		out_text(o, "; ");
		break;
	case ABI_PTM_TIME:
		put_time(o, p);
		break;
	case ABI_PTM_CID:
		put_number(o, "CtxtID=0x", p->context.contextid, 8);
		break;
	case ABI_PTM_VMID:
		put_number(o, "VMID=0x", p->context.vmid, 2);
		break;
	case ABI_PTM_BAD_SEQUENCE:
		out_char(o, '[');
		out_text(o, name_of(p->err_type));
		out_text(o, "]; ");
		break;
	default:
		break;
	}
}

void ocsd_ptm_text(struct out *o, const struct abi_ptm_packet *p)
{
	const bool known = p->type <= ABI_PTM_RESERVED && words[p->type].text;

	out_text(o, name_of(p->type));
	out_text(o, " : ");
	out_text(o, known ? words[p->type].text : "Unknown packet type");
	out_text(o, "; ");
	put_detail(o, p);
	if (!p->has_cycles)
		return;
	out_text(o, "Cycles=");
	out_dec(o, p->cycle_count);
	out_text(o, "; ");
}
