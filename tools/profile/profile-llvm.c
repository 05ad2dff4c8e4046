// SPDX-License-Identifier: GPL-2.0-only
/*
 * LLVM's sample profile, as text, for clang -fprofile-sample-use and llvm-profdata.  With
 * probes a function has its checksum after its lines, and after what is inlined in it.
 */
#include <errno.h>
#include <inttypes.h>

#include "line-profile.h"

static void print_line(const struct profile *p, const struct profile_at *at, int depth)
{
	fprintf(p->f, "%*s%u", depth, "", at->line);
	if (at->discriminator)
		fprintf(p->f, ".%u", at->discriminator);
	fprintf(p->f, ": ");
}

static void print_lines(const struct line_profile *s, const struct profile_node *node, int depth)
{
	for (size_t i = 0; i < node->n_line; i++) {
		const struct profile_line_counts *l = &s->line[node->line + i];

		print_line(s->p, &l->at, depth);
		fprintf(s->p->f, "%" PRIu64, l->count);
		for (size_t k = 0; k < l->n_target; k++) {
			const struct profile_target *t = &s->target[l->target + k];

			fprintf(s->p->f, " %.*s:%" PRIu64, (int)t->name.n, t->name.text, t->count);
		}
		fprintf(s->p->f, "\n");
	}
}

/* Frames are no more than FRAME_MAX deep. */
static void print_node(const struct line_profile *s, const struct profile_node *node, int depth)
{
	print_lines(s, node, depth);
	for (uint32_t i = node->inner; i; i = s->node[i].next) {
		const struct profile_node *inner = &s->node[i];

		print_line(s->p, &inner->at, depth);
		fprintf(s->p->f, "%.*s:%" PRIu64 "\n", (int)inner->name.n, inner->name.text,
			inner->total);
		print_node(s, inner, depth + 1);
	}
	if (node->checksum)
		fprintf(s->p->f, "%*s!CFGChecksum: %" PRIu64 "\n", depth, "", node->checksum);
}

int profile_llvm(const struct profile *p)
{
	struct line_profile s;
	int err = line_profile_read(&s, p, LINE_PROFILE_CLANG);

	for (uint32_t i = err ? 0 : s.node[0].inner; i; i = s.node[i].next) {
		const struct profile_node *node = &s.node[i];

		fprintf(p->f, "%.*s:%" PRIu64 ":%" PRIu64 "\n", (int)node->name.n, node->name.text,
			node->total, node->head);
		print_node(&s, node, 1);
	}
	line_profile_fini(&s);
	return err;
}
