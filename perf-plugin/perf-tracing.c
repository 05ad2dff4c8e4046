// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: tools/perf/Documentation/perf.data-file-format.txt, HEADER_TRACING_DATA,
 * which refers to trace.dat(5); libtraceevent's man pages.
 */
#include "perf-tracing.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "perf-abi.h"

/* Maximum size of the description of a tracepoint. */
#define FORMAT_MAX	65536

struct perf_tracing {
	struct tep_handle *tep;
	int id;					/* that of sched_switch: attr.config */
	struct tep_format_field *prev, *next;
};

/* The rest of the section, and the format of its numbers. */
struct cursor {
	const uint8_t *p;
	uint64_t n;
	bool big;
	bool cut;		/* more bytes were needed than it has */
};

static const uint8_t *take(struct cursor *cur, uint64_t n)
{
	const uint8_t *p = cur->p;

	if (n > cur->n) {
		cur->cut = true;
		n = cur->n;
	}
	cur->p += n;
	cur->n -= n;
	return p;
}

static uint64_t number(struct cursor *cur, size_t n)
{
	const uint8_t *p = take(cur, n);
	uint64_t v;

	if (cur->cut)
		return 0;
	v = perf_le(p, n);
	return cur->big ? __builtin_bswap64(v) >> (64 - 8 * n) : v;
}

/* A string terminated by 0. */
static const char *string(struct cursor *cur)
{
	const uint8_t *end = cur->n ? memchr(cur->p, 0, cur->n) : NULL;

	if (!end) {
		cur->cut = true;
		return "";
	}
	return (const char *)take(cur, end + 1 - cur->p);
}

/* Magic, version, byte order, size of long, size of a page; two descriptions of pages. */
static bool read_head(struct cursor *cur, struct tep_handle *tep)
{
	static const uint8_t magic[] = "\027\010\104tracing";
	const uint8_t *p = take(cur, sizeof(magic) - 1);

	if (cur->cut || memcmp(p, magic, sizeof(magic) - 1))
		return false;
	string(cur);
	cur->big = number(cur, 1);
	tep_set_file_bigendian(tep, cur->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, number(cur, 1) == 4 ? 4 : 8);
	number(cur, 4);
	for (int i = 0; i < 2; i++) {
		string(cur);
		take(cur, number(cur, 8));
	}
	return !cur->cut;
}

static struct tep_format_field *field(struct tep_event *event, const char *name)
{
	struct tep_format_field *f = tep_find_field(event, name);

	return f && f->offset >= 0 && f->offset < UINT16_MAX && (f->size == 4 || f->size == 8) ?
	       f : NULL;
}

/* ---------------------------------------------------------------- descriptions */

static bool eat(const char **p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*p, text, n))
		return false;
	*p += n;
	return true;
}

static bool eat_number(const char **p)
{
	size_t n = strspn(*p, "0123456789");

	*p += n;
	return n && n < 6;
}

/* Two words or more: "unsigned short common_type", "char prev_comm[16]" */
static bool eat_declaration(const char **p)
{
	int words = 0;

	do {
		if (!isalpha((unsigned char)**p) && **p != '_')
			return false;
		while (isalnum((unsigned char)**p) || **p == '_')
			++*p;
		words++;
	} while (eat(p, " "));
	return words > 1 && (!eat(p, "[") || (eat_number(p) && eat(p, "]")));
}

/* "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;" */
static bool is_field(const char *p)
{
	return eat(&p, "\tfield:") && eat_declaration(&p) && eat(&p, ";\toffset:") &&
	       eat_number(&p) && eat(&p, ";\tsize:") && eat_number(&p) &&
	       eat(&p, ";\tsigned:") && eat_number(&p) && !strcmp(p, ";");
}

/*
 * The library trusts its input, as it usually comes from the kernel.  So it only gets lines with
 * fields, in the form that the kernel uses, and not the print format, which is a program.
 */
static void copy_fields(FILE *to, char *text)
{
	char *line = strstr(text, "\nformat:\n"), *next;
	static const char head[] = "name: sched_switch\nID: ";
	bool has_id = !strncmp(text, head, sizeof(head) - 1);
	unsigned long id = has_id ? strtoul(text + sizeof(head) - 1, NULL, 10) : 0;
	int gaps = 0;

	fprintf(to, "%s%u\nformat:\n", head, (unsigned int)(id & INT_MAX));
	for (line = line ? line + 9 : NULL; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		/* an empty line separates common fields from the others */
		if (is_field(line) || (!*line && !gaps++))
			fprintf(to, "%s\n", line);
	}
	fprintf(to, "\nprint fmt: \"\"\n");
}

static int read_format(struct perf_tracing *tracing, const uint8_t *bytes, size_t n)
{
	char *text = strndup((const char *)bytes, n), *copy = NULL;
	struct tep_event *event;
	size_t n_copy = 0;
	FILE *to = text ? open_memstream(&copy, &n_copy) : NULL;

	if (to)
		copy_fields(to, text);
	free(text);
	if (!to || fclose(to)) {
		free(copy);
		return -ENOMEM;
	}
	tep_parse_event(tracing->tep, copy, n_copy, "sched");
	free(copy);
	event = tep_find_event_by_name(tracing->tep, "sched", "sched_switch");
	if (!event)
		return 0;
	tracing->id = event->id;
	tracing->prev = field(event, "prev_pid");
	tracing->next = field(event, "next_pid");
	return 0;
}

/* u32 systems; for each: name, u32 tracepoints, for each: u64 size, text */
static int read_systems(struct perf_tracing *tracing, struct cursor *cur)
{
	static const char name[] = "name: sched_switch\n";
	uint64_t size;
	int err = 0;

	for (uint32_t n = number(cur, 4); n-- && !cur->cut && !err;) {
		bool sched = !strcmp(string(cur), "sched");

		for (uint32_t i = number(cur, 4); i-- && !cur->cut && !err;) {
			const uint8_t *text;

			size = number(cur, 8);
			text = take(cur, size);
			if (!cur->cut && sched && size > sizeof(name) && size <= FORMAT_MAX &&
			    !memcmp(text, name, sizeof(name) - 1))
				err = read_format(tracing, text, size);
		}
	}
	return err;
}

/* The u32 tracepoints of the tracer itself come first; they are not needed. */
static int read_all(struct perf_tracing *tracing, struct perf_file *file, struct cursor *cur)
{
	uint64_t at = file->feature[PERF_FEATURE_TRACING_DATA].offset;
	int err;

	if (!read_head(cur, tracing->tep)) {
		perf_problem_add(&file->problems, PERF_DAMAGE, at,
				 "the description of tracepoints cannot be read");
		return 0;
	}
	for (uint32_t n = number(cur, 4); n-- && !cur->cut;)
		take(cur, number(cur, 8));
	err = read_systems(tracing, cur);
	if (cur->cut)
		perf_problem_add(&file->problems, PERF_DAMAGE, at,
				 "the description of tracepoints is cut off");
	return err;
}

int perf_tracing_new(struct perf_tracing **out, struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_TRACING_DATA];
	struct cursor cur = { .p = section->bytes, .n = section->size };
	struct perf_tracing *tracing;
	int err = -ENOMEM;

	*out = NULL;
	if (!section->size)
		return 0;
	tracing = calloc(1, sizeof(*tracing));
	if (!tracing)
		return -ENOMEM;
	tracing->tep = tep_alloc();
	if (tracing->tep)
		err = read_all(tracing, file, &cur);
	if (err || !tracing->prev || !tracing->next) {
		perf_tracing_free(tracing);
		return err;
	}
	*out = tracing;
	return 0;
}

void perf_tracing_free(struct perf_tracing *tracing)
{
	if (!tracing)
		return;
	if (tracing->tep)
		tep_free(tracing->tep);
	free(tracing);
}

static bool take_tid(struct tep_format_field *f, const struct perf_section *raw, uint32_t *tid)
{
	unsigned long long v;

	if ((uint64_t)f->offset + f->size > raw->size || tep_read_number_field(f, raw->bytes, &v))
		return false;
	*tid = v;
	return true;
}

/* With a longer period, or a frequency, most switches are missing. */
static bool has_all(const struct perf_event_attr *attr)
{
	return !attr->freq && attr->sample_period == 1;
}

bool perf_tracing_switch(const struct perf_tracing *tracing, const struct perf_file *file,
			 const struct perf_record *record, uint32_t *prev, uint32_t *next)
{
	struct perf_sample_id id;
	struct perf_section raw;

	if (!tracing || record->type != PERF_RECORD_SAMPLE)
		return false;
	perf_record_id(file, record, &id);
	return id.evsel && id.evsel->attr.type == PERF_TYPE_TRACEPOINT &&
	       id.evsel->attr.config == (uint64_t)tracing->id && has_all(&id.evsel->attr) &&
	       perf_record_raw(file, record, &raw) && take_tid(tracing->prev, &raw, prev) &&
	       take_tid(tracing->next, &raw, next);
}
