// SPDX-License-Identifier: GPL-2.0-only
/*
 * LLVM's sample profile, extensible binary: "SPROF42" and 4, the version, a table of sections, then
 * these.  Numbers are LEB128, those of the table 64 bits, little-endian.
 *
 * Source: files that llvm-profdata-19 merge --extbinary writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"

#define MAGIC	0x5350524f46343204ull
#define VERSION	103

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum { SUMMARY = 1, NAMES = 2, OFFSETS = 4, FUNCTIONS = 32 };

/* A part of the file in memory; @f while it is written. */
struct section {
	uint64_t type;
	FILE *f;
	char *bytes;
	size_t n;
};

/* Sections in the order of the file; @name: sorted, each once. */
struct extbinary {
	struct samples s;
	struct sample_name *name;
	size_t n_name;
	struct section section[4];
};

static void put(FILE *f, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		fputc((v & 0x7f) | 0x80, f);
	fputc(v, f);
}

static void put64(FILE *f, uint64_t v)
{
	for (int i = 0; i < 64; i += 8)
		fputc(v >> i & 0xff, f);
}

/* ---------------------------------------------------------------- names */

static int by_name(const void *a, const void *b)
{
	return sample_name_order(a, b);
}

static uint64_t index_of(const struct extbinary *e, const struct sample_name *name)
{
	const struct sample_name *at = bsearch(name, e->name, e->n_name, sizeof(*name), by_name);

	return at - e->name;
}

static void put_names(const struct extbinary *e, FILE *f)
{
	put(f, e->n_name);
	for (size_t i = 0; i < e->n_name; i++) {
		fwrite(e->name[i].text, 1, e->name[i].n, f);
		fputc(0, f);
	}
}

/* ---------------------------------------------------------------- summary */

static int by_count(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* How many places have so many millionths of all counts, and the least count of these. */
static void put_cutoffs(const uint64_t *count, size_t n, uint64_t total, FILE *f)
{
	static const uint32_t cutoff[] = {
		10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
		950000, 990000, 999000, 999900, 999990, 999999
	};
	uint64_t sum = 0;
	size_t i = 0;

	put(f, ARRAY_SIZE(cutoff));
	for (size_t c = 0; c < ARRAY_SIZE(cutoff); c++) {
		uint64_t wanted = (__uint128_t)total * cutoff[c] / 1000000;

		/* all that are equal, or none */
		while (i < n && (sum < wanted || (i && count[i] == count[i - 1]))) {
			sum = count_sum(sum, count[i]);
			i++;
		}
		put(f, cutoff[c]);
		put(f, i ? count[i - 1] : 0);
		put(f, i);
	}
}

static int put_summary(const struct extbinary *e, FILE *f)
{
	uint64_t *count = calloc(e->s.n_line, sizeof(*count));
	uint64_t total = 0, head = 0, functions = 0;

	if (!count)
		return -ENOMEM;
	for (size_t i = 0; i < e->s.n_line; i++) {
		count[i] = e->s.line[i].count;
		total = count_sum(total, count[i]);
	}
	qsort(count, e->s.n_line, sizeof(*count), by_count);
	for (uint32_t i = e->s.node[0].inner; i; i = e->s.node[i].next) {
		head = head > e->s.node[i].head ? head : e->s.node[i].head;
		functions++;
	}
	put(f, total);
	put(f, count[0]);
	put(f, head);
	put(f, e->s.n_line);
	put(f, functions);
	put_cutoffs(count, e->s.n_line, total, f);
	free(count);
	return 0;
}

/* ---------------------------------------------------------------- functions */

/* Frames are no more than FRAME_MAX deep. */
static void put_node(const struct extbinary *e, const struct sample_node *node, FILE *f)
{
	const struct samples *s = &e->s;
	uint64_t n = 0;

	put(f, index_of(e, &node->name));
	put(f, node->total);
	put(f, node->n_line);
	for (size_t i = 0; i < node->n_line; i++) {
		const struct sample_line *l = &s->line[node->line + i];

		put(f, l->at.line);
		put(f, l->at.discriminator);
		put(f, l->count);
		put(f, l->n_target);
		for (size_t k = 0; k < l->n_target; k++) {
			put(f, index_of(e, &s->target[l->target + k].name));
			put(f, s->target[l->target + k].count);
		}
	}
	for (uint32_t i = node->inner; i; i = s->node[i].next)
		n++;
	put(f, n);
	for (uint32_t i = node->inner; i; i = s->node[i].next) {
		put(f, s->node[i].at.line);
		put(f, s->node[i].at.discriminator);
		put_node(e, &s->node[i], f);
	}
}

/* @offsets: where each function begins. */
static void put_functions(const struct extbinary *e, FILE *f, FILE *offsets)
{
	const struct samples *s = &e->s;
	uint64_t n = 0;

	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next)
		n++;
	put(offsets, n);
	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next) {
		put(offsets, index_of(e, &s->node[i].name));
		put(offsets, ftell(f));
		put(f, s->node[i].head);
		put_node(e, &s->node[i], f);
	}
}

/* ---------------------------------------------------------------- the file */

static void put_file(const struct extbinary *e, FILE *f)
{
	uint64_t offset = 2;
	uint64_t magic = MAGIC;

	/* bytes of the magic number and of the version, then of the table */
	for (; magic > 0x7f; magic >>= 7)
		offset++;
	offset += 8 + 32 * ARRAY_SIZE(e->section);
	put(f, MAGIC);
	put(f, VERSION);
	put64(f, ARRAY_SIZE(e->section));
	for (size_t i = 0; i < ARRAY_SIZE(e->section); i++) {
		put64(f, e->section[i].type);
		put64(f, 0);
		put64(f, offset);
		put64(f, e->section[i].n);
		offset += e->section[i].n;
	}
	for (size_t i = 0; i < ARRAY_SIZE(e->section); i++)
		fwrite(e->section[i].bytes, 1, e->section[i].n, f);
}

static int put_sections(struct extbinary *e)
{
	static const uint64_t types[] = { SUMMARY, NAMES, OFFSETS, FUNCTIONS };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		e->section[i].type = types[i];
		e->section[i].f = open_memstream(&e->section[i].bytes, &e->section[i].n);
		if (!e->section[i].f)
			err = -ENOMEM;
	}
	if (!err)
		err = put_summary(e, e->section[0].f);
	if (!err) {
		put_names(e, e->section[1].f);
		put_functions(e, e->section[3].f, e->section[2].f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (e->section[i].f && fclose(e->section[i].f))
			err = -ENOMEM;
	return err;
}

int profile_extbinary(const struct profile *p)
{
	struct extbinary e = { 0 };
	int err = samples_read(&e.s, p, SAMPLES_CLANG);

	if (!err)
		err = samples_names(&e.s, &e.name, &e.n_name);
	if (!err)
		err = put_sections(&e);
	if (!err)
		put_file(&e, p->f);
	for (size_t i = 0; i < ARRAY_SIZE(e.section); i++)
		free(e.section[i].bytes);
	free(e.name);
	samples_fini(&e.s);
	return err;
}
