// SPDX-License-Identifier: GPL-2.0-only
/* The page of csflow diff: functions and calls of two recordings, which are matched by names. */
#include <errno.h>
#include <stdlib.h>

#include "../lib/json.h"
#include "page-parts.h"

/* A share of all instructions, or how much more of it a function has in one of the two. */
struct change {
	double share;
	uint32_t frame;
};

static int by_share(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static double share_of(uint64_t n, uint64_t all)
{
	return all ? (double)n / all : 0;
}

/* Adds the functions of both, whose rows the caller frees.  Return: 0 or -ENOMEM. */
static int add_both(struct page_frames *frames, struct report *r, struct report_rows rows[2])
{
	int err = 0;

	for (int side = 0; side < 2 && !err; side++) {
		err = report_rows(&r[side], REPORT_DSO | REPORT_SYMBOL, &rows[side]);
		if (!err)
			err = page_frames_add(frames, &r[side], &rows[side], side);
	}
	return err;
}

int report_differ(struct report *r)
{
	struct page_texts texts = { 0 };
	struct page_frames frames = { .texts = &texts, .by_name = true };
	struct report_rows rows[2] = { { 0 }, { 0 } };
	int ret = add_both(&frames, r, rows);

	for (size_t i = 1; i < frames.n && !ret; i++)
		ret = frames.frame[i].insns[0] != frames.frame[i].insns[1];
	page_frames_fini(&frames);
	page_texts_fini(&texts);
	free(rows[0].row);
	free(rows[1].row);
	return ret;
}

/* Those that changed most are the functions of the table. */
static int print_functions(struct page_frames *frames, const struct report *r, FILE *f)
{
	struct change *change = calloc(frames->n + 1, sizeof(*change));
	uint64_t cut[] = { 0, 0, 0 };
	size_t n = 0;

	if (!change)
		return -ENOMEM;
	for (size_t i = 1; i < frames->n; i++) {
		const uint64_t *insns = frames->frame[i].insns;
		const double more = share_of(insns[0], r[0].insns) - share_of(insns[1], r[1].insns);

		change[n++] = (struct change){ more < 0 ? -more : more, i };
	}
	qsort(change, n, sizeof(*change), by_share);
	for (size_t i = 0; i < n; i++) {
		const uint64_t *insns = frames->frame[change[i].frame].insns;

		if (i < PAGE_FUNCTIONS_MAX) {
			page_frame_use(frames, change[i].frame);
			continue;
		}
		cut[0]++;
		cut[1] = insns[0] > cut[1] ? insns[0] : cut[1];
		cut[2] = count_sum(cut[2], insns[0]);
	}
	free(change);
	fprintf(f, "\"n_functions\":%zu,\n\"cut\":[", frames->n_used);
	page_numbers(f, cut, 3);
	fprintf(f, "],\n");
	return 0;
}

static void print_head(const struct report *r, FILE *f)
{
	fprintf(f, "{\"sides\":2,\"files\":[");
	json_string(f, r[0].path[0]);
	fprintf(f, ",");
	json_string(f, r[1].path[0]);
	fprintf(f, "],\n\"insns\":[");
	page_numbers(f, (const uint64_t[]){ r[0].insns, r[1].insns }, 2);
	fprintf(f, "],\n");
	page_print_lost(r, 2, f);
}

/* ---------------------------------------------------------------- code */

/* Of functions with one name, each side has the one with most instructions. */
static void find_rows(struct page *p, const struct report_rows rows[2],
		      const struct report_row *(*row_of)[2])
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < rows[side].n; i++) {
			const struct report_row *row = &rows[side].row[i];
			const uint32_t frame = page_frame_of_row(&p->frames, &p->r[side], row);

			if (!row_of[frame][side])
				row_of[frame][side] = row;
		}
}

/* First those with the largest share in either side: a large change is one of a large share. */
static size_t list_codes(struct page *p, const struct report_row *(*row_of)[2],
			 struct change *hot, struct page_code *code)
{
	const size_t n = p->frames.n ? p->frames.n - 1 : 0;
	size_t n_code = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *insns = p->frames.frame[i + 1].insns;
		const double a = share_of(insns[0], p->r[0].insns);
		const double b = share_of(insns[1], p->r[1].insns);

		hot[i] = (struct change){ a > b ? a : b, i + 1 };
	}
	qsort(hot, n, sizeof(*hot), by_share);
	for (size_t i = 0; i < n; i++)
		for (int side = 0; side < 2; side++)
			if (row_of[hot[i].frame][side])
				code[n_code++] = (struct page_code){ row_of[hot[i].frame][side],
								     side };
	return n_code;
}

static int print_codes(struct page *p, const struct report_rows rows[2])
{
	const struct report_row *(*row_of)[2] = calloc(p->frames.n + 1, sizeof(*row_of));
	struct page_code *code = calloc(p->frames.n + 1, 2 * sizeof(*code));
	struct change *hot = calloc(p->frames.n + 1, sizeof(*hot));
	int err = -ENOMEM;

	if (row_of && code && hot) {
		find_rows(p, rows, row_of);
		err = page_print_codes(p, code, list_codes(p, row_of, hot, code), 2);
	}
	free(row_of);
	free(code);
	free(hot);
	return err;
}

/* ---------------------------------------------------------------- the page */

static int print_data(struct page *p, const struct report_rows rows[2])
{
	int err;

	print_head(p->r, p->f);
	err = print_functions(&p->frames, p->r, p->f);
	if (!err)
		err = print_codes(p, rows);
	for (int side = 0; side < 2 && !err; side++)
		err = page_tree_add(&p->tree, &p->r[side].contexts, side);
	fprintf(p->f, "\"tree\":");
	if (!err)
		err = page_tree_print(&p->tree, p->f, 2);
	fprintf(p->f, ",\n");
	page_print_frames(&p->frames, p->f, 2);
	return p->texts.failed ? -ENOMEM : err;
}

int page_print_two(struct report *r, FILE *f)
{
	struct report_rows rows[2] = { { 0 }, { 0 } };
	struct page p;
	int err = page_init(&p, r, f);

	p.frames.by_name = true;
	if (!err)
		err = add_both(&p.frames, r, rows);
	if (!err) {
		page_begin(f);
		err = print_data(&p, rows);
		page_end(f);
	}
	page_fini(&p);
	free(rows[0].row);
	free(rows[1].row);
	return err;
}
