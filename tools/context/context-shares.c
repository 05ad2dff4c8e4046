// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "../lib/ratio.h"
#include "context-shares.h"

/* The first length of a bin, in ns */
#define WIDTH_LEAST	1000
#define CPUS_MAX	UINT16_MAX

void context_shares_fini(struct context_shares *s)
{
	free(s->share);
	free(s->first);
	free(s->cpu);
	*s = (struct context_shares){ 0 };
}

/* ---------------------------------------------------------------- shares */

/* The share of @node on a CPU in a bin, which becomes the node's first.  Return: 0: no memory. */
static uint32_t share_of(struct context_shares *s, uint32_t node, uint16_t cpu, uint16_t bin)
{
	uint32_t *link = &s->first[node], found;

	while (*link && (s->share[*link].cpu != cpu || s->share[*link].bin != bin))
		link = &s->share[*link].next;
	found = *link;
	if (found) {
		*link = s->share[found].next;
	} else {
		if (!array_room(&s->share, s->n, &s->size, sizeof(*s->share)))
			return 0;
		s->n += !s->n;
		found = s->n++;
		s->share[found] = (struct context_share){ .cpu = cpu, .bin = bin };
	}
	s->share[found].next = s->first[node];
	s->first[node] = found;
	return found;
}

/* Doubles the length of bins.  Return: 0 or -ENOMEM. */
static int fold(struct context_shares *s)
{
	struct context_shares old = *s;
	int err = 0;

	s->share = NULL;
	s->n = 0;
	s->size = 0;
	s->width *= 2;
	s->now_bin /= 2;
	for (size_t i = 0; i < s->n_first && !err; i++) {
		uint32_t at = s->first[i];

		s->first[i] = 0;
		for (; at && !err; at = old.share[at].next) {
			const struct context_share *from = &old.share[at];
			uint32_t to = share_of(s, i, from->cpu, from->bin / 2);

			if (to)
				s->share[to].insns += from->insns;
			else
				err = -ENOMEM;
		}
	}
	free(old.share);
	return err;
}

/* ---------------------------------------------------------------- now */

static int find_cpu(struct context_shares *s, uint32_t cpu)
{
	size_t i = 0;

	if (s->now_cpu < s->n_cpu && s->cpu[s->now_cpu] == cpu)
		return 0;
	while (i < s->n_cpu && s->cpu[i] != cpu)
		i++;
	if (i == CPUS_MAX)
		i--;
	if (i == s->n_cpu) {
		if (!array_room(&s->cpu, s->n_cpu, &s->size_cpu, sizeof(*s->cpu)))
			return -ENOMEM;
		s->cpu[s->n_cpu++] = cpu;
	}
	s->now_cpu = i;
	return 0;
}

int context_shares_at(struct context_shares *s, uint32_t cpu, uint64_t time)
{
	int err = find_cpu(s, cpu);

	if (err || !time || s->timeless)
		return err;
	if (!s->width) {
		s->begin = time;
		s->width = WIDTH_LEAST;
	}
	/* streams are read a little ahead of each other */
	if (time < s->begin)
		time = s->begin;
	while ((time - s->begin) / s->width >= CONTEXT_BINS && !err)
		err = fold(s);
	s->now_bin = (time - s->begin) / s->width;
	return err;
}

/* The shares are too many: longer bins, unless there is only one left. */
static int make_room(struct context_shares *s)
{
	int err = 0;

	for (int i = 1; i < CONTEXT_BINS && s->width && !err; i *= 2) {
		if (s->n < CONTEXT_SHARES_MAX)
			break;
		err = fold(s);
	}
	s->full = s->n >= CONTEXT_SHARES_MAX / 4 * 3;
	return err;
}

int context_shares_add(struct context_shares *s, uint32_t node, uint64_t insns)
{
	uint32_t to = node < s->n_first ? s->first[node] : 0;
	int err;

	if (!to || s->share[to].cpu != s->now_cpu || s->share[to].bin != s->now_bin) {
		if (s->full)
			return 0;
		err = s->n >= CONTEXT_SHARES_MAX ? make_room(s) : 0;
		if (err)
			return err;
		if (node >= s->n_first) {
			if (!array_zeros(&s->first, s->n_first, 2 * (size_t)node + 64,
					 sizeof(*s->first)))
				return -ENOMEM;
			s->n_first = 2 * (size_t)node + 64;
		}
		to = share_of(s, node, s->now_cpu, s->now_bin);
		if (!to)
			return -ENOMEM;
	}
	s->share[to].insns += insns;
	return 0;
}

/* ---------------------------------------------------------------- other nodes */

int context_shares_renumber(struct context_shares *s, const uint32_t *number, size_t n,
			    size_t n_new)
{
	uint32_t *first = calloc(n_new + 1, sizeof(*first));

	if (!first)
		return -ENOMEM;
	for (size_t i = 0; i < n && i < s->n_first; i++) {
		uint32_t *link = &first[number[i]];

		while (*link)
			link = &s->share[*link].next;
		*link = s->first[i];
	}
	free(s->first);
	s->first = first;
	s->n_first = n_new;
	return 0;
}

/* Each share gives a part, and rounding gives nothing away: what was given so far is rounded. */
int context_shares_move(struct context_shares *s, const uint32_t from_to[2], uint64_t part,
			uint64_t all)
{
	uint64_t kept = 0, before = 0, sum = 0;

	for (uint32_t at = s->first[from_to[0]]; at; at = s->share[at].next)
		kept += s->share[at].insns;
	part = ratio_of(kept, part, all);
	for (uint32_t at = s->first[from_to[0]]; at; at = s->share[at].next) {
		const struct context_share *share = &s->share[at];
		uint64_t given;
		uint32_t to;

		sum += share->insns;
		given = ratio_of(part, sum, kept) - before;
		before += given;
		to = given ? share_of(s, from_to[1], share->cpu, share->bin) : 0;
		if (given && !to)
			return -ENOMEM;
		s->share[to].insns += given;
		s->share[at].insns -= given;
	}
	return 0;
}
