/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that is asked for: for memory.c only. */
#ifndef OPENCSD_MEMORY_PAGE_H
#define OPENCSD_MEMORY_PAGE_H

#include "memory.h"

/* The image's pager, with the memory as @context. */
bool memory_page(void *context, int space, uint64_t addr);

/* The pages that were asked for since the last visit are gone. */
void memory_leave(struct memory_view *view);

/* AArch32: what was read before is compared with what is there now. */
void memory_come_back(struct memory_view *view);

/* @a is no longer there in @spaces. */
void memory_forget(struct memory_view *view, const struct accessor *a, uint32_t spaces);

#endif /* OPENCSD_MEMORY_PAGE_H */
