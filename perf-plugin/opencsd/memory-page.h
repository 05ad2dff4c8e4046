/* SPDX-License-Identifier: GPL-2.0-only */
/* Code from functions of the client: for memory.c only. */
#ifndef OPENCSD_MEMORY_PAGE_H
#define OPENCSD_MEMORY_PAGE_H

#include "memory.h"

/* The client's spaces, or-ed, for the image's space of number @bit. */
uint32_t memory_spaces(const struct memory_view *view, unsigned int bit);

/* The image's pager; @context is the memory. */
bool memory_page(void *context, int space, uint64_t addr);

/* Unmaps the pages that were read since the last visit. */
void memory_leave(struct memory_view *view);

/* AArch32: compares what was read before with what is there now. */
void memory_come_back(struct memory_view *view);

/* @a was removed from @spaces. */
void memory_forget(struct memory_view *view, const struct accessor *a, uint32_t spaces);

#endif /* OPENCSD_MEMORY_PAGE_H */
