// SPDX-License-Identifier: GPL-2.0-only
/*
 * mklists ATOM-RUNS FOLDER LISTS BYTES SEED [ROOT]: branch lists as phones send them.
 *
 * Each is a random part of the atom runs that csflow quick -o found in a recording, with counts of
 * its own; common ones are in most lists, as in a fleet.  It is a file of version 1, compressed, of
 * about BYTES, in FOLDER/NNN/N.bl, a thousand to a folder.  Programs are looked for below ROOT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "../../tools/profile/branch-list.h"
#include "../../tools/profile/branch-stream.h"
#include "../../tools/lib/file.h"
#include "../../tools/lib/protobuf.h"
#include "../../tools/quick/quick-file.h"
#include "../lib/random-case.h"

/* Of one atom run, in bytes. */
#define RUN_MAX	1000

/* An atom run of a list, or its first @n atoms: an interrupt ends one anywhere. */
struct picked {
	uint32_t at, n;
	uint64_t count;
};

/* All that lists are made of. */
struct world {
	struct quick quick;
	struct elf_file **elf;			/* of each file */
	uint32_t *run;				/* those that can be in a list, @n of them */
	size_t n;
};

static void die(const char *what)
{
	fprintf(stderr, "mklists: %s: %s\n", what, errno ? strerror(errno) : "wrong");
	exit(1);
}

static void read_runs(struct world *w, const char *path)
{
	struct packed_problem problem;
	struct file file;

	w->quick.max = QUICK_MAX;
	if (file_map(&file, path) ||
	    quick_file_read(&w->quick, file.data, file.n, &problem))
		die(path);
	file_unmap(&file);
}

/* Where an atom run begins in its file. */
static uint64_t offset_of(const struct world *w, const struct atom_run *first)
{
	return w->quick.section[first->section].offset + first->from;
}

/* A section begins with a page, and so maybe with the end of another segment.  NULL: no code. */
static const struct elf_segment *segment_of(const struct world *w, const struct atom_run *first)
{
	const struct elf_file *elf = w->elf[w->quick.section[first->section].dso];

	return first->section && elf ? elf_segment_at(elf, offset_of(w, first)) : NULL;
}

static void open_files(struct world *w, const char *root)
{
	char path[4096];

	const struct quick *q = &w->quick;

	w->elf = calloc(q->table.n + 1, sizeof(*w->elf));
	w->run = calloc(q->n + 1, sizeof(*w->run));
	if (!w->elf || !w->run)
		die("memory");
	for (size_t i = 0; i < q->table.n; i++) {
		snprintf(path, sizeof(path), "%s%s", root, q->table.dso[i].name);
		if (elf_file_open(&w->elf[i], path))
			w->elf[i] = NULL;
	}
	for (size_t i = 0; i < q->n; i++)
		if (!quick_is_part(q->atom_run[i].end) && segment_of(w, quick_first(q, i)) &&
		    quick_atoms(q, i) && quick_atoms(q, i) < 8 * RUN_MAX)
			w->run[w->n++] = i;
	errno = 0;
	if (!w->n)
		die("no atom runs of files that are here");
}

/* Its atoms, from the first part on.  Return: how many. */
static uint64_t atoms_of(const struct quick *q, uint32_t run, uint8_t bits[RUN_MAX])
{
	uint64_t n = quick_atoms(q, run), at = n;

	memset(bits, 0, RUN_MAX);
	for (uint32_t i = run + 1; i; i = q->atom_run[i - 1].parent) {
		const struct atom_run *r = &q->atom_run[i - 1];

		at -= r->n;
		for (unsigned int k = 0; k < r->n; k++)
			bits[(at + k) / 8] |= (r->atoms >> k & 1) << ((at + k) & 7);
	}
	return n;
}

static void put_run(struct world *w, const struct picked *p, FILE *f)
{
	const uint32_t run = w->run[p->at];
	const struct quick *q = &w->quick;
	const struct atom_run *first = quick_first(q, run);
	const struct elf_segment *s = segment_of(w, first);
	const uint64_t offset = offset_of(w, first);
	struct proto branch = { .n = 0 }, addr = { .n = 0 }, message = { .n = 0 };
	uint8_t bits[RUN_MAX];
	const uint64_t all = atoms_of(q, run, bits), n = p->n < all ? p->n : all;

	bits[n / 8] &= (1u << (n & 7)) - 1;
	proto_bytes(&branch, BRANCH_BITS, bits, n / 8 + !!(n & 7));
	proto_number(&branch, BRANCH_SIZE, n);
	proto_number(&branch, BRANCH_COUNT, p->count);
	proto_number(&addr, ADDR_ADDR, (s->addr + (offset - s->offset)) |
				       ((first->flags & QUICK_ISA) == CSF_T32));
	proto_message(&addr, ADDR_BRANCH, &branch);
	proto_message(&message, BINARY_ADDR, &addr);
	fwrite(message.bytes, 1, message.n, f);
}

static void put_name(const struct count_dso *d, FILE *f)
{
	char id[2 * ELF_BUILD_ID_MAX + 1] = "";
	struct proto message = { .n = 0 };

	for (size_t i = 0; i < ELF_BUILD_ID_MAX; i++)
		snprintf(&id[2 * i], 3, "%02x", i < d->n_build_id ? d->build_id[i] : 0);
	proto_text(&message, BINARY_PATH, d->name);
	proto_text(&message, BINARY_BUILD_ID, id);
	proto_number(&message, BINARY_TYPE, d->kind == DSO_KERNEL);
	fwrite(message.bytes, 1, message.n, f);
}

/* The message of one list, with these runs. */
static char *make_message(struct world *w, const struct picked *p, size_t n_picked, size_t *n)
{
	const struct quick *q = &w->quick;
	char *all = NULL, *one;
	FILE *f = open_memstream(&all, n), *b;
	struct proto head = { .n = 0 };
	size_t size;

	proto_text(&head, LIST_MAGIC, BRANCH_STREAM_MAGIC);
	fwrite(head.bytes, 1, head.n, f);
	for (size_t d = 0; d < q->table.n; d++) {
		bool any = false;

		b = open_memstream(&one, &size);
		put_name(&q->table.dso[d], b);
		for (size_t i = 0; i < n_picked; i++) {
			const struct atom_run *first = quick_first(q, w->run[p[i].at]);

			if (q->section[first->section].dso != d)
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
static size_t pick(struct world *w, struct dice *d, size_t n, struct picked *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t all = i & 1 || w->n < 16 ? w->n : w->n / 16;
		const uint32_t at = roll(d, all), atoms = quick_atoms(&w->quick, w->run[at]);

		p[i] = (struct picked){ at, roll(d, 8) ? atoms : 1 + roll(d, atoms),
					1 + roll(d, 1u << roll(d, 14)) };
	}
	qsort(p, n, sizeof(*p), by_place);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_place(&p[kept - 1], &p[i]))
			p[kept++] = p[i];
	return kept;
}

static const struct quick *ordering;

static uint64_t came(uint32_t run)
{
	return count_sum(ordering->atom_run[run].count[0], ordering->atom_run[run].count[1]);
}

static int by_count(const void *p, const void *q)
{
	const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;

	return came(a) > came(b) ? -1 : came(a) < came(b) ? 1 : a < b ? -1 : 1;
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
		fputs("usage: mklists ATOM-RUNS FOLDER LISTS BYTES SEED [ROOT]\n", stderr);
		return 2;
	}
	read_runs(&w, argv[1]);
	open_files(&w, argc > 6 ? argv[6] : "");
	ordering = &w.quick;
	qsort(w.run, w.n, sizeof(*w.run), by_count);
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
	return 0;
}
