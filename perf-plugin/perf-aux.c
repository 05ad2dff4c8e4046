// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace cut at AUX records.
 *
 * perf_aux_new() reads the AUX records in file order and makes a fragment of each buffer that one
 * of them touches; then it sorts the fragments in the order in which the rings were written; then
 * it looks for bytes that two fragments have, or none.
 */
#include "perf-aux.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "perf-abi.h"
#include "perf-buffer.h"

/* Fewer bytes than this between two fragments are padding. */
#define PADDING		8

/* Number of later generations in which a snapshot is looked for: some may have no AUX record. */
#define GENERATIONS_AHEAD	64

/* A fragment that is being built. */
struct piece {
	struct perf_fragment fragment;
	size_t buffer;
};

struct build {
	struct perf_aux *aux;
	struct perf_file *file;
	struct perf_buffers buffers;
	struct piece *piece;
	size_t n, n_max;	/* @n_max: limit, as contradictory records could make more */
	bool any_raw;
};

/* An AUX record. */
struct cause {
	struct perf_aux_record aux;
	struct perf_fragment fragment;	/* the common part of all its fragments */
	struct perf_ring *ring;
};

static int add(struct build *build, const struct perf_fragment *fragment, size_t buffer)
{
	size_t n = build->n;

	if (!array_next(&build->piece, n, sizeof(*build->piece)))
		return -ENOMEM;
	build->piece[n] = (struct piece){ .fragment = *fragment, .buffer = buffer };
	build->n++;
	return 0;
}

/* Adds @size bytes from @aux_offset on, which are in that buffer. */
static int add_range(struct build *build, const struct perf_fragment *like, size_t number,
		     uint64_t aux_offset, uint64_t size)
{
	const struct perf_buffer *buffer = &build->buffers.buffer[number];
	struct perf_fragment fragment = *like;

	fragment.offset = buffer->offset + (aux_offset - buffer->aux_offset);
	fragment.aux_offset = aux_offset;
	fragment.size = size;
	if (fragment.cpu == PERF_NO_CPU)
		fragment.cpu = perf_ring_cpu(buffer->key);
	if (perf_ring_tid(buffer->key) != PERF_NO_TID)
		fragment.tid = perf_ring_tid(buffer->key);
	if (buffer->task)
		fragment.flags |= PERF_FRAGMENT_TASK;
	if (buffer->cut && aux_offset + size == buffer->aux_offset + buffer->size)
		fragment.flags |= PERF_FRAGMENT_CUT;
	return add(build, &fragment, number);
}

static uint32_t read_flags(struct build *build, uint64_t flags, uint64_t offset)
{
	uint64_t format = flags & PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK;
	uint32_t answer = 0;

	if (flags & PERF_AUX_FLAG_TRUNCATED)
		answer |= PERF_FRAGMENT_TRUNCATED;
	if (flags & PERF_AUX_FLAG_OVERWRITE)
		answer |= PERF_FRAGMENT_OVERWRITE;
	if (flags & PERF_AUX_FLAG_PARTIAL)
		answer |= PERF_FRAGMENT_PARTIAL;
	if (flags & PERF_AUX_FLAG_COLLISION)
		answer |= PERF_FRAGMENT_COLLISION;
	if (format == PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW)
		answer |= PERF_FRAGMENT_RAW;
	else if (format != PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT)
		perf_problem_add(&build->file->problems, PERF_DAMAGE, offset,
				 "AUX record with unknown format %#" PRIx64 ", taken for frames",
				 format >> 8);
	return answer;
}

/* The end of @ring's trace in the file. */
static uint64_t end_of(const struct build *build, const struct perf_ring *ring)
{
	const struct perf_buffer *last;
	size_t after;

	if (!ring)
		return 0;
	after = perf_ring_find(&build->buffers, ring, ring->generation, UINT64_MAX);
	last = &build->buffers.buffer[after > ring->first ? after - 1 : after];
	return last->aux_offset + last->size;
}

/* Counts trace that was written but is not in the file.  A ring that was full wrote no more. */
static void count_beyond(struct build *build, const struct cause *cause)
{
	const uint64_t at = cause->aux.offset, size = cause->aux.size;
	const uint64_t end = end_of(build, cause->ring);
	struct perf_aux *aux = build->aux;

	if (cause->fragment.flags & PERF_FRAGMENT_OVERWRITE)
		return;
	if (cause->fragment.flags & PERF_FRAGMENT_TRUNCATED && at + size + PADDING > end)
		aux->n_cut++;
	if (!size && at > end && at - end > aux->beyond_bytes)
		aux->beyond_bytes = at - end;
}

static void count(struct build *build, const struct cause *cause)
{
	struct perf_aux *aux = build->aux;
	uint32_t flags = cause->fragment.flags;

	count_beyond(build, cause);

	aux->n_truncated += !!(flags & PERF_FRAGMENT_TRUNCATED);
	aux->n_partial += !!(flags & PERF_FRAGMENT_PARTIAL);
	aux->n_collision += !!(flags & PERF_FRAGMENT_COLLISION);
	if (cause->aux.size)
		aux->n_record++;
	else
		aux->n_empty++;
	build->any_raw |= cause->aux.size && flags & PERF_FRAGMENT_RAW;
}

/* The trace may be older than the snapshot, and overwritten, or newer than the last snapshot. */
static bool may_be_overwritten(const struct cause *cause)
{
	return cause->ring && cause->fragment.flags & PERF_FRAGMENT_OVERWRITE;
}

static void lose(struct build *build, const struct cause *cause, uint64_t bytes)
{
	build->aux->n_lost++;
	build->aux->lost_bytes += bytes;
	perf_problem_add(&build->file->problems, perf_file_has_list(build->file) ||
			 may_be_overwritten(cause) ? PERF_NOTE : PERF_DAMAGE,
			 cause->fragment.record,
			 "AUX record of %" PRIu64 " bytes: %" PRIu64
			 " of them are in no AUXTRACE record",
			 cause->aux.size, bytes);
}

/* The buffer of @generation with the byte before @end; NULL: none. */
static const struct perf_buffer *buffer_before(const struct build *build,
					       const struct perf_ring *ring, uint32_t generation,
					       uint64_t end)
{
	size_t i = perf_ring_find(&build->buffers, ring, generation, end - 1);
	const struct perf_buffer *buffer = &build->buffers.buffer[i];

	if (i == ring->first + ring->n || buffer->generation != generation ||
	    buffer->aux_offset >= end)
		return NULL;
	return buffer;
}

/*
 * End of the part of a snapshot, from @start to @end, that the one before it had as well, with the
 * same bytes: a ring that was set up anew has other bytes at the same offsets.
 */
static uint64_t seen_before(const struct build *build, const struct perf_ring *ring,
			    const struct perf_buffer *buffer, uint64_t start, uint64_t end)
{
	const struct perf_buffer *before = ring->taken;
	const uint8_t *bytes = build->file->bytes;

	if (!before || before == buffer || start >= ring->end || end <= ring->end ||
	    start < before->aux_offset)
		return 0;
	if (memcmp(bytes + before->offset + (start - before->aux_offset),
		   bytes + buffer->offset + (start - buffer->aux_offset), ring->end - start))
		return 0;
	return ring->end - start;
}

/*
 * A snapshot: the offset in AUX is that of its end, and the size may be larger than the ring.
 * Until the ring is full all snapshots begin at 0.  Each is a generation, and the right one ends at
 * the offset in AUX.
 */
static int take_snapshot(struct build *build, const struct cause *cause, bool *found)
{
	uint64_t end = cause->aux.offset, size = cause->aux.size, start;
	const struct perf_buffer *buffer = NULL, *other;
	struct perf_ring *ring = cause->ring;

	for (uint32_t i = 0;
	     end && i < GENERATIONS_AHEAD && ring->generation + i < ring->generations; i++) {
		other = buffer_before(build, ring, ring->generation + i, end);
		if (!other)
			continue;
		if (!buffer)
			buffer = other;
		if (other->aux_offset + other->size - end < PADDING) {
			buffer = other;
			ring->generation += i;
			break;
		}
	}
	*found = buffer;
	if (!buffer)
		return 0;
	if (size > end - buffer->aux_offset)
		size = end - buffer->aux_offset;
	start = end - size;
	start += seen_before(build, ring, buffer, start, end);
	ring->taken = buffer;
	ring->end = end;
	return add_range(build, &cause->fragment, buffer - build->buffers.buffer, start,
			 end - start);
}

/*
 * Bytes of a ring that is not overwritten: usually in one buffer, which is found by the first byte.
 * @lost: bytes that are in no buffer.
 */
static int take_range(struct build *build, const struct cause *cause, uint64_t *lost)
{
	struct perf_fragment fragment = cause->fragment;
	uint64_t at = cause->aux.offset, left = cause->aux.size, n;
	uint32_t generation = cause->ring->generation;
	size_t end = cause->ring->first + cause->ring->n;
	size_t i = perf_ring_find(&build->buffers, cause->ring, generation, at);
	int err = 0;

	*lost = 0;
	for (; !err && left && i < end; i++) {
		const struct perf_buffer *buffer = &build->buffers.buffer[i];

		if (buffer->generation != generation || buffer->aux_offset >= at + left ||
		    build->n >= build->n_max)
			break;
		if (buffer->aux_offset > at) {
			*lost += buffer->aux_offset - at;
			left -= buffer->aux_offset - at;
			at = buffer->aux_offset;
			fragment.flags &= ~PERF_FRAGMENT_PART;
		}
		n = buffer->size - (at - buffer->aux_offset);
		if (at - buffer->aux_offset >= buffer->size)
			continue;
		if (n > left)
			n = left;
		err = add_range(build, &fragment, i, at, n);
		fragment.flags |= PERF_FRAGMENT_PART;
		at += n;
		left -= n;
	}
	*lost += left;
	return err;
}

/* Offsets that go back mean that the ring was set up anew, unless perf wrote a record twice. */
static bool begins_again(const struct perf_ring *ring, const struct cause *cause)
{
	const uint64_t time = cause->fragment.time;

	return ring->seen && cause->aux.offset <= ring->last && (!time || time > ring->time) &&
	       ring->generation + 1 < ring->generations;
}

static int take_aux(struct build *build, struct cause *cause)
{
	struct perf_ring *ring = cause->ring;
	uint64_t lost = 0;
	bool found;
	int err;

	if (!ring) {
		lose(build, cause, cause->aux.size);
		return 0;
	}
	if (cause->fragment.flags & PERF_FRAGMENT_OVERWRITE) {
		ring->snapshots = true;
		err = take_snapshot(build, cause, &found);
		lost = found ? 0 : cause->aux.size;
	} else {
		if (begins_again(ring, cause))
			ring->generation++;
		ring->seen = true;
		ring->last = cause->aux.offset;
		ring->time = cause->fragment.time;
		err = take_range(build, cause, &lost);
	}
	if (lost)
		lose(build, cause, lost);
	return err;
}

static void read_cause(struct build *build, const struct perf_record *record, struct cause *cause)
{
	struct perf_sample_id id;

	perf_record_id(build->file, record, &id);
	if (cause->aux.size > UINT64_MAX - cause->aux.offset)
		cause->aux.size = UINT64_MAX - cause->aux.offset;
	cause->fragment = (struct perf_fragment){
		.time = id.time == UINT64_MAX ? 0 : id.time, .record = record->offset,
		.cpu = id.cpu, .pid = id.pid, .tid = id.tid,
		.flags = read_flags(build, cause->aux.flags, record->offset),
	};
	cause->ring = perf_buffers_ring(&build->buffers, id.cpu, id.tid);
}

static int read_records(struct build *build)
{
	struct perf_record record;
	struct perf_records it;
	struct cause cause;
	int err = 0;

	perf_records_start(&it, build->file);
	while (!err && perf_records_next(&it, &record)) {
		if (!perf_record_aux(&record, &cause.aux))
			continue;
		read_cause(build, &record, &cause);
		count(build, &cause);
		if (cause.aux.size)
			err = take_aux(build, &cause);
	}
	if (!build->aux->beyond_bytes)
		build->aux->n_cut = 0;
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	if (x->fragment.aux_offset != y->fragment.aux_offset)
		return x->fragment.aux_offset < y->fragment.aux_offset ? -1 : 1;
	return x->fragment.record < y->fragment.record ? -1 :
	       x->fragment.record > y->fragment.record;
}

/*
 * perf record may write records twice.  Its perf_mmap__push() reads the head of a ring of records
 * two times: it writes records up to the second head, but the next round begins at the first.
 * The kernel writes none twice: an AUX record with bytes moves the ring on.
 */
static bool is_copy(const struct perf_fragment *a, const struct perf_fragment *b)
{
	return a->offset == b->offset && a->size == b->size && a->time == b->time &&
	       a->pid == b->pid && a->tid == b->tid && a->flags == b->flags;
}

/* If two AUX records have the same bytes, these belong to the first. */
static void clip(struct build *build)
{
	struct perf_fragment last = { 0 };
	uint64_t end = 0, cut;

	for (size_t i = 0; i < build->n; last = build->piece[i++].fragment) {
		struct perf_fragment *fragment = &build->piece[i].fragment;

		if (!i || build->piece[i].buffer != build->piece[i - 1].buffer)
			end = 0;
		if (fragment->offset < end) {
			cut = end - fragment->offset;
			if (cut > fragment->size)
				cut = fragment->size;
			/* the sizes of snapshots are only approximate */
			perf_problem_add(&build->file->problems,
					 fragment->flags & PERF_FRAGMENT_OVERWRITE ||
					 is_copy(&last, fragment) ? PERF_NOTE : PERF_DAMAGE,
					 fragment->record,
					 "AUX record names %" PRIu64
					 " bytes that another AUX record has named",
					 cut);
			fragment->offset += cut;
			fragment->aux_offset += cut;
			fragment->size -= cut;
		}
		if (fragment->size)
			end = fragment->offset + fragment->size;
	}
}

/* Trace without an AUX record: the record was lost, or the file has none. */
static int add_rest(struct build *build, size_t number, uint64_t from, uint64_t to)
{
	const struct perf_buffer *buffer = &build->buffers.buffer[number];
	struct perf_fragment like = {
		.cpu = PERF_NO_CPU, .pid = PERF_NO_TID, .tid = PERF_NO_TID,
		.flags = PERF_FRAGMENT_NO_RECORD | (build->any_raw ? PERF_FRAGMENT_RAW : 0),
	};
	uint64_t size = to - from;

	if (!build->any_raw)		/* padding follows the last whole frame */
		size -= size % 16;
	if (to <= from || to - from < PADDING || !size)
		return 0;
	build->aux->no_record_bytes += size;
	perf_problem_add(&build->file->problems, PERF_NOTE, buffer->record,
			 "no AUX record names %" PRIu64 " bytes of this AUXTRACE record", size);
	return add_range(build, &like, number, from, size);
}

/*
 * Bytes that several snapshots of a ring have, or whose AUX record is missing, belong to no
 * fragment.  A ring is overwritten or it is not: if only some AUX records say so, they are damaged.
 */
static bool has_snapshots(const struct build *build, const struct perf_buffer *buffer)
{
	const struct perf_ring *ring = perf_buffers_ring(&build->buffers,
							 perf_ring_cpu(buffer->key),
							 perf_ring_tid(buffer->key));

	return ring->snapshots && !ring->seen;
}

/*
 * perf takes a snapshot after tracing stopped, for which the kernel writes an AUX record.  Without
 * one, as after damage, the trace is not shown: how much of it is new is not known.
 */
static void miss_snapshot(struct build *build, const struct perf_buffer *buffer)
{
	perf_problem_add(&build->file->problems, PERF_DAMAGE, buffer->record,
			 "no AUX record names this snapshot of %" PRIu64 " bytes", buffer->size);
}

static int add_rests(struct build *build)
{
	size_t n = build->n, i = 0;
	int err = 0;

	for (size_t number = 0; !err && number < build->buffers.n; number++) {
		const struct perf_buffer *buffer = &build->buffers.buffer[number];
		uint64_t at = buffer->aux_offset, end = at + buffer->size;
		bool rests = !has_snapshots(build, buffer);

		if (!rests && buffer->size && (i == n || build->piece[i].buffer != number))
			miss_snapshot(build, buffer);
		for (; !err && i < n && build->piece[i].buffer == number; i++) {
			struct perf_fragment fragment = build->piece[i].fragment;

			if (rests && fragment.size)
				err = add_rest(build, number, at, fragment.aux_offset);
			if (fragment.size)
				at = fragment.aux_offset + fragment.size;
		}
		if (!err && rests)
			err = add_rest(build, number, at, end);
	}
	return err;
}

static int make_queues(struct build *build)
{
	const struct perf_buffers *buffers = &build->buffers;
	struct perf_aux *aux = build->aux;
	size_t i = 0;

	aux->queue = calloc(buffers->n_ring + 1, sizeof(*aux->queue));
	aux->fragment = malloc((build->n + 1) * sizeof(*aux->fragment));
	if (!aux->queue || !aux->fragment)
		return -ENOMEM;
	for (size_t r = 0; r < buffers->n_ring; r++) {
		const struct perf_ring *ring = &buffers->ring[r];
		struct perf_queue queue = {
			.cpu = perf_ring_cpu(ring->key), .tid = perf_ring_tid(ring->key),
			.idx = buffers->buffer[ring->first].idx, .first = aux->n_fragment,
		};

		for (; i < build->n && build->piece[i].buffer < ring->first + ring->n; i++) {
			if (!build->piece[i].fragment.size)
				continue;
			aux->fragment[aux->n_fragment] = build->piece[i].fragment;
			aux->fragment[aux->n_fragment++].queue = aux->n_queue;
			queue.bytes += build->piece[i].fragment.size;
		}
		queue.n = aux->n_fragment - queue.first;
		aux->queue[aux->n_queue++] = queue;
	}
	return 0;
}

static int build_all(struct build *build)
{
	int err = perf_buffers_init(&build->buffers, build->file);

	/* each ends where an AUX record or a buffer does */
	build->n_max = build->file->n_aux + build->file->n_auxtrace;
	if (!err)
		err = read_records(build);
	if (err)
		return err;
	if (build->n)
		qsort(build->piece, build->n, sizeof(*build->piece), compare);
	clip(build);
	err = add_rests(build);
	if (err)
		return err;
	if (build->n)
		qsort(build->piece, build->n, sizeof(*build->piece), compare);
	return make_queues(build);
}

int perf_aux_new(struct perf_aux **aux, struct perf_file *file)
{
	struct build build = { .aux = calloc(1, sizeof(**aux)), .file = file };
	int err = build.aux ? build_all(&build) : -ENOMEM;

	perf_buffers_fini(&build.buffers);
	free(build.piece);
	if (err) {
		perf_aux_free(build.aux);
		build.aux = NULL;
	}
	*aux = build.aux;
	return err;
}

void perf_aux_free(struct perf_aux *aux)
{
	if (!aux)
		return;
	free(aux->fragment);
	free(aux->queue);
	free(aux);
}
