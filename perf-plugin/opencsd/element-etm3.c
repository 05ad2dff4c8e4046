// SPDX-License-Identifier: GPL-2.0-only
/*
 * Elements of ETMv3: each I-sync, context ID and VMID has a context, which has the cycles of an
 * I-sync; a context comes before the exception of the same packet; where there is no code, the
 * next atom without an address says that the address is unknown.
 */
#include "element-older.h"

#define CR_CYCLES	(1u << 12)	/* ETMCR: cycles are counted */

static void put_marker(struct ocsd_follow *f)
{
	const struct csf_element e = { .type = CSF_ELEM_EXCEPTION };
	struct abi_element made;

	ocsd_follow_make(f, &e, &made);
	made.flags = ABI_DATA_MARKER;
	f->emit(f->owner, &made, false);
}

void ocsd_follow_etm3_packet(struct ocsd_follow *f, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_ISYNC && f->state != OCSD_FOLLOW_NO_SYNC) {
		if (f->state == OCSD_FOLLOW_ISYNC || OLDER_REASON(pkt->info))
			ocsd_follow_on(f, pkt);
		f->executing = f->isa;
	}
	if (pkt->type == CSF_PKT_BRANCH)
		f->executing = f->isa;
	if (pkt->type == CSF_PKT_BRANCH || pkt->type == CSF_PKT_ISYNC) {
		f->hole = false;
		f->lost = false;
	}
	if (pkt->type == CSF_PKT_EXC_ENTRY && f->state == OCSD_FOLLOW_RUN)
		put_marker(f);
}

static void put_context(struct ocsd_follow *f, const struct csf_context *context)
{
	const struct csf_packet *pkt = &f->packet;
	const bool counted = pkt->type == CSF_PKT_ISYNC && pkt->flags & CSF_PKT_COUNT;
	const struct csf_element e = {
		.type = CSF_ELEM_PE_CONTEXT, .context = *context,
		.flags = counted ? CSF_ELEM_HAS_CC : 0, .cycle_count = counted ? pkt->count : 0,
	};

	ocsd_follow_emit(f, &e, false);
}

static void put_exception(struct ocsd_follow *f, const struct csf_element *e)
{
	struct csf_element own = *e;

	own.value = f->packet.exception;
	own.flags = 0;
	ocsd_follow_wait(f, &own);
}

/* The rest of the packet's atoms went nowhere: an element for all of them, with their cycles. */
static void put_rest(struct ocsd_follow *f, enum csf_element_type type)
{
	const bool counted = f->config.etmcr & CR_CYCLES;
	const struct csf_element e = {
		.type = type, .flags = counted ? CSF_ELEM_HAS_CC : 0,
		.cycle_count = counted ? f->cycles : 0,
	};

	f->hole = false;
	f->lost = true;
	f->n_atom = 0;
	ocsd_follow_release(f);
	ocsd_follow_emit(f, &e, false);
}

static void put_cycles(struct ocsd_follow *f, const struct csf_element *e)
{
	if (f->packet.type == CSF_PKT_ISYNC || ocsd_follow_cycles(f, e))
		return;
	if (f->packet.type == CSF_PKT_ATOM && f->packet.n)
		return;
	ocsd_follow_release(f);
	ocsd_follow_emit(f, e, false);
}

void ocsd_follow_etm3_element(struct ocsd_follow *f, const struct csf_element *e)
{
	const bool run = f->state == OCSD_FOLLOW_RUN;

	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_INSTR_RANGE:
		f->n_atom -= f->n_atom > 0;
		ocsd_follow_wait(f, e);
		break;
	case CSF_ELEM_ADDR_NACC:
		f->n_atom -= f->n_atom > 0;
		f->hole = true;
		ocsd_follow_wait(f, e);
		break;
	case CSF_ELEM_ADDR_UNKNOWN:
		if (run && f->packet.type == CSF_PKT_ATOM)
			put_rest(f, CSF_ELEM_ADDR_UNKNOWN);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		put_cycles(f, e);
		break;
	case CSF_ELEM_PE_CONTEXT:
		put_context(f, &e->context);
		break;
	case CSF_ELEM_EXCEPTION:
		put_exception(f, e);
		break;
	case CSF_ELEM_EXCEPTION_RET:
		if (!run)
			break;
		ocsd_follow_release(f);
		ocsd_follow_emit(f, e, true);
		break;
	case CSF_ELEM_EVENT:
	case CSF_ELEM_TIMESTAMP:
		if (!run && e->type == CSF_ELEM_EVENT)
			break;
		ocsd_follow_release(f);
		ocsd_follow_emit(f, e, false);
		break;
	default:
		break;
	}
}

void ocsd_follow_etm3_done(struct ocsd_follow *f)
{
	const bool run = f->state == OCSD_FOLLOW_RUN;

	if (run && f->hole && f->n_atom)
		put_rest(f, CSF_ELEM_ADDR_UNKNOWN);
	else if (run && f->lost && f->n_atom && f->config.etmcr & CR_CYCLES)
		put_rest(f, CSF_ELEM_CYCLE_COUNT);
	if (run && !f->has_context &&
	    (f->packet.type == CSF_PKT_CTXTID || f->packet.type == CSF_PKT_VMID))
		put_context(f, &f->context);
}
