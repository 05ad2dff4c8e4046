/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by context and line.
 *
 *	struct profile_text text;
 *	struct profile_part part = { 0 };
 *
 *	err = profile_text_read(&text, profile);
 *	while (!err && profile_text_next(&text, &part))
 *		print(part.context->name, &text.line[part.first], part.end - part.first);
 *	profile_text_fini(&text);
 */
#ifndef CSF_CONTEXT_PROFILE_TEXT_H
#define CSF_CONTEXT_PROFILE_TEXT_H

#include "context-profile.h"

/* A line of a context; if there is a callee, its calls from that line. */
struct profile_line {
	uint32_t context, line, discriminator;
	struct profile_name callee;
	uint64_t count;
};

/* @name: as in brackets; owned */
struct profile_context {
	char *name;
	uint64_t head;
};

/**
 * struct profile_text - all lines of all contexts
 * @line: by context, place, and then by callee, the most frequent first
 * @first: the first context of each name, by name
 * @cs: private; owns the names
 */
struct profile_text {
	struct context_profile cs;
	struct profile_context *context;
	size_t n_context, size_context;
	struct profile_line *line;
	size_t n_line, size_line;
	uint32_t *first;
};

/**
 * struct profile_part - a context
 * @first, @end: its lines, callees included; @n_line: without callees
 * @total: the sum of its counts
 */
struct profile_part {
	const struct profile_context *context;
	size_t first, end, n_line;
	uint64_t total;
};

/* Return: 0; errors as line_profile_read().  Call profile_text_fini() in any case. */
int profile_text_read(struct profile_text *t, const struct profile *p);
void profile_text_fini(struct profile_text *t);

/* The next part, by name; the first if @part is zero.  Return: there is one. */
bool profile_text_next(const struct profile_text *t, struct profile_part *part);

#endif /* CSF_CONTEXT_PROFILE_TEXT_H */
