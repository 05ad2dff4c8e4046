// SPDX-License-Identifier: GPL-2.0-only
/* The common part of all formats: detection, pipes, text of items. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/spill.h"
#include "../lib/file.h"
#include "source-private.h"

static const struct source_ops *const formats[] = {
	[SOURCE_TRUTH] = &source_truth_ops,
	[SOURCE_PERF] = &source_perf_ops,
	[SOURCE_SNAPSHOT] = &source_snapshot_ops,
	[SOURCE_TARMAC] = &source_tarmac_ops,
};

/* ---------------------------------------------------------------- open and close */

static void begins(struct source *s)
{
	s->format = SOURCE_TARMAC;
	if (truth_is(s->spool.head, s->spool.n_head))
		s->format = SOURCE_TRUTH;
	else if (spool_is_perf(&s->spool))
		s->format = SOURCE_PERF;
}

/* Copies input that cannot be read twice. */
static int spool(struct source *s)
{
	struct stat st;
	int err = spool_all(&s->spool);

	if (!err)
		s->real = strdup(s->spool.path);
	if (!err && !stat(s->spool.path, &st))
		s->total = st.st_size;
	return err;
}

/* A program would be a log none of whose lines can be read. */
static int refuse_elf(struct source *s)
{
	if (s->spool.n_head < 4 || memcmp(s->spool.head, "\177ELF", 4))
		return 0;
	problems_error(&s->problems, s->path, 0,
		       "it is an ELF file, such as a program, and no recording or log");
	return -EINVAL;
}

/* Raw trace becomes a hidden recording, as for the commands that read recordings. */
static int take_raw(struct source *s)
{
	struct stat st;
	int err;

	s->copy = tmpfile();
	if (!s->copy)
		return -errno;
	s->format = SOURCE_PERF;
	err = snapshot_perf_write_raw(&s->problems, s->path, &s->options.snapshot,
				      fileno(s->copy));
	if (!err && !fstat(fileno(s->copy), &st))
		s->total = st.st_size;
	if (!err && asprintf(&s->real, "/proc/self/fd/%d", fileno(s->copy)) < 0)
		err = -ENOMEM;
	return err;
}

/* Finds the format, and the file to read. */
static int find(struct source *s)
{
	const char *name = strrchr(s->path, '/');
	bool standard = !strcmp(s->path, "-");
	struct stat st;
	int fd = standard ? STDIN_FILENO : spill_open(s->path);
	int err = 0;

	if (fd < 0) {
		err = fd;
	} else if (fstat(fd, &st)) {
		err = -errno;
	} else if (S_ISDIR(st.st_mode) && spool_perf_at(s->path)) {
		s->format = SOURCE_PERF;
	} else if (S_ISDIR(st.st_mode) || !strcmp(name ? name + 1 : s->path, "snapshot.ini")) {
		s->format = SOURCE_SNAPSHOT;
	} else {
		err = spool_begin(&s->spool, fd);
		begins(s);
		if (!err)
			err = refuse_elf(s);
		s->total = st.st_size;
		if (!err && (!S_ISREG(st.st_mode) || standard))
			err = spool(s);
	}
	if (fd >= 0 && !standard)
		close(fd);
	if (!err && !s->real)
		s->real = strdup(s->path);
	return !err && !s->real ? -ENOMEM : err;
}

int source_open(struct source **source, const char *path, const struct source_options *options)
{
	struct source *s = calloc(1, sizeof(*s));
	int err;

	*source = s;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	s->by = options->by == SOURCE_THREAD ? SOURCE_THREAD : SOURCE_CPU;
	s->path = strdup(path);
	err = !s->path ? -ENOMEM : options->snapshot.raw ? take_raw(s) : find(s);
	if (!err) {
		s->ops = formats[s->format];
		err = s->ops->open(s);
	}
	if (err && !s->problems.errors)
		problems_error(&s->problems, path, 0, "%s", file_words(path, err));
	return err;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->ops)
		s->ops->close(s);
	spool_end(&s->spool);
	if (s->copy)
		fclose(s->copy);
	problems_free(&s->problems);
	free(s->path);
	free(s->real);
	free(s);
}

/* ---------------------------------------------------------------- formats */

enum source_format source_format(const struct source *s)
{
	return s->format;
}

const char *source_format_name(enum source_format format)
{
	return formats[format]->name;
}

enum source_by source_by(const struct source *s)
{
	return s->by;
}

uint32_t source_data(const struct source *s)
{
	return s->data;
}

const struct problems *source_problems(const struct source *s)
{
	return &s->problems;
}

void source_take_problems(struct source *s, struct problems *to)
{
	problems_take(to, &s->problems);
}

bool source_damaged(const struct source *s)
{
	return s->damaged || s->problems.errors;
}

uint64_t source_done(const struct source *s)
{
	return s->past + s->done;
}

/* Each stream is a pass over the file. */
uint64_t source_total(struct source *s)
{
	struct source_stream stream;
	size_t n = 0;

	while (source_stream(s, n, &stream))
		n++;
	return n * s->total;
}

/* ---------------------------------------------------------------- streams */

static int by_number(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static void nothing(void *number)
{
	(void)number;
}

int source_number(struct source_numbers *list, uint32_t v)
{
	/* a key of the tree is a number + 1, not a pointer */
	const void *key = (const void *)((uintptr_t)v + 1);

	if (list->n && list->v[list->n - 1] == v)
		return 0;
	if (tfind(key, &list->known, by_number))
		return 0;
	if (!array_room(&list->v, list->n, &list->size, sizeof(*list->v)) ||
	    !tsearch(key, &list->known, by_number))
		return -ENOMEM;
	list->v[list->n++] = v;
	return 0;
}

void source_numbers_fini(struct source_numbers *list)
{
	tdestroy(list->known, nothing);
	free(list->v);
	*list = (struct source_numbers){ 0 };
}

void source_thread_stream(struct source_stream *stream, uint32_t number)
{
	stream->idle = number >> 31 && number != PERF_NO_TID;
	stream->cpu = stream->idle ? number & ~(1u << 31) : 0;
	stream->number = stream->idle ? 0 : number;
}

uint32_t source_stream_thread(const struct source_stream *stream)
{
	return stream->idle ? source_thread(0, stream->cpu) : stream->number;
}

const char *source_stream_name(const struct source_stream *stream, char *name)
{
	int n = snprintf(name, SOURCE_STREAM_NAME, "%s %u",
			 stream->by == SOURCE_THREAD ? "thread" : "CPU", stream->number);

	if (stream->idle)
		snprintf(name + n, SOURCE_STREAM_NAME - n, " of CPU %u", stream->cpu);
	return name;
}

bool source_stream(struct source *s, size_t n, struct source_stream *stream)
{
	*stream = (struct source_stream){ .by = s->by };
	return s->ops->stream(s, n, stream);
}

int source_start(struct source *s, const struct source_stream *stream)
{
	s->n_insn = 0;
	s->past += s->started ? s->total : 0;
	s->started = true;
	s->done = 0;
	return s->ops->start(s, stream);
}

int source_next(struct source *s, struct source_item *item)
{
	int got = s->ops->next(s, item);

	if (got > 0 && item->kind == SOURCE_INSN) {
		if (!item->id)
			item->id = s->n_insn + 1;
		s->n_insn += item->n_insn;
	}
	return got;
}

/* ---------------------------------------------------------------- text */

const char *source_kind_name(enum source_kind kind)
{
	static const char *const names[SOURCE_KIND_NR] = {
		[SOURCE_INSN] = "insn",		[SOURCE_REG] = "reg",
		[SOURCE_MEM] = "mem",		[SOURCE_EVENT] = "event",
		[SOURCE_OTHER] = "other",	[SOURCE_EXCEPTION] = "exception",
		[SOURCE_CONTEXT] = "context",	[SOURCE_TM] = "tm",
		[SOURCE_TIME] = "time",		[SOURCE_GAP] = "gap",
		[SOURCE_CUT] = "cut",		[SOURCE_Q] = "q",
		[SOURCE_LOST] = "lost",		[SOURCE_FOUND] = "found",
		[SOURCE_TASK] = "task",
	};

	return kind < SOURCE_KIND_NR ? names[kind] : "unknown";
}

/* Prints the opcode as in Tarmac: for T32, the first halfword first. */
static void print_opcode(FILE *f, const struct source_item *item)
{
	const uint8_t *p = source_code(item);

	fputc(' ', f);
	if (item->no_code) {
		fputs("--------", f);
	} else if (item->isa == CSF_T32) {
		bool wide = item->size >= 4 && p[1] >> 3 >= 0x1d;

		fprintf(f, "%02x%02x", p[1], p[0]);
		if (wide)
			fprintf(f, "%02x%02x", p[3], p[2]);
	} else {
		for (uint32_t i = item->size < 4 ? item->size : 4; i--;)
			fprintf(f, "%02x", p[i]);
	}
}

static void print_insn(FILE *f, const struct source_item *item)
{
	static const char isa[][2] = { "O", "A", "T", "-" };

	fprintf(f, "(%" PRIu64 ") %08" PRIx64, item->id, item->addr);
	print_opcode(f, item);
	fprintf(f, " %s", isa[item->isa & 3]);
	if (item->how == SOURCE_SKIPPED)
		fputs(" skipped", f);
	if (item->n_insn > 1)
		fprintf(f, " and %u more", item->n_insn - 1);
}

static void print_context(FILE *f, const struct csf_context *c)
{
	fprintf(f, "context EL%u %s %s", c->el & 3, csf_security_name(c->security),
		c->bits64 ? "64" : "32");
	if (c->has_contextid)
		fprintf(f, " contextid 0x%x", c->contextid);
	if (c->has_vmid)
		fprintf(f, " vmid 0x%x", c->vmid);
}

/* Prints kinds that have only @value and @addr. */
static void print_other(FILE *f, const struct source_item *item)
{
	fputs(source_kind_name(item->kind), f);
	if (item->kind == SOURCE_GAP)
		fprintf(f, " %s", csf_gap_name(item->value));
	else if (item->kind == SOURCE_LOST)
		fprintf(f, " %s", truth_lost_name(item->value));
	else if (item->kind == SOURCE_TASK)
		fprintf(f, " %u/%u", item->pid, item->tid);
	else if (item->kind != SOURCE_CUT && item->kind != SOURCE_FOUND)
		fprintf(f, " %" PRIu64, item->value);
	if (item->has_addr)
		fprintf(f, " at %08" PRIx64, item->addr);
}

static void print(FILE *f, const struct source_item *item)
{
	switch ((enum source_kind)item->kind) {
	case SOURCE_INSN:
		print_insn(f, item);
		break;
	case SOURCE_REG:
		fprintf(f, "R %.*s %.*s", (int)item->name.n, item->name.p, (int)item->digits.n,
			item->digits.p);
		break;
	case SOURCE_MEM:
		fprintf(f, "M%c%u %08" PRIx64 " %.*s", item->write ? 'W' : 'R', item->n,
			item->addr, (int)item->digits.n, item->digits.p);
		break;
	case SOURCE_EVENT:
		fprintf(f, "E %08" PRIx64 " %.*s %08" PRIx64, item->addr, (int)item->name.n,
			item->name.p, item->value);
		break;
	case SOURCE_OTHER:
		fprintf(f, "%.*s", (int)item->name.n, item->name.p);
		break;
	case SOURCE_CONTEXT:
		print_context(f, &item->context);
		break;
	default:
		print_other(f, item);
	}
}

size_t source_print(struct source *s, const struct source_item *item, char *buf, size_t n)
{
	size_t length = s->ops->line ? s->ops->line(s, item, buf, n) : 0;
	FILE *f;

	if (length)
		return length;
	f = fmemopen(buf, n, "w");
	if (!f)
		return 0;
	print(f, item);
	length = ftell(f);
	fclose(f);
	return length < n ? length : n - 1;
}
