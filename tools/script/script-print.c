// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every width and blank here is as seen in perf script 6.12 or, with @old, 6.1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "script-parts.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------------- pieces */

void script_blanks(struct out *out, int n)
{
	if (n < 0)
		n = 0;
	out_room(out, n + 64);
	memset(out->buf + out->n, ' ', n);
	out->n += n;
}

void script_text(struct script_print *p, const char *s)
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
		script_blanks(p->out, width - n);
	script_text(p, s);
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

static void decimal(struct out *out, int64_t v, int width)
{
	script_blanks(out, width - digits(v < 0 ? -v : v) - (v < 0));
	if (v < 0)
		out_char(out, '-');
	out_dec(out, v < 0 ? -v : v);
}

static void zeros(struct out *out, uint64_t v, int width)
{
	out_room(out, 64);
	for (int n = width - digits(v); n > 0; n--)
		out_char(out, '0');
	out_dec(out, v);
}

static void address(struct script_print *p, uint64_t v)
{
	script_blanks(p->out, 16 - out_width(v));
	out_hex(p->out, v);
}

/* ---------------------------------------------------------------- names */

const char *script_comm(struct script_print *p, const struct perf_run *run, char *buf)
{
	uint64_t time = run->stream->time ? run->stream->time : run->fragment->time;

	if (!time)
		time = PERF_TASKS_LAST;
	if (!p->comm || p->comm_tid != run->who.tid || p->comm_time != time) {
		p->comm = perf_tasks_comm(p->replay->tasks, run->who.tid, time);
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

/* ":u" and so on: the levels that the event includes, if it excludes any. */
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

	/* perf does not know names that simpleperf writes elsewhere */
	if (!perf_file_feature(p->replay->file, PERF_FEATURE_EVENT_DESC).size || !*name) {
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
	const struct perf_file *file = p->replay->file;
	static const char *const names[] = {
		[CS_SAMPLE_BRANCH] = "branches", [CS_SAMPLE_INSN] = "instructions",
		[CS_SAMPLE_CYCLES] = "cycles", [CS_SAMPLE_TRANSACTION] = "transactions",
	};
	char mods[8] = "";

	if (file->aux_evsel)
		modifiers(&file->aux_evsel->attr, mods);
	for (int i = CS_SAMPLE_BRANCH; i <= CS_SAMPLE_TRANSACTION; i++) {
		snprintf(p->event[i], sizeof(p->event[i]), "%s%s", names[i], mods);
		if (p->kinds & 1u << i && (int)strlen(p->event[i]) > p->width)
			p->width = strlen(p->event[i]);
	}
	for (size_t i = 0; i < file->n_evsel; i++)
		widen(p, &file->evsel[i]);
}

/* ---------------------------------------------------------------- a line */

void script_who(struct script_print *p, const struct perf_run *run, uint32_t fields)
{
	int32_t pid = run->who.pid, tid = run->who.tid;
	const int width = p->old ? 5 : 7;
	char buf[16];

	if (fields & SCRIPT_COMM) {
		wide(p, script_comm(p, run, buf), 16);
		script_blanks(p->out, 1);
	}
	if (fields & SCRIPT_PID && fields & SCRIPT_TID) {
		decimal(p->out, pid, width);
		out_char(p->out, '/');
		decimal(p->out, tid, 0);
		script_blanks(p->out, width - digits(tid < 0 ? -tid : tid) - (tid < 0));
		script_blanks(p->out, 1);
	} else if (fields & (SCRIPT_PID | SCRIPT_TID)) {
		decimal(p->out, fields & SCRIPT_PID ? pid : tid, width);
		script_blanks(p->out, 1);
	}
	if (fields & SCRIPT_CPU) {
		out_char(p->out, '[');
		zeros(p->out, run->stream->cpu, 3);
		out_text(p->out, "] ");
	}
}

void script_clock(struct out *out, bool in_ns, uint64_t ns)
{
	decimal(out, ns / 1000000000, 5);
	out_char(out, '.');
	if (in_ns)
		zeros(out, ns % 1000000000, 9);
	else
		zeros(out, ns % 1000000000 / 1000, 6);
	out_text(out, ": ");
}

void script_symbol(struct script_print *p, const struct code_place *place, bool offset)
{
	struct code_place at = *place;
	struct elf_symbol symbol;

	out_room(p->out, 64);
	if (!place->dso || !perf_code_symbol(&p->replay->tasks->code, place, &symbol)) {
		out_text(p->out, "[unknown]");
		return;
	}
	script_text(p, symbol.name);
	if (!offset)
		return;
	/* has_addr may come with the symbol */
	perf_code_place(&p->replay->tasks->code, place->section, place->offset, &at);
	out_room(p->out, 32);
	out_text(p->out, "+0x");
	out_hex(p->out, at.addr - symbol.addr);
}

void script_dso(struct script_print *p, const struct code_place *place)
{
	out_room(p->out, 64);
	out_char(p->out, '(');
	script_text(p, place->dso ? place->dso->name : "[unknown]");
	out_room(p->out, 64);
	out_char(p->out, ')');
}

void script_look(struct script_print *p, const struct where *w, struct code_place *place)
{
	*place = (struct code_place){ 0 };
	if (w->addr)
		perf_code_find(&p->replay->tasks->code, w->space, w->time, w->addr, place);
}

bool script_is_kept(const struct script_print *p, const struct where *w)
{
	return p->known && w->space == p->space && w->time == p->map_time;
}

bool script_again(struct script_print *p, const struct where *w, uint32_t what)
{
	const struct line_text *known;
	struct out *out = p->out;

	if (!script_is_kept(p, w))
		return false;
	known = line_cache_find(p->known, w->addr, w->addr >> 32, p->world | what);
	if (!known)
		return false;
	out_room(out, LINE_MAX + LINE_PIECE);
	out->n = line_copy(out->buf + out->n, known->text, known->n) - out->buf;
	return true;
}

void script_keep(struct script_print *p, const struct where *w, uint32_t what, uint64_t mark)
{
	const struct line_slot key = { .from = w->addr, .to = w->addr >> 32,
				       .world = p->world | what };
	const uint64_t n = script_mark(p) - mark;

	/* a part may be written already */
	if (script_is_kept(p, w) && n <= LINE_MAX && n <= p->out->n)
		line_cache_add(p->known, &key, p->out->buf + p->out->n - n, n);
}

void script_once(struct script_print *p, const struct where *w, uint32_t what,
		 void (*print)(struct script_print *p, const struct where *w, uint32_t what))
{
	uint64_t mark;

	if (script_again(p, w, what))
		return;
	mark = script_mark(p);
	print(p, w, what);
	script_keep(p, w, what, mark);
}

static void print_place(struct script_print *p, const struct where *w, uint32_t fields)
{
	struct code_place place;

	script_look(p, w, &place);
	if (fields & SCRIPT_SYM) {
		out_room(p->out, 64);
		out_char(p->out, ' ');
		script_symbol(p, &place, fields & SCRIPT_SYMOFF);
	}
	if (fields & SCRIPT_DSO) {
		out_room(p->out, 64);
		out_char(p->out, ' ');
		script_dso(p, &place);
	}
}

void script_place(struct script_print *p, const struct where *w, uint32_t fields)
{
	if (fields & (SCRIPT_SYM | SCRIPT_DSO))
		script_once(p, w, SCRIPT_TEXT_PLACE | (fields & SCRIPT_NAMES), print_place);
}

/* Prints the source line on its own line, if there is one. */
static void print_line(struct script_print *p, const struct where *w)
{
	struct code_place place;
	struct elf_line line;
	const char *file;

	if (!w->addr ||
	    !perf_code_find(&p->replay->tasks->code, w->space, w->time, w->addr, &place) ||
	    !perf_code_line(&p->replay->tasks->code, &place, &line))
		return;
	file = p->full_path ? NULL : strrchr(line.file, '/');
	out_room(p->out, 64);
	out_text(p->out, "\n  ");
	script_text(p, file ? file + 1 : line.file);
	out_room(p->out, 64);
	out_char(p->out, ':');
	out_dec(p->out, line.line);
}

void script_bytes(struct script_print *p, const struct cs_sample *sample)
{
	out_room(p->out, 64);
	for (int i = 0; i < sample->insn_len; i++) {
		if (i)
			out_char(p->out, ' ');
		out_byte(p->out, sample->insn[i]);
	}
}

static void print_insn(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	out_room(p->out, 64);
	if (fields & SCRIPT_INSNLEN) {
		out_text(p->out, " ilen: ");
		out_dec(p->out, sample->insn_len);
	}
	if (fields & SCRIPT_INSN && sample->insn_len) {
		out_text(p->out, " insn: ");
		script_bytes(p, sample);
	}
	if (fields & SCRIPT_DISASM && sample->insn_len) {
		out_text(p->out, "\t\t");
		script_disasm(p, sample);
	}
}

/* Prints instructions per cycle, with both counts. */
static void print_ipc(struct script_print *p, const struct cs_sample *sample)
{
	uint64_t ipc;

	if (!sample->cyc_cnt || !sample->insn_cnt)
		return;
	ipc = sample->insn_cnt * 100 / sample->cyc_cnt;
	out_room(p->out, 128);
	out_text(p->out, " \t IPC: ");
	out_dec(p->out, ipc / 100);
	out_char(p->out, '.');
	zeros(p->out, ipc % 100, 2);
	out_text(p->out, " (");
	out_dec(p->out, sample->insn_cnt);
	out_char(p->out, '/');
	out_dec(p->out, sample->cyc_cnt);
	out_text(p->out, ") ");
}

/* Prints flags; few combinations occur, so texts are kept. */
static void print_flags(struct script_print *p, uint32_t flags)
{
	struct script_flags *f = &p->flags[(flags ^ flags >> 4) % ARRAY_SIZE(p->flags)];
	char buf[24];

	if (!f->n || f->flags != flags) {
		f->flags = flags;
		f->n = snprintf(f->text, sizeof(f->text), "  %-22s", cs_sample_flags(flags, buf));
	}
	memcpy(p->out->buf + p->out->n, f->text, sizeof(f->text));
	p->out->n += f->n;
}

static void print_event(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	if (fields & SCRIPT_PERIOD) {
		decimal(p->out, sample->period, 10);
		out_char(p->out, ' ');
	}
	if (fields & SCRIPT_EVENT) {
		wide(p, p->event[sample->kind], p->width);
		out_text(p->out, ": ");
	}
	if (fields & SCRIPT_FLAGS)
		print_flags(p, sample->flags);
}

static void print_branch(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where from = { sample->ip, sample->from.map_time, sample->from.space };
	const struct where to = { sample->addr, sample->to.map_time, sample->to.space };

	if (fields & SCRIPT_CALLINDENT)
		script_indent(p, sample, fields);
	if (fields & SCRIPT_IP) {
		out_char(p->out, ' ');
		address(p, sample->ip);
		script_place(p, &from, fields);
	}
	if (fields & SCRIPT_ADDR) {
		out_room(p->out, 64);
		out_text(p->out, " => ");
		address(p, sample->addr);
		script_place(p, &to, fields);
	}
	if (fields & SCRIPT_SRCLINE)
		print_line(p, &from);
}

static void print_one(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where at = { sample->ip, sample->from.map_time, sample->from.space };

	if (fields & SCRIPT_ADDR)
		address(p, sample->addr);
	if (fields & SCRIPT_IP && p->chain && p->stack) {
		script_chain(p, sample, fields);
	} else if (fields & SCRIPT_IP) {
		out_char(p->out, ' ');
		address(p, sample->ip);
		script_place(p, &at, fields);
	}
	if (fields & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM))
		script_branches(p, sample, fields);
	if (fields & SCRIPT_SRCLINE)
		print_line(p, &at);
}

/* A gap, as perf prints errors in instruction trace. */
static void print_error(struct script_print *p, const struct perf_run *run,
			const struct cs_sample *sample)
{
	char line[256], text_of[64];

	cs_sample_error_text(sample, text_of, sizeof(text_of));

	snprintf(line, sizeof(line), " instruction trace error type 1 time %" PRIu64 ".%09" PRIu64
		 " cpu %d pid %d tid %d ip %#" PRIx64 " code %d: %s\n",
		 sample->time / 1000000000, sample->time % 1000000000, (int32_t)run->stream->cpu,
		 sample->from.pid, sample->from.tid, sample->ip, sample->code, text_of);
	script_text(p, line);
}

void script_rest(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	print_event(p, sample, fields);
	if (sample->kind == CS_SAMPLE_BRANCH)
		print_branch(p, sample, fields);
	else
		print_one(p, sample, fields);
	if (fields & (SCRIPT_INSN | SCRIPT_INSNLEN | SCRIPT_DISASM))
		print_insn(p, sample, fields);
	if (fields & SCRIPT_IPC)
		print_ipc(p, sample);
	if (fields & SCRIPT_BRSTACKINSN && sample->kind != CS_SAMPLE_BRANCH)
		script_branch_insns(p, sample);
	out_room(p->out, 64);
	out_char(p->out, '\n');
}

void script_print(struct script_print *p, const struct perf_run *run,
		  const struct cs_sample *sample)
{
	uint32_t fields = sample->kind == CS_SAMPLE_BRANCH ? p->fields.branch : p->fields.insn;

	if (sample->kind == CS_SAMPLE_ERROR) {
		print_error(p, run, sample);
		return;
	}
	out_room(p->out, 512);
	if (fields & SCRIPT_WHO)
		script_who(p, run, fields);
	if (fields & SCRIPT_TIME)
		script_clock(p->out, p->ns, sample->time);
	script_rest(p, sample, fields);
}
