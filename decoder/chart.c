// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "chart.h"
#include "image.h"

#define CHART_MAX	(256ull << 20)	/* bytes of all charts: more code is hashed */

/* Of whole cache lines; large ones are of whole pages. */
static uint64_t size_of(const struct view *v)
{
	const uint64_t bytes = (v->to - v->from + 3) / 4 * sizeof(*v->chart.number);
	const uint64_t unit = bytes < TABLE_PAGE ? 64 : TABLE_PAGE;

	return (bytes + unit - 1) / unit * unit;
}

/* The first block of @v that can be in a chart is that of @key. */
static void make(struct csf_image *image, struct view *v, const struct block_key *key)
{
	const uint64_t size = size_of(v);

	v->chart.tried = true;
	if (v->from % 4 || image->charts.size + size > CHART_MAX)
		return;
	v->chart.rule = key->rule;
	v->chart.number = table_new(size);
	if (!v->chart.number)
		return;
	image->charts.size += size;
	__atomic_store_n(&image->charts.n, image->charts.n + 1, __ATOMIC_RELEASE);
}

uint32_t *chart_find(struct csf_image *image, const struct block_key *key)
{
	struct view *v = &image->views.view[key->view];

	if (!v->chart.tried && !key->cut && key->isa == CSF_A64)
		make(image, v, key);
	return chart_entry(v, key);
}

static struct block_key key_of(const struct block *b)
{
	return (struct block_key){
		.offset = b->pub.offset, .view = b->view, .cut = b->cut, .isa = b->pub.isa,
		.rule = b->rule,
	};
}

void chart_begin(struct csf_image *image)
{
	const struct block_table *t = &image->blocks;

	image->charts.begun = true;
	for (uint32_t i = 1; i < t->n; i++) {
		const struct block *b = &t->block[i];
		const struct block_key key = key_of(b);
		uint32_t *entry = chart_find(image, &key);

		if (entry && b->version == image->section[b->pub.section].version)
			chart_put(entry, b, i);
	}
}

void chart_forget(struct csf_image *image, const struct block *b)
{
	const struct block_key key = key_of(b);
	uint32_t *entry = chart_entry(&image->views.view[b->view], &key);

	if (entry)
		__atomic_store_n(entry, 0, __ATOMIC_RELAXED);
}

void chart_free(struct view *v)
{
	table_free(v->chart.number, v->chart.number ? size_of(v) : 0);
}
