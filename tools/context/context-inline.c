// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions in the tree of calls.  Blocks that have some are counted by node, and their
 * instructions are divided among the functions, so that all sums stay the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "context-parts.h"

/* An inlined function in debug information, and its number as a chain. */
struct context_known {
	const struct elf_inlined *inlined;
	uint32_t chain;
};

/* ---------------------------------------------------------------- chains */

/* Finds or makes a chain.  Return: 0: no memory. */
static uint32_t chain_of(struct contexts *c, const struct context_chain *key)
{
	const uint64_t hash = hash_mix(key->outer, key->function);
	uint32_t *slot;

	if (!array_room(&c->chain, c->n_chain, &c->size_chain, sizeof(*c->chain)))
		return 0;
	if (!c->n_chain)
		c->chain[c->n_chain++] = (struct context_chain){ 0 };
	if (!HASH_ROOM(&c->by_chain, c->n_chain - 1, 1, i,
		       hash_mix(c->chain[i].outer, c->chain[i].function)))
		return 0;
	slot = HASH_SLOT(&c->by_chain, hash, i, c->chain[i].outer == key->outer &&
			 c->chain[i].function == key->function);
	if (!*slot) {
		if (!array_room(&c->chain, c->n_chain, &c->size_chain, sizeof(*c->chain)))
			return 0;
		c->chain[c->n_chain] = *key;
		*slot = c->n_chain++;
	}
	return *slot;
}

/* The number of @in, code of file @dso, which is not NULL.  Return: 0: no memory. */
static uint32_t number_of(struct context_code *code, uint32_t dso, const struct elf_inlined *in)
{
	struct contexts *c = code->contexts;
	struct context_chain key = { 0, 0 };
	uint32_t *slot;

	if (!array_room(&code->known, code->n_known, &code->size_known, sizeof(*code->known)) ||
	    !HASH_ROOM(&code->by_inlined, code->n_known, 1, i,
		       hash_mix(0, (uintptr_t)code->known[i - 1].inlined)))
		return 0;
	slot = HASH_SLOT(&code->by_inlined, hash_mix(0, (uintptr_t)in), i,
			 code->known[i - 1].inlined == in);
	if (*slot)
		return code->known[*slot - 1].chain;
	if (in->outer) {
		key.outer = number_of(code, dso, in->outer);
		if (!key.outer)
			return 0;
	}
	key.function = context_function(c, dso, in->function->id, in->function->marked);
	key.outer = key.function ? chain_of(c, &key) : 0;
	if (!key.outer || !array_room(&code->known, code->n_known, &code->size_known,
				      sizeof(*code->known)) ||
	    !HASH_ROOM(&code->by_inlined, code->n_known, 1, i,
		       hash_mix(0, (uintptr_t)code->known[i - 1].inlined)))
		return 0;
	code->known[code->n_known] = (struct context_known){ in, key.outer };
	slot = HASH_SLOT(&code->by_inlined, hash_mix(0, (uintptr_t)in), i,
			 code->known[i - 1].inlined == in);
	*slot = ++code->n_known;
	return key.outer;
}

/* ---------------------------------------------------------------- blocks */

/**
 * struct piece - a piece of a block, in one inlined function or in none
 * @from, @to: bytes of the block; zero before the first
 * @n_insn: instructions; @done: those before it
 * @place: where it begins
 * @inlined: the function; NULL: none
 */
struct piece {
	uint32_t from, to, n_insn, done;
	struct code_place place;
	const struct elf_inlined *inlined;
};

/* T32 instructions in the @n bytes from @place on. */
static uint32_t count_t32(const struct code_place *place, uint32_t n)
{
	const struct elf_file *elf = place->dso->elf;
	const struct elf_segment *s = elf_segment_find(elf, place->addr);
	const uint64_t at = s ? place->addr - s->addr : 0;
	uint32_t count = 0;

	if (!s || s->size - at < n)
		return n / 2;
	for (uint32_t i = 0; i < n; count++)
		i += (elf->bytes[s->offset + at + i + 1] & 0xf8) >= 0xe8 ? 4 : 2;
	return count;
}

static uint32_t count_insns(const struct csf_block *b, const struct piece *p)
{
	const uint32_t left = b->n_insn - p->done;
	uint32_t n = (p->to - p->from) / 4;

	if (p->to == b->size)
		return left;
	if (b->isa == CSF_T32)
		n = count_t32(&p->place, p->to - p->from);
	return n < left ? n : left;
}

/* Goes on to the next piece.  Return: false: there is none. */
static bool next_piece(struct context_code *code, const struct csf_block *b, struct piece *p)
{
	struct perf_code *pc = &code->replay->tasks->code;
	const uint32_t step = b->isa == CSF_T32 ? 2 : 4;
	uint64_t n = UINT64_MAX;

	p->from = p->to;
	p->done += p->n_insn;
	if (p->from >= b->size)
		return false;
	p->inlined = NULL;
	if (perf_code_place(pc, b->section, b->offset + p->from, &p->place))
		p->inlined = perf_code_inlined(pc, &p->place, &n);
	if (n > b->size - p->from)
		n = b->size - p->from;
	p->to = p->from + (n + step - 1) / step * step;
	if (p->to > b->size)
		p->to = b->size;
	p->n_insn = count_insns(b, p);
	return true;
}

int context_inline_learn(struct context_code *code, const struct csf_block *b,
			 struct context_block *block)
{
	struct piece p = { 0 };
	bool any = false;

	while (next_piece(code, b, &p)) {
		any |= !!p.inlined;
		if (!p.inlined || block->last < p.from || block->last >= p.to)
			continue;
		block->inlined = number_of(code, block->at.dso, p.inlined);
		if (!block->inlined)
			return -ENOMEM;
	}
	return any;
}

/* ---------------------------------------------------------------- counts */

static int add_part(struct contexts *c, const struct context_part *part)
{
	if (!array_room(&c->part, c->n_part, &c->size_part, sizeof(*c->part)))
		return -ENOMEM;
	c->part[c->n_part++] = *part;
	return 0;
}

/* Of @in and those around it, those that begin at an address from @start up to @end. */
static int add_calls(struct context_code *code, const struct context_ran *ran,
		     const struct elf_inlined *in, const struct elf_range *at, uint64_t calls)
{
	const uint32_t dso = code->block[csf_step_block((uint32_t)ran->key)].at.dso;
	struct context_part part = { .node = ran->key >> 32, .calls = calls };
	int err = 0;

	for (; in && !err; in = in->outer) {
		if (in->entry < at->start || in->entry >= at->end)
			continue;
		part.chain = number_of(code, dso, in);
		err = part.chain ? add_part(code->contexts, &part) : -ENOMEM;
	}
	return err;
}

/*
 * A loop may lead back to the first instruction of a function that its branch, at the end of @p, is
 * still in: that is no call.  Other ways to it may be: parts of a function can come before its
 * first instruction.
 */
static int take_loop(struct context_code *code, const struct context_ran *ran,
		     const struct csf_block *b, const struct piece *p)
{
	const uint64_t start = p->place.addr - p->from;
	struct elf_range to = { .start = start + (b->target - b->offset) };

	if (!(ran->key & 1) || b->flags & CSF_FLAG_CUT || b->kind != CSF_INSN_BRANCH ||
	    to.start >= start + b->size)
		return 0;
	to.end = to.start + 1;
	return add_calls(code, ran, p->inlined, &to, -ran->count);
}

int context_inline_fold(struct context_code *code, const struct context_ran *ran)
{
	const uint32_t step = ran->key;
	struct context_part part = { .node = ran->key >> 32 };
	struct piece p = { 0 };
	struct csf_block b;
	int err = 0;

	csf_block(code->replay->image, csf_step_block(step), &b);
	while (!err && next_piece(code, &b, &p)) {
		struct elf_range at = { p.place.addr, p.place.addr + (p.to - p.from) };

		if (!p.inlined)
			continue;
		part.chain = number_of(code, code->block[csf_step_block(step)].at.dso, p.inlined);
		part.insns = count_times(ran->count, p.n_insn);
		err = part.chain ? add_part(code->contexts, &part) : -ENOMEM;
		if (!err)
			err = add_calls(code, ran, p.inlined, &at, ran->count);
		if (!err && p.to == b.size)
			err = take_loop(code, ran, &b, &p);
	}
	return err;
}

/* ---------------------------------------------------------------- the tree */

/* Finds or makes the nodes of @chain below @parent.  Return: the innermost; 0: no memory. */
static uint32_t inlined_node(const struct contexts *c, struct contexts *to, uint32_t parent,
			     uint32_t chain)
{
	struct context_node key = { .kind = CONTEXT_INLINED, .parent = parent };

	if (c->chain[chain].outer)
		key.parent = inlined_node(c, to, parent, c->chain[chain].outer);
	key.function = c->chain[chain].function;
	return key.parent ? context_node(to, &key) : 0;
}

/* Copies node @i; @number: of nodes that were copied. */
static int copy_node(const struct contexts *c, struct contexts *to, uint32_t *number, size_t i)
{
	const struct context_node *from = &c->node[i];
	struct context_node key = *from, *n;

	key.parent = number[from->parent];
	if (from->inlined)
		key.parent = inlined_node(c, to, key.parent, from->inlined);
	if (from->inlined && !key.parent)
		return -ENOMEM;
	key.inlined = 0;
	key.calls = 0;
	key.blocks = 0;
	key.insns = 0;
	number[i] = context_node(to, &key);
	if (!number[i])
		return -ENOMEM;
	n = &to->node[number[i]];
	n->calls = count_sum(n->calls, from->calls);
	n->blocks = count_sum(n->blocks, from->blocks);
	n->insns = count_sum(n->insns, from->insns);
	return 0;
}

/* Moves instructions of a node to an inlined function. */
static int move_part(const struct contexts *c, struct contexts *to, const uint32_t *number,
		     const struct context_part *part)
{
	const uint32_t outer = number[part->node];
	const uint32_t inner = outer ? inlined_node(c, to, outer, part->chain) : 0;

	/* too many counts: they are those of no node */
	if (!outer)
		return 0;
	if (!inner)
		return -ENOMEM;
	to->node[inner].insns = count_sum(to->node[inner].insns, part->insns);
	to->node[inner].calls += part->calls;
	to->node[outer].insns -= part->insns;
	return 0;
}

/* The node that @i, of an inlined function, is in the code of. */
static uint32_t outermost(const struct contexts *c, uint32_t i)
{
	while (c->node[i].kind == CONTEXT_INLINED)
		i = c->node[i].parent;
	return i;
}

/* Shares are of nodes without inlined functions: each inlined function takes its part of them. */
static int divide_shares(struct contexts *c, const struct contexts *to, const uint32_t *number)
{
	uint64_t *left = calloc(to->n + 1, sizeof(*left));
	int err = left ? context_shares_renumber(&c->shares, number, c->n, to->n) : -ENOMEM;

	for (size_t i = 0; i < to->n && !err; i++)
		left[outermost(to, i)] += to->node[i].insns;
	for (size_t i = 0; i < to->n && !err; i++) {
		const uint32_t from_to[] = { outermost(to, i), i };

		if (from_to[0] == i || !to->node[i].insns)
			continue;
		err = context_shares_move(&c->shares, from_to, to->node[i].insns,
					  left[from_to[0]]);
		left[from_to[0]] -= to->node[i].insns;
	}
	free(left);
	return err;
}

int contexts_inline(struct contexts *c)
{
	struct contexts to = { 0 };
	uint32_t *number = calloc(c->n + 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (size_t i = 1; i < c->n && !err; i++)
		err = copy_node(c, &to, number, i);
	for (size_t i = 0; i < c->n_part && !err; i++)
		err = move_part(c, &to, number, &c->part[i]);
	for (size_t i = 0; i < c->n_count && !err; i++)
		c->count[i].node = number[c->count[i].node];
	for (size_t i = 0; i < to.n; i++)
		if (to.node[i].kind == CONTEXT_INLINED && (int64_t)to.node[i].calls < 0)
			to.node[i].calls = 0;
	if (c->shares.wanted && c->n && !err)
		err = divide_shares(c, &to, number);
	free(number);
	if (err || !c->n) {
		contexts_fini(&to);
		return err;
	}
	free(c->node);
	free(c->by_key.slot);
	free(c->part);
	c->node = to.node;
	c->n = to.n;
	c->size = to.size;
	c->by_key = to.by_key;
	c->folded += to.folded;
	c->part = NULL;
	c->n_part = 0;
	c->size_part = 0;
	return 0;
}
