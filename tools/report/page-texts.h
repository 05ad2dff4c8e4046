/* SPDX-License-Identifier: GPL-2.0-only */
/* The texts of a page: each is written once, and named by a number. */
#ifndef CSF_PAGE_TEXTS_H
#define CSF_PAGE_TEXTS_H

#include <stdio.h>

#include "../../perf-plugin/hash.h"

/**
 * struct page_text - a text
 * @number: in the page, from 1; 0: the page does not need it yet
 */
struct page_text {
	char *text;
	uint32_t number;
};

/**
 * struct page_texts - zero it
 * @text: @n of them
 * @used: those of the page, @n_used of them, by number
 * @failed: there was no memory: the page is not complete
 */
struct page_texts {
	struct page_text *text;
	uint32_t *used;
	size_t n, size, n_used, size_used;
	struct hash_table by_text;
	bool failed;
};

/* The index of @text, which is copied; 0: no memory. */
uint32_t page_text_find(struct page_texts *t, const char *text);

/* The number of a text in the page, by its index, or itself; 0: no memory. */
uint32_t page_text_use(struct page_texts *t, uint32_t index);
uint32_t page_text(struct page_texts *t, const char *text);

/* Prints all used texts as a list; the longest are cut so that they have at most @bytes in all. */
void page_texts_print(const struct page_texts *t, FILE *f, size_t bytes);
void page_texts_fini(struct page_texts *t);

#endif /* CSF_PAGE_TEXTS_H */
