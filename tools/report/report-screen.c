// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/ratio.h"
#include "../lib/status.h"
#include "../tui/help.h"
#include "../tui/list.h"
#include "../tui/prompt.h"
#include "annotate.h"
#include "report-screen.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define TEXT_MAX	1024
/* Columns of a row before its name, and of the name of a file */
#define COLUMNS		43
#define FILE_COLUMNS	16
/* A share is hot, or warm, from so many hundredths of a per cent on: the bounds of perf report. */
#define HOT		500
#define WARM		50

enum {
	OPEN = 1, SHUT, TOGGLE, OPEN_ALL, SHUT_ALL, CODE, OBJECT, THREAD, ORDER, FIND, NEXT, BEFORE,
	HELP, LEAVE,
};

static const struct key_row keys[] = {
	{ "Enter + e",	"open or close a row: callers, callees",		TOGGLE },
	{ "Right",	"open a row",						OPEN },
	{ "Left",	"close a row, or go to the one that it is below",	SHUT },
	{ "E",		"open all below a row",					OPEN_ALL },
	{ "C",		"close all rows",					SHUT_ALL },
	{ "a",		"show the code of a function, with counts",		CODE },
	{ "d",		"only functions of this row's file; again: all",	OBJECT },
	{ "t",		"choose a thread; again: all threads",			THREAD },
	{ "s",		"most with callees first, or most of its own",		ORDER },
	{ "/",		"find a row",						FIND },
	{ "n",		"find the next one",					NEXT },
	{ "N",		"find the one before",					BEFORE },
	{ "? h F1",	"this help",						HELP },
	{ "q Esc ^C",	"leave",						LEAVE },
	{ }
};

/**
 * struct view - the screen of a report
 * @list: rows of @h; @lines: the code of a function, or threads
 * @head, @foot: first and last rows of the window with @lines
 * @message: in the last row, until the next key
 */
struct view {
	struct report *r;
	struct annotate annotate;
	struct hierarchy h;
	struct list list, lines;
	struct prompt search;
	char *text;
	char **line;
	size_t n_line;
	char head[TEXT_MAX];
	char message[TEXT_MAX];
};

__attribute__((format(printf, 2, 3)))
static void say(struct view *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->message, sizeof(v->message), format, args);
	va_end(args);
}

static void bar(int row, const char *text)
{
	struct screen_pen pen = { .row = row };
	int rows;

	screen_size(&rows, &pen.end);
	screen_print(&pen, SCREEN_BAR, pen.end, text);
}

static void plain(int row, enum screen_style style, const char *text)
{
	struct screen_pen pen = { .row = row };
	int rows;

	screen_size(&rows, &pen.end);
	screen_print(&pen, style, pen.end, text);
}

/* ---------------------------------------------------------------- rows */

static enum screen_style style_of(uint64_t share)
{
	return share >= HOT ? SCREEN_HOT : share >= WARM ? SCREEN_WARM : SCREEN_PLAIN;
}

static const char *file_of(const struct view *v, const struct hierarchy_row *row)
{
	const uint32_t dso = hierarchy_dso(&v->h, row);

	return dso < v->r->contexts.files.n ? report_base(v->r->contexts.files.dso[dso].name) : "";
}

/* The columns before the name. */
static void columns(const struct view *v, const struct hierarchy_row *row, char *text, size_t size)
{
	const uint64_t total = ratio_share(row->total, v->h.all);
	const uint64_t self = ratio_share(row->self, v->h.all);
	const bool heading = row->kind == HIERARCHY_CALLERS || row->kind == HIERARCHY_CALLEES;

	if (heading)
		*text = '\0';
	else if (row->kind == HIERARCHY_CALLER)
		snprintf(text, size, "%3" PRIu64 ".%02" PRIu64 "%%", total / 100, total % 100);
	else
		snprintf(text, size, "%3" PRIu64 ".%02" PRIu64 "%% %3" PRIu64 ".%02" PRIu64
			 "%%%10" PRIu64 " %-*.*s", total / 100, total % 100, self / 100, self % 100,
			 row->calls, FILE_COLUMNS, FILE_COLUMNS, file_of(v, row));
}

/* "+" can be opened, "-" can be closed. */
static char sign(const struct hierarchy_row *row)
{
	return row->leaf ? ' ' : row->open ? '-' : '+';
}

static void row_text(void *ctx, int64_t i, char *text, size_t size)
{
	const struct view *v = ctx;

	snprintf(text, size, "%s", hierarchy_name(&v->h, &v->h.row[i]));
}

static void draw_row(void *ctx, int64_t i, struct screen_pen *pen)
{
	const struct view *v = ctx;
	const struct hierarchy_row *row = &v->h.row[i];
	const bool heading = row->kind == HIERARCHY_CALLERS || row->kind == HIERARCHY_CALLEES;
	char text[TEXT_MAX];

	columns(v, row, text, sizeof(text));
	screen_print(pen, style_of(ratio_share(row->total, v->h.all)), COLUMNS, text);
	screen_printf(pen, SCREEN_FAINT, 0, "%*s%c ", 2 * row->depth, "", sign(row));
	screen_print(pen, heading ? SCREEN_FAINT : SCREEN_NAME, 0, hierarchy_name(&v->h, row));
}

static void limits(void *ctx, int64_t *first, int64_t *last)
{
	*first = 0;
	*last = (int64_t)((struct view *)ctx)->h.n - 1;
}

static const struct list_rows rows = { .limits = limits, .draw = draw_row, .text = row_text };

/* ---------------------------------------------------------------- the screen */

/* "gcc 12": a thread's function is its name. */
static void thread_text(const struct view *v, uint32_t node, char *text, size_t size)
{
	const struct call_node *n = &v->h.tree.node[node];

	snprintf(text, size, "%.100s %" PRId32, call_tree_name(&v->h.tree, node),
		 (int32_t)n->thread);
}

static uint32_t thread_node(const struct hierarchy *h)
{
	for (size_t i = 1; i < h->tree.n; i++)
		if (h->tree.node[i].thread == h->thread)
			return i;
	return 0;
}

static void title(const struct view *v, char *text, size_t size)
{
	const struct hierarchy *h = &v->h;
	const uint64_t skipped = v->r->table.stat[COUNT_SKIPPED];
	char thread[TEXT_MAX / 4] = "";
	uint64_t lost = 0;
	size_t n;

	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, v->r->table.stat[COUNT_LOST + g]);
	if (h->thread)
		thread_text(v, thread_node(h), thread, sizeof(thread));
	n = snprintf(text, size, " %s%s   %" PRIu64 " instructions", report_base(v->r->path[0]),
		     v->r->n_path > 1 ? ", ..." : "", h->all);
	if (n < size && (lost || skipped))
		n += snprintf(text + n, size - n, "   lost: %" PRIu64 " atoms, %" PRIu64 " bytes",
			      lost, skipped);
	if (n < size && h->thread)
		n += snprintf(text + n, size - n, "   thread %s", thread);
	if (n < size && h->dso != CONTEXT_NOWHERE)
		snprintf(text + n, size - n, "   file %.200s",
			 report_base(v->r->contexts.files.dso[h->dso].name));
}

static void draw(void *ctx)
{
	struct view *v = ctx;
	struct list_box box = { .row = 2 };
	char text[TEXT_MAX];
	int n_rows;

	screen_size(&n_rows, &box.cols);
	screen_clear();
	title(v, text, sizeof(text));
	bar(0, text);
	snprintf(text, sizeof(text), "%-8s%8s%10s %-*s  Function", "Children", "Self", "Calls",
		 FILE_COLUMNS, "Shared Object");
	plain(1, SCREEN_STRONG, text);
	box.rows = n_rows - 4;
	list_draw(&v->list, &box);
	bar(n_rows - 2, " Enter: callers and callees   a: code   d: file   t: thread   / find   ? help   q leave");
	plain(n_rows - 1, SCREEN_PLAIN, v->message);
	screen_cursor(-1, 0);
	screen_show();
}

static void find(struct view *v, struct list *list, int action)
{
	enum list_found found;

	if (action == FIND && !prompt_ask(&v->search))
		return;
	if (!*v->search.answer) {
		say(v, "Nothing was searched for.");
		return;
	}
	found = list_find(list, v->search.answer, action == BEFORE ? -1 : 1);
	if (found == LIST_NOT_FOUND)
		say(v, "No row has '%.100s'.", v->search.answer);
	else if (found == LIST_WRAPPED)
		say(v, "From the other end of the list.");
	else if (found == LIST_INTERRUPTED)
		say(v, "Stopped.");
}

/* ---------------------------------------------------------------- a window of lines */

static void line_limits(void *ctx, int64_t *first, int64_t *last)
{
	*first = 0;
	*last = (int64_t)((struct view *)ctx)->n_line - 1;
}

static void line_text(void *ctx, int64_t i, char *text, size_t size)
{
	snprintf(text, size, "%s", ((struct view *)ctx)->line[i]);
}

/* Instructions begin with their share. */
static void draw_line(void *ctx, int64_t i, struct screen_pen *pen)
{
	const char *line = ((struct view *)ctx)->line[i];
	const char *p = line + strspn(line, " ");
	const double share = strtod(p, NULL);
	const bool is_share = p[strspn(p, "0123456789.")] == '%';

	screen_print(pen, is_share ? style_of(share * 100 + 0.5) : SCREEN_PLAIN, 0, line);
}

static const struct list_rows line_rows = {
	.limits = line_limits, .draw = draw_line, .text = line_text,
};

static void draw_lines(void *ctx)
{
	struct view *v = ctx;
	struct list_box box = { .row = 1 };
	int n_rows;

	screen_size(&n_rows, &box.cols);
	screen_clear();
	bar(0, v->head);
	box.rows = n_rows - 3;
	list_draw(&v->lines, &box);
	bar(n_rows - 2, " / n N: find   q Esc: back");
	plain(n_rows - 1, SCREEN_PLAIN, v->message);
	screen_cursor(-1, 0);
	screen_show();
}

/* Cuts @text into @line. */
static int cut(struct view *v)
{
	char *rest = v->text, *line;
	size_t n = 0;

	for (const char *p = v->text; *p; p++)
		n += *p == '\n';
	v->line = calloc(n + 2, sizeof(*v->line));
	if (!v->line)
		return -ENOMEM;
	v->n_line = 0;
	while ((line = strsep(&rest, "\n")) && (rest || *line))
		v->line[v->n_line++] = line;
	return 0;
}

/* Shows @text.  Return: the line that Enter chose; -1: none; -ENOMEM. */
static int64_t show_lines(struct view *v)
{
	int key, action;

	if (cut(v))
		return -ENOMEM;
	v->lines = (struct list){ .rows = &line_rows, .ctx = v };
	screen_draw_with(draw_lines, v);
	do {
		draw_lines(v);
		key = screen_key(-1);
		action = key_action(keys, key);
		say(v, "%s", "");
		if (action == FIND || action == NEXT || action == BEFORE)
			find(v, &v->lines, action);
		else if (key != KEY_LEAVE)
			list_key(&v->lines, key);
	} while (action != LEAVE && key != KEY_LEAVE && key != KEY_RETURN);
	screen_draw_with(draw, v);
	free(v->line);
	v->line = NULL;
	return key == KEY_RETURN && v->n_line ? v->lines.at : -1;
}

/* ---------------------------------------------------------------- keys */

static struct hierarchy_row *current(struct view *v)
{
	return v->h.n ? &v->h.row[v->list.at] : NULL;
}

/*
 * The function of a node, in the count table.  One that is inlined has no code of its own: then it
 * is the one that it is inlined in.  Return: it is known.
 */
static bool find_function(struct view *v, uint32_t node, struct annotate_match *m)
{
	const struct contexts *c = &v->r->contexts;

	for (; node && v->h.tree.node[node].function; node = v->h.tree.node[node].parent) {
		const struct context_function *f = &c->function[v->h.tree.node[node].function];

		if (f->dso >= c->files.n)
			return false;
		m->dso = count_dso_like(&v->r->table, &c->files.dso[f->dso]);
		if (m->dso < v->r->table.n &&
		    places_symbol(&v->r->places, m->dso, f->start, &m->symbol) &&
		    m->symbol.start == f->start)
			return true;
		if (!f->name)
			return false;
	}
	return false;
}

/* The code of the current row's function: what csflow annotate prints. */
static int show_code(struct view *v)
{
	const struct hierarchy_row *row = current(v);
	struct annotate_match match = { .dso = 0 };
	size_t size;
	int err;

	if (!row || !find_function(v, row->node, &match)) {
		say(v, "The code of this row is in no file that is here.");
		return 0;
	}
	v->annotate.out = open_memstream(&v->text, &size);
	if (!v->annotate.out)
		return -ENOMEM;
	err = annotate_print(&v->annotate, &match);
	if (fclose(v->annotate.out))
		err = -ENOMEM;
	if (!err && *v->text) {
		snprintf(v->head, sizeof(v->head), " %.200s   %.200s", hierarchy_name(&v->h, row),
			 file_of(v, row));
		err = show_lines(v) == -ENOMEM ? -ENOMEM : 0;
	} else if (err != -ENOMEM) {
		say(v, "Nothing of its code can be read.");
		err = 0;
	}
	free(v->text);
	v->text = NULL;
	return err;
}

static int again(struct view *v)
{
	v->list.at = 0;
	return hierarchy_again(&v->h);
}

static int choose_file(struct view *v)
{
	const struct hierarchy_row *row = current(v);
	uint32_t dso = row ? hierarchy_dso(&v->h, row) : CONTEXT_NOWHERE;

	if (v->h.dso != CONTEXT_NOWHERE)
		dso = CONTEXT_NOWHERE;
	else if (dso == CONTEXT_NOWHERE)
		say(v, "This row is in no file.");
	v->h.dso = dso;
	return again(v);
}

static int choose_thread(struct view *v)
{
	uint32_t *node;
	long n;
	int64_t i = -1;
	size_t size;
	FILE *f;

	if (v->h.thread) {
		v->h.thread = 0;
		return again(v);
	}
	n = hierarchy_threads(&v->h, &node);
	if (n < 0)
		return n;
	f = open_memstream(&v->text, &size);
	for (long k = 0; f && k < n; k++) {
		const uint64_t share = ratio_share(v->h.tree.node[node[k]].total,
						   v->h.tree.node[0].total);
		char text[TEXT_MAX / 4];

		thread_text(v, node[k], text, sizeof(text));
		fprintf(f, "%3" PRIu64 ".%02" PRIu64 "%%  %s\n", share / 100, share % 100, text);
	}
	if (f && !fclose(f)) {
		snprintf(v->head, sizeof(v->head), " Enter: only this thread");
		i = show_lines(v);
	}
	free(v->text);
	v->text = NULL;
	if (i >= 0 && i < n)
		v->h.thread = v->h.tree.node[node[i]].thread;
	free(node);
	return f && i != -ENOMEM ? i >= 0 ? again(v) : 0 : -ENOMEM;
}

static int close_all(struct view *v)
{
	while (v->h.n && v->h.row[v->list.at].depth)
		v->list.at = hierarchy_above(&v->h, v->list.at);
	for (size_t i = v->h.n; i-- > 0;)
		if (i < v->h.n && !v->h.row[i].depth && v->h.row[i].open) {
			const int64_t before = v->h.n;

			hierarchy_toggle(&v->h, i);
			if ((int64_t)i < v->list.at)
				v->list.at -= before - (int64_t)v->h.n;
		}
	return 0;
}

static int open_all(struct view *v)
{
	const int ret = hierarchy_open_below(&v->h, v->list.at);

	if (ret == 1)
		say(v, "More than %d rows are below this one: the rest stays closed.",
		    HIERARCHY_ROWS);
	return ret < 0 ? ret : 0;
}

static int open_row(struct view *v)
{
	return v->h.row[v->list.at].open ? 0 : hierarchy_toggle(&v->h, v->list.at);
}

static int shut(struct view *v)
{
	if (v->h.row[v->list.at].open)
		return hierarchy_toggle(&v->h, v->list.at);
	v->list.at = hierarchy_above(&v->h, v->list.at);
	return 0;
}

static int order(struct view *v)
{
	v->h.by_self = !v->h.by_self;
	say(v, v->h.by_self ? "Functions with most instructions of their own are first." :
			      "Functions with most instructions, callees' included, are first.");
	return again(v);
}

static int do_row(struct view *v, int action)
{
	switch (action) {
	case TOGGLE:	return hierarchy_toggle(&v->h, v->list.at);
	case OPEN:	return open_row(v);
	case SHUT:	return shut(v);
	case OPEN_ALL:	return open_all(v);
	case SHUT_ALL:	return close_all(v);
	case CODE:	return show_code(v);
	}
	return 0;
}

static int do_key(struct view *v, int action)
{
	static const struct key_row *const tables[] = { keys, list_keys };

	switch (action) {
	case OBJECT:	return choose_file(v);
	case THREAD:	return choose_thread(v);
	case ORDER:	return order(v);
	case FIND:
	case NEXT:
	case BEFORE:
		find(v, &v->list, action);
		return 0;
	case HELP:
		help_show("csflow report", tables, ARRAY_SIZE(tables));
		return 0;
	}
	return v->h.n ? do_row(v, action) : 0;
}

/* --dsos, --symbols */
static bool wants(void *ctx, uint32_t function)
{
	const struct view *v = ctx;
	const struct contexts *c = &v->r->contexts;
	const struct context_function *f = &c->function[function];
	const char *name = function && f->name ? f->name : "[unknown]";

	return opt_list_has_function(&v->r->part.symbols, name) &&
	       (!function || f->dso >= c->files.n ||
		selection_has_dso(&v->r->part, c->files.dso[f->dso].name));
}

static int run(struct view *v)
{
	int err = 0, key, action;

	screen_draw_with(draw, v);
	do {
		draw(v);
		key = screen_key(-1);
		action = key_action(keys, key);
		say(v, "%s", "");
		if (action && action != LEAVE)
			err = do_key(v, action);
		else if (!action && key != KEY_LEAVE)
			list_key(&v->list, key);
	} while (!err && action != LEAVE && key != KEY_LEAVE);
	return err;
}

int report_screen(struct report *r, struct disasm *dis, struct source_text *source,
		  enum screen_color color)
{
	struct view v = {
		.r = r, .annotate = {
			.r = r, .dis = dis, .source = source, .inlines = r->words.inlines,
		},
		.search.ask = "Find a row with: ",
	};
	int err = hierarchy_new(&v.h, &r->contexts), problem = 0;

	v.list = (struct list){ .rows = &rows, .ctx = &v };
	v.h.wants = wants;
	v.h.ctx = &v;
	if (!err)
		err = hierarchy_again(&v.h);
	if (!err) {
		problem = screen_begin(color);
		if (!problem) {
			err = run(&v);
			screen_end();
		}
	}
	hierarchy_fini(&v.h);
	if (err)
		return report_failed(r, "showing the report", err);
	if (problem) {
		log_say(LOG_FILE, "csflow report: %s\n", screen_problem(problem));
		return CMD_FAILED;
	}
	return screen_signal() ? 128 + screen_signal() : CMD_OK;
}
