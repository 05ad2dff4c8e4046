/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the matcher: two sources compared, and what differs. */
#ifndef MATCH_COMPARE_H
#define MATCH_COMPARE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/match/match.h"

static const struct match_options defaults = {
	.window = 1, .resync = MATCH_RESYNC, .confirm = MATCH_CONFIRM,
};

/* Compares the only streams, or those of CPU 0.  The caller frees what is printed. */
static inline char *compare(struct source *a, struct source *b, struct match_options *options,
			    struct match_count *count)
{
	const struct source_stream stream = { 0 };
	struct match *m = malloc(sizeof(*m));
	char *text = NULL;
	size_t n = 0;

	options->out = open_memstream(&text, &n);
	match_rules_ready(&options->rules);
	if (match_init(m, options, a, b) || match_streams(m, &stream, &stream))
		abort();
	fclose(options->out);
	*count = m->count;
	match_fini(m);
	free(m);
	return text;
}

/* "changed 1 extra 2": the differences; "": none. */
static inline char *found(const struct match_count *count)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	for (int i = 0; i < MATCH_KIND_NR; i++)
		if (count->differences[i])
			fprintf(f, "%s%s %" PRIu64, ftell(f) ? " " : "", match_kind_name(i),
				count->differences[i]);
	fclose(f);
	return text;
}

#endif /* MATCH_COMPARE_H */
