// SPDX-License-Identifier: GPL-2.0-only
/*
 * For perf2bolt -pa: branches, and code that ran straight on.
 *
 * BOLT counts the edges that straight code crosses, so a piece that goes on after a branch ends
 * at the first instruction there.  Addresses in other files are X:0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profile.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Straight code from @start to the instruction at @end; @after_call: there is a call before it. */
struct straight {
	uint64_t start, end, count;
	bool after_call;
};

/* A branch; @from_outside, @to_outside: the place is in another file. */
struct branch {
	uint64_t from, to, count;
	bool from_outside, to_outside, returns;
};

/* @branch: by target; @straight: by start. */
struct bolt {
	const struct profile *p;
	struct straight *straight;
	struct branch *branch;
	size_t n_straight, n_branch;
};

/* ---------------------------------------------------------------- collecting */

/* BOLT does not take PLT stubs as functions, and would only complain of straight code there. */
static bool in_plt(const struct elf_range *plt, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (addr >= plt[i].start && addr < plt[i].end)
			return true;
	return false;
}

static int collect_straights(struct bolt *bolt)
{
	static const char *const names[] = { ".plt", ".iplt", ".plt.got" };
	const struct count_dso *d = &bolt->p->table->dso[bolt->p->dso];
	struct elf_range plt[ARRAY_SIZE(names)];
	size_t n_plt = 0;

	bolt->straight = calloc(2 * d->n_block + 1, sizeof(*bolt->straight));
	if (!bolt->straight)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		n_plt += elf_file_section(bolt->p->elf, names[i], &plt[n_plt]);
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];
		uint64_t start = profile_address(bolt->p, b->start);
		bool goes_on = count_branches(b) && b->passed;
		struct straight s = { .start = start, .end = start + b->size - b->last_size,
				      .count = goes_on ? b->taken : count_ran(b) };

		if (in_plt(plt, n_plt, start))
			continue;
		if (s.count)
			bolt->straight[bolt->n_straight++] = s;
		if (goes_on)
			bolt->straight[bolt->n_straight++] = (struct straight){
				.start = start, .end = start + b->size, .count = b->passed
			};
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct straight *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int mark_after_calls(struct bolt *bolt)
{
	const struct count_dso *d = &bolt->p->table->dso[bolt->p->dso];
	uint64_t *after = calloc(d->n_block + 1, sizeof(*after));
	size_t n = 0;

	if (!after)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];

		if (count_branches(b) && b->flags & CSF_FLAG_LINK)
			after[n++] = profile_address(bolt->p, b->start) + b->size;
	}
	qsort(after, n, sizeof(*after), by_addr);
	for (size_t i = 0; i < bolt->n_straight; i++)
		bolt->straight[i].after_call = bsearch(&bolt->straight[i].start, after, n,
						       sizeof(*after), by_addr);
	free(after);
	return 0;
}

static int by_target(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	uint64_t dx = x->to_outside, dy = y->to_outside;

	if (dx != dy)
		return dx < dy ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->returns - y->returns;
}

/* Joins equal branches. */
static void settle_branches(struct bolt *bolt)
{
	size_t n = 0;

	if (bolt->n_branch)
		qsort(bolt->branch, bolt->n_branch, sizeof(*bolt->branch), by_target);
	for (size_t i = 0; i < bolt->n_branch; i++) {
		struct branch *b = &bolt->branch[i];

		if (n && !by_target(&bolt->branch[n - 1], b))
			bolt->branch[n - 1].count = count_sum(bolt->branch[n - 1].count, b->count);
		else
			bolt->branch[n++] = *b;
	}
	bolt->n_branch = n;
}

static int collect_branches(struct bolt *bolt)
{
	const struct profile *p = bolt->p;
	struct count_edge *own, *entry = NULL;
	size_t n_own, n_entry = 0;
	int err = count_edges(p->table, p->dso, &own, &n_own);

	if (err)
		return err;
	err = count_entries(p->table, p->dso, &entry, &n_entry);
	bolt->branch = err ? NULL : calloc(n_own + n_entry + 1, sizeof(*bolt->branch));
	for (size_t i = 0; i < n_own && bolt->branch; i++) {
		bool outside = own[i].dso != p->dso;

		bolt->branch[bolt->n_branch++] = (struct branch){
			.from = profile_address(p, own[i].from), .count = own[i].count,
			.to = outside ? 0 : profile_address(p, own[i].to), .to_outside = outside,
			.returns = own[i].flags & CSF_FLAG_RET,
		};
	}
	for (size_t i = 0; i < n_entry && bolt->branch; i++)
		bolt->branch[bolt->n_branch++] = (struct branch){
			.to = profile_address(p, entry[i].to), .count = entry[i].count,
			.from_outside = true, .returns = entry[i].flags & CSF_FLAG_RET,
		};
	free(own);
	free(entry);
	if (!bolt->branch)
		return -ENOMEM;
	settle_branches(bolt);
	return 0;
}

static int collect(struct bolt *bolt, const struct profile *p)
{
	int err;

	*bolt = (struct bolt){ .p = p };
	err = collect_straights(bolt);
	if (!err)
		err = mark_after_calls(bolt);
	if (!err)
		err = collect_branches(bolt);
	if (!err && bolt->n_straight)
		qsort(bolt->straight, bolt->n_straight, sizeof(*bolt->straight), by_start);
	return err;
}

static void bolt_fini(struct bolt *bolt)
{
	free(bolt->straight);
	free(bolt->branch);
}

/* ---------------------------------------------------------------- printing */

static void print_address(const struct bolt *bolt, uint64_t addr, bool outside)
{
	if (outside)
		fprintf(bolt->p->f, "X:0 ");
	else
		fprintf(bolt->p->f, "%" PRIx64 " ", addr);
}

static void print_branch(const struct bolt *bolt, const struct branch *b)
{
	fprintf(bolt->p->f, "B ");
	print_address(bolt, b->from, b->from_outside);
	print_address(bolt, b->to, b->to_outside);
	fprintf(bolt->p->f, "%" PRIu64 " 0\n", b->count);
}

static void print_straight(const struct bolt *bolt, char kind, const struct straight *s)
{
	fprintf(bolt->p->f, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", kind, s->start, s->end,
		s->count);
}

/* Prints a branch together with the straight code after it. */
static void print_trace(const struct bolt *bolt, const struct branch *b, const struct straight *s)
{
	fprintf(bolt->p->f, "%c ", b->returns ? 'R' : 'T');
	print_address(bolt, b->from, b->from_outside);
	fprintf(bolt->p->f, "%" PRIx64 " %" PRIx64 " %" PRIu64 "\n", b->to, s->end, s->count);
}

/* Takes @n of the rest of both. */
static struct straight take(struct straight *s, uint64_t n)
{
	struct straight part = *s;

	part.count = s->count < n ? s->count : n;
	s->count -= part.count;
	return part;
}

/*
 * Prints branches with their straight code, as far as there is some; then the rest of that.  After
 * a call, the rest came after a return that was not seen: r.
 */
static void print_traces_to(const struct bolt *bolt, struct branch **branch, struct straight *s,
			    size_t n)
{
	const struct branch *end = bolt->branch + bolt->n_branch;
	uint64_t start = s->start;
	size_t i = 0;

	for (; *branch < end && !(*branch)->to_outside && (*branch)->to <= start; ++*branch) {
		struct branch *b = *branch;

		for (; b->to == start && b->count && i < n; i += !s[i].count) {
			struct straight part = take(&s[i], b->count);

			b->count -= part.count;
			print_trace(bolt, b, &part);
		}
		if (b->count)
			print_branch(bolt, b);
	}
	for (; i < n; i++)
		print_straight(bolt, s[i].after_call ? 'r' : 'F', &s[i]);
}

/* As many as came from outside by a return are f: BOLT cannot see that by itself. */
static void print_straights_from(const struct bolt *bolt, struct branch **branch,
				 struct straight *s, size_t n)
{
	const struct branch *end = bolt->branch + bolt->n_branch;
	uint64_t returned = 0, start = s->start;

	for (; *branch < end && !(*branch)->to_outside && (*branch)->to <= start; ++*branch)
		if ((*branch)->to == start && (*branch)->from_outside && (*branch)->returns)
			returned = count_sum(returned, (*branch)->count);
	for (size_t i = 0; i < n; i++) {
		struct straight part = take(&s[i], returned);

		returned -= part.count;
		if (part.count)
			print_straight(bolt, 'f', &part);
		if (s[i].count)
			print_straight(bolt, 'F', &s[i]);
	}
}

typedef void print_fn(const struct bolt *bolt, struct branch **branch, struct straight *s,
		      size_t n);

/* Prints straight code, all of one start at a time. */
static void print_starts(struct bolt *bolt, struct branch **branch, print_fn *print)
{
	struct straight *s = bolt->straight;

	for (size_t i = 0, next; i < bolt->n_straight; i = next) {
		for (next = i + 1; next < bolt->n_straight && s[next].start == s[i].start; next++)
			;
		print(bolt, branch, &s[i], next - i);
	}
}

int profile_bolt(const struct profile *p)
{
	struct branch *branch;
	struct bolt bolt;
	int err = collect(&bolt, p);

	for (size_t i = 0; i < bolt.n_branch && !err; i++)
		print_branch(&bolt, &bolt.branch[i]);
	branch = bolt.branch;
	if (!err)
		print_starts(&bolt, &branch, print_straights_from);
	bolt_fini(&bolt);
	return err;
}

int profile_bolt_traces(const struct profile *p)
{
	struct branch *branch;
	struct bolt bolt;
	int err = collect(&bolt, p);

	branch = bolt.branch;
	if (!err)
		print_starts(&bolt, &branch, print_traces_to);
	for (; branch && branch < bolt.branch + bolt.n_branch && !err; branch++)
		print_branch(&bolt, branch);
	bolt_fini(&bolt);
	return err;
}
