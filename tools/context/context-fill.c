// SPDX-License-Identifier: GPL-2.0-only
/* Adds runs to contexts: by thread, with interruptions. */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/array.h"
#include "../../perf-plugin/perf-sample.h"
#include "loop-rounds.h"

/* Steps of a transaction that wait until its outcome is known. */
#define JOURNAL_MAX	(1u << 20)

/**
 * struct context_fill - a replay that is added to a tree
 * @thread: @n_thread stacks; @by_key: finds them: index + 1
 * @of: by stream, its last thread: index + 1
 * @rounds: the watcher, if there is one
 */
struct context_fill {
	struct context_code code;
	struct context_rans rans;
	struct context_thread *thread;
	struct hash_table by_key;
	size_t n_thread, size_thread;
	uint32_t *of;
	size_t n_stream;
	struct loop_rounds *rounds;
};

int context_fill_new(struct context_fill **out, struct contexts *contexts,
		     struct perf_replay *replay)
{
	struct context_fill *fill = calloc(1, sizeof(*fill));

	*out = fill;
	if (!fill)
		return -ENOMEM;
	fill->code.contexts = contexts;
	fill->code.replay = replay;
	return 0;
}

void context_fill_free(struct context_fill *fill)
{
	if (!fill)
		return;
	for (size_t i = 0; i < fill->n_thread; i++) {
		free(fill->thread[i].frame);
		free(fill->thread[i].journal);
		free(fill->thread[i].visit);
	}
	free(fill->thread);
	free(fill->by_key.slot);
	free(fill->of);
	context_rans_fini(&fill->rans);
	context_code_fini(&fill->code);
	free(fill);
}

void context_fill_watch(struct context_fill *fill, struct loop_rounds *rounds)
{
	fill->rounds = rounds;
}

/* ---------------------------------------------------------------- threads */

/* The name of a thread, as a function. */
static uint32_t name_of(struct context_fill *fill, uint64_t key)
{
	const struct perf_tasks *tasks = fill->code.replay->tasks;
	const bool known = key >> 32 != PERF_NO_TID;
	const char *name = known ? perf_tasks_comm(tasks, key, PERF_TASKS_LAST) : NULL;

	/* no code is at this place */
	return context_function(fill->code.contexts, CONTEXT_NOWHERE, ~key, name);
}

/* Return: NULL: no memory. */
static struct context_thread *thread_of(struct context_fill *fill, uint64_t key)
{
	struct context_node node = { .kind = CONTEXT_THREAD, .site = key };
	struct context_thread t = { .key = key };
	uint32_t *slot;

	if (!array_room(&fill->thread, fill->n_thread, &fill->size_thread,
			sizeof(*fill->thread)) ||
	    !HASH_ROOM(&fill->by_key, fill->n_thread, 1, i,
		       hash_mix(0, fill->thread[i - 1].key)))
		return NULL;
	slot = HASH_SLOT(&fill->by_key, hash_mix(0, key), i, fill->thread[i - 1].key == key);
	if (*slot)
		return &fill->thread[*slot - 1];
	node.function = name_of(fill, key);
	t.node = node.function ? context_node(fill->code.contexts, &node) : 0;
	context_forget(&t);
	if (!t.node)
		return NULL;
	fill->thread[fill->n_thread] = t;
	*slot = ++fill->n_thread;
	return &fill->thread[*slot - 1];
}

/* If the thread is unknown, each stream has one of its own. */
static uint64_t key_of(const struct perf_run *run)
{
	uint32_t tid = run->who.tid;

	if (tid == PERF_NO_TID || run->who.pid == PERF_NO_TID)
		return (uint64_t)PERF_NO_TID << 32 | run->stream->number;
	return (uint64_t)run->who.pid << 32 | tid;
}

static struct context_thread *find(struct context_fill *fill, const struct perf_run *run)
{
	const uint64_t key = key_of(run);
	const size_t number = run->stream->number;
	struct context_thread *t;

	if (number >= fill->n_stream) {
		size_t n = 2 * number + 8;
		uint32_t *of = realloc(fill->of, n * sizeof(*of));

		if (!of)
			return NULL;
		for (size_t i = fill->n_stream; i < n; i++)
			of[i] = 0;
		fill->of = of;
		fill->n_stream = n;
	}
	t = fill->of[number] ? &fill->thread[fill->of[number] - 1] : NULL;
	if (!t || t->key != key)
		t = thread_of(fill, key);
	if (!t)
		return NULL;
	fill->of[number] = t - fill->thread + 1;
	/* a thread that moves to another processor was interrupted before, which is known */
	if (t->stream != number || run->starts) {
		if (t->open || !t->broken)
			context_break(t);
		t->stream = number;
	}
	return t;
}

/* ---------------------------------------------------------------- steps */

/* The code of the innermost function since the last one: steps from @at on; @any: their info. */
struct ran {
	const uint32_t *at;
	uint64_t insns;
	uint32_t any;
};

/* Is the step counted by node? */
static bool counts(const struct context_fill *fill, uint32_t step)
{
	return fill->code.contexts->counts || fill->code.info[step] & STEP_INLINED;
}

static int add(struct context_fill *fill, struct context_thread *t, struct ran *ran,
	       const uint32_t *end)
{
	const uint32_t number = t->frame[t->n - 1].node;
	struct context_node *node = &fill->code.contexts->node[number];
	int err = 0;

	if (fill->code.unseen) {
		*ran = (struct ran){ end, 0, 0 };
		return 0;
	}
	node->insns += ran->insns;
	node->blocks += end - ran->at;
	if (fill->rounds)
		err = loop_rounds_add(fill->rounds, &fill->code, t, ran->at, end);
	if (fill->code.contexts->shares.wanted && ran->insns && !err)
		err = context_shares_add(&fill->code.contexts->shares, number, ran->insns);
	if (fill->code.contexts->counts || ran->any & STEP_INLINED)
		for (; ran->at < end && !err; ran->at++)
			if (counts(fill, *ran->at))
				err = context_rans_add(&fill->rans, number, *ran->at);
	*ran = (struct ran){ end, 0, 0 };
	return err;
}

static int resume(struct context_fill *fill, struct context_thread *t, const struct perf_run *run,
		  uint32_t number)
{
	const uint64_t addr = csf_block_addr(run->stream->dec, &run->run, number);

	return context_resume(&fill->code, t, &fill->code.block[number].at, addr == t->addr,
			      run->run.context.el > t->el);
}

/* Damaged trace led elsewhere: it broke off at an unknown place. */
static int stray(struct context_fill *fill, struct context_thread *t,
		 const struct context_place *to)
{
	context_break(t);
	return context_resume(&fill->code, t, to, false, false);
}

/* Walks @n steps of @run. */
static int walk(struct context_fill *fill, struct context_thread *t, const struct perf_run *run,
		const uint32_t *step, size_t n)
{
	const struct context_block *block = fill->code.block;
	const uint16_t *info = fill->code.info;
	struct ran ran = { step, 0, 0 };
	uint32_t function;
	int err = 0;

	if (!n)
		return 0;
	if (t->broken) {
		err = resume(fill, t, run, csf_step_block(*step));
		if (err)
			return err;
	}
	t->el = run->run.context.el;
	function = t->frame[t->n - 1].function;
	for (size_t i = 0; i < n; i++) {
		const uint32_t s = step[i];
		const struct context_place *at = &block[s >> 1].at;

		if (t->open) {
			err = add(fill, t, &ran, step + i);
			if (!err)
				err = context_move(&fill->code, t, at);
			if (err)
				return err;
			function = t->frame[t->n - 1].function;
		}
		if (at->function != function && at->function) {
			err = add(fill, t, &ran, step + i);
			if (!err)
				err = stray(fill, t, at);
			if (err)
				return err;
			function = t->frame[t->n - 1].function;
		}
		ran.insns += info[s] & STEP_INSNS;
		ran.any |= info[s];
		if (info[s] >> STEP_SHIFT)
			t->open = s;
	}
	return add(fill, t, &ran, step + n);
}

/* ---------------------------------------------------------------- time */

/* Walks a run; between its timestamps, if shares are wanted. */
static int walk_run(struct context_fill *fill, struct context_thread *t, const struct perf_run *run)
{
	struct context_shares *shares = &fill->code.contexts->shares;
	const struct csf_run *r = &run->run;
	uint64_t time = run->after ? run->after : run->since;
	uint32_t cpu;
	size_t done = 0;
	int err;

	if (!shares->wanted)
		return walk(fill, t, run, r->step, r->n);
	/* the time of an AUX record is when it was written: after all of its timestamps */
	if (!time && !fill->code.replay->timed)
		time = run->fragment->time;
	cpu = run->stream->cpu;
	err = context_shares_at(shares, cpu, time);
	for (size_t i = 0; i < r->n_mark && !err; i++) {
		const struct csf_mark *m = &r->mark[i];
		size_t at = m->at > r->seq ? m->at - r->seq : 0;

		if (m->kind != CSF_MARK_TIME || m->flags & CSF_MARK_UNKNOWN)
			continue;
		time = perf_replay_time(fill->code.replay, m->value);
		if (at > r->n)
			at = r->n;
		if (at > done) {
			err = walk(fill, t, run, r->step + done, at - done);
			done = at;
		}
		if (time && !err)
			err = context_shares_at(shares, cpu, time);
	}
	return err ? err : walk(fill, t, run, r->step + done, r->n - done);
}

/* ---------------------------------------------------------------- transactions */

static int remember(struct context_fill *fill, struct context_thread *t, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;

	for (size_t i = 0; i < r->n && !t->unsure; i++) {
		if (t->n_step == JOURNAL_MAX ||
		    !array_room(&t->journal, t->n_step, &t->size_step, sizeof(*t->journal)))
			t->unsure = true;
		else
			t->journal[t->n_step++] = r->step[i];
		if (t->unsure) {
			/* too long to tell: counted */
			int err = walk(fill, t, run, t->journal, t->n_step);

			t->n_step = 0;
			return err ? err : walk(fill, t, run, r->step + i, r->n - i);
		}
	}
	return t->unsure ? walk(fill, t, run, r->step, r->n) : 0;
}

static int end_transaction(struct context_fill *fill, struct context_thread *t,
			   const struct perf_run *run)
{
	int err = 0;

	if (run->run.value == CSF_TRANS_FAIL)
		context_break(t);
	else
		err = walk(fill, t, run, t->journal, t->n_step);
	t->n_step = 0;
	t->unsure = false;
	return err;
}

/* ---------------------------------------------------------------- ends */

/* The last branch went to the origin of an exception, or to missing code, too. */
static int arrive(struct context_fill *fill, struct context_thread *t, const struct perf_run *run,
		  bool missing)
{
	struct context_place to;
	int err = context_code_find(&fill->code, run, &to);

	if (!err && t->open && t->n)
		err = missing ? context_move_missing(&fill->code, t, &to) :
				context_move(&fill->code, t, &to);
	/* for example, a handler that was interrupted before its first instruction */
	else if (!err && !missing && t->broken && to.function && t->addr != run->run.addr)
		err = context_resume(&fill->code, t, &to, false, run->run.context.el > t->el);
	context_break(t);
	if (!missing) {
		t->resume = to;
		t->addr = run->run.addr;
	}
	return err;
}

static int end(struct context_fill *fill, struct context_thread *t, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;

	switch ((enum csf_end_kind)r->end) {
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TIME:
	case CSF_END_CODE:
		return 0;
	case CSF_END_TRANSACTION:
		return end_transaction(fill, t, run);
	case CSF_END_EXCEPTION:
		if (!(r->flags & (CSF_EXC_NO_ADDR | CSF_EXC_UNRELIABLE)))
			return arrive(fill, t, run, false);
		context_break(t);
		return 0;
	case CSF_END_GAP:
		if (r->flags & CSF_GAP_GOES_ON)
			return 0;
		if (r->value == CSF_GAP_IMAGE && !(r->flags & (CSF_GAP_MORE | CSF_GAP_RETURN)))
			return arrive(fill, t, run, true);
		if (cs_gap_is_loss(r) && (r->value != CSF_GAP_IMAGE || r->flags & CSF_GAP_RETURN))
			context_forget(t);
		else if (!t->broken)
			context_break(t);
		return 0;
	case CSF_END_Q:
	case CSF_END_TRACE:
		if (!t->broken)
			context_break(t);
		return 0;
	}
	return 0;
}

int context_fill_run(struct context_fill *fill, const struct perf_run *run, bool counted)
{
	struct context_thread *t = find(fill, run);
	int err = t ? context_code_grow(&fill->code) : -ENOMEM;

	if (!err && (fill->code.contexts->counts || fill->code.contexts->inlines))
		err = context_rans_grow(&fill->rans, 2 * fill->code.size);
	if (err)
		return err;
	fill->code.unseen = !counted;
	if (run->run.in_transaction)
		err = remember(fill, t, run);
	else
		err = walk_run(fill, t, run);
	return err ? err : end(fill, t, run);
}

int context_fill_fold(struct context_fill *fill)
{
	for (size_t i = 0; fill->rounds && i < fill->n_thread; i++)
		loop_rounds_end(fill->rounds, &fill->thread[i]);
	return context_rans_fold(&fill->rans, &fill->code);
}
