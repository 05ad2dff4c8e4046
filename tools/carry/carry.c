// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "carry-block.h"
#include "carry.h"

/**
 * struct carry_state - what lives as long as the result
 * @pairs: the functions of both builds
 * @to: index of the new build in the table
 * @walk: into its code
 */
struct carry_state {
	struct carry_pairs pairs;
	size_t to;
	struct code_walk walk;
};

/* The address of a place in the old build, by its headers.  Return: there is one. */
static bool old_addr(const struct carry *c, uint64_t offset, uint64_t *addr)
{
	const struct elf_segment *s = elf_segment_at(c->elf[0], offset);

	*addr = s ? s->addr + (offset - s->offset) : 0;
	return s;
}

/* ---------------------------------------------------------------- blocks */

/* The function at @addr in the result, which is filled in the order of addresses. */
static struct carried_function *function_of(struct carry *c, size_t *size, uint64_t addr)
{
	const struct carry_pairs *p = &c->state->pairs;
	const struct function *f = functions_at(&p->of[0], addr);
	const char *name = f ? f->name : "[no function]";
	uint32_t other = f ? p->pair[f - p->of[0].function].other : CARRY_NONE;

	if (c->n_function && c->function[c->n_function - 1].name == name)
		return &c->function[c->n_function - 1];
	if (!array_room(&c->function, c->n_function, size, sizeof(*c->function)))
		return NULL;
	c->function[c->n_function] = (struct carried_function){ .name = name, .addr = addr };
	if (other != CARRY_NONE)
		c->function[c->n_function].other = p->of[1].function[other].name;
	return &c->function[c->n_function++];
}

static int move_block(struct carry *c, const struct count_block *b, uint64_t addr,
		      uint32_t *carried)
{
	struct carry_state *s = c->state;
	int err = 0;
	struct carry_pair *pair = carry_pair_at(&s->pairs, addr, &err);
	const uint32_t first = pair ? carry_function_at(&pair->old, addr) : CARRY_NONE;

	*carried = 0;
	if (err || first == CARRY_NONE || b->isa != CSF_A64 || b->n_insn > pair->old.n - first)
		return err;
	return carry_block(&s->walk, pair, first, b, carried);
}

static int move_blocks(struct carry *c)
{
	size_t size = 0;
	int err = 0;

	for (size_t i = 0; i < c->table->dso[c->from].n_block && !err; i++) {
		/* by value: the table's blocks may move */
		const struct count_block b = c->table->dso[c->from].block[i];
		struct carried_function *f;
		uint32_t carried = 0;
		uint64_t addr, ran = count_ran(&b);

		if (old_addr(c, b.start, &addr))
			err = move_block(c, &b, addr, &carried);
		f = err ? NULL : function_of(c, &size, addr);
		if (!f)
			return err ?: -ENOMEM;
		f->all = count_sum(f->all, count_times(ran, b.n_insn));
		f->carried = count_sum(f->carried, count_times(ran, carried));
		c->all = count_sum(c->all, count_times(ran, b.n_insn));
		c->carried = count_sum(c->carried, count_times(ran, carried));
	}
	return err;
}

/* ---------------------------------------------------------------- branches */

/* The offset in the new build for one in the old.  Return: there is one. */
static bool new_offset(struct carry *c, uint64_t *offset, int *err)
{
	uint64_t addr;
	const struct elf_segment *s;

	if (!old_addr(c, *offset, &addr) ||
	    !carry_pairs_addr(&c->state->pairs, addr, &addr, err))
		return false;
	s = elf_segment_find(c->elf[1], addr);
	if (s)
		*offset = s->offset + (addr - s->addr);
	return s;
}

/* Branches of the old build, and those of other files to it. */
static int move_edges(struct carry *c)
{
	struct count_table *t = c->table;
	int err = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct count_dso *dso = &t->dso[i];
		const size_t n = dso->n_edge;

		for (size_t k = 0; k < n && !err; k++) {
			struct count_edge e = dso->edge[k];
			const bool there = i != c->from || new_offset(c, &e.from, &err);

			if (i != c->from && e.dso != c->from)
				continue;
			if (e.dso == c->from)
				e.dso = new_offset(c, &e.to, &err) ? c->state->to : COUNT_OUTSIDE;
			if (i == c->from && there && !err)
				err = count_edge_add(&t->dso[c->state->to], &e);
			else if (i != c->from)
				dso->edge[k] = e;
		}
	}
	return err;
}

/* ---------------------------------------------------------------- all of it */

int carry(struct carry *c, const struct dso_key *key)
{
	struct count_table *t = c->table;
	long to;
	int err;

	c->state = calloc(1, sizeof(*c->state));
	if (!c->state)
		return -ENOMEM;
	if (c->elf[0]->is_module || c->elf[1]->is_module)
		return -EOPNOTSUPP;
	err = carry_pairs(&c->state->pairs, c->elf);
	if (err)
		return err;
	to = count_dso_find(t, key);
	if (to < 0)
		return to;
	c->state->to = to;
	c->state->walk = (struct code_walk){ .table = t, .dso = to, .elf = c->elf[1],
					     .isa = CSF_A64, .kind = DSO_FILE };
	err = move_blocks(c);
	if (!err)
		err = move_edges(c);
	t->dso[c->from].n_block = 0;
	t->dso[c->from].n_edge = 0;
	return err ?: count_table_settle(t);
}

void carry_fini(struct carry *c)
{
	if (c->state)
		carry_pairs_fini(&c->state->pairs);
	free(c->state);
	free(c->function);
}
