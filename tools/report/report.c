// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/array.h"
#include "../lib/build-id.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../count/count-file.h"
#include "../count/count-fill.h"
#include "../count/count-span.h"
#include "../index/seek.h"
#include "../profile/count-load.h"
#include "../lib/failed.h"
#include "../lib/ratio.h"
#include "../input/losses.h"
#include "../input/recording.h"
#include "../input/unchecked.h"
#include "report.h"

/* The unknown thread of a count table. */
#define NO_THREAD	UINT32_MAX

static int failed(const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	return CMD_FAILED;
}

const char *report_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---------------------------------------------------------------- loading */

/* The users of a recording, which is decoded only once. */
struct viewers {
	struct count_fill fill;
	struct tally *tally;
	struct context_fill *contexts;
};

static int view(void *viewers, const struct perf_run *run)
{
	struct viewers *v = viewers;
	int err = count_fill_run(&v->fill, run);

	return err ? err : tally_run(v->tally, run);
}

/* Callers are known only to those that follow everything. */
static int follow(void *viewers, const struct perf_run *run, bool chosen)
{
	struct viewers *v = viewers;

	return v->contexts ? context_fill_run(v->contexts, run, chosen) : 0;
}

static int view_all(struct viewers *v, struct perf_replay *replay, struct selection *part)
{
	struct count_span span = {
		.fill = &v->fill, .part = part, .take = view, .follow = follow, .owner = v,
	};
	const bool all = !part->spans.n && !selection_of_threads(part);
	struct perf_run run;
	int err;

	v->fill.partly = !all;
	if (all)
		count_fill_threads(&v->fill, replay->threads);
	while ((err = losses_next(replay, &run)) > 0) {
		err = all ? view(v, &run) : count_span_run(&span, &run);
		if (all && !err)
			err = follow(v, &run, true);
		if (err)
			break;
	}
	count_span_fini(&span);
	return err;
}

static int decode(struct report *r, struct count_table *table, struct perf_replay *replay,
		  struct selection *part)
{
	struct viewers v = { .tally = &r->tally };
	int err = 0;

	count_fill_init(&v.fill, replay);
	tally_start(&r->tally, replay);
	r->contexts.shares.wanted = r->words.shares;
	r->contexts.shares.timeless = r->n_path > 1;
	r->contexts.inlines = r->words.inlines;
	if (r->words.calls)
		err = context_fill_new(&v.contexts, &r->contexts, replay);
	if (!err)
		err = view_all(&v, replay, part);
	if (!err && v.contexts)
		err = context_fill_fold(v.contexts);
	if (!err)
		err = count_fill_fold(&v.fill, table);
	if (!err)
		err = tally_stop(&r->tally);
	context_fill_free(v.contexts);
	count_fill_fini(&v.fill);
	return err;
}

/* Files of one recording serve to name its functions, and to show their code. */
static bool keep_places(struct report *r, const struct perf_replay *replay)
{
	const struct dso_options *from = &replay->options.dso;

	if (r->n_path > 1)
		return true;
	r->release = from->release ? strdup(from->release) : NULL;
	r->dir = from->recording ? strdup(from->recording) : NULL;
	r->options.dso.release = r->release;
	r->options.dso.recording = r->dir;
	return (r->release || !from->release) && (r->dir || !from->recording);
}

static int load_recording(struct report *r, struct count_table *table, const char *path)
{
	struct recording rec = { .path = path, .options = r->options, .snapshot = r->snapshot,
				 .cpus = r->part.cpus };
	struct selection part = r->part;	/* each recording has its own times */
	const struct seek_needs needs = { .from_start = r->words.calls };
	int status;

	/* calls and spans need single steps */
	rec.options.paths = !r->words.calls && !part.spans.n;
	status = recording_open(&rec);
	if (status)
		return status;
	r->n_recording++;
	r->emulated |= perf_file_is_emulated(rec.replay->file);
	if (time_spans_open(&part.spans, &rec, &needs))
		status = CMD_FAILED;
	else if (!keep_places(r, rec.replay) || decode(r, table, rec.replay, &part))
		status = failed(path, "no memory");
	if (recording_report(&rec))
		status = CMD_FAILED;
	recording_close(&rec);
	return status;
}

/* Adds the counts of a table to rows without a thread. */
static int add_table(struct tally *t, const struct count_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct count_dso *d = &table->dso[i];
		const struct dso_key key = { .name = d->name, .kind = d->kind,
					     .build_id = d->build_id,
					     .n_build_id = d->n_build_id };
		long dso = count_dso_find(&t->files, &key);

		if (dso < 0)
			return dso;
		for (size_t k = 0; k < d->n_block; k++) {
			const struct count_block *b = &d->block[k];

			if (!array_room(&t->row, t->n_row, &t->size_row, sizeof(*t->row)))
				return -ENOMEM;
			t->row[t->n_row++] = (struct tally_row){
				.who = NO_THREAD, .dso = dso, .start = b->start, .size = b->size,
				.n_insn = b->n_insn, .isa = b->isa, .ran = count_ran(b),
			};
		}
	}
	return 0;
}

static int load(struct report *r, const char *path)
{
	struct count_table one = { 0 };
	int status, err = 0;

	if (count_file_at(path) && selection_of_runs(&r->part)) {
		status = failed(path, "counts have no threads, CPUs and times; give the recording");
	} else if (count_file_at(path)) {
		status = count_load(&one, path, 1, NULL);
		err = add_table(&r->tally, &one);
	} else {
		status = load_recording(r, &one, path);
	}
	if (!err)
		err = count_table_merge(&r->table, &one, 1);
	count_table_fini(&one);
	return err ? failed(path, strerror(-err)) : status;
}

/* Replaces the files of the tally by those of the table, which has all files with blocks. */
static int join(struct report *r)
{
	struct tally *t = &r->tally;
	size_t *number = calloc(t->files.n + 1, sizeof(*number)), n = 0;

	if (!number)
		return -ENOMEM;
	for (size_t i = 0; i < t->files.n; i++)
		number[i] = count_dso_like(&r->table, &t->files.dso[i]);
	for (size_t i = 0; i < t->n_row; i++) {
		struct tally_row *row = &t->row[i];

		row->dso = number[row->dso];
		if (row->dso == r->table.n)
			continue;
		r->insns = count_sum(r->insns, count_times(row->ran, row->n_insn));
		r->cycles = count_sum(r->cycles, row->cycles);
		r->timed = count_sum(r->timed, row->timed);
		t->row[n++] = *row;
	}
	t->n_row = n;
	free(number);
	return 0;
}

int report_load(struct report *r, const struct operands *files)
{
	const char *what = "adding up its counts";
	int status = CMD_OK, err;

	r->path = files->path;
	r->n_path = files->n;
	for (int i = 0; i < r->n_path; i++)
		if (load(r, r->path[i]))
			status = CMD_FAILED;
	err = count_table_settle(&r->table);
	if (!err)
		err = join(r);
	if (!err && r->words.calls) {
		what = "adding up calls";
		err = contexts_inline(&r->contexts);
		if (!err)
			err = report_calls_read(r);
	}
	if (!err) {
		what = "listing its programs";
		err = places_init(&r->places, &r->table, &r->options.dso);
	}
	if (!err && r->words.loops) {
		what = "finding its loops";
		err = report_loops_read(r);
	}
	if (err >= 0)
		return err ? CMD_FAILED : status;
	r->insns = 0;	/* incomplete results are not shown */
	return report_failed(r, what, err);
}

int report_failed(const struct report *r, const char *what, int err)
{
	return failed_while(r->path, r->n_path, what, err);
}

void report_fini(struct report *r)
{
	places_fini(&r->places);
	free(r->release);
	free(r->dir);
	tally_fini(&r->tally);
	contexts_fini(&r->contexts);
	free(r->calls);
	loops_fini(&r->loops);
	count_table_fini(&r->table);
}

void report_say_file(const struct report *r, size_t dso, const char *what)
{
	const struct count_dso *d = &r->table.dso[dso];

	log_say(LOG_ROUGH, "csflow: %s, build-id %s: %s\n", d->name,
		build_id_name(d->build_id, d->n_build_id).text, what);
}

void report_say_missing(const struct report *r, size_t dso)
{
	missing_say(r->n_path == 1 ? r->path[0] : NULL, places_dso(&r->places, dso));
}

/* ---------------------------------------------------------------- rows */

/* @by_key: rows: index + 1 */
struct row_set {
	struct report_rows *rows;
	struct hash_table by_key;
};

static const char *unknown = "[unknown]";

/* Names of threads are compared as text. */
static uint64_t hash_of(const struct report_row *row)
{
	uint64_t h = hash_mix(hash_mix(row->pid, row->tid), row->cpu);

	for (const char *p = row->comm; p && *p; p++)
		h = hash_mix(h, (uint8_t)*p);
	return hash_mix(hash_mix(hash_mix(h, row->dso), row->start), !row->symbol);
}

static bool is_same(const struct report_row *a, const struct report_row *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu && a->dso == b->dso &&
	       a->start == b->start && !a->symbol == !b->symbol && a->inlined == b->inlined &&
	       !a->comm == !b->comm && (!a->comm || !strcmp(a->comm, b->comm));
}

static int add_row(struct row_set *set, const struct report_row *row)
{
	struct report_rows *rows = set->rows;
	struct report_row *to;
	uint32_t *slot;

	if (!array_room(&rows->row, rows->n, &rows->size, sizeof(*rows->row)) ||
	    !HASH_ROOM(&set->by_key, rows->n, 1, i, hash_of(&rows->row[i - 1])))
		return -ENOMEM;
	slot = HASH_SLOT(&set->by_key, hash_of(row), i, is_same(&rows->row[i - 1], row));
	if (!*slot) {
		rows->row[rows->n] = *row;
		*slot = ++rows->n;
		return 0;
	}
	to = &rows->row[*slot - 1];
	to->insns = count_sum(to->insns, row->insns);
	to->cycles = count_sum(to->cycles, row->cycles);
	to->timed = count_sum(to->timed, row->timed);
	return 0;
}

/* Clears the parts of @row that are not keys. */
static void leave_keys(struct report_row *row, unsigned int keys)
{
	if (!(keys & REPORT_COMM))
		row->comm = NULL;
	if (!(keys & REPORT_PID))
		row->pid = 0;
	if (!(keys & REPORT_TID))
		row->tid = 0;
	if (!(keys & REPORT_CPU))
		row->cpu = 0;
	if (!(keys & (REPORT_DSO | REPORT_SYMBOL)))
		row->dso = 0;
	if (!(keys & REPORT_SYMBOL)) {
		row->start = 0;
		row->symbol = NULL;
		row->inlined = false;
	}
}

/*
 * The part of a block that is in one function, @name; @done instructions come before it, it has @n.
 */
struct piece {
	const struct tally_row *t;
	const char *name;
	uint64_t at, next;
	uint64_t done, n;
};

static unsigned int step_of(const struct tally_row *t)
{
	return t->isa == CSF_T32 ? 2 : 4;
}

static bool is_in(struct report *r, const struct tally_row *t, uint64_t at,
		  const struct report_row *row)
{
	struct place_symbol symbol;

	if (!places_symbol(&r->places, t->dso, at, &symbol))
		return !row->symbol;
	return row->symbol && row->start == symbol.start;
}

/* The end of the code at the beginning of the block, which may be in no function, or in several. */
static uint64_t piece_end(struct report *r, const struct piece *p, const struct report_row *row)
{
	const struct tally_row *t = p->t;
	const unsigned int step = step_of(t);
	uint64_t end = t->start + t->size, at = p->at + step;

	if (row->symbol && is_in(r, t, end - step, row))
		return end;
	while (at < end && is_in(r, t, at, row))
		at += step;
	return at < end ? at : end;
}

/* Cuts a piece where other code is inlined, and names the function that is inlined in it. */
static void cut_inlined(struct report *r, struct piece *p, struct report_row *row)
{
	const unsigned int step = step_of(p->t);
	const struct elf_inlined *inlined;
	uint64_t end, n;

	inlined = places_inlined(&r->places, p->t->dso, p->at, &end);
	n = end - p->at > p->next - p->at ? p->next - p->at : end - p->at;
	p->next = p->at + (n + step - 1) / step * step;
	if (!inlined)
		return;
	p->name = inlined->function->name;
	row->symbol = inlined->function->marked;
	row->start = inlined->function->id;
	row->size = 0;
	row->inlined = true;
}

/* Finds the function at @p->at, and its part of the block.  @around: the function by symbols. */
static void cut_piece(struct report *r, struct piece *p, struct report_row *row,
		      struct report_row *around)
{
	const struct tally_row *t = p->t;
	struct place_symbol symbol;

	if (places_symbol(&r->places, t->dso, p->at, &symbol)) {
		row->symbol = symbol.name;
		row->start = symbol.start;
		row->size = symbol.size;
	}
	p->next = piece_end(r, p, row);
	p->name = row->symbol;
	*around = *row;
	if (r->words.inlines)
		cut_inlined(r, p, row);
	p->n = t->n_insn - p->done;
	if (p->next - t->start < t->size) {
		const uint64_t n = hot_insns(&r->places, t->dso, p->at, p->next - p->at, t->isa);

		p->n = n < p->n ? n : p->n;
	}
	row->insns = count_times(t->ran, p->n);
	row->cycles = ratio_of(t->cycles, p->done + p->n, t->n_insn) -
		      ratio_of(t->cycles, p->done, t->n_insn);
	row->timed = ratio_of(t->timed, p->done + p->n, t->n_insn) -
		     ratio_of(t->timed, p->done, t->n_insn);
}

/* @name: its name, without a mark; NULL: unknown */
static int add_piece(struct report *r, struct row_set *set, const char *name,
		     struct report_row *row)
{
	leave_keys(row, set->rows->keys);
	return opt_list_has_function(&r->part.symbols, name ? name : unknown) ?
	       add_row(set, row) : 0;
}

/* Adds a block, cut where functions begin. */
static int add_tally(struct report *r, struct row_set *set, const struct tally_row *t)
{
	const struct tally_who *who = t->who == NO_THREAD ? NULL : &r->tally.who[t->who];
	struct piece p = { .t = t, .at = t->start };
	int err = 0;

	if (!selection_has_dso(&r->part, r->table.dso[t->dso].name))
		return 0;
	for (; p.at - t->start < t->size && !err; p.at = p.next, p.done += p.n) {
		struct report_row row = { .dso = t->dso, .comm = unknown }, around;

		if (who) {
			row.comm = who->comm;
			row.pid = who->pid;
			row.tid = who->tid;
			row.cpu = who->cpu;
		}
		cut_piece(r, &p, &row, &around);
		if (row.inlined)
			err = add_piece(r, set, around.symbol, &around);
		if (!err)
			err = add_piece(r, set, p.name, &row);
	}
	return err;
}

static int order_words(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int by_insns(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	const uint64_t p[] = { y->insns, x->tid, x->pid, x->cpu, x->dso, x->start };
	const uint64_t q[] = { x->insns, y->tid, y->pid, y->cpu, y->dso, y->start };

	for (int i = 0; i < 6; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return order_words(x->comm, y->comm);
}

static int by_cycles(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return by_insns(a, b);
}

static int by_children(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->children != y->children)
		return x->children > y->children ? -1 : 1;
	return by_insns(a, b);
}

/* A function without known calls has only its own instructions. */
static void add_children(const struct report *r, struct report_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct call_sum *sum = report_calls_of(r, &rows->row[i]);

		rows->row[i].children = sum ? sum->total : rows->row[i].insns;
	}
}

int report_rows(struct report *r, unsigned int keys, struct report_rows *rows)
{
	struct row_set set = { .rows = rows };
	int err = 0;

	*rows = (struct report_rows){ .keys = keys };
	for (size_t i = 0; i < r->tally.n_row && !err; i++)
		err = add_tally(r, &set, &r->tally.row[i]);
	free(set.by_key.slot);
	if (r->words.children)
		add_children(r, rows);
	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), r->words.children ? by_children :
		      r->words.by_cycles ? by_cycles : by_insns);
	return err;
}
