// SPDX-License-Identifier: GPL-2.0-only
/* LLVM's sample profile in its extensible binary form. */
#include <errno.h>
#include <stdlib.h>

#include "extbinary.h"

#define SECTIONS	5

/* Sections in the order of the file; the last one only if lines are probes. */
struct extbinary {
	struct line_profile s;
	struct extbinary_names names;
	struct extbinary_section section[SECTIONS];
};

static uint64_t index_of(const struct extbinary *e, const struct profile_name *name)
{
	return extbinary_name(&e->names, name);
}

static int put_summary(const struct extbinary *e, FILE *f)
{
	uint64_t *count = calloc(e->s.n_line, sizeof(*count));
	struct extbinary_sums sums = { 0 };

	if (!count)
		return -ENOMEM;
	for (size_t i = 0; i < e->s.n_line; i++)
		count[i] = e->s.line[i].count;
	for (uint32_t i = e->s.node[0].inner; i; i = e->s.node[i].next) {
		sums.head = sums.head > e->s.node[i].head ? sums.head : e->s.node[i].head;
		sums.functions++;
	}
	extbinary_put_summary(f, count, e->s.n_line, &sums);
	free(count);
	return 0;
}

/* ---------------------------------------------------------------- functions */

/* Frames are no more than FRAME_MAX deep. */
static void put_node(const struct extbinary *e, const struct profile_node *node, FILE *f)
{
	const struct line_profile *s = &e->s;
	uint64_t n = 0;

	extbinary_put(f, index_of(e, &node->name));
	extbinary_put(f, node->total);
	extbinary_put(f, node->n_line);
	for (size_t i = 0; i < node->n_line; i++) {
		const struct profile_line_counts *l = &s->line[node->line + i];

		extbinary_put(f, l->at.line);
		extbinary_put(f, l->at.discriminator);
		extbinary_put(f, l->count);
		extbinary_put(f, l->n_target);
		for (size_t k = 0; k < l->n_target; k++) {
			extbinary_put(f, index_of(e, &s->target[l->target + k].name));
			extbinary_put(f, s->target[l->target + k].count);
		}
	}
	for (uint32_t i = node->inner; i; i = s->node[i].next)
		n++;
	extbinary_put(f, n);
	for (uint32_t i = node->inner; i; i = s->node[i].next) {
		extbinary_put(f, s->node[i].at.line);
		extbinary_put(f, s->node[i].at.discriminator);
		put_node(e, &s->node[i], f);
	}
}

/* @offsets: where each function begins. */
static void put_functions(const struct extbinary *e, FILE *f, FILE *offsets)
{
	const struct line_profile *s = &e->s;
	uint64_t n = 0;

	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next)
		n++;
	extbinary_put(offsets, n);
	for (uint32_t i = s->node[0].inner; i; i = s->node[i].next) {
		extbinary_put(offsets, index_of(e, &s->node[i].name));
		extbinary_put(offsets, ftell(f));
		extbinary_put(f, s->node[i].head);
		put_node(e, &s->node[i], f);
	}
}

/* Frames are no more than FRAME_MAX deep. */
static void put_checksum(const struct extbinary *e, const struct profile_node *node, FILE *f)
{
	const struct line_profile *s = &e->s;
	uint64_t n = 0;

	extbinary_put(f, index_of(e, &node->name));
	extbinary_put(f, node->checksum);
	for (uint32_t i = node->inner; i; i = s->node[i].next)
		n++;
	extbinary_put(f, n);
	for (uint32_t i = node->inner; i; i = s->node[i].next) {
		extbinary_put(f, s->node[i].at.line);
		extbinary_put(f, s->node[i].at.discriminator);
		put_checksum(e, &s->node[i], f);
	}
}

static size_t sections(const struct extbinary *e)
{
	return e->s.kind == LINE_PROFILE_PROBES ? SECTIONS : SECTIONS - 1;
}

static int put_sections(struct extbinary *e)
{
	int err = extbinary_open(e->section, SECTIONS);

	if (!err)
		err = put_summary(e, e->section[0].f);
	if (!err) {
		extbinary_put_names(&e->names, &e->section[1]);
		put_functions(e, e->section[3].f, e->section[2].f);
		for (uint32_t i = e->s.node[0].inner; i; i = e->s.node[i].next)
			put_checksum(e, &e->s.node[i], e->section[4].f);
	}
	return err ? err : extbinary_close(e->section, SECTIONS);
}

int profile_extbinary(const struct profile *p)
{
	struct extbinary e = { .section = { { EXT_SUMMARY }, { EXT_NAMES }, { EXT_OFFSETS },
					    { EXT_FUNCTIONS },
					    { EXT_CHECKSUMS, EXT_PROBES } } };
	int err = line_profile_read(&e.s, p, LINE_PROFILE_CLANG);

	if (e.s.kind == LINE_PROFILE_FS)
		e.section[0].flags |= EXT_FS;
	if (!err)
		err = line_profile_names(&e.s, &e.names.name, &e.names.n);
	if (!err)
		err = put_sections(&e);
	if (!err)
		extbinary_write(e.section, sections(&e), p->f);
	extbinary_free(e.section, SECTIONS);
	free(e.names.name);
	line_profile_fini(&e.s);
	return err;
}
