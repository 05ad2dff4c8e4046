// SPDX-License-Identifier: GPL-2.0-only
/*
 * LLVM's sample profile by context, as text: "[main:3 @ foo:2.1 @ bar]:total:head", and lines of
 * bar when foo called it in its line 2 when main called that in its line 3.  An inlined function is
 * context like a called one.
 *
 * A context ends where the caller is unknown, is in another file, or has no debug information.
 * Recursive calls, direct or indirect, are joined with the innermost call.
 */
#include <inttypes.h>

#include "context-profile-text.h"

static void print(FILE *f, const struct profile_text *t, const struct profile_part *part)
{
	fprintf(f, "[%s]:%" PRIu64 ":%" PRIu64, part->context->name, part->total,
		part->context->head);
	for (size_t i = part->first; i < part->end; i++) {
		const struct profile_line *l = &t->line[i];

		if (l->callee.text) {
			fprintf(f, " %.*s:%" PRIu64, (int)l->callee.n, l->callee.text, l->count);
			continue;
		}
		fprintf(f, "\n %u", l->line);
		if (l->discriminator)
			fprintf(f, ".%u", l->discriminator);
		fprintf(f, ": %" PRIu64, l->count);
	}
	fputc('\n', f);
}

int profile_cs(const struct profile *p)
{
	struct profile_part part = { 0 };
	struct profile_text text;
	int err = profile_text_read(&text, p);

	while (!err && profile_text_next(&text, &part))
		print(p->f, &text, &part);
	profile_text_fini(&text);
	return err;
}
