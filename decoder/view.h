/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Views: how much of a section is to be seen where it is mapped.
 *
 * Most sections are mapped whole, nothing hides any of them, and each has one
 * view.  Where only part is mapped, or something else is mapped over it, blocks
 * must end and links must stop where that part ends: so blocks belong to a
 * view, and blocks of different views know nothing of each other.  Whoever maps
 * the same part of the same section, wherever and whenever, shares its view.
 */
#ifndef CSF_VIEW_H
#define CSF_VIEW_H

#include "csflow.h"

/**
 * struct chart - see chart.h
 * @number: of the block at each instruction of the view; NULL: there is no chart
 * @rule: CSF_RULE_x of these blocks
 * @tried: it was made, or is not to be
 */
struct chart {
	uint32_t *number;
	uint8_t rule;
	bool tried;
};

/**
 * struct view - part of a section
 * @from: offset of its first byte
 * @to: offset behind its last
 * @section: number
 * @next: number of another view of the section; 0: there is none
 * @chart: its blocks, once there are many
 */
struct view {
	uint64_t from, to;
	uint32_t section;
	uint32_t next;
	struct chart chart;
};

/* All views of an image; [0] is unused: 0 means none. */
struct view_table {
	struct view *view;
	uint32_t n, size;
};

/**
 * struct view_place - an address, in some space, at some time
 * @addr: the address
 * @top: the last address that there is, of 32 bits or of 64
 * @time: when
 * @space: address space
 */
struct view_place {
	uint64_t addr;
	uint64_t top;
	uint64_t time;
	int space;
};

/**
 * struct view_seen - a view at its addresses
 * @first: the address of its first byte
 * @last: of its last
 * @base: address of offset 0 of its section
 * @view: its number
 * @chart: what view_chart() found
 * @code: the bytes at @first, if they are all in memory; else NULL
 */
struct view_seen {
	uint64_t first, last;
	uint64_t base;
	uint32_t view;
	struct chart chart;
	const uint8_t *code;
};

/**
 * view_find() - what is seen at an address, and of the same section around it
 * @seen: filled in if there is anything
 *
 * Takes the image's lock.
 *
 * Return: 1; 0: nothing is mapped there; CSF_ERR_MEMORY.
 */
int view_find(struct csf_image *image, const struct view_place *place, struct view_seen *seen);

/* The chart of what was @seen, which may have been made since.  Takes the image's lock. */
void view_chart(struct csf_image *image, struct view_seen *seen);

/* The code at @offset, as section_at(), but none from outside the view.  Under the lock. */
size_t view_at(struct csf_image *image, const struct view *view, uint64_t offset,
	       const uint8_t **p);

#endif /* CSF_VIEW_H */
