// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count-file.h"
#include "../lib/file.h"
#include "../lib/packed.h"

bool count_file_is(const void *bytes, size_t n)
{
	return n >= PACKED_HEAD && !memcmp(bytes, COUNT_MAGIC, 8);
}

bool count_file_at(const char *path)
{
	struct file file;
	bool is;

	if (file_map(&file, path))
		return false;
	is = count_file_is(file.data, file.n);
	file_unmap(&file);
	return is;
}

/* ---------------------------------------------------------------- writing */

void count_file_put_block(struct packed_out *b, const struct count_block *k, uint64_t *last)
{
	packed_put(b, k->start - *last);
	*last = k->start;
	packed_put(b, k->size);
	packed_put(b, k->n_insn);
	packed_put(b, k->isa | k->kind << 2 | (k->last_size == 4) << 6 | k->direct << 7);
	packed_put(b, k->flags);
	if (k->direct)
		packed_put(b, packed_fold(k->target - k->start));
	packed_put(b, k->taken);
	packed_put(b, k->passed);
}

void count_file_put_edge(struct packed_out *b, const struct count_edge *e, uint64_t *last)
{
	packed_put(b, e->from - *last);
	*last = e->from;
	packed_put(b, e->dso == COUNT_OUTSIDE ? 0 : (uint64_t)e->dso + 1);
	packed_put(b, packed_fold(e->to - e->from));
	packed_put(b, e->count);
}

void count_file_put_dso(struct packed_out *out, const struct count_dso *dso)
{
	const size_t n = strnlen(dso->name, COUNT_NAME_MAX);

	packed_put(out, dso->kind | (dso->program ? COUNT_PROGRAM : 0));
	packed_put(out, dso->n_build_id);
	packed_bytes(out, dso->build_id, dso->n_build_id);
	packed_put(out, n);
	packed_bytes(out, dso->name, n);
}

static void put_dso(struct packed_out *b, const struct count_dso *dso)
{
	uint64_t last = 0;

	count_file_put_dso(b, dso);
	packed_put(b, dso->lost);
	packed_put(b, dso->n_block);
	for (size_t i = 0; i < dso->n_block; i++)
		count_file_put_block(b, &dso->block[i], &last);
	last = 0;
	packed_put(b, dso->n_edge);
	for (size_t i = 0; i < dso->n_edge; i++)
		count_file_put_edge(b, &dso->edge[i], &last);
}

int count_file_write(const struct count_table *table, FILE *f)
{
	struct packed_out b = { 0 };

	packed_put(&b, COUNT_STAT_NR);
	for (int i = 0; i < COUNT_STAT_NR; i++)
		packed_put(&b, table->stat[i]);
	packed_put(&b, table->n);
	for (size_t i = 0; i < table->n; i++)
		put_dso(&b, &table->dso[i]);
	return packed_write(&b, COUNT_MAGIC, COUNT_VERSION, f);
}

/* ---------------------------------------------------------------- reading */

void count_file_take_block(struct packed_in *r, struct count_block *b, uint64_t *last)
{
	uint64_t bits;

	*b = (struct count_block){ .start = *last + packed_take(r) };
	b->size = packed_take_max(r, COUNT_SIZE_MAX, "a block is too long");
	b->n_insn = packed_take_max(r, COUNT_SIZE_MAX / 2, "a block has too many instructions");
	bits = packed_take_max(r, 0xff, "an unknown kind of block");
	b->flags = packed_take_max(r, 0xff, "unknown flags of a block");
	b->isa = bits & 3;
	b->kind = bits >> 2 & 15;
	b->last_size = bits & 0x40 ? 4 : 2;
	b->direct = bits >> 7;
	if (b->direct)
		b->target = b->start + packed_unfold(packed_take(r));
	b->taken = packed_take(r);
	b->passed = packed_take(r);
	if (b->start < *last || b->start + b->size < b->start || b->size < b->last_size)
		packed_wrong(r, "an impossible block");
	if (b->isa > CSF_T32 || b->kind > CSF_INSN_EXCEPTION || !b->n_insn ||
	    2u * b->n_insn > b->size)
		packed_wrong(r, "an impossible block");
	*last = b->start;
}

void count_file_take_edge(struct packed_in *r, struct count_edge *e, uint64_t *last,
			  uint64_t n_dso)
{
	*e = (struct count_edge){ .from = *last + packed_take(r) };
	if (e->from < *last)
		packed_wrong(r, "an impossible branch");
	*last = e->from;
	e->dso = packed_take_max(r, n_dso, "a branch to a file that is not there");
	e->dso--;
	e->to = e->from + packed_unfold(packed_take(r));
	e->count = packed_take(r);
}

static int take_blocks(struct packed_in *r, struct count_dso *dso)
{
	uint64_t n = packed_take(r), last = 0;
	struct count_block b;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		count_file_take_block(r, &b, &last);
		if (!r->why && count_block_add(dso, &b))
			return -ENOMEM;
	}
	return 0;
}

static int take_edges(struct packed_in *r, struct count_dso *dso, uint64_t n_dso)
{
	uint64_t n = packed_take(r), last = 0;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		struct count_edge e;

		count_file_take_edge(r, &e, &last, n_dso);
		if (!r->why && count_edge_add(dso, &e))
			return -ENOMEM;
	}
	return 0;
}

bool count_file_take_key(struct packed_in *in, struct dso_key *key, size_t *n_name)
{
	const uint64_t kind = packed_take_max(in, COUNT_PROGRAM | DSO_SYMBOL, "an unknown kind of file");

	*key = (struct dso_key){ .kind = kind & ~COUNT_PROGRAM, .program = kind & COUNT_PROGRAM };
	if (key->kind > (key->program ? DSO_FILE : DSO_SYMBOL))
		packed_wrong(in, "an unknown kind of file");
	key->n_build_id = packed_take_max(in, ELF_BUILD_ID_MAX, "a build-id is too long");
	key->build_id = packed_take_bytes(in, key->n_build_id);
	*n_name = packed_take_max(in, COUNT_NAME_MAX, "a name is too long");
	key->name = (const char *)packed_take_bytes(in, *n_name);
	return !in->why;
}

long count_file_take_dso(struct packed_in *in, struct count_table *table)
{
	struct dso_key key;
	size_t n_name;
	char *copy;
	long dso;

	if (!count_file_take_key(in, &key, &n_name))
		return -EBADMSG;
	copy = strndup(key.name, n_name);
	if (!copy)
		return -ENOMEM;
	key.name = copy;
	dso = count_dso_add(table, &key);
	free(copy);
	return dso;
}

static int take_dso(struct packed_in *r, struct count_table *table, uint64_t n_dso)
{
	long dso = count_file_take_dso(r, table);

	if (dso < 0)
		return r->why ? 0 : dso;
	table->dso[dso].lost = packed_take(r);
	return take_blocks(r, &table->dso[dso]) ||
	       take_edges(r, &table->dso[dso], n_dso) ? -ENOMEM : 0;
}

uint32_t count_file_take_head(struct packed_in *in, uint64_t stat[COUNT_STAT_NR])
{
	const uint64_t n = packed_take(in);

	/* Another version of the same format may have more of them. */
	for (uint64_t i = 0; i < n && !in->why; i++) {
		uint64_t v = packed_take(in);

		if (i < COUNT_STAT_NR)
			stat[i] = v;
	}
	return packed_take_max(in, UINT32_MAX - 1, "too many files");
}

static int take_table(struct packed_in *r, struct count_table *table)
{
	const uint64_t n_dso = count_file_take_head(r, table->stat);
	int err = 0;

	for (uint64_t i = 0; i < n_dso && !r->why && !err; i++)
		err = take_dso(r, table, n_dso);
	if (!err && r->p != r->end)
		packed_wrong(r, "there is data after its end");
	return err;
}

int count_file_read(struct count_table *table, const void *bytes, size_t n,
		    struct packed_problem *problem)
{
	struct packed_in in;
	int err;

	*problem = (struct packed_problem){ "it is not a count table", 0 };
	if (!count_file_is(bytes, n))
		return -EBADMSG;
	err = packed_open(&in, bytes, n, COUNT_VERSION, problem);
	if (!err)
		err = take_table(&in, table);
	return err ? err : packed_close(&in, bytes, problem);
}
