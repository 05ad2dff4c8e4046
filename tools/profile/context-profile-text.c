// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "context-profile-text.h"

/* ---------------------------------------------------------------- lines */

/* The first line of a context, as a measure of how often it was entered. */
struct entry {
	uint32_t line, discriminator;
	uint64_t count;
};

static void note(struct entry *e, const struct profile_at *at, uint64_t count)
{
	if (e->count && (at->line > e->line ||
			 (at->line == e->line && at->discriminator > e->discriminator)))
		return;
	if (at->line != e->line || at->discriminator != e->discriminator)
		e->count = 0;
	*e = (struct entry){ at->line, at->discriminator, count_sum(e->count, count) };
}

/* It ran @count times at @at; @name NULL: without a known callee. */
static int add_line(struct profile_text *t, uint32_t context, const struct profile_at *at,
		    uint64_t count, const struct profile_name *callee)
{
	struct profile_line *line;

	if (!array_room(&t->line, t->n_line, &t->size_line, sizeof(*t->line)))
		return -ENOMEM;
	line = &t->line[t->n_line++];
	*line = (struct profile_line){ .context = context, .line = at->line,
				  .discriminator = at->discriminator, .count = count };
	if (callee)
		line->callee = *callee;
	return 0;
}

static int add_lines(struct profile_text *t, uint32_t context, const struct line_profile *s,
		     const struct profile_node *node, struct entry *entry)
{
	int err = 0;

	for (size_t i = 0; i < node->n_line && !err; i++) {
		const struct profile_line_counts *l = &s->line[node->line + i];

		note(entry, &l->at, l->count);
		err = add_line(t, context, &l->at, l->count, NULL);
		for (size_t k = 0; k < l->n_target && !err; k++)
			err = add_line(t, context, &l->at, s->target[l->target + k].count,
				       &s->target[l->target + k].name);
	}
	return err;
}

static int add_context(struct profile_text *t, char *name, uint64_t head)
{
	if (!name || !array_room(&t->context, t->n_context, &t->size_context,
				 sizeof(*t->context))) {
		free(name);
		return -ENOMEM;
	}
	t->context[t->n_context++] = (struct profile_context){ .name = name, .head = head };
	return 0;
}

static char *name_inside(const char *name, const struct profile_node *inner)
{
	char disc[16] = "", *text;

	if (inner->at.discriminator)
		snprintf(disc, sizeof(disc), ".%u", inner->at.discriminator);
	return asprintf(&text, "%s:%u%s @ %.*s", name, inner->at.line, disc,
			(int)inner->name.n, inner->name.text) < 0 ? NULL : text;
}

/*
 * Adds a function, or an inlined one, with everything inlined in it: @name, which is taken, is that
 * of its context.  An inlined function has no call that ran; compilers expect one at its line.
 */
static int add_node(struct profile_text *t, const struct line_profile *s,
		    const struct profile_node *node, struct profile_context *context,
		    struct entry *entry)
{
	const uint32_t number = t->n_context;
	char *name = context->name;
	int err = add_context(t, name, context->head);

	if (!err)
		err = add_lines(t, number, s, node, entry);
	for (uint32_t i = err ? 0 : node->inner; i && !err; i = s->node[i].next) {
		const struct profile_node *inner = &s->node[i];
		struct profile_context own = { .name = name_inside(name, inner) };
		struct entry first = { 0 };

		err = add_node(t, s, inner, &own, &first);
		if (err || !first.count)
			continue;
		note(entry, &inner->at, first.count);
		err = add_line(t, number, &inner->at, first.count, NULL);
		if (!err)
			err = add_line(t, number, &inner->at, first.count, &inner->name);
	}
	return err;
}

/* ---------------------------------------------------------------- one node of the tree */

/* The prefix of its callers, the outermost first, each followed by " @ ". */
static char *prefix_of(struct context_profile *cs, uint32_t number)
{
	uint32_t path[CONTEXT_DEPTH_MAX + 2];
	struct frame frame[FRAME_MAX];
	size_t n = 0, size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	for (uint32_t i = number; i && cs->tree.node[i].site; i = cs->tree.node[i].parent)
		path[n++] = i;
	while (n-- && f) {
		const uint64_t site = cs->tree.node[path[n]].site;
		int k = frames_at(&cs->s.frames, profile_address(cs->p, site), frame);

		for (int i = 0; i < k; i++) {
			const struct profile_at at = line_profile_at(&cs->s, &frame[i]);
			const struct profile_name name = line_profile_name(frame[i].name);

			fprintf(f, "%.*s:%u", (int)name.n, name.text, at.line);
			if (at.discriminator)
				fprintf(f, ".%u", at.discriminator);
			fputs(" @ ", f);
		}
	}
	if (!f || fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* How often the function that begins with @name was called in this context. */
static uint64_t head_of(struct context_profile *cs, uint32_t number,
			const struct profile_name *name)
{
	const struct context_function *f;
	struct profile_name own;
	const char *entry;

	if (!cs->tree.node[number].function)
		return 0;
	f = &cs->contexts->function[cs->tree.node[number].function];
	entry = frames_entry(&cs->s.frames, profile_address(cs->p, f->start));
	if (!entry)
		return 0;
	own = line_profile_name(entry);
	return profile_name_order(&own, name) ? 0 : cs->tree.node[number].calls;
}

static int add_functions(struct context_profile *cs, struct profile_text *t, uint32_t number)
{
	const struct line_profile *s = &cs->s;
	char *prefix = prefix_of(cs, number);
	int err = prefix ? 0 : -ENOMEM;

	for (uint32_t i = err ? 0 : s->node[0].inner; i && !err; i = s->node[i].next) {
		const struct profile_node *node = &s->node[i];
		struct profile_context own = { .head = head_of(cs, number, &node->name) };
		struct entry entry = { 0 };

		/* a function that is only called has no counts here */
		if (!node->n_line && !node->inner)
			continue;
		if (asprintf(&own.name, "%s%.*s", prefix, (int)node->name.n, node->name.text) < 0)
			own.name = NULL;
		err = add_node(t, s, node, &own, &entry);
	}
	free(prefix);
	return err;
}

/* ---------------------------------------------------------------- order of lines */

static int by_name(const void *a, const void *b, void *text)
{
	const struct profile_text *t = text;

	return strcmp(t->context[*(const uint32_t *)a].name, t->context[*(const uint32_t *)b].name);
}

static int by_line(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->discriminator != y->discriminator)
		return x->discriminator < y->discriminator ? -1 : 1;
	if (!x->callee.text || !y->callee.text)
		return !!x->callee.text - !!y->callee.text;
	return profile_name_order(&x->callee, &y->callee);
}

/* As by_line(), but the most called comes first. */
static int by_count(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->context == y->context && x->line == y->line &&
	    x->discriminator == y->discriminator && x->callee.text && y->callee.text &&
	    x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_line(a, b);
}

/* Lists the first context of each name, by name.  Return: 0 or -ENOMEM. */
static int settle(struct profile_text *t)
{
	uint32_t *order = calloc(t->n_context + 1, sizeof(*order));
	uint32_t *rank = calloc(t->n_context + 1, sizeof(*rank));
	size_t n = 0;
	int err = order && rank ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->n_context && !err; i++)
		order[i] = i;
	if (!err && t->n_context)
		qsort_r(order, t->n_context, sizeof(*order), by_name, t);
	for (size_t i = 0; i < t->n_context && !err; i++) {
		if (i && by_name(&order[i - 1], &order[i], t))
			n++;
		rank[order[i]] = n;
		if (i && !by_name(&order[i - 1], &order[i], t)) {
			struct profile_context *first = &t->context[t->first[n]];

			first->head = count_sum(first->head, t->context[order[i]].head);
		} else {
			t->first[n] = order[i];
		}
	}
	for (size_t i = 0; i < t->n_line && !err; i++)
		t->line[i].context = rank[t->line[i].context];
	free(order);
	free(rank);
	return err;
}

static void add_up(struct profile_text *t)
{
	size_t n = 0;

	if (t->n_line)
		qsort(t->line, t->n_line, sizeof(*t->line), by_line);
	for (size_t i = 0; i < t->n_line; i++) {
		if (n && !by_line(&t->line[n - 1], &t->line[i]))
			t->line[n - 1].count = count_sum(t->line[n - 1].count, t->line[i].count);
		else
			t->line[n++] = t->line[i];
	}
	if (n)
		qsort(t->line, n, sizeof(*t->line), by_count);
	t->n_line = n;
}

/* ---------------------------------------------------------------- all of it */

int profile_text_read(struct profile_text *t, const struct profile *p)
{
	long node;
	int err;

	*t = (struct profile_text){ 0 };
	err = context_profile_open(&t->cs, p, true);
	while (!err && (node = context_profile_next(&t->cs)) != 0)
		err = node < 0 ? node : add_functions(&t->cs, t, node);
	if (err)
		return err;
	t->first = calloc(t->n_context + 1, sizeof(*t->first));
	err = t->first ? settle(t) : -ENOMEM;
	if (err)
		return err;
	add_up(t);
	return t->n_line ? 0 : -ENODATA;
}

void profile_text_fini(struct profile_text *t)
{
	for (size_t i = 0; i < t->n_context; i++)
		free(t->context[i].name);
	free(t->context);
	free(t->first);
	free(t->line);
	context_profile_close(&t->cs);
}

bool profile_text_next(const struct profile_text *t, struct profile_part *part)
{
	part->first = part->end;
	part->total = 0;
	part->n_line = 0;
	if (part->first == t->n_line)
		return false;
	part->context = &t->context[t->first[t->line[part->first].context]];
	for (; part->end < t->n_line &&
	     t->line[part->end].context == t->line[part->first].context; part->end++) {
		if (t->line[part->end].callee.text)
			continue;
		part->total = count_sum(part->total, t->line[part->end].count);
		part->n_line++;
	}
	return true;
}
