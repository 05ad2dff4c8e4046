// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkperf IN OUT EDIT...: a perf.data as another recorder, or an accident, would have left it.
 *
 * EDIT, done one after the other; N and VALUE may begin with 0x, I is a number from 0, and without
 * it all are meant:
 *
 * no-index: no feature that says where the AUXTRACE records are
 * no-build-ids: neither in MMAP2 nor in the table
 * bare-index: that feature without its count, as simpleperf writes it
 * count-index: simpleperf's with its count
 * config=VALUE: bits set in the attribute of cs_etm
 * clock=N: clockid of all events, as perf record -k has it; perf inject --jit wants 1
 * info=WORD:VALUE: a word of AUXTRACE_INFO: 0 version, 1 PMU and number of CPUs, ...
 * hw-id=VALUE[:I]: what AUX_OUTPUT_HW_ID says
 * flags=VALUE[:I]: flags set in AUX
 * size=N[:I]: bytes that AUX has more, or less
 * record=N[:I]: what the header of AUX says that the record's own size is
 * cpu=N: CPU of all AUX records
 * cpus=N:N...: CPU 0 is called by the first of these, CPU 1 by the second, wherever it is named
 * tid=FROM:TO: another thread in COMM, FORK, EXIT, MMAP2, ITRACE_START and SWITCH_CPU_WIDE
 * told=FROM:TO: likewise, but not in SWITCH_CPU_WIDE
 * forked=PID[:I]: what FORK brings is of that process
 * pgoff=OFFSET[:I]: MMAP2 maps its file from there
 * noise=N: N bytes of trace become random
 * holes=N: up to N times 16 bytes of trace, in frames, become headers that no packet has
 * trace-id=VALUE[:I]: in frames of AUXTRACE all trace is of that ID
 * cut=N: N bytes less at the end of the last AUXTRACE, and nothing behind them
 * pipe: what perf record -o - writes: records alone; the last of all edits
 * foreign-pipe: that, of a machine of the other byte order
 * random=SEED: some of AUXTRACE_INFO, AUX, AUX_OUTPUT_HW_ID, AUXTRACE, TIME_CONV
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-record.h"
#include "foreign.h"

/* In a file's header */
#define ATTR_SIZE	16
#define ATTRS_OFFSET	24
#define ATTRS_SIZE	32
#define DATA_OFFSET	40
#define DATA_SIZE	48
#define FEATURES	72

/* In an attribute, and the bit of its flags that says whether there is a clockid. */
#define ATTR_CONFIG	8
#define ATTR_FLAGS	40
#define ATTR_CLOCKID	92
#define USE_CLOCKID	(1u << 25)

/**
 * struct edited - the file
 * @bytes: @n of them
 * @file: the same, as it was read last
 * @random: state of the dice
 */
struct edited {
	uint8_t *bytes;
	size_t n;
	struct perf_file *file;
	uint64_t random;
};

static void die(const char *what)
{
	fprintf(stderr, "mkperf: %s: %s\n", what, errno ? strerror(errno) : "cannot be done");
	exit(1);
}

static uint64_t number(const char **p)
{
	char *end;
	uint64_t v = **p == '-' ? (uint64_t)strtoll(*p, &end, 0) : strtoull(*p, &end, 0);

	if (end == *p)
		die(*p);
	*p = *end == ':' ? end + 1 : end;
	return v;
}

static uint64_t rnd(struct edited *e, uint64_t n)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 7;
	e->random ^= e->random << 17;
	return e->random % n;
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = v >> 8 * i;
}

#define PUT(record, type, field, v)							\
	put((record) + offsetof(struct type, field), v, PERF_FIELD_SIZE(type, field))

static void load(struct edited *e)
{
	perf_file_close(e->file);
	e->file = NULL;
	if (perf_file_open_memory(&e->file, e->bytes, e->n) || !e->file->usable)
		die("no perf.data");
}

/* ---------------------------------------------------------------- the file's header */

/* Removes the entry of @feature from the table after the data.  Return: there was one. */
static bool drop_feature(struct edited *e, size_t feature)
{
	size_t table = perf_le(e->bytes + DATA_OFFSET, 8) + perf_le(e->bytes + DATA_SIZE, 8);
	uint8_t *byte = e->bytes + FEATURES + feature / 8;
	const uint8_t bit = 1 << feature % 8;
	size_t before = 0, all = 0;

	for (size_t i = 0; i < PERF_FEATURE_NR; i++)
		if (e->bytes[FEATURES + i / 8] & 1 << i % 8) {
			before += i < feature;
			all++;
		}
	if (!(*byte & bit))
		return false;
	*byte &= ~bit;
	memmove(e->bytes + table + 16 * before, e->bytes + table + 16 * (before + 1),
		16 * (all - before - 1));
	return true;
}

static void no_index(struct edited *e)
{
	if (!drop_feature(e, PERF_FEATURE_AUXTRACE))
		die("no-index");
}

static void no_build_ids(struct edited *e)
{
	struct perf_record record;
	struct perf_records it;

	drop_feature(e, PERF_FEATURE_BUILD_ID);
	perf_records_start(&it, e->file);
	while (perf_records_next(&it, &record))
		if (record.type == PERF_RECORD_MMAP2)
			put(e->bytes + record.offset + 4,
			    record.misc & ~PERF_RECORD_MISC_MMAP_BUILD_ID, 2);
}

/* The entry of a feature: where it is, and its size. */
static uint8_t *entry_of(const struct edited *e, size_t feature)
{
	size_t table = perf_le(e->bytes + DATA_OFFSET, 8) + perf_le(e->bytes + DATA_SIZE, 8);
	uint8_t *entry = e->bytes + table;

	for (size_t i = 0; i < feature; i++)
		entry += e->bytes[FEATURES + i / 8] & 1 << i % 8 ? 16 : 0;
	return entry;
}

static uint8_t *index_entry(const struct edited *e)
{
	return entry_of(e, PERF_FEATURE_AUXTRACE);
}

static void bare_index(struct edited *e)
{
	uint8_t *entry = index_entry(e);

	put(entry, perf_le(entry, 8) + 8, 8);
	put(entry + 8, perf_le(entry + 8, 8) - 8, 8);
}

/* At the end of the file there is room for one more word. */
static void count_index(struct edited *e)
{
	size_t at = perf_le(index_entry(e), 8), n = perf_le(index_entry(e) + 8, 8);
	uint8_t *longer;

	if (at > e->n || n > e->n - at)
		die("count-index");
	longer = realloc(e->bytes, e->n + 8 + n);
	if (!longer)
		die("count-index");
	e->bytes = longer;
	put(index_entry(e), e->n, 8);
	put(index_entry(e) + 8, 8 + n, 8);
	put(e->bytes + e->n, n / 16, 8);
	memcpy(e->bytes + e->n + 8, e->bytes + at, n);
	e->n += 8 + n;
}

/* The attribute of cs_etm is the first. */
static void set_config(struct edited *e, const char *value)
{
	uint8_t *config = e->bytes + perf_le(e->bytes + ATTRS_OFFSET, 8) + ATTR_CONFIG;

	put(config, perf_le(config, 8) | number(&value), 8);
}

static void set_clock(struct edited *e, const char *value)
{
	uint8_t *attr = e->bytes + perf_le(e->bytes + ATTRS_OFFSET, 8);
	const uint8_t *end = attr + perf_le(e->bytes + ATTRS_SIZE, 8);
	const uint64_t size = perf_le(e->bytes + ATTR_SIZE, 8), clock = number(&value);

	for (; attr + ATTR_CLOCKID + 4 <= end; attr += size) {
		put(attr + ATTR_FLAGS, perf_le(attr + ATTR_FLAGS, 8) | USE_CLOCKID, 8);
		put(attr + ATTR_CLOCKID, clock, 4);
	}
}

/* ---------------------------------------------------------------- a pipe */

static uint8_t *append(uint8_t *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* An attribute of the file, with its IDs, as a record. */
static uint8_t *add_attr(const struct edited *e, uint8_t *to, const uint8_t *entry, size_t size)
{
	const uint64_t n = perf_le(entry + 4, 4), ids = perf_le(entry + size - 16, 8);
	const uint64_t n_ids = perf_le(entry + size - 8, 8);
	uint8_t header[8] = { 0 };

	if (n > size - 16 || ids > e->n || n_ids > e->n - ids || n + n_ids > UINT16_MAX - 8)
		die("pipe");
	put(header, PERF_RECORD_HEADER_ATTR, 4);
	put(header + 6, sizeof(header) + n + n_ids, 2);
	to = append(to, header, sizeof(header));
	to = append(to, entry, n);
	return append(to, e->bytes + ids, n_ids);
}

/* Magic and its own size, attributes, and the data; nothing that follows these. */
static void make_pipe(struct edited *e)
{
	const uint8_t *attr = e->bytes + perf_le(e->bytes + ATTRS_OFFSET, 8);
	const uint8_t *end = attr + perf_le(e->bytes + ATTRS_SIZE, 8);
	const uint64_t size = perf_le(e->bytes + ATTR_SIZE, 8);
	uint8_t *made = malloc(2 * e->n), *p = made;

	if (!made || size < 24)
		die("pipe");
	p = append(p, e->bytes, 8);
	put(p, 16, 8);
	for (p += 8; attr + size <= end; attr += size)
		p = add_attr(e, p, attr, size);
	p = append(p, e->bytes + perf_le(e->bytes + DATA_OFFSET, 8),
		   perf_le(e->bytes + DATA_SIZE, 8));
	e->n = p - made;
	free(e->bytes);
	e->bytes = made;
}

static void make_foreign(struct edited *e)
{
	const struct perf_file *file = e->file;

	make_pipe(e);
	foreign_pipe(e->bytes, e->n, file->n_evsel ? file->evsel[0].attr.sample_type : 0);
}

/* ---------------------------------------------------------------- records */

/* What to do to a record of a type */
struct task {
	uint32_t type;
	uint64_t value, other;
	uint64_t which;			/* UINT64_MAX: all */
	void (*edit)(struct edited *e, uint8_t *record, const struct task *task);
};

static void each(struct edited *e, const struct task *task)
{
	struct perf_records it;
	struct perf_record record;
	uint64_t i = 0;

	perf_records_start(&it, e->file);
	while (perf_records_next(&it, &record))
		if (record.type == task->type) {
			if (task->which == UINT64_MAX || task->which == i)
				task->edit(e, e->bytes + record.offset, task);
			i++;
		}
}

static void edit_info(struct edited *e, uint8_t *record, const struct task *task)
{
	size_t at = offsetof(struct perf_record_auxtrace_info, priv) + 8 * task->value;

	if (at + 8 > perf_le(record + 6, 2))
		die("info");
	put(record + at, task->other, 8);
}

static void edit_hw_id(struct edited *e, uint8_t *record, const struct task *task)
{
	PUT(record, perf_record_aux_output_hw_id, hw_id, task->value);
}

static void edit_flags(struct edited *e, uint8_t *record, const struct task *task)
{
	PUT(record, perf_record_aux, flags,
	    PERF_FIELD(record, perf_record_aux, flags) | task->value);
}

static void edit_size(struct edited *e, uint8_t *record, const struct task *task)
{
	PUT(record, perf_record_aux, aux_size,
	    PERF_FIELD(record, perf_record_aux, aux_size) + task->value);
}

/* The sample_id ends with CPU, and the id after it. */
static void edit_record(struct edited *e, uint8_t *record, const struct task *task)
{
	put(record + 6, task->value, 2);
}

static void edit_cpu(struct edited *e, uint8_t *record, const struct task *task)
{
	put(record + perf_le(record + 6, 2) - 16, task->value, 4);
}

/* pid and tid are first in all of them; FORK and EXIT have the parents' between. */
static void edit_tid(struct edited *e, uint8_t *record, const struct task *task)
{
	bool fork = task->type == PERF_RECORD_FORK || task->type == PERF_RECORD_EXIT;
	uint8_t *tid = record + (fork ? 16 : 12);

	if (perf_le(tid, 4) == task->value)
		put(tid, task->other, 4);
}

static void edit_forked(struct edited *e, uint8_t *record, const struct task *task)
{
	(void)e;
	put(record + 8, task->value, 4);
}

static void edit_pgoff(struct edited *e, uint8_t *record, const struct task *task)
{
	(void)e;
	PUT(record, perf_record_mmap2, pgoff, task->value);
}

/* Trace after a record: *@size bytes.  An edited size may be more than there is. */
static uint8_t *trace_of(const struct edited *e, uint8_t *record, uint64_t *size)
{
	const uint64_t room = e->n - (record - e->bytes);
	const uint64_t head = sizeof(struct perf_record_auxtrace);

	*size = room < head ? 0 : PERF_FIELD(record, perf_record_auxtrace, size);
	if (*size && *size > room - head)
		*size = room - head;
	return record + head;
}

static void edit_noise(struct edited *e, uint8_t *record, const struct task *task)
{
	uint64_t size;
	uint8_t *trace = trace_of(e, record, &size);

	for (uint64_t i = 0; size && i < task->value; i++)
		trace[rnd(e, size)] = rnd(e, 256);
}

/* A frame with a trace ID: bit 0 of a byte at an even offset says so. */
static bool has_id(const uint8_t *frame)
{
	bool id = false;

	for (int i = 0; i < 15; i += 2)
		id |= frame[i] & 1;
	return id;
}

/*
 * As data and as auxiliary bytes of frames they stay so, and are no trace ID.  No trace ID is lost
 * either, because it would then be unknown whose trace it was.
 */
static void edit_holes(struct edited *e, uint8_t *record, const struct task *task)
{
	uint64_t size;
	uint8_t *trace = trace_of(e, record, &size);

	for (uint64_t i = 0; size >= 16 && i < task->value; i++) {
		uint8_t *frame = trace + rnd(e, size / 16) * 16;

		if (!has_id(frame))
			memset(frame, 0x98, 16);
	}
}

/* Trace IDs, in frames, become another one; ID 0, of padding, stays. */
static void edit_trace_id(struct edited *e, uint8_t *record, const struct task *task)
{
	uint64_t size;
	uint8_t *trace = trace_of(e, record, &size);

	for (uint64_t i = 0; i < size; i += 2)
		if (i % 16 < 15 && trace[i] & 1 && trace[i] > 1)
			trace[i] = task->value << 1 | 1;
}

/* Numbers at the edge of a range. */
static uint64_t odd_number(struct edited *e, uint64_t was)
{
	switch (rnd(e, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX >> rnd(e, 64);
	case 2:
		return 1ull << rnd(e, 64);
	case 3:
		return was + rnd(e, 32) - 16;
	case 4:
		return was ^ 1ull << rnd(e, 64);
	case 5:
		return was << rnd(e, 32);
	case 6:
		return rnd(e, 256);
	default:
		return rnd(e, UINT64_MAX);
	}
}

/* One record in task->other, a word or two of it; the header's size mostly stays. */
static void edit_random(struct edited *e, uint8_t *record, const struct task *task)
{
	size_t words = perf_le(record + 6, 2) / 8;

	if (words < 2 || (task->type != PERF_RECORD_AUXTRACE_INFO && rnd(e, task->other)))
		return;
	for (uint64_t n = rnd(e, 3) + 1; n--;) {
		uint8_t *p = record + 8 * (1 + rnd(e, words - 1));

		if (rnd(e, 2))
			put(p, odd_number(e, perf_le(p, 8)), 8);
		else
			p[rnd(e, 8)] = odd_number(e, *p);
	}
	if (!rnd(e, 16))
		put(record + 6, odd_number(e, perf_le(record + 6, 2)), 2);
}

/* One record in four, or two of many: perf stops reading after one that is too odd. */
static uint64_t one_in(const struct edited *e, uint32_t type)
{
	struct perf_records it;
	struct perf_record record;
	uint64_t n = 0;

	perf_records_start(&it, e->file);
	while (perf_records_next(&it, &record))
		n += record.type == type;
	return n / 2 > 4 ? n / 2 : 4;
}

static void random_records(struct edited *e, const char *seed)
{
	static const uint32_t types[] = {
		PERF_RECORD_AUXTRACE_INFO, PERF_RECORD_AUX_OUTPUT_HW_ID, PERF_RECORD_AUX,
		PERF_RECORD_AUXTRACE, PERF_RECORD_TIME_CONV,
	};
	size_t some;

	e->random = (number(&seed) + 1) * 0x9e3779b97f4a7c15ull;
	some = 1 + rnd(e, 31);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct task task = {
			.type = types[i], .which = UINT64_MAX, .edit = edit_random,
			.other = one_in(e, types[i]),
		};

		/* Edited records may no longer be readable: the walk goes by the original ones. */
		if (some >> i & 1)
			each(e, &task);
	}
}

/* Switches still name the thread as it is. */
static void edit_told(struct edited *e, const char *value)
{
	static const uint32_t types[] = {
		PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT, PERF_RECORD_MMAP2,
		PERF_RECORD_ITRACE_START,
	};
	struct task task = { .which = UINT64_MAX, .edit = edit_tid };

	task.value = number(&value);
	task.other = number(&value);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		task.type = types[i];
		each(e, &task);
	}
}

static void edit_tids(struct edited *e, const char *value)
{
	struct task task = {
		.which = UINT64_MAX, .edit = edit_tid, .type = PERF_RECORD_SWITCH_CPU_WIDE,
	};

	edit_told(e, value);
	task.value = number(&value);
	task.other = number(&value);
	each(e, &task);
}

/* The CPU that is named at @p, if it is in the list: its number there is its old one. */
static void rename_cpu(uint8_t *p, const char *list)
{
	for (uint64_t i = 0, was = perf_le(p, 4); *list; i++) {
		uint64_t now = number(&list);

		if (i == was) {
			put(p, now, 4);
			return;
		}
	}
}

/* After a magic: the CPU, the number of words that follow, these words. */
static void rename_units(uint8_t *record, const char *list)
{
	uint8_t *priv = record + offsetof(struct perf_record_auxtrace_info, priv);
	size_t at = 3, n = (perf_le(record + 6, 2) - (priv - record)) / 8;

	if (n < 3 || !perf_le(priv, 8))
		die("cpus: version 0");
	for (; at + 3 <= n; at += 3 + perf_le(priv + 8 * (at + 2), 8))
		rename_cpu(priv + 8 * (at + 1), list);
}

/* The number of CPUs stays, and the last one has the largest possible number. */
static void rename_cpus(struct edited *e, const char *list)
{
	struct perf_records it;
	struct perf_record record;
	uint64_t last = 0;

	perf_records_start(&it, e->file);
	while (perf_records_next(&it, &record)) {
		uint8_t *p = e->bytes + record.offset;

		if (record.type == PERF_RECORD_AUXTRACE_INFO)
			rename_units(p, list);
		else if (record.type == PERF_RECORD_AUXTRACE)
			rename_cpu(p + offsetof(struct perf_record_auxtrace, cpu), list);
		else if (record.type < PERF_RECORD_USER_TYPE_START)
			rename_cpu(p + record.size - 16, list);
	}
	for (const char *p = list; *p;)
		last = number(&p);
	if (e->bytes[FEATURES] & 1 << PERF_FEATURE_NRCPUS)
		put(e->bytes + perf_le(entry_of(e, PERF_FEATURE_NRCPUS), 8), last + 1, 4);
}

static void cut(struct edited *e, const char *value)
{
	const struct perf_auxtrace_at *auxtrace = e->file->auxtrace;
	uint64_t end, less = number(&value);

	if (!e->file->n_auxtrace || auxtrace[e->file->n_auxtrace - 1].size < less)
		die("cut");
	auxtrace += e->file->n_auxtrace - 1;
	end = auxtrace->offset + sizeof(struct perf_record_auxtrace) + auxtrace->size;
	e->n = end - less;
}

/* ---------------------------------------------------------------- the command line */

static const struct {
	const char *word;
	uint32_t type;
	void (*edit)(struct edited *e, uint8_t *record, const struct task *task);
} edits[] = {
	{ "hw-id=", PERF_RECORD_AUX_OUTPUT_HW_ID, edit_hw_id },
	{ "flags=", PERF_RECORD_AUX, edit_flags },
	{ "size=", PERF_RECORD_AUX, edit_size },
	{ "record=", PERF_RECORD_AUX, edit_record },
	{ "cpu=", PERF_RECORD_AUX, edit_cpu },
	{ "noise=", PERF_RECORD_AUXTRACE, edit_noise },
	{ "holes=", PERF_RECORD_AUXTRACE, edit_holes },
	{ "trace-id=", PERF_RECORD_AUXTRACE, edit_trace_id },
	{ "pgoff=", PERF_RECORD_MMAP2, edit_pgoff },
	{ "forked=", PERF_RECORD_FORK, edit_forked },
};

static const struct {
	const char *word;
	void (*edit)(struct edited *e);
} wholes[] = {
	{ "no-index", no_index }, { "no-build-ids", no_build_ids }, { "bare-index", bare_index },
	{ "count-index", count_index }, { "pipe", make_pipe }, { "foreign-pipe", make_foreign },
};

static const struct {
	const char *word;
	void (*edit)(struct edited *e, const char *value);
} others[] = {
	{ "config=", set_config }, { "clock=", set_clock }, { "tid=", edit_tids },
	{ "told=", edit_told }, { "cut=", cut }, { "random=", random_records },
	{ "cpus=", rename_cpus },
};

static const char *value_of(const char *word, const char *text)
{
	size_t n = strlen(word);

	return strncmp(word, text, n) ? NULL : text + n;
}

static void edit(struct edited *e, const char *text)
{
	struct task task = { .which = UINT64_MAX };
	const char *value;

	for (size_t i = 0; i < sizeof(wholes) / sizeof(*wholes); i++)
		if (!strcmp(text, wholes[i].word)) {
			wholes[i].edit(e);
			return;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		value = value_of(others[i].word, text);
		if (value) {
			others[i].edit(e, value);
			return;
		}
	}
	value = value_of("info=", text);
	if (value) {
		task.type = PERF_RECORD_AUXTRACE_INFO;
		task.edit = edit_info;
		task.value = number(&value);
		task.other = number(&value);
	}
	for (size_t i = 0; !task.edit && i < sizeof(edits) / sizeof(*edits); i++) {
		value = value_of(edits[i].word, text);
		if (!value)
			continue;
		task.type = edits[i].type;
		task.edit = edits[i].edit;
		task.value = number(&value);
		if (*value)
			task.which = number(&value);
	}
	if (!task.edit)
		die(text);
	each(e, &task);
}

static void read_file(struct edited *e, const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END))
		die(path);
	size = ftell(f);
	rewind(f);
	e->bytes = malloc(size + 1);
	if (size < 0 || !e->bytes || fread(e->bytes, 1, size, f) != (size_t)size)
		die(path);
	e->n = size;
	fclose(f);
}

int main(int argc, char **argv)
{
	struct edited e = { .random = 0x9e3779b97f4a7c15ull };
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: mkperf IN OUT EDIT...\n");
		return 2;
	}
	read_file(&e, argv[1]);
	for (int i = 3; i < argc; i++) {
		load(&e);
		edit(&e, argv[i]);
	}
	out = fopen(argv[2], "wb");
	if (!out || fwrite(e.bytes, 1, e.n, out) != e.n || fclose(out))
		die(argv[2]);
	perf_file_close(e.file);
	free(e.bytes);
	return 0;
}
