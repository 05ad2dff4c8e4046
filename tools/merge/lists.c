// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../input/unchecked.h"
#include "lists.h"

/* Blocks of a file before equal ones are joined. */
#define SETTLE	(1u << 16)

void lists_init(struct lists *lists, struct sums *sums, const struct dso_options *options,
		pthread_mutex_t *code)
{
	*lists = (struct lists){
		.sums = sums, .options = options, .code = code, .max = sums->max / 4,
		.stream.max = LISTS_MESSAGE,
	};
}

static void forget_files(struct lists *lists)
{
	for (size_t i = 0; i < lists->n_file; i++)
		free((char *)lists->file[i].key.name);
	lists->n_file = 0;
}

void lists_fini(struct lists *lists)
{
	forget_files(lists);
	branch_stream_fini(&lists->stream);
	free(lists->messages.hash);
	free(lists->messages.by_hash.slot);
	free(lists->files.hash);
	free(lists->files.by_hash.slot);
	free(lists->file);
	free(lists->by_file.slot);
	free(lists->run);
	free(lists->by_run.slot);
	free(lists->bytes);
}

/* ---------------------------------------------------------------- keys */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		hash = hash_mix(hash, word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return hash_mix(hash, word ^ (uint64_t)n << 56);
}

static uint64_t hash_file(const struct branch_list_file *file)
{
	const struct dso_key *key = &file->key;
	const uint64_t hash = hash_mix(0, key->kind << 8 | file->moved);

	return hash_bytes(hash_bytes(hash, key->build_id, key->n_build_id), key->name,
			  strlen(key->name));
}

static bool same_file(const struct branch_list_file *a, const struct branch_list_file *b)
{
	return a->key.kind == b->key.kind && a->moved == b->moved &&
	       a->key.n_build_id == b->key.n_build_id &&
	       !memcmp(a->key.build_id, b->key.build_id, a->key.n_build_id) &&
	       !strcmp(a->key.name, b->key.name);
}

static uint64_t hash_run(uint32_t file, uint64_t addr, const uint8_t *bits, uint32_t n)
{
	return hash_bytes(hash_mix(hash_mix(file, addr), n), bits, n / 8 + !!(n & 7));
}

static void empty(struct hash_table *table)
{
	if (table->n)
		memset(table->slot, 0, table->n * sizeof(*table->slot));
}

static void seen_none(struct seen *seen)
{
	/* one of a large list would be cleared for each small one */
	if (seen->by_hash.n > 1024) {
		free(seen->by_hash.slot);
		seen->by_hash = (struct hash_table){ 0 };
	} else {
		empty(&seen->by_hash);
	}
	seen->n = 0;
}

/* Return: 0: it is new; -EEXIST; -ENOMEM. */
static int seen_add(struct seen *seen, uint64_t hash)
{
	uint32_t *slot;

	if (!array_room(&seen->hash, seen->n, &seen->size, sizeof(*seen->hash)) ||
	    !HASH_ROOM(&seen->by_hash, seen->n, 1, i, seen->hash[i - 1]))
		return -ENOMEM;
	slot = HASH_SLOT(&seen->by_hash, hash, i, seen->hash[i - 1] == hash);

	if (*slot)
		return -EEXIST;
	seen->hash[seen->n] = hash;
	*slot = ++seen->n;
	return 0;
}

/* ---------------------------------------------------------------- checking */

static int wrong(struct lists *lists, const char *why)
{
	lists->why = why;
	return -EBADMSG;
}

static int check_message(void *owner, const struct protobuf *message)
{
	struct lists *lists = owner;
	int err = seen_add(&lists->messages, hash_bytes(0, message->at, protobuf_size(message)));

	seen_none(&lists->files);
	return err == -EEXIST ? wrong(lists, "a message that is there twice") : err;
}

static int check_file(void *owner, const struct branch_list_file *file)
{
	struct lists *lists = owner;
	int err = seen_add(&lists->files, hash_file(file));

	return err == -EEXIST ? wrong(lists, "a file that is there twice") : err;
}

static int check_run(void *owner, const struct branch_list_run *run)
{
	struct lists *lists = owner;

	if (run->n > LISTS_ATOMS)
		return wrong(lists, "an atom run that is too long");
	if (!run->exact)
		return wrong(lists, "atoms that are in no atom run");
	if (!run->count)
		return wrong(lists, "an atom run that never came");
	lists->atoms = count_sum(lists->atoms, count_times(run->n, run->count));
	return 0;
}

int lists_check(struct lists *lists, const struct branch_list *list, uint64_t *atoms,
		struct branch_list_problem *problem)
{
	const struct branch_parse take = {
		.message = check_message, .file = check_file, .run = check_run, .owner = lists,
	};
	int err;

	seen_none(&lists->messages);
	lists->atoms = 0;
	lists->why = NULL;
	err = branch_parse(&lists->stream, list, &take, problem);
	/* what is left of one that is cut off after the head of its frame */
	if (!err && !lists->messages.n)
		err = wrong(lists, "a branch list without a message");
	*atoms = lists->atoms;
	if (lists->why)
		problem->why = lists->why;
	if (err || !problem->n_odd)
		return err;
	problem->why = problem->what;
	problem->offset = problem->odd;
	return -EBADMSG;
}

/* ---------------------------------------------------------------- adding */

/* Appends a copy; its build-id is after its name, in one piece of memory. */
static int new_file_of(struct lists *lists, const struct branch_list_file *file)
{
	const size_t n = strlen(file->key.name) + 1;
	struct branch_list_file *f;
	char *copy;

	if (!array_room(&lists->file, lists->n_file, &lists->size_file, sizeof(*lists->file)) ||
	    !HASH_ROOM(&lists->by_file, lists->n_file, 1, i, hash_file(&lists->file[i - 1])))
		return -ENOMEM;
	copy = malloc(n + file->key.n_build_id);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, file->key.name, n);
	memcpy(copy + n, file->key.build_id, file->key.n_build_id);
	f = &lists->file[lists->n_file];
	*f = *file;
	f->key.name = copy;
	f->key.build_id = (uint8_t *)copy + n;
	*HASH_SLOT(&lists->by_file, hash_file(file), i, false) = ++lists->n_file;
	return 0;
}

static int add_file(void *owner, const struct branch_list_file *file)
{
	struct lists *lists = owner;
	uint32_t slot = 0;
	int err = 0;

	if (lists->n_file)
		slot = *HASH_SLOT(&lists->by_file, hash_file(file), i,
				  same_file(&lists->file[i - 1], file));
	if (!slot) {
		err = new_file_of(lists, file);
		slot = lists->n_file;
	}
	lists->at = slot - 1;
	return err;
}

static bool same_run(const struct lists *lists, const struct list_run *r,
		     const struct branch_list_run *run)
{
	return r->addr == run->addr && r->n == run->n && r->file == lists->at &&
	       !memcmp(lists->bytes + r->bits, run->bits, run->n / 8 + !!(run->n & 7));
}

static bool room_for_bytes(struct lists *lists, size_t n)
{
	const size_t size = 2 * (lists->n_bytes + n) + 4096;
	uint8_t *grown;

	if (lists->n_bytes + n <= lists->size_bytes)
		return true;
	grown = realloc(lists->bytes, size);
	if (!grown)
		return false;
	lists->bytes = grown;
	lists->size_bytes = size;
	return true;
}

static uint64_t hash_kept(const struct lists *lists, const struct list_run *r)
{
	return hash_run(r->file, r->addr, lists->bytes + r->bits, r->n);
}

static int new_run(struct lists *lists, const struct branch_list_run *run, uint64_t hash,
		   uint64_t count)
{
	const size_t n = run->n / 8 + !!(run->n & 7);

	if (!array_room(&lists->run, lists->n_run, &lists->size_run, sizeof(*lists->run)) ||
	    !HASH_ROOM(&lists->by_run, lists->n_run, 1, i, hash_kept(lists, &lists->run[i - 1])) ||
	    !room_for_bytes(lists, n))
		return -ENOMEM;
	lists->run[lists->n_run] = (struct list_run){
		.addr = run->addr, .count = count, .bits = lists->n_bytes, .n = run->n,
		.file = lists->at,
	};
	memcpy(lists->bytes + lists->n_bytes, run->bits, n);
	lists->n_bytes += n;
	*HASH_SLOT(&lists->by_run, hash, i, false) = ++lists->n_run;
	return 0;
}

static int add_run(void *owner, const struct branch_list_run *run)
{
	struct lists *lists = owner;
	const uint64_t count = weight_of(lists->weight, run->count);
	uint64_t hash;
	uint32_t *slot;

	if (!run->n || !count)
		return 0;
	hash = hash_run(lists->at, run->addr, run->bits, run->n);
	if (lists->n_run) {
		slot = HASH_SLOT(&lists->by_run, hash, i,
				 same_run(lists, &lists->run[i - 1], run));
		if (*slot) {
			lists->run[*slot - 1].count = count_sum(lists->run[*slot - 1].count, count);
			return 0;
		}
	}
	return new_run(lists, run, hash, count);
}

/* Bytes, with four slots for each. */
static size_t used(const struct lists *lists)
{
	return lists->n_run * (sizeof(*lists->run) + 4 * sizeof(uint32_t)) + lists->n_bytes +
	       lists->n_file * (sizeof(*lists->file) + 4 * sizeof(uint32_t) + 64);
}

int lists_add(struct lists *lists, const struct branch_list *list, const struct weight *weight)
{
	const struct branch_parse take = { .file = add_file, .run = add_run, .owner = lists };
	struct branch_list_problem problem;
	int err;

	lists->weight = weight;
	lists->sums->stat[COUNT_RECORDINGS] =
		count_sum(lists->sums->stat[COUNT_RECORDINGS], weight->times);
	err = branch_parse(&lists->stream, list, &take, &problem);
	/* it was good before: now it is another one, and was counted in part */
	if (err == -EBADMSG)
		return -EIO;
	return !err && used(lists) >= lists->max ? lists_drain(lists) : err;
}

/* ---------------------------------------------------------------- following */

static const struct weight once = { 1, 1, 1 };

/* Moves what was counted of a file into the sums. */
static int pour(struct lists *lists, struct count_table *table)
{
	int err = count_table_settle(table);

	if (!err)
		err = sums_table(lists->sums, table, &once);
	count_table_fini(table);
	return err;
}

/* Follows @n atom runs, from @first on, all of one file. */
static int walk_file(struct lists *lists, size_t first, size_t n)
{
	struct count_table table = { 0 };
	struct code_walk code = { .table = &table };
	struct dso_table dsos = { 0 };
	int err = dso_table_init(&dsos, lists->options);

	if (err)
		return -ENOMEM;
	err = branch_list_open(&code, &dsos, &lists->file[lists->run[first].file]);
	for (size_t i = first; i < first + n && !err; i++) {
		const struct list_run *r = &lists->run[i];
		const struct branch_list_run run = { .addr = r->addr, .n = r->n, .count = r->count,
						     .bits = lists->bytes + r->bits };

		err = branch_list_walk(&code, &run);
		if (!err && table.dso[code.dso].n_block > SETTLE)
			err = count_table_settle(&table);
	}
	unchecked_tell(&dsos);
	dso_table_fini(&dsos);
	if (!err)
		return pour(lists, &table);
	count_table_fini(&table);
	return err;
}

static int order_runs(const void *p, const void *q)
{
	const struct list_run *a = p, *b = q;

	return a->file < b->file ? -1 : a->file > b->file;
}

static int walk_all(struct lists *lists)
{
	int err = 0;

	for (size_t i = 0, n; i < lists->n_run && !err; i += n) {
		for (n = 1; i + n < lists->n_run && lists->run[i + n].file == lists->run[i].file;)
			n++;
		err = walk_file(lists, i, n);
	}
	return err;
}

int lists_drain(struct lists *lists)
{
	int err;

	if (!lists->n_run)
		return 0;
	qsort(lists->run, lists->n_run, sizeof(*lists->run), order_runs);
	pthread_mutex_lock(lists->code);
	err = walk_all(lists);
	pthread_mutex_unlock(lists->code);
	forget_files(lists);
	empty(&lists->by_file);
	empty(&lists->by_run);
	lists->n_run = 0;
	lists->n_bytes = 0;
	return err;
}
