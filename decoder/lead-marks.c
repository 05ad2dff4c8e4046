// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Timestamps, cycle counts and Trace Info that wait.  No Cancel takes them back, so they wait
 * beside the steps: each knows before which it stands.
 */
#include "lead-marks.h"

uint32_t lead_max_mark(const struct csf_decoder *d)
{
	const int room = MARK_MAX - 7 - (int)d->n_mark;

	return room < 0 ? 0 : room < WAIT_MAX ? room : WAIT_MAX;
}

bool lead_may_mark(const struct csf_decoder *d, const struct lead *l, const struct element *el)
{
	if (l->n_mark >= l->max_mark)
		return false;
	if (el->type == EL_INFO)
		return !l->stack;
	return el->type != EL_TIME || !flow_ends_at(d, el->val, el->offset);
}

void lead_put_mark(struct lead *l, const struct element *el)
{
	l->mark[l->n_mark++] = (struct lead_mark){
		.offset = el->offset, .val = el->type == EL_TIME ? el->val : el->at,
		.count = el->count, .step = l->out, .type = el->type, .flags = el->flags,
	};
}

static struct element element_of(const struct lead_mark *m)
{
	return (struct element){
		.offset = m->offset, .val = m->val, .at = m->val, .count = m->count,
		.type = m->type, .flags = m->flags,
	};
}

void lead_give_marks(struct csf_decoder *d, struct lead *l)
{
	const struct lead_mark *m = l->mark, *const end = m + l->n_mark;

	for (; m < end && m->step <= l->sure; m++) {
		d->n_step = m->step;
		if (m->type == EL_CYCLES) {
			flow_cycles(d, m->offset, m->val, m->count, m->flags);
			continue;
		}
		d->el = element_of(m);
		flow_element(d);
	}
	l->n_mark = end - m;
	memmove(l->mark, m, l->n_mark * sizeof(*m));
}

const struct lead_mark *lead_unput_marks(struct csf_decoder *d, const struct lead *l,
					 const struct lead_mark *m, uint64_t offset)
{
	struct element_queue *q = &d->queue;

	for (; m < l->mark + l->n_mark && m->offset < offset; m++)
		q->ring[q->n++] = element_of(m);
	return m;
}

int lead_take_time(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	const struct packet_time t = packet_time(&d->config, pos);
	const uint64_t time = (d->expand.time & ~low_bits(t.bits)) | t.val;
	const uint64_t offset = window_offset(&d->win, pos);

	if (l->n_mark >= l->max_mark || flow_ends_at(d, time, offset))
		return 0;
	d->expand.time = time;
	l->mark[l->n_mark++] = (struct lead_mark){
		.offset = offset, .val = time, .count = t.count, .step = l->out, .type = EL_TIME,
		.flags = t.has_count ? EL_COUNT : 0,
	};
	return t.size;
}

int lead_take_cycles(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	struct csf_packet pkt;
	struct element el;
	uint32_t n = 0;
	int size = packet_read(&d->config, pos, &pkt);

	if (pkt.type == CSF_PKT_BAD)
		return 0;
	if (!d->config.commopt)
		n = pkt.commit;
	if (n > l->out - l->sure || l->sure + n > l->lost)
		return 0;
	expand_packet(&d->expand, &d->config, &pkt, window_offset(&d->win, pos), &el);
	if (!lead_may_mark(d, l, &el))
		return 0;
	l->sure += n;
	el.at = d->seq + d->n_more + l->sure;
	lead_put_mark(l, &el);
	return size;
}

uint32_t lead_take_sync(struct csf_decoder *d, struct lead *l)
{
	struct window *win = &d->win;
	struct csf_packet pkt;
	struct element el;
	int size;

	if (win->pos >= win->limit || win->flush || !window_at_sync(win))
		return 0;
	size = packet_read(&d->config, win->pos, &pkt);
	if (pkt.type != CSF_PKT_ASYNC)
		return 0;
	window_take(win, size);
	d->stats.async++;
	if (win->pos >= win->safe)
		return 1;
	size = packet_read(&d->config, win->pos, &pkt);
	if (pkt.type != CSF_PKT_INFO || l->stack || l->n_mark >= l->max_mark)
		return 1;
	expand_packet(&d->expand, &d->config, &pkt, window_offset(win, win->pos), &el);
	lead_put_mark(l, &el);
	window_take(win, size);
	return 2;
}
