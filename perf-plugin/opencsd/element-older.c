// SPDX-License-Identifier: GPL-2.0-only
/* Elements of ETMv3 and PTM: what both have. */
#include "element-older.h"

void ocsd_follow_start(struct ocsd_follow *f, const struct csf_config *config,
		       const struct ocsd_release *release, enum abi_unsync reason)
{
	*f = (struct ocsd_follow){
		.config = *config, .release = release, .emit = f->emit, .owner = f->owner,
		.ptm = csf_config_protocol(config) == CSF_PROTOCOL_PTM,
		.says = true, .reason = reason, .sticky.context.el = -1,
		.isa = ABI_ISA_UNKNOWN, .executing = ABI_ISA_UNKNOWN,
	};
}

/* Only Hyp mode is a known exception level.  A barrier counts if it takes an atom. */
void ocsd_follow_make(struct ocsd_follow *f, const struct csf_element *e, struct abi_element *made)
{
	ocsd_element_make(made, &f->sticky, &f->config, e);
	if (made->context.el != 2) {
		made->context.el = -1;
		made->context.flags &= ~ABI_CTX_EL;
	}
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_INSTR_RANGE:
		if (made->last_insn == ABI_INSN_WFX)
			made->last_insn = ABI_INSN_OTHER;
		if (e->last_kind == CSF_INSN_BARRIER && f->ptm && f->config.etmccer >> 24 & 1)
			made->last_insn = ABI_INSN_BARRIER;
		break;
	case CSF_ELEM_PE_CONTEXT:
		made->isa = f->packet.type == CSF_PKT_BRANCH ? f->isa : f->executing;
		break;
	case CSF_ELEM_ADDR_UNKNOWN:
		made->value = 0;
		break;
	case CSF_ELEM_ADDR_NACC:
		made->value = e->context.security == CSF_SECURE ? ABI_SPACES_S :
								  ABI_SPACES_N;
		break;
	case CSF_ELEM_EVENT:
		made->event.kind = 1;
		made->event.number = 0;
		break;
	default:
		break;
	}
	if (e->flags & CSF_ELEM_HAS_CC) {
		made->flags |= ABI_HAS_CC;
		made->cycle_count = e->cycle_count;
	}
}

void ocsd_follow_emit(struct ocsd_follow *f, const struct csf_element *e, bool hold)
{
	struct abi_element made;

	ocsd_follow_make(f, e, &made);
	f->emit(f->owner, &made, hold);
}

void ocsd_follow_unsync(struct ocsd_follow *f, enum csf_element_type type, uint32_t reason)
{
	struct abi_element made;

	ocsd_element_unsync(&made, type, reason);
	f->emit(f->owner, &made, false);
}

/* Trace begins or goes on with an I-sync; NULL: our decoder says that it has, without one. */
void ocsd_follow_on(struct ocsd_follow *f, const struct csf_packet *pkt)
{
	static const uint8_t reasons[] = {
		CSF_ON_NORMAL, CSF_ON_NORMAL, CSF_ON_OVERFLOW, CSF_ON_DEBUG,
	};
	struct csf_element on = { .type = CSF_ELEM_TRACE_ON };

	if (pkt)
		on.value = reasons[OLDER_REASON(pkt->info)];
	if (pkt && f->ptm && pkt->flags & CSF_PKT_COUNT) {
		on.flags = CSF_ELEM_HAS_CC;
		on.cycle_count = pkt->count;
	}
	ocsd_follow_emit(f, &on, false);
	f->state = OCSD_FOLLOW_RUN;
}

/* Keeps an element until the next one, as its cycles may come. */
void ocsd_follow_wait(struct ocsd_follow *f, const struct csf_element *e)
{
	ocsd_follow_release(f);
	ocsd_follow_make(f, e, &f->pending);
	f->pending_pos = e->offset;
	f->has_pending = true;
}

/* Returns true if these are the cycles of the element that waits for them. */
bool ocsd_follow_cycles(struct ocsd_follow *f, const struct csf_element *e)
{
	if (!f->has_pending || f->pending_pos != e->offset || f->pending.flags & ABI_HAS_CC)
		return false;
	f->pending.flags |= ABI_HAS_CC;
	f->pending.cycle_count = e->cycle_count;
	f->cycles -= e->cycle_count;
	return true;
}

void ocsd_follow_release(struct ocsd_follow *f)
{
	if (f->has_pending)
		f->emit(f->owner, &f->pending, f->pending.type == CSF_ELEM_INSTR_RANGE ?
			f->packet.n == 1 : f->packet.info & OLDER_CANCEL);
	f->has_pending = false;
}

/* Notes what a packet changes, whether it has elements or not. */
static void take_packet(struct ocsd_follow *f, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_ASYNC && f->state == OCSD_FOLLOW_NO_SYNC)
		f->state = OCSD_FOLLOW_ISYNC;
	if ((pkt->type != CSF_PKT_BRANCH && pkt->type != CSF_PKT_ISYNC) || pkt->n < 32)
		return;
	f->isa = ocsd_older_isa(pkt);
}

void ocsd_follow_packet(struct ocsd_follow *f, const struct csf_packet *pkt)
{
	const bool was_run = f->state == OCSD_FOLLOW_RUN;

	if (f->says)
		ocsd_follow_unsync(f, CSF_ELEM_NO_SYNC, f->reason);
	f->says = false;
	f->packet = *pkt;
	f->n_atom = pkt->type == CSF_PKT_ATOM ? pkt->n : 0;
	f->cycles = pkt->type == CSF_PKT_ATOM ? pkt->count : 0;
	f->has_context = false;
	f->wants_context = false;
	take_packet(f, pkt);
	if (pkt->type == CSF_PKT_BAD && pkt->n != CSF_BAD_UNSYNC) {
		f->state = OCSD_FOLLOW_NO_SYNC;
		if (was_run && pkt->n != CSF_BAD_CUT)
			ocsd_follow_unsync(f, CSF_ELEM_NO_SYNC,
					   f->ptm ? ABI_UNSYNC_UNKNOWN : ABI_UNSYNC_BAD);
	} else if (f->ptm) {
		ocsd_follow_ptm_packet(f, pkt);
	} else {
		ocsd_follow_etm3_packet(f, pkt);
	}
}

/* Our decoder may be in sync where OpenCSD's reader is not. */
static bool says_sync(const struct csf_element *e)
{
	return e->type == CSF_ELEM_INSTR_RANGE || e->type == CSF_ELEM_PE_CONTEXT ||
	       e->type == CSF_ELEM_EXCEPTION || e->type == CSF_ELEM_ADDR_NACC;
}

void ocsd_follow_element(struct ocsd_follow *f, const struct csf_element *e)
{
	if (f->state != OCSD_FOLLOW_RUN && says_sync(e))
		ocsd_follow_on(f, NULL);
	if (e->type == CSF_ELEM_INSTR_RANGE && (f->executing != ABI_TEE || e->isa != CSF_T32))
		f->executing = e->isa == CSF_T32 ? ABI_T32 : ABI_A32;
	if (e->type == CSF_ELEM_PE_CONTEXT) {
		f->context = e->context;
		f->has_context = true;
	}
	if (f->ptm)
		ocsd_follow_ptm_element(f, e);
	else
		ocsd_follow_etm3_element(f, e);
}

void ocsd_follow_done(struct ocsd_follow *f)
{
	if (f->ptm)
		ocsd_follow_ptm_done(f);
	else
		ocsd_follow_etm3_done(f);
	ocsd_follow_release(f);
}

void ocsd_follow_end(struct ocsd_follow *f)
{
	ocsd_follow_unsync(f, CSF_ELEM_EO_TRACE, f->release->unsync_end);
}
