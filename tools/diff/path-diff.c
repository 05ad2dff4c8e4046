// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "path-diff.h"
#include "../lib/run-name.h"

bool path_diff_first(const struct path *a, const struct path *b, uint64_t *first)
{
	const size_t n = a->n_step < b->n_step ? a->n_step : b->n_step;

	/* a hash covers everything so far: after the first that differs, all differ */
	*first = (uint64_t)LOWER_BOUND(n, i, a->step[i] == b->step[i]) * PATH_STEP;
	return a->lost || b->lost || a->n != b->n || a->hash != b->hash;
}

/* ---------------------------------------------------------------- places */

static bool place_at(struct path_diff *d, int side, const struct stretch *s, uint64_t offset,
		     struct code_place *place)
{
	memset(place, 0, sizeof(*place));
	return perf_code_place(&d->replay[side]->tasks->code, s->section,
			       s->in_section + (offset - s->start), place);
}

static void print_symbol(struct path_diff *d, int side, struct code_place *place)
{
	struct perf_code *code = &d->replay[side]->tasks->code;
	struct elf_symbol symbol;

	if (!place->dso || !perf_code_symbol(code, place, &symbol)) {
		fprintf(d->out, "0x%" PRIx64, place->has_addr ? place->addr : place->offset);
		return;
	}
	/* has_addr may come with the symbol */
	perf_code_place(code, place->section, place->offset, place);
	fprintf(d->out, "%s+0x%" PRIx64, symbol.name, place->addr - symbol.addr);
}

/* "main+0x10 (prog) prog.c:12" */
static void print_place(struct path_diff *d, int side, const struct stretch *s, uint64_t offset)
{
	struct code_place place;
	struct elf_line line;

	place_at(d, side, s, offset, &place);
	print_symbol(d, side, &place);
	fprintf(d->out, " (%s)", place.dso ? place.dso->name : "unknown");
	if (place.dso && perf_code_line(&d->replay[side]->tasks->code, &place, &line))
		fprintf(d->out, " %s:%d", line.file, line.line);
}

/* Prints a stretch: its beginning, and the number of instructions. */
static void print_stretch(struct path_diff *d, int side, char mark, const struct stretch *s)
{
	fprintf(d->out, "%c", mark);
	print_place(d, side, s, s->start);
	fprintf(d->out, ", %" PRIu64 " instruction%s\n", s->insns, s->insns == 1 ? "" : "s");
}

/* ---------------------------------------------------------------- printing the difference */

static const char letter[2] = { 'A', 'B' };

static const struct stretch *kept(const struct path *p, uint64_t i)
{
	return i >= p->first && i - p->first < p->n_kept ? &p->kept[i - p->first] : NULL;
}

static uint64_t kept_end(const struct path *p)
{
	return p->first + p->n_kept;
}

/* The number of common stretches; all of the shorter path if they do not differ. */
static uint64_t common(const struct path *a, const struct path *b)
{
	uint64_t i = a->first > b->first ? a->first : b->first;
	uint64_t end = kept_end(a) < kept_end(b) ? kept_end(a) : kept_end(b);

	while (i < end && stretch_same(kept(a, i), kept(b, i)))
		i++;
	return i;
}

static void print_goal(struct path_diff *d, int side, const struct stretch *s)
{
	fprintf(d->out, "%c ", letter[side]);
	if (!s) {
		fprintf(d->out, "ends");
		return;
	}
	fprintf(d->out, "goes to ");
	print_place(d, side, s, s->start);
}

/* Prints the branch at which they part, and where each goes. */
static void print_branch(struct path_diff *d, const struct path *const p[2], uint64_t at)
{
	const struct stretch *s[2] = { kept(p[0], at), kept(p[1], at) };
	const struct stretch *before = at ? kept(p[0], at - 1) : NULL;
	int side;

	if (s[0] && s[1] && s[0]->file == s[1]->file && s[0]->start == s[1]->start) {
		side = s[0]->end < s[1]->end ? 0 : 1;
		print_place(d, side, s[side], s[side]->last);
		fprintf(d->out, ": %c goes elsewhere from here, %c goes on\n", letter[side],
			letter[!side]);
		return;
	}
	if (before)
		print_place(d, 0, before, before->last);
	else
		fprintf(d->out, "at the beginning");
	fprintf(d->out, ": ");
	print_goal(d, 0, s[0]);
	fprintf(d->out, ", ");
	print_goal(d, 1, s[1]);
	fprintf(d->out, "\n");
}

static void print_thread(struct path_diff *d, int side, const struct path *p)
{
	const char *comm = NULL;

	if (p)
		comm = perf_tasks_comm(d->replay[side]->tasks, p->tid, PERF_TASKS_LAST);
	fprintf(d->out, "%s %c: %s, ", side ? "+++" : "---", letter[side], d->name[side]);
	if (!p)
		fprintf(d->out, "no such thread\n");
	else
		fprintf(d->out, "thread %d%s%s\n", (int32_t)p->tid, comm ? " " : "",
			comm ? comm : "");
}

static void print_head(struct path_diff *d, const struct path *a, const struct path *b)
{
	print_thread(d, 0, a);
	print_thread(d, 1, b);
}

/* After @at the comparison is impossible: one of them is incomplete. */
static void print_unsure(struct path_diff *d, const struct path *const p[2], uint64_t at)
{
	print_head(d, p[0], p[1]);
	fprintf(d->out, "@@ the same for %" PRIu64 " branches; then trace is lost:", at);
	for (int i = 0; i < 2; i++)
		if (p[i]->lost && p[i]->n == at)
			fprintf(d->out, " %c: %s", letter[i],
				p[i]->why < CSF_GAP_NR ? csf_gap_name(p[i]->why) : "Q");
	fprintf(d->out, " @@\n");
	d->unsure++;
}

/* Is it the same place by name, but in another file? */
static bool other_build(struct path_diff *d, const struct stretch *a, const struct stretch *b)
{
	char x_name[256], y_name[256];
	struct code_place x, y;

	if (!a || !b || a->file == b->file || !place_at(d, 0, a, a->start, &x) ||
	    !place_at(d, 1, b, b->start, &y) || !x.dso || !y.dso)
		return false;
	return !strcmp(run_name(x.dso->name, x_name, sizeof(x_name)),
		       run_name(y.dso->name, y_name, sizeof(y_name)));
}

static void print_parting(struct path_diff *d, const struct path *const p[2], uint64_t at)
{
	const uint64_t from = at > p[0]->first + d->context ? at - d->context : p[0]->first;
	uint64_t insns = p[0]->before;

	for (uint64_t i = p[0]->first; i < at; i++)
		insns += kept(p[0], i)->insns;
	print_head(d, p[0], p[1]);
	fprintf(d->out, "@@ after %" PRIu64 " branches and %" PRIu64 " instructions @@ ", at,
		insns);
	print_branch(d, p, at);
	d->builds += other_build(d, kept(p[0], at), kept(p[1], at));
	for (uint64_t i = from; i < at; i++)
		print_stretch(d, 0, ' ', kept(p[0], i));
	for (int side = 0; side < 2; side++)
		for (uint64_t i = at; i <= at + d->context && kept(p[side], i); i++)
			print_stretch(d, side, side ? '+' : '-', kept(p[side], i));
	d->differ++;
}

void path_diff_print(struct path_diff *d, const struct path *a, const struct path *b)
{
	const struct path *const p[2] = { a, b };
	uint64_t at;

	if (!a || !b) {
		print_head(d, a, b);
		fprintf(d->out, "@@ only %c has this thread @@\n", letter[!a]);
		d->differ++;
		return;
	}
	at = common(a, b);
	if ((a->lost && at == a->n) || (b->lost && at == b->n))
		print_unsure(d, p, at);
	else if (at < a->n || at < b->n)
		print_parting(d, p, at);
}
