// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two stretches of code in order: instructions are left out of either so that the rest fits best.
 * This is the well-known table of the best score up to each pair, filled row by row.
 */
#include <errno.h>
#include <stdlib.h>

#include "carry-match.h"

/* The largest table; of longer gaps, only the ends are compared. */
#define CELLS_MAX	(8u << 20)

/* What a pair is worth; 0: it is no pair. */
enum { SAME = 4, LIKE = 3, FORM = 2 };

enum { FROM_BOTH = 1, FROM_OLD, FROM_NEW };

static int worth(const struct carry_match *m, uint32_t i, uint32_t k)
{
	const struct carry_insn *a = &m->a->insn[i], *b = &m->b->insn[k];

	if (m->to[i] != CARRY_NONE || m->from[k] != CARRY_NONE || a->form != b->form)
		return 0;
	return a->same == b->same ? SAME : a->like == b->like ? LIKE : FORM;
}

static void join(struct carry_match *m, uint32_t i, uint32_t k)
{
	m->to[i] = k;
	m->from[k] = i;
}

/* Joins what is alike at both ends, and takes it off the gap. */
static void trim(struct carry_match *m, struct carry_gap *g)
{
	while (g->n[0] && g->n[1] && worth(m, g->first[0], g->first[1]) >= LIKE) {
		join(m, g->first[0]++, g->first[1]++);
		g->n[0]--;
		g->n[1]--;
	}
	while (g->n[0] && g->n[1] && worth(m, g->first[0] + g->n[0] - 1,
					   g->first[1] + g->n[1] - 1) >= LIKE) {
		g->n[0]--;
		g->n[1]--;
		join(m, g->first[0] + g->n[0], g->first[1] + g->n[1]);
	}
}

/* Fills @way, row by row from the last; @best has two rows, each of n[1] + 1. */
static void fill(const struct carry_match *m, const struct carry_gap *g, uint8_t *way,
		 uint32_t *best)
{
	const uint32_t width = g->n[1] + 1;

	for (uint32_t i = g->n[0]; i-- > 0;) {
		uint32_t *row = best + (i & 1) * width;
		const uint32_t *below = best + (~i & 1) * width;

		row[g->n[1]] = 0;
		for (uint32_t k = g->n[1]; k-- > 0;) {
			const int w = worth(m, g->first[0] + i, g->first[1] + k);
			const uint32_t both = w ? below[k + 1] + w : 0;
			const bool old = below[k] >= row[k + 1];

			row[k] = old ? below[k] : row[k + 1];
			way[(size_t)i * g->n[1] + k] = old ? FROM_OLD : FROM_NEW;
			if (w && both >= row[k]) {
				row[k] = both;
				way[(size_t)i * g->n[1] + k] = FROM_BOTH;
			}
		}
	}
}

static void follow(struct carry_match *m, const struct carry_gap *g, const uint8_t *way)
{
	uint32_t i = 0, k = 0;

	while (i < g->n[0] && k < g->n[1]) {
		const uint8_t w = way[(size_t)i * g->n[1] + k];

		if (w == FROM_BOTH)
			join(m, g->first[0] + i, g->first[1] + k);
		i += w != FROM_NEW;
		k += w != FROM_OLD;
	}
}

int carry_align(struct carry_match *m, const struct carry_gap *gap)
{
	struct carry_gap g = *gap;
	uint32_t *best;
	uint8_t *way;

	trim(m, &g);
	if (!g.n[0] || !g.n[1] || (uint64_t)g.n[0] * g.n[1] > CELLS_MAX)
		return 0;
	way = malloc((size_t)g.n[0] * g.n[1]);
	best = calloc(2 * ((size_t)g.n[1] + 1), sizeof(*best));
	if (way && best) {
		fill(m, &g, way, best);
		follow(m, &g, way);
	}
	free(best);
	free(way);
	return way && best ? 0 : -ENOMEM;
}
