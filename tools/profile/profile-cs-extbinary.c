// SPDX-License-Identifier: GPL-2.0-only
/* LLVM's sample profile by context, in its extensible binary form. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "context-profile-text.h"
#include "extbinary.h"

#define SECTIONS	5

/* Sections in the order of the file. */
struct binary {
	struct profile_text text;
	struct extbinary_names names;
	size_t size_names;
	struct extbinary_section section[SECTIONS];
};

/* ---------------------------------------------------------------- names */

/* "foo:2.1 @ ": a function and its call of the next; the last one: "bar". */
struct part_of_name {
	struct profile_name name;
	uint32_t line, discriminator;
};

/* The next one of @text.  Return: the rest; NULL: none. */
static const char *split(const char *text, struct part_of_name *part)
{
	const char *end = strstr(text, " @ "), *colon;
	char *dot;

	*part = (struct part_of_name){ { text, end ? (size_t)(end - text) : strlen(text) }, 0, 0 };
	if (!end)
		return NULL;
	colon = memrchr(text, ':', end - text);
	/* a symbol may have such a name */
	if (!colon)
		return end + 3;
	part->name.n = colon - text;
	part->line = strtoul(colon + 1, &dot, 10);
	if (*dot == '.')
		part->discriminator = strtoul(dot + 1, NULL, 10);
	return end + 3;
}

static int add_name(struct binary *b, const struct profile_name *name)
{
	if (!array_room(&b->names.name, b->names.n, &b->size_names, sizeof(*name)))
		return -ENOMEM;
	b->names.name[b->names.n++] = *name;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return profile_name_order(a, b);
}

static int read_names(struct binary *b)
{
	struct profile_part part = { 0 };
	struct part_of_name name;
	size_t n = 0;
	int err = 0;

	while (!err && profile_text_next(&b->text, &part)) {
		for (const char *at = part.context->name; at && !err;) {
			at = split(at, &name);
			err = add_name(b, &name.name);
		}
		for (size_t i = part.first; i < part.end && !err; i++)
			if (b->text.line[i].callee.text)
				err = add_name(b, &b->text.line[i].callee);
	}
	if (err)
		return err;
	qsort(b->names.name, b->names.n, sizeof(*b->names.name), by_name);
	for (size_t i = 0; i < b->names.n; i++)
		if (!n || by_name(&b->names.name[n - 1], &b->names.name[i]))
			b->names.name[n++] = b->names.name[i];
	b->names.n = n;
	return 0;
}

/* ---------------------------------------------------------------- contexts */

static void put_context(const struct binary *b, const char *text, FILE *f)
{
	struct part_of_name name;
	uint64_t n = 1;

	for (const char *at = text; (at = split(at, &name));)
		n++;
	extbinary_put(f, n);
	for (const char *at = text; at;) {
		at = split(at, &name);
		extbinary_put(f, extbinary_name(&b->names, &name.name));
		extbinary_put(f, name.line);
		extbinary_put(f, name.discriminator);
	}
}

static void put_lines(const struct binary *b, const struct profile_part *part, FILE *f)
{
	const struct profile_line *line = b->text.line;

	for (size_t i = part->first; i < part->end;) {
		size_t end = i + 1;

		while (end < part->end && line[end].callee.text)
			end++;
		extbinary_put(f, line[i].line);
		extbinary_put(f, line[i].discriminator);
		extbinary_put(f, line[i].count);
		extbinary_put(f, end - i - 1);
		for (i++; i < end; i++) {
			extbinary_put(f, extbinary_name(&b->names, &line[i].callee));
			extbinary_put(f, line[i].count);
		}
	}
}

/* @offsets: where each begins; inlined functions have contexts, too, so they are not nested. */
static void put_functions(const struct binary *b, FILE *contexts, FILE *offsets, FILE *f)
{
	struct profile_part part = { 0 };
	uint64_t n = 0;

	while (profile_text_next(&b->text, &part))
		n++;
	extbinary_put(contexts, n);
	extbinary_put(offsets, n);
	part = (struct profile_part){ 0 };
	for (n = 0; profile_text_next(&b->text, &part); n++) {
		put_context(b, part.context->name, contexts);
		extbinary_put(offsets, n);
		extbinary_put(offsets, ftell(f));
		extbinary_put(f, part.context->head);
		extbinary_put(f, n);
		extbinary_put(f, part.total);
		extbinary_put(f, part.n_line);
		put_lines(b, &part, f);
		extbinary_put(f, 0);
	}
}

/* ---------------------------------------------------------------- summary */

/* A line of a function, or, with line 0 and @head, the number of its calls. */
struct summed {
	struct profile_name name;
	uint32_t line, discriminator;
	bool head;
	uint64_t count;
};

static int by_line(const void *a, const void *b)
{
	const struct summed *x = a, *y = b;
	int order = profile_name_order(&x->name, &y->name);

	if (order)
		return order;
	if (x->head != y->head)
		return x->head ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->discriminator < y->discriminator ? -1 : x->discriminator > y->discriminator;
}

/* The function of a context: the last one of its name. */
static struct profile_name own_name(const char *text)
{
	struct part_of_name name = { { NULL, 0 }, 0, 0 };

	while (text)
		text = split(text, &name);
	return name.name;
}

static size_t read_summed(const struct binary *b, struct summed *summed)
{
	struct profile_part part = { 0 };
	size_t n = 0, k = 0;

	while (profile_text_next(&b->text, &part)) {
		const struct profile_name name = own_name(part.context->name);

		summed[n++] = (struct summed){ .name = name, .head = true,
					     .count = part.context->head };
		for (size_t i = part.first; i < part.end; i++) {
			const struct profile_line *l = &b->text.line[i];

			if (!l->callee.text)
				summed[n++] = (struct summed){ name, l->line, l->discriminator,
							     false, l->count };
		}
	}
	qsort(summed, n, sizeof(*summed), by_line);
	for (size_t i = 0; i < n; i++) {
		if (k && !by_line(&summed[k - 1], &summed[i]))
			summed[k - 1].count = count_sum(summed[k - 1].count, summed[i].count);
		else
			summed[k++] = summed[i];
	}
	return k;
}

/* As in LLVM: contexts of one function are counted together. */
static int put_summary(const struct binary *b, FILE *f)
{
	/* a context has a line, so there are not more contexts */
	struct summed *summed = calloc(2 * b->text.n_line, sizeof(*summed));
	uint64_t *count = calloc(b->text.n_line, sizeof(*count));
	struct extbinary_sums sums = { 0 };
	size_t n = 0, n_summed = summed && count ? read_summed(b, summed) : 0;

	for (size_t i = 0; i < n_summed; i++) {
		if (!summed[i].head) {
			count[n++] = summed[i].count;
			continue;
		}
		sums.functions++;
		if (summed[i].count > sums.head)
			sums.head = summed[i].count;
	}
	if (n)
		extbinary_put_summary(f, count, n, &sums);
	free(summed);
	free(count);
	return n ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- the file */

static int put_sections(struct binary *b)
{
	struct extbinary_section *s = b->section;
	int err = extbinary_open(s, SECTIONS);

	if (!err)
		err = put_summary(b, s[0].f);
	if (!err) {
		extbinary_put_names(&b->names, &s[1]);
		put_functions(b, s[2].f, s[3].f, s[4].f);
	}
	return err ? err : extbinary_close(s, SECTIONS);
}

int profile_cs_extbinary(const struct profile *p)
{
	struct binary b = { .section = { { EXT_SUMMARY, EXT_FULL_CONTEXT }, { EXT_NAMES },
					 { EXT_CONTEXTS }, { EXT_OFFSETS, EXT_ORDERED },
					 { EXT_FUNCTIONS } } };
	int err = profile_text_read(&b.text, p);

	if (!err)
		err = read_names(&b);
	if (!err)
		err = put_sections(&b);
	if (!err)
		extbinary_write(b.section, SECTIONS, p->f);
	extbinary_free(b.section, SECTIONS);
	free(b.names.name);
	profile_text_fini(&b.text);
	return err;
}
