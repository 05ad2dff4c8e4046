// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "sums.h"

/* Of an entry: two slots or four, and what qsort_r() needs for it. */
#define BESIDE	(4 * sizeof(uint32_t) + 2 * sizeof(void *))

void sums_init(struct sums *sums, struct merge_files *files, size_t max)
{
	*sums = (struct sums){ .files = files, .max = max };
}

void sums_fini(struct sums *sums)
{
	if (sums->blocks)
		fclose(sums->blocks);
	if (sums->edges)
		fclose(sums->edges);
	free(sums->run);
	free(sums->block);
	free(sums->by_block.slot);
	free(sums->edge);
	free(sums->by_edge.slot);
}

/* ---------------------------------------------------------------- sorted runs */

int sum_block_order(const void *p, const void *q, void *ranks)
{
	const struct sum_block *a = p, *b = q;
	const uint32_t *rank = ranks;

	if (a->file != b->file)
		return rank[a->file] < rank[b->file] ? -1 : 1;
	return count_block_order(&a->block, &b->block);
}

int sum_edge_order(const void *p, const void *q, void *ranks)
{
	const struct sum_edge *a = p, *b = q;
	const uint32_t *rank = ranks;
	struct count_edge x = a->edge, y = b->edge;

	if (a->file != b->file)
		return rank[a->file] < rank[b->file] ? -1 : 1;
	/* COUNT_OUTSIDE is greater than any rank */
	if (x.dso != COUNT_OUTSIDE)
		x.dso = rank[x.dso];
	if (y.dso != COUNT_OUTSIDE)
		y.dso = rank[y.dso];
	return count_edge_order(&x, &y);
}

/* @f: begun with the first entry */
static int append(FILE **f, const void *entry, size_t size, size_t n)
{
	if (!n)
		return 0;
	if (!*f)
		*f = tmpfile();
	if (!*f)
		return -errno;
	errno = 0;
	if (fwrite(entry, size, n, *f) == n && !fflush(*f))
		return 0;
	return errno ? -errno : -EIO;
}

static int write_run(struct sums *sums)
{
	struct sum_run run = { .n_block = sums->n_block, .n_edge = sums->n_edge };
	int err;

	if (!array_room(&sums->run, sums->n_run, &sums->size_run, sizeof(run)))
		return -ENOMEM;
	if (sums->n_run) {
		const struct sum_run *last = &sums->run[sums->n_run - 1];

		run.first_block = last->first_block + last->n_block;
		run.first_edge = last->first_edge + last->n_edge;
	}
	err = append(&sums->blocks, sums->block, sizeof(*sums->block), sums->n_block);
	if (!err)
		err = append(&sums->edges, sums->edge, sizeof(*sums->edge), sums->n_edge);
	sums->run[sums->n_run++] = run;
	return err;
}

int sums_end(struct sums *sums)
{
	size_t n;
	uint32_t *rank = merge_files_ranks(sums->files, &n);

	if (!rank)
		return -ENOMEM;
	if (sums->n_block)
		qsort_r(sums->block, sums->n_block, sizeof(*sums->block), sum_block_order, rank);
	if (sums->n_edge)
		qsort_r(sums->edge, sums->n_edge, sizeof(*sums->edge), sum_edge_order, rank);
	free(rank);
	return 0;
}

/* Writes everything to a sorted run.  Return: 0; -ENOMEM; -errno. */
static int spill(struct sums *sums)
{
	int err = sums_end(sums);

	if (!err)
		err = write_run(sums);
	sums->n_block = 0;
	sums->n_edge = 0;
	if (sums->by_block.n)
		memset(sums->by_block.slot, 0, sums->by_block.n * sizeof(uint32_t));
	if (sums->by_edge.n)
		memset(sums->by_edge.slot, 0, sums->by_edge.n * sizeof(uint32_t));
	return err;
}

/* Before an entry is added: an array that grows must not be more than the limit, either. */
static int make_room(struct sums *sums)
{
	const size_t bytes = sums->n_block * (sizeof(*sums->block) + BESIDE) +
			     sums->n_edge * (sizeof(*sums->edge) + BESIDE);

	return bytes < sums->max ? 0 : spill(sums);
}

/* ---------------------------------------------------------------- adding */

static uint64_t hash_block(uint32_t file, const struct count_block *b)
{
	const uint64_t form = (uint64_t)b->size << 48 | (uint64_t)b->n_insn << 32 |
			      (uint64_t)b->flags << 24 | (uint64_t)b->kind << 16 | b->isa << 8 |
			      b->last_size << 1 | b->direct;

	return hash_mix(hash_mix(b->start * 0x9e3779b97f4a7c15ull + file, b->target), form);
}

static bool same_block(const struct sum_block *s, uint32_t file, const struct count_block *b)
{
	return s->block.start == b->start && s->file == file && s->block.target == b->target &&
	       s->block.size == b->size && s->block.n_insn == b->n_insn &&
	       s->block.isa == b->isa && s->block.kind == b->kind && s->block.flags == b->flags &&
	       s->block.last_size == b->last_size && s->block.direct == b->direct;
}

int sums_block(struct sums *sums, uint32_t file, const struct count_block *b)
{
	const uint64_t hash = hash_block(file, b);
	uint32_t *slot;
	int err;

	if (!b->taken && !b->passed)
		return 0;
	if (sums->n_block) {
		slot = HASH_SLOT(&sums->by_block, hash, i,
				 same_block(&sums->block[i - 1], file, b));
		if (*slot) {
			count_block_sum(&sums->block[*slot - 1].block, b);
			return 0;
		}
	}
	err = make_room(sums);
	if (err)
		return err;
	if (!array_room(&sums->block, sums->n_block, &sums->size_block, sizeof(*sums->block)) ||
	    !HASH_ROOM(&sums->by_block, sums->n_block, 1, i,
		       hash_block(sums->block[i - 1].file, &sums->block[i - 1].block)))
		return -ENOMEM;
	sums->block[sums->n_block] = (struct sum_block){ *b, file };
	*HASH_SLOT(&sums->by_block, hash, i, false) = ++sums->n_block;
	return 0;
}

/* Each of them would wait for memory twice; now all wait together. */
static void prefetch(const struct sums *sums, uint32_t file, const struct count_block *b, size_t n)
{
	const size_t mask = sums->by_block.n - 1;
	uint64_t hash[SUMS_BATCH];

	for (size_t i = 0; i < n; i++) {
		hash[i] = hash_block(file, &b[i]);
		__builtin_prefetch(&sums->by_block.slot[hash[i] & mask]);
	}
	for (size_t i = 0; i < n; i++) {
		const uint32_t number = sums->by_block.slot[hash[i] & mask];

		if (number)
			__builtin_prefetch(&sums->block[number - 1], 1);
	}
}

int sums_blocks(struct sums *sums, uint32_t file, const struct count_block *b, size_t n)
{
	int err = 0;

	if (sums->n_block)
		prefetch(sums, file, b, n);
	for (size_t i = 0; i < n && !err; i++)
		err = sums_block(sums, file, &b[i]);
	return err;
}

static uint64_t hash_edge(uint32_t file, const struct count_edge *e)
{
	return hash_mix(hash_mix(e->from * 0x9e3779b97f4a7c15ull + file, e->to), e->dso);
}

static bool same_edge(const struct sum_edge *s, uint32_t file, const struct count_edge *e)
{
	return s->edge.from == e->from && s->edge.to == e->to && s->edge.dso == e->dso &&
	       s->file == file;
}

int sums_edge(struct sums *sums, uint32_t file, const struct count_edge *e)
{
	const uint64_t hash = hash_edge(file, e);
	uint32_t *slot;
	int err;

	if (!e->count)
		return 0;
	if (sums->n_edge) {
		slot = HASH_SLOT(&sums->by_edge, hash, i, same_edge(&sums->edge[i - 1], file, e));
		if (*slot) {
			count_edge_sum(&sums->edge[*slot - 1].edge, e);
			return 0;
		}
	}
	err = make_room(sums);
	if (err)
		return err;
	if (!array_room(&sums->edge, sums->n_edge, &sums->size_edge, sizeof(*sums->edge)) ||
	    !HASH_ROOM(&sums->by_edge, sums->n_edge, 1, i,
		       hash_edge(sums->edge[i - 1].file, &sums->edge[i - 1].edge)))
		return -ENOMEM;
	sums->edge[sums->n_edge] = (struct sum_edge){ *e, file };
	*HASH_SLOT(&sums->by_edge, hash, i, false) = ++sums->n_edge;
	return 0;
}

void sums_stats(struct sums *sums, const uint64_t stat[COUNT_STAT_NR], const struct weight *weight)
{
	for (int i = 0; i < COUNT_STAT_NR; i++) {
		const uint64_t n = i == COUNT_RECORDINGS ? count_times(stat[i], weight->times) :
							   weight_of(weight, stat[i]);

		sums->stat[i] = count_sum(sums->stat[i], n);
	}
}

/* A settled table that is added, and the numbers of its files + 1; 0: not needed yet. */
struct adding {
	struct sums *sums;
	const struct count_table *table;
	const struct weight *weight;
	uint32_t *number;
};

/* A file without any count is not added.  Return: its number; -ENOMEM. */
static long number_of(const struct adding *a, uint32_t i)
{
	const struct count_dso *d = &a->table->dso[i];
	const struct dso_key key = { .name = d->name, .kind = d->kind, .build_id = d->build_id,
				     .n_build_id = d->n_build_id, .program = d->program };
	long found;

	if (a->number[i])
		return (long)a->number[i] - 1;
	found = merge_files_find(a->sums->files, &key);
	if (found >= 0)
		a->number[i] = found + 1;
	return found;
}

static int add_block(const struct adding *a, uint32_t i, struct count_block b)
{
	long file;

	b.taken = weight_of(a->weight, b.taken);
	b.passed = weight_of(a->weight, b.passed);
	if (!b.taken && !b.passed)
		return 0;
	file = number_of(a, i);
	return file < 0 ? file : sums_block(a->sums, file, &b);
}

static int add_edge(const struct adding *a, uint32_t i, struct count_edge e)
{
	long file, to = COUNT_OUTSIDE;

	e.count = weight_of(a->weight, e.count);
	if (!e.count)
		return 0;
	file = number_of(a, i);
	if (file >= 0 && e.dso != COUNT_OUTSIDE)
		to = number_of(a, e.dso);
	if (file < 0 || to < 0)
		return -ENOMEM;
	e.dso = to;
	return sums_edge(a->sums, file, &e);
}

static int add_dso(const struct adding *a, uint32_t i)
{
	const struct count_dso *d = &a->table->dso[i];
	const uint64_t lost = weight_of(a->weight, d->lost);
	long file = lost ? number_of(a, i) : 0;
	int err = file < 0 ? file : 0;

	if (!err && lost)
		merge_files_lose(a->sums->files, file, lost);
	for (size_t k = 0; k < d->n_block && !err; k++)
		err = add_block(a, i, d->block[k]);
	for (size_t k = 0; k < d->n_edge && !err; k++)
		err = add_edge(a, i, d->edge[k]);
	return err;
}

int sums_table(struct sums *sums, const struct count_table *table, const struct weight *weight)
{
	struct adding a = { sums, table, weight, calloc(table->n + 1, sizeof(*a.number)) };
	int err = a.number ? 0 : -ENOMEM;

	if (!err)
		sums_stats(sums, table->stat, weight);
	for (size_t i = 0; i < table->n && !err; i++)
		err = add_dso(&a, i);
	free(a.number);
	return err;
}
