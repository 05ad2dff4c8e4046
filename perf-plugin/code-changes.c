// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "code-changes.h"

/* The name is one that perf knows for the memory of a guest: it removes and copies it, too. */
#define SECOND		"kcore_dir__2nd/kcore"

#define WORD		4	/* bytes of an instruction */
#define PIECE		4096	/* bytes that are compared at once */
/* More than all functions of a kernel, of which a tracer changes one place or two each */
#define RANGES_MAX	(1u << 18)

/* Two images, and a segment of each */
struct code_pair {
	const struct elf_file *before, *after;
	const struct elf_segment *s, *t;
};

static bool add(struct code_changes *c, uint64_t addr)
{
	struct elf_range *last = c->n ? &c->range[c->n - 1] : NULL;

	if (last && addr == last->end) {
		last->end += WORD;
		return true;
	}
	if (!array_room(&c->range, c->n, &c->size, sizeof(*c->range)))
		return false;
	c->range[c->n++] = (struct elf_range){ addr, addr + WORD };
	return true;
}

/* Makes one range of two if they are that close. */
static void join(struct code_changes *c, uint64_t distance)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (n && c->range[i].start - c->range[n - 1].end < distance)
			c->range[n - 1].end = c->range[i].end;
		else
			c->range[n++] = c->range[i];
	c->n = n;
}

/* @n bytes at @addr, which is a multiple of WORD */
static bool compare(struct code_changes *c, uint64_t addr, const uint8_t *a, const uint8_t *b,
		    uint64_t n)
{
	for (uint64_t at = 0; at < n; at += PIECE) {
		const uint64_t end = n - at < PIECE ? n : at + PIECE;

		if (!memcmp(a + at, b + at, end - at))
			continue;
		for (uint64_t i = at; i + WORD <= end; i += WORD)
			if (memcmp(a + i, b + i, WORD) && !add(c, addr + i))
				return false;
		if (c->n > RANGES_MAX)
			for (uint64_t distance = PIECE; c->n > RANGES_MAX / 2; distance *= 2)
				join(c, distance);
	}
	return true;
}

static uint64_t last_of(const struct elf_segment *s)
{
	return s->addr + (s->size - 1);
}

/*
 * Bytes that both segments have, from @done on: memory may be there twice.  @budget: so much of it
 * is in the file at most.
 */
static bool compare_both(struct code_changes *c, const struct code_pair *pair, uint64_t *done,
			 uint64_t *budget)
{
	const struct elf_segment *s = pair->s, *t = pair->t;
	const uint64_t to = last_of(s) < last_of(t) ? last_of(s) : last_of(t);
	uint64_t from = s->addr > t->addr ? s->addr : t->addr, n;

	if (from < *done)
		from = *done;
	from += -from & (WORD - 1);
	if (from > to || !from)
		return true;
	n = to - from < *budget ? to - from + 1 : *budget;
	*budget -= n;
	*done = from + n;
	return compare(c, from, pair->before->bytes + s->offset + (from - s->addr),
		       pair->after->bytes + t->offset + (from - t->addr), n);
}

int code_changes_find(struct code_changes *changes, const struct elf_file *before,
		      const struct elf_file *after)
{
	uint64_t done = 0, budget = before->size;
	size_t i = 0, k = 0;

	while (i < before->n_segment && k < after->n_segment && budget) {
		const struct code_pair pair = { before, after, &before->segment[i],
						&after->segment[k] };

		if (!compare_both(changes, &pair, &done, &budget))
			return -ENOMEM;
		if (last_of(pair.s) < last_of(pair.t))
			i++;
		else
			k++;
	}
	changes->compared = done != 0;
	return 0;
}

int code_changes_read(struct code_changes *changes, const struct elf_file *before,
		      const char *recording, char *path)
{
	const int n = snprintf(path, PATH_MAX, "%s/" SECOND, recording);
	struct elf_file *after;
	int err = n < PATH_MAX ? elf_file_open(&after, path) : -ENAMETOOLONG;

	if (err) {
		*path = 0;
		return err == -ENOMEM ? err : 0;
	}
	if (after->is_core)
		err = code_changes_find(changes, before, after);
	elf_file_close(after);
	return err;
}

void code_changes_free(struct code_changes *changes)
{
	free(changes->range);
	*changes = (struct code_changes){ 0 };
}

size_t code_changes_at(const struct code_changes *changes, uint64_t addr)
{
	size_t lo = 0, hi = changes->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (changes->range[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
