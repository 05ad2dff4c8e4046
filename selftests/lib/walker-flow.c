// SPDX-License-Identifier: GPL-2.0-only
/* The walker's flow: its output, and the elements that do not move the program counter. */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

void walker_send(struct walker *w, struct flow_event *event)
{
	event->offset = w->here;
	w->fn(w->context, w, event);
}

void walker_mark(struct walker *w, struct csf_mark *mark)
{
	struct flow_event event = { .kind = FLOW_MARK };

	if (!(w->marks & mark->kind))
		return;
	mark->seq = w->seq;
	mark->offset = w->here;
	if (mark->kind != CSF_MARK_TIME && mark->kind != CSF_MARK_CYCLES &&
	    mark->kind != CSF_MARK_COND)
		mark->at = w->seq;
	event.mark = *mark;
	walker_send(w, &event);
}

static void send_end(struct walker *w, struct csf_run *end)
{
	struct flow_event event = { .kind = FLOW_END };

	end->seq = w->seq;
	end->offset = w->here;
	end->in_transaction = w->in_transaction;
	event.end = *end;
	walker_send(w, &event);
}

/* Losses since the gap was reported must be reported before another end of a run. */
void walker_more(struct walker *w)
{
	struct csf_run end = {
		.end = CSF_END_GAP, .value = w->gap, .flags = CSF_GAP_MORE, .lost = w->more,
		.bytes = w->more_bytes,
	};

	if (w->more || w->more_bytes)
		send_end(w, &end);
	w->more = 0;
	w->more_bytes = 0;
}

void walker_end(struct walker *w, struct csf_run *end)
{
	walker_more(w);
	send_end(w, end);
}

void walker_gap(struct walker *w, enum csf_gap reason, uint64_t lost, uint64_t bytes)
{
	struct csf_run end = {
		.end = CSF_END_GAP, .value = reason, .lost = lost, .bytes = bytes,
	};

	walker_end(w, &end);
}

void walker_gap_here(struct walker *w, enum csf_gap reason, uint64_t from, uint64_t to)
{
	struct csf_run end = { .end = CSF_END_GAP, .value = reason, .from = from, .addr = to };

	walker_end(w, &end);
	w->pc_known = false;
	w->pending = false;
	w->is_saved = false;
	w->gap = reason;
}

void walker_transaction(struct walker *w, enum csf_transaction what)
{
	struct csf_run end = { .end = CSF_END_TRANSACTION, .value = what };

	walker_end(w, &end);
	w->in_transaction = what == CSF_TRANS_INIT || what == CSF_TRANS_START;
}

void walker_forget(struct walker *w)
{
	w->pc_known = false;
	w->pending = false;
	w->is_saved = false;
	w->n_stack = 0;
	w->missed = false;
	memset(w->missed_at, 0, sizeof(w->missed_at));
	w->no_push = false;
	w->gap = -1;
	w->more = 0;
	w->more_bytes = 0;
	w->counted = 0;
	w->marker = false;
	w->marker_seen = false;
	memset(&w->ctx, 0, sizeof(w->ctx));
}

static void flow_time(struct walker *w, const struct elem *e)
{
	struct csf_mark mark = {
		.kind = CSF_MARK_TIME, .value = e->value, .count = e->count, .at = w->seq,
	};
	struct csf_run end = { .end = CSF_END_TIME };
	bool limit = w->limit && e->value >= w->limit;

	if (e->has_count)
		mark.flags |= CSF_MARK_HAS_COUNT;
	if (!e->value)
		mark.flags |= CSF_MARK_UNKNOWN;
	if (w->marker)
		mark.at = w->marker_at;
	else if (w->tsmark && !w->marker_seen)
		mark.flags |= CSF_MARK_EARLY;
	w->marker = false;
	if (limit)
		walker_more(w);
	walker_mark(w, &mark);
	if (limit)
		send_end(w, &end);
}

/* @e->has_count: decoding starts here; @e->value: inside a transaction. */
static void flow_info(struct walker *w, const struct elem *e)
{
	if (w->pending && !w->is_saved) {
		w->is_saved = true;
		w->has_saved = w->n_stack;
		if (w->n_stack)
			w->saved = w->stack[w->n_stack - 1];
	}
	w->n_stack = 0;
	w->missed = w->missed && w->pending;
	memset(w->missed_at, 0, sizeof(w->missed_at));
	w->no_push = true;
	walker_mark(w, &(struct csf_mark){ .kind = CSF_MARK_INFO });
	if (!e->has_count)
		return;
	w->in_transaction = false;
	if (e->value)
		walker_transaction(w, CSF_TRANS_INIT);
}

static void flow_on(struct walker *w)
{
	walker_gap(w, CSF_GAP_OFF, 0, 0);
	w->pc_known = false;
	w->pending = false;
	w->is_saved = false;
	w->n_stack = 0;
	w->missed = false;
	memset(w->missed_at, 0, sizeof(w->missed_at));
	w->gap = -1;
}

static void simple_mark(struct walker *w, const struct elem *e, uint16_t kind)
{
	struct csf_mark mark = { .kind = kind, .value = e->value, .count = e->count, .at = e->at };

	if (kind == CSF_MARK_CYCLES) {
		mark.count = e->value;
		mark.value = 0;
		mark.flags = e->has_count ? 0 : CSF_MARK_UNKNOWN;
	}
	if (kind == CSF_MARK_MARKER) {
		w->marker = true;
		w->marker_seen = true;
		w->marker_at = w->seq;
	}
	walker_mark(w, &mark);
}

/* Elements that only make a mark. */
static const uint16_t mark_of[] = {
	[ELEM_SAME] = CSF_MARK_SAME,
	[ELEM_CYCLES] = CSF_MARK_CYCLES,
	[ELEM_EVENT] = CSF_MARK_EVENT,
	[ELEM_MARKER] = CSF_MARK_MARKER,
	[ELEM_ITE] = CSF_MARK_ITE,
	[ELEM_ERET] = CSF_MARK_ERET,
	[ELEM_RETURN] = CSF_MARK_RETURN,
	[ELEM_INFO] = CSF_MARK_INFO,
};

/* Long because it is a flat switch over the types. */
void walker_elem(struct walker *w, const struct elem *elem)
{
	struct elem own = *elem, *e = &own;

	w->here = e->offset;
	if (w->config.protocol == CSF_PROTOCOL_ETM3 && !walker_etm3_place(w, e))
		return;
	if (e->type <= ELEM_SOURCE && !e->more)
		walker_mark(w, &(struct csf_mark){ .kind = CSF_MARK_PACKET });
	switch (e->type) {
	case ELEM_ATOM:
		walker_atom(w, e);
		break;
	case ELEM_EXCEPTION:
		walker_exception(w, e);
		break;
	case ELEM_Q:
		walker_q(w, e);
		break;
	case ELEM_SOURCE:
		walker_source(w, e);
		break;
	case ELEM_TM_START:
		walker_transaction(w, CSF_TRANS_START);
		break;
	case ELEM_TM_COMMIT:
		walker_transaction(w, CSF_TRANS_COMMIT);
		break;
	case ELEM_TM_FAIL:
		walker_transaction(w, CSF_TRANS_FAIL);
		w->pc_known = false;
		w->pending = false;
		w->gap = -1;
		break;
	case ELEM_ADDRESS:
		walker_agree(w, e->addr);
		walker_address(w, e, e->addr);
		if (e->has_ctx)
			walker_context(w, &e->ctx);
		break;
	case ELEM_CONTEXT:
		walker_context(w, &e->ctx);
		break;
	case ELEM_ON:
		flow_on(w);
		break;
	case ELEM_OVERFLOW:
		walker_gap(w, CSF_GAP_OVERFLOW, 0, 0);
		walker_forget(w);
		w->gap = CSF_GAP_OVERFLOW;
		break;
	case ELEM_LOST:
		walker_gap_here(w, CSF_GAP_ADDRESS, 0, 0);
		break;
	case ELEM_TIME:
		flow_time(w, e);
		break;
	case ELEM_INFO:
		flow_info(w, e);
		break;
	case ELEM_COND:
	case ELEM_RESULT:
	case ELEM_COND_FLUSH:
	case ELEM_COND_LOST:
		walker_cond(w, e);
		break;
	default:
		simple_mark(w, e, mark_of[e->type]);
	}
}
