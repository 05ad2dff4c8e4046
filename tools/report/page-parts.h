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
 * struct page - the page of one report
 * @f: where to; @rows: functions, those with most first
 * @n_insn: instructions of code so far
 */
struct page {
	struct report *r;
	FILE *f;
	struct report_rows rows;
	struct page_texts texts;
	struct page_frames frames;
	struct page_tree tree;
	size_t n_insn;
	struct disasm *dis;
	struct source_text source;
};

/* The number of the function at a place, and the offset in it; 0: unknown, *@offset: address. */
uint32_t page_function_at(struct page *p, size_t dso, uint64_t at, uint64_t *offset);

/* Those that can fail return 0 or -ENOMEM. */
int page_print_codes(struct page *p);
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
