// SPDX-License-Identifier: GPL-2.0-only
/* Makes the structure of a packet that clients get. */
#include <string.h>

#include "packet.h"

static const uint16_t types[CSF_PKT_NR] = {
	[CSF_PKT_BAD] = ABI_PKT_NO_ERR, [CSF_PKT_ASYNC] = ABI_PKT_ASYNC,
	[CSF_PKT_DISCARD] = ABI_PKT_DISCARD, [CSF_PKT_OVERFLOW] = ABI_PKT_OVERFLOW,
	[CSF_PKT_BF_FLUSH] = ABI_PKT_EXTENSION, [CSF_PKT_INFO] = ABI_PKT_INFO,
	[CSF_PKT_TIME] = ABI_PKT_TIME, [CSF_PKT_ON] = ABI_PKT_ON,
	[CSF_PKT_RETURN] = ABI_PKT_RETURN, [CSF_PKT_EXCEPTION] = ABI_PKT_EXCEPTION,
	[CSF_PKT_ERET] = ABI_PKT_ERET, [CSF_PKT_ITE] = ABI_PKT_ITE,
	[CSF_PKT_TM_START] = ABI_PKT_TM_START, [CSF_PKT_TM_COMMIT] = ABI_PKT_TM_COMMIT,
	[CSF_PKT_CC1] = ABI_PKT_CC1, [CSF_PKT_CC2] = ABI_PKT_CC2, [CSF_PKT_CC3] = ABI_PKT_CC3,
	[CSF_PKT_DSYNC_N] = ABI_PKT_DSYNC_N, [CSF_PKT_DSYNC_U] = ABI_PKT_DSYNC_U,
	[CSF_PKT_COMMIT] = ABI_PKT_COMMIT, [CSF_PKT_CANCEL1] = ABI_PKT_CANCEL1,
	[CSF_PKT_MISPREDICT] = ABI_PKT_MISPREDICT, [CSF_PKT_CANCEL2] = ABI_PKT_CANCEL2,
	[CSF_PKT_CANCEL3] = ABI_PKT_CANCEL3, [CSF_PKT_COND_I1] = ABI_PKT_COND_I1,
	[CSF_PKT_COND_I2] = ABI_PKT_COND_I2, [CSF_PKT_COND_I3] = ABI_PKT_COND_I3,
	[CSF_PKT_COND_FLUSH] = ABI_PKT_COND_FLUSH, [CSF_PKT_COND_R1] = ABI_PKT_COND_R1,
	[CSF_PKT_COND_R2] = ABI_PKT_COND_R2, [CSF_PKT_COND_R3] = ABI_PKT_COND_R3,
	[CSF_PKT_COND_R4] = ABI_PKT_COND_R4, [CSF_PKT_IGNORE] = ABI_PKT_IGNORE,
	[CSF_PKT_EVENT] = ABI_PKT_EVENT, [CSF_PKT_CONTEXT] = ABI_PKT_CONTEXT,
	[CSF_PKT_ADDR_CTXT32] = ABI_PKT_ADDR_CTXT32, [CSF_PKT_ADDR_CTXT64] = ABI_PKT_ADDR_CTXT64,
	[CSF_PKT_MARKER] = ABI_PKT_MARKER, [CSF_PKT_ADDR_MATCH] = ABI_PKT_ADDR_MATCH,
	[CSF_PKT_ADDR_SHORT] = ABI_PKT_ADDR_SHORT, [CSF_PKT_ADDR32] = ABI_PKT_ADDR32,
	[CSF_PKT_ADDR64] = ABI_PKT_ADDR64, [CSF_PKT_Q] = ABI_PKT_Q,
	[CSF_PKT_SRC_MATCH] = ABI_PKT_SRC_MATCH, [CSF_PKT_SRC_SHORT] = ABI_PKT_SRC_SHORT,
	[CSF_PKT_SRC32] = ABI_PKT_SRC32, [CSF_PKT_SRC64] = ABI_PKT_SRC64,
	[CSF_PKT_ATOM] = ABI_PKT_ATOM1,
};

/* Does the type give the instruction set? */
static bool has_is(uint8_t type)
{
	switch ((enum csf_packet_type)type) {
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		return true;
	default:
		return false;
	}
}

static bool is_match(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_ADDR_MATCH || pkt->type == CSF_PKT_SRC_MATCH ||
	       pkt->flags & CSF_PKT_MATCH;
}

static bool is_address(const struct csf_packet *pkt)
{
	return has_is(pkt->type) || is_match(pkt) || pkt->flags & CSF_PKT_ADDR;
}

static uint64_t low(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

static void push(struct ocsd_history *h, uint64_t addr, uint8_t is, uint8_t bits)
{
	h->addr[2] = h->addr[1];
	h->addr[1] = h->addr[0];
	h->addr[0] = addr;
	h->is[2] = h->is[1];
	h->is[1] = h->is[0];
	h->is[0] = is;
	h->bits[2] = h->bits[1];
	h->bits[1] = h->bits[0];
	h->bits[0] = bits;
}

static void make_address(struct ocsd_history *h, const struct csf_packet *pkt)
{
	unsigned int entry = pkt->val < 3 ? pkt->val : 0;
	struct abi_packet *p = &h->packet;
	uint64_t keep = h->addr[0];

	if (is_match(pkt)) {
		p->match = entry;
		push(h, h->addr[entry], h->is[entry], h->bits[entry]);
	} else {
		if (pkt->n == 32 && !(p->ctx & ABI_PKT_CTX_64) && pkt->type != CSF_PKT_Q)
			keep = 0;
		push(h, (keep & ~low(pkt->n)) | (pkt->val & low(pkt->n)),
		     !!(pkt->flags & CSF_PKT_IS1), pkt->n);
		p->wide = pkt->n == 64 || p->ctx & ABI_PKT_CTX_64;
		p->addr_valid = p->wide ? 64 : 32;
	}
	p->addr = h->addr[0];
	p->is = h->is[0];
	p->addr_bits = h->bits[0];
}

static void make_context(struct abi_packet *p, const struct csf_packet *pkt)
{
	p->valid |= ABI_PKT_HAS_CTX;
	p->ctx &= ~(ABI_PKT_CTX_UPDATED | ABI_PKT_CTX_CONTEXTID | ABI_PKT_CTX_VMID);
	if (!(pkt->flags & CSF_PKT_CTXT))
		return;
	p->ctx = ABI_PKT_CTX_UPDATED | (pkt->info & 3) |
		 (pkt->info & 0x10 ? ABI_PKT_CTX_64 : 0) |
		 (pkt->info & 0x20 ? ABI_PKT_CTX_NS : 0) |
		 (pkt->info & 0x08 ? ABI_PKT_CTX_NSE : 0) |
		 (pkt->info & 0x80 ? ABI_PKT_CTX_CONTEXTID : 0) |
		 (pkt->info & 0x40 ? ABI_PKT_CTX_VMID : 0);
	if (pkt->info & 0x80)
		p->contextid = pkt->contextid;
	if (pkt->info & 0x40)
		p->vmid = pkt->vmid;
}

static void make_info(struct ocsd_history *h, const struct csf_packet *pkt)
{
	uint32_t wide = h->packet.ctx & ABI_PKT_CTX_64;
	struct abi_packet *p = &h->packet;

	*h = (struct ocsd_history){ .packet = { .type = p->type, .version = p->version,
						.err_type = ABI_PKT_NO_ERR, .ctx = wide } };
	p->info = pkt->val;
	p->p0_key = pkt->val2;
	p->spec_depth = pkt->commit;
	p->threshold = pkt->count;
	p->valid = ABI_PKT_HAS_INFO | (pkt->val & 1 ? ABI_PKT_HAS_THRESHOLD : 0);
}

static void make_time(struct abi_packet *p, const struct csf_packet *pkt)
{
	p->time = (p->time & ~low(pkt->n)) | (pkt->val & low(pkt->n));
	p->time_bits = pkt->n;
	p->valid |= ABI_PKT_HAS_TS;
	if (!(pkt->flags & CSF_PKT_COUNT))
		return;
	p->cycle_count = pkt->count;
	p->valid |= ABI_PKT_HAS_CC;
}

/* The count includes the threshold; an unknown count is 0. */
static void make_cycles(struct abi_packet *p, const struct csf_packet *pkt)
{
	p->commit = pkt->commit;
	p->valid |= ABI_PKT_HAS_COMMIT | ABI_PKT_HAS_CC;
	if (pkt->type != CSF_PKT_CC1 || pkt->flags & CSF_PKT_COUNT)
		p->cycle_count = pkt->count + p->threshold;
}

static void make_exception(struct ocsd_history *h, const struct csf_config *config,
			   const struct csf_packet *pkt)
{
	struct abi_packet *p = &h->packet;
	bool m = config->profile == CSF_PROFILE_M;

	p->exception = pkt->exception | (uint32_t)(pkt->n & 3) << ABI_PKT_EXC_ADDR_SHIFT |
		       (pkt->info & 0x20 ? ABI_PKT_EXC_FAULT : 0) | (m ? ABI_PKT_EXC_M : 0);
	if (!(pkt->flags & CSF_PKT_UNKNOWN))
		return;
	push(h, 0, h->is[0], 64);
	p->addr = 0;
	p->no_addr = 1;
	if (!pkt->exception && !m)
		p->type = ABI_PKT_RESET;
	else if (pkt->exception == 0x18)
		p->type = ABI_PKT_TM_FAIL;
}

static void make_atoms(struct abi_packet *p, const struct csf_packet *pkt, uint8_t header)
{
	static const uint8_t types_n[] = { 0, ABI_PKT_ATOM1, ABI_PKT_ATOM2, ABI_PKT_ATOM3 };

	p->atoms = pkt->val;
	p->n_atom = pkt->n;
	if (pkt->n && pkt->n <= 3)
		p->type = types_n[pkt->n];
	else if (header == 0xf5 || (header >= 0xd5 && header <= 0xd7))
		p->type = ABI_PKT_ATOM5;
	else
		p->type = header >= 0xdc && header <= 0xdf ? ABI_PKT_ATOM4 : ABI_PKT_ATOM6;
}

static void make_q(struct abi_packet *p, const struct csf_packet *pkt, uint8_t header)
{
	p->q.count = pkt->count;
	p->q.flags = (pkt->flags & CSF_PKT_ADDR || is_match(pkt) ? ABI_PKT_Q_ADDR : 0) |
		     (is_match(pkt) ? ABI_PKT_Q_MATCH : 0) |
		     (pkt->flags & CSF_PKT_COUNT ? ABI_PKT_Q_COUNT : 0) |
		     (uint32_t)(header & 15) << ABI_PKT_Q_TYPE_SHIFT;
}

static void make_bad(struct abi_packet *p, const struct csf_packet *pkt, uint8_t header)
{
	static const uint16_t why[] = {
		[CSF_BAD_RESERVED] = ABI_PKT_RESERVED, [CSF_BAD_CONFIG] = ABI_PKT_RESERVED_CONFIG,
		[CSF_BAD_SEQUENCE] = ABI_PKT_BAD_SEQUENCE, [CSF_BAD_CUT] = ABI_PKT_CUT,
		[CSF_BAD_UNSYNC] = ABI_PKT_NOT_SYNC,
	};

	p->type = pkt->n == CSF_BAD_CONFIG && pkt->info == CSF_PKT_Q ? ABI_PKT_RESERVED :
		  why[pkt->n < 5 ? pkt->n : 0];
	p->err_type = types[pkt->info < CSF_PKT_NR ? pkt->info : 0];
	p->err_header = header;
}

/* Conditional instructions and results, as far as 1.3.3 unpacks them. */
static void make_conditional(struct abi_packet *p, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_COND_I1:
		p->cond_instr.key = pkt->val;
		p->cond_instr.flags = 1;
		break;
	case CSF_PKT_COND_I2:
		p->cond_instr.flags = (pkt->val & 1) << 2;
		break;
	case CSF_PKT_COND_I3:
		p->cond_instr.n = pkt->val & 0x3f;
		p->cond_instr.flags = (pkt->val >> 6 & 1) << 1;
		break;
	case CSF_PKT_COND_R1:
		p->cond_result.key[0] = pkt->val >> 4;
		p->cond_result.key[1] = pkt->val2 >> 4;
		p->cond_result.flags = (pkt->val & 15) | (pkt->val2 & 15) << 4 |
				       (pkt->info & 3) << 8 | 1 << 10 | (pkt->n > 1) << 11;
		break;
	case CSF_PKT_COND_R2:
		p->cond_result.flags = (pkt->val >> 2 & 3) << 12 | (pkt->val & 3) << 14;
		break;
	case CSF_PKT_COND_R4:
		p->cond_result.flags = (pkt->val & 3) << 14;
		break;
	case CSF_PKT_COND_R3:
		p->cond_result.flags = (pkt->val & 0xfff) << 16;
		break;
	default:
		break;
	}
}

/* Clears what belongs to one packet only. */
static void forget(struct abi_packet *p)
{
	p->addr_bits = 0;
	p->time_bits = 0;
	p->atoms = 0;
	p->n_atom = 0;
	p->cycle_count = 0;
	p->commit = 0;
	p->cancel = 0;
	p->exception = 0;
	p->match = 0;
	p->dsync = 0;
	p->event = 0;
	memset(&p->cond_instr, 0, sizeof(p->cond_instr));
	memset(&p->cond_result, 0, sizeof(p->cond_result));
	memset(&p->q, 0, sizeof(p->q));
	p->valid &= ABI_PKT_HAS_CTX | ABI_PKT_HAS_TS | ABI_PKT_HAS_INFO | ABI_PKT_HAS_THRESHOLD;
	p->err_type = ABI_PKT_NO_ERR;
	p->err_header = 0;
	p->payload = 0;
	p->payload_el = 0;
	p->no_addr = 0;
}

/* Long because it is a flat switch over the types. */
static void make_other(struct ocsd_history *h, const struct csf_config *config,
		       const struct csf_packet *pkt, uint8_t header)
{
	struct abi_packet *p = &h->packet;

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		make_bad(p, pkt, header);
		break;
	case CSF_PKT_INFO:
		make_info(h, pkt);
		break;
	case CSF_PKT_TIME:
		make_time(p, pkt);
		break;
	case CSF_PKT_EXCEPTION:
		make_exception(h, config, pkt);
		break;
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		make_cycles(p, pkt);
		break;
	case CSF_PKT_DSYNC_N:
	case CSF_PKT_DSYNC_U:
		p->dsync = pkt->val;
		break;
	case CSF_PKT_COMMIT:
		p->commit = pkt->count;
		p->valid |= ABI_PKT_HAS_COMMIT;
		break;
	case CSF_PKT_CANCEL1:
		p->type += !!(pkt->flags & CSF_PKT_MISP);
		p->cancel = pkt->count;
		break;
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
	case CSF_PKT_MISPREDICT:
		p->atoms = pkt->val;
		p->n_atom = pkt->n;
		p->cancel = pkt->count;
		break;
	case CSF_PKT_EVENT:
		p->event = pkt->val;
		break;
	case CSF_PKT_CONTEXT:
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
		make_context(p, pkt);
		break;
	case CSF_PKT_Q:
		make_q(p, pkt, header);
		break;
	case CSF_PKT_ITE:
		p->payload_el = pkt->n & 3;
		p->payload = pkt->val;
		break;
	case CSF_PKT_ATOM:
		make_atoms(p, pkt, header);
		break;
	default:
		make_conditional(p, pkt);
		break;
	}
}

const struct abi_packet *ocsd_packet_make(struct ocsd_history *h, const struct csf_config *config,
					  const struct csf_packet *pkt, uint8_t header)
{
	struct abi_packet *p = &h->packet;
	int version = csf_config_version(config);

	forget(p);
	p->version = version > 0 ? version : 0;
	p->type = types[pkt->type < CSF_PKT_NR ? pkt->type : 0];
	if (has_is(pkt->type))
		p->type += !!(pkt->flags & CSF_PKT_IS1);
	if (is_address(pkt))
		make_address(h, pkt);
	make_other(h, config, pkt, header);
	return p;
}
