/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains and last branches of threads, from the branches that cs_samples reports.
 *
 *	struct call_stacks stacks;
 *
 *	call_stacks_init(&stacks, 64);
 *	... for each sample with .moves:
 *	stack = call_stacks_of(&stacks, key);
 *	call_stack_move(stack, &sample, stream);
 *
 * A stack belongs to one thread, on whatever CPU it runs.  Inside perf, perf's thread_stack does
 * this.
 */
#ifndef CSF_CALL_STACK_H
#define CSF_CALL_STACK_H

#include "perf-sample.h"

/* With more calls than this, the outermost are forgotten. */
#define CALL_STACK_MAX	16384

/**
 * struct call_branch - a branch that was taken
 * @flags: CS_FLAG_x
 * @key_from, @key_to, @stamp, @text: for a caller that keeps the text of the branch; 0: no text
 */
struct call_branch {
	uint64_t from, to;
	uint32_t flags;
	uint32_t key_from, key_to;
	uint32_t stamp;
	uint32_t text;
};

/**
 * struct call_stack - the call stack of one thread
 * @key: as given to call_stacks_of()
 * @ret: return addresses of the @n calls, the innermost last
 * @branch: ring of the last branches: @n_branch of them, the last at @last
 * @stream: the stream of the last branch
 * @trace_nr: that of the last branch in @stream: calls before a loss are forgotten
 */
struct call_stack {
	uint64_t key;
	uint64_t *ret;
	size_t n, size;
	struct call_branch *branch;
	unsigned int n_branch, last;
	unsigned int max_branch;
	uint32_t stream;
	uint64_t trace_nr;
};

struct call_stacks {
	struct call_stack **slot;	/* open addressing */
	size_t n, n_slot;
	unsigned int max_branch;
	struct call_stack *recent;
};

/* @branches: number of branches to remember; 0: none. */
void call_stacks_init(struct call_stacks *stacks, unsigned int branches);
void call_stacks_fini(struct call_stacks *stacks);

/* The stack of @key, empty if it is new.  Return: NULL: no memory. */
struct call_stack *call_stacks_of(struct call_stacks *stacks, uint64_t key);

/*
 * A branch was taken, or trace begins or ends.  @stream: any number that identifies the trace
 * stream.
 * Return: 0, or CSF_ERR_MEMORY.
 */
int call_stack_move(struct call_stack *stack, const struct cs_sample *sample, uint32_t stream);

/*
 * For a caller that needs no call chains: as call_stack_move(), but the caller passes each branch
 * to call_stack_keep() itself.
 */
void call_stack_begin(struct call_stack *stack, uint64_t trace_nr, uint32_t stream);

static inline void call_stack_keep(struct call_stack *s, const struct call_branch *b)
{
	s->last = s->last + 1 < s->max_branch ? s->last + 1 : 0;
	s->n_branch += s->n_branch < s->max_branch;
	s->branch[s->last] = *b;
}

/* @ip and the addresses that it will return to, innermost first.  Return: number, 1..@max. */
size_t call_stack_chain(const struct call_stack *stack, uint64_t ip, uint64_t *chain, size_t max);

/* The @i-th last branch, counted from 0; NULL: there are fewer. */
static inline struct call_branch *call_stack_branch(const struct call_stack *s, unsigned int i)
{
	if (i >= s->n_branch)
		return NULL;
	return &s->branch[i <= s->last ? s->last - i : s->last + s->max_branch - i];
}

#endif /* CSF_CALL_STACK_H */
