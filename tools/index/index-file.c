// SPDX-License-Identifier: GPL-2.0-only
/* Indexes on disk: Documentation/format/index-file.rst. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/new-file.h"
#include "../lib/file.h"
#include "../lib/fnv.h"
#include "index.h"

#define MAJOR		2
#define HEADER		64
#define SECTION		40
#define ENTRY		64
#define STREAM		40
#define RANGE		16
#define BLOCK		24
#define N_SECTION	4

static const uint8_t magic[8] = { 0x89, 'T', 'I', 'X', '\r', '\n', 0x1a, '\n' };

/* Sections, in this order. */
enum { TIDS, SYNC, COVR, IDMP };

static const struct { char tag[4]; uint32_t record; } kinds[N_SECTION] = {
	[TIDS] = { "TIDS", STREAM }, [SYNC] = { "SYNC", ENTRY }, [COVR] = { "COVR", RANGE },
	[IDMP] = { "IDMP", BLOCK },
};

const char *index_state_name(enum index_state state)
{
	static const char *const names[] = {
		[INDEX_GOOD] = "is good", [INDEX_STALE] = "does not belong to this trace as it is now",
		[INDEX_VERSION] = "has an unknown version",
		[INDEX_CORRUPT] = "is damaged",
	};

	return names[state];
}

/* ---------------------------------------------------------------- sums */

/* One of 256 rows of a table: CRC-32C of a byte. */
static uint32_t crc_of(uint32_t v)
{
	for (int i = 0; i < 8; i++)
		v = v >> 1 ^ (v & 1 ? 0x82f63b78u : 0);
	return v;
}

static void crc_rows(uint32_t row[256])
{
	for (int i = 0; i < 256; i++)
		row[i] = crc_of(i);
}

/* The CRC begins with ~0, and is inverted at its end. */
static uint32_t crc_on(const uint32_t row[256], uint32_t v, const uint8_t *p, size_t n)
{
	while (n--)
		v = v >> 8 ^ row[(uint8_t)v ^ *p++];
	return v;
}

static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t row[256];

	crc_rows(row);
	return ~crc_on(row, ~0u, p, n);
}

void index_hash_feed(struct index_hash *h, const uint8_t *bytes, size_t n)
{
	const size_t max = sizeof(h->tail);
	size_t head = max - h->n_head < n ? max - h->n_head : n;
	size_t keep = n < max ? max - n : 0;

	memcpy(h->head + h->n_head, bytes, head);
	h->n_head += head;
	h->n += n;
	if (keep > h->n_tail)
		keep = h->n_tail;
	memmove(h->tail, h->tail + h->n_tail - keep, keep);
	if (n > max) {
		bytes += n - max;
		n = max;
	}
	memcpy(h->tail + keep, bytes, n);
	h->n_tail = keep + n;
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = v >> 8 * i;
}

static uint64_t get(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

uint64_t index_hash_end(const struct index_hash *h)
{
	uint8_t length[8];

	put(length, h->n, 8);
	return fnv_hash(fnv_hash(fnv_hash(FNV_START, length, 8), h->head, h->n_head), h->tail,
			h->n_tail);
}

uint64_t index_hash_of(const uint8_t *bytes, size_t n)
{
	const size_t some = n < 64 << 10 ? n : 64 << 10;
	uint8_t length[8];

	put(length, n, 8);
	return fnv_hash(fnv_hash(fnv_hash(FNV_START, length, 8), bytes, some), bytes + n - some,
			some);
}

/* ---------------------------------------------------------------- writing */

/* The codes of protocols in the file. */
static const uint8_t code[CSF_PROTOCOL_NR] = {
	[CSF_PROTOCOL_ETM3] = 1, [CSF_PROTOCOL_PTM] = 2, [CSF_PROTOCOL_ETM4] = 3,
	[CSF_PROTOCOL_ETE] = 5, [CSF_PROTOCOL_STM] = 6, [CSF_PROTOCOL_ITM] = 7,
	[CSF_PROTOCOL_MTB] = 255,
};

/* CSF_PROTOCOL_TOLD: another one. */
static enum csf_protocol protocol_of(uint8_t v)
{
	for (size_t i = 0; v && i < CSF_PROTOCOL_NR; i++)
		if (code[i] == v)
			return i;
	return CSF_PROTOCOL_TOLD;
}

static void put_stream(uint8_t *p, const struct index_stream *s, uint64_t first)
{
	put(p, s->id, 1);
	put(p + 1, code[s->protocol], 1);
	put(p + 2, s->ordered | s->el1 << 1, 1);
	put(p + 4, s->cpu, 4);
	put(p + 8, s->bytes, 8);
	put(p + 16, first, 8);
	put(p + 24, s->n, 8);
}

static void put_entry(uint8_t *p, const struct index_entry *e)
{
	put(p, e->capture, 8);
	put(p + 8, e->pos, 8);
	put(p + 16, e->addr, 8);
	put(p + 24, e->first, 8);
	put(p + 32, e->last, 8);
	put(p + 40, e->contextid, 4);
	put(p + 44, e->vmid, 4);
	put(p + 48, e->n_time, 4);
	put(p + 52, e->n_sync, 2);
	put(p + 54, e->n_lost, 2);
	put(p + 56, e->events, 2);
	put(p + 58, e->info, 1);
	put(p + 59, e->flags, 1);
}

static uint64_t count_of(const struct index *index, int kind)
{
	uint64_t n = 0;

	switch (kind) {
	case TIDS:
		return index->n_stream;
	case COVR:
		return index->n_range;
	case IDMP:
		return index->n_map;
	}
	for (size_t i = 0; i < index->n_stream; i++)
		n += index->stream[i].n;
	return n;
}

/**
 * struct writer - an index that is being written
 * @row: table for the sum; @sum: of the current section, so far
 * @at: offset of the next byte in @f
 */
struct writer {
	FILE *f;
	uint32_t row[256], sum;
	uint64_t at;
	bool failed;
};

static void add(struct writer *w, const uint8_t *p, size_t n)
{
	w->sum = crc_on(w->row, w->sum, p, n);
	w->at += n;
	w->failed |= fwrite(p, 1, n, w->f) != n;
}

static void add_streams(struct writer *w, const struct index *index)
{
	uint64_t entry = 0;

	for (size_t i = 0; i < index->n_stream; i++) {
		uint8_t p[STREAM] = { 0 };

		put_stream(p, &index->stream[i], entry);
		entry += index->stream[i].n;
		add(w, p, sizeof(p));
	}
}

static void add_entries(struct writer *w, const struct index_stream *s)
{
	for (size_t i = 0; i < s->n; i++) {
		uint8_t p[ENTRY] = { 0 };

		put_entry(p, &s->entry[i]);
		add(w, p, sizeof(p));
	}
}

static void add_ranges(struct writer *w, const struct index *index)
{
	for (size_t i = 0; i < index->n_range; i++) {
		uint8_t p[RANGE];

		put(p, index->range[i].start, 8);
		put(p + 8, index->range[i].end, 8);
		add(w, p, sizeof(p));
	}
}

static void add_blocks(struct writer *w, const struct index *index)
{
	for (size_t i = 0; i < index->n_map; i++) {
		uint8_t p[BLOCK] = { 0 };

		memcpy(p, index->map[i].ids, sizeof(index->map[i].ids));
		p[16] = index->map[i].id;
		add(w, p, sizeof(p));
	}
}

static void add_records(struct writer *w, const struct index *index, int kind)
{
	switch (kind) {
	case TIDS:
		add_streams(w, index);
		break;
	case SYNC:
		for (size_t i = 0; i < index->n_stream; i++)
			add_entries(w, &index->stream[i]);
		break;
	case COVR:
		add_ranges(w, index);
		break;
	case IDMP:
		add_blocks(w, index);
		break;
	}
}

/* @row: its row of the directory.  The next section begins at a multiple of 8. */
static void add_section(struct writer *w, const struct index *index, int kind, uint8_t *row)
{
	static const uint8_t zeros[8];
	const uint64_t from = w->at;

	w->sum = ~0u;
	add_records(w, index, kind);
	memcpy(row, kinds[kind].tag, 4);
	put(row + 8, from, 8);
	put(row + 16, w->at - from, 8);
	put(row + 24, kinds[kind].record, 4);
	put(row + 28, ~w->sum, 4);
	put(row + 32, count_of(index, kind), 8);
	add(w, zeros, -w->at & 7);
}

static void put_header(uint8_t *p, const struct index *index)
{
	memcpy(p, magic, 8);
	put(p + 8, MAJOR, 2);
	put(p + 12, HEADER, 4);
	put(p + 16, index->bytes, 8);
	put(p + 24, index->hash, 8);
	put(p + 36, N_SECTION, 4);
	put(p + 40, HEADER, 8);
	put(p + 48, SECTION, 4);
	put(p + 52, index->every, 4);
	put(p + 60, crc(p, 60), 4);
}

/* The first part is written last. */
static int write_all(const struct index *index, FILE *f)
{
	uint8_t head[HEADER + N_SECTION * SECTION] = { 0 };
	struct writer w = { .f = f };

	errno = 0;
	crc_rows(w.row);
	add(&w, head, sizeof(head));
	for (int i = 0; i < N_SECTION; i++)
		add_section(&w, index, i, head + HEADER + i * SECTION);
	put_header(head, index);
	if (w.failed || fseek(f, 0, SEEK_SET) || fwrite(head, 1, sizeof(head), f) != sizeof(head))
		return errno ? -errno : -EIO;
	return 0;
}

int index_write(const struct index *index, const char *path)
{
	FILE *f = new_file(path);

	return f ? new_file_close(f, write_all(index, f)) : -errno;
}

/* ---------------------------------------------------------------- reading */

/* A section of the directory: inside the file, and complete. */
struct section {
	const uint8_t *bytes;
	uint64_t n;
};

static enum index_state corrupt(struct packed_problem *problem, const char *why, size_t offset)
{
	*problem = (struct packed_problem){ why, offset };
	return INDEX_CORRUPT;
}

static enum index_state find_section(struct section *s, const uint8_t *p, size_t n, int kind,
				     struct packed_problem *problem)
{
	const uint8_t *row = p + HEADER + kind * SECTION;
	const uint64_t at = get(row + 8, 8), bytes = get(row + 16, 8), count = get(row + 32, 8);
	const uint32_t record = kinds[kind].record;

	if (memcmp(row, kinds[kind].tag, 4) || get(row + 24, 4) != record)
		return INDEX_VERSION;
	if (at > n || bytes > n - at)
		return corrupt(problem, "a section that is incomplete", row + 8 - p);
	if (count != bytes / record || bytes % record)
		return corrupt(problem, "a section and its records differ in size", row + 16 - p);
	if (crc(p + at, bytes) != get(row + 28, 4))
		return corrupt(problem, "a section whose checksum is wrong", at);
	*s = (struct section){ p + at, count };
	return INDEX_GOOD;
}

static void get_entry(struct index_entry *e, const uint8_t *p)
{
	*e = (struct index_entry){
		.capture = get(p, 8), .pos = get(p + 8, 8), .addr = get(p + 16, 8),
		.first = get(p + 24, 8), .last = get(p + 32, 8), .contextid = get(p + 40, 4),
		.vmid = get(p + 44, 4), .n_time = get(p + 48, 4), .n_sync = get(p + 52, 2),
		.n_lost = get(p + 54, 2), .events = get(p + 56, 2), .info = p[58], .flags = p[59],
	};
}

/* The entries of streams follow each other: none is read twice. */
static int get_stream(struct index_stream *s, const uint8_t *p, const struct section *entries,
		      uint64_t *next, struct packed_problem *problem)
{
	const uint64_t first = get(p + 16, 8), n = get(p + 24, 8);

	if (first != *next || n > entries->n - first)
		return corrupt(problem, "a stream with entries that are not its own", 0);
	*next += n;
	s->id = p[0];
	s->protocol = protocol_of(p[1]);
	s->ordered = p[2] & 1;
	s->el1 = p[2] & 2;
	s->cpu = get(p + 4, 4);
	s->bytes = get(p + 8, 8);
	s->entry = calloc(n + 1, sizeof(*s->entry));
	if (!s->entry)
		return -ENOMEM;
	for (s->n = 0; s->n < n; s->n++)
		get_entry(&s->entry[s->n], entries->bytes + (first + s->n) * ENTRY);
	return INDEX_GOOD;
}

static int get_sections(struct index *index, const struct section s[N_SECTION],
			const uint8_t *start, struct packed_problem *problem)
{
	int state = INDEX_GOOD;
	uint64_t entry = 0;

	index->stream = calloc(s[TIDS].n + 1, sizeof(*index->stream));
	index->range = calloc(s[COVR].n + 1, sizeof(*index->range));
	index->map = calloc(s[IDMP].n + 1, sizeof(*index->map));
	if (!index->stream || !index->range || !index->map)
		return -ENOMEM;
	for (size_t i = 0; i < s[TIDS].n && state == INDEX_GOOD; i++) {
		index->n_stream++;
		state = get_stream(&index->stream[i], s[TIDS].bytes + i * STREAM, &s[SYNC],
				   &entry, problem);
		if (state == INDEX_CORRUPT)
			problem->offset = s[TIDS].bytes + i * STREAM - start;
	}
	for (; index->n_range < s[COVR].n; index->n_range++) {
		const uint8_t *p = s[COVR].bytes + index->n_range * RANGE;

		index->range[index->n_range] = (struct index_range){ get(p, 8), get(p + 8, 8) };
	}
	for (; index->n_map < s[IDMP].n; index->n_map++) {
		const uint8_t *p = s[IDMP].bytes + index->n_map * BLOCK;
		struct index_block *block = &index->map[index->n_map];

		memcpy(block->ids, p, sizeof(block->ids));
		block->id = p[16];
	}
	return state;
}

/* Checks the part before the sections. */
static enum index_state check_header(const uint8_t *p, size_t n, struct packed_problem *problem)
{
	if (n < HEADER)
		return corrupt(problem, "it ends in its header", n);
	if (memcmp(p, magic, 8))
		return corrupt(problem, "it does not begin as an index", 0);
	if (crc(p, 60) != get(p + 60, 4))
		return corrupt(problem, "the checksum of its header is wrong", 60);
	if (get(p + 8, 2) != MAJOR || get(p + 36, 4) < N_SECTION || get(p + 40, 8) != HEADER ||
	    get(p + 48, 4) != SECTION)
		return INDEX_VERSION;
	if (n < HEADER + N_SECTION * SECTION)
		return corrupt(problem, "it ends in the list of its sections", n);
	return INDEX_GOOD;
}

int index_parse(struct index **out, const uint8_t *p, size_t n, struct packed_problem *problem)
{
	const uint8_t *end = p + HEADER + N_SECTION * SECTION;
	struct section s[N_SECTION];
	struct index *index;
	int state = check_header(p, n, problem);

	*out = NULL;
	for (int i = 0; i < N_SECTION && state == INDEX_GOOD; i++) {
		state = find_section(&s[i], p, n, i, problem);
		if (state == INDEX_GOOD && s[i].bytes + s[i].n * kinds[i].record > end)
			end = s[i].bytes + s[i].n * kinds[i].record;
	}
	/* a later version may have more sections after these */
	if (state == INDEX_GOOD && get(p + 36, 4) == N_SECTION && end != p + n)
		return corrupt(problem, "there is data after its end", end - p);
	if (state != INDEX_GOOD)
		return state;
	index = calloc(1, sizeof(*index));
	if (!index)
		return -ENOMEM;
	index->bytes = get(p + 16, 8);
	index->hash = get(p + 24, 8);
	index->every = get(p + 52, 4);
	state = get_sections(index, s, p, problem);
	if (state == INDEX_GOOD)
		*out = index;
	else
		index_free(index);
	return state;
}

int index_read(struct index **index, const char *path, struct packed_problem *problem)
{
	struct file file;
	int err = file_map(&file, path);

	*index = NULL;
	if (err)
		return err;
	err = index_parse(index, file.data, file.n, problem);
	file_unmap(&file);
	return err;
}

enum index_state index_fits(const struct index *index, uint64_t bytes, uint64_t hash)
{
	return index->bytes == bytes && index->hash == hash ? INDEX_GOOD : INDEX_STALE;
}
