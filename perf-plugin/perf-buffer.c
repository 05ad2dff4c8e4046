// SPDX-License-Identifier: GPL-2.0-only
#include "lower-bound.h"
#include "perf-buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perf-abi.h"
#include "perf-walk.h"

/* Rings of CPUs come first: a ring without a CPU has PERF_NO_CPU above its thread. */
static uint64_t ring_key(uint32_t cpu, uint32_t tid)
{
	return (uint64_t)cpu << 32 | (cpu == PERF_NO_CPU ? tid : PERF_NO_TID);
}

uint32_t perf_ring_cpu(uint64_t key)
{
	return key >> 32;
}

uint32_t perf_ring_tid(uint64_t key)
{
	return key;
}

static int compare_record(const struct perf_buffer *x, const struct perf_buffer *y)
{
	return x->record < y->record ? -1 : x->record > y->record;
}

static int compare_in_file(const void *a, const void *b)
{
	const struct perf_buffer *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return compare_record(x, y);
}

static int compare_in_ring(const void *a, const void *b)
{
	const struct perf_buffer *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->generation != y->generation)
		return x->generation < y->generation ? -1 : 1;
	if (x->aux_offset != y->aux_offset)
		return x->aux_offset < y->aux_offset ? -1 : 1;
	return compare_record(x, y);
}

static void read_buffer(struct perf_buffer *buffer, const struct perf_record *record,
			const struct perf_auxtrace_at *auxtrace)
{
	struct perf_auxtrace says = { 0 };

	perf_record_auxtrace(record, &says);
	*buffer = (struct perf_buffer){
		.key = ring_key(says.cpu, says.tid), .aux_offset = says.offset,
		.size = record->trace.size, .offset = record->trace.offset,
		.record = record->offset, .idx = says.idx, .cut = auxtrace->cut,
		.reference = says.reference,
		/* simpleperf always has 0 there */
		.task = says.cpu != PERF_NO_CPU && says.tid && says.tid != PERF_NO_TID,
	};
	if (auxtrace->packed) {
		buffer->size = auxtrace->n_unpacked;
		buffer->offset = auxtrace->unpacked;
	}
	if (buffer->size > UINT64_MAX - buffer->aux_offset)	/* no ring is so large */
		buffer->size = UINT64_MAX - buffer->aux_offset;
}

/*
 * Compares perf's numbers, the ring, and the bytes: no two buffers have the same except by mistake.
 */
static bool same_buffer(const struct perf_file *file, const struct perf_buffer *a,
			const struct perf_buffer *b)
{
	return a->key == b->key && a->idx == b->idx && a->reference == b->reference &&
	       a->aux_offset == b->aux_offset && a->size == b->size && a->size &&
	       !memcmp(file->bytes + a->offset, file->bytes + b->offset, a->size);
}

/* A record that is in the file twice counts once.  Both are in file order. */
static void drop_doubles(struct perf_buffers *buffers, struct perf_file *file)
{
	size_t n = 0;

	for (size_t i = 0; i < buffers->n; i++) {
		const struct perf_buffer *buffer = &buffers->buffer[i];

		if (!n || !same_buffer(file, &buffers->buffer[n - 1], buffer))
			buffers->buffer[n++] = *buffer;
		else
			perf_problem_add(&file->problems, PERF_DAMAGE, buffer->record,
					 "AUXTRACE record is the same as the one at %#" PRIx64
					 ", not decoded again", buffers->buffer[n - 1].record);
	}
	buffers->n = n;
}

/* The words of AUXTRACE_INFO after its header and 8 bytes: the third says so. */
static bool has_snapshots(const struct perf_file *file)
{
	const size_t at = offsetof(struct perf_record_auxtrace_info, priv) + 16;

	return file->auxtrace_info.size >= at + 8 && get_le64(file->auxtrace_info.bytes + at);
}

/*
 * Offsets only increase, until a ring is set up anew, or while snapshots are taken before it is
 * full.  Two consecutive snapshots may share more bytes than the padding.
 */
static void number_epochs(struct perf_buffers *buffers, bool snapshots)
{
	for (size_t i = 1; i < buffers->n; i++) {
		const struct perf_buffer *before = &buffers->buffer[i - 1];
		struct perf_buffer *buffer = &buffers->buffer[i];
		bool again = buffer->aux_offset <= before->aux_offset;

		if (snapshots && buffer->aux_offset + 8 <= before->aux_offset + before->size)
			again = true;
		if (buffer->key == before->key)
			buffer->generation = before->generation + again;
	}
}

/* Sizes are padded to 8: bytes that the next buffer has as well are padding. */
static void cut_padding(struct perf_buffers *buffers)
{
	for (size_t i = 1; i < buffers->n; i++) {
		const struct perf_buffer *next = &buffers->buffer[i];
		struct perf_buffer *buffer = &buffers->buffer[i - 1];
		uint64_t end = buffer->aux_offset + buffer->size;

		if (buffer->key == next->key && buffer->generation == next->generation &&
		    next->aux_offset < end && end - next->aux_offset < 8)
			buffer->size = next->aux_offset > buffer->aux_offset ?
				       next->aux_offset - buffer->aux_offset : 0;
	}
}

static int find_rings(struct perf_buffers *buffers)
{
	size_t n = 0;

	for (size_t i = 0; i < buffers->n; i++)
		n += !i || buffers->buffer[i].key != buffers->buffer[i - 1].key;
	buffers->ring = calloc(n + 1, sizeof(*buffers->ring));
	if (!buffers->ring)
		return -ENOMEM;
	for (size_t i = 0; i < buffers->n; i++) {
		const struct perf_buffer *buffer = &buffers->buffer[i];
		struct perf_ring *ring;

		if (!i || buffer->key != buffer[-1].key)
			buffers->ring[buffers->n_ring++] =
				(struct perf_ring){ .key = buffer->key, .first = i };
		ring = &buffers->ring[buffers->n_ring - 1];
		ring->n++;
		ring->generations = buffer->generation + 1;
	}
	return 0;
}

int perf_buffers_init(struct perf_buffers *buffers, struct perf_file *file)
{
	struct perf_record record;
	uint64_t passed = 0;

	*buffers = (struct perf_buffers){ 0 };
	buffers->buffer = malloc((file->n_auxtrace + 1) * sizeof(*buffers->buffer));
	if (!buffers->buffer)
		return -ENOMEM;
	for (size_t i = 0; i < file->n_auxtrace; i++) {
		perf_store_pass(file, &passed, file->auxtrace[i].offset);
		if (perf_record_at(file, file->auxtrace[i].offset, &record))
			read_buffer(&buffers->buffer[buffers->n++], &record, &file->auxtrace[i]);
	}
	qsort(buffers->buffer, buffers->n, sizeof(*buffers->buffer), compare_in_file);
	drop_doubles(buffers, file);
	number_epochs(buffers, has_snapshots(file));
	qsort(buffers->buffer, buffers->n, sizeof(*buffers->buffer), compare_in_ring);
	cut_padding(buffers);
	if (!find_rings(buffers))
		return 0;
	perf_buffers_fini(buffers);
	return -ENOMEM;
}

void perf_buffers_fini(struct perf_buffers *buffers)
{
	free(buffers->buffer);
	free(buffers->ring);
	*buffers = (struct perf_buffers){ 0 };
}

static struct perf_ring *ring_of(const struct perf_buffers *buffers, uint64_t key)
{
	size_t first = LOWER_BOUND(buffers->n_ring, i, buffers->ring[i].key < key);

	if (first < buffers->n_ring && buffers->ring[first].key == key)
		return &buffers->ring[first];
	return NULL;
}

struct perf_ring *perf_buffers_ring(const struct perf_buffers *buffers, uint32_t cpu, uint32_t tid)
{
	struct perf_ring *ring = NULL;

	if (cpu != PERF_NO_CPU)
		ring = ring_of(buffers, ring_key(cpu, PERF_NO_TID));
	if (!ring)
		ring = ring_of(buffers, ring_key(PERF_NO_CPU, tid));
	if (!ring && cpu == PERF_NO_CPU && tid == PERF_NO_TID && buffers->n_ring == 1)
		ring = &buffers->ring[0];
	return ring;
}

static bool is_before(const struct perf_buffer *buffer, uint32_t generation, uint64_t aux_offset)
{
	if (buffer->generation != generation)
		return buffer->generation < generation;
	return buffer->aux_offset <= aux_offset;
}

size_t perf_ring_find(const struct perf_buffers *buffers, const struct perf_ring *ring,
		      uint32_t generation, uint64_t aux_offset)
{
	const struct perf_buffer *buffer = &buffers->buffer[ring->first], *before;
	size_t next = LOWER_BOUND(ring->n, i, is_before(&buffer[i], generation, aux_offset));

	if (!next)
		return ring->first;
	before = &buffer[next - 1];
	if (before->generation == generation && aux_offset - before->aux_offset < before->size)
		next--;
	return ring->first + next;
}
