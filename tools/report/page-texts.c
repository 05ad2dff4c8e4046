// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/json.h"
#include "page-texts.h"

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = hash_mix(hash, (uint8_t)*text);
	return hash;
}

uint32_t page_text_find(struct page_texts *t, const char *text)
{
	uint32_t *slot;
	char *copy;

	/* number 0 is none */
	if (!array_room(&t->text, t->n + 1, &t->size, sizeof(*t->text)) ||
	    !HASH_ROOM(&t->by_text, t->n ? t->n - 1 : 0, 1, i, hash_of(t->text[i].text))) {
		t->failed = true;
		return 0;
	}
	t->n += !t->n;
	slot = HASH_SLOT(&t->by_text, hash_of(text), i, !strcmp(t->text[i].text, text));
	if (*slot)
		return *slot;
	copy = strdup(text);
	if (!copy) {
		t->failed = true;
		return 0;
	}
	t->text[t->n] = (struct page_text){ .text = copy };
	*slot = t->n++;
	return *slot;
}

uint32_t page_text_use(struct page_texts *t, uint32_t index)
{
	struct page_text *text;

	if (!index)
		return 0;
	text = &t->text[index];
	if (text->number)
		return text->number;
	if (!array_room(&t->used, t->n_used, &t->size_used, sizeof(*t->used))) {
		t->failed = true;
		return 0;
	}
	t->used[t->n_used++] = index;
	text->number = t->n_used;
	return text->number;
}

uint32_t page_text(struct page_texts *t, const char *text)
{
	return page_text_use(t, page_text_find(t, text));
}

/* The bytes of all texts if each has at most @most. */
static size_t bytes_of(const struct page_texts *t, size_t most)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n_used; i++) {
		size_t n = strlen(t->text[t->used[i]].text);

		sum += n < most ? n : most;
	}
	return sum;
}

/* A text that is cut ends with "..."; a character that is cut is one that is not UTF-8. */
static void print_cut(FILE *f, const char *text, size_t most)
{
	size_t n = strlen(text);
	char *copy = n > most ? strndup(text, most) : NULL;

	while (copy && n > most && ((uint8_t)text[most] & 0xc0) == 0x80)
		copy[--most] = 0;
	if (copy && most > 3)
		strcpy(copy + most - 3, "...");
	json_string(f, copy ? copy : text);
	free(copy);
}

void page_texts_print(const struct page_texts *t, FILE *f, size_t bytes)
{
	size_t most = 1 << 14;

	while (most > 16 && bytes_of(t, most) > bytes)
		most = most / 8 * 7;
	fputs("[\"\"", f);
	for (size_t i = 0; i < t->n_used; i++) {
		fputs(",", f);
		print_cut(f, t->text[t->used[i]].text, most);
	}
	fputs("]", f);
}

void page_texts_fini(struct page_texts *t)
{
	for (size_t i = 1; i < t->n; i++)
		free(t->text[i].text);
	free(t->text);
	free(t->used);
	free(t->by_text.slot);
}
