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
	free(c->hash);
	free(c->hash_function);
	count_table_fini(&c->files);
	*c = (struct contexts){ 0 };
}

/* ---------------------------------------------------------------- nodes */

static uint64_t mix(uint64_t h)
{
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static size_t hash_node(const struct context_node *k)
{
	return mix(mix((uint64_t)k->parent << 32 | k->function) ^ k->site ^
		   (uint64_t)k->dso << 40 ^ (uint64_t)k->kind << 61);
}

static size_t hash_function(uint32_t dso, uint64_t start)
{
	return mix((uint64_t)dso << 40 ^ start);
}

/* As many hash heads as there is room for nodes: 32 * (2^n - 1). */
static bool grow_nodes(struct contexts *c)
{
	const size_t was = c->size;

	if (!array_room(&c->node, c->n, &c->size, sizeof(*c->node)))
		return false;
	if (was == c->size)
		return true;
	free(c->hash);
	c->hash = calloc(c->size, sizeof(*c->hash));
	for (size_t i = 1; i < c->n && c->hash; i++) {
		uint32_t *head = &c->hash[hash_node(&c->node[i]) % c->size];

		c->node[i].next = *head;
		*head = i;
	}
	if (!c->hash)
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
	uint32_t *head;

	if (!grow_nodes(c))
		return 0;
	head = &c->hash[hash_node(key) % c->size];
	for (uint32_t i = *head; i; i = c->node[i].next)
		if (same_node(&c->node[i], key))
			return i;
	/* children of threads may exceed the limit, because they have no caller */
	if (key->parent && (c->n >= CONTEXT_MAX ||
			    c->node[key->parent].depth == CONTEXT_DEPTH_MAX)) {
		c->folded++;
		return key->parent;
	}
	c->node[c->n] = *key;
	c->node[c->n].depth = c->node[key->parent].depth + 1;
	c->node[c->n].next = *head;
	*head = c->n;
	return c->n++;
}

/* ---------------------------------------------------------------- functions */

static bool grow_functions(struct contexts *c)
{
	const size_t was = c->size_function;

	if (!array_room(&c->function, c->n_function, &c->size_function, sizeof(*c->function)))
		return false;
	if (was == c->size_function)
		return true;
	free(c->hash_function);
	c->hash_function = calloc(c->size_function, sizeof(*c->hash_function));
	for (size_t i = 1; i < c->n_function && c->hash_function; i++) {
		const struct context_function *f = &c->function[i];
		uint32_t *head = &c->hash_function[hash_function(f->dso, f->start) %
						   c->size_function];

		c->function[i].next = *head;
		*head = i;
	}
	if (!c->hash_function)
		return false;
	if (!c->n_function)
		c->function[c->n_function++] = (struct context_function){ .dso = CONTEXT_NOWHERE };
	return true;
}

uint32_t context_function(struct contexts *c, uint32_t dso, uint64_t start, const char *name)
{
	struct context_function *f;
	char *copy = NULL;
	uint32_t *head;

	if (!grow_functions(c))
		return 0;
	head = &c->hash_function[hash_function(dso, start) % c->size_function];
	for (uint32_t i = *head; i; i = c->function[i].next)
		if (c->function[i].dso == dso && c->function[i].start == start)
			return i;
	if (name) {
		copy = strdup(name);
		if (!copy)
			return 0;
	}
	f = &c->function[c->n_function];
	*f = (struct context_function){ .dso = dso, .start = start, .name = copy,
					.role = role_of(name), .next = *head };
	*head = c->n_function;
	return c->n_function++;
}
