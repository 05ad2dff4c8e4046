// SPDX-License-Identifier: GPL-2.0-only
/* From counters to the count table. */
#include <errno.h>
#include <string.h>

#include "count-fill-parts.h"

_Static_assert(COUNT_LOST + CSF_GAP_NR == 23, "statistics have their numbers in files");

/* Adds the counts of paths to their steps and edges.  Return: 0 or -ENOMEM. */
static int spread_paths(struct count_fill *fill)
{
	for (uint32_t i = 1; i < fill->n_path; i++) {
		struct fill_path *p = &fill->path[i];
		const uint32_t *step;
		const size_t n = csf_path(fill->code->image, i, &step);

		for (int half = 0; half < 2; half++) {
			for (size_t k = 0; p->ran[half] && k < n; k++)
				fill->ran[half][step[k]] += p->ran[half];
			p->ran[half] = 0;
		}
	}
	return fill_settle_paths(fill);
}

static uint64_t ran(const struct count_fill *fill, uint32_t step)
{
	return fill->ran[0][step] + fill->ran[1][step];
}

/* Compares the halves, as if they had the same length. */
static void compare_halves(struct count_fill *fill)
{
	__uint128_t alike = 0;
	uint64_t n[2] = { 0 };

	for (size_t i = 2; i < 2 * fill->n_block; i++)
		for (int half = 0; half < 2; half++)
			n[half] += fill->ran[half][i];
	if (!n[0] || !n[1])
		return;
	for (size_t i = 2; i < 2 * fill->n_block; i++) {
		const __uint128_t a = (__uint128_t)fill->ran[0][i] * n[1];
		const __uint128_t b = (__uint128_t)fill->ran[1][i] * n[0];

		alike += a < b ? a : b;
		if (!a)
			fill->stat[COUNT_NEW] += fill->ran[1][i];
	}
	fill->stat[COUNT_HALVED] = n[0] + n[1];
	fill->stat[COUNT_ALIKE] = alike / n[0] * (n[0] + n[1]) / n[1];
	fill->stat[COUNT_SECOND] = n[1];
}

/* The dso of a section in the table.  Return: its index; -ENOENT: no file; -ENOMEM. */
static long dso_of(struct count_table *table, const struct code_section *s)
{
	const struct dso_key key = {
		.name = s->dso->name, .kind = s->dso->kind,
		.build_id = s->dso->build_id, .n_build_id = s->dso->n_build_id,
		.program = s->dso->program,
	};

	return count_dso_find(table, &key);
}

static int fold_block(struct count_fill *fill, struct count_table *table, uint32_t number)
{
	uint64_t n0 = ran(fill, 2 * number), n1 = ran(fill, 2 * number + 1);
	const struct code_section *s;
	struct count_block row;
	struct csf_block b;
	long dso;

	if (!n0 && !n1)
		return 0;
	csf_block(fill->code->image, number, &b);
	fill->stat[COUNT_BLOCKS] += n0 + n1;
	fill->stat[COUNT_INSNS] = count_sum(fill->stat[COUNT_INSNS],
					    count_times(n0 + n1, b.n_insn));
	s = section_of(fill, b.section);
	if (!s) {
		fill->stat[COUNT_NOWHERE] += n0 + n1;
		return 0;
	}
	dso = dso_of(table, s);
	if (dso < 0)
		return dso;
	row = (struct count_block){
		.start = s->offset + b.offset, .size = b.size, .n_insn = b.n_insn, .isa = b.isa,
		.kind = b.kind, .flags = b.flags, .last_size = b.last_size,
	};
	row.taken = count_branches(&row) ? n1 : 0;
	row.passed = n0 + n1 - row.taken;
	row.direct = count_branches(&row) && b.kind == CSF_INSN_BRANCH &&
		     !fill->look[2 * number + 1];
	if (row.direct)
		row.target = s->offset + b.target;
	return count_block_add(&table->dso[dso], &row);
}

static int fold_edge(struct count_fill *fill, struct count_table *table,
		     const struct fill_edge *edge)
{
	const struct code_section *to = section_of(fill, edge->section), *s;
	struct count_edge row = { .dso = COUNT_OUTSIDE, .count = edge->count };
	struct csf_block b;
	long dso, target;

	csf_block(fill->code->image, edge->from, &b);
	s = section_of(fill, b.section);
	if (!s || !edge->count)
		return 0;
	dso = dso_of(table, s);
	if (dso < 0)
		return dso;
	row.from = s->offset + b.offset + b.size - b.last_size;
	if (edge->section && to) {
		target = dso_of(table, to);
		if (target < 0)
			return target;
		row.dso = target;
		row.to = to->offset + edge->offset;
	}
	return count_edge_add(&table->dso[dso], &row);
}

static void fold_stats(struct count_fill *fill)
{
	const struct perf_queues *queues = fill->replay->queues;
	const struct perf_aux *aux = fill->replay->aux;
	struct perf_unread unread;

	for (size_t i = 0; i < queues->n_stream && !fill->partly; i++) {
		struct csf_stats stats = { .size = sizeof(stats) };

		csf_stats(queues->stream[i]->dec, &stats);
		fill->stat[COUNT_BYTES] += stats.bytes;
		fill->stat[COUNT_SKIPPED] += stats.skipped;
		fill->stat[COUNT_HOLES] += stats.gaps[CSF_GAP_OVERFLOW] +
					   stats.gaps[CSF_GAP_DISCARD];
		for (int g = 0; g < CSF_GAP_NR; g++)
			fill->stat[COUNT_LOST + g] += stats.lost_by[g];
	}
	if (aux)
		fill->stat[COUNT_HOLES] += aux->n_truncated + aux->n_lost;
	fill->stat[COUNT_RECORDINGS] = 1;
	perf_queues_unread(queues, &unread);
	fill->stat[COUNT_NO_UNIT] = unread.total - unread.nameless;
	fill->stat[COUNT_DAMAGED] = fill->replay->file->problems.damage;
}

int count_fill_fold(struct count_fill *fill, struct count_table *table)
{
	struct count_table own = { 0 };
	int err = fill_finish(fill);

	if (!err)
		err = spread_paths(fill);
	for (uint32_t i = 1; i < fill->n_block && !err; i++)
		err = fold_block(fill, &own, i);
	for (size_t i = 0; i < fill->n_edge && !err; i++)
		err = fold_edge(fill, &own, &fill->edge[i]);
	if (fill->replay)
		fold_stats(fill);
	compare_halves(fill);
	memcpy(own.stat, fill->stat, sizeof(own.stat));
	if (!err)
		err = count_table_merge(&own, &fill->lost, 1);
	if (!err)
		err = count_table_settle(&own);
	if (!err)
		err = count_table_merge(table, &own, 1);
	count_table_fini(&own);
	return err ? err : count_table_settle(table);
}
