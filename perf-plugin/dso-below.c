// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files anywhere below a folder, by build-id: a folder of releases, each under a name of its own.
 *
 * The folder is walked when the first file is not found by its name, and only once in a process,
 * however many tables of dsos there are.  Of a file that cannot be for an Arm processor only the
 * first bytes are read, and of the others no more than headers and notes.
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
static struct below {
	char *folder;
	struct found *found;
	size_t n, size;
} below;

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

static void look_at(const char *path)
{
	struct elf_file *elf = NULL;

	if (!is_arm(path) || elf_file_open(&elf, path))
		return;
	if (elf->n_build_id && worth(elf) &&
	    array_room(&below.found, below.n, &below.size, sizeof(*below.found))) {
		struct found *f = &below.found[below.n];

		f->worth = worth(elf);
		f->n = trimmed(elf->build_id, elf->n_build_id);
		memcpy(f->id, elf->build_id, f->n);
		f->path = strdup(path);
		below.n += !!f->path;
	}
	elf_file_close(elf);
}

/* Neither follows links nor leaves the file system, which may hold all of a machine. */
static void walk(const char *folder)
{
	char *const paths[] = { (char *)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_COMFOLLOW, NULL);
	FTSENT *entry;

	while (fts && (entry = fts_read(fts)))
		if (entry->fts_info == FTS_F)
			look_at(entry->fts_accpath);
	if (fts)
		fts_close(fts);
	if (below.n)
		qsort(below.found, below.n, sizeof(*below.found), by_id);
}

static void forget(void)
{
	for (size_t i = 0; i < below.n; i++)
		free(below.found[i].path);
	free(below.found);
	free(below.folder);
	below = (struct below){ 0 };
}

bool dso_try_below(struct dso *dso, const char *folder)
{
	const size_t n = trimmed(dso->build_id, dso->n_build_id);
	size_t i;

	if (!n)
		return false;
	if (!below.folder || strcmp(below.folder, folder)) {
		forget();
		below.folder = strdup(folder);
		if (!below.folder)
			return false;
		walk(folder);
		atexit(forget);
	}
	i = LOWER_BOUND(below.n, k, order_ids(dso->build_id, n, &below.found[k]) > 0);
	for (; i < below.n && !order_ids(dso->build_id, n, &below.found[i]); i++)
		if (dso_try(dso, below.found[i].path, false))
			return true;
	return false;
}
