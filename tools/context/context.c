// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "context-parts.h"

/* Functions known by name for changing stacks; leading underscores are ignored. */
static const struct {
	const char *name;
	enum context_role role;
} roles[] = {
	{ "setjmp", ROLE_SETJMP },
	{ "sigsetjmp", ROLE_SETJMP },
	{ "Unwind_Resume", ROLE_UNWIND },
};

static enum context_role role_of(const char *name)
{
	if (!name)
		return ROLE_NONE;
	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].role;
	return ROLE_NONE;
}

void contexts_fini(struct contexts *c)
{
	for (size_t i = 0; i < c->n_function; i++)
		free(c->function[i].name);
	free(c->function);
	free(c->node);
	free(c->count);
	free(c->chain);
	free(c->part);
	free(c->by_key.slot);
	free(c->by_start.slot);
	free(c->by_chain.slot);
	count_table_fini(&c->files);
	context_shares_fini(&c->shares);
	*c = (struct contexts){ 0 };
}

/* ---------------------------------------------------------------- nodes */

static uint64_t hash_node(const struct context_node *k)
{
	return hash_mix(hash_mix((uint64_t)k->parent << 32 | k->function, k->site),
			(uint64_t)k->dso << 32 | k->kind);
}

static uint64_t hash_function(uint32_t dso, uint64_t start)
{
	return hash_mix(dso, start);
}

static bool grow_nodes(struct contexts *c)
{
	if (!array_room(&c->node, c->n, &c->size, sizeof(*c->node)) ||
	    !HASH_ROOM(&c->by_key, c->n ? c->n - 1 : 0, 1, i, hash_node(&c->node[i])))
		return false;
	if (!c->n)
		c->node[c->n++] = (struct context_node){ .kind = CONTEXT_ROOT };
	return true;
}

static bool same_node(const struct context_node *a, const struct context_node *b)
{
	return a->parent == b->parent && a->function == b->function && a->site == b->site &&
	       a->dso == b->dso && a->kind == b->kind;
}

uint32_t context_node(struct contexts *c, const struct context_node *key)
{
	uint32_t *slot;

	if (!grow_nodes(c))
		return 0;
	slot = HASH_SLOT(&c->by_key, hash_node(key), i, same_node(&c->node[i], key));
	if (*slot)
		return *slot;
	/* children of threads may exceed the limit, because they have no caller */
	if (key->parent && (c->n >= CONTEXT_MAX ||
			    c->node[key->parent].depth == CONTEXT_DEPTH_MAX)) {
		c->folded++;
		return key->parent;
	}
	c->node[c->n] = *key;
	c->node[c->n].depth = c->node[key->parent].depth + 1;
	*slot = c->n++;
	return *slot;
}

/* ---------------------------------------------------------------- functions */

static bool grow_functions(struct contexts *c)
{
	const uint32_t n = c->n_function ? c->n_function - 1 : 0;

	if (!array_room(&c->function, c->n_function, &c->size_function, sizeof(*c->function)) ||
	    !HASH_ROOM(&c->by_start, n, 1, i,
		       hash_function(c->function[i].dso, c->function[i].start)))
		return false;
	if (!c->n_function)
		c->function[c->n_function++] = (struct context_function){ .dso = CONTEXT_NOWHERE };
	return true;
}

uint32_t context_function(struct contexts *c, uint32_t dso, uint64_t start, const char *name)
{
	const struct context_function *f;
	char *copy = NULL;
	uint32_t *slot;

	if (!grow_functions(c))
		return 0;
	f = c->function;
	slot = HASH_SLOT(&c->by_start, hash_function(dso, start), i,
			 f[i].dso == dso && f[i].start == start);
	if (*slot)
		return *slot;
	if (name) {
		copy = strdup(name);
		if (!copy)
			return 0;
	}
	c->function[c->n_function] = (struct context_function){
		.dso = dso, .start = start, .name = copy, .role = role_of(name),
	};
	*slot = c->n_function++;
	return *slot;
}
