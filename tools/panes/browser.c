// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "browser.h"

/* Nanoseconds between two lines of progress. */
#define PROGRESS_NS	100000000ull
/* Rows of the lower panes; and when there is not much room. */
#define LOWER_ROWS	8
/* Rows that are no panes: title, two headings, status, message. */
#define OTHER_ROWS	5
/* The call stack is looked for so many parts back. */
#define STACK_PARTS	2

/* ---------------------------------------------------------------- the place */

void browser_say(struct browser *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(b->message, sizeof(b->message), format, args);
	va_end(args);
}

void browser_note(struct browser *b)
{
	if (b->n_history == HISTORY_MAX)
		memmove(&b->history[0], &b->history[1],
			--b->n_history * sizeof(b->history[0]));
	b->history[b->n_history++] = (struct browser_place){ b->walk->track, b->at };
}

void browser_go(struct browser *b, const struct walk_at *at)
{
	browser_note(b);
	b->at = *at;
}

/* What there is at the place.  Return: 0, -ENOMEM. */
static int look(struct browser *b)
{
	int err = walk_look(b->walk, &b->at, &b->item);

	if (!err && b->item.kind == WALK_INSN) {
		code_where(&b->walk->replay->tasks->code, b->item.section, b->item.offset,
			   &b->where);
		err = listing_load(b);
	}
	if (!err)
		err = jump_stack(b->walk, &b->at, STACK_PARTS, &b->stack);
	/* other parts may have been decoded meanwhile */
	return err ? err : walk_look(b->walk, &b->at, &b->item);
}

/* ---------------------------------------------------------------- drawing */

static void bar(int row, const char *text, const char *right)
{
	struct screen_pen pen = { .row = row };
	int rows, n = strlen(right);

	screen_size(&rows, &pen.end);
	screen_print(&pen, SCREEN_BAR, pen.end > n + 1 ? pen.end - n - 1 : pen.end, text);
	screen_print(&pen, SCREEN_BAR, 1, "");
	screen_print(&pen, SCREEN_BAR, n, right);
}

static void draw_title(struct browser *b)
{
	char text[2 * TEXT_MAX], track[TEXT_MAX / 2], thread[TEXT_MAX / 2];
	const struct window_run *r = b->item.run;

	text_track(b->walk, b->walk->track, track, sizeof(track));
	text_thread(b->walk, r->tid, b->item.time, thread, sizeof(thread));
	if (b->walk->track->tid != PERF_NO_TID)
		snprintf(thread, sizeof(thread), "CPU %u", r->cpu);
	snprintf(text, sizeof(text), " %s   %s   %s   EL%u", b->name, track, thread, r->el);
	bar(0, text, "? help  q leave ");
}

static void draw_status(struct browser *b, int row)
{
	char text[2 * TEXT_MAX], place[TEXT_MAX], time[40], right[48];

	if (b->item.kind == WALK_INSN)
		text_insn(b->walk, &b->item, place, sizeof(place));
	else
		snprintf(place, sizeof(place), "no instruction");
	text_time(b->item.time ? b->item.time : b->item.run->before, time, sizeof(time));
	snprintf(text, sizeof(text), " %s%s%s", place, !*time ? "" : b->item.time ? "   after " :
		 "   before ", time);
	snprintf(right, sizeof(right), "part %u of %u  %5.1f%% ", b->at.part + 1,
		 b->walk->track->n, walk_progress(b->walk, &b->at));
	bar(row, text, right);
}

static void draw_message(const struct browser *b, int row)
{
	struct screen_pen pen = { .row = row };
	int rows;

	screen_size(&rows, &pen.end);
	screen_print(&pen, SCREEN_PLAIN, pen.end, b->message);
}

static void heading(const struct pane *pane, const char *text)
{
	struct screen_pen pen = {
		.row = pane->row - 1, .col = pane->col, .end = pane->col + pane->cols,
	};

	screen_print(&pen, SCREEN_FAINT, 0, "-- ");
	screen_print(&pen, SCREEN_STRONG, 0, text);
	screen_print(&pen, SCREEN_FAINT, 0, " ");
	while (pen.col < pen.end)
		screen_print(&pen, SCREEN_FAINT, 0, "-");
}

static bool has_source(struct browser *b)
{
	size_t n;

	return b->item.kind == WALK_INSN && b->where.file &&
	       source_text_line(&b->source, b->where.file, b->where.line, &n);
}

static void draw_upper(struct browser *b, const struct pane *all)
{
	struct pane left = *all, right = *all;
	char text[TEXT_MAX];
	const char *file = b->where.file;
	enum browser_view view = has_source(b) ? b->view : VIEW_CODE;

	if (view == VIEW_BOTH) {
		left.cols = all->cols / 2;
		right.cols = all->cols - left.cols - 1;
		right.col = all->col + left.cols + 1;
	}
	if (view != VIEW_CODE) {
		const char *base = strrchr(file, '/');

		heading(&left, base ? base + 1 : file);
		pane_source(b, &left);
	}
	if (view != VIEW_SOURCE) {
		snprintf(text, sizeof(text), "code; counts of %s%s",
			 b->walk->track->n == 1 ? "the track" : "this part",
			 view == b->view || b->item.kind != WALK_INSN ? "" :
			 file ? "; the source is not here" : "; no line numbers");
		heading(&right, text);
		pane_code(b, &right);
	}
}

void browser_draw(struct browser *b)
{
	struct pane upper = { .row = 2 }, left, right;
	int rows, cols, lower;

	screen_size(&rows, &cols);
	lower = rows - OTHER_ROWS > 2 * LOWER_ROWS ? LOWER_ROWS : (rows - OTHER_ROWS) / 2;
	if (lower < 1)
		lower = 1;
	upper.cols = cols;
	upper.rows = rows - OTHER_ROWS - lower;
	left = upper;
	left.row = upper.row + upper.rows + 1;
	left.rows = lower;
	left.cols = cols / 2;
	right = left;
	right.col = left.cols + 1;
	right.cols = cols - right.col;
	/* the part of the place may have been decoded anew since */
	if (walk_look(b->walk, &b->at, &b->item))
		return;
	screen_clear();
	draw_title(b);
	draw_upper(b, &upper);
	heading(&left, "what ran");
	pane_flow(b, &left);
	heading(&right, "calls");
	pane_stack(b, &right);
	if (!walk_look(b->walk, &b->at, &b->item))
		draw_status(b, rows - 2);
	draw_message(b, rows - 1);
	screen_cursor(-1, 0);
	screen_show();
}

/* ---------------------------------------------------------------- run */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* During long work. */
static bool progress(void *ctx, uint64_t done, uint64_t total)
{
	struct browser *b = ctx;
	const uint64_t time = now();
	int rows, cols;

	if (time - b->drawn > PROGRESS_NS) {
		b->drawn = time;
		screen_size(&rows, &cols);
		browser_say(b, "searching: %llu of %llu parts; Ctrl-C stops",
			    (unsigned long long)done, (unsigned long long)total);
		draw_message(b, rows - 1);
		screen_show();
		browser_say(b, "%s", "");
	}
	return !screen_interrupted();
}

static void draw_all(void *ctx)
{
	browser_draw(ctx);
}

int browser_run(struct browser *b)
{
	int err = 0, key;

	b->walk->look = progress;
	b->walk->ctx = b;
	do {
		/* a list has drawn meanwhile */
		screen_draw_with(draw_all, b);
		err = look(b);
		if (err)
			break;
		browser_draw(b);
		key = screen_key(-1);
		b->drawn = now();
		browser_say(b, "%s", "");
	} while (key != KEY_LEAVE && browser_key(b, key));
	return err;
}

void browser_fini(struct browser *b)
{
	find_fini(&b->find);
	listing_fini(&b->listing);
	source_text_fini(&b->source);
	disasm_free(b->dis);
	free(b->bookmark);
}
