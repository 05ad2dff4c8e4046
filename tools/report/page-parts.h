/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that write a page. */
#ifndef CSF_PAGE_PARTS_H
#define CSF_PAGE_PARTS_H

#include "../code/disasm.h"
#include "../code/source-text.h"
#include "page-frames.h"
#include "page-tree.h"

/* Functions in the table of a page, and bytes of all texts */
#define PAGE_FUNCTIONS_MAX	5000
#define PAGE_TEXT_MAX		1800000

/**
 * struct page - the page of one report, or of two that are compared
 * @r: the report whose numbers are printed now
 * @f: where to; @rows: functions, those with most first
 * @n_code: functions with code so far; @n_insn: their instructions
 */
struct page {
	struct report *r;
	FILE *f;
	struct report_rows rows;
	struct page_texts texts;
	struct page_frames frames;
	struct page_tree tree;
	size_t n_code, n_insn;
	struct disasm *dis;
	struct source_text source;
};

/* A function whose code is to be printed, if there is room; @side: which report it is of. */
struct page_code {
	const struct report_row *row;
	int side;
};

/* Return: 0 or -ENOMEM.  Call page_fini() in any case. */
int page_init(struct page *p, struct report *r, FILE *f);
void page_fini(struct page *p);

/* The number of the function at a place, and the offset in it; 0: unknown, *@offset: address. */
uint32_t page_function_at(struct page *p, size_t dso, uint64_t at, uint64_t *offset);

/* Those that can fail return 0 or -ENOMEM. */
int page_print_codes(struct page *p, const struct page_code *code, size_t n, int sides);
int page_print_loops(struct page *p);
int page_print_blocks(struct page *p);
int page_print_edges(struct page *p);

/* Prints atoms lost and bytes skipped of each of @n reports. */
void page_print_lost(const struct report *r, int n, FILE *f);

/* Prints the functions that the page needs, for each of its sides, and all texts. */
void page_print_frames(const struct page_frames *frames, FILE *f, int sides);

/* A page of one report; of two, which are compared. */
int page_print_one(struct report *r, FILE *f);
int page_print_two(struct report *r, FILE *f);

/* Writes the parts of the page that are the same in all, around the data. */
void page_begin(FILE *f);
void page_end(FILE *f);

#endif /* CSF_PAGE_PARTS_H */
