// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <stdlib.h>

#include "threads-host.h"

/* ---------------------------------------------------------------- sums */

static void add(uint64_t *sum, uint64_t v)
{
	*sum = (*sum ^ v) * 0x9e3779b97f4a7c15ull;
	*sum ^= *sum >> 31;
}

/* Blocks have other numbers every time: their addresses count, and their sections. */
static void add_steps(struct host *h, const struct csf_run *run)
{
	struct csf_block block;

	for (size_t i = 0; i < run->n; i++) {
		csf_block(h->image, run->step[i] >> 1, &block);
		add(&h->sum.sum, csf_block_addr(h->dec, run, run->step[i] >> 1) << 1 |
		    (run->step[i] & 1));
		add(&h->sum.sum, (uint64_t)block.section << 32 | block.size);
	}
	h->sum.steps += run->n;
}

static void add_access(struct sum *s, const struct csf_access *a)
{
	add(&s->marks, a->addr);
	add(&s->marks, a->value);
	add(&s->marks, a->insn);
	add(&s->marks, a->at);
	add(&s->marks, (uint64_t)a->number << 32 | a->size << 24 | a->addr_bits << 16 | a->flags);
}

static void add_marks(struct sum *s, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n_mark; i++) {
		const struct csf_mark *m = &run->mark[i];

		add(&s->marks, s->ends);
		add(&s->marks, m->seq);
		add(&s->marks, m->offset);
		add(&s->marks, m->value);
		add(&s->marks, m->at);
		add(&s->marks, (uint64_t)m->count << 32 | m->kind << 16 | m->flags);
		if (m->kind == CSF_MARK_DATA)
			add_access(s, &run->access[m->value]);
	}
}

static void add_run(struct host *h, const struct csf_run *run)
{
	struct sum *s = &h->sum;

	if (s->steps != run->seq)
		add(&s->sum, ~0ull);
	add_steps(h, run);
	add_marks(s, run);
	if (run->end == CSF_END_FULL) {
		add(&s->marks, run->n << 32 | run->n_mark);
		return;
	}
	s->ends++;
	add(&s->sum, run->end | run->flags << 8 | run->context.el << 24 |
	    run->in_transaction << 28 | (uint64_t)run->space << 32);
	add(&s->sum, run->value);
	add(&s->sum, run->addr);
	add(&s->sum, run->from);
	add(&s->sum, run->lost);
	add(&s->sum, run->bytes);
	add(&s->sum, run->offset);
	if (h->frames)
		add(&s->sum, csf_frames_offset(h->frames, TRACE_ID, run->offset));
	add(&s->sum, run->time);
	add(&s->sum, (uint64_t)run->to.contextid << 32 | run->to.vmid);
}

/* ---------------------------------------------------------------- code */

struct code {
	const struct host *host;
	const struct area *area;
};

/* No other thread calls the caller's functions. */
static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	const struct code *code = context;

	if (!pthread_equal(pthread_self(), code->host->self))
		abort();
	memcpy(buf, code->area->code + offset, n);
	return n;
}

static size_t whole_code(void *context, const void **bytes)
{
	const struct code *code = context;

	if (!pthread_equal(pthread_self(), code->host->self))
		abort();
	*bytes = code->area->code;
	return code->area->n;
}

/* At times when the period is even one section is there, else the other. */
static int map_periods(struct host *h, const struct area *a, const int *section)
{
	int err = 0;

	for (uint64_t k = 0; k < PERIODS && !err; k++)
		err = csf_map_span(h->image, CSF_SPACE_ALL, a->addr, a->n, section[k & 1], 0,
				   k * h->period, k + 1 == PERIODS ? UINT64_MAX :
								    (k + 1) * h->period);
	return err;
}

static int map_area(struct host *h, unsigned int i)
{
	const struct area *a = &h->t->program.area[i];
	int err = 0;

	if (h->what & HOLES && i == 1)
		return 0;
	if (h->what & BY_TIME)
		return map_periods(h, a, h->section[i]);
	for (int space = 0; space < SPACES && !err; space++)
		err = csf_map(h->image, space, a->addr, a->n, h->section[i][space & 1], 0);
	return err;
}

static void make_image(struct host *h, struct code *code)
{
	const struct program *p = &h->t->program;
	int err = csf_image_new(&h->image);

	for (int space = 1; space < SPACES && !err; space++)
		err = csf_space_new(h->image) != space;
	for (unsigned int i = 0; i < p->n_area && !err; i++) {
		code[i] = (struct code){ h, &p->area[i] };
		h->section[i][0] = csf_section_read(h->image, p->area[i].n, read_code, &code[i]);
		if (i + 1 == p->n_area)
			csf_section_whole(h->image, h->section[i][0], whole_code);
		h->section[i][1] = csf_section_bytes(h->image, p->area[i].code, p->area[i].n);
		if (!(h->what & ASKS))
			err = map_area(h, i);
	}
	if (err)
		abort();
}

/* Code is needed at @addr: it is mapped then. */
static void find_code(struct host *h, uint64_t addr)
{
	for (unsigned int i = 0; i < h->t->program.n_area; i++) {
		const struct area *a = &h->t->program.area[i];

		if (addr - a->addr < a->n && map_area(h, i))
			abort();
	}
}

/* ---------------------------------------------------------------- decoding */

/* The arrays of the last run stay unchanged, although other threads may go on already. */
static void look_ahead(struct host *h)
{
	uint64_t last, above;

	add(&h->sum.sum, csf_next_time(h->dec, 1000, &last, &above));
	add(&h->sum.sum, last);
	add(&h->sum.sum, above);
	if (h->threads)
		sched_yield();
}

/* Actions that a caller may take after a run. */
static void react(struct host *h, const struct csf_run *run)
{
	const uint64_t half = (h->period + 1) / 2;

	h->runs++;
	h->contexts += run->end == CSF_END_CONTEXT;
	if (h->what & BY_CONTEXT && run->end == CSF_END_CONTEXT)
		csf_set_space(h->dec, 1 + run->to.contextid % (SPACES - 1));
	if (h->what & BY_COUNT && run->end == CSF_END_CONTEXT)
		csf_set_space(h->dec, h->contexts / 5 % SPACES);
	if (run->end == CSF_END_CODE)
		find_code(h, run->addr);
	if (run->end == CSF_END_TIME && h->what & BY_TIME) {
		const uint64_t time = run->mark[run->n_mark - 1].value;

		/* twice in each: the first time no map changes */
		csf_set_time(h->dec, time, time - time % half + half);
	}
	if (h->what & CHANGES && h->runs % 97 == 0)
		csf_section_stale(h->image, h->section[0][h->runs & 1]);
	if (h->what & CHANGES && h->runs % 89 == 0)
		csf_map(h->image, h->runs % SPACES, h->t->program.area[0].addr,
			h->t->program.area[0].n, h->section[0][h->runs / 89 & 1], 0);
}

/* The other decoder's knowledge is not for @h, which leaves it for a while. */
static void disturb(struct host *h)
{
	struct csf_run run;
	int got;

	if (h->other && (h->runs == 100 || h->runs == 200) &&
	    csf_set_threads(h->dec, h->runs == 100 ? NULL : h->threads))
		abort();
	if (!h->other || h->runs % 3)
		return;
	csf_set_space(h->other, h->runs / 7 % SPACES);
	if (h->what & BY_TIME)
		csf_set_time(h->other, h->runs / 11 % PERIODS * h->period, 0);
	got = csf_next(h->other, &run);
	if (!got && h->fed_other < h->n) {
		const size_t left = h->n - h->fed_other, n = left < 3000 ? left : 3000;

		got = csf_feed(h->other, h->bytes + h->fed_other, n);
		h->fed_other += n;
	}
	if (got < 0)
		abort();
}

static int drain_once(struct host *h)
{
	struct csf_run run;
	int got;

	while ((got = csf_next(h->dec, &run)) > 0) {
		if (h->what & LOOKS_AHEAD)
			look_ahead(h);
		spread_run(&h->spread, h->image, &run);
		add_run(h, &run);
		react(h, &run);
		disturb(h);
		/* counted at each run, because nothing may be left to look at afterwards */
		if (h->dec->read_ahead) {
			h->taken = h->dec->read_ahead->n_taken;
			h->refused = h->dec->read_ahead->n_refused;
			h->again = h->dec->read_ahead->n_again;
		}
	}
	return got;
}

/* Commits uncommitted elements, now and then: returns whether there were any. Not in the middle. */
static bool commits(struct host *h)
{
	long n;

	if (!(h->what & COMMITS) || h->n_drained++ % 3)
		return false;
	n = csf_commit(h->dec);
	if (n < 0)
		abort();
	add(&h->sum.sum, n);
	return n;
}

static void drain(struct host *h)
{
	int got;

	do {
		got = drain_once(h);
	} while (!got && commits(h));
	if (got < 0)
		abort();
}

/* Bytes that are fed next. */
static size_t next_bytes(const struct host *h)
{
	const size_t left = h->n - h->fed;

	return h->chunk && h->chunk < left ? h->chunk : left;
}

static void tell(struct host *h, size_t at, size_t n)
{
	if (h->frames)
		csf_frames_ahead(h->frames, h->bytes + at, n);
	else
		csf_feed_ahead(h->dec, h->bytes + at, n);
}

/* Now and then it is wrong. */
static void tell_next(struct host *h, size_t n)
{
	const unsigned int what = h->n_fed++ % 4;

	tell(h, h->fed, n);
	if (what == 1)
		tell(h, h->fed, n / 2);
	if (what == 2)
		tell(h, h->fed / 2, n);
}

/* Return: bytes taken, of @n. */
static size_t give(struct host *h, size_t n)
{
	long taken = n;

	if (h->frames)
		taken = csf_frames_feed(h->frames, h->bytes + h->fed, n);
	else if (csf_feed(h->dec, h->bytes + h->fed, n))
		taken = -1;
	if (taken < 0)
		abort();
	return taken;
}

/* No more follows, or other bytes. */
static void end(struct host *h, bool last)
{
	if (!h->frames)
		last ? csf_end(h->dec) : csf_break(h->dec);
	else if (last)
		csf_frames_end(h->frames);
	else
		csf_frames_break(h->frames, 0);
}

/* The next bytes.  Returns whether there were any. */
static bool feed(struct host *h)
{
	const size_t n = give(h, next_bytes(h));

	/* bytes that are not used up yet cannot be committed */
	if (h->what & COMMITS && n > 1000 && csf_commit(h->dec) != CSF_ERR_ARG)
		abort();
	h->fed += n;
	if (h->read_ahead)
		tell_next(h, next_bytes(h));
	if (h->fed < h->n && !(h->what & BREAKS && h->fed / h->chunk % 3 == 0))
		return n;
	end(h, h->fed == h->n || h->fed / h->chunk % 2);
	/* the next bytes are another trace, but may be announced, too */
	if (h->read_ahead)
		tell_next(h, next_bytes(h));
	return n;
}

static uint32_t run_max(unsigned int what)
{
	if (what & CALM)
		return what & PATHS ? 200 : 50;
	return what & PATHS ? 400 : what & LOOKS_AHEAD ? 100 : 0;
}

void host_decode(struct host *h)
{
	struct csf_config config = h->t->setup.config;
	struct code code[4];

	config.marks = CSF_MARK_DEFAULT | CSF_MARK_INFO;
	if (h->what & CONDITIONS)
		config.marks |= CSF_MARK_COND;
	if (csf_config_data(&config))
		config.marks |= CSF_MARK_DATA;
	config.run_max = run_max(h->what);
	config.without = h->without;
	h->self = pthread_self();
	make_image(h, code);
	if (csf_new(&h->dec, &config, h->image) || csf_set_threads(h->dec, h->threads))
		abort();
	if (h->shares && (csf_new(&h->other, &config, h->image) ||
			  csf_set_threads(h->other, h->threads)))
		abort();
	/* other instructions take atoms */
	if (h->shares && h->t->seed & 1)
		h->other->config.rule ^= CSF_RULE_LOAD;
	if (h->framed && (csf_frames_new(&h->frames, CSF_FRAMES_MEMORY,
					 h->without & CSF_WITHOUT_FRAMES) ||
			  csf_attach(h->frames, TRACE_ID, h->dec)))
		abort();
	csf_ask_code(h->dec, h->what & ASKS);
	if (h->what & PATHS && h->threads && csf_ask_paths(h->dec, true))
		abort();
	if (h->what & BY_TIME)
		csf_set_time(h->dec, 0, h->period);
	while (feed(h))
		drain(h);
	h->sum.stats.size = sizeof(h->sum.stats);
	csf_stats(h->dec, &h->sum.stats);
	h->sum.frames.size = sizeof(h->sum.frames);
	if (h->frames)
		csf_frames_stats(h->frames, &h->sum.frames);
	csf_free(h->dec);
	csf_free(h->other);
	csf_frames_free(h->frames);
	csf_image_free(h->image);
	free(h->spread.step);
}
