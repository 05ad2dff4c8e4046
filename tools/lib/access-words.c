// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "access-words.h"

struct words {
	char *buf;
	size_t n;
};

static void add(struct words *w, const char *word)
{
	w->n += sprintf(w->buf + w->n, "%s%s", w->n ? " " : "", word);
}

static void add_number(struct words *w, const char *format, uint64_t value)
{
	char word[40];

	snprintf(word, sizeof(word), format, value);
	add(w, word);
}

/* Each word is where the bit of its CSF_ACCESS_x is. */
static void add_flags(struct words *w, const char *const *word, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++)
		if (word[i] && flags >> i & 1)
			add(w, word[i]);
}

size_t access_words(const struct csf_access *a, char *buf)
{
	static const char *const before[] = { "read", "write", [6] = "register", [7] = "entry" };
	static const char *const after[] = {
		[5] = "big", [8] = "failed", [9] = "late", [10] = "untraced", [11] = "lost",
	};
	struct words w = { buf };

	*buf = 0;
	add_flags(&w, before, 8, a->flags);
	if (a->addr_bits)
		add_number(&w, "0x%" PRIx64, a->addr);
	if (a->addr_bits && a->addr_bits < 32)
		w.n += sprintf(buf + w.n, "/%u", a->addr_bits);
	if (a->flags & CSF_ACCESS_NEXT)
		add(&w, "next");
	if (a->flags & CSF_ACCESS_VALUE)
		add_number(&w, "= 0x%" PRIx64, a->value);
	if (a->size)
		add_number(&w, "size %" PRIu64, a->size);
	if (a->number)
		add_number(&w, "number %" PRIu64, a->number);
	add_flags(&w, after, 12, a->flags);
	if (a->flags & CSF_ACCESS_INSN)
		add_number(&w, "of 0x%" PRIx64, a->insn);
	return w.n;
}
