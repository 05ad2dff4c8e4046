// SPDX-License-Identifier: GPL-2.0-only
/*
 * Most branches stay in a function and change nothing.  The effect of a branch between two blocks
 * is found out once, and kept as in line-cache.h; 0 bytes: it has no effect.
 *
 * A branch from one thread to another is a branch of the thread that goes on: it left at the same
 * place; the branch there belonged to the thread that ran then.
 */
#include <stdio.h>
#include <stdlib.h>

#include "timeline-parts.h"

static bool counts_cycles(const struct perf_replay *replay)
{
	const uint32_t cci = 1u << 4;	/* TRCCONFIGR.CCI */

	for (size_t i = 0; replay->cs && i < replay->cs->n_cpu; i++)
		if (replay->cs->cpu[i].config.trcconfigr & cci)
			return true;
	return false;
}

static uint64_t clock_of(const void *replay, uint64_t timestamp)
{
	return perf_replay_time(replay, timestamp);
}

static int add_words(struct timeline *tl)
{
	static const char *const words[SLICE_NR] = {
		[SLICE_SYSCALL] = "syscall", [SLICE_INTERRUPT] = "interrupt",
		[SLICE_EXCEPTION] = "exception", [SLICE_SIGNAL] = "signal",
		[SLICE_OFF] = "not traced",
	};

	for (int i = 0; i < SLICE_NR; i++) {
		if (!words[i])
			continue;
		tl->out.word[i] = timeline_names_add(&tl->names, words[i]);
		if (!tl->out.word[i])
			return -1;
	}
	return 0;
}

int timeline_start(struct timeline *tl, struct perf_replay *replay)
{
	const struct cs_samples_options options = {
		.branches = true, .errors = true, .ipc = counts_cycles(replay),
		.insn_time = !replay->timed, .clock = clock_of, .clock_context = replay,
	};

	tl->replay = replay;
	tl->out.names = &tl->names;
	tl->out.insns = options.insn_time;
	cs_samples_init(&tl->samples, &options, replay->image);
	if (timeline_names_init(&tl->names, &replay->tasks->code) || add_words(tl) ||
	    line_cache_init(&tl->steps))
		return -1;
	tl->names.part = tl->part;
	tl->out.format->start(&tl->out);
	return 0;
}

/* ---------------------------------------------------------------- effects of branches */

static int name_of(struct timeline *tl, const struct perf_run *run, const struct cs_task *task,
		   const struct timeline_where *at, struct timeline_function *answer)
{
	/* for another space than the run's, the time of changes of maps is unknown */
	const bool other = task->space != run->run.space;

	return timeline_function(&tl->names, at, other ? 0 : run->who.until, answer);
}

static enum slice_kind exception_kind(uint32_t flags)
{
	if (flags & CS_FLAG_SYSCALLRET)
		return SLICE_SYSCALL;
	return flags & CS_FLAG_ASYNC ? SLICE_INTERRUPT : SLICE_EXCEPTION;
}

static bool is_exception(uint32_t flags)
{
	return flags & CS_FLAG_CALL && flags & (CS_FLAG_INTERRUPT | CS_FLAG_SYSCALLRET);
}

static enum timeline_move move_of(const struct cs_sample *sample)
{
	if (is_exception(sample->flags))
		return MOVE_EXCEPTION;
	/* a call of the next instruction only reads the program counter */
	if (sample->flags & CS_FLAG_CALL)
		return sample->ret == sample->addr ? MOVE_JUMP : MOVE_CALL;
	if (!(sample->flags & CS_FLAG_RETURN))
		return MOVE_JUMP;
	return sample->flags & (CS_FLAG_INTERRUPT | CS_FLAG_SYSCALLRET) ? MOVE_ERET : MOVE_RETURN;
}

/* Fills in all but the time.  Return: 0, or 1 if it changes nothing; -1: no memory. */
static int understand(struct timeline *tl, const struct perf_run *run,
		      const struct cs_sample *sample, struct timeline_step *step)
{
	struct timeline_where at = { sample->addr, sample->to.map_time, sample->to.space, false };
	struct timeline_function from = { 0 };

	/* the padding is kept with the fields */
	memset(step, 0, sizeof(*step));
	step->addr = sample->addr;
	step->ret = sample->ret;
	step->move = move_of(sample);
	if (step->move == MOVE_EXCEPTION)
		step->kind = exception_kind(sample->flags);
	at.called = step->move == MOVE_CALL;
	if (sample->addr && name_of(tl, run, &sample->to, &at, &step->to))
		return -1;
	if (sample->addr && tl->inlines)
		step->in_to = timeline_find_inlined(&tl->names, &at);
	at = (struct timeline_where){ sample->ip, sample->from.map_time, sample->from.space,
				      false };
	if (sample->ip && name_of(tl, run, &sample->from, &at, &from))
		return -1;
	if (sample->ip && tl->inlines)
		step->in_from = timeline_find_inlined(&tl->names, &at);
	step->from = from.name;
	return step->move == MOVE_JUMP && sample->ip && from.name == step->to.name &&
	       !step->in_from && !step->in_to;
}

/* ---------------------------------------------------------------- events */

/* The calls may have become unknown: trace was lost, or it is another program. */
static void settle(struct timeline *tl, struct timeline_thread *t, const struct perf_run *run,
		   int space, uint64_t trace_nr)
{
	const struct timeline_frame *top = timeline_top(&t->stack);
	struct timeline_stack *s = &t->stack;

	if (top && ((s->stream == run->stream->number && s->trace_nr != trace_nr &&
		     top->kind != SLICE_LOST) ||
		    (s->space != space && s->track.kind == TRACK_THREAD)))
		timeline_pop(&tl->out, s, 0, s->last);
	s->stream = run->stream->number;
	s->trace_nr = trace_nr;
	s->space = space;
}

/* Trace ends: by an exception, by a call or a return to untraced code, or otherwise. */
static int leave(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *t,
		 const struct cs_sample *sample)
{
	struct timeline_frame *top = timeline_top(&t->stack);
	const bool exception = is_exception(sample->flags);
	struct timeline_frame frame = {
		.begin = sample->time, .ret = sample->ret,
		.kind = exception ? exception_kind(sample->flags) : SLICE_OFF,
	};

	frame.name = tl->out.word[frame.kind];
	if (sample->flags & CS_FLAG_RETURN) {
		timeline_leave_inlined(&tl->out, &t->stack, sample->time);
		top = timeline_top(&t->stack);
	}
	if (sample->flags & CS_FLAG_RETURN && top && top->kind == SLICE_FUNCTION)
		timeline_pop(&tl->out, &t->stack, t->stack.n - 1, sample->time);
	if (timeline_push(&tl->out, &t->stack, &frame))
		return -1;
	timeline_count(tl, cpu, sample->time, true);
	return timeline_switch(tl, cpu, NULL, sample->time);
}

static int enter(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *t,
		 struct timeline_step *step)
{
	if (timeline_switch(tl, cpu, t, step->time))
		return -1;
	cpu->since = step->time;
	return timeline_resume(&tl->out, &t->stack, step);
}

/* Shows a loss on the tracks of the CPU and of the thread. */
static int lose(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *t,
		const struct cs_sample *sample)
{
	const struct timeline_loss loss = { sample->lost, sample->bytes };
	struct timeline_frame frame = { .begin = sample->time, .kind = SLICE_LOST };
	char text[64];

	if (!tl->lost[sample->code]) {
		snprintf(text, sizeof(text), "lost: %s", csf_gap_name(sample->code));
		tl->lost[sample->code] = timeline_names_add(&tl->names, text);
	}
	frame.name = tl->lost[sample->code];
	if (!frame.name || timeline_switch(tl, cpu, NULL, sample->time))
		return -1;
	timeline_pop(&tl->out, &t->stack, 0, sample->time);
	t->stack.loss = loss;
	cpu->stack.loss = loss;
	if (!tl->by_cpu && timeline_push(&tl->out, &t->stack, &frame))
		return -1;
	cpu->lost = t;
	return timeline_push(&tl->out, &cpu->stack, &frame);
}

static int one_step(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *t,
		    struct timeline_step *step)
{
	const struct timeline_frame *top = timeline_top(&t->stack);

	if (timeline_switch(tl, cpu, t, step->time))
		return -1;
	timeline_pass(&tl->out, &cpu->stack, step->time);
	/* another thread's trace went on as this one's */
	if (top && (top->kind == SLICE_OFF || top->kind == SLICE_LOST))
		return timeline_resume(&tl->out, &t->stack, step);
	return timeline_step(&tl->out, &t->stack, step);
}

static int one_branch(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *t,
		      const struct perf_run *run, const struct cs_sample *sample)
{
	struct timeline_step step;
	int ret = understand(tl, run, sample, &step);

	step.time = sample->time;
	if (ret < 0)
		return -1;
	if (!sample->addr || sample->flags & CS_FLAG_TRACE_END)
		return leave(tl, cpu, t, sample);
	if (!sample->ip)
		return enter(tl, cpu, t, &step);
	if (ret)
		timeline_leave_inlined(&tl->out, &t->stack, step.time);
	return ret ? 0 : one_step(tl, cpu, t, &step);
}

static int one_sample(struct timeline *tl, const struct perf_run *run, struct cs_sample *sample)
{
	const bool lost = sample->kind == CS_SAMPLE_ERROR;
	struct timeline_cpu *cpu = timeline_cpu_of(tl, run->stream->cpu);
	const bool ends = !sample->addr || sample->flags & CS_FLAG_TRACE_END;
	const struct cs_task *task = ends ? &sample->from : &sample->to;
	struct timeline_thread *t = cpu ? timeline_thread_of(tl, cpu, task) : NULL;

	if (!t)
		return -1;
	if (tl->out.insns)
		sample->time += tl->base;
	settle(tl, t, run, task->space, sample->trace_nr);
	if (sample->cyc_cnt) {
		cpu->insns += sample->insn_cnt;
		cpu->cycles += sample->cyc_cnt;
		timeline_count(tl, cpu, sample->time, false);
	}
	if (lost)
		return lose(tl, cpu, t, sample);
	return one_branch(tl, cpu, t, run, sample);
}

/* ---------------------------------------------------------------- branches in short */

static int new_edge(struct timeline *tl, const struct perf_run *run, const struct cs_edge *edge,
		    struct timeline_step *step)
{
	const struct line_slot key = { .from = edge->from, .to = edge->to, .world = tl->world };
	struct cs_sample sample;
	int ret;

	cs_samples_edge(&tl->samples, edge, &sample);
	ret = understand(tl, run, &sample, step);
	if (ret >= 0)
		line_cache_add(&tl->steps, &key, (const char *)step, ret ? 0 : sizeof(*step));
	return ret;
}

/* Does a branch stay in the function, and in the inlined function, in which it is? */
static bool stays(const struct timeline_step *step, struct timeline_stack *s)
{
	const struct timeline_frame *top = timeline_top(s);

	return step->move == MOVE_JUMP && step->from == step->to.name && top &&
	       top->kind == SLICE_INLINED && step->in_from == step->in_to &&
	       step->in_to == top->inlined;
}

static int edges(struct timeline *tl, const struct perf_run *run, size_t n)
{
	const struct cs_task task = { .pid = run->who.pid, .tid = run->who.tid };
	struct timeline_cpu *cpu = timeline_cpu_of(tl, run->stream->cpu);
	struct timeline_thread *t = cpu ? timeline_thread_of(tl, cpu, &task) : NULL;
	struct timeline_step step;

	if (!t)
		return -1;
	settle(tl, t, run, run->run.space, cs_samples_trace_nr(&tl->state[run->stream->number]));
	for (const struct cs_edge *e = tl->edge; e < tl->edge + n; e++) {
		const struct line_text *known = line_cache_find(&tl->steps, e->from, e->to,
								tl->world);
		int ret = known ? !known->n : new_edge(tl, run, e, &step);

		if (ret < 0)
			return -1;
		if (ret) {
			timeline_leave_inlined(&tl->out, &t->stack, e->time + tl->base);
			continue;
		}
		if (known)
			memcpy(&step, known->text, sizeof(step));
		if (stays(&step, &t->stack))
			continue;
		step.time = e->time + tl->base;
		if (one_step(tl, cpu, t, &step))
			return -1;
	}
	return 0;
}

/* ---------------------------------------------------------------- runs */

static struct cs_sample_state *state_of(struct timeline *tl, uint32_t number)
{
	if (number >= tl->n_state) {
		size_t n = 2 * (size_t)number + 8;
		struct cs_sample_state *p = realloc(tl->state, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + tl->n_state, 0, (n - tl->n_state) * sizeof(*p));
		tl->state = p;
		tl->n_state = n;
	}
	return &tl->state[number];
}

static int all_samples(struct timeline *tl, const struct perf_run *run, bool shown)
{
	struct cs_sample sample;

	for (;;) {
		size_t n = cs_samples_edges(&tl->samples, tl->edge, TIMELINE_EDGES);

		if (n && shown && edges(tl, run, n))
			return -1;
		if (n)
			continue;
		if (!cs_samples_next(&tl->samples, &sample))
			return 0;
		if (shown && one_sample(tl, run, &sample))
			return -1;
	}
}

int timeline_run(struct timeline *tl, const struct perf_run *run, bool shown)
{
	const struct cs_samples_input input = {
		.dec = run->stream->dec, .run = &run->run, .starts = run->starts,
		.pid = run->who.pid, .tid = run->who.tid,
		.time = run->time ? run->time : run->fragment->time, .since = run->since,
		.came = run->came,
	};
	const struct line_world world = {
		.space = run->run.space, .until = run->who.until,
		.in_transaction = run->run.in_transaction,
	};
	struct cs_sample_state *state = state_of(tl, run->stream->number);

	if (!state || cs_samples_run(&tl->samples, state, &input))
		return -1;
	if (tl->out.insns)
		tl->base = tl->insns - cs_samples_insns(state);
	tl->world = line_cache_world(&tl->steps, &world);
	if (all_samples(tl, run, shown))
		return -1;
	if (tl->out.insns)
		tl->insns = tl->base + cs_samples_insns(state);
	return 0;
}

void timeline_finish(struct timeline *tl)
{
	for (size_t i = 0; i < tl->n_cpu; i++) {
		struct timeline_cpu *cpu = tl->cpu[i];
		struct timeline_stack *last = cpu->thread ? &cpu->thread->stack : &cpu->stack;
		uint64_t time = last->last > cpu->stack.last ? last->last : cpu->stack.last;

		timeline_count(tl, cpu, time, true);
		timeline_switch(tl, cpu, NULL, time);
	}
	for (size_t i = 0; i < tl->n_thread && !tl->by_cpu; i++)
		timeline_pop(&tl->out, &tl->thread[i]->stack, 0, tl->thread[i]->stack.last);
	tl->out.format->finish(&tl->out);
}

void timeline_fini(struct timeline *tl)
{
	for (size_t i = 0; i < tl->n_cpu; i++) {
		free(tl->cpu[i]->stack.frame);
		free(tl->cpu[i]);
	}
	for (size_t i = 0; i < tl->n_thread; i++) {
		free(tl->thread[i]->stack.frame);
		free(tl->thread[i]);
	}
	cs_samples_fini(&tl->samples);
	line_cache_fini(&tl->steps);
	timeline_names_fini(&tl->names);
	free(tl->cpu);
	free(tl->thread);
	free(tl->by_key.slot);
	free(tl->state);
}
