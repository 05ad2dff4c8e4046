// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks, one on each line, and how many instructions ran there: "main;foo;bar 123", for
 * flamegraph.pl and others.  The places of calls are ignored: the tree is rebuilt without them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../context/context-parts.h"
#include "profile.h"

/* The text of a node: its function, or its thread. */
struct label {
	uint32_t function;
	const char *name;
	char *own;		/* if @name is not the function's */
};

/* Code without a symbol is named by its file. */
static char *name_of_file(const struct contexts *c, uint32_t dso)
{
	const char *path = dso < c->files.n ? c->files.dso[dso].name : "unknown";
	const char *last = strrchr(path, '/');
	char *name;

	return asprintf(&name, "[%s]", last && last[1] ? last + 1 : path) < 0 ? NULL : name;
}

static int by_name(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* All functions, by name: @rank of each is the same for functions of one name. */
static struct label *rank_labels(const struct contexts *c, uint32_t *rank)
{
	struct label *label = calloc(c->n_function + 1, sizeof(*label));
	bool whole = label;

	for (size_t i = 1; i < c->n_function && whole; i++) {
		label[i].function = i;
		if (!c->function[i].name)
			label[i].own = name_of_file(c, c->function[i].dso);
		label[i].name = label[i].own ? label[i].own : c->function[i].name;
		whole = label[i].name;
	}
	if (!whole) {
		for (size_t i = 1; i < c->n_function && label; i++)
			free(label[i].own);
		free(label);
		return NULL;
	}
	if (c->n_function)
		qsort(label + 1, c->n_function - 1, sizeof(*label), by_name);
	for (size_t i = 1; i < c->n_function; i++) {
		bool same = i > 1 && !by_name(&label[i - 1], &label[i]);

		rank[label[i].function] = same ? rank[label[i - 1].function] : i;
	}
	return label;
}

/* The same tree, without places, and without threads unless requested. */
static int flatten(const struct contexts *c, const uint32_t *rank, enum profile_by by,
		   struct contexts *flat)
{
	uint32_t *to = calloc(c->n + 1, sizeof(*to));
	int err = to ? 0 : -ENOMEM;

	/* the root, and one thread for all */
	if (!err)
		to[0] = context_node(flat, &(struct context_node){ .kind = CONTEXT_THREAD });
	for (size_t i = 1; i < c->n && !err; i++) {
		const struct context_node *n = &c->node[i];
		struct context_node key = { .parent = to[n->parent],
					    .function = rank[n->function] };

		if (n->kind == CONTEXT_THREAD && by == PROFILE_BY_THREAD)
			key.site = n->site;
		to[i] = n->kind == CONTEXT_THREAD && by == PROFILE_BY_NONE ? to[0] :
			context_node(flat, &key);
		if (!to[i])
			err = -ENOMEM;
		else
			flat->node[to[i]].insns = count_sum(flat->node[to[i]].insns, n->insns);
	}
	free(to);
	return err;
}

/* Semicolons and line ends are special here. */
static void print_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, f);
}

static void print_stack(const struct profile *p, const struct contexts *flat,
			const struct label *label, uint32_t number)
{
	uint32_t path[CONTEXT_DEPTH_MAX + 2];
	size_t n = 0;

	for (uint32_t i = number; flat->node[i].parent; i = flat->node[i].parent)
		path[n++] = i;
	for (size_t i = n; i--;) {
		const struct context_node *node = &flat->node[path[i]];

		print_name(p->f, node->function ? label[node->function].name : "[unknown]");
		if (node->site)
			fprintf(p->f, "-%" PRId32 "/%" PRId32, (int32_t)(node->site >> 32),
				(int32_t)node->site);
		fputs(i ? ";" : "", p->f);
	}
	fprintf(p->f, " %" PRIu64 "\n", flat->node[number].insns);
}

int profile_folded(const struct profile *p)
{
	const struct contexts *c = p->contexts;
	uint32_t *rank = calloc(c->n_function + 1, sizeof(*rank));
	struct label *label = rank ? rank_labels(c, rank) : NULL;
	struct contexts flat = { 0 };
	int err = label ? flatten(c, rank, p->by, &flat) : -ENOMEM;

	for (size_t i = 2; i < flat.n && !err; i++)
		if (flat.node[i].insns)
			print_stack(p, &flat, label, i);
	for (size_t i = 1; i < c->n_function && label; i++)
		free(label[i].own);
	contexts_fini(&flat);
	free(label);
	free(rank);
	return err;
}
