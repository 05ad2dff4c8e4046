// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../count/count-file.h"
#include "count-input.h"

void count_input_fini(struct count_input *in)
{
	free(in->key);
	free(in->number);
	*in = (struct count_input){ 0 };
}

/* ---------------------------------------------------------------- checking */

/* The key of a file, with a name that ends; @room: two of COUNT_NAME_MAX + 1 */
static bool take_key(struct packed_in *r, struct dso_key *key, char *room)
{
	size_t n;

	if (!count_file_take_key(r, key, &n))
		return false;
	if (memchr(key->name, 0, n))
		packed_wrong(r, "a name with a zero in it");
	memcpy(room, key->name, n);
	room[n] = 0;
	key->name = room;
	return !r->why;
}

static void check_blocks(struct packed_in *r, uint64_t *ran)
{
	const uint64_t n = packed_take(r);
	struct count_block before, b;
	uint64_t last = 0;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		const uint8_t *const at = r->p;

		count_file_take_block(r, &b, &last);
		if (r->why)
			return;
		if (i && count_block_order(&before, &b) >= 0) {
			r->p = at;
			packed_wrong(r, "a block that is out of order, or there twice");
		} else if (!b.taken && !b.passed) {
			r->p = at;
			packed_wrong(r, "a block that never ran");
		}
		*ran = count_sum(*ran, count_ran(&b));
		before = b;
	}
}

static void check_edges(struct packed_in *r, uint64_t n_dso)
{
	const uint64_t n = packed_take(r);
	struct count_edge before, e;
	uint64_t last = 0;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		const uint8_t *const at = r->p;

		count_file_take_edge(r, &e, &last, n_dso);
		if (r->why)
			return;
		if (i && count_edge_order(&before, &e) >= 0) {
			r->p = at;
			packed_wrong(r, "a branch that is out of order, or there twice");
		} else if (!e.count) {
			r->p = at;
			packed_wrong(r, "a branch that was never taken");
		}
		before = e;
	}
}

static int check_dsos(struct count_input *in, struct packed_in *r, uint64_t *ran)
{
	char name[2][COUNT_NAME_MAX + 1];
	uint64_t stat[COUNT_STAT_NR];
	const uint64_t n = count_file_take_head(r, stat);
	struct count_dso before;

	in->n = 0;
	for (uint64_t i = 0; i < n && !r->why; i++) {
		const uint8_t *const at = r->p;
		struct dso_key key;
		struct count_dso dso;

		if (!take_key(r, &key, name[i & 1]))
			return 0;
		if (!array_room(&in->key, i, &in->size_key, sizeof(*in->key)) ||
		    !array_room(&in->number, i, &in->size_number, sizeof(*in->number)))
			return -ENOMEM;
		in->key[i] = at;
		in->number[i] = 0;
		dso = count_dso_of(&key);
		if (i && count_dso_order(&before, &dso) >= 0) {
			r->p = at;
			packed_wrong(r, "a file that is out of order, or there twice");
		}
		before = dso;
		packed_take(r);
		check_blocks(r, ran);
		check_edges(r, n);
		in->n = i + 1;
	}
	return 0;
}

int count_input_check(struct count_input *in, const uint8_t *bytes, size_t n, uint64_t *ran,
		      struct packed_problem *problem)
{
	struct packed_in r;
	int err;

	*ran = 0;
	if (n < PACKED_HEAD) {
		*problem = (struct packed_problem){ "it ends too early", n };
		return -EBADMSG;
	}
	err = packed_open(&r, bytes, n, COUNT_VERSION, problem);
	if (err)
		return err;
	err = check_dsos(in, &r, ran);
	if (!err && !r.why && r.p != r.end)
		packed_wrong(&r, "there is data after its end");
	return err ? err : packed_close(&r, bytes, problem);
}

/* ---------------------------------------------------------------- adding */

/* A table that was checked, and is read again. */
struct adding {
	struct count_input *in;
	struct packed_in r;
	struct sums *sums;
	const struct weight *weight;
};

/* A file without any count is not added.  Return: its number; -ENOMEM. */
static long number_of(struct adding *a, uint32_t i)
{
	struct packed_in r = { .p = a->in->key[i], .end = a->r.end };
	char name[COUNT_NAME_MAX + 1];
	struct dso_key key;
	long found;

	if (a->in->number[i])
		return (long)a->in->number[i] - 1;
	if (!take_key(&r, &key, name))
		return -EIO;
	found = merge_files_find(a->sums->files, &key);
	if (found >= 0)
		a->in->number[i] = found + 1;
	return found;
}

/* Takes some of the @n blocks that are left and have a weight.  Return: how many. */
static size_t take_blocks(struct adding *a, uint64_t *n, uint64_t *last, struct count_block *block)
{
	size_t taken = 0;

	for (; *n && taken < SUMS_BATCH && !a->r.why; --*n) {
		struct count_block *b = &block[taken];

		count_file_take_block(&a->r, b, last);
		b->taken = weight_of(a->weight, b->taken);
		b->passed = weight_of(a->weight, b->passed);
		taken += b->taken || b->passed;
	}
	return taken;
}

static int add_blocks(struct adding *a, uint32_t i)
{
	struct count_block block[SUMS_BATCH];
	uint64_t n = packed_take(&a->r), last = 0;
	int err = 0;

	while (n && !err && !a->r.why) {
		const size_t taken = take_blocks(a, &n, &last, block);
		long file = taken ? number_of(a, i) : 0;

		err = file < 0 ? file : sums_blocks(a->sums, file, block, taken);
	}
	return err;
}

static int add_edges(struct adding *a, uint32_t i)
{
	const uint64_t n = packed_take(&a->r);
	uint64_t last = 0;
	int err = 0;

	for (uint64_t k = 0; k < n && !err && !a->r.why; k++) {
		long file, to = COUNT_OUTSIDE;
		struct count_edge e;

		count_file_take_edge(&a->r, &e, &last, a->in->n);
		e.count = weight_of(a->weight, e.count);
		if (!e.count)
			continue;
		file = number_of(a, i);
		if (e.dso != COUNT_OUTSIDE)
			to = number_of(a, e.dso);
		if (file < 0 || to < 0)
			return file < 0 ? file : to;
		e.dso = to;
		err = sums_edge(a->sums, file, &e);
	}
	return err;
}

static int add_dso(struct adding *a, uint32_t i)
{
	struct dso_key key;
	size_t n_name;
	uint64_t lost;
	long file = 0;
	int err;

	count_file_take_key(&a->r, &key, &n_name);
	lost = weight_of(a->weight, packed_take(&a->r));
	if (lost)
		file = number_of(a, i);
	if (file < 0)
		return file;
	if (lost)
		merge_files_lose(a->sums->files, file, lost);
	err = add_blocks(a, i);
	return err ? err : add_edges(a, i);
}

int count_input_add(struct count_input *in, const uint8_t *bytes, size_t n, struct sums *sums,
		    const struct weight *weight)
{
	struct adding a = {
		.in = in, .r = { .p = bytes + PACKED_HEAD, .end = bytes + n }, .sums = sums,
		.weight = weight,
	};
	uint64_t stat[COUNT_STAT_NR] = { 0 };
	int err = 0;

	count_file_take_head(&a.r, stat);
	sums_stats(sums, stat, weight);
	for (size_t i = 0; i < in->n && !err; i++)
		err = add_dso(&a, i);
	/* it was good before: now it is another one, and was counted in part */
	return !err && a.r.why ? -EIO : err;
}
