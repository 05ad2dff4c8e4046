// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "../context/context-parts.h"
#include "context-profile.h"

/* Unknown callers. */
#define UNKNOWN_CALLER	1

void context_profile_close(struct context_profile *cs)
{
	contexts_fini(&cs->tree);
	line_profile_fini(&cs->s);
	count_table_fini(&cs->table);
	free(cs->to);
	free(cs->mine);
	free(cs->row);
	free(cs->call);
}

/* ---------------------------------------------------------------- the tree */

/* Finds the files of contexts that are the profile's file. */
static int find_files(struct context_profile *cs)
{
	const struct count_dso *own = &cs->p->table->dso[cs->p->dso];
	const struct count_table *files = &cs->contexts->files;

	cs->mine = calloc(files->n + 1, sizeof(*cs->mine));
	for (size_t i = 0; i < files->n && cs->mine; i++) {
		const struct count_dso *d = &files->dso[i];

		cs->mine[i] = d->kind == own->kind && d->n_build_id == own->n_build_id &&
			      (own->n_build_id ?
			       !memcmp(d->build_id, own->build_id, own->n_build_id) :
			       !strcmp(d->name, own->name));
	}
	return cs->mine ? 0 : -ENOMEM;
}

static bool is_mine(const struct context_profile *cs, uint32_t dso)
{
	return dso != CONTEXT_NOWHERE && cs->mine[dso];
}

/* Is it called from a known place of the source in this file? */
static int is_called(struct context_profile *cs, const struct context_node *n)
{
	struct frame frame[FRAME_MAX];

	if (n->kind != CONTEXT_CALL || !n->site || !is_mine(cs, n->dso))
		return 0;
	return cs->lines ? frames_at(&cs->s.frames, profile_address(cs->p, n->site), frame) : 1;
}

/* The call of @function around @parent, or @parent itself.  Return: 0: there is none. */
static uint32_t again(const struct context_profile *cs, uint32_t parent, uint32_t function)
{
	for (; parent; parent = cs->tree.node[parent].parent)
		if (cs->tree.node[parent].function == function)
			return parent;
	return 0;
}

static int remember_call(struct context_profile *cs, const struct context_node *n, uint32_t callee)
{
	struct profile_call *call;

	if (!array_room(&cs->call, cs->n_call, &cs->size_call, sizeof(*cs->call)))
		return -ENOMEM;
	call = &cs->call[cs->n_call++];
	*call = (struct profile_call){ .node = cs->to[n->parent], .callee = callee, .from = n->site,
				  .to = cs->contexts->function[n->function].start,
				  .count = n->calls };
	return 0;
}

static int add_node(struct context_profile *cs, size_t number)
{
	const struct context_node *n = &cs->contexts->node[number];
	struct context_node key = { .parent = UNKNOWN_CALLER, .function = n->function,
				    .kind = CONTEXT_CALL };
	int called;

	/* threads, and functions of other files: unknown callers */
	if (n->kind == CONTEXT_THREAD || !is_mine(cs, cs->contexts->function[n->function].dso))
		return 0;
	called = is_called(cs, n);
	if (called < 0)
		return called;
	if (called && cs->to[n->parent]) {
		key.parent = cs->to[n->parent];
		key.site = n->site;
	}
	/* a recursive call has no site, and needs none */
	cs->to[number] = again(cs, cs->to[n->parent], n->function);
	if (!cs->to[number])
		cs->to[number] = context_node(&cs->tree, &key);
	if (!cs->to[number])
		return -ENOMEM;
	cs->tree.node[cs->to[number]].calls =
		count_sum(cs->tree.node[cs->to[number]].calls, n->calls);
	return key.site ? remember_call(cs, n, cs->to[number]) : 0;
}

static int grow_tree(struct context_profile *cs)
{
	const struct context_node unknown = { .kind = CONTEXT_THREAD };
	int err = 0;

	cs->to = calloc(cs->contexts->n + 1, sizeof(*cs->to));
	if (!cs->to || !context_node(&cs->tree, &unknown))
		return -ENOMEM;
	for (size_t i = 1; i < cs->contexts->n && !err; i++)
		err = add_node(cs, i);
	return err;
}

/* ---------------------------------------------------------------- rows */

static int by_node(const void *a, const void *b)
{
	const struct context_count *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static int by_caller(const void *a, const void *b)
{
	const struct profile_call *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int read_rows(struct context_profile *cs)
{
	const struct contexts *c = cs->contexts;

	cs->row = calloc(c->n_count + 1, sizeof(*cs->row));
	if (!cs->row)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_count; i++) {
		struct context_count row = c->count[i];

		if (!is_mine(cs, row.dso))
			continue;
		row.node = cs->to[row.node] ? cs->to[row.node] : UNKNOWN_CALLER;
		cs->row[cs->n_row++] = row;
	}
	qsort(cs->row, cs->n_row, sizeof(*cs->row), by_node);
	if (cs->n_call)
		qsort(cs->call, cs->n_call, sizeof(*cs->call), by_caller);
	return 0;
}

int context_profile_open(struct context_profile *cs, const struct profile *p, bool lines)
{
	int err = 0;

	*cs = (struct context_profile){
		.p = p, .contexts = p->contexts, .one = *p, .lines = lines,
	};
	if (lines)
		err = line_profile_open(&cs->s, p, LINE_PROFILE_CLANG);
	if (!err)
		err = find_files(cs);
	if (!err)
		err = grow_tree(cs);
	return err ? err : read_rows(cs);
}

/* ---------------------------------------------------------------- a table for each */

/* Adds calls by pointer; blocks have the targets of direct ones. */
static int add_calls(struct context_profile *cs, struct count_dso *d, uint32_t node,
		     const struct count_block *b)
{
	const uint64_t from = count_last(b);
	const struct profile_call key = { .node = node, .from = from };
	size_t first;
	int err = 0;

	if (b->kind != CSF_INSN_INDIRECT || !(b->flags & CSF_FLAG_LINK))
		return 0;
	first = LOWER_BOUND(cs->n_call, i, by_caller(&cs->call[i], &key) < 0);
	for (; first < cs->n_call && cs->call[first].node == node && cs->call[first].from == from &&
	     !err; first++) {
		const struct count_edge edge = { .from = from, .to = cs->call[first].to,
						 .count = cs->call[first].count };

		/* several blocks may end alike */
		err = cs->call[first].told ? 0 : count_edge_add(d, &edge);
		cs->call[first].told = true;
	}
	return err;
}

static int fill_table(struct context_profile *cs, size_t end)
{
	const struct count_dso *own = &cs->p->table->dso[cs->p->dso];
	const struct dso_key key = { .name = own->name, .kind = own->kind };
	int err;

	count_table_fini(&cs->table);
	err = count_dso_add(&cs->table, &key);
	for (size_t i = cs->at; i < end && !err; i++) {
		struct count_dso *d = &cs->table.dso[0];

		err = count_block_add(d, &cs->row[i].block);
		if (!err)
			err = add_calls(cs, d, cs->row[i].node, &cs->row[i].block);
	}
	return err ? err : count_table_settle(&cs->table);
}

long context_profile_next_table(struct context_profile *cs)
{
	const uint32_t node = cs->at < cs->n_row ? cs->row[cs->at].node : 0;
	size_t end = cs->at;
	int err;

	if (!node)
		return 0;
	while (end < cs->n_row && cs->row[end].node == node)
		end++;
	err = fill_table(cs, end);
	cs->at = end;
	return err ? err : node;
}

long context_profile_next(struct context_profile *cs)
{
	int err = -ENODATA;
	long node;

	/* some code that ran has no lines */
	do {
		node = context_profile_next_table(cs);
		if (node <= 0)
			return node;
		cs->one.table = &cs->table;
		cs->one.dso = 0;
		err = line_profile_take(&cs->s, &cs->one);
	} while (err == -ENODATA);
	return err ? err : node;
}
