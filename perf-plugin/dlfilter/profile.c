// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "segments.h"

/* Maximum number of other files that are named. */
#define OTHERS_MAX	5

/* ---------------------------------------------------------------- choice of the file */

static bool named(const struct dso *dso, const char *name)
{
	const char *last = strrchr(dso->name, '/');

	return !strcmp(dso->name, name) || (last && !strcmp(last + 1, name));
}

/* Code without a file is not in any that a compiler could optimise. */
static bool is_file(const struct dso *dso)
{
	return dso->name[0] == '/' && dso->name[1] != '/';
}

static uint32_t choose(const struct profile *profile, const struct counts *counts)
{
	uint32_t best = DSO_NONE;

	for (uint32_t i = 0; i < counts->n_dso; i++) {
		const struct dso *dso = &counts->dso[i];

		if (profile->dso ? !named(dso, profile->dso) : !is_file(dso))
			continue;
		if (best == DSO_NONE || dso->weight > counts->dso[best].weight)
			best = i;
	}
	return best;
}

static void say_others(const struct counts *counts, uint32_t chosen)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < counts->n_dso && n < OTHERS_MAX; i++)
		if (i != chosen && counts->dso[i].weight)
			fprintf(stderr, "%s%s", n++ ? ", " : "csflow: code ran in ",
				counts->dso[i].name);
	if (n)
		fputs(", too: --dlarg dso=NAME chooses\n", stderr);
}

/* ---------------------------------------------------------------- contents */

static int by_range(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->to_dso < y->to_dso ? -1 : x->to_dso > y->to_dso;
}

/*
 * Merges ranges regardless of how they were entered, and branches from one place that lead outside.
 */
static size_t merge(struct count *of, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (!to || by_range(&of[to - 1], &of[i])) {
			of[to++] = of[i];
			continue;
		}
		of[to - 1].n += of[i].n;
		of[to - 1].missed += of[i].missed;
	}
	return to;
}

/* Counts of @dso, sorted.  Return: their number; -1: no memory. */
static long select_counts(const struct counts *counts, uint32_t dso, enum profile_format format,
			  struct count **selected)
{
	struct count *of = malloc((counts->n + 1) * sizeof(*of));
	size_t n = 0;

	if (!of)
		return -1;
	for (size_t i = 0; i < counts->n_slot; i++) {
		const struct count *c = &counts->slot[i];

		/* Compilers do not need the targets of branches that lead outside. */
		if (!c->n || c->dso != dso)
			continue;
		of[n] = *c;
		if (format == PROFILE_AUTOFDO && c->kind == COUNT_ENTERED)
			of[n].kind = COUNT_RANGE;
		if (c->to_dso != dso) {
			if (format == PROFILE_AUTOFDO)
				continue;
			of[n].to = 0;
			of[n].to_dso = DSO_NONE;
		}
		n++;
	}
	qsort(of, n, sizeof(*of), by_range);
	*selected = of;
	return merge(of, n);
}

/* ---------------------------------------------------------------- text */

static void write_autofdo(const struct profile *profile, const struct dso *dso,
			  const struct count *of, size_t n)
{
	size_t n_range = 0;

	while (n_range < n && of[n_range].kind != COUNT_BRANCH)
		n_range++;
	fprintf(profile->out, "%zu\n", n_range);
	for (size_t i = 0; i < n_range; i++)
		fprintf(profile->out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", of[i].from, of[i].to,
			of[i].n);
	fprintf(profile->out, "0\n%zu\n", n - n_range);
	for (size_t i = n_range; i < n; i++)
		fprintf(profile->out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", of[i].from,
			of[i].to, of[i].n);
	if (dso->n_buildid) {
		fputs("// build_id: 0x", profile->out);
		for (unsigned int i = 0; i < dso->n_buildid; i++)
			fprintf(profile->out, "%02x", dso->buildid[i]);
		fputc('\n', profile->out);
	}
	fprintf(profile->out, "// %s\n", dso->name);
}

static void write_bolt(const struct profile *profile, const struct count *of, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct count *c = &of[i];

		if (c->kind != COUNT_BRANCH)
			fprintf(profile->out, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				c->kind == COUNT_RANGE ? 'F' : 'f', c->from, c->to, c->n);
		else
			fprintf(profile->out, "B %" PRIx64 " %s%" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
				c->from, c->to_dso == DSO_NONE ? "X:" : "", c->to, c->n, c->missed);
	}
}

/* Converts offsets to addresses, from @base on.  Return: number of counts that are left. */
static size_t to_addresses(const struct segments *segments, uint64_t base, struct count *of,
			   size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		struct count c = of[i];

		if (segments_addr(segments, c.from, &c.from) &&
		    (c.to_dso == DSO_NONE || segments_addr(segments, c.to, &c.to))) {
			c.from -= base;
			c.to -= c.to_dso == DSO_NONE ? 0 : base;
			of[to++] = c;
		}
	}
	if (to < n)
		fprintf(stderr, "csflow: %zu of %zu ranges and branches lie in no segment of code: they are left out\n",
			n - to, n);
	return to;
}

/* For the code that ran, does it matter which addresses AutoFDO's text has? */
static bool addresses_differ(const struct segments *segments, const struct count *of, size_t n)
{
	uint64_t addr;

	for (size_t i = 0; i < n; i++)
		if (segments_addr(segments, of[i].from, &addr) &&
		    addr - segments->base != of[i].from)
			return true;
	return false;
}

/*
 * Reads the segments of @path, if addresses are needed.  Return: 0, with @segments or without; -1:
 * they cannot be read, but are required.
 */
static int find_segments(const struct profile *profile, const struct dso *dso, const char *path,
			 struct segments *segments)
{
	const bool may_lack = profile->format == PROFILE_AUTOFDO &&
			      profile->addresses == ADDRESSES_ANY;
	const char *why;

	if (profile->format == PROFILE_AUTOFDO && profile->addresses == ADDRESSES_FILE)
		return 0;
	why = segments_read(segments, path);
	if (!why)
		return 0;
	segments->n = 0;
	fprintf(stderr, "csflow: %s: %s: --dlarg elf=FILE says where %s is%s\n", path, why,
		dso->name, may_lack ? "; without it addresses are offsets in the file, which create_llvm_prof "
			   "0.19 may misread" : "");
	return may_lack ? 0 : -1;
}

static int write_counts(const struct profile *profile, const struct counts *counts, uint32_t chosen)
{
	const struct dso *dso = &counts->dso[chosen];
	const char *path = profile->elf ?: dso->name;
	struct segments segments = { 0 };
	struct count *of;
	long n;

	if (find_segments(profile, dso, path, &segments))
		return -1;
	n = select_counts(counts, chosen, profile->format, &of);
	if (n < 0) {
		fputs("csflow: no memory\n", stderr);
		return -1;
	}
	if (profile->format == PROFILE_BOLT) {
		n = to_addresses(&segments, 0, of, n);
		write_bolt(profile, of, n);
	} else {
		if (profile->addresses == ADDRESSES_ANY && addresses_differ(&segments, of, n))
			fprintf(stderr, "csflow: %s is not loaded at its file offsets: addresses are those for create_llvm_prof 0.19 (--dlarg addresses=load); for newer versions use --dlarg addresses=file\n",
				path);
		if (segments.n)
			n = to_addresses(&segments, segments.base, of, n);
		write_autofdo(profile, dso, of, n);
	}
	free(of);
	fprintf(stderr, "csflow: %s: %ld ranges and branches of %s\n", profile->out_name, n,
		dso->name);
	return 0;
}

int profile_write(const struct profile *profile, const struct counts *counts)
{
	uint32_t chosen = choose(profile, counts);

	if (chosen == DSO_NONE) {
		fprintf(stderr, "csflow: %s: %s%s\n", profile->out_name,
			profile->dso ? "no code ran in " : "no branches: --itrace=b asks for them",
			profile->dso ?: "");
		if (profile->dso)
			say_others(counts, DSO_NONE);
		return -1;
	}
	if (counts->dso[chosen].kernel) {
		fprintf(stderr, "csflow: %s: its addresses are no offsets in a file\n",
			counts->dso[chosen].name);
		return -1;
	}
	if (write_counts(profile, counts, chosen))
		return -1;
	if (!profile->dso)
		say_others(counts, chosen);
	return 0;
}
