// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every width and blank here is what perf script 6.1 was seen to print.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "script-print.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct field {
	const char *name;
	uint32_t bit;
} field_names[] = {
	{ "comm", SCRIPT_COMM },	{ "tid", SCRIPT_TID },		{ "pid", SCRIPT_PID },
	{ "time", SCRIPT_TIME },	{ "cpu", SCRIPT_CPU },		{ "event", SCRIPT_EVENT },
	{ "ip", SCRIPT_IP },		{ "sym", SCRIPT_SYM },		{ "dso", SCRIPT_DSO },
	{ "addr", SCRIPT_ADDR },	{ "symoff", SCRIPT_SYMOFF },
	{ "srcline", SCRIPT_SRCLINE },	{ "period", SCRIPT_PERIOD },
	{ "flags", SCRIPT_FLAGS },	{ "insn", SCRIPT_INSN },
	{ "insnlen", SCRIPT_INSNLEN },
};

static uint32_t field_bit(const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(field_names); i++)
		if (strlen(field_names[i].name) == n && !strncmp(field_names[i].name, word, n))
			return field_names[i].bit;
	return 0;
}

const char *script_fields_parse(struct script_fields *fields, const char *text)
{
	uint32_t exact = 0, plus = 0, minus = 0;

	for (const char *p = text;; p++) {
		char sign = *p == '+' || *p == '-' ? *p++ : 0;
		size_t n = strcspn(p, ",");
		uint32_t bit = field_bit(p, n);

		if (!bit)
			return "there is no such field";
		if (sign == '+')
			plus |= bit;
		else if (sign == '-')
			minus |= bit;
		else
			exact |= bit;
		p += n;
		if (!*p)
			break;
	}
	if (exact && (plus | minus))
		return "fields with and without + or -";
	/* perf forgets that branches have a target once fields are changed one by one */
	fields->insn = exact ? exact : (fields->insn | plus) & ~minus;
	fields->branch = fields->insn;
	if (fields->branch & SCRIPT_SYMOFF && !(fields->branch & SCRIPT_SYM))
		return "symoff without sym";
	if (fields->branch & SCRIPT_SRCLINE && !(fields->branch & SCRIPT_IP))
		return "srcline without ip";
	return NULL;
}

/* ---------------------------------------------------------------- pieces */

static void blanks(struct script_print *p, int n)
{
	out_room(p->out, 64);
	while (n-- > 0)
		out_char(p->out, ' ');
}

/* Text of any length that is not under our control. */
static void text(struct script_print *p, const char *s)
{
	for (size_t n = strlen(s); n;) {
		size_t part = n < 256 ? n : 256;

		out_room(p->out, part);
		memcpy(p->out->buf + p->out->n, s, part);
		p->out->n += part;
		s += part;
		n -= part;
	}
}

/* Right-aligned. */
static void wide(struct script_print *p, const char *s, int width)
{
	size_t n = strlen(s);

	if (n < (size_t)width)
		blanks(p, width - n);
	text(p, s);
}

static int digits(uint64_t v)
{
	int n = 1;

	while (v >= 10) {
		v /= 10;
		n++;
	}
	return n;
}

static void decimal(struct script_print *p, int64_t v, int width)
{
	blanks(p, width - digits(v < 0 ? -v : v) - (v < 0));
	if (v < 0)
		out_char(p->out, '-');
	out_dec(p->out, v < 0 ? -v : v);
}

static void zeros(struct script_print *p, uint64_t v, int width)
{
	out_room(p->out, 64);
	for (int n = width - digits(v); n > 0; n--)
		out_char(p->out, '0');
	out_dec(p->out, v);
}

static void address(struct script_print *p, uint64_t v)
{
	blanks(p, 16 - out_width(v));
	out_hex(p->out, v);
}

/* ---------------------------------------------------------------- names */

const char *script_comm(struct script_print *p, const struct perf_run *run, char *buf)
{
	uint64_t time = run->stream->time ? run->stream->time : run->fragment->time;

	if (!time)
		time = PERF_MAP_LAST;
	if (!p->comm || p->comm_tid != run->who.tid || p->comm_time != time) {
		p->comm = perf_map_comm(p->session->map, run->who.tid, time);
		p->comm_tid = run->who.tid;
		p->comm_time = time;
	}
	if (p->comm)
		return p->comm;
	snprintf(buf, 16, ":%d", (int32_t)run->who.tid);
	return buf;
}

static const char *type_name(const struct perf_evsel *evsel, char *buf, size_t n)
{
	static const char *const software[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
		"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
		"bpf-output", "cgroup-switches",
	};

	if (evsel->attr.type == PERF_TYPE_SOFTWARE && evsel->attr.config < ARRAY_SIZE(software))
		return software[evsel->attr.config];
	if (evsel->attr.type == PERF_TYPE_TRACEPOINT)
		return "unknown tracepoint";
	snprintf(buf, n, "unknown attr type: %u", evsel->attr.type);
	return buf;
}

/* ":u" and its like: what the event does not leave out, if it leaves out anything. */
static void modifiers(const struct perf_event_attr *attr, char *buf)
{
	char *s = buf;

	if (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv) {
		*s++ = ':';
		if (!attr->exclude_kernel)
			*s++ = 'k';
		if (!attr->exclude_user)
			*s++ = 'u';
		if (!attr->exclude_hv)
			*s++ = 'h';
	}
	*s = 0;
}

/* perf aligns names of events to the longest one of the file. */
static void widen(struct script_print *p, const struct perf_evsel *evsel)
{
	char buf[64], mods[8] = "";
	const char *name = evsel->name;
	int n;

	/* names that simpleperf wrote elsewhere perf does not know */
	if (!perf_file_feature(p->session->file, PERF_FEATURE_EVENT_DESC).size || !*name) {
		name = type_name(evsel, buf, sizeof(buf));
		if (evsel->attr.type < PERF_TYPE_MAX && evsel->attr.type != PERF_TYPE_TRACEPOINT)
			modifiers(&evsel->attr, mods);
	}
	n = strlen(name) + strlen(mods);
	if (n > p->width)
		p->width = n;
}

void script_print_init(struct script_print *p)
{
	const struct perf_file *file = p->session->file;
	char mods[8] = "";

	if (file->aux_evsel)
		modifiers(&file->aux_evsel->attr, mods);
	snprintf(p->branches, sizeof(p->branches), "branches%s", mods);
	snprintf(p->insns, sizeof(p->insns), "instructions%s", mods);
	p->width = strlen(p->fields.insn ? p->insns : p->branches);
	for (size_t i = 0; i < file->n_evsel; i++)
		widen(p, &file->evsel[i]);
}

/* ---------------------------------------------------------------- a line */

static void print_who(struct script_print *p, const struct perf_run *run, uint32_t fields)
{
	int32_t pid = run->who.pid, tid = run->who.tid;
	char buf[16];

	if (fields & SCRIPT_COMM) {
		wide(p, script_comm(p, run, buf), 16);
		blanks(p, 1);
	}
	if (fields & SCRIPT_PID && fields & SCRIPT_TID) {
		decimal(p, pid, 5);
		out_char(p->out, '/');
		decimal(p, tid, 0);
		blanks(p, 5 - digits(tid < 0 ? -tid : tid) - (tid < 0));
		blanks(p, 1);
	} else if (fields & (SCRIPT_PID | SCRIPT_TID)) {
		decimal(p, fields & SCRIPT_PID ? pid : tid, 5);
		blanks(p, 1);
	}
	if (fields & SCRIPT_CPU) {
		out_char(p->out, '[');
		zeros(p, run->stream->cpu, 3);
		out_text(p->out, "] ");
	}
}

static void print_time(struct script_print *p, uint64_t ns)
{
	decimal(p, ns / 1000000000, 5);
	out_char(p->out, '.');
	if (p->ns)
		zeros(p, ns % 1000000000, 9);
	else
		zeros(p, ns % 1000000000 / 1000, 6);
	out_text(p->out, ": ");
}

static uint64_t sample_time(const struct script_print *p, const struct perf_run *run,
			    uint64_t timestamp)
{
	return timestamp ? timestamp : run->fragment->time;
}

static void print_symbol(struct script_print *p, const struct code_place *place, uint32_t fields)
{
	struct elf_symbol symbol;

	out_room(p->out, 64);
	out_char(p->out, ' ');
	if (!place->dso || !perf_code_symbol(&p->session->map->code, place, &symbol)) {
		out_text(p->out, "[unknown]");
		return;
	}
	text(p, symbol.name);
	if (fields & SCRIPT_SYMOFF) {
		struct code_place at = *place;

		/* has_addr may have come with the symbol */
		perf_code_place(&p->session->map->code, place->section, place->offset, &at);
		out_room(p->out, 32);
		out_text(p->out, "+0x");
		out_hex(p->out, at.addr - symbol.addr);
	}
}

static void print_dso(struct script_print *p, const struct code_place *place)
{
	out_room(p->out, 64);
	out_text(p->out, " (");
	text(p, place->dso ? place->dso->name : "[unknown]");
	out_room(p->out, 64);
	out_char(p->out, ')');
}

struct where {
	uint64_t addr, time;
	int space;
};

static void print_place(struct script_print *p, const struct where *w, uint32_t fields)
{
	struct code_place place = { 0 };

	if (!(fields & (SCRIPT_SYM | SCRIPT_DSO)))
		return;
	if (w->addr)
		perf_code_find(&p->session->map->code, w->space, w->time, w->addr, &place);
	if (fields & SCRIPT_SYM)
		print_symbol(p, &place, fields);
	if (fields & SCRIPT_DSO)
		print_dso(p, &place);
}

/* On a line of its own, and only if there is one. */
static void print_line(struct script_print *p, const struct where *w)
{
	struct code_place place;
	struct elf_line line;
	const char *file;

	if (!w->addr ||
	    !perf_code_find(&p->session->map->code, w->space, w->time, w->addr, &place) ||
	    !perf_code_line(&p->session->map->code, &place, &line))
		return;
	file = p->full_path ? NULL : strrchr(line.file, '/');
	out_room(p->out, 64);
	out_text(p->out, "\n  ");
	text(p, file ? file + 1 : line.file);
	out_room(p->out, 64);
	out_char(p->out, ':');
	out_dec(p->out, line.line);
}

static void print_insn(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	out_room(p->out, 64);
	if (fields & SCRIPT_INSNLEN) {
		out_text(p->out, " ilen: ");
		out_dec(p->out, sample->insn_len);
	}
	if (fields & SCRIPT_INSN && sample->insn_len) {
		out_text(p->out, " insn:");
		for (int i = 0; i < sample->insn_len; i++) {
			out_char(p->out, ' ');
			out_byte(p->out, sample->insn[i]);
		}
	}
}

static void print_event(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	char buf[24];

	if (fields & SCRIPT_PERIOD) {
		decimal(p, sample->period, 10);
		out_char(p->out, ' ');
	}
	if (fields & SCRIPT_EVENT) {
		wide(p, sample->kind == CS_SAMPLE_BRANCH ? p->branches : p->insns, p->width);
		out_text(p->out, ": ");
	}
	if (fields & SCRIPT_FLAGS) {
		const char *name = cs_sample_flags(sample->flags, buf);

		out_text(p->out, "  ");
		out_text(p->out, name);
		blanks(p, 22 - (int)strlen(name));
	}
}

static void print_branch(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where from = { sample->ip, sample->from.map_time, sample->from.space };
	const struct where to = { sample->addr, sample->to.map_time, sample->to.space };

	if (fields & SCRIPT_IP) {
		out_char(p->out, ' ');
		address(p, sample->ip);
		print_place(p, &from, fields);
	}
	if (fields & SCRIPT_ADDR) {
		out_room(p->out, 64);
		out_text(p->out, " => ");
		address(p, sample->addr);
		print_place(p, &to, fields);
	}
	if (fields & SCRIPT_SRCLINE)
		print_line(p, &from);
}

static void print_one(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where at = { sample->ip, sample->from.map_time, sample->from.space };

	if (fields & SCRIPT_ADDR)
		address(p, sample->addr);
	if (fields & SCRIPT_IP) {
		out_char(p->out, ' ');
		address(p, sample->ip);
		print_place(p, &at, fields);
	}
	if (fields & SCRIPT_SRCLINE)
		print_line(p, &at);
}

/* A gap, as perf prints errors in instruction trace. */
static void print_error(struct script_print *p, const struct perf_run *run,
			const struct cs_sample *sample)
{
	uint64_t time = sample_time(p, run, sample->time);
	char line[256], text_of[64];

	cs_sample_error_text(sample, text_of, sizeof(text_of));

	snprintf(line, sizeof(line), " instruction trace error type 1 time %" PRIu64 ".%09" PRIu64
		 " cpu %d pid %d tid %d ip %#" PRIx64 " code %d: %s\n",
		 time / 1000000000, time % 1000000000, (int32_t)run->stream->cpu,
		 sample->from.pid, sample->from.tid, sample->ip, sample->code, text_of);
	text(p, line);
}

void script_print(struct script_print *p, const struct perf_run *run,
		  const struct cs_sample *sample)
{
	bool branch = sample->kind == CS_SAMPLE_BRANCH;
	uint32_t fields = branch ? p->fields.branch : p->fields.insn;

	if (sample->kind == CS_SAMPLE_ERROR) {
		print_error(p, run, sample);
		return;
	}
	out_room(p->out, 512);
	if (fields & (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU))
		print_who(p, run, fields);
	if (fields & SCRIPT_TIME)
		print_time(p, sample_time(p, run, sample->time));
	print_event(p, sample, fields);
	if (branch)
		print_branch(p, sample, fields);
	else
		print_one(p, sample, fields);
	if (fields & (SCRIPT_INSN | SCRIPT_INSNLEN))
		print_insn(p, sample, fields);
	out_room(p->out, 64);
	out_char(p->out, '\n');
}
