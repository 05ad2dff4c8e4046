// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkstream PERF.DATA MIB: writes to standard output what perf record -o - would write if it
 * recorded for long.
 *
 * The recording, a pipe's (mkperf pipe) without timestamps in the trace, is written once; but its
 * AUX records, and the trace after them, are written again and again, each time later and further
 * on in the ring, until there are MIB of trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-record.h"
#include "../../perf-plugin/perf-walk.h"

#define PIPE_HEADER	16
#define AUX_OFFSET	8
#define AUXTRACE_OFFSET	16
#define AUXTRACE_SIZE	8

/**
 * struct original - the recording
 * @aux: its first AUX record; @last: the first record after its last AUXTRACE
 * @trace: bytes of trace; @span: from the first to the last time
 * @time_back: bytes from the end of a record to its time; 0: it has none
 */
struct original {
	uint8_t *bytes;
	size_t n;
	size_t aux, last;
	uint64_t trace, first, span;
	size_t time_back;
};

static void die(const char *what)
{
	fprintf(stderr, "mkstream: %s: %s\n", what, errno ? strerror(errno) : "cannot be done");
	exit(1);
}

static void load(struct original *o, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END) || ftell(f) < PIPE_HEADER)
		die(path);
	o->n = ftell(f);
	rewind(f);
	o->bytes = malloc(o->n);
	if (!o->bytes || fread(o->bytes, 1, o->n, f) != o->n)
		die(path);
	fclose(f);
}

static void add(uint8_t *p, uint64_t more)
{
	uint64_t v = perf_le(p, 8) + more;

	for (int i = 0; i < 8; i++)
		p[i] = v >> 8 * i;
}

/* Bytes of a record, the trace after it included. */
static size_t size_of(const struct original *o, size_t at)
{
	size_t n = perf_le(o->bytes + at + 6, 2);

	if (perf_le(o->bytes + at, 4) == PERF_RECORD_AUXTRACE)
		n += perf_le(o->bytes + at + AUXTRACE_SIZE, 8);
	if (n < 8 || n > o->n - at)
		die("a record is cut off");
	return n;
}

static void look(struct original *o)
{
	struct perf_file *file;
	uint64_t type;

	if (perf_file_open_memory(&file, o->bytes, o->n) || !file->n_evsel)
		die("no perf.data");
	type = file->evsel[0].attr.sample_type;
	perf_file_close(file);
	if (!(type & PERF_SAMPLE_TIME))
		die("no times");
	o->time_back = 8 * __builtin_popcountll(type & PERF_TRAILER_FIELDS) -
		       8 * !!(type & PERF_SAMPLE_TID);
	for (size_t at = PIPE_HEADER, n; at < o->n; at += n) {
		uint32_t kind = perf_le(o->bytes + at, 4);
		uint64_t time;

		n = size_of(o, at);
		if (kind == PERF_RECORD_AUX) {
			time = perf_le(o->bytes + at + n - o->time_back, 8);
			if (!o->aux) {
				o->aux = at;
				o->first = time;
			}
			o->span = time - o->first + 1;
		} else if (kind == PERF_RECORD_AUXTRACE) {
			o->trace += n - perf_le(o->bytes + at + 6, 2);
			o->last = at + n;
		}
	}
	if (!o->aux || o->last < o->aux)
		die("no trace");
}

static void put(const void *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, stdout) != n)
		die("standard output");
}

/* Records from @from up to @to, as of time @round of the ring. */
static void put_records(struct original *o, size_t from, size_t to, uint64_t round)
{
	for (size_t at = from, n; at < to; at += n) {
		uint8_t *p = o->bytes + at;
		uint32_t kind = perf_le(p, 4);
		uint8_t was[64];

		n = size_of(o, at);
		if (kind == PERF_RECORD_AUXTRACE) {
			memcpy(was, p, 48);
			add(p + AUXTRACE_OFFSET, round * o->trace);
			put(p, n);
			memcpy(p, was, 48);
			continue;
		}
		if (kind < PERF_RECORD_USER_TYPE_START) {
			add(p + n - o->time_back, round * o->span);
			if (kind == PERF_RECORD_AUX)
				add(p + AUX_OFFSET, round * o->trace);
		}
		put(p, n);
		if (kind < PERF_RECORD_USER_TYPE_START) {
			add(p + n - o->time_back, -(round * o->span));
			if (kind == PERF_RECORD_AUX)
				add(p + AUX_OFFSET, -(round * o->trace));
		}
	}
}

int main(int argc, char **argv)
{
	struct original o = { .n = 0 };
	uint64_t rounds;

	if (argc != 3) {
		fprintf(stderr, "usage: mkstream PERF.DATA MIB\n");
		return 2;
	}
	load(&o, argv[1]);
	look(&o);
	rounds = ((strtoull(argv[2], NULL, 10) << 20) + o.trace - 1) / o.trace;
	put(o.bytes, PIPE_HEADER);
	put_records(&o, PIPE_HEADER, o.aux, 0);
	for (uint64_t i = 0; i < rounds; i++)
		put_records(&o, o.aux, o.last, i);
	put_records(&o, o.last, o.n, rounds ? rounds - 1 : 0);
	free(o.bytes);
	return fflush(stdout) ? 1 : 0;
}
