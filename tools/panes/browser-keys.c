// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../tui/help.h"
#include "browser.h"

enum action {
	NEXT_INSN = 1, LAST_INSN, NEXT_BLOCK, LAST_BLOCK, NEXT_PAGE, LAST_PAGE,
	NEXT_LINE, LAST_LINE, NEXT_OVER, LAST_OVER, NEXT_OUT, LAST_OUT,
	NEXT_RUN, LAST_RUN, NEXT_AGAIN, LAST_AGAIN, NEXT_ENTRY, LAST_ENTRY,
	SEARCH, NEXT_FOUND, LAST_FOUND, GO, START, END, BACK,
	EXECUTIONS, CALLS, TRACKS, MARK, MARKS, VIEW, HELP, CLEAR, QUIT,
};

static const struct key_row move_keys[] = {
	{ "",			"Step, in the order of execution" },
	{ "Down j",		"next instruction", NEXT_INSN },
	{ "Up k",		"instruction before", LAST_INSN },
	{ "Right l",		"next block, or event", NEXT_BLOCK },
	{ "Left",		"block before", LAST_BLOCK },
	{ "PgDn Space ^F",	"a page of blocks forward", NEXT_PAGE },
	{ "PgUp b ^B",		"a page of blocks back", LAST_PAGE },
	{ "s",			"next line of the source, into calls", NEXT_LINE },
	{ "S",			"line before, into calls", LAST_LINE },
	{ "o",			"next line, over calls", NEXT_OVER },
	{ "O",			"line before, over calls", LAST_OVER },
	{ "f",			"forward out of the function, to after its return", NEXT_OUT },
	{ "F",			"back out of the function, to its call", LAST_OUT },
	{ "",			"Find" },
	{ "r",			"next time that this line runs", NEXT_RUN },
	{ "R",			"last time that this line ran", LAST_RUN },
	{ "a",			"next time that this instruction runs", NEXT_AGAIN },
	{ "A",			"last time that this instruction ran", LAST_AGAIN },
	{ "e",			"next time that this function begins", NEXT_ENTRY },
	{ "E",			"last time that this function began", LAST_ENTRY },
	{ "/",			"search a function by part of its name, or an address", SEARCH },
	{ "n",			"next time that the searched one runs", NEXT_FOUND },
	{ "N",			"last time that it ran", LAST_FOUND },
	{ "",			"Go" },
	{ ":",			"to a time in seconds, or a share such as 50%", GO },
	{ "g Home",		"to the start of the track", START },
	{ "G End",		"to the end of the track", END },
	{ "u Backspace",	"back to where the last jump began", BACK },
	{ "m",			"set a bookmark here", MARK },
	{ "'",			"list bookmarks", MARKS },
	{ "",			"Look" },
	{ "x",			"list all times that this function began; callers", EXECUTIONS },
	{ "c",			"list the calls that led here", CALLS },
	{ "t",			"list tracks: CPUs, threads", TRACKS },
	{ "d",			"source and code, source alone, code alone", VIEW },
	{ "? h F1",		"this help", HELP },
	{ "Esc ^C ^L",		"draw anew; Ctrl-C also stops a search", CLEAR },
	{ "q",			"leave", QUIT },
	{ }
};

/* ---------------------------------------------------------------- results of moves */

static void say_none(struct browser *b, int direction)
{
	browser_say(b, direction > 0 ? "This is the end of the track." :
		    "This is the start of the track.");
}

/* After a move that is no search. */
static void moved(struct browser *b, int ret, int direction)
{
	if (ret < 0)
		browser_say(b, "There is no memory for it.");
	else if (ret == WALK_NONE)
		say_none(b, direction);
	else if (ret == WALK_STOPPED)
		browser_say(b, "Stopped.");
	else if (ret == JUMP_GAP)
		browser_say(b, "A gap: calls may be missing here, so this is as far as it goes.");
}

/* After a search; @to is where it ended.  @other: what looks in the other direction. */
static void searched(struct browser *b, int ret, int direction, const struct walk_at *to,
		     const char *other)
{
	if (ret < 0)
		browser_say(b, "There is no memory for it.");
	else if (ret == WALK_STOPPED)
		browser_say(b, "Stopped before it was found.");
	else if (ret == WALK_NONE)
		browser_say(b, direction > 0 ? "It does not run after this. %s looks before it." :
			    "It did not run before this. %s looks after it.", other);
	else
		browser_go(b, to);
}

/* ---------------------------------------------------------------- steps */

static void step(struct browser *b, int n, int direction, bool blocks)
{
	int ret = WALK_MOVED;

	for (int i = 0; i < n && ret == WALK_MOVED; i++) {
		ret = blocks ? walk_step(b->walk, &b->at, direction) :
			       walk_insn(b->walk, &b->at, direction);
		if (blocks)
			b->at.insn = 0;
	}
	moved(b, ret, direction);
}

static int page(void)
{
	int rows, cols;

	screen_size(&rows, &cols);
	return rows > 4 ? rows - 4 : 1;
}

static void jump_lines(struct browser *b, int action)
{
	const bool over = action == NEXT_OVER || action == LAST_OVER;
	const int direction = action == NEXT_LINE || action == NEXT_OVER ? WALK_FORWARD : WALK_BACK;
	struct walk_at to = b->at;
	const int ret = jump_line(b->walk, &to, direction, over);

	if (ret == WALK_MOVED || ret == JUMP_GAP)
		browser_go(b, &to);
	moved(b, ret, direction);
}

static void jump_function(struct browser *b, int direction)
{
	struct walk_at to = b->at;
	const int ret = jump_out(b->walk, &to, direction);

	if (ret == WALK_MOVED || ret == JUMP_GAP)
		browser_go(b, &to);
	if (ret == WALK_NONE)
		browser_say(b, direction > 0 ? "The track ends before the function returns." :
			    "The track begins after the call of this function.");
	else
		moved(b, ret, direction);
}

/* ---------------------------------------------------------------- searches */

/* The code that a key means: that of the line, of the function, or the instruction. */
static void find_code(struct browser *b, uint64_t offset, int direction)
{
	struct find find = { .section = b->item.section, .offset = offset };
	struct walk_at to = b->at;
	int ret = find_next(&find, b->walk, &to, direction);

	searched(b, ret, direction, &to, direction > 0 ? "The key's capital letter" :
		 "The key's small letter");
	find_fini(&find);
}

static void find_key(struct browser *b, int action)
{
	const bool forward = action == NEXT_RUN || action == NEXT_AGAIN || action == NEXT_ENTRY;
	uint64_t offset = b->item.offset;

	if (b->item.kind != WALK_INSN) {
		browser_say(b, "No instruction is here: go to one first.");
		return;
	}
	if ((action == NEXT_RUN || action == LAST_RUN) && !b->where.file) {
		browser_say(b, "No line numbers are known here: a and A find the instruction.");
		return;
	}
	if ((action == NEXT_ENTRY || action == LAST_ENTRY) && !b->where.symbol) {
		browser_say(b, "The function is not known here: a and A find the instruction.");
		return;
	}
	if (action == NEXT_RUN || action == LAST_RUN)
		offset = code_line_start(&b->walk->replay->tasks->code, b->item.section, offset);
	else if (action == NEXT_ENTRY || action == LAST_ENTRY)
		offset = b->where.start;
	find_code(b, offset, forward ? WALK_FORWARD : WALK_BACK);
}

static void find_again(struct browser *b, int direction)
{
	struct walk_at to = b->at;
	int ret;

	if (!b->searched) {
		browser_say(b, "Nothing was searched for: / does that.");
		return;
	}
	ret = find_next(&b->find, b->walk, &to, direction);
	searched(b, ret, direction, &to, direction > 0 ? "N" : "n");
}

/* An address, where it is mapped for this process; or a name. */
static void search(struct browser *b)
{
	const struct window_run *r;
	uint64_t addr, base;
	char *end;
	int section;

	if (!prompt_ask(&b->search) || !*b->search.answer ||
	    walk_look(b->walk, &b->at, &b->item))
		return;
	r = b->item.run;
	find_fini(&b->find);
	snprintf(b->name_searched, sizeof(b->name_searched), "%s", b->search.answer);
	b->find = (struct find){ .name = b->name_searched };
	addr = strtoull(b->search.answer, &end, 0);
	if (*b->search.answer >= '0' && *b->search.answer <= '9' && !*end) {
		section = csf_image_find(b->walk->replay->image, r->space, addr, r->maps, &base);
		if (section <= 0) {
			browser_say(b, "No code is mapped at 0x%" PRIx64 " here.", addr);
			b->searched = false;
			return;
		}
		b->find = (struct find){ .section = section, .offset = addr - base };
	}
	b->searched = true;
	find_again(b, WALK_FORWARD);
}

/* ---------------------------------------------------------------- places */

static void go_end(struct browser *b, int direction)
{
	struct walk_at to = b->at;
	const int ret = walk_end(b->walk, &to, direction);

	if (ret == WALK_MOVED)
		browser_go(b, &to);
	moved(b, ret, direction);
}

static void go(struct browser *b)
{
	struct walk_at to = b->at;
	const char *text = b->go.answer;
	uint64_t time;
	double percent;
	char *end;
	int ret;

	if (!prompt_ask(&b->go) || !*text)
		return;
	percent = strtod(text, &end);
	if (end != text && !strcmp(end, "%") && percent >= 0 && percent <= 100) {
		ret = walk_percent(b->walk, &to, percent);
	} else if (!text_read_time(text, &time)) {
		browser_say(b, "'%.60s' is no time in seconds, and no share such as 50%%.", text);
		ret = WALK_STOPPED;
	} else if (!b->walk->replay->timed) {
		browser_say(b, "The trace has no timestamps: give a share such as 50%%.");
		ret = WALK_STOPPED;
	} else {
		ret = walk_time(b->walk, &to, time);
	}
	if (ret == WALK_STOPPED)
		return;
	if (ret == WALK_MOVED)
		browser_go(b, &to);
	moved(b, ret, WALK_FORWARD);
}

static void go_back(struct browser *b)
{
	if (!b->n_history) {
		browser_say(b, "There was no jump before.");
		return;
	}
	b->n_history--;
	b->walk->track = b->history[b->n_history].track;
	b->at = b->history[b->n_history].at;
}

static void mark(struct browser *b)
{
	struct bookmark *mark;

	if (b->n_bookmark == BOOKMARKS_MAX ||
	    !array_room(&b->bookmark, b->n_bookmark, &b->size_bookmark, sizeof(*b->bookmark))) {
		browser_say(b, "There is no room for more bookmarks.");
		return;
	}
	b->label.answer[0] = 0;
	if (!prompt_ask(&b->label))
		return;
	mark = &b->bookmark[b->n_bookmark++];
	mark->place = (struct browser_place){ b->walk->track, b->at };
	if (*b->label.answer)
		snprintf(mark->text, sizeof(mark->text), "%s", b->label.answer);
	else if (b->item.kind == WALK_INSN)
		text_place(b->walk, b->item.section, b->item.offset, mark->text,
			   sizeof(mark->text));
	else
		snprintf(mark->text, sizeof(mark->text), "an event");
	browser_say(b, "Bookmark %zu is here: ' lists all.", b->n_bookmark);
}

/* ---------------------------------------------------------------- keys */

static void help(void)
{
	static const struct key_row *const tables[] = { move_keys };

	help_show(" csflow browse: keys", tables, 1);
}

/* Long because it is a flat switch over all actions. */
static bool act(struct browser *b, enum action action)
{
	switch (action) {
	case NEXT_INSN:
		step(b, 1, WALK_FORWARD, false);
		break;
	case LAST_INSN:
		step(b, 1, WALK_BACK, false);
		break;
	case NEXT_BLOCK:
		step(b, 1, WALK_FORWARD, true);
		break;
	case LAST_BLOCK:
		step(b, 1, WALK_BACK, true);
		break;
	case NEXT_PAGE:
		step(b, page(), WALK_FORWARD, true);
		break;
	case LAST_PAGE:
		step(b, page(), WALK_BACK, true);
		break;
	case NEXT_LINE:
	case LAST_LINE:
	case NEXT_OVER:
	case LAST_OVER:
		jump_lines(b, action);
		break;
	case NEXT_OUT:
		jump_function(b, WALK_FORWARD);
		break;
	case LAST_OUT:
		jump_function(b, WALK_BACK);
		break;
	case NEXT_RUN:
	case LAST_RUN:
	case NEXT_AGAIN:
	case LAST_AGAIN:
	case NEXT_ENTRY:
	case LAST_ENTRY:
		find_key(b, action);
		break;
	case SEARCH:
		search(b);
		break;
	case NEXT_FOUND:
		find_again(b, WALK_FORWARD);
		break;
	case LAST_FOUND:
		find_again(b, WALK_BACK);
		break;
	case GO:
		go(b);
		break;
	case START:
		go_end(b, WALK_FORWARD);
		break;
	case END:
		go_end(b, WALK_BACK);
		break;
	case BACK:
		go_back(b);
		break;
	case EXECUTIONS:
		browser_executions(b);
		break;
	case CALLS:
		browser_calls(b);
		break;
	case TRACKS:
		browser_tracks(b);
		break;
	case MARK:
		mark(b);
		break;
	case MARKS:
		browser_bookmarks(b);
		break;
	case VIEW:
		b->view = (b->view + 1) % VIEW_NR;
		break;
	case HELP:
		help();
		break;
	case CLEAR:
		break;
	case QUIT:
		return false;
	}
	return true;
}

bool browser_key(struct browser *b, int key)
{
	const int action = key_action(move_keys, key);

	if (!action) {
		if (key < KEY_NONE || key > KEY_LEAVE)
			browser_say(b, "This key has no meaning here: ? lists all keys.");
		return true;
	}
	return act(b, action);
}
