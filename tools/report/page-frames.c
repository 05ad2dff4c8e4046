// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/run-name.h"
#include "page-frames.h"

static uint64_t hash_of(const struct page_frame *k)
{
	return hash_mix((uint64_t)k->name << 32 | k->file, k->start);
}

static uint32_t find(struct page_frames *f, const struct page_frame *key)
{
	uint32_t *slot;

	if (f->texts->failed)
		return 0;
	if (!array_room(&f->frame, f->n + 1, &f->size, sizeof(*f->frame)) ||
	    !HASH_ROOM(&f->by_key, f->n ? f->n - 1 : 0, 1, i, hash_of(&f->frame[i]))) {
		f->texts->failed = true;
		return 0;
	}
	if (!f->n)
		f->frame[f->n++] = (struct page_frame){ 0 };
	slot = HASH_SLOT(&f->by_key, hash_of(key), i,
			 f->frame[i].name == key->name && f->frame[i].file == key->file &&
			 f->frame[i].start == key->start);
	if (!*slot) {
		f->frame[f->n] = *key;
		*slot = f->n++;
	}
	return *slot;
}

/* Two runs of a program have files of one name, perhaps in different places. */
static uint32_t file_of(struct page_frames *f, const char *path)
{
	char name[256];

	return page_text_find(f->texts, f->by_name ? run_name(path, name, sizeof(name)) :
					report_base(path));
}

uint32_t page_frame_of_row(struct page_frames *f, const struct report *r,
			   const struct report_row *row)
{
	const struct page_frame key = {
		.name = page_text_find(f->texts, row->symbol ? row->symbol : "[unknown]"),
		.file = file_of(f, r->table.dso[row->dso].name),
		.start = row->symbol && !f->by_name ? row->start : 0,
	};

	return find(f, &key);
}

/* Code without a symbol is told apart by the places at which it was entered. */
static uint32_t name_of(struct page_frames *f, const struct contexts *c,
			const struct context_function *from)
{
	char name[320];

	if (from->name || from->dso >= c->files.n || f->by_name)
		return page_text_find(f->texts, from->name ? from->name : "[unknown]");
	snprintf(name, sizeof(name), "%.255s+0x%" PRIx64, report_base(c->files.dso[from->dso].name),
		 from->start);
	return page_text_find(f->texts, name);
}

uint32_t page_frame_of_function(struct page_frames *f, const struct contexts *c, uint32_t function)
{
	const struct context_function *from = &c->function[function];
	struct page_frame key = { .name = name_of(f, c, from) };

	key.file = page_text_find(f->texts, "");
	if (from->dso < c->files.n)
		key.file = file_of(f, c->files.dso[from->dso].name);
	if (from->name && !f->by_name)
		key.start = from->start;
	return find(f, &key);
}

int page_frames_add(struct page_frames *f, const struct report *r, const struct report_rows *rows,
		    int side)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct report_row *row = &rows->row[i];
		const struct call_sum *sum = report_calls_of(r, row);
		uint32_t index = page_frame_of_row(f, r, row);
		struct page_frame *to;

		if (!index)
			return -ENOMEM;
		to = &f->frame[index];
		to->insns[side] = count_sum(to->insns[side], row->insns);
		to->cycles = count_sum(to->cycles, row->cycles);
		to->timed = count_sum(to->timed, row->timed);
		if (!sum)
			continue;
		to->called[side] = true;
		to->calls[side] = count_sum(to->calls[side], sum->calls);
		to->total[side] = count_sum(to->total[side], sum->total);
	}
	return 0;
}

uint32_t page_frame_use(struct page_frames *f, uint32_t index)
{
	struct page_frame *frame;

	if (!index)
		return 0;
	frame = &f->frame[index];
	if (frame->number)
		return frame->number;
	if (!array_room(&f->used, f->n_used, &f->size_used, sizeof(*f->used))) {
		f->texts->failed = true;
		return 0;
	}
	f->used[f->n_used++] = index;
	frame->number = f->n_used;
	return frame->number;
}

void page_frames_fini(struct page_frames *f)
{
	free(f->frame);
	free(f->used);
	free(f->by_key.slot);
}
