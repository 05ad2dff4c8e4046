// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker for an MTB, whose packets are branches that were taken.
 *
 * No packet means no branch, so what lies between two packets is executed one instruction after the
 * other, and a branch there was not taken.
 */
#include <string.h>

#include "walker-parts.h"

#define SIZE		8		/* of a packet */
#define IT_MAX		4		/* instructions in an IT block */
#define RETURN_FIRST	0xfe000000u	/* EXC_RETURN and FNC_RETURN: no code is there */

/* struct csf_packet.info */
#define EXCEPTION	0x01
#define START		0x02

void walker_mtb_configure(struct walker *w)
{
	w->config.profile = CSF_PROFILE_M;
	w->rule = CSF_RULE_M | CSF_RULE_TAKEN;
	w->strict = true;
}

bool walker_mtb_passes(struct walker *w, const struct piece *p, unsigned int *it)
{
	const bool p0 = p->last.flags & CSF_FLAG_P0;
	uint64_t addr = p->addr;
	bool in_it = false;

	for (unsigned int i = 0; i < p->n && w->is1; i++) {
		struct csf_insn insn;
		uint32_t opcode;

		if (!code_fetch(w, addr, true, &insn) || !code_opcode(w, addr, true, &opcode))
			break;
		in_it = *it > 0;
		*it -= in_it;
		/* IT: the lowest 1 of its mask stands after the last instruction of the block. */
		for (unsigned int bit = 0; (opcode & 0xff00) == 0xbf00 && insn.size == 2 && bit < 4;
		     bit++)
			if (opcode >> bit & 1) {
				*it = 4 - bit;
				break;
			}
		addr = code_wrap(w, addr + insn.size);
	}
	if (!p0 || in_it || p->last.flags & CSF_FLAG_COND)
		return true;
	return p->last.kind == CSF_INSN_BRANCH && code_wrap(w, p->last.target) == p->next;
}

/* The destination of a packet. */
static void go_on(struct walker *w, const struct csf_packet *pkt, uint64_t offset, bool first,
		  bool returns)
{
	struct elem e = {
		.type = ELEM_ADDRESS, .offset = offset, .addr = pkt->val2, .is1 = true,
		.has_ctx = first, .ctx = { .known = true },
	};

	w->here = offset;
	if (!returns && w->pc_known && code_wrap(w, w->pc) != e.addr) {
		walker_more(w);
		walker_gap_here(w, CSF_GAP_WALK, code_wrap(w, w->pc), e.addr);
	}
	walker_elem(w, &e);
}

static void packet(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const bool first = w->sync != SYNC_DECODE;
	const bool returns = pkt->val >= RETURN_FIRST;
	struct elem e = {
		.type = ELEM_SOURCE, .offset = offset, .addr = pkt->val, .is1 = true, .p0 = true,
		.has_addr = true,
	};

	if (first || pkt->info & START)
		e.type = ELEM_ON;
	else if (returns)
		e.type = ELEM_ERET;
	else if (pkt->info & EXCEPTION)
		e.type = ELEM_EXCEPTION;
	walker_elem(w, &e);
	go_on(w, pkt, offset, first, returns);
	w->sync = SYNC_DECODE;
	w->it = returns ? IT_MAX : 0;	/* the next packet may come from an IT block */
}

void walker_mtb_piece(struct walker *w, const uint8_t *trace, size_t n)
{
	for (size_t i = 0; i < n; i += SIZE) {
		struct csf_packet pkt = { 0 };

		if (csf_packet_read(&w->config, trace + i, n - i, &pkt) < SIZE) {
			walker_lose_sync(w, CSF_GAP_CUT, w->offset + i, n - i);
			break;
		}
		packet(w, &pkt, w->offset + i);
	}
	w->offset += n;
	w->it = 0;
}
