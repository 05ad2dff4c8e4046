// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs on their way to the counters: maps and the replay are read here, because these belong to
 * the caller.  With threads, runs are copied, and counted by any free thread: one batch at a time,
 * in order, while the next one is filled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "count-fill-parts.h"

/* The size of a batch, in steps or runs. */
#define BATCH_STEPS	(32u << 10)
#define BATCH_RUNS	4096

/**
 * struct fill_stream - the state of a stream
 * @known: the beginning of the second half is known: @offset bytes into @fragment
 * @missing: file of the last gap because of missing code: index + 1
 */
struct fill_stream {
	bool known;
	const struct perf_fragment *fragment;
	uint64_t offset;
	size_t missing;
};

void count_fill_init(struct count_fill *fill, struct perf_replay *replay)
{
	count_fill_init_code(fill, &replay->tasks->code);
	fill->replay = replay;
}

void count_fill_init_code(struct count_fill *fill, struct perf_code *code)
{
	*fill = (struct count_fill){ .code = code, .weight = 1, .n_seen = 1 };
}

/* ---------------------------------------------------------------- blocks */

/* Is the target of its taken branch not in the block, or not in its file? */
static enum fill_look must_look(const struct count_fill *fill, const struct csf_block *b)
{
	const struct code_section *s = section_of(fill, b->section);

	if (b->flags & CSF_FLAG_CUT)
		return FILL_TOLD;
	if (b->kind == CSF_INSN_INDIRECT)
		return FILL_INDIRECT;
	if (b->kind == CSF_INSN_BRANCH && (!s || b->target < 0 || b->target >= s->n))
		return FILL_FAR;
	return FILL_TOLD;
}

/* Adds new blocks to the batch. */
static int look_at_blocks(struct count_fill *fill, struct fill_batch *batch)
{
	const size_t n = (size_t)csf_block_count(fill->code->image) + 1;

	for (; fill->n_seen < n; fill->n_seen++) {
		struct csf_block b;

		if (!array_room(&batch->block, batch->n_block, &batch->size_block,
				sizeof(*batch->block)))
			return -ENOMEM;
		csf_block(fill->code->image, fill->n_seen, &b);
		batch->block[batch->n_block++] = (struct fill_block){
			.place = { b.offset, b.section }, .look = must_look(fill, &b),
		};
	}
	return 0;
}

/* ---------------------------------------------------------------- ends */

static struct fill_place find(const struct count_fill *fill, int space, uint64_t time,
			      uint64_t addr)
{
	struct fill_place to = { 0 };
	struct code_place place;

	if (perf_code_find(fill->code, space, time, addr, &place))
		to = (struct fill_place){ place.offset, place.section };
	return to;
}

static int count_missing(struct count_fill *fill, struct fill_stream *s,
			 const struct perf_run *run)
{
	struct code_place place;

	/* a return to missing code is one to the file that was missing last */
	if (!(run->run.flags & (CSF_GAP_MORE | CSF_GAP_RETURN))) {
		s->missing = 0;
		if (perf_code_find(fill->code, run->run.space, run->time,
				   run->run.addr, &place)) {
			const struct dso_key key = {
				.name = place.dso->name, .kind = place.dso->kind,
				.build_id = place.dso->build_id,
				.n_build_id = place.dso->n_build_id,
			};
			long dso = count_dso_find(&fill->lost, &key);

			if (dso < 0)
				return -ENOMEM;
			s->missing = dso + 1;
		}
	}
	if (s->missing)
		fill->lost.dso[s->missing - 1].lost += run->run.lost * fill->weight;
	return 0;
}

/* Finds the place with half of the bytes of the stream's queue. */
static void find_half(const struct count_fill *fill, struct fill_stream *s,
		      const struct perf_stream *stream)
{
	const struct perf_aux *aux = fill->replay->aux;
	const struct perf_queue *queue = &aux->queue[stream->queue];
	uint64_t left = queue->bytes / 2;

	s->known = true;
	for (size_t i = 0; i < queue->n; i++) {
		s->fragment = &aux->fragment[queue->first + i];
		s->offset = left;
		if (left < s->fragment->size)
			break;
		left -= s->fragment->size;
	}
}

/* Is its end in the second half? */
static bool in_second_half(const struct count_fill *fill, struct fill_stream *s,
			   const struct perf_run *run)
{
	if (!fill->replay)
		return false;
	if (!s->known)
		find_half(fill, s, run->stream);
	return run->fragment > s->fragment ||
	       (run->fragment == s->fragment &&
		run->run.offset - run->stream->begin >= s->offset);
}

static bool is_missing(const struct csf_run *r)
{
	return r->end == CSF_END_GAP && r->value == CSF_GAP_IMAGE;
}

/*
 * Where the last branch went, even if nothing was executed there: it was taken anyway.  @to:
 * the address.  An exception interrupts the place that execution had come to.
 */
static enum fill_leads leads(const struct csf_run *r, uint64_t *to)
{
	*to = r->addr;
	switch ((enum csf_end_kind)r->end) {
	case CSF_END_EXCEPTION:
		if (!(r->flags & (CSF_EXC_NO_ADDR | CSF_EXC_UNRELIABLE)))
			return FILL_LEADS;
		*to = r->from;
		/* a reset: any address before it may be wrong */
		if (r->flags & CSF_EXC_NO_ADDR && *to)
			return FILL_BY_CODE;
		break;
	case CSF_END_GAP:
		if (r->flags & (CSF_GAP_RETURN | CSF_GAP_MORE))
			return FILL_NOWHERE;
		if (is_missing(r))
			return FILL_LEADS;
		/* an impossible source address is not the target of a branch */
		if (r->value == CSF_GAP_WALK)
			*to = r->from == r->addr ? 0 : r->from;
		break;
	case CSF_END_Q:
		*to = r->from;
		break;
	case CSF_END_TRACE:
		break;
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TRANSACTION:
	case CSF_END_TIME:
	case CSF_END_CODE:
		return FILL_NOWHERE;
	}
	return *to ? FILL_LEADS : FILL_NOWHERE;
}

/* Finds where the end of a run leads.  Return: 0 or -ENOMEM. */
static int find_end(const struct count_fill *fill, const struct perf_run *run, struct fill_run *to)
{
	struct code_place place;
	uint64_t addr;
	int found;

	to->leads = leads(&run->run, &addr);
	if (to->leads == FILL_NOWHERE)
		return 0;
	/* missing or interrupted code was looked for in the maps of that time */
	if (!fill->replay || is_missing(&run->run) || run->run.end == CSF_END_EXCEPTION) {
		to->to = find(fill, run->run.space, run->time, addr);
		return 0;
	}
	found = perf_replay_find(fill->replay, run->stream, &run->who, run->time, addr, &place);
	if (found > 0)
		to->to = (struct fill_place){ place.offset, place.section };
	return found < 0 ? found : 0;
}

static int describe(struct count_fill *fill, const struct perf_run *run, struct fill_run *to)
{
	const size_t number = run->stream->number;
	const struct csf_run *r = &run->run;
	struct fill_stream *s;
	int err;

	if (number >= fill->n_stream) {
		if (!array_zeros(&fill->stream, fill->n_stream, 2 * number + 8, sizeof(*s)))
			return -ENOMEM;
		fill->n_stream = 2 * number + 8;
	}
	s = &fill->stream[number];
	*to = (struct fill_run){
		.stream = number, .n = r->n, .value = r->value, .end = r->end,
		.starts = run->starts, .in_transaction = r->in_transaction,
		.second_half = in_second_half(fill, s, run),
		.goes_on = r->end == CSF_END_GAP && r->flags & CSF_GAP_GOES_ON,
	};
	err = find_end(fill, run, to);
	return !err && is_missing(r) ? count_missing(fill, s, run) : err;
}

/* ---------------------------------------------------------------- batches */

/* Runs in any free thread. */
static void count_batch(struct csf_work *work)
{
	struct fill_batch *batch = (struct fill_batch *)work;
	const uint32_t *step = batch->step;

	batch->err = fill_learn(batch->fill, batch);
	for (size_t i = 0; i < batch->n_run && !batch->err; i++) {
		batch->err = fill_count(batch->fill, &batch->run[i], step);
		step += batch->run[i].n;
	}
	batch->n_block = 0;
	batch->n_run = 0;
	batch->n_step = 0;
}

/* Waits until handed-over batches are counted.  Return: 0 or -ENOMEM. */
static int finish(struct count_fill *fill)
{
	struct fill_batch *other = &fill->batch[!fill->at];

	csf_work_end(fill->threads, &other->work);
	return other->err;
}

/* Hands over a full batch. */
static int give_away(struct count_fill *fill)
{
	struct fill_batch *batch = &fill->batch[fill->at];
	int err = finish(fill);

	if (err)
		return err;
	csf_work_begin(fill->threads, &batch->work);
	fill->at = !fill->at;
	return 0;
}

static int put(struct count_fill *fill, const struct fill_run *run, const uint32_t *steps)
{
	struct fill_batch *batch = &fill->batch[fill->at];

	if (!array_room(&batch->run, batch->n_run, &batch->size_run, sizeof(*run)))
		return -ENOMEM;
	while (batch->size_step - batch->n_step < run->n) {
		const size_t size = batch->size_step + BATCH_STEPS;

		if (!array_zeros(&batch->step, batch->size_step, size, sizeof(*batch->step)))
			return -ENOMEM;
		batch->size_step = size;
	}
	if (run->n)
		memcpy(batch->step + batch->n_step, steps, run->n * sizeof(*steps));
	batch->n_step += run->n;
	batch->run[batch->n_run++] = *run;
	if (batch->n_step < BATCH_STEPS && batch->n_run < BATCH_RUNS)
		return 0;
	return give_away(fill);
}

void count_fill_threads(struct count_fill *fill, struct csf_threads *threads)
{
	fill->threads = threads;
	for (int i = 0; i < 2; i++) {
		fill->batch[i].work.work = count_batch;
		fill->batch[i].fill = fill;
	}
}

int count_fill_run(struct count_fill *fill, const struct perf_run *run)
{
	struct fill_batch *batch = &fill->batch[fill->at];
	struct fill_run r;
	int err;

	batch->paths = csf_path_count(fill->code->image);
	err = look_at_blocks(fill, batch);
	if (!err)
		err = describe(fill, run, &r);
	if (!err && fill->threads)
		return put(fill, &r, run->run.step);
	if (!err)
		err = fill_learn(fill, batch);
	batch->n_block = 0;
	return err ? err : fill_count(fill, &r, run->run.step);
}

int count_fill_next(struct count_fill *fill, const struct perf_stream *stream, int space,
		    uint64_t addr)
{
	const struct fill_place to = find(fill, space, 0, addr);

	return fill_lead(fill, stream->number, &to);
}

int fill_finish(struct count_fill *fill)
{
	int err;

	if (!fill->threads)
		return 0;
	err = give_away(fill);
	return err ? err : finish(fill);
}

void count_fill_fini(struct count_fill *fill)
{
	if (fill->threads)
		finish(fill);
	for (int i = 0; i < 2; i++) {
		free(fill->batch[i].block);
		free(fill->batch[i].run);
		free(fill->batch[i].step);
	}
	free(fill->stream);
	fill_free_counters(fill);
	count_table_fini(&fill->lost);
	*fill = (struct count_fill){ 0 };
}
