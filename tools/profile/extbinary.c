// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/leb128.h"
#include "extbinary.h"

#define MAGIC	0x5350524f46343204ull
#define VERSION	103

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void extbinary_put(FILE *f, uint64_t v)
{
	uint8_t bytes[LEB128_MAX];

	fwrite(bytes, 1, leb128_put(bytes, v), f);
}

static void put64(FILE *f, uint64_t v)
{
	for (int i = 0; i < 64; i += 8)
		fputc(v >> i & 0xff, f);
}

/* ---------------------------------------------------------------- names */

static int by_name(const void *a, const void *b)
{
	return profile_name_order(a, b);
}

uint64_t extbinary_name(const struct extbinary_names *names, const struct profile_name *name)
{
	const struct profile_name *at =
		bsearch(name, names->name, names->n, sizeof(*name), by_name);

	return at - names->name;
}

void extbinary_put_names(const struct extbinary_names *names, struct extbinary_section *section)
{
	static const char unique[] = ".__uniq.";

	extbinary_put(section->f, names->n);
	for (size_t i = 0; i < names->n; i++) {
		const struct profile_name *name = &names->name[i];

		if (memmem(name->text, name->n, unique, sizeof(unique) - 1))
			section->flags |= EXT_UNIQUE;
		fwrite(name->text, 1, name->n, section->f);
		fputc(0, section->f);
	}
}

/* ---------------------------------------------------------------- summary */

static int by_count(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* How many places have a given share of all counts, in millionths, and their least count. */
static void put_cutoffs(const uint64_t *count, size_t n, uint64_t total, FILE *f)
{
	static const uint32_t cutoff[] = {
		10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
		950000, 990000, 999000, 999900, 999990, 999999
	};
	uint64_t sum = 0;
	size_t i = 0;

	extbinary_put(f, ARRAY_SIZE(cutoff));
	for (size_t c = 0; c < ARRAY_SIZE(cutoff); c++) {
		uint64_t wanted = (__uint128_t)total * cutoff[c] / 1000000;

		/* all equal ones, or none */
		while (i < n && (sum < wanted || (i && count[i] == count[i - 1]))) {
			sum = count_sum(sum, count[i]);
			i++;
		}
		extbinary_put(f, cutoff[c]);
		extbinary_put(f, i ? count[i - 1] : 0);
		extbinary_put(f, i);
	}
}

void extbinary_put_summary(FILE *f, uint64_t *count, size_t n, const struct extbinary_sums *sums)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total = count_sum(total, count[i]);
	qsort(count, n, sizeof(*count), by_count);
	extbinary_put(f, total);
	extbinary_put(f, count[0]);
	extbinary_put(f, sums->head);
	extbinary_put(f, n);
	extbinary_put(f, sums->functions);
	put_cutoffs(count, n, total, f);
}

/* ---------------------------------------------------------------- the file */

int extbinary_open(struct extbinary_section *section, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		section[i].f = open_memstream(&section[i].bytes, &section[i].n);
		if (!section[i].f)
			err = -ENOMEM;
	}
	return err;
}

int extbinary_close(struct extbinary_section *section, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		if (section[i].f && fclose(section[i].f))
			err = -ENOMEM;
		section[i].f = NULL;
	}
	return err;
}

void extbinary_free(struct extbinary_section *section, size_t n)
{
	extbinary_close(section, n);
	for (size_t i = 0; i < n; i++)
		free(section[i].bytes);
}

void extbinary_write(const struct extbinary_section *section, size_t n, FILE *f)
{
	uint8_t bytes[LEB128_MAX];
	/* the bytes of the magic number and the version, then those of the table */
	uint64_t offset = leb128_put(bytes, MAGIC) + leb128_put(bytes, VERSION) + 8 + 32 * n;

	extbinary_put(f, MAGIC);
	extbinary_put(f, VERSION);
	put64(f, n);
	for (size_t i = 0; i < n; i++) {
		put64(f, section[i].type);
		put64(f, section[i].flags);
		put64(f, offset);
		put64(f, section[i].n);
		offset += section[i].n;
	}
	for (size_t i = 0; i < n; i++)
		fwrite(section[i].bytes, 1, section[i].n, f);
}
