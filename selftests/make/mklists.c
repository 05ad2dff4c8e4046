// SPDX-License-Identifier: GPL-2.0-only
/*
 * mklists BRANCH-LIST FOLDER LISTS BYTES SEED: branch lists as phones send them.
 *
 * Each is a random part of the atom runs of BRANCH-LIST, with counts of its own; common ones are in
 * most lists, as in a fleet.  It is a file of version 1, compressed, of about BYTES, in
 * FOLDER/NNN/N.bl, a thousand to a folder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "../../perf-plugin/array.h"
#include "../../tools/lib/file.h"
#include "../../tools/lib/protobuf.h"
#include "../../tools/profile/branch-list.h"
#include "../../tools/profile/branch-parse.h"
#include "../../tools/profile/branch-stream.h"
#include "../lib/random-case.h"

/* Of one atom run, in bytes. */
#define RUN_MAX	1000

/* A file of the list: its first fields. */
struct binary {
	char *head;
	size_t n;
};

/* An atom run of the file number @binary. */
struct run {
	uint64_t addr, n, count;
	uint32_t binary;
	uint8_t *bits;
};

/* An atom run of a list, or its first @n atoms: an interrupt ends one anywhere. */
struct picked {
	uint32_t at, n;
	uint64_t count;
};

/* All that lists are made of. */
struct world {
	struct binary *binary;
	struct run *run;
	size_t n_binary, size_binary, n, size;
};

static void die(const char *what)
{
	fprintf(stderr, "mklists: %s: %s\n", what, errno ? strerror(errno) : "wrong");
	exit(1);
}

static int take_file(void *world, const struct branch_list_file *file)
{
	const struct dso_key *key = &file->key;
	char id[2 * ELF_BUILD_ID_MAX + 1] = "";
	struct proto message = { .n = 0 };
	struct world *w = world;
	struct binary *b;

	if (!array_room(&w->binary, w->n_binary, &w->size_binary, sizeof(*w->binary)))
		return -ENOMEM;
	for (size_t i = 0; i < key->n_build_id; i++)
		snprintf(&id[2 * i], 3, "%02x", key->build_id[i]);
	proto_text(&message, BINARY_PATH, key->name);
	proto_text(&message, BINARY_BUILD_ID, id);
	proto_number(&message, BINARY_TYPE, key->kind == DSO_KERNEL);
	b = &w->binary[w->n_binary++];
	b->n = message.n;
	b->head = malloc(message.n);
	if (!b->head)
		return -ENOMEM;
	memcpy(b->head, message.bytes, message.n);
	return 0;
}

static int take_run(void *world, const struct branch_list_run *run)
{
	const size_t bytes = run->n / 8 + !!(run->n & 7);
	struct world *w = world;
	struct run *r;

	if (!run->n || bytes > RUN_MAX)
		return 0;
	if (!array_room(&w->run, w->n, &w->size, sizeof(*w->run)))
		return -ENOMEM;
	r = &w->run[w->n];
	*r = (struct run){ run->addr, run->n, run->count, w->n_binary - 1, malloc(bytes) };
	if (!r->bits)
		return -ENOMEM;
	memcpy(r->bits, run->bits, bytes);
	w->n++;
	return 0;
}

static int by_count(const void *p, const void *q)
{
	const struct run *a = p, *b = q;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->addr != b->addr ? (a->addr < b->addr ? -1 : 1) : a->n < b->n ? -1 : a->n > b->n;
}

static void read_runs(struct world *w, const char *path)
{
	const struct branch_parse take = { .file = take_file, .run = take_run, .owner = w };
	struct branch_stream stream = { .max = 0 };
	struct branch_list_problem problem;
	struct file file;

	if (file_map(&file, path) ||
	    branch_parse(&stream, &(struct branch_list){ file.data, file.n }, &take, &problem))
		die(path);
	branch_stream_fini(&stream);
	file_unmap(&file);
	errno = 0;
	if (!w->n)
		die("no atom runs");
	qsort(w->run, w->n, sizeof(*w->run), by_count);
}

static void put_run(const struct world *w, const struct picked *p, FILE *f)
{
	const struct run *run = &w->run[p->at];
	struct proto branch = { .n = 0 }, addr = { .n = 0 }, message = { .n = 0 };
	uint8_t bits[RUN_MAX];
	const size_t bytes = p->n / 8 + !!(p->n & 7);

	memcpy(bits, run->bits, bytes);
	if (p->n & 7)
		bits[bytes - 1] &= (1u << (p->n & 7)) - 1;
	proto_bytes(&branch, BRANCH_BITS, bits, bytes);
	proto_number(&branch, BRANCH_SIZE, p->n);
	proto_number(&branch, BRANCH_COUNT, p->count);
	proto_number(&addr, ADDR_ADDR, run->addr);
	proto_message(&addr, ADDR_BRANCH, &branch);
	proto_message(&message, BINARY_ADDR, &addr);
	fwrite(message.bytes, 1, message.n, f);
}

/* The message of one list, with these runs. */
static char *make_message(const struct world *w, const struct picked *p, size_t n_picked, size_t *n)
{
	char *all = NULL, *one;
	FILE *f = open_memstream(&all, n), *b;
	struct proto head = { .n = 0 };
	size_t size;

	proto_text(&head, LIST_MAGIC, BRANCH_STREAM_MAGIC);
	fwrite(head.bytes, 1, head.n, f);
	for (size_t k = 0; k < w->n_binary; k++) {
		bool any = false;

		b = open_memstream(&one, &size);
		fwrite(w->binary[k].head, 1, w->binary[k].n, b);
		for (size_t i = 0; i < n_picked; i++) {
			if (w->run[p[i].at].binary != k)
				continue;
			put_run(w, &p[i], b);
			any = true;
		}
		fclose(b);
		head.n = 0;
		proto_raw(&head, LIST_BINARY << 3 | PROTO_BYTES);
		proto_raw(&head, size);
		if (any) {
			fwrite(head.bytes, 1, head.n, f);
			fwrite(one, 1, size, f);
		}
		free(one);
	}
	fclose(f);
	return all;
}

static void write_list(const char *path, const char *message, size_t n, const uint8_t *packed,
		       size_t n_packed)
{
	static const uint8_t version[] = { 1, 0, 0, 0, 1 };
	FILE *f = fopen(path, "wb");

	if (!f)
		die(path);
	fputs(BRANCH_STREAM_MAGIC, f);
	fwrite(version, 1, sizeof(version), f);
	fwrite(packed, 1, n_packed, f);
	if (fclose(f))
		die(path);
}

/* Packs a message with its size before it. */
static size_t pack(const char *message, size_t n, uint8_t **packed)
{
	const size_t room = ZSTD_compressBound(n + 4);
	uint8_t *plain = malloc(n + 4);
	size_t size;

	*packed = malloc(room);
	if (!plain || !*packed)
		die("memory");
	for (int i = 0; i < 4; i++)
		plain[i] = n >> 8 * i;
	memcpy(plain + 4, message, n);
	size = ZSTD_compress(*packed, room, plain, n + 4, ZSTD_CLEVEL_DEFAULT);
	free(plain);
	if (ZSTD_isError(size))
		die("zstd");
	return size;
}

static int by_place(const void *p, const void *q)
{
	const struct picked *a = p, *b = q;

	return a->at != b->at ? (a->at < b->at ? -1 : 1) : a->n < b->n ? -1 : a->n > b->n;
}

/* Half of them are of the most frequent runs; an eighth is cut.  Return: how many there are. */
static size_t pick(const struct world *w, struct dice *d, size_t n, struct picked *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t all = i & 1 || w->n < 16 ? w->n : w->n / 16;
		const uint32_t at = roll(d, all), atoms = w->run[at].n;

		p[i] = (struct picked){ at, roll(d, 8) ? atoms : 1 + roll(d, atoms),
					1 + roll(d, 1u << roll(d, 14)) };
	}
	qsort(p, n, sizeof(*p), by_place);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_place(&p[kept - 1], &p[i]))
			p[kept++] = p[i];
	return kept;
}

int main(int argc, char **argv)
{
	const size_t lists = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	const size_t bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	struct dice dice = { .state = argc > 5 ? strtoul(argv[5], NULL, 10) : 1 };
	size_t runs = bytes / 12 + 1, total = 0;
	struct world w = { .n = 0 };
	struct picked *picked;
	char path[4096];

	if (!lists || !bytes) {
		fputs("usage: mklists BRANCH-LIST FOLDER LISTS BYTES SEED\n", stderr);
		return 2;
	}
	read_runs(&w, argv[1]);
	/* as many as a list can have after it grew 64 times */
	picked = calloc(80 * runs + 4096, sizeof(*picked));
	if (!picked)
		die("memory");
	mkdir(argv[2], 0777);
	for (size_t i = 0; i < lists; i++) {
		uint8_t *packed;
		char *message;
		size_t n, size;

		snprintf(path, sizeof(path), "%s/%03zu", argv[2], i / 1000);
		if (!(i % 1000))
			mkdir(path, 0777);
		snprintf(path, sizeof(path), "%s/%03zu/%zu.bl", argv[2], i / 1000, i);
		n = pick(&w, &dice, runs / 2 + roll(&dice, runs + 1), picked);
		message = make_message(&w, picked, n, &n);
		size = pack(message, n, &packed);
		write_list(path, message, n, packed, size);
		free(message);
		free(packed);
		total += size;
		/* towards the right size; it changes little after the first few */
		if (i < 64 && size < bytes)
			runs += runs / 16 + 1;
		else if (i < 64)
			runs -= runs / 16;
	}
	printf("%zu lists of %zu bytes, %zu different atom runs\n", lists, total / lists, w.n);
	for (size_t i = 0; i < w.n_binary; i++)
		free(w.binary[i].head);
	for (size_t i = 0; i < w.n; i++)
		free(w.run[i].bits);
	free(w.binary);
	free(w.run);
	free(picked);
	return 0;
}
