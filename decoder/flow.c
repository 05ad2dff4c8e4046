// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Flow: from elements and program code to runs of executed blocks.
 *
 * An element is worked on until it is done or the run ends.  If the run ends first, the same
 * element is given again for the next run; @stage is its progress.
 */
#include "flow.h"

/* Is execution elsewhere, as the code says? */
static bool contradicts(const struct csf_decoder *d)
{
	return (d->el.flags & EL_STRICT || d->config.checks) && !exec_agrees(d, d->el.addr);
}

static bool do_address(struct csf_decoder *d)
{
	if (flow_say_more(d))
		return false;
	if (contradicts(d)) {
		const uint64_t pc = exec_pc(d), to = exec_wrap(exec_isa(d), d->el.addr);

		flow_open_gap(d, CSF_GAP_WALK, 0, 0);
		d->out.run->from = pc;
		d->out.run->addr = to;
		d->flow.gap_addr = to;
		return false;
	}
	exec_go(d, d->el.addr, d->el.is1);
	exec_back(d, d->el.flags & EL_CTX ? d->el.ctx.el : d->flow.ctx.el);
	d->flow.gap_open = false;
	if (d->el.flags & EL_CTX)
		flow_end_context(d);
	return true;
}

/* Sync is lost: forgets what the next Trace Info and context will give again. */
static void forget(struct csf_decoder *d)
{
	d->exec.retstack.n = 0;
	d->exec.missed = false;
	d->exec.unsure = 0;
	d->exec.no_push = false;
	d->flow.ctx.known = false;
	d->in.joined = false;
	d->flow.marker = false;
	d->flow.marker_seen = false;
}

/* A gap from the packet layer: overflow, damage, a cut. */
static bool do_gap(struct csf_decoder *d)
{
	struct element *el = &d->el;
	bool fail = d->flow.in_transaction && (el->exception == CSF_GAP_OVERFLOW ||
					  el->exception == CSF_GAP_DISCARD);
	const uint64_t addr = flow_goes_to(d);

	if (el->flags & EL_HARMLESS) {
		flow_end_gap(d, el->exception, el->val, el->at);
		d->out.run->flags = CSF_GAP_GOES_ON;
		d->stats.gaps[el->exception]++;
		return true;
	}
	if (fail) {		/* it can never be committed now */
		d->flow.in_transaction = false;
		flow_end(d, CSF_END_TRANSACTION);
		d->out.run->value = CSF_TRANS_FAIL;
		return false;
	}
	flow_open_gap(d, el->exception, el->val, el->at);
	if (el->flags & EL_ADDR)
		d->out.run->from = addr;
	d->flow.gap_addr = el->flags & EL_ADDR ? el->addr : addr;
	d->out.run->addr = d->flow.gap_addr;
	if (!(el->flags & EL_IN_SYNC))
		forget(d);
	return true;
}

static bool do_transaction(struct csf_decoder *d, enum csf_transaction what)
{
	flow_end(d, CSF_END_TRANSACTION);
	d->out.run->value = what;
	d->flow.in_transaction = what == CSF_TRANS_INIT || what == CSF_TRANS_START;
	if (what != CSF_TRANS_FAIL)
		return true;
	exec_lose(d);
	d->flow.gap_open = false;
	return true;
}

static bool do_info(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (el->stage == STAGE_START) {
		flow_mark(d, CSF_MARK_INFO);
		exec_info(d);
		if (d->in.joined)
			return true;
		d->in.joined = true;
		d->flow.in_transaction = false;
		if (!(el->flags & EL_TRANS))
			return true;
		el->stage = STAGE_END;
	}
	return !flow_say_more(d) && do_transaction(d, CSF_TRANS_INIT);
}

static bool do_time(struct csf_decoder *d)
{
	const struct element *el = &d->el;
	const bool limit = flow_ends_at(d, el->val, el->offset);
	struct csf_mark *m;

	if (limit && flow_say_more(d))
		return false;
	m = flow_mark(d, CSF_MARK_TIME);
	if (m) {
		m->value = el->val;
		m->count = el->count;
		if (d->flow.marker)
			m->at = d->flow.marker_at;
		m->flags = (el->flags & EL_COUNT ? CSF_MARK_HAS_COUNT : 0) |
			   (el->val ? 0 : CSF_MARK_UNKNOWN) |
			   (d->config.tsmark && !d->flow.marker_seen ? CSF_MARK_EARLY : 0);
		/* the caller's limit, if there is one, would come first */
		if (d->quiet && (d->flow.more_lost || d->flow.more_bytes))
			m->flags |= MARK_UNSAID;
	}
	d->flow.marker = false;
	if (limit)
		flow_end(d, CSF_END_TIME);
	return true;
}

static bool do_mark(struct csf_decoder *d, uint16_t kind)
{
	struct csf_mark *m = flow_mark(d, kind);

	if (kind == CSF_MARK_MARKER) {
		d->flow.marker = true;
		d->flow.marker_seen = true;
		d->flow.marker_at = flow_now(d);
	}
	if (m) {
		m->value = d->el.val;
		m->count = d->el.count;
	}
	return true;
}

/* A data access: the mark, and what it names. */
static bool do_data(struct csf_decoder *d)
{
	struct csf_mark *m = flow_mark(d, CSF_MARK_DATA);

	if (!m)
		return true;
	m->value = d->out.n_access;
	m->at = d->access.at;
	d->out.access[d->out.n_access++] = d->access;
	d->stats.accesses++;
	d->stats.data_lost += !!(d->access.flags & CSF_ACCESS_LOST);
	return true;
}

/* The end of the trace; reports first what was lost. */
static bool do_end(struct csf_decoder *d)
{
	const uint64_t addr = flow_goes_to(d);

	if (d->in.broken)
		flow_open_gap(d, CSF_GAP_BREAK, 0, 0);
	else
		flow_end(d, CSF_END_TRACE);
	d->out.run->addr = addr;
	d->flow.gap_open = false;
	exec_lose(d);
	forget(d);
	return true;
}

static bool do_on(struct csf_decoder *d)
{
	const uint64_t addr = flow_goes_to(d);

	flow_open_gap(d, CSF_GAP_OFF, 0, 0);
	d->out.run->addr = addr;
	d->flow.gap_open = false;
	d->exec.retstack.n = 0;
	d->exec.missed = false;
	d->exec.unsure = 0;
	return true;
}

/* Does this element end the run at once? */
static bool ends(const struct element *el)
{
	return el->type == EL_ON || el->type == EL_CONTEXT || el->type == EL_GAP ||
	       el->type == EL_END || el->type == EL_TM_START || el->type == EL_TM_COMMIT ||
	       el->type == EL_TM_FAIL;
}

/* Long because it is a flat switch over the types of elements. */
bool flow_element(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (d->out.n_mark > MARK_MAX - 4) {
		flow_end(d, CSF_END_FULL);
		return false;
	}
	if (!el->begun && el->type <= EL_SOURCE)
		flow_mark(d, CSF_MARK_PACKET);
	el->begun = true;
	if (ends(el) && flow_say_more(d))
		return false;

	switch ((enum element_type)el->type) {
	case EL_ATOMS:
		return follow_atoms(d);
	case EL_EXCEPTION:
		return follow_exception(d);
	case EL_Q:
		return follow_q(d);
	case EL_SOURCE:
		return follow_source(d);
	case EL_TM_START:
		return do_transaction(d, CSF_TRANS_START);
	case EL_TM_COMMIT:
		return do_transaction(d, CSF_TRANS_COMMIT);
	case EL_TM_FAIL:
		return do_transaction(d, CSF_TRANS_FAIL);
	case EL_ADDRESS:
		return do_address(d);
	case EL_CONTEXT:
		flow_end_context(d);
		return true;
	case EL_SAME:
		return do_mark(d, CSF_MARK_SAME);
	case EL_ON:
		return do_on(d);
	case EL_TIME:
		return do_time(d);
	case EL_CYCLES:
		flow_cycles(d, el->offset, el->at, el->count, el->flags);
		return true;
	case EL_EVENT:
		return do_mark(d, CSF_MARK_EVENT);
	case EL_MARKER:
		return do_mark(d, CSF_MARK_MARKER);
	case EL_ITE:
		return do_mark(d, CSF_MARK_ITE);
	case EL_ERET:
		return do_mark(d, CSF_MARK_ERET);
	case EL_RETURN:
		return do_mark(d, CSF_MARK_RETURN);
	case EL_INFO:
		return do_info(d);
	case EL_DATA:
	case EL_DATA_REST:
		return do_data(d);
	case EL_COND:
		return conditions_add(d);
	case EL_COND_RESULT:
		return conditions_resolve(d);
	case EL_COND_FLUSH:
		return conditions_flush(d);
	case EL_GAP:
		return do_gap(d);
	case EL_END:
		return do_end(d);
	case EL_NR:
		break;
	}
	return true;
}
