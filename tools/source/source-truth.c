// SPDX-License-Identifier: GPL-2.0-only
/*
 * A truth log as a source.
 *
 * The stream of a thread goes over the CPUs that executed it: each CPU is a lane,
 * read up to the next slice of the thread; the slices have numbers that order them.
 */
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source-private.h"

/**
 * struct lane - the stream of a CPU
 * @order: of the slice at whose beginning it is
 * @cpu: its number
 * @lost: reason, 0: execution is in the trace
 * @ended: it is at its end
 */
struct lane {
	struct truth_cursor at;
	uint32_t pid, cpu;
	uint64_t order;
	uint64_t lost;
	bool ended;
};

/**
 * struct truth_source - source.own
 * @cpus: all CPUs; @threads: if streams are threads
 * @lane: @n_lane of them; for a CPU's stream, one
 * @thread: see source_thread()
 * @current: the lane that is being read; NULL: not yet chosen
 * @lost: the state after the last item of LOST or FOUND
 * @older: exceptions have the numbers of PTM and ETMv3
 * @each: the log tells of each instruction whether its condition failed
 * @r: the current record; @held: it was not yet returned
 */
struct truth_source {
	int fd;
	struct truth_file *file;
	struct source_numbers cpus, threads;
	struct lane *lane, *current;
	size_t n_lane;
	uint32_t thread;
	uint64_t lost;
	bool older, each;
	char digits[16];
	struct truth_record r;
	bool held;
};

static void stop(struct truth_source *t)
{
	for (size_t i = 0; i < t->n_lane; i++)
		truth_stop(&t->lane[i].at);
	free(t->lane);
	t->lane = NULL;
	t->current = NULL;
	t->n_lane = 0;
}

static void truth_source_close(struct source *s)
{
	struct truth_source *t = s->own;

	if (!t)
		return;
	stop(t);
	truth_close(t->file);
	if (t->fd >= 0)
		close(t->fd);
	source_numbers_fini(&t->cpus);
	source_numbers_fini(&t->threads);
	free(t);
}

static int list_cpus(struct source *s)
{
	struct truth_source *t = s->own;
	bool seen[TRUTH_CPU_MAX];
	uint64_t end;
	int err = truth_cpus(t->file, seen, &end);

	if (err > 0) {
		problems_warn(&s->problems, s->path, 0,
			      "offset 0x%" PRIx64 ": not a chunk; nothing after it is read", end);
		s->damaged = true;
		err = 0;
	}
	for (uint32_t i = 0; i < TRUTH_CPU_MAX && !err; i++)
		if (seen[i])
			err = source_number(&t->cpus, i);
	return err;
}

/* All threads: every record is read once. */
static int list_threads(struct truth_source *t)
{
	struct truth_cursor *at = malloc(sizeof(*at));
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->cpus.n && !err; i++) {
		truth_start(at, t->file, t->cpus.v[i]);
		while ((err = truth_next(at, &t->r)) > 0) {
			if (t->r.kind == TRUTH_THREAD)
				err = source_number(&t->threads,
						    source_thread(t->r.tid, t->cpus.v[i]));
			if (err < 0)
				break;
		}
		truth_stop(at);
	}
	free(at);
	return err;
}

/* The first CPU's unit: what data the trace has. */
static int find_data(struct source *s)
{
	struct truth_source *t = s->own;
	struct truth_cursor *at = malloc(sizeof(*at));
	int got = at ? 1 : -ENOMEM;

	if (!t->cpus.n || !at) {
		free(at);
		return got < 0 ? got : 0;
	}
	truth_start(at, t->file, t->cpus.v[0]);
	do {
		got = truth_next(at, &t->r);
	} while (got > 0 && t->r.kind != TRUTH_CONFIG && t->r.kind != TRUTH_RAN);
	if (got > 0 && t->r.kind == TRUTH_CONFIG)
		s->data = csf_config_data(&t->r.config);
	truth_stop(at);
	free(at);
	return got < 0 ? got : 0;
}

static int truth_source_open(struct source *s)
{
	struct truth_source *t = calloc(1, sizeof(*t));
	int err;

	s->own = t;
	if (!t)
		return -ENOMEM;
	t->fd = open(s->real, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return -errno;
	err = truth_open(&t->file, t->fd);
	if (err == -EINVAL)
		problems_error(&s->problems, s->path, 0, "a truth log of another version");
	if (!err)
		err = list_cpus(s);
	if (!err)
		err = find_data(s);
	if (!err && s->by == SOURCE_THREAD)
		err = list_threads(t);
	return err;
}

static bool truth_source_stream(struct source *s, size_t n, struct source_stream *stream)
{
	const struct truth_source *t = s->own;
	const struct source_numbers *list = s->by == SOURCE_THREAD ? &t->threads : &t->cpus;

	if (n < list->n && s->by == SOURCE_THREAD)
		source_thread_stream(stream, list->v[n]);
	else if (n < list->n)
		stream->number = list->v[n];
	return n < list->n;
}

/* ---------------------------------------------------------------- lanes */

static void configured(struct truth_source *t)
{
	const struct csf_config *c = &t->r.config;

	t->each = c->protocol == CSF_PROTOCOL_ETM3;
	t->older = (c->protocol == CSF_PROTOCOL_PTM || t->each) && c->profile != CSF_PROFILE_M;
}

static int next_record(struct source *s, struct lane *lane)
{
	struct truth_source *t = s->own;
	int got = truth_next(&lane->at, &t->r);

	if (got <= 0) {
		lane->ended = true;
		if (lane->at.wrong)
			s->damaged = true;
		if (lane->at.wrong)
			problems_warn(&s->problems, s->path, 0, "CPU %u: offset 0x%llx: %s",
				      lane->at.cpu, (unsigned long long)lane->at.where,
				      lane->at.wrong);
		return got;
	}
	s->done = lane->at.chunk;
	if (t->r.kind == TRUTH_LOST)
		lane->lost = t->r.value;
	else if (t->r.kind == TRUTH_FOUND)
		lane->lost = 0;
	else if (t->r.kind == TRUTH_CONFIG)
		configured(t);
	return 1;
}

/* Is the current record a slice of the thread? */
static bool is_slice(const struct truth_source *t, const struct lane *lane)
{
	return t->r.kind == TRUTH_THREAD && source_thread(t->r.tid, lane->cpu) == t->thread;
}

/* Reads on to the next slice of the thread. */
static int forward(struct source *s, struct lane *lane)
{
	struct truth_source *t = s->own;
	int got;

	while ((got = next_record(s, lane)) > 0)
		if (is_slice(t, lane)) {
			lane->order = t->r.value;
			lane->pid = t->r.pid;
			return 0;
		}
	return got;
}

static int truth_source_start(struct source *s, const struct source_stream *stream)
{
	struct truth_source *t = s->own;
	bool thread = s->by == SOURCE_THREAD;
	int err = 0;

	stop(t);
	t->lost = 0;
	t->held = false;
	t->thread = source_stream_thread(stream);
	t->lane = calloc(thread ? t->cpus.n + 1 : 1, sizeof(*t->lane));
	if (!t->lane)
		return -ENOMEM;
	t->n_lane = thread ? t->cpus.n : 1;
	for (size_t i = 0; i < t->n_lane; i++) {
		t->lane[i].cpu = thread ? t->cpus.v[i] : stream->number;
		truth_start(&t->lane[i].at, t->file, t->lane[i].cpu);
	}
	for (size_t i = 0; i < t->n_lane && thread && !err; i++)
		err = forward(s, &t->lane[i]);
	if (!thread)
		t->current = t->lane;
	return err;
}

/* The lane with the thread's next slice; NULL: none. */
static struct lane *choose(struct truth_source *t)
{
	struct lane *best = NULL;

	for (size_t i = 0; i < t->n_lane; i++)
		if (!t->lane[i].ended && (!best || t->lane[i].order < best->order))
			best = &t->lane[i];
	return best;
}

/* The next record of the stream. */
static int step(struct source *s)
{
	struct truth_source *t = s->own;
	struct lane *lane = t->current;
	int got;

	if (s->by == SOURCE_CPU)
		return lane->ended ? 0 : next_record(s, lane);
	if (lane) {
		got = next_record(s, lane);
		if (got > 0 && t->r.kind != TRUTH_THREAD)
			return 1;
		t->current = NULL;
		if (got > 0 && is_slice(t, lane))
			lane->order = t->r.value;
		else if (got > 0)
			got = forward(s, lane);
		if (got < 0)
			return got;
	}
	t->current = choose(t);
	if (!t->current)
		return 0;
	t->r.kind = TRUTH_THREAD;
	t->r.pid = t->current->pid;
	t->r.tid = t->thread == source_thread(0, t->current->cpu) ? 0 : t->thread;
	t->r.value = t->current->order;
	return 1;
}

/* ---------------------------------------------------------------- items */

static const uint8_t kinds[] = {
	[TRUTH_THREAD] = SOURCE_TASK,
	[TRUTH_CONTEXT] = SOURCE_CONTEXT,
	[TRUTH_EXCEPTION] = SOURCE_EXCEPTION,
	[TRUTH_LOST] = SOURCE_LOST,
	[TRUTH_FOUND] = SOURCE_FOUND,
	[TRUTH_TIME] = SOURCE_TIME,
	[TRUTH_TM] = SOURCE_TM,
	[TRUTH_DATA] = 0,
};

/* The number that ETMv4 has for an exception of PTM and ETMv3. */
static uint32_t newer_type(uint32_t number)
{
	static const uint8_t type[] = {
		[1] = 1, [2] = 2, [3] = 2, [4] = 4, [8] = 0, [9] = 3, [10] = 2, [11] = 11,
		[12] = 12, [14] = 14, [15] = 15,
	};

	return number < sizeof(type) && (type[number] || number == 8) ? type[number] : number;
}

static void event(const struct truth_source *t, struct source_item *item)
{
	const struct truth_record *r = &t->r;

	source_item(item, kinds[r->kind]);
	item->offset = r->offset;
	item->value = r->value;
	item->type = t->older ? newer_type(r->value) : r->value;
	/* Decoded ETMv3 has the newer ones only. */
	if (t->each && t->older && r->kind == TRUTH_EXCEPTION)
		item->value = item->type;
	item->addr = r->addr;
	item->has_addr = r->kind == TRUTH_EXCEPTION;
	item->pid = r->pid;
	item->tid = r->tid;
	if (r->kind == TRUTH_CONTEXT)
		item->context = r->context;
}

/* At the beginning of a slice, the state of loss may differ from that of the previous one. */
static bool catch_up(struct truth_source *t, struct source_item *item)
{
	uint64_t lost = t->current->lost;

	if (lost == t->lost)
		return false;
	source_item(item, lost ? SOURCE_LOST : SOURCE_FOUND);
	item->offset = t->r.offset;
	item->value = lost;
	t->lost = lost;
	return true;
}

/* Is it one that trace can have as a record of memory? */
static bool is_memory(const struct truth_data *d)
{
	return !(d->flags & (TRUTH_DATA_REGISTER | TRUTH_DATA_FAILED | TRUTH_DATA_LOST |
			     TRUTH_DATA_ELEMENTS));
}

static void memory(struct truth_source *t, struct source_item *item)
{
	const struct truth_data *d = &t->r.data;

	source_item(item, SOURCE_MEM);
	item->offset = t->r.offset;
	item->addr = d->addr;
	item->has_addr = true;
	item->n = d->size;
	item->write = d->flags & TRUTH_DATA_STORE;
	item->digits.p = t->digits;
	item->digits.n = 2 * d->size;
	for (size_t i = 0; i < item->digits.n; i++)
		t->digits[i] = "0123456789abcdef"[d->value >> 4 * (item->digits.n - 1 - i) & 15];
}

static int truth_source_next(struct source *s, struct source_item *item)
{
	struct truth_source *t = s->own;
	int got;

	for (;;) {
		if (!t->held) {
			got = step(s);
			if (got <= 0)
				return got;
		}
		t->held = false;
		if (t->r.kind == TRUTH_RAN)
			break;
		if (t->r.kind == TRUTH_LOST || t->r.kind == TRUTH_FOUND)
			t->lost = t->current->lost;
		if (t->r.kind == TRUTH_DATA && is_memory(&t->r.data)) {
			memory(t, item);
			return 1;
		}
		if (kinds[t->r.kind]) {
			event(t, item);
			return 1;
		}
	}
	if (catch_up(t, item)) {
		t->held = true;
		return 1;
	}
	source_item(item, SOURCE_INSN);
	item->isa = t->r.block->isa;
	item->has_addr = true;
	item->n_insn = t->r.n_insn;
	item->size = t->r.size;
	item->addr = t->r.addr;
	item->code = t->r.code;
	if (t->each)
		item->how = t->r.failed ? SOURCE_SKIPPED : SOURCE_DONE;
	item->offset = t->r.offset;
	return 1;
}

const struct source_ops source_truth_ops = {
	.name = "truth log",
	.open = truth_source_open,
	.close = truth_source_close,
	.stream = truth_source_stream,
	.start = truth_source_start,
	.next = truth_source_next,
};
