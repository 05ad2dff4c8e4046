/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by context and line.
 *
 *	struct cs_text text;
 *	struct cs_part part = { 0 };
 *
 *	err = cs_text_read(&text, profile);
 *	while (!err && cs_text_next(&text, &part))
 *		print(part.context->name, &text.line[part.first], part.end - part.first);
 *	cs_text_fini(&text);
 */
#ifndef CSF_CS_TEXT_H
#define CSF_CS_TEXT_H

#include "context-profile.h"

/* A line of a context; if there is a callee, its calls from that line. */
struct cs_line {
	uint32_t context, line, discriminator;
	struct sample_name callee;
	uint64_t count;
};

/* @name: as in brackets; owned */
struct cs_context {
	char *name;
	uint64_t head;
};

/**
 * struct cs_text - all lines of all contexts
 * @line: by context, place, and then by callee, the most frequent first
 * @first: the first context of each name, by name
 * @cs: private; owns the names
 */
struct cs_text {
	struct cs cs;
	struct cs_context *context;
	size_t n_context, size_context;
	struct cs_line *line;
	size_t n_line, size_line;
	uint32_t *first;
};

/**
 * struct cs_part - a context
 * @first, @end: its lines, callees included; @n_line: without callees
 * @total: the sum of its counts
 */
struct cs_part {
	const struct cs_context *context;
	size_t first, end, n_line;
	uint64_t total;
};

/* Return: 0; errors as samples_read().  Call cs_text_fini() in any case. */
int cs_text_read(struct cs_text *t, const struct profile *p);
void cs_text_fini(struct cs_text *t);

/* The next part, by name; the first if @part is zero.  Return: there is one. */
bool cs_text_next(const struct cs_text *t, struct cs_part *part);

#endif /* CSF_CS_TEXT_H */
