// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "jump-parts.h"

/* Return: there is an instruction at @at, and its line is known. */
static bool line_at(struct walk *walk, const struct walk_at *at, struct code_where *where)
{
	struct walk_item item;

	if (walk_look(walk, at, &item) || item.kind != WALK_INSN)
		return false;
	code_where(&walk->replay->tasks->code, item.section, item.offset, where);
	return where->file;
}

static bool same(const struct code_where *a, const struct code_where *b)
{
	return a->line == b->line && a->start == b->start && a->dso == b->dso &&
	       !strcmp(a->file, b->file);
}

static bool is_event(struct walk *walk, const struct walk_at *at)
{
	const struct window_run *r = walk_run(walk, at);

	return !r || at->step >= r->n;
}

static int move(struct walk *walk, struct walk_at *at, int direction, bool over)
{
	return over ? jump_over(walk, at, direction) : walk_insn(walk, at, direction);
}

/* Backward, to the first instruction of the line: it may have been entered only once. */
static int to_start(struct walk *walk, struct walk_at *at, bool over)
{
	struct code_where line, where;
	struct walk_at to = *at;

	if (!line_at(walk, at, &line))
		return WALK_MOVED;
	while (move(walk, &to, WALK_BACK, over) == WALK_MOVED && line_at(walk, &to, &where) &&
	       same(&line, &where))
		*at = to;
	return WALK_MOVED;
}

/* Into calls, unless what is called has no lines. */
static int move_line(struct walk *walk, struct walk_at *at, int direction, bool over)
{
	struct code_where where;
	struct walk_at to = *at;
	int ret = move(walk, &to, direction, over);

	if (ret == WALK_MOVED && !over && !is_event(walk, &to) && !line_at(walk, &to, &where))
		return jump_over(walk, at, direction);
	if (ret == WALK_MOVED || ret == JUMP_GAP)
		*at = to;
	return ret;
}

int jump_line(struct walk *walk, struct walk_at *at, int direction, bool over)
{
	struct code_where line, where;
	struct walk_at to = *at;
	int ret;

	if (!line_at(walk, at, &line)) {
		ret = move(walk, &to, direction, over);
		*at = to;
		return ret;
	}
	for (uint64_t n = 1; ; n++) {
		ret = move_line(walk, &to, direction, over);
		if (ret != WALK_MOVED || is_event(walk, &to))
			break;
		if (!line_at(walk, &to, &where))
			continue;
		if (!same(&line, &where)) {
			ret = direction < 0 ? to_start(walk, &to, over) : ret;
			break;
		}
		if (jump_stopped(walk, &to, n))
			return WALK_STOPPED;
	}
	if (ret == WALK_MOVED || ret == JUMP_GAP)
		*at = to;
	return ret;
}
