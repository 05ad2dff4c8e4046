// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count-fill.h"

/* Steps of a transaction that are remembered until its outcome is known. */
#define JOURNAL_MAX	(1u << 20)

/* Where a block begins. */
struct fill_place {
	int64_t offset;
	uint32_t section;
};

/**
 * struct fill_edge - a branch and where it went
 * @from: number of the block
 * @section, @offset: of the target; section 0: in none
 * @next: of the same hash: index + 1
 */
struct fill_edge {
	int64_t offset;
	uint64_t count;
	uint32_t section;
	uint32_t from;
	uint32_t next;
};

/**
 * struct fill_state - of a stream
 * @step: the last one, if it is to be known where it went; else 0
 * @going: what comes next is executed behind what came before
 * @missing: file of the last gap for want of code: index + 1
 * @journal: steps of a transaction; above 32 bits, the edge that led there: index + 1
 * @unsure: the journal is not whole
 */
struct fill_state {
	uint32_t step;
	bool going, unsure;
	size_t missing;
	uint64_t *journal;
	size_t n, size;
};

void count_fill_init(struct count_fill *fill, struct perf_session *session)
{
	*fill = (struct count_fill){ .session = session };
}

void count_fill_fini(struct count_fill *fill)
{
	for (size_t i = 0; i < fill->n_state; i++)
		free(fill->state[i].journal);
	free(fill->state);
	free(fill->ran);
	free(fill->look);
	free(fill->last);
	free(fill->place);
	free(fill->edge);
	free(fill->hash);
	count_table_fini(&fill->lost);
	*fill = (struct count_fill){ 0 };
}

/* Gives @array @n elements of @size bytes, the new ones zero; it had @was. */
static bool enlarge(void *array, size_t was, size_t n, size_t size)
{
	void **p = array;
	char *grown = realloc(*p, n * size);

	if (!grown)
		return false;
	memset(grown + was * size, 0, (n - was) * size);
	*p = grown;
	return true;
}

/* ---------------------------------------------------------------- blocks */

static const struct code_section *section_of(const struct count_fill *fill, uint32_t section)
{
	const struct perf_code *code = &fill->session->map->code;

	return section < code->n_section ? code->section[section] : NULL;
}

/* Where it went when taken is not in the block, or not in its file. */
static bool must_look(const struct count_fill *fill, const struct csf_block *b)
{
	const struct code_section *s = section_of(fill, b->section);

	if (b->flags & CSF_FLAG_CUT)
		return false;
	if (b->kind == CSF_INSN_INDIRECT)
		return true;
	return b->kind == CSF_INSN_BRANCH && (!s || b->target < 0 || b->target >= s->n);
}

static int learn(struct count_fill *fill)
{
	const struct csf_image *image = fill->session->image;
	size_t n = (size_t)csf_block_count(image) + 1;

	if (n > fill->size_block) {
		size_t was = fill->size_block, size = 2 * n + 1024;

		if (!enlarge(&fill->ran, 2 * was, 2 * size, sizeof(*fill->ran)) ||
		    !enlarge(&fill->look, 2 * was, 2 * size, sizeof(*fill->look)) ||
		    !enlarge(&fill->last, was, size, sizeof(*fill->last)) ||
		    !enlarge(&fill->place, was, size, sizeof(*fill->place)))
			return -ENOMEM;
		fill->size_block = size;
	}
	/* number 0 is none */
	if (!fill->n_block)
		fill->n_block = 1;
	for (; fill->n_block < n; fill->n_block++) {
		struct csf_block b;

		csf_block(image, fill->n_block, &b);
		fill->place[fill->n_block] = (struct fill_place){ b.offset, b.section };
		fill->look[2 * fill->n_block + 1] = must_look(fill, &b);
	}
	return 0;
}

/* ---------------------------------------------------------------- edges */

static size_t hash_of(uint32_t from, const struct fill_place *to)
{
	uint64_t h = ((uint64_t)from << 32 | to->section) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 32 ^ to->offset) * 0xc2b2ae3d27d4eb4full;
	return h ^ h >> 29;
}

static int grow_edges(struct count_fill *fill)
{
	size_t size = fill->size_edge ? 2 * fill->size_edge : 1024;
	uint32_t *hash;

	if (!enlarge(&fill->edge, fill->size_edge, size, sizeof(*fill->edge)))
		return -ENOMEM;
	hash = calloc(size, sizeof(*hash));
	if (!hash)
		return -ENOMEM;
	free(fill->hash);
	fill->hash = hash;
	fill->size_edge = size;
	for (size_t i = 0; i < fill->n_edge; i++) {
		struct fill_edge *e = &fill->edge[i];
		const struct fill_place to = { e->offset, e->section };
		uint32_t *head = &hash[hash_of(e->from, &to) & (size - 1)];

		e->next = *head;
		*head = i + 1;
	}
	return 0;
}

/* The edge from a block to a place, perhaps a new one.  Return: index + 1; 0: no memory. */
static uint32_t edge_to(struct count_fill *fill, uint32_t from, const struct fill_place *to)
{
	uint32_t *head;

	if (fill->n_edge == fill->size_edge && grow_edges(fill))
		return 0;
	head = &fill->hash[hash_of(from, to) & (fill->size_edge - 1)];
	for (uint32_t i = *head; i; i = fill->edge[i - 1].next) {
		const struct fill_edge *e = &fill->edge[i - 1];

		if (e->from == from && e->section == to->section && e->offset == to->offset)
			return i;
	}
	fill->edge[fill->n_edge] = (struct fill_edge){
		.from = from, .section = to->section, .offset = to->offset, .next = *head,
	};
	*head = ++fill->n_edge;
	return *head;
}

/* Counts it.  Most branches go where they went last.  Return: as edge_to(). */
static inline uint32_t follow(struct count_fill *fill, uint32_t from, const struct fill_place *to)
{
	uint32_t i = fill->last[from];

	if (!i || fill->edge[i - 1].offset != to->offset ||
	    fill->edge[i - 1].section != to->section) {
		i = edge_to(fill, from, to);
		fill->last[from] = i;
	}
	if (i)
		fill->edge[i - 1].count++;
	return i;
}

/* A branch to an address that no step tells. */
static int follow_addr(struct count_fill *fill, struct fill_state *s, const struct perf_run *run)
{
	struct fill_place to = { 0 };
	struct code_place place;

	if (!s->step)
		return 0;
	if (perf_code_find(&fill->session->map->code, run->run.space, run->time, run->run.addr,
			   &place))
		to = (struct fill_place){ place.offset, place.section };
	return follow(fill, s->step >> 1, &to) ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- steps */

static void remember(struct fill_state *s, uint64_t step, uint32_t edge)
{
	if (s->n == s->size && !s->unsure) {
		size_t size = s->size ? 2 * s->size : 256;

		if (s->n == JOURNAL_MAX || !enlarge(&s->journal, s->size, size, sizeof(uint64_t)))
			s->unsure = true;
		else
			s->size = size;
	}
	if (!s->unsure)
		s->journal[s->n++] = (uint64_t)edge << 32 | step;
}

/* In a transaction: the same, written down. */
static int walk_transaction(struct count_fill *fill, struct fill_state *s,
			    const struct csf_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		uint32_t step = run->step[i], edge = 0;

		if (s->step) {
			edge = follow(fill, s->step >> 1, &fill->place[step >> 1]);
			if (!edge)
				return -ENOMEM;
		}
		fill->ran[step]++;
		s->step = fill->look[step] ? step : 0;
		remember(s, step, edge);
		if (s->unsure)
			fill->stat[COUNT_UNSURE]++;
	}
	return 0;
}

static int walk(struct count_fill *fill, struct fill_state *s, const struct csf_run *run)
{
	const uint8_t *look = fill->look;
	uint64_t *ran = fill->ran;
	uint32_t open = s->step;

	if (run->in_transaction)
		return walk_transaction(fill, s, run);
	for (size_t i = 0; i < run->n; i++) {
		uint32_t step = run->step[i];

		if (open && !follow(fill, open >> 1, &fill->place[step >> 1]))
			return -ENOMEM;
		ran[step]++;
		open = look[step] ? step : 0;
	}
	s->step = open;
	return 0;
}

/* What ran since the start of the transaction did not happen. */
static void undo(struct count_fill *fill, struct fill_state *s)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t edge = s->journal[i] >> 32;

		fill->ran[(uint32_t)s->journal[i]]--;
		if (edge)
			fill->edge[edge - 1].count--;
	}
	fill->stat[COUNT_FAILED] += s->n;
}

/* ---------------------------------------------------------------- ends */

static void stop(struct fill_state *s)
{
	s->step = 0;
	s->going = false;
}

static int count_missing(struct count_fill *fill, struct fill_state *s, const struct perf_run *run)
{
	struct code_place place;

	if (!(run->run.flags & CSF_GAP_MORE)) {
		s->missing = 0;
		if (perf_code_find(&fill->session->map->code, run->run.space, run->time,
				   run->run.addr, &place)) {
			const struct dso_key key = {
				.name = place.dso->name, .kind = place.dso->kind,
				.build_id = place.dso->build_id,
				.n_build_id = place.dso->n_build_id,
			};
			long dso = count_dso_find(&fill->lost, &key);

			if (dso < 0)
				return -ENOMEM;
			s->missing = dso + 1;
		}
	}
	if (s->missing)
		fill->lost.dso[s->missing - 1].lost += run->run.lost;
	return 0;
}

static void end_transaction(struct count_fill *fill, struct fill_state *s, uint64_t what)
{
	if (what == CSF_TRANS_FAIL) {
		undo(fill, s);
		stop(s);
	}
	s->n = 0;
	s->unsure = false;
}

static int end(struct count_fill *fill, struct fill_state *s, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;
	int err = 0;

	switch ((enum csf_end_kind)r->end) {
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TIME:
	case CSF_END_CODE:
		return 0;
	case CSF_END_TRANSACTION:
		end_transaction(fill, s, r->value);
		return 0;
	case CSF_END_EXCEPTION:
		/* It interrupts what it came to. */
		if (!(r->flags & (CSF_EXC_NO_ADDR | CSF_EXC_UNRELIABLE)))
			err = follow_addr(fill, s, run);
		break;
	case CSF_END_GAP:
		if (r->value == CSF_GAP_IMAGE) {
			err = follow_addr(fill, s, run);
			if (!err)
				err = count_missing(fill, s, run);
		}
		break;
	case CSF_END_Q:
	case CSF_END_TRACE:
		break;
	}
	stop(s);
	return err;
}

int count_fill_run(struct count_fill *fill, const struct perf_run *run)
{
	size_t number = run->stream->number;
	struct fill_state *s;
	int err;

	if (number >= fill->n_state) {
		if (!enlarge(&fill->state, fill->n_state, 2 * number + 8, sizeof(*s)))
			return -ENOMEM;
		fill->n_state = 2 * number + 8;
	}
	s = &fill->state[number];
	if (run->starts)
		stop(s);
	err = learn(fill);
	if (err)
		return err;
	if (run->run.n && !s->going) {
		fill->stat[COUNT_BREAKS]++;
		s->going = true;
	}
	err = walk(fill, s, &run->run);
	return err ? err : end(fill, s, run);
}

/* ---------------------------------------------------------------- folding */

/* The dso of a section in the table.  Return: its index; -ENOENT: no file; -ENOMEM. */
static long dso_of(struct count_table *table, const struct code_section *s)
{
	const struct dso_key key = {
		.name = s->dso->name, .kind = s->dso->kind,
		.build_id = s->dso->build_id, .n_build_id = s->dso->n_build_id,
	};

	return count_dso_find(table, &key);
}

static int fold_block(struct count_fill *fill, struct count_table *table, uint32_t number)
{
	uint64_t n0 = fill->ran[2 * number], n1 = fill->ran[2 * number + 1];
	const struct code_section *s;
	struct count_block row;
	struct csf_block b;
	long dso;

	if (!n0 && !n1)
		return 0;
	csf_block(fill->session->image, number, &b);
	fill->stat[COUNT_BLOCKS] += n0 + n1;
	fill->stat[COUNT_INSNS] += (n0 + n1) * b.n_insn;
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

	csf_block(fill->session->image, edge->from, &b);
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
	const struct perf_queues *queues = fill->session->queues;

	for (size_t i = 0; i < queues->n_stream; i++) {
		struct csf_stats stats = { .size = sizeof(stats) };

		csf_stats(queues->stream[i]->dec, &stats);
		fill->stat[COUNT_BYTES] += stats.bytes;
		fill->stat[COUNT_SKIPPED] += stats.skipped;
		for (int g = 0; g < CSF_GAP_NR; g++)
			fill->stat[COUNT_LOST + g] += stats.lost_by[g];
	}
	fill->stat[COUNT_RECORDINGS] = 1;
	fill->stat[COUNT_NO_UNIT] = queues->no_unit;
	fill->stat[COUNT_DAMAGED] = fill->session->file->problems.damage;
}

int count_fill_fold(struct count_fill *fill, struct count_table *table)
{
	struct count_table own = { 0 };
	int err = 0;

	for (uint32_t i = 1; i < fill->n_block && !err; i++)
		err = fold_block(fill, &own, i);
	for (size_t i = 0; i < fill->n_edge && !err; i++)
		err = fold_edge(fill, &own, &fill->edge[i]);
	fold_stats(fill);
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
