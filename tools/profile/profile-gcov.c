// SPDX-License-Identifier: GPL-2.0-only
/*
 * AutoFDO's profile for gcc -fauto-profile, version 2: sections of 32-bit words, little-endian.
 * Each begins with a tag and the number of words after it.  64-bit numbers are two words, the lower
 * one first.  Strings are their size in bytes, zero included, and the bytes.
 *
 * Source: files that create_gcov writes, and gcc's reading of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "line-profile.h"

#define MAGIC		0x67636461	/* "adcg" */
#define VERSION		2
#define TAG_NAMES	0xaa000000
#define TAG_FUNCTIONS	0xac000000
#define TAG_MODULES	0xae000000
#define TAG_WORKING_SET	0xaf000000
#define CALLED		7		/* kind of a value: a function that was called by pointer */
#define N_WORKING_SET	128

/* @f: the output of the current section; @name: sorted, each once. */
struct gcov {
	struct line_profile s;
	struct profile_name *name;
	size_t n_name;
	FILE *f;
};

static void put(FILE *f, uint32_t v)
{
	for (int i = 0; i < 32; i += 8)
		fputc(v >> i & 0xff, f);
}

static void put64(FILE *f, uint64_t v)
{
	put(f, v);
	put(f, v >> 32);
}

static int by_name(const void *a, const void *b)
{
	return profile_name_order(a, b);
}

static uint32_t index_of(const struct gcov *g, const struct profile_name *name)
{
	const struct profile_name *at = bsearch(name, g->name, g->n_name, sizeof(*name), by_name);

	return at - g->name;
}

static void put_names(struct gcov *g)
{
	put(g->f, g->n_name);
	for (size_t i = 0; i < g->n_name; i++) {
		put(g->f, g->name[i].n + 1);
		fwrite(g->name[i].text, 1, g->name[i].n, g->f);
		fputc(0, g->f);
	}
}

static uint32_t packed_line(const struct profile_at *at)
{
	return at->line << 16 | at->discriminator;
}

/* Frames are no more than FRAME_MAX deep. */
static void put_node(struct gcov *g, const struct profile_node *node)
{
	const struct line_profile *s = &g->s;
	uint32_t n = 0;

	for (uint32_t i = node->inner; i; i = s->node[i].next)
		n++;
	put(g->f, index_of(g, &node->name));
	put(g->f, node->n_line);
	put(g->f, n);
	for (size_t i = 0; i < node->n_line; i++) {
		const struct profile_line_counts *l = &s->line[node->line + i];

		put(g->f, packed_line(&l->at));
		put(g->f, l->n_target);
		put64(g->f, profile_signed(l->count));
		for (size_t k = 0; k < l->n_target; k++) {
			put(g->f, CALLED);
			put64(g->f, index_of(g, &s->target[l->target + k].name));
			put64(g->f, profile_signed(s->target[l->target + k].count));
		}
	}
	for (uint32_t i = node->inner; i; i = s->node[i].next) {
		put(g->f, packed_line(&s->node[i].at));
		put_node(g, &s->node[i]);
	}
}

static void put_functions(struct gcov *g)
{
	const struct line_profile *s = &g->s;
	uint32_t n = 0;

	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next)
		n++;
	put(g->f, n);
	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next) {
		put64(g->f, s->node[i].head);
		put_node(g, &s->node[i]);
	}
}

/* An empty list: gcc no longer reads it. */
static void put_modules(struct gcov *g)
{
	put(g->f, 0);
}

static void put_working_set(struct gcov *g)
{
	for (int i = 0; i < N_WORKING_SET; i++) {
		put(g->f, 0);
		put64(g->f, 0);
	}
}

static int put_section(struct gcov *g, FILE *out, uint32_t tag, void (*content)(struct gcov *g))
{
	char *bytes = NULL;
	size_t n = 0;
	bool bad;

	g->f = open_memstream(&bytes, &n);
	if (!g->f)
		return -ENOMEM;
	content(g);
	bad = fclose(g->f);
	if (!bad) {
		put(out, tag);
		put(out, (n + 3) / 4);
		fwrite(bytes, 1, n, out);
	}
	free(bytes);
	return bad ? -ENOMEM : 0;
}

int profile_gcov(const struct profile *p)
{
	static const struct {
		uint32_t tag;
		void (*content)(struct gcov *g);
	} section[] = {
		{ TAG_NAMES, put_names },
		{ TAG_FUNCTIONS, put_functions },
		{ TAG_MODULES, put_modules },
		{ TAG_WORKING_SET, put_working_set },
	};
	struct gcov g = { 0 };
	int err = line_profile_read(&g.s, p, LINE_PROFILE_GCC);

	if (!err)
		err = line_profile_names(&g.s, &g.name, &g.n_name);
	if (!err) {
		put(p->f, MAGIC);
		put(p->f, VERSION);
		put(p->f, 0);
	}
	for (int i = 0; i < 4 && !err; i++)
		err = put_section(&g, p->f, section[i].tag, section[i].content);
	free(g.name);
	line_profile_fini(&g.s);
	return err;
}
