// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "call-stack.h"

void call_stacks_init(struct call_stacks *stacks, unsigned int branches)
{
	*stacks = (struct call_stacks){ .max_branch = branches };
}

void call_stacks_fini(struct call_stacks *stacks)
{
	for (size_t i = 0; i < stacks->n_slot; i++) {
		struct call_stack *s = stacks->slot[i];

		if (!s)
			continue;
		free(s->ret);
		free(s->branch);
		free(s);
	}
	free(stacks->slot);
	*stacks = (struct call_stacks){ 0 };
}

static struct call_stack **slot_of(struct call_stack **slot, size_t n, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 32) & (n - 1);

	while (slot[i] && slot[i]->key != key)
		i = (i + 1) & (n - 1);
	return &slot[i];
}

static int grow(struct call_stacks *stacks)
{
	size_t n = stacks->n_slot ? 2 * stacks->n_slot : 64;
	struct call_stack **slot = calloc(n, sizeof(struct call_stack *));

	if (!slot)
		return CSF_ERR_MEMORY;
	for (size_t i = 0; i < stacks->n_slot; i++)
		if (stacks->slot[i])
			*slot_of(slot, n, stacks->slot[i]->key) = stacks->slot[i];
	free(stacks->slot);
	stacks->slot = slot;
	stacks->n_slot = n;
	return 0;
}

static struct call_stack *stack_new(const struct call_stacks *stacks, uint64_t key)
{
	struct call_stack *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->key = key;
	s->max_branch = stacks->max_branch;
	if (s->max_branch)
		s->branch = calloc(s->max_branch, sizeof(*s->branch));
	if (!s->max_branch || s->branch)
		return s;
	free(s);
	return NULL;
}

struct call_stack *call_stacks_of(struct call_stacks *stacks, uint64_t key)
{
	struct call_stack **slot;

	if (stacks->recent && stacks->recent->key == key)
		return stacks->recent;
	if (2 * stacks->n >= stacks->n_slot && grow(stacks))
		return NULL;
	slot = slot_of(stacks->slot, stacks->n_slot, key);
	if (!*slot) {
		*slot = stack_new(stacks, key);
		if (*slot)
			stacks->n++;
	}
	stacks->recent = *slot;
	return *slot;
}

static int push(struct call_stack *s, uint64_t ret)
{
	if (s->n == CALL_STACK_MAX) {
		s->n /= 2;
		memmove(s->ret, s->ret + s->n, s->n * sizeof(*s->ret));
	}
	if (!array_room(&s->ret, s->n, &s->size, sizeof(*s->ret)))
		return CSF_ERR_MEMORY;
	s->ret[s->n++] = ret;
	return 0;
}

/*
 * A return to @addr ends all calls down to the one with that return address: longjmp() or a C++
 * exception left those in between.  If there is none, it ends a call from before the trace.
 */
static void pop(struct call_stack *s, uint64_t addr)
{
	for (size_t i = s->n; i--;)
		if (s->ret[i] == addr) {
			s->n = i;
			return;
		}
}

void call_stack_begin(struct call_stack *s, uint64_t trace_nr, uint32_t stream)
{
	if (s->stream == stream && s->trace_nr != trace_nr) {
		s->n = 0;
		s->n_branch = 0;
	}
	s->stream = stream;
	s->trace_nr = trace_nr;
}

int call_stack_move(struct call_stack *s, const struct cs_sample *sample, uint32_t stream)
{
	const struct call_branch branch = {
		.from = sample->ip, .to = sample->addr, .flags = sample->flags,
	};

	call_stack_begin(s, sample->trace_nr, stream);
	/*
	 * Code that ran while trace was off, usually a system call, belongs to neither; it returns
	 * to its caller.
	 */
	if (!sample->ip || !sample->addr || sample->flags & CS_FLAG_TRACE_END) {
		if (!sample->ip)
			s->n_branch = 0;
		return 0;
	}
	if (s->max_branch)
		call_stack_keep(s, &branch);
	if (sample->flags & CS_FLAG_RETURN)
		pop(s, sample->addr);
	/* a call to the next instruction only reads the address */
	else if (sample->flags & CS_FLAG_CALL && sample->ret && sample->ret != sample->addr)
		return push(s, sample->ret);
	return 0;
}

size_t call_stack_chain(const struct call_stack *s, uint64_t ip, uint64_t *chain, size_t max)
{
	size_t n = 1;

	chain[0] = ip;
	for (size_t i = s->n; i-- && n < max;)
		chain[n++] = s->ret[i];
	return n;
}
