// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/opencsd/element.h"
#include "../lib/file.h"
#include "snapshot-image.h"

int snapshot_image_space(const struct snapshot_image *si, const struct csf_context *context)
{
	return si->space[__builtin_ctz(ocsd_space_bit(context))];
}

/* The part of the file that the dump names, cut to the file's size. */
static uint64_t clamp(struct snapshot *s, const struct snapshot_dump *dump,
		      const struct file *file)
{
	uint64_t left = dump->offset < file->n ? file->n - dump->offset : 0;

	if (!left)
		problems_warn(&s->problems, dump->ini, dump->line,
			      "the dump begins after the end of its file");
	else if (dump->length != UINT64_MAX && dump->length > left)
		problems_warn(&s->problems, dump->ini, dump->line,
			      "the dump is cut from %llu to the %llu bytes of its file",
			      (unsigned long long)dump->length, (unsigned long long)left);
	if (dump->length < left)
		left = dump->length;
	if (left && dump->address + left - 1 < dump->address)
		left = -dump->address;
	return left;
}

struct region {
	const struct snapshot_dump *dump;
	const uint8_t *data;
	uint64_t n;
};

static bool same_region(const struct region *a, const struct region *b)
{
	return a->dump->address == b->dump->address && a->n == b->n &&
	       a->dump->space == b->dump->space &&
	       (a->data == b->data || !memcmp(a->data, b->data, a->n));
}

static bool overlap(const struct region *a, const struct region *b)
{
	uint64_t a_last = a->dump->address + a->n - 1, b_last = b->dump->address + b->n - 1;

	return (a->dump->space & b->dump->space) && a->dump->address <= b_last &&
	       b->dump->address <= a_last;
}

/* Cores often dump the same memory: one copy is enough, and is not an overlap. */
static bool wanted(struct snapshot *s, const struct region *region, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (same_region(&region[i], &region[n]))
			return false;
		if (overlap(&region[i], &region[n]))
			problems_warn(&s->problems, region[n].dump->ini, region[n].dump->line,
				      "the dump overlaps that of %s line %u, which is used",
				      region[i].dump->ini, region[i].dump->line);
	}
	return true;
}

static int map_space(struct snapshot_image *si, int space, const struct region *r)
{
	return code_map(&si->copies, si->image, space, r->dump->address, r->data, r->n);
}

static int map_region(struct snapshot *s, struct snapshot_image *si, const struct region *r,
		      bool spaces)
{
	int err = 0;

	if (r->n > UINT32_MAX - 3) {
		problems_warn(&s->problems, r->dump->ini, r->dump->line,
			      "a dump must be smaller than 4 GiB");
		return 0;
	}
	if (!spaces)
		return map_space(si, CSF_SPACE_ALL, r);
	for (int i = 0; i < 8 && err >= 0; i++)
		if (r->dump->space >> i & 1)
			err = map_space(si, si->space[i], r);
	return err;
}

static size_t count(const struct snapshot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_device; i++)
		n += s->device[i].n_dump;
	return n;
}

static size_t read_regions(struct snapshot *s, struct snapshot_image *si, struct region *region)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_device; i++) {
		for (size_t j = 0; j < s->device[i].n_dump; j++) {
			const struct snapshot_dump *dump = &s->device[i].dump[j];
			struct file *file = &si->file[si->n_file];
			int err = *dump->path ? file_map(file, dump->path) : -1;

			if (err) {
				if (*dump->path)
					problems_warn(&s->problems, dump->ini, dump->line,
						      "%s: %s", dump->path,
						      file_words(dump->path, err));
				continue;
			}
			si->n_file++;
			region[n] = (struct region){ .dump = dump, .n = clamp(s, dump, file) };
			if (!region[n].n)	/* then its offset may be anything */
				continue;
			region[n].data = file->data + dump->offset;
			if (wanted(s, region, n))
				n++;
		}
	}
	return n;
}

static bool has_spaces(const struct region *region, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (region[i].dump->space != SPACE_ANY)
			return true;
	return false;
}

/* The first of overlapping dumps is used, but csf_map() lets the last win: so go backwards. */
static int map_all(struct snapshot *s, struct snapshot_image *si, const struct region *region,
		   size_t n)
{
	bool spaces = has_spaces(region, n);
	int err = csf_image_new(&si->image);

	for (int i = 0; i < 8 && spaces && err >= 0; i++) {
		err = csf_space_new(si->image);
		si->space[i] = err;
	}
	while (n && err >= 0)
		err = map_region(s, si, &region[--n], spaces);
	return err < 0 ? -1 : 0;
}

int snapshot_image_open(struct snapshot_image *si, struct snapshot *s)
{
	size_t n = count(s);
	struct region *region = calloc(n + 1, sizeof(*region));
	int err = -1;

	si->file = calloc(n + 1, sizeof(*si->file));
	if (region && si->file)
		err = map_all(s, si, region, read_regions(s, si, region));
	free(region);
	return err;
}

void snapshot_image_close(struct snapshot_image *si)
{
	csf_image_free(si->image);
	code_copies_free(&si->copies);
	for (size_t i = 0; i < si->n_file; i++)
		file_unmap(&si->file[i]);
	free(si->file);
	memset(si, 0, sizeof(*si));
}
