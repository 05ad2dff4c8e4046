// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "coverage.h"
#include "../code/frames.h"
#include "../count/hot-lines.h"

/* ---------------------------------------------------------------- files */

/* The index of a path; most are that of the previous line.  Return: < 0: no memory. */
static long file_of(struct coverage *c, const char *path, uint32_t hint)
{
	if (hint < c->n_file && !strcmp(c->file[hint], path))
		return hint;
	for (size_t i = 0; i < c->n_file; i++)
		if (!strcmp(c->file[i], path))
			return i;
	if (!array_room(&c->file, c->n_file, &c->size_file, sizeof(*c->file)))
		return -ENOMEM;
	c->file[c->n_file] = strdup(path);
	return c->file[c->n_file] ? (long)c->n_file++ : -ENOMEM;
}

/* ---------------------------------------------------------------- a function */

static int order_lines(const struct source_line *a, const struct source_line *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int by_line(const void *a, const void *b)
{
	const struct coverage_line *x = a, *y = b;

	return order_lines(&x->at, &y->at);
}

struct reader {
	struct coverage *c;
	struct elf_file *elf;
	struct hot_edges edges;
	struct frames frames;
	uint32_t file;
	bool has_lines;
};

/* An instruction of a line, in the copy of the code that was inlined by way of @calls. */
struct copy {
	struct coverage_line line;
	uint64_t calls;
};

/* The source line of a line of @hot.  Return: 0 or -ENOMEM. */
static int line_of(struct reader *r, const struct hot_lines *hot, uint32_t line,
		   struct source_line *at)
{
	long file = file_of(r->c, hot->line[line].file, r->file);

	if (file < 0)
		return -ENOMEM;
	r->file = file;
	*at = (struct source_line){ file, hot->line[line].line };
	return 0;
}

/* The chain of inlined calls, as one number; 0: none, or unknown. */
static int calls_to(struct reader *r, uint64_t addr, uint64_t *calls)
{
	struct frame frame[FRAME_MAX];
	int n = frames_at(&r->frames, addr, frame);

	*calls = 0;
	for (int i = 0; i + 1 < n; i++) {
		*calls = (*calls ^ (uintptr_t)frame[i].name) * 0x9e3779b97f4a7c15ull;
		*calls ^= (uint64_t)frame[i].line << 32 ^ frame[i].discriminator ^ *calls >> 29;
	}
	return n < 0 ? n : 0;
}

static int by_copy(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;
	int order = by_line(&x->line, &y->line);

	return order ? order : x->calls < y->calls ? -1 : x->calls > y->calls;
}

/* The count of a copy is that of its most executed instruction. */
static int add_copies(struct coverage *c, struct copy *copy, size_t n)
{
	if (n)
		qsort(copy, n, sizeof(*copy), by_copy);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_copy(&copy[i - 1], &copy[i])) {
			struct coverage_line *line = &c->line[c->n_line - 1];

			if (line->count < copy[i].line.count)
				line->count = copy[i].line.count;
			continue;
		}
		if (!array_room(&c->line, c->n_line, &c->size_line, sizeof(*c->line)))
			return -ENOMEM;
		c->line[c->n_line++] = copy[i].line;
	}
	return 0;
}

static int add_lines(struct reader *r, const struct hot_lines *hot)
{
	struct copy *copy = calloc(hot->n + 1, sizeof(*copy));
	int err = copy ? 0 : -ENOMEM;
	size_t n = 0;

	for (size_t i = 0; i < hot->n && !err; i++) {
		const struct hot_insn *insn = &hot->insn[i];

		if (insn->line == HOT_NO_LINE || hot->line[insn->line].line <= 0)
			continue;
		copy[n].line.count = insn->count;
		err = line_of(r, hot, insn->line, &copy[n].line.at);
		if (!err)
			err = calls_to(r, insn->addr, &copy[n].calls);
		n++;
	}
	if (!err)
		err = add_copies(r->c, copy, n);
	r->has_lines |= n;
	free(copy);
	return err;
}

/* Is it a conditional branch of any kind?  BXLE lr is one like B.LE. */
static bool is_branch(const struct hot_lines *hot, const struct hot_insn *insn)
{
	return (insn->kind == CSF_INSN_BRANCH || insn->kind == CSF_INSN_INDIRECT) &&
	       insn->flags & CSF_FLAG_COND && insn->line != HOT_NO_LINE &&
	       hot->line[insn->line].line > 0;
}

static int add_branches(struct reader *r, const struct hot_lines *hot)
{
	struct coverage *c = r->c;

	for (size_t i = 0; i < hot->n; i++) {
		const struct hot_insn *insn = &hot->insn[i];
		struct coverage_branch b = {
			.addr = insn->addr, .taken = insn->taken, .passed = insn->passed,
		};

		if (!is_branch(hot, insn))
			continue;
		if (line_of(r, hot, insn->line, &b.at) ||
		    !array_room(&c->branch, c->n_branch, &c->size_branch, sizeof(b)))
			return -ENOMEM;
		c->branch[c->n_branch++] = b;
	}
	return 0;
}

/* ---------------------------------------------------------------- functions */

/* Adds a function; @name is copied. */
static int put_function(struct coverage *c, const struct source_line *at, const char *name,
			uint64_t count)
{
	char *copy;

	if (!array_room(&c->function, c->n_function, &c->size_function, sizeof(*c->function)))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	c->function[c->n_function++] = (struct coverage_function){ *at, copy, count };
	return 0;
}

/* Adds a function in the line where it is declared. */
static int put_declared(struct reader *r, const struct elf_function *function, uint64_t count)
{
	const long file = file_of(r->c, function->file, r->file);

	if (file < 0)
		return -ENOMEM;
	r->file = file;
	return put_function(r->c, &(struct source_line){ file, function->line },
			    function->linkage, count);
}

/* Compilers put pieces of a function elsewhere, with symbols of their own. */
static bool is_piece(const char *name)
{
	return strstr(name, ".part.") || strstr(name, ".cold");
}

/* How often a branch went back to @entry. */
static uint64_t loops(const struct reader *r, const struct hot_insn *insn, uint64_t entry)
{
	uint64_t n = 0;

	for (size_t i = 0; i < insn->n_edge; i++)
		if (insn->edge[i].dso == r->edges.dso && insn->edge[i].to <= insn->offset &&
		    insn->edge[i].to - insn->offset == entry - insn->addr)
			n = count_sum(n, insn->edge[i].count);
	return n;
}

/* It was entered as often as its first instruction ran, less loops back to it. */
static int add_function(struct reader *r, const struct hot_lines *hot, const char *name)
{
	const struct elf_function *function = elf_file_function(r->elf, hot->insn[0].addr);
	uint64_t count = hot->insn[0].count;
	struct source_line at;
	int err;

	/* a call of itself enters it, too */
	for (size_t i = 0; i < hot->n; i++)
		if (!(hot->insn[i].flags & CSF_FLAG_LINK))
			count -= loops(r, &hot->insn[i], hot->insn[0].addr);
	if (function && is_piece(name))
		return 0;
	if (function && function->file && function->line)
		return put_declared(r, function, count);
	if (hot->insn[0].line == HOT_NO_LINE || hot->line[hot->insn[0].line].line <= 0)
		return 0;
	err = line_of(r, hot, hot->insn[0].line, &at);
	return err ? err : put_function(r->c, &at, name, count);
}

/* One of the places where a function is inlined.  @count: entries; @ran: some of it ran. */
struct copy_of {
	const struct elf_inlined *in;
	uint64_t count;
	bool ran;
};

/* @copy: @n of them, some of which are of one place */
struct copies {
	struct copy_of *copy;
	size_t n, size;
};

/* Adds what an instruction says of @in, and of all that it is inlined in. */
static int add_entries(const struct reader *r, struct copies *c, const struct hot_insn *insn,
		       const struct elf_inlined *in)
{
	for (; in; in = in->outer) {
		struct copy_of copy = { .in = in, .ran = insn->count };

		if (in->entry == insn->addr)
			copy.count = insn->count;
		copy.count -= loops(r, insn, in->entry);
		if (!array_room(&c->copy, c->n, &c->size, sizeof(*c->copy)))
			return -ENOMEM;
		c->copy[c->n++] = copy;
	}
	return 0;
}

/* By the linker's name, or the one of the source. */
static bool is_chosen(const struct reader *r, const struct function *f, uint64_t start)
{
	const struct opt_list *symbols = r->c->symbols;
	struct place_symbol symbol;

	return !symbols || opt_list_has(symbols, f->name) ||
	       (places_symbol(r->edges.places, r->edges.dso, start, &symbol) &&
		opt_list_has_function(symbols, symbol.name));
}

static int by_place(const void *a, const void *b)
{
	const struct copy_of *x = a, *y = b;

	return x->in < y->in ? -1 : x->in > y->in;
}

/* Joins entries of one place, and adds it. */
static int put_copies(struct reader *r, struct copies *c)
{
	int err = 0;

	if (c->n)
		qsort(c->copy, c->n, sizeof(*c->copy), by_place);
	for (size_t i = 0, next; i < c->n && !err; i = next) {
		const struct elf_function *function = c->copy[i].in->function;
		uint64_t count = 0;
		bool ran = false;

		for (next = i; next < c->n && c->copy[next].in == c->copy[i].in; next++) {
			count += c->copy[next].count;
			ran |= c->copy[next].ran;
		}
		if ((int64_t)count <= 0)
			count = ran;
		if (function->file && function->line)
			err = put_declared(r, function, count);
	}
	return err;
}

static int add_inlined(struct reader *r, const struct hot_lines *hot)
{
	struct elf_range range = { 0, 0 };
	const struct elf_inlined *in = NULL;
	struct copies c = { 0 };
	int err = 0;

	for (size_t i = 0; i < hot->n && !err; i++) {
		const struct hot_insn *insn = &hot->insn[i];

		if (insn->addr < range.start || insn->addr >= range.end)
			in = elf_file_inlined(r->elf, insn->addr, &range);
		err = add_entries(r, &c, insn, in);
	}
	if (!err)
		err = put_copies(r, &c);
	free(c.copy);
	return err;
}

static int read_function(struct reader *r, const struct function *f)
{
	struct hot_lines hot = { .symbol = f->t32 ? HOT_T32 : HOT_A32 };
	uint64_t start;
	int err;

	if (!f->size || !places_offset(r->edges.places, r->edges.dso, f->addr, &start))
		return 0;
	if (!is_chosen(r, f, start)) {
		/* it may well have lines */
		r->has_lines = true;
		return 0;
	}
	err = hot_lines_read(&hot, &r->edges, start, start + f->size);
	if (!err && hot.n && hot.n_line) {
		err = add_lines(r, &hot);
		if (!err)
			err = add_branches(r, &hot);
		if (!err)
			err = add_function(r, &hot, f->name);
		if (!err)
			err = add_inlined(r, &hot);
	}
	hot_lines_fini(&hot);
	/* Symbols may be wrong: one that leads nowhere is not a function. */
	return err == -ERANGE ? 0 : err;
}

int coverage_read(struct coverage *c, struct places *places, size_t dso)
{
	struct elf_file *elf = places_elf(places, dso);
	struct functions functions;
	struct reader r = { .c = c, .elf = elf };
	int err;

	if (!elf)
		return -ENOENT;
	err = functions_read(&functions, elf);
	if (!err)
		err = frames_read(&r.frames, elf);
	if (!err)
		err = hot_edges_read(&r.edges, places, dso);
	for (size_t i = 0; !err && i < functions.n; i++)
		err = read_function(&r, &functions.function[i]);
	hot_edges_fini(&r.edges);
	frames_fini(&r.frames);
	functions_fini(&functions);
	return err || r.has_lines ? err : -ENODATA;
}

/* ---------------------------------------------------------------- order */

static bool begins(const char *path, const char *const *prefix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(path, prefix[i], strlen(prefix[i])))
			return true;
	return !n;
}

void coverage_keep(struct coverage *c, const char *const *prefix, size_t n)
{
	size_t n_line = 0, n_function = 0, n_branch = 0;

	for (size_t i = 0; i < c->n_line; i++)
		if (begins(c->file[c->line[i].at.file], prefix, n))
			c->line[n_line++] = c->line[i];
	for (size_t i = 0; i < c->n_function; i++)
		if (begins(c->file[c->function[i].at.file], prefix, n))
			c->function[n_function++] = c->function[i];
		else
			free(c->function[i].name);
	for (size_t i = 0; i < c->n_branch; i++)
		if (begins(c->file[c->branch[i].at.file], prefix, n))
			c->branch[n_branch++] = c->branch[i];
	c->n_line = n_line;
	c->n_function = n_function;
	c->n_branch = n_branch;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(**(char ***)a, **(char ***)b);
}

static int by_name(const void *a, const void *b)
{
	const struct coverage_function *x = a, *y = b;
	int order = order_lines(&x->at, &y->at);

	return order ? order : strcmp(x->name, y->name);
}

static int by_branch(const void *a, const void *b)
{
	const struct coverage_branch *x = a, *y = b;
	int order = order_lines(&x->at, &y->at);

	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sorts files by path, and updates indexes.  Return: 0 or -ENOMEM. */
static int sort_files(struct coverage *c)
{
	char ***order = calloc(c->n_file + 1, sizeof(*order));
	char **file = calloc(c->n_file + 1, sizeof(*file));
	uint32_t *now = calloc(c->n_file + 1, sizeof(*now));
	bool ok = order && file && now;

	for (size_t i = 0; ok && i < c->n_file; i++)
		order[i] = &c->file[i];
	if (ok)
		qsort(order, c->n_file, sizeof(*order), by_path);
	for (size_t i = 0; ok && i < c->n_file; i++) {
		file[i] = *order[i];
		now[order[i] - c->file] = i;
	}
	for (size_t i = 0; ok && i < c->n_line; i++)
		c->line[i].at.file = now[c->line[i].at.file];
	for (size_t i = 0; ok && i < c->n_function; i++)
		c->function[i].at.file = now[c->function[i].at.file];
	for (size_t i = 0; ok && i < c->n_branch; i++)
		c->branch[i].at.file = now[c->branch[i].at.file];
	if (ok && c->n_file)
		memcpy(c->file, file, c->n_file * sizeof(*file));
	free(order);
	free(file);
	free(now);
	return ok ? 0 : -ENOMEM;
}

static void join_lines(struct coverage *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_line; i++) {
		if (n && !by_line(&c->line[n - 1], &c->line[i]))
			c->line[n - 1].count = count_sum(c->line[n - 1].count, c->line[i].count);
		else
			c->line[n++] = c->line[i];
	}
	c->n_line = n;
}

/* Joins functions of the same name and line in several files. */
static void join_functions(struct coverage *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_function; i++) {
		struct coverage_function *last = n ? &c->function[n - 1] : NULL;

		if (last && !by_name(last, &c->function[i])) {
			last->count = count_sum(last->count, c->function[i].count);
			free(c->function[i].name);
		} else {
			c->function[n++] = c->function[i];
		}
	}
	c->n_function = n;
}

int coverage_settle(struct coverage *c)
{
	if (sort_files(c))
		return -ENOMEM;
	if (c->n_line)
		qsort(c->line, c->n_line, sizeof(*c->line), by_line);
	if (c->n_function)
		qsort(c->function, c->n_function, sizeof(*c->function), by_name);
	if (c->n_branch)
		qsort(c->branch, c->n_branch, sizeof(*c->branch), by_branch);
	join_lines(c);
	join_functions(c);
	return 0;
}

void coverage_fini(struct coverage *c)
{
	for (size_t i = 0; i < c->n_file; i++)
		free(c->file[i]);
	for (size_t i = 0; i < c->n_function; i++)
		free(c->function[i].name);
	free(c->file);
	free(c->line);
	free(c->function);
	free(c->branch);
}

/* ---------------------------------------------------------------- parts */

/* The first of @n elements of @size bytes, which begin with a line, that is in a file >= @file. */
static size_t first_of(const void *array, size_t n, size_t size, uint32_t file)
{
	return LOWER_BOUND(n, i, ((const struct source_line *)(array + i * size))->file < file);
}

bool coverage_part(const struct coverage *c, size_t i, struct coverage_part *part)
{
	size_t line = first_of(c->line, c->n_line, sizeof(*c->line), i);
	size_t function = first_of(c->function, c->n_function, sizeof(*c->function), i);
	size_t branch = first_of(c->branch, c->n_branch, sizeof(*c->branch), i);
	struct coverage_sum *sum = &part->sum;

	if (i >= c->n_file)
		return false;
	*part = (struct coverage_part){
		.path = c->file[i], .line = c->line + line, .function = c->function + function,
		.branch = c->branch + branch,
	};
	for (; line < c->n_line && c->line[line].at.file == i; line++) {
		sum->lines++;
		sum->lines_hit += !!c->line[line].count;
	}
	for (; function < c->n_function && c->function[function].at.file == i; function++) {
		sum->functions++;
		sum->functions_hit += !!c->function[function].count;
	}
	for (; branch < c->n_branch && c->branch[branch].at.file == i; branch++) {
		sum->ways += 2;
		sum->ways_hit += !!c->branch[branch].taken + !!c->branch[branch].passed;
	}
	return true;
}

struct coverage_sum coverage_total(const struct coverage *c)
{
	struct coverage_sum sum = { 0 };
	struct coverage_part part;

	for (size_t i = 0; coverage_part(c, i, &part); i++) {
		sum.lines += part.sum.lines;
		sum.lines_hit += part.sum.lines_hit;
		sum.functions += part.sum.functions;
		sum.functions_hit += part.sum.functions_hit;
		sum.ways += part.sum.ways;
		sum.ways_hit += part.sum.ways_hit;
	}
	return sum;
}
