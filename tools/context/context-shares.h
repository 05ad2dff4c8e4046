/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of nodes, by CPU and time.
 *
 * Time is cut into bins of equal length.  The length begins small and doubles whenever time goes
 * on after the last bin, or there are too many shares, so memory is bounded and the same runs
 * always give the same bins.
 */
#ifndef CSF_CONTEXT_SHARES_H
#define CSF_CONTEXT_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bins of time, and the most shares: further ones are not kept. */
#define CONTEXT_BINS	256
#define CONTEXT_SHARES_MAX	(1u << 21)

/**
 * struct context_share - the instructions that a node executed on one CPU in one bin of time
 * @next: the next one of its node; 0: none
 * @cpu: index in context_shares.cpu
 */
struct context_share {
	uint64_t insns;
	uint32_t next;
	uint16_t cpu, bin;
};

/**
 * struct context_shares - zero it
 * @wanted: set it to keep shares; set @timeless too if times of several recordings cannot be
 *          compared: then all is in bin 0
 * @share: @n of them; number 0 is none
 * @first: by node, its first share; for @n_first nodes
 * @cpu: @n_cpu numbers of CPUs
 * @begin: of bin 0, in ns of perf's clock; @width: of a bin; 0: no time is known
 */
struct context_shares {
	bool wanted, timeless;
	struct context_share *share;
	size_t n, size;
	uint32_t *first;
	size_t n_first;
	uint32_t *cpu;
	size_t n_cpu, size_cpu;
	uint64_t begin, width;
	/* private */
	uint16_t now_cpu, now_bin;
	bool full;
};

/* Instructions added after it ran on @cpu at @time; 0: not known.  Return: 0 or -ENOMEM. */
int context_shares_at(struct context_shares *s, uint32_t cpu, uint64_t time);

/* Return: 0 or -ENOMEM. */
int context_shares_add(struct context_shares *s, uint32_t node, uint64_t insns);

/* Nodes get other numbers: node i of @n becomes @number[i] of @n_new.  Return: 0 or -ENOMEM. */
int context_shares_renumber(struct context_shares *s, const uint32_t *number, size_t n,
			    size_t n_new);

/*
 * Moves @part of @all instructions of a node to another one, evenly from its CPUs and bins.
 * Return: 0 or -ENOMEM.
 */
int context_shares_move(struct context_shares *s, const uint32_t from_to[2], uint64_t part,
			uint64_t all);

void context_shares_fini(struct context_shares *s);

#endif /* CSF_CONTEXT_SHARES_H */
