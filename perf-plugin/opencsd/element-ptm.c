// SPDX-License-Identifier: GPL-2.0-only
/*
 * Elements of PTM: cycles are part of the element before them; a context comes only if it is
 * another one, or if an I-sync names another instruction set.
 */
#include <string.h>

#include "element-older.h"

void ocsd_follow_ptm_packet(struct ocsd_follow *f, const struct csf_packet *pkt)
{
	const uint32_t reason = OLDER_REASON(pkt->info);

	if (pkt->type != CSF_PKT_ISYNC || f->state == OCSD_FOLLOW_NO_SYNC)
		return;
	if (f->state == OCSD_FOLLOW_ISYNC || reason)
		ocsd_follow_on(f, pkt);
	f->wants_context = reason && f->executing != ABI_ISA_UNKNOWN && f->executing != f->isa;
	f->executing = f->isa;
}

static void put_context(struct ocsd_follow *f, const struct csf_element *e)
{
	const bool wanted = f->wants_context;
	struct abi_element made;

	ocsd_follow_release(f);
	f->wants_context = false;
	ocsd_follow_make(f, e, &made);
	if (!wanted && f->has_last && !memcmp(&f->last, &made.context, sizeof(f->last)))
		return;
	f->last = made.context;
	f->has_last = true;
	f->emit(f->owner, &made, false);
}

void ocsd_follow_ptm_element(struct ocsd_follow *f, const struct csf_element *e)
{
	if (f->state != OCSD_FOLLOW_RUN)
		return;
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_CYCLE_COUNT:
		ocsd_follow_cycles(f, e);
		break;
	case CSF_ELEM_NO_SYNC:		/* they come from the packets */
	case CSF_ELEM_TRACE_ON:
	case CSF_ELEM_EO_TRACE:
	case CSF_ELEM_ADDR_UNKNOWN:
		break;
	case CSF_ELEM_PE_CONTEXT:
		put_context(f, e);
		break;
	case CSF_ELEM_INSTR_RANGE:
	case CSF_ELEM_EXCEPTION:
		ocsd_follow_wait(f, e);
		break;
	case CSF_ELEM_ADDR_NACC:
		if (f->packet.type == CSF_PKT_ISYNC)	/* no atom is lost */
			break;
		ocsd_follow_release(f);
		ocsd_follow_emit(f, e, false);
		break;
	default:
		ocsd_follow_release(f);
		ocsd_follow_emit(f, e, false);
		break;
	}
}

void ocsd_follow_ptm_done(struct ocsd_follow *f)
{
	const struct csf_element context = { .type = CSF_ELEM_PE_CONTEXT, .context = f->context };

	if (f->wants_context && f->state == OCSD_FOLLOW_RUN)
		put_context(f, &context);
	if (f->packet.type == CSF_PKT_BRANCH)
		f->executing = f->isa;
}
