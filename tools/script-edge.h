/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches as text, quickly: what was printed once of a branch is copied from
 * then on.  The first time it is printed as any other sample.
 */
#ifndef CSF_SCRIPT_EDGE_H
#define CSF_SCRIPT_EDGE_H

#include "line-cache.h"
#include "script-print.h"

#define SCRIPT_WHO_MAX	128

/**
 * struct script_edges - zero it, set the first four, script_edges_init()
 * @print: how a sample is printed; borrowed
 * @samples: where the branches come from; borrowed
 * @from, @until: only what was then, perf's clock, ns
 */
struct script_edges {
	struct script_print *print;
	struct cs_samples *samples;
	uint64_t from, until;
	/* private */
	struct line_cache lines;
	uint32_t world;
	char who[SCRIPT_WHO_MAX + LINE_PIECE];
	size_t n_who;
	char clock[LINE_PIECE];	/* at @at, in units of what is printed of it; in second @second */
	size_t n_clock;
	uint64_t at, second;
};

/* Return: 0; -1: no memory. */
int script_edges_init(struct script_edges *e);
void script_edges_fini(struct script_edges *e);

/* A run.  Return: its branches can be printed in this way. */
bool script_edges_run(struct script_edges *e, const struct perf_run *run);

/* @n branches of it.  Return: how many of them were printed. */
size_t script_edges_print(struct script_edges *e, const struct cs_edge *edge, size_t n);

#endif /* CSF_SCRIPT_EDGE_H */
