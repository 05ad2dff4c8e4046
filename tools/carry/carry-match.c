// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "carry-hashed.h"
#include "carry-match.h"

#define ROUNDS_MAX	64
#define GAP_ROUNDS	2

/* Joins two pieces that are alike: they have the same number of instructions. */
static void join(struct carry_match *m, uint32_t p, uint32_t q)
{
	const struct carry_piece *a = &m->a->piece[p], *b = &m->b->piece[q];

	m->pair[p] = q;
	m->back[q] = p;
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		if (m->to[a->first + i] != CARRY_NONE || m->from[b->first + i] != CARRY_NONE)
			continue;
		m->to[a->first + i] = b->first + i;
		m->from[b->first + i] = a->first + i;
	}
}

/* ---------------------------------------------------------------- anchors */

/* Pieces without a partner, by hash. */
static struct carry_hashed *collect(const struct carry_function *f, const uint32_t *pair,
				    enum carry_hash degree, size_t *n)
{
	struct carry_hashed *h = calloc(f->n_piece + 1, sizeof(*h));

	*n = 0;
	for (uint32_t i = 0; h && i < f->n_piece; i++)
		if (pair[i] == CARRY_NONE)
			h[(*n)++] = (struct carry_hashed){ f->piece[i].hash[degree], i };
	if (h)
		carry_hashed_sort(h, *n);
	return h;
}

/*
 * Joins pieces with one hash if there are as many of them in both: in their order.  More than one
 * would often be wrong where the pieces around them do not count.
 */
static int anchor(struct carry_match *m, enum carry_hash degree)
{
	const bool many = degree == CARRY_SAME_AROUND || degree == CARRY_LIKE_AROUND ||
			  degree == CARRY_FORM_AROUND;
	size_t n = 0, k = 0;
	struct carry_hashed *a = collect(m->a, m->pair, degree, &n);
	struct carry_hashed *b = collect(m->b, m->back, degree, &k);
	struct carry_common c = { .list = { a, b }, .n = { n, k } };

	while (a && b && carry_common_next(&c)) {
		if (c.alike[0] != c.alike[1] || (c.alike[0] > 1 && !many))
			continue;
		for (size_t i = 0; i < c.alike[0]; i++)
			join(m, a[c.first[0] + i].index, b[c.first[1] + i].index);
	}
	free(a);
	free(b);
	return a && b ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- along the flow */

/* Joins @p and @q if they are alike.  Return: they are, and were not joined before. */
static bool try_join(struct carry_match *m, enum carry_hash degree, uint32_t p, uint32_t q)
{
	if (p >= m->a->n_piece || q >= m->b->n_piece || m->pair[p] != CARRY_NONE ||
	    m->back[q] != CARRY_NONE ||
	    m->a->piece[p].hash[degree] != m->b->piece[q].hash[degree])
		return false;
	join(m, p, q);
	return true;
}

/* What a pair leads to, and what lies before it.  Return: how many pairs were found. */
static uint32_t spread_from(struct carry_match *m, enum carry_hash degree, uint32_t p)
{
	const uint32_t q = m->pair[p];
	uint32_t n = 0;

	n += try_join(m, degree, p + 1, q + 1);
	n += try_join(m, degree, p - 1, q - 1);
	n += try_join(m, degree, m->a->piece[p].to, m->b->piece[q].to);
	return n;
}

/* Forwards and backwards, until there is nothing new; code of more rounds is no compiler's. */
static void spread(struct carry_match *m, enum carry_hash degree)
{
	uint32_t found = 1;

	for (int round = 0; round < ROUNDS_MAX && found; round++) {
		found = 0;
		for (uint32_t p = 0; p < m->a->n_piece; p++)
			if (m->pair[p] != CARRY_NONE)
				found += spread_from(m, degree, p);
		for (uint32_t p = m->a->n_piece; p-- > 0;)
			if (m->pair[p] != CARRY_NONE)
				found += spread_from(m, degree, p);
	}
}

/* ---------------------------------------------------------------- gaps */

/* The pieces from @first on that have no partner, forwards or backwards. */
static uint32_t alone(const uint32_t *pair, uint32_t n, uint32_t first)
{
	uint32_t i = first;

	while (i < n && pair[i] == CARRY_NONE)
		i++;
	return i - first;
}

/* The instructions of @n pieces from @piece on. */
static void span(const struct carry_function *f, uint32_t piece, uint32_t n, struct carry_gap *g,
		 int side)
{
	const struct carry_piece *last = &f->piece[piece + n - 1];

	g->first[side] = f->piece[piece].first;
	g->n[side] = n ? last->first + last->n - g->first[side] : 0;
}

/* @n pieces from @p on, and @k from @q on. */
static int align(struct carry_match *m, uint32_t p, uint32_t n, uint32_t q, uint32_t k)
{
	struct carry_gap g = { { 0 } };

	if (!n || !k)
		return 0;
	span(m->a, p, n, &g, 0);
	span(m->b, q, k, &g, 1);
	return carry_align(m, &g);
}

/* Matches what lies after the partner of the piece before, then before that of the piece after. */
static int fill_gap(struct carry_match *m, uint32_t p, uint32_t n)
{
	const uint32_t q = p ? m->pair[p - 1] + 1 : 0;
	const uint32_t after = p + n < m->a->n_piece ? m->pair[p + n] : m->b->n_piece;
	const uint32_t k = alone(m->back, m->b->n_piece, q);
	uint32_t before = 0;
	int err = align(m, p, n, q, k);

	while (before < after && m->back[after - before - 1] == CARRY_NONE)
		before++;
	if (!err && after - before != q)
		err = align(m, p, n, after - before, before);
	return err;
}

static int fill_gaps(struct carry_match *m)
{
	int err = 0;

	for (uint32_t p = 0; p < m->a->n_piece && !err; p++) {
		const uint32_t n = alone(m->pair, m->a->n_piece, p);

		if (n)
			err = fill_gap(m, p, n);
		p += n;
	}
	return err;
}

/* Where branches that are the same lead: a piece that moved, and is not alike. */
static int follow_branches(struct carry_match *m)
{
	int err = 0;

	for (uint32_t p = 0; p < m->a->n_piece && !err; p++) {
		const struct carry_piece *a = &m->a->piece[p];
		const uint32_t last = m->to[a->first + a->n - 1];
		uint32_t q;

		if (last == CARRY_NONE || a->to == CARRY_NONE || m->pair[a->to] != CARRY_NONE)
			continue;
		q = m->b->piece[m->b->piece_of[last]].to;
		if (q != CARRY_NONE && m->back[q] == CARRY_NONE)
			err = align(m, a->to, 1, q, 1);
	}
	return err;
}

/* ---------------------------------------------------------------- all of it */

static uint32_t *nothing(uint32_t n)
{
	uint32_t *p = malloc((n + 1) * sizeof(*p));

	if (p)
		memset(p, 0xff, (n + 1) * sizeof(*p));
	return p;
}

int carry_match(struct carry_match *m, const struct carry_function *a,
		const struct carry_function *b)
{
	int err;

	*m = (struct carry_match){ .a = a, .b = b, .to = nothing(a->n), .from = nothing(b->n),
				   .pair = nothing(a->n_piece), .back = nothing(b->n_piece) };
	err = m->to && m->from && m->pair && m->back ? 0 : -ENOMEM;
	for (int degree = 0; degree < CARRY_HASH_NR && !err; degree++) {
		err = anchor(m, degree);
		if (!err)
			spread(m, degree < CARRY_LIKE ? CARRY_LIKE : CARRY_FORM);
	}
	/* what is found may lead on; more rounds find more, and less that is right */
	for (int round = 0; round < GAP_ROUNDS && !err; round++) {
		err = follow_branches(m);
		if (!err)
			err = fill_gaps(m);
	}
	return err;
}

void carry_match_fini(struct carry_match *m)
{
	free(m->to);
	free(m->from);
	free(m->pair);
	free(m->back);
	*m = (struct carry_match){ .a = NULL };
}
