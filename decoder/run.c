// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The run that is being made: its steps, its marks and its end. */
#include <assert.h>

#include "flow.h"

/* The marks that were moved name the accesses of the run before: moves these, too. */
static void take_accesses(struct csf_decoder *d)
{
	for (uint32_t i = 0; i < d->out.resume_mark; i++) {
		struct csf_mark *m = &d->out.mark[i];

		if (m->kind != CSF_MARK_DATA)
			continue;
		d->out.access[d->out.n_access] = d->out.access[m->value];
		m->value = d->out.n_access++;
	}
}

/* Moves the rest of the run before, which is stored after it, to the start. */
static void take_rest(struct csf_decoder *d)
{
	memmove(d->out.step, d->out.step + d->out.rest_step,
		d->out.resume_step * sizeof(*d->out.step));
	memmove(d->out.mark, d->out.mark + d->out.rest_mark,
		d->out.resume_mark * sizeof(*d->out.mark));
	if (d->out.access)
		take_accesses(d);
	d->out.rest_step = 0;
	d->out.rest_mark = 0;
}

/* The number of steps and paths that make the first @n_ran steps of @run; a mark follows them. */
static size_t count_steps(const struct csf_image *image, const struct csf_run *run,
			  uint64_t n_ran)
{
	const uint32_t *steps;
	size_t n = 0;

	if (run->n == run->n_ran)
		return n_ran;
	while (n_ran) {
		n_ran -= run->step[n] & CSF_PATH ? csf_path(image, run->step[n], &steps) : 1;
		n++;
	}
	return n;
}

void run_end_at(const struct csf_image *image, struct csf_run *run, size_t i)
{
	const uint64_t n_ran = run->mark[i].seq - run->seq;

	run->n_mark = i + 1;
	run->n = count_steps(image, run, n_ran);
	run->n_ran = n_ran;
	run->offset = run->mark[i].offset;
}

/* Field by field: there may be a gap every few bytes, and clearing all at once is slower. */
void flow_begin(struct csf_decoder *d, struct csf_run *run)
{
	run->step = d->out.step;
	run->mark = d->out.mark;
	run->access = d->out.access;
	run->n = 0;
	run->n_mark = 0;
	run->n_ran = 0;
	run->seq = d->flow.seq;
	run->context = d->flow.ctx;
	run->to = (struct csf_context){ 0 };
	run->space = d->flow.space;
	run->time = d->addr.time;
	run->in_transaction = d->flow.in_transaction;
	run->end = CSF_END_FULL;
	run->flags = 0;
	run->value = 0;
	run->addr = 0;
	run->from = 0;
	run->lost = 0;
	run->bytes = 0;
	run->offset = window_offset(&d->in.win, d->in.win.pos);
	d->out.run = run;
	d->out.ended = false;
	d->out.n_step = d->out.resume_step;
	d->out.n_mark = d->out.resume_mark;
	d->out.n_more = d->out.resume_more;
	d->out.n_access = 0;
	if (unlikely(d->out.rest_step | d->out.rest_mark))
		take_rest(d);
	d->out.resume_step = 0;
	d->out.resume_more = 0;
	d->out.resume_mark = 0;
	if (d->addr.memo)
		path_memo_begin(d->addr.memo);
	exec_check(d);
}

/*
 * A full run ends at its last timestamp, and its rest begins the next run.  So times can be
 * estimated from the timestamps around a step, and do not depend on where decode began.
 */
static void keep_rest(struct csf_decoder *d)
{
	struct csf_run *run = d->out.run;
	size_t n_mark = run->n_mark;

	while (n_mark && d->out.mark[n_mark - 1].kind != CSF_MARK_TIME)
		n_mark--;
	if (!n_mark || d->out.mark[n_mark - 1].seq == run->seq)
		return;
	d->out.resume_mark = run->n_mark - n_mark;
	d->out.resume_step = run->n;
	d->out.resume_more = run->n_ran - run->n;
	run_end_at(d->image, run, n_mark - 1);
	d->out.resume_step -= run->n;
	d->out.resume_more -= run->n_ran - run->n;
	d->out.rest_step = run->n;
	d->out.rest_mark = run->n_mark;
}

/* The rest of the last run has paths of the image, which are not wanted any more. */
void flow_unfold_rest(struct csf_decoder *d)
{
	uint32_t *const rest = d->out.step + d->out.rest_step, *to;

	to = rest + d->out.resume_step + d->out.resume_more;
	for (size_t i = d->out.resume_step; i--;) {
		const uint32_t *from = &rest[i];
		const size_t n = rest[i] & CSF_PATH ? csf_path(d->image, rest[i], &from) : 1;

		to -= n;
		memmove(to, from, n * sizeof(*to));
	}
	d->out.resume_step += d->out.resume_more;
	d->out.resume_more = 0;
}

/* A caller that did not ask for paths gets their steps. */
static void unfold(struct csf_decoder *d)
{
	path_unfold(d->addr.memo, d->out.step, d->out.n_step, d->out.n_more);
	d->out.n_step += d->out.n_more;
	d->out.n_more = 0;
}

void flow_finish(struct csf_decoder *d)
{
	if (d->out.folded && !d->config.paths)
		unfold(d);
	d->out.folded = false;
	d->out.run->n = d->out.n_step;
	d->out.run->n_mark = d->out.n_mark;
	d->out.run->n_ran = d->out.n_step + d->out.n_more;
	if (d->out.ended && d->out.run->end == CSF_END_FULL)
		keep_rest(d);
	d->flow.seq += d->out.run->n_ran;
	d->stats.steps += d->out.run->n_ran;
}

void flow_end(struct csf_decoder *d, enum csf_end_kind end)
{
	d->out.run->end = end;
	d->out.run->offset = d->el.offset;
	d->out.ended = true;
}

/* As flow_mark(), for the packet at @offset. */
static struct csf_mark *mark_at(struct csf_decoder *d, uint16_t kind, uint64_t offset)
{
	struct csf_mark *m;

	if (!(d->config.marks & kind))
		return NULL;
	assert(d->out.n_mark < MARK_MAX);
	m = &d->out.mark[d->out.n_mark++];
	*m = (struct csf_mark){
		.seq = flow_now(d), .offset = offset, .at = flow_now(d), .kind = kind,
	};
	return m;
}

struct csf_mark *flow_mark(struct csf_decoder *d, uint16_t kind)
{
	return mark_at(d, kind, d->el.offset);
}

void flow_cycles(struct csf_decoder *d, uint64_t offset, uint64_t at, uint32_t count,
		 uint8_t flags)
{
	struct csf_mark *m = mark_at(d, CSF_MARK_CYCLES, offset);

	if (m) {
		m->count = count;
		m->at = at;
		m->flags = flags & EL_COUNT ? 0 : CSF_MARK_UNKNOWN;
	}
}

bool flow_step(struct csf_decoder *d, uint32_t number, bool taken)
{
	if (d->follow.planning) {
		d->follow.planned++;
		return true;
	}
	/* with paths or without: a run is full at the same number of steps */
	if (d->out.n_step + d->out.n_more == d->config.run_max) {
		flow_end(d, CSF_END_FULL);
		return false;
	}
	d->out.step[d->out.n_step++] = number << 1 | taken;
	d->exec.fresh = false;
	return true;
}

void flow_end_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes)
{
	flow_end(d, CSF_END_GAP);
	d->out.run->value = gap;
	d->out.run->lost = lost;
	d->out.run->bytes = bytes;
	d->stats.lost += lost;
	d->stats.lost_by[gap] += lost;
	d->stats.skipped += bytes;
	d->stats.skipped_by[gap] += bytes;
}

void flow_open_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes)
{
	flow_end_gap(d, gap, lost, bytes);
	d->stats.gaps[gap]++;
	d->flow.gap_open = true;
	d->flow.gap = gap;
	d->flow.gap_addr = 0;
	/* of use for a return stack only; what else forgets it may never come */
	if (gap == CSF_GAP_IMAGE && d->config.retstack) {
		d->exec.missed = true;
		d->exec.unsure |= 1u << d->flow.ctx.el;
	}
	exec_lose(d);
}

bool flow_say_more(struct csf_decoder *d)
{
	if (!d->flow.more_lost && !d->flow.more_bytes)
		return false;
	flow_end_gap(d, d->flow.gap, d->flow.more_lost, d->flow.more_bytes);
	d->out.run->flags = CSF_GAP_MORE;
	d->out.run->addr = d->flow.gap_addr;
	d->flow.more_lost = 0;
	d->flow.more_bytes = 0;
	return true;
}

void flow_no_return(struct csf_decoder *d, uint64_t lost)
{
	const bool missed = d->exec.missed;

	flow_open_gap(d, missed ? CSF_GAP_IMAGE :
		      d->config.retstack ? CSF_GAP_STACK : CSF_GAP_ADDRESS, lost, 0);
	d->out.run->flags = missed ? CSF_GAP_RETURN : 0;
}

void flow_lose(struct csf_decoder *d, enum located why, uint64_t n)
{
	enum csf_gap gap = CSF_GAP_ADDRESS;
	uint64_t addr = why == EXEC_NO_CODE ? exec_pc(d) : 0;

	if (why == EXEC_ERROR) {
		d->out.ended = true;
		return;
	}
	if (d->flow.gap_open && !d->exec.known) {
		d->flow.more_lost += n;
		return;
	}
	if (why == EXEC_EMPTY) {
		flow_no_return(d, n);
		return;
	}
	if (why == EXEC_NO_CODE)
		gap = CSF_GAP_IMAGE;
	flow_open_gap(d, gap, n, 0);
	d->out.run->addr = addr;
	d->flow.gap_addr = addr;
}

void flow_end_context(struct csf_decoder *d)
{
	const struct exec *p = &d->exec;
	/* if the place is not known, is1 is the last known instruction set */
	bool is1 = p->cur ? flow_block(d, p->cur)->pub.isa == CSF_T32 : p->known && p->is1;

	flow_end(d, CSF_END_CONTEXT);
	if (d->exec.known && !d->exec.returns)
		d->out.run->addr = exec_pc(d);
	d->out.run->to = d->el.ctx;
	d->out.run->flags = is1 && !p->returns ? CSF_CONTEXT_IS1 : 0;
	d->flow.ctx = d->el.ctx;
}

uint64_t flow_goes_to(const struct csf_decoder *d)
{
	return d->exec.known && !d->exec.returns && d->flow.ctx.known ? exec_pc(d) : 0;
}
