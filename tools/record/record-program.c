// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of Linux as a snapshot, with --snapshot: a copy of each file that it maps as code, and
 * the code that is in no file, as it was first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "record.h"

#define NONE	SIZE_MAX

/**
 * struct dump - code of the program
 * @name: in the snapshot; owned
 * @path: of the file of which it is a copy, of @size bytes; NULL: none, or another dump has it
 */
struct dump {
	char *name, *path;
	uint64_t addr, len, offset, size;
};

/**
 * struct record_dumps - the code of the program
 * @dump: @n of @max
 */
struct record_dumps {
	struct dump *dump;
	size_t n, max;
};

static struct dump *add(struct record *r)
{
	struct record_dumps *d = r->dumps;
	const size_t max = d && d->max ? 2 * d->max : 16;
	struct dump *grown;

	if (!d) {
		d = calloc(1, sizeof(*d));
		r->dumps = d;
	}
	if (!d)
		return NULL;
	if (d->n == d->max) {
		grown = realloc(d->dump, max * sizeof(*grown));
		if (!grown)
			return NULL;
		d->dump = grown;
		d->max = max;
	}
	d->dump[d->n] = (struct dump){ 0 };
	return &d->dump[d->n++];
}

static int write_file(const char *folder, const char *name, const void *bytes, size_t n)
{
	char path[PATH_MAX];
	FILE *f;
	bool bad;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	f = fopen(path, "wbe");
	if (!f)
		return -errno;
	bad = fwrite(bytes, 1, n, f) != n;
	if (fclose(f) || bad)
		return errno ? -errno : -EIO;
	return 0;
}

/* Other maps of the same file share its copy. */
static size_t find(const struct record_dumps *d, const char *path)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (d->dump[i].path && !strcmp(d->dump[i].path, path))
			return i;
	return NONE;
}

/* Names in a snapshot are unique: a number is before the name of the file. */
static int copy(struct record *r, struct dump *dump, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct file file;
	int err = file_map(&file, path);

	if (err)
		return err;
	if (asprintf(&dump->name, "code%zu-%s", r->dumps->n, slash ? slash + 1 : path) < 0)
		dump->name = NULL;
	dump->path = strdup(path);
	dump->size = file.n;
	err = dump->name && dump->path ? write_file(r->output, dump->name, file.data, file.n) :
	      -ENOMEM;
	file_unmap(&file);
	return err;
}

int program_map(struct record *r, const uint8_t *body)
{
	const char *path = (const char *)body + sizeof(struct port_map);
	size_t at = find(r->dumps, path);
	struct dump *dump;
	struct port_map as;
	uint64_t size;
	int err;

	memcpy(&as, body, sizeof(as));
	if (path[0] != '/' || path[1] == '/')
		return 0;
	dump = add(r);
	if (!dump)
		return -ENOMEM;
	dump->addr = as.addr;
	dump->len = as.len;
	dump->offset = as.pgoff;
	if (at == NONE) {
		err = copy(r, dump, path);
		at = r->dumps->n - 1;
	} else {
		dump->name = strdup(r->dumps->dump[at].name);
		err = dump->name ? 0 : -ENOMEM;
	}
	/* The last page of a file is mapped as a whole. */
	size = r->dumps->dump[at].size;
	if (!err && dump->len > size - dump->offset)
		dump->len = dump->offset < size ? size - dump->offset : 0;
	return err;
}

int program_code(struct record *r, const struct port_head *head, const uint8_t *body)
{
	struct dump *dump = add(r);
	struct port_code as;

	if (!dump)
		return -ENOMEM;
	memcpy(&as, body, sizeof(as));
	dump->addr = as.addr;
	dump->len = head->size - sizeof(as);
	if (asprintf(&dump->name, "code%zu.bin", r->dumps->n) < 0) {
		dump->name = NULL;
		return -ENOMEM;
	}
	return write_file(r->output, dump->name, body + sizeof(as), dump->len);
}

/* Does an earlier one have its beginning? */
static bool is_changed(const struct record_dumps *d, size_t number)
{
	const uint64_t addr = d->dump[number].addr;

	for (size_t i = 0; i < number; i++)
		if (addr - d->dump[i].addr < d->dump[i].len)
			return true;
	return false;
}

void program_dumps(const struct record *r, FILE *f)
{
	const struct record_dumps *d = r->dumps;

	for (size_t i = 0; d && i < d->n; i++)
		if (d->dump[i].name && d->dump[i].len && !is_changed(d, i))
			fprintf(f, "\n[dump%zu]\nfile=%s\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64
				"\noffset=0x%" PRIx64 "\n", i, d->dump[i].name, d->dump[i].addr,
				d->dump[i].len, d->dump[i].offset);
}

void program_free(struct record *r)
{
	struct record_dumps *d = r->dumps;

	for (size_t i = 0; d && i < d->n; i++) {
		free(d->dump[i].name);
		free(d->dump[i].path);
	}
	if (d)
		free(d->dump);
	free(d);
	r->dumps = NULL;
}
