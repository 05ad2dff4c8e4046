/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of csflow browse: a place in a recording, and the panes around it. */
#ifndef CSF_BROWSER_H
#define CSF_BROWSER_H

#include "../browse/find.h"
#include "../browse/insn.h"
#include "../browse/jump.h"
#include "../browse/text.h"
#include "../browse/walk.h"
#include "../code/disasm.h"
#include "../code/source-text.h"
#include "../tui/prompt.h"
#include "../tui/screen.h"

/* Places to go back to. */
#define HISTORY_MAX	256
#define BOOKMARKS_MAX	256

/* Source and code beside each other, or one of them alone. */
enum browser_view { VIEW_BOTH, VIEW_SOURCE, VIEW_CODE, VIEW_NR };

/* A place in any track. */
struct browser_place {
	const struct track *track;
	struct walk_at at;
};

struct bookmark {
	struct browser_place place;
	char text[PROMPT_MAX];
};

/**
 * struct listing - the instructions of a function
 * @section, @start: where it begins; @n instructions, each at @offset from there
 * @count: how often each ran in the part @part of @track
 */
struct listing {
	uint32_t section;
	int64_t start;
	uint64_t size;
	uint32_t *offset, *count;
	size_t n, size_offset;
	const struct track *track;
	uint32_t part;
};

/**
 * struct browser - the state of the screen
 * @name: of the recording
 * @at: the current place; @item and @where: what is there
 * @stack: the call stack there
 * @find: of the last search, if @searched
 * @message: the last row
 * @drawn: when progress was shown last, ns
 */
struct browser {
	const char *name;
	struct walk *walk;
	struct disasm *dis;
	struct source_text source;
	struct walk_at at;
	struct walk_item item;
	struct code_where where;
	struct listing listing;
	struct jump_stack stack;
	struct find find;
	bool searched;
	char name_searched[PROMPT_MAX];
	struct prompt search, go, label;
	struct browser_place history[HISTORY_MAX];
	size_t n_history;
	struct bookmark *bookmark;
	size_t n_bookmark, size_bookmark;
	enum browser_view view;
	char message[TEXT_MAX];
	uint64_t drawn;
};

/* Shows @b until the user leaves.  The screen is up.  Return: 0, -ENOMEM. */
int browser_run(struct browser *b);
void browser_fini(struct browser *b);

/* Draws everything. */
void browser_draw(struct browser *b);

/* Says something in the last row, until the next key. */
__attribute__((format(printf, 2, 3)))
void browser_say(struct browser *b, const char *format, ...);

/* Notes the place, for the key that goes back; then goes to @at. */
void browser_go(struct browser *b, const struct walk_at *at);
void browser_note(struct browser *b);

/* ---------------------------------------------------------------- parts of the screen */

/* Columns and rows of a pane. */
struct pane {
	int row, col, rows, cols;
};

/* pane-code.c */
void pane_code(struct browser *b, const struct pane *pane);
void pane_source(struct browser *b, const struct pane *pane);
/* The instructions of the function at the place.  Return: 0, -ENOMEM. */
int listing_load(struct browser *b);
void listing_fini(struct listing *listing);
/* How often the instruction at @offset in the section ran in the part; 0: not in the listing. */
uint32_t listing_count(const struct listing *listing, uint64_t offset);

/* pane-flow.c */
void pane_flow(struct browser *b, const struct pane *pane);
void pane_stack(struct browser *b, const struct pane *pane);

/* browser-lists.c: windows with a list, in which Enter goes somewhere. */
void browser_executions(struct browser *b);
void browser_calls(struct browser *b);
void browser_tracks(struct browser *b);
void browser_bookmarks(struct browser *b);

/* browser-keys.c: does what a key asks for.  Return: false: leave. */
bool browser_key(struct browser *b, int key);

#endif /* CSF_BROWSER_H */
