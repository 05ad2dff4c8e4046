/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of a page: of one report, or of two that are compared, which are then A and B. */
#ifndef CSF_PAGE_FRAMES_H
#define CSF_PAGE_FRAMES_H

#include "page-texts.h"
#include "report.h"

/**
 * struct page_frame - a function
 * @name, @file: index of its texts
 * @start: its offset; 0 if names alone tell functions apart, or it has no symbol
 * @number: in the page, from 1; 0: the page does not need it yet
 * @code: of each side, number of its code, from 1; 0: none
 * @insns, @calls, @total: of each side; @total: with all callees; @called: @calls is known
 * @cycles, @timed: as in struct report_row
 */
struct page_frame {
	uint32_t name, file;
	uint64_t start;
	uint32_t number, code[2];
	uint64_t insns[2], calls[2], total[2];
	bool called[2];
	uint64_t cycles, timed;
};

/**
 * struct page_frames - zero it
 * @texts: borrowed
 * @by_name: functions of one name in files of one name are the same
 * @frame: @n of them; number 0 is none
 * @used: those of the page, @n_used of them, by number
 */
struct page_frames {
	struct page_texts *texts;
	bool by_name;
	struct page_frame *frame;
	uint32_t *used;
	size_t n, size, n_used, size_used;
	struct hash_table by_key;
};

/* The index of the frame of a row, or of a function; 0: no memory, @texts->failed is set. */
uint32_t page_frame_of_row(struct page_frames *f, const struct report *r,
			   const struct report_row *row);
uint32_t page_frame_of_function(struct page_frames *f, const struct contexts *c, uint32_t function);

/* Adds the rows of a side.  Return: 0 or -ENOMEM. */
int page_frames_add(struct page_frames *f, const struct report *r, const struct report_rows *rows,
		    int side);

/* The number of a frame in the page; 0: no memory. */
uint32_t page_frame_use(struct page_frames *f, uint32_t index);

void page_frames_fini(struct page_frames *f);

#endif /* CSF_PAGE_FRAMES_H */
