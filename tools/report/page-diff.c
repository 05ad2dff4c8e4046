// SPDX-License-Identifier: GPL-2.0-only
/* The page of csflow diff: functions and calls of two recordings, which are matched by names. */
#include <errno.h>
#include <stdlib.h>

#include "../lib/json.h"
#include "page-parts.h"

/* How much more of all instructions a function has in one of the two. */
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

/* Adds the functions of both.  Return: 0 or -ENOMEM. */
static int add_both(struct page_frames *frames, struct report *r)
{
	int err = 0;

	for (int side = 0; side < 2 && !err; side++) {
		struct report_rows rows = { 0 };

		err = report_rows(&r[side], REPORT_DSO | REPORT_SYMBOL, &rows);
		if (!err)
			err = page_frames_add(frames, &r[side], &rows, side);
		free(rows.row);
	}
	return err;
}

int report_differ(struct report *r)
{
	struct page_texts texts = { 0 };
	struct page_frames frames = { .texts = &texts, .by_name = true };
	int ret = add_both(&frames, r);

	for (size_t i = 1; i < frames.n && !ret; i++)
		ret = frames.frame[i].insns[0] != frames.frame[i].insns[1];
	page_frames_fini(&frames);
	page_texts_fini(&texts);
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

static int print_data(struct page_tree *tree, struct report *r, FILE *f)
{
	struct page_frames *frames = tree->frames;
	int err = add_both(frames, r);

	print_head(r, f);
	if (!err)
		err = print_functions(frames, r, f);
	for (int side = 0; side < 2 && !err; side++)
		err = page_tree_add(tree, &r[side].contexts, side);
	fprintf(f, "\"tree\":");
	if (!err)
		err = page_tree_print(tree, f, 2);
	fprintf(f, ",\n");
	page_print_frames(frames, f, 2);
	return frames->texts->failed ? -ENOMEM : err;
}

int page_print_two(struct report *r, FILE *f)
{
	struct page_texts texts = { 0 };
	struct page_frames frames = { .texts = &texts, .by_name = true };
	struct page_tree tree = { .frames = &frames };
	int err;

	page_begin(f);
	err = print_data(&tree, r, f);
	page_end(f);
	page_tree_fini(&tree);
	page_frames_fini(&frames);
	page_texts_fini(&texts);
	return err;
}
