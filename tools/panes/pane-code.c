// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "browser.h"

/* Of a function that is longer, or has no end, only so much is listed. */
#define LISTING_MAX	(256u << 10)
/* Without a function: bytes that are listed, before the place too. */
#define LISTING_NONE	256

#define COUNT_WIDTH	8
#define ADDR_DIGITS	7	/* at least; those of a kernel have 16 */

/* ---------------------------------------------------------------- the listing */

static struct code_at where_mapped(const struct browser *b, uint64_t offset)
{
	return (struct code_at){
		.space = b->item.run->space, .time = b->item.run->maps,
		.addr = b->item.addr - b->item.offset + offset,
	};
}

static int list_insns(struct browser *b)
{
	struct listing *l = &b->listing;
	uint64_t at = 0;

	l->n = 0;
	while (at < l->size) {
		const struct code_at where = where_mapped(b, l->start + at);
		struct code_insn insn;

		if (!array_room(&l->offset, l->n, &l->size_offset, sizeof(*l->offset)))
			return -ENOMEM;
		code_read(b->walk->replay->image, &where, b->item.isa, &insn);
		l->offset[l->n++] = at;
		at += insn.size;
	}
	free(l->count);
	l->count = calloc(l->n + 1, sizeof(*l->count));
	return l->count ? 0 : -ENOMEM;
}

/* The instruction at @offset from the start, or the first one after it. */
static size_t index_of(const struct listing *l, uint64_t offset)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (l->offset[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_block(struct listing *l, const struct csf_block *b, uint32_t n)
{
	const int64_t from = b->offset - l->start, to = from + b->size;

	if (b->section != l->section || to <= 0 || from >= (int64_t)l->size)
		return;
	for (size_t i = index_of(l, from > 0 ? from : 0); i < l->n && l->offset[i] < to; i++)
		l->count[i] += n;
}

static int count_all(struct browser *b)
{
	struct listing *l = &b->listing;
	const struct window *w = walk_window(b->walk, b->at.part);
	struct csf_block block;

	if (!w)
		return -ENOMEM;
	memset(l->count, 0, l->n * sizeof(*l->count));
	for (size_t i = 1; i < w->n_count; i++)
		if (w->count[i] && !csf_block(b->walk->replay->image, i, &block))
			count_block(l, &block, w->count[i]);
	l->track = b->walk->track;
	l->part = b->at.part;
	return 0;
}

int listing_load(struct browser *b)
{
	struct listing *l = &b->listing;
	const struct code_where *where = &b->where;
	int64_t start = where->symbol ? where->start : (int64_t)b->item.offset - LISTING_NONE;
	uint64_t size = where->symbol ? where->size : 2 * LISTING_NONE;
	const uint64_t least = b->item.offset - start + b->item.size;
	int err = 0;

	if (start < 0)
		start = 0;
	if (size > LISTING_MAX)
		size = LISTING_MAX;
	if (size < least && least < LISTING_MAX)
		size = least;
	if (l->section != b->item.section || l->start != start || l->size != size || !l->count) {
		l->section = b->item.section;
		l->start = start;
		l->size = size;
		l->track = NULL;
		err = list_insns(b);
	}
	if (!err && (l->track != b->walk->track || l->part != b->at.part))
		err = count_all(b);
	return err;
}

void listing_fini(struct listing *l)
{
	free(l->offset);
	free(l->count);
}

uint32_t listing_count(const struct listing *l, uint64_t offset)
{
	const size_t i = index_of(l, offset - l->start);

	return i < l->n && l->offset[i] == offset - l->start ? l->count[i] : 0;
}

/* ---------------------------------------------------------------- code */

/* The row at the top, so that @at is in sight: in the middle of long texts. */
static int64_t top_of(int64_t at, int64_t n, int rows)
{
	int64_t top = at - rows / 2;

	if (top > n - rows)
		top = n - rows;
	return top < 0 ? 0 : top;
}

static enum screen_style warmth(const struct listing *l, uint32_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < l->n; i++)
		most = l->count[i] > most ? l->count[i] : most;
	return !count ? SCREEN_FAINT : count > most / 2 ? SCREEN_HOT : SCREEN_WARM;
}

static void print_count(struct screen_pen *pen, const struct listing *l, uint32_t count)
{
	char text[16] = "";

	if (count)
		snprintf(text, sizeof(text), "%7" PRIu32, count);
	screen_print(pen, warmth(l, count), COUNT_WIDTH, text);
}

/* Of the last instruction, so that all rows have one width. */
static int addr_digits(const struct browser *b)
{
	const struct code_at end = where_mapped(b, b->listing.start + b->listing.size);
	const int n = snprintf(NULL, 0, "%" PRIx64, end.addr);

	return n > ADDR_DIGITS ? n : ADDR_DIGITS;
}

static void draw_insn(struct browser *b, size_t i, struct screen_pen *pen)
{
	const struct listing *l = &b->listing;
	const struct code_at at = where_mapped(b, l->start + l->offset[i]);
	const bool here = b->item.kind == WALK_INSN && l->start + l->offset[i] == b->item.offset;
	const int digits = addr_digits(b);
	struct code_insn insn;
	const char *text = "";

	if (!code_read(b->walk->replay->image, &at, b->item.isa, &insn))
		text = "(no code)";
	else if (b->dis)
		text = disasm_insn(b->dis, b->item.isa, insn.opcode, insn.size, at.addr);
	pen->style = here ? SCREEN_HERE : 0;
	screen_print(pen, SCREEN_PLAIN, 1, here ? ">" : " ");
	print_count(pen, l, l->count[i]);
	screen_printf(pen, SCREEN_NUMBER, digits + 2, "%*" PRIx64, digits, at.addr);
	if (*text)
		screen_print(pen, SCREEN_PLAIN, 0, text);
	else
		screen_printf(pen, SCREEN_PLAIN, 0, insn.size == 2 ? ".hword 0x%04x" :
			      ".word 0x%08x", insn.opcode);
	screen_rest(pen, SCREEN_PLAIN);
}

void pane_code(struct browser *b, const struct pane *pane)
{
	const struct listing *l = &b->listing;
	const int64_t at = b->item.kind == WALK_INSN ? index_of(l, b->item.offset - l->start) : 0;
	const int64_t top = top_of(at, l->n, pane->rows);
	struct screen_pen pen = {
		.row = pane->row, .col = pane->col, .end = pane->col + pane->cols,
	};

	if (b->item.kind != WALK_INSN) {
		char text[TEXT_MAX];

		text_event(b->walk, &b->item, text, sizeof(text));
		screen_print(&pen, SCREEN_ALARM, 0, text);
		return;
	}
	for (int i = 0; i < pane->rows && top + i < (int64_t)l->n; i++) {
		pen = (struct screen_pen){
			.row = pane->row + i, .col = pane->col, .end = pane->col + pane->cols,
		};
		draw_insn(b, top + i, &pen);
	}
}

/* ---------------------------------------------------------------- source */

/* How often a line of the function ran: as its instruction that ran most. */
static uint32_t count_line(struct browser *b, int line)
{
	const struct listing *l = &b->listing;
	uint32_t most = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct code_where where;

		if (l->count[i] <= most)
			continue;
		code_where(&b->walk->replay->tasks->code, l->section, l->start + l->offset[i],
			   &where);
		if (where.file && where.line == line && !strcmp(where.file, b->where.file))
			most = l->count[i];
	}
	return most;
}

/* Tabs as four blanks: there is not much room. */
static void expand(const char *line, size_t n, char *text, size_t size)
{
	size_t to = 0;

	for (size_t i = 0; i < n && to + 5 < size; i++) {
		if (line[i] != '\t') {
			text[to++] = line[i];
			continue;
		}
		do
			text[to++] = ' ';
		while (to % 4);
	}
	text[to] = 0;
}

void pane_source(struct browser *b, const struct pane *pane)
{
	int top = b->where.line - pane->rows / 2;
	size_t n;

	if (top < 1)
		top = 1;
	for (int i = 0; i < pane->rows; i++) {
		const bool here = top + i == b->where.line;
		struct screen_pen pen = {
			.row = pane->row + i, .col = pane->col, .end = pane->col + pane->cols,
			.style = here ? SCREEN_HERE : 0,
		};
		const char *line = source_text_line(&b->source, b->where.file, top + i, &n);
		char text[1024];

		if (!line)
			break;
		expand(line, n, text, sizeof(text));
		screen_print(&pen, SCREEN_PLAIN, 1, here ? ">" : " ");
		print_count(&pen, &b->listing, count_line(b, top + i));
		screen_printf(&pen, SCREEN_NUMBER, 6, "%5d", top + i);
		screen_print(&pen, SCREEN_PLAIN, 0, text);
		screen_rest(&pen, SCREEN_PLAIN);
	}
}
