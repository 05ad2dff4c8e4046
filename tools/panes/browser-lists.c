// SPDX-License-Identifier: GPL-2.0-only
/* Windows with a list, in which Enter chooses a row to go to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../tui/list.h"
#include "browser.h"

/**
 * struct choice - a window with a list
 * @row: text of row @i, at most TEXT_MAX bytes
 * @runs: of a list of executions
 */
struct choice {
	struct browser *b;
	char title[TEXT_MAX];
	void (*row)(struct choice *c, int64_t i, char *text);
	int64_t n;
	struct list list;
	struct find_runs runs;
};

static void limits(void *ctx, int64_t *first, int64_t *last)
{
	*first = 0;
	*last = ((struct choice *)ctx)->n - 1;
}

static void row_text(void *ctx, int64_t i, char *text, size_t size)
{
	struct choice *c = ctx;
	char row[TEXT_MAX];

	c->row(c, i, row);
	snprintf(text, size, "%s", row);
}

static void draw_row(void *ctx, int64_t i, struct screen_pen *pen)
{
	char text[TEXT_MAX];

	row_text(ctx, i, text, sizeof(text));
	screen_print(pen, SCREEN_PLAIN, 0, text);
}

static const struct list_rows rows = { .limits = limits, .draw = draw_row, .text = row_text };

/* ---------------------------------------------------------------- the window */

static void draw(void *ctx)
{
	struct choice *c = ctx;
	struct screen_pen pen = { 0 };
	struct list_box box = { .row = 1 };
	int n_rows, n_cols;

	screen_size(&n_rows, &n_cols);
	pen.end = n_cols;
	screen_print(&pen, SCREEN_BAR, n_cols, c->title);
	box.rows = n_rows - 3;
	box.cols = n_cols;
	list_draw(&c->list, &box);
	pen = (struct screen_pen){ .row = n_rows - 2, .end = n_cols };
	screen_print(&pen, SCREEN_BAR, n_cols,
		     " Enter: go there   / n N: find a row   q Esc: back");
	pen = (struct screen_pen){ .row = n_rows - 1, .end = n_cols };
	screen_print(&pen, SCREEN_PLAIN, n_cols, c->b->message);
	screen_show();
}

static void find_row(struct choice *c, struct prompt *search, int key)
{
	enum list_found found;

	if (key == '/' && !prompt_ask(search))
		return;
	if (!*search->answer) {
		browser_say(c->b, "Nothing was searched for.");
		return;
	}
	found = list_find(&c->list, search->answer, key == 'N' ? -1 : 1);
	if (found == LIST_NOT_FOUND)
		browser_say(c->b, "No row has '%.100s'.", search->answer);
	else if (found == LIST_WRAPPED)
		browser_say(c->b, "From the other end of the list.");
	else if (found == LIST_INTERRUPTED)
		browser_say(c->b, "Stopped.");
}

/* Return: the row that was chosen; -1: none. */
static int64_t choose(struct choice *c)
{
	struct prompt search = { .ask = "Find a row with: " };
	int key;

	c->list.rows = &rows;
	c->list.ctx = c;
	screen_draw_with(draw, c);
	do {
		draw(c);
		key = screen_key(-1);
		browser_say(c->b, "%s", "");
		if (key == '/' || key == 'n' || key == 'N')
			find_row(c, &search, key);
		else
			list_key(&c->list, key);
	} while (key != 'q' && key != KEY_ESC && key != KEY_RETURN && key != KEY_LEAVE &&
		 key != KEY_INTERRUPT);
	return key == KEY_RETURN && c->n ? c->list.at : -1;
}

/* ---------------------------------------------------------------- executions */

static void execution_row(struct choice *c, int64_t i, char *text)
{
	const struct find_run *run = &c->runs.run[i];
	char from[TEXT_MAX / 2] = "not known", time[40], thread[48];

	if (run->from)
		text_place(c->b->walk, run->from, run->from_offset, from, sizeof(from));
	text_time(run->time, time, sizeof(time));
	text_thread(c->b->walk, run->tid, run->time, thread, sizeof(thread));
	snprintf(text, TEXT_MAX, "%8" PRId64 "  %s%sfrom %-30s  %s", i + 1, time, *time ? "  " : "",
		 from, thread);
}

/* The execution that is at the current place, or the last one before it. */
static int64_t current(const struct choice *c)
{
	int64_t i = 0;

	while (i + 1 < c->n && walk_compare(&c->runs.run[i + 1].at, &c->b->at) <= 0)
		i++;
	return i;
}

void browser_executions(struct browser *b)
{
	struct find find = { .section = b->item.section, .offset = b->item.offset };
	struct choice c = { .b = b, .row = execution_row };
	const char *what = b->where.symbol;
	int64_t i;
	int ret;

	if (b->item.kind != WALK_INSN) {
		browser_say(b, "No instruction is here, so no function either.");
		return;
	}
	if (what && b->where.start >= 0)
		find.offset = b->where.start;
	ret = find_all(&find, b->walk, &c.runs);
	find_fini(&find);
	c.n = c.runs.n;
	c.list.at = current(&c);
	snprintf(c.title, sizeof(c.title), " %s: began %s times%s%s", what ? what : "this instruction",
		 text_number(c.runs.total), ret == WALK_STOPPED ? ", up to where it was stopped" : "",
		 c.runs.total > c.runs.n ? "; the first are listed" : "");
	if (ret < 0)
		browser_say(b, "There is no memory for the list.");
	i = ret < 0 ? -1 : choose(&c);
	if (i >= 0)
		browser_go(b, &c.runs.run[i].at);
	find_runs_fini(&c.runs);
}

/* ---------------------------------------------------------------- calls */

static void call_row(struct choice *c, int64_t i, char *text)
{
	const struct jump_frame *frame = &c->b->stack.frame[i];
	const struct walk_item item = {
		.section = frame->section, .offset = frame->offset, .addr = frame->addr,
	};
	struct code_where where;
	char place[TEXT_MAX / 2];

	text_insn(c->b->walk, &item, place, sizeof(place));
	code_where(&c->b->walk->replay->tasks->code, frame->section, frame->offset, &where);
	if (where.file)
		snprintf(text, TEXT_MAX, "#%-3" PRId64 " %-40s  %.80s:%d", i, place, where.file,
			 where.line);
	else
		snprintf(text, TEXT_MAX, "#%-3" PRId64 " %s", i, place);
}

void browser_calls(struct browser *b)
{
	struct choice c = { .b = b, .row = call_row, .n = b->stack.n };
	int64_t i;

	snprintf(c.title, sizeof(c.title), " calls: Enter goes to where the call was made");
	i = choose(&c);
	if (i >= 0)
		browser_go(b, &b->stack.frame[i].at);
}

/* ---------------------------------------------------------------- tracks */

static void track_row(struct choice *c, int64_t i, char *text)
{
	const struct track *track = &c->b->walk->tracks.track[i];
	char name[TEXT_MAX / 2];

	text_track(c->b->walk, track, name, sizeof(name));
	snprintf(text, TEXT_MAX, "%c %-32s %16s bytes of trace",
		 track == c->b->walk->track ? '>' : ' ', name, text_number(track->bytes));
}

/* To the same time in another track. */
static void go_track(struct browser *b, const struct track *track)
{
	const uint64_t time = b->item.time;
	const struct browser_place before = { b->walk->track, b->at };
	int ret;

	browser_note(b);
	b->walk->track = track;
	ret = time ? walk_time(b->walk, &b->at, time) : walk_end(b->walk, &b->at, WALK_FORWARD);
	if (ret == WALK_MOVED) {
		browser_say(b, time ? "The same time in this track." :
			    "The start of this track: times are not known.");
		return;
	}
	b->walk->track = before.track;
	b->at = before.at;
	browser_say(b, ret < 0 ? "There is no memory for it." :
		    "Nothing of that track can be decoded.");
}

void browser_tracks(struct browser *b)
{
	struct choice c = { .b = b, .row = track_row, .n = b->walk->tracks.n };
	int64_t i;

	snprintf(c.title, sizeof(c.title), " tracks: Enter goes to the same time in it");
	c.list.at = b->walk->track - b->walk->tracks.track;
	i = choose(&c);
	if (i >= 0 && &b->walk->tracks.track[i] != b->walk->track)
		go_track(b, &b->walk->tracks.track[i]);
}

/* ---------------------------------------------------------------- bookmarks */

static void bookmark_row(struct choice *c, int64_t i, char *text)
{
	const struct bookmark *mark = &c->b->bookmark[i];
	char track[64];

	text_track(c->b->walk, mark->place.track, track, sizeof(track));
	snprintf(text, TEXT_MAX, "%3" PRId64 "  %-20s  %.160s", i + 1, track, mark->text);
}

void browser_bookmarks(struct browser *b)
{
	struct choice c = { .b = b, .row = bookmark_row, .n = b->n_bookmark };
	int64_t i;

	if (!c.n) {
		browser_say(b, "There are no bookmarks: m sets one.");
		return;
	}
	snprintf(c.title, sizeof(c.title), " bookmarks");
	i = choose(&c);
	if (i < 0)
		return;
	browser_note(b);
	b->walk->track = b->bookmark[i].place.track;
	b->at = b->bookmark[i].place.at;
}
