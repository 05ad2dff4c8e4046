// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "browser.h"

/* ---------------------------------------------------------------- what ran */

static void draw_item(struct browser *b, const struct walk_at *at, struct screen_pen *pen)
{
	struct walk_item item;
	char text[TEXT_MAX];

	if (walk_look(b->walk, at, &item))
		return;
	if (item.kind == WALK_INSN) {
		text_insn(b->walk, &item, text, sizeof(text));
		screen_printf(pen, SCREEN_NUMBER, 5, "%4" PRIu32, item.n_insn);
		screen_print(pen, SCREEN_NAME, 0, text);
	} else {
		text_event(b->walk, &item, text, sizeof(text));
		screen_print(pen, SCREEN_ALARM, 0, text);
	}
	screen_rest(pen, SCREEN_PLAIN);
}

/* The place up to @n steps before; *@n becomes how many there were. */
static struct walk_at before(struct browser *b, int *n)
{
	struct walk_at at = b->at;
	int i = 0;

	while (i < *n && walk_step(b->walk, &at, WALK_BACK) == WALK_MOVED)
		i++;
	*n = i;
	return at;
}

void pane_flow(struct browser *b, const struct pane *pane)
{
	int n = pane->rows / 2;
	struct walk_at at = before(b, &n);
	int row = pane->rows / 2 - n;

	/* at the start of the track the rows before are empty */
	for (int i = 0; row < pane->rows; i++, row++) {
		struct screen_pen pen = {
			.row = pane->row + row, .col = pane->col, .end = pane->col + pane->cols,
			.style = i == n ? SCREEN_HERE : 0,
		};

		at.insn = 0;
		screen_print(&pen, SCREEN_PLAIN, 1, i == n ? ">" : " ");
		draw_item(b, &at, &pen);
		if (walk_step(b->walk, &at, WALK_FORWARD) != WALK_MOVED)
			break;
	}
}

/* ---------------------------------------------------------------- calls */

static void draw_frame(struct browser *b, size_t i, struct screen_pen *pen)
{
	const struct jump_frame *frame = &b->stack.frame[i];
	const struct walk_item item = {
		.section = frame->section, .offset = frame->offset, .addr = frame->addr,
	};
	struct code_where where;
	char text[TEXT_MAX];
	const char *base;

	code_where(&b->walk->replay->tasks->code, frame->section, frame->offset, &where);
	text_insn(b->walk, &item, text, sizeof(text));
	screen_printf(pen, SCREEN_NUMBER, 4, "#%zu", i);
	screen_print(pen, SCREEN_NAME, 0, text);
	if (!where.file)
		return;
	base = strrchr(where.file, '/');
	screen_printf(pen, SCREEN_FAINT, 0, "  %s:%d", base ? base + 1 : where.file, where.line);
}

void pane_stack(struct browser *b, const struct pane *pane)
{
	const struct jump_stack *s = &b->stack;
	const char *why = s->gap ? "a gap: what called it is not known" :
			  s->limit && b->at.part ? "what called it was not looked for" : "";

	for (int i = 0; i < pane->rows && i <= (int)s->n; i++) {
		struct screen_pen pen = {
			.row = pane->row + i, .col = pane->col, .end = pane->col + pane->cols,
		};

		if (i < (int)s->n)
			draw_frame(b, i, &pen);
		else
			screen_print(&pen, SCREEN_FAINT, 0, why);
	}
}
