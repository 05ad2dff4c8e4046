// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perf.data as a source.
 *
 * Each stream is decoded by its own replay, which decodes nothing else if
 * streams are CPUs: so one is read to its end while nothing of the others is kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/options.h"
#include "source-run.h"
#include "../input/losses.h"
#include "../input/unchecked.h"
#include "../lib/without.h"

/**
 * struct perf_source - source.own
 * @numbers: of the streams
 * @cpu: the CPU that @replay decodes, if streams are CPUs
 * @number: of the stream, see source_thread() if streams are threads
 * @context: of the items before; @new_context: that of @run is another one
 * @in_run: @r has further items of @run
 * @tid: thread of the items before; @new_task: that of @run is another one
 * @at: where the thread was executed last; NULL: nowhere yet
 * @off: CPUs' streams, by number, that have been off since their last instruction; @n_off of them
 * @told: a gap after the thread's last instruction is in the stream; @came: the gap before @run
 *        comes first, see comes_from_off()
 */
struct perf_source {
	struct perf_replay *replay;
	struct source_numbers numbers;
	struct perf_cpus cpu;
	uint32_t number;
	struct perf_run run;
	struct source_run r;
	bool in_run;
	uint32_t tid;
	bool new_task;
	struct csf_context context;
	bool new_context;
	const struct perf_stream *at;
	bool *off;
	size_t n_off;
	bool told, came;
};

static void end_replay(struct perf_source *p)
{
	perf_replay_free(p->replay);
	p->replay = NULL;
	p->in_run = false;
}

static void drop(struct perf_source *p)
{
	source_run_free(&p->r);
	end_replay(p);
}

static void perf_source_close(struct source *s)
{
	struct perf_source *p = s->own;

	if (!p)
		return;
	drop(p);
	free(p->off);
	source_numbers_fini(&p->numbers);
	free(p);
}

/* After a replay is decoded: reports problems of the file, except notes. */
static void tell(struct source *s)
{
	const struct perf_source *p = s->own;
	const size_t before = s->problems.n + s->problems.dropped;

	problems_warn_perf(&s->problems, s->path, p->replay->file, false);
	s->damaged |= s->problems.n + s->problems.dropped > before;
	unchecked_tell(&p->replay->tasks->code.dsos);
	missing_tell(s->path, &p->replay->tasks->code.dsos);
}

/* @cpus: only these CPUs, @n_cpus ranges */
static int replay(struct source *s, const struct perf_cpus *cpus, size_t n_cpus)
{
	struct perf_source *p = s->own;
	const struct perf_replay_options options = {
		.dso = s->options.dso, .cpus = cpus, .n_cpus = n_cpus,
		.marks = CSF_MARK_TIME | CSF_MARK_DATA, .without = without_layers(),
		.timeless = s->options.timeless,
		.n_threads = options_threads(s->options.n_threads),
	};
	int err;

	drop(p);
	err = perf_replay_new(&p->replay, s->real, &options);
	if (err)
		return err;
	p->replay->name = s->path;
	p->r.image = p->replay->image;
	s->total = p->replay->queues->total;
	return 0;
}

static uint32_t tid_of(const struct perf_replay *replay, const struct perf_run *run)
{
	uint32_t tid = replay->aux->queue[run->stream->queue].tid;

	return tid != PERF_NO_TID ? tid : run->who.tid;
}

static uint32_t thread_of(const struct perf_replay *replay, const struct perf_run *run)
{
	return source_thread(tid_of(replay, run), run->stream->cpu);
}

static int list_threads(struct perf_source *p)
{
	struct perf_run run;
	int err = 0;

	while (!err && (err = perf_replay_next(p->replay, &run)) > 0)
		err = source_number(&p->numbers, thread_of(p->replay, &run));
	return err;
}

static int list(struct source *s)
{
	struct perf_source *p = s->own;
	const struct perf_replay *replay = p->replay;
	bool threads = false;
	int err = 0;

	if (!replay->cs || !replay->cs->n_cpu) {
		problems_error(&s->problems, s->path, 0, "no CoreSight trace in it");
		return -ENODATA;
	}
	for (size_t i = 0; i < replay->aux->n_queue; i++)
		threads |= replay->aux->queue[i].tid != PERF_NO_TID;
	if (s->options.by == SOURCE_AUTO && threads)
		s->by = SOURCE_THREAD;
	if (s->by == SOURCE_THREAD && !threads)
		return list_threads(p);
	for (size_t i = 0; i < replay->aux->n_queue && s->by == SOURCE_THREAD && !err; i++)
		err = source_number(&p->numbers, replay->aux->queue[i].tid);
	for (size_t i = 0; i < replay->cs->n_cpu; i++)
		s->data |= csf_config_data(&replay->cs->cpu[i].config);
	for (size_t i = 0; i < replay->cs->n_cpu && s->by == SOURCE_CPU && !err; i++)
		err = source_number(&p->numbers, replay->cs->cpu[i].cpu);
	return err;
}

static int perf_source_open(struct source *s)
{
	struct perf_source *p = calloc(1, sizeof(*p));
	int err;

	s->own = p;
	if (!p)
		return -ENOMEM;
	err = replay(s, NULL, 0);
	if (!err)
		err = list(s);
	drop(p);
	return err;
}

static bool perf_source_stream(struct source *s, size_t n, struct source_stream *stream)
{
	const struct perf_source *p = s->own;

	if (n < p->numbers.n && s->by == SOURCE_THREAD)
		source_thread_stream(stream, p->numbers.v[n]);
	else if (n < p->numbers.n)
		stream->number = p->numbers.v[n];
	return n < p->numbers.n;
}

static int perf_source_start(struct source *s, const struct source_stream *stream)
{
	struct perf_source *p = s->own;
	bool cpu = s->by == SOURCE_CPU;

	p->number = cpu ? stream->number : source_stream_thread(stream);
	p->tid = PERF_NO_TID;
	p->context = (struct csf_context){ 0 };
	p->at = NULL;
	p->told = false;
	p->came = false;
	if (p->n_off)
		memset(p->off, 0, p->n_off * sizeof(*p->off));
	p->cpu.first = stream->number;
	p->cpu.last = stream->number;
	return replay(s, cpu ? &p->cpu : NULL, cpu);
}

/* Of several threads, the one before may have ended with the context of the next one. */
static bool has_new_context(const struct source *s)
{
	const struct perf_source *p = s->own;
	const struct csf_run *run = &p->run.run;

	return s->by == SOURCE_THREAD && run->n && run->context.known &&
	       memcmp(&run->context, &p->context, sizeof(p->context));
}

static bool is_off(const struct csf_run *run)
{
	return run->end == CSF_END_GAP && run->value == CSF_GAP_OFF;
}

/* That a CPU's trace is off is known when it goes on; by then the thread may be on another CPU. */
static bool is_left_behind(const struct perf_source *p)
{
	return !p->run.run.n && is_off(&p->run.run) && p->at != p->run.stream;
}

/* Of any thread.  Return: the stream was off before @run; -ENOMEM. */
static int note_off(struct perf_source *p)
{
	const struct csf_run *run = &p->run.run;
	const size_t number = p->run.stream->number;
	bool before;

	if (number >= p->n_off) {
		bool *grown = realloc(p->off, (number + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + p->n_off, 0, (number + 1 - p->n_off) * sizeof(*grown));
		p->off = grown;
		p->n_off = number + 1;
	}
	before = p->off[number];
	p->off[number] = is_off(run) || (before && !run->n);
	return before;
}

/*
 * Was the thread not traced just before @run?  It came from another CPU, whose gap is not in the
 * stream, see is_left_behind(); and the trace of this CPU was off until @run.
 */
static bool comes_from_off(const struct perf_source *p, bool off)
{
	return off && p->run.run.n && p->at && p->at != p->run.stream && !p->told;
}

/* The next run of the stream.  @off: its trace was off before it */
static int find_run(struct source *s, bool *off)
{
	struct perf_source *p = s->own;
	int got;

	do {
		got = losses_next(p->replay, &p->run);
		s->done = p->replay->queues->done;
		if (!got)
			tell(s);
		if (got <= 0 || s->by != SOURCE_THREAD)
			return got;
		got = note_off(p);
		if (got < 0)
			return got;
		*off = got;
	} while (thread_of(p->replay, &p->run) != p->number || is_left_behind(p));
	return 1;
}

static int next_run(struct source *s)
{
	struct perf_source *p = s->own;
	const struct csf_run *run = &p->run.run;
	bool off = false;
	const int got = find_run(s, &off);

	if (got <= 0)
		return got;
	p->came = comes_from_off(p, off);
	p->told = run->end == CSF_END_GAP || (p->told && !run->n);
	if (run->n)
		p->at = p->run.stream;
	p->in_run = true;
	p->new_task = s->options.tasks && run->n && p->run.who.tid != p->tid;
	p->tid = run->n ? p->run.who.tid : p->tid;
	p->new_context = has_new_context(s);
	if (run->end == CSF_END_CONTEXT)
		p->context = run->to;
	else if (run->n)
		p->context = run->context;
	return source_run_begin(&p->r, p->run.stream->dec, run) ? -ENOMEM : 1;
}

static int next_item(struct perf_source *p, struct source_item *item)
{
	if (p->came) {
		p->came = false;
		source_item(item, SOURCE_GAP);
		item->value = CSF_GAP_OFF;
	} else if (p->new_task) {
		p->new_task = false;
		source_item(item, SOURCE_TASK);
		item->pid = p->run.who.pid;
		item->tid = p->run.who.tid;
	} else if (p->new_context) {
		p->new_context = false;
		source_item(item, SOURCE_CONTEXT);
		item->context = p->run.run.context;
	} else {
		return source_run_next(&p->r, item);
	}
	item->offset = p->run.run.offset;
	return 1;
}

static int perf_source_next(struct source *s, struct source_item *item)
{
	struct perf_source *p = s->own;
	int got;

	for (;;) {
		if (!p->in_run) {
			if (!p->replay)
				return 0;
			got = next_run(s);
			/* The holder of an item may still read its code. */
			if (!got)
				end_replay(p);
			if (got <= 0)
				return got;
		}
		got = next_item(p, item);
		if (got)
			break;
		p->in_run = false;
	}
	if (got > 0) {
		item->has_time = p->run.time != 0;
		item->time = p->run.time;
	}
	return got;
}

const struct source_ops source_perf_ops = {
	.name = "perf.data",
	.open = perf_source_open,
	.close = perf_source_close,
	.stream = perf_source_stream,
	.start = perf_source_start,
	.next = perf_source_next,
};
