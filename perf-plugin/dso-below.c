// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files anywhere below a folder, by build-id: a folder of releases, each under a name of its own.
 *
 * A folder is walked when the first file is not found by its name, and only once in a process,
 * however many tables of dsos there are.  Of a file that cannot be for an Arm processor only the
 * first bytes are read, and of the others no more than headers and notes.  Only one thread of a
 * process may load dsos.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fts.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "dso-look.h"
#include "lower-bound.h"

/**
 * struct found - a file that has code
 * @id: its build-id, @n bytes without zeros at the end
 * @worth: 2: it has symbols, too
 */
struct found {
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t n;
	int worth;
	char *path;
};

/* The files below @folder, by build-id; of one build-id, those with symbols first. */
struct below {
	struct below *next;
	char *folder;
	struct found *found;
	size_t n, size;
};

/* All folders that were walked. */
static struct below *folders;

static size_t trimmed(const uint8_t *id, size_t n)
{
	while (n && !id[n - 1])
		n--;
	return n;
}

static int order_ids(const uint8_t *a, size_t n, const struct found *b)
{
	const int order = memcmp(a, b->id, n < b->n ? n : b->n);

	return order ? order : n < b->n ? -1 : n > b->n;
}

static int by_id(const void *p, const void *q)
{
	const struct found *a = p, *b = q;
	const int order = order_ids(a->id, a->n, b);

	if (order || a->worth == b->worth)
		return order ? order : strcmp(a->path, b->path);
	return b->worth - a->worth;
}

/* Is it a little-endian ELF file for an Arm processor?  System V gABI, chapter 4. */
static bool is_arm(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	unsigned char head[20] = { 0 };
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) && !memcmp(head, "\177ELF", 4) && head[5] == 1 &&
	       ((head[18] == 183 && !head[19]) || (head[18] == 40 && !head[19]));
}

/*
 * A debug file has the build-id of its program, and no code.
 *
 * Return: 0: no code; 1: code; 2: symbols, too.
 */
static int worth(const struct elf_file *elf)
{
	bool code = false, symbols = false;
	Elf_Scn *scn = NULL;
	size_t n = 0;

	while ((scn = elf_nextscn(elf->elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		n++;
		code |= sh.sh_type == SHT_PROGBITS && sh.sh_flags & SHF_EXECINSTR;
		symbols |= sh.sh_type == SHT_SYMTAB;
	}
	/* without sections, the segments are all that is known */
	return code || (!n && elf->n_segment) ? 1 + symbols : 0;
}

static void look_at(struct below *b, const char *path)
{
	struct elf_file *elf = NULL;

	if (!is_arm(path) || elf_file_open(&elf, path))
		return;
	if (elf->n_build_id && array_room(&b->found, b->n, &b->size, sizeof(*b->found))) {
		struct found *f = &b->found[b->n];

		f->worth = worth(elf);
		f->n = trimmed(elf->build_id, elf->n_build_id);
		memcpy(f->id, elf->build_id, f->n);
		f->path = f->worth ? strdup(path) : NULL;
		b->n += !!f->path;
	}
	elf_file_close(elf);
}

/* Neither follows links nor leaves the file system, which may hold all of a machine. */
static void walk(struct below *b)
{
	char *const paths[] = { b->folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_COMFOLLOW, NULL);
	FTSENT *entry;

	while (fts && (entry = fts_read(fts)))
		if (entry->fts_info == FTS_F)
			look_at(b, entry->fts_accpath);
	if (fts)
		fts_close(fts);
	if (b->n)
		qsort(b->found, b->n, sizeof(*b->found), by_id);
}

static void forget(void)
{
	while (folders) {
		struct below *b = folders;

		folders = b->next;
		for (size_t i = 0; i < b->n; i++)
			free(b->found[i].path);
		free(b->found);
		free(b->folder);
		free(b);
	}
}

/* The files below a folder; NULL: no memory. */
static const struct below *below(const char *folder)
{
	struct below *b = folders;

	while (b && strcmp(b->folder, folder))
		b = b->next;
	if (b)
		return b;
	b = calloc(1, sizeof(*b));
	if (b)
		b->folder = strdup(folder);
	if (!b || !b->folder) {
		free(b);
		return NULL;
	}
	walk(b);
	if (!folders)
		atexit(forget);
	b->next = folders;
	folders = b;
	return b;
}

bool dso_try_below(struct dso *dso, const char *folder)
{
	const size_t n = trimmed(dso->build_id, dso->n_build_id);
	const struct below *b = n ? below(folder) : NULL;
	size_t i;

	if (!b)
		return false;
	i = LOWER_BOUND(b->n, k, order_ids(dso->build_id, n, &b->found[k]) > 0);
	for (; i < b->n && !order_ids(dso->build_id, n, &b->found[i]); i++)
		if (dso_try(dso, b->found[i].path, false))
			return true;
	return false;
}
