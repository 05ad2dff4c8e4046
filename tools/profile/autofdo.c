// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "autofdo.h"
#include "../count/code-walk.h"
#include "profile.h"

/* FIRST-LAST:COUNT or FROM->TO:COUNT. */
struct row {
	uint64_t from, to, count;
};

struct rows {
	struct row *row;
	size_t n, size;
};

/* The block at the end of a range: its last instruction is at @from, and it ran @count times. */
struct end {
	uint64_t from, count;
	struct count_block block;
};

/**
 * struct text - the text of one file
 * @at: the rest, up to @stop; @line: number of the line
 * @why: the error in that line
 * @n_odd: ignored lines; @odd: the first of them
 * @name: of the file: @n_name bytes; NULL: not given
 */
struct text {
	const char *at, *stop;
	size_t line;
	const char *why;
	size_t n_odd, odd;
	struct rows range, branch;
	const char *name;
	size_t n_name;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t n_build_id;
};

/* ---------------------------------------------------------------- lines */

static const char *line_feed(const struct text *t)
{
	const char *end = memchr(t->at, '\n', t->stop - t->at);

	return end ? end : t->stop;
}

/* The end of the line's text: some line ends have two bytes. */
static const char *line_end(const struct text *t)
{
	const char *end = line_feed(t);

	return end > t->at && end[-1] == '\r' ? end - 1 : end;
}

static void next_line(struct text *t)
{
	t->at = line_feed(t);
	t->at += t->at < t->stop;
	t->line++;
}

static void odd_line(struct text *t)
{
	if (!t->n_odd++)
		t->odd = t->line;
}

static int digit(char c, unsigned int base)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? memchr(digits, c, base) : NULL;

	return at ? at - digits : -1;
}

/* Takes a number that ends before @end of the line.  Return: there is one. */
static bool take_number(const char **at, const char *end, unsigned int base, uint64_t *number)
{
	const char *start = *at;
	int d;

	*number = 0;
	for (; *at < end && (d = digit(**at, base)) >= 0; ++*at)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, d, number))
			return false;
	return *at > start;
}

static bool take_sign(const char **at, const char *end, const char *sign)
{
	const size_t n = strlen(sign);

	if ((size_t)(end - *at) < n || memcmp(*at, sign, n))
		return false;
	*at += n;
	return true;
}

/* Takes the number of lines that follow. */
static bool take_size(struct text *t, uint64_t *n)
{
	const char *at = t->at, *end = line_end(t);

	if (!take_number(&at, end, 10, n) || at != end) {
		t->why = t->at == t->stop ? "it is cut off" : "no number of lines that follow";
		return false;
	}
	next_line(t);
	return true;
}

/* Rows with @sign between two addresses; NULL: rows of one address.  Return: -EBADMSG, @why. */
static int take_rows(struct text *t, struct rows *rows, const char *sign)
{
	uint64_t n;

	if (!take_size(t, &n))
		return -EBADMSG;
	for (; n; n--) {
		const char *at = t->at, *end = line_end(t);
		struct row row = { 0 };

		if (!take_number(&at, end, 16, &row.from) ||
		    (sign && (!take_sign(&at, end, sign) || !take_number(&at, end, 16, &row.to))) ||
		    !take_sign(&at, end, ":") || !take_number(&at, end, 10, &row.count) ||
		    at != end) {
			t->why = t->at == t->stop ? "it is cut off" : "no range, address or branch";
			return -EBADMSG;
		}
		if (rows && !array_room(&rows->row, rows->n, &rows->size, sizeof(row)))
			return -ENOMEM;
		if (rows)
			rows->row[rows->n++] = row;
		next_line(t);
	}
	return 0;
}

static void take_build_id(struct text *t, const char *at, const char *end)
{
	for (; end - at > 1 && t->n_build_id < ELF_BUILD_ID_MAX; at += 2) {
		const int high = digit(at[0], 16), low = digit(at[1], 16);

		if (high < 0 || low < 0)
			break;
		t->build_id[t->n_build_id++] = high << 4 | low;
	}
	/* with another length, or other digits, it is invalid */
	if (at != end) {
		odd_line(t);
		t->n_build_id = 0;
	}
	while (t->n_build_id && !t->build_id[t->n_build_id - 1])
		t->n_build_id--;
}

/* Takes comments, and empty lines, up to the next text. */
static void take_comments(struct text *t)
{
	for (; t->at < t->stop && digit(*t->at, 10) < 0; next_line(t)) {
		const char *at = t->at, *end = line_end(t);

		if (!take_sign(&at, end, "// ")) {
			if (at != end && !take_sign(&at, end, "//"))
				odd_line(t);
			continue;
		}
		if (take_sign(&at, end, "build_id: 0x")) {
			take_build_id(t, at, end);
		} else if (!t->name) {
			t->name = at;
			t->n_name = end - at;
		}
	}
}

/* A text of one file.  Return: 0; -EBADMSG; -ENOMEM. */
static int take_text(struct text *t)
{
	int err;

	t->name = NULL;
	t->n_build_id = 0;
	t->range.n = 0;
	t->branch.n = 0;
	err = take_rows(t, &t->range, "-");
	err = err ? err : take_rows(t, NULL, NULL);
	err = err ? err : take_rows(t, &t->branch, "->");
	if (!err)
		take_comments(t);
	return err;
}

bool autofdo_is(const void *bytes, size_t n)
{
	struct text t = { .at = bytes, .stop = (const char *)bytes + n };
	const char *at, *end;
	uint64_t number;

	if (!n || !take_size(&t, &number))
		return false;
	at = t.at;
	end = line_end(&t);
	/* a range or, if there is none, the next number of lines */
	return take_number(&at, end, number ? 16 : 10, &number) &&
	       (at == end || take_sign(&at, end, "-"));
}

/* ---------------------------------------------------------------- addresses */

/* Finds the file's address of @addr.  Return: it is code of the file. */
static bool file_address(const struct code_walk *w, int addresses, uint64_t addr, uint64_t *at)
{
	const struct elf_segment *s;

	if (addresses == PROFILE_FILE || w->elf->is_module) {
		s = elf_segment_at(w->elf, addr);
		*at = s ? s->addr + (addr - s->offset) : 0;
	} else {
		*at = profile_load_base(w->elf) + addr;
		s = elf_segment_find(w->elf, *at);
	}
	return s && s->exec;
}

static size_t fitting(const struct code_walk *w, const struct text *t, int addresses)
{
	size_t n = 0;
	uint64_t at;

	for (size_t i = 0; i < t->range.n; i++)
		n += file_address(w, addresses, t->range.row[i].from, &at) &&
		     file_address(w, addresses, t->range.row[i].to, &at);
	return n;
}

/* ---------------------------------------------------------------- counts */

static void lose(struct code_walk *w, uint64_t count)
{
	uint64_t *lost = &w->table->stat[COUNT_LOST + CSF_GAP_IMAGE];
	struct count_dso *d = &w->table->dso[w->dso];

	*lost = count_sum(*lost, count);
	d->lost = count_sum(d->lost, count);
}

static void add_up(struct code_walk *w, const struct count_block *b, uint64_t count)
{
	uint64_t *stat = w->table->stat;

	stat[COUNT_BLOCKS] = count_sum(stat[COUNT_BLOCKS], count);
	stat[COUNT_INSNS] = count_sum(stat[COUNT_INSNS], count_times(count, b->n_insn));
}

/* Walks a range, which may include untaken branches.  Its last block is @end. */
static int walk_range(struct code_walk *w, int addresses, const struct row *row, struct end *end)
{
	struct csf_insn insn;
	struct count_block b;
	uint64_t last;
	int err = 0;

	if (row->from > row->to || !file_address(w, addresses, row->from, &w->addr) ||
	    !file_address(w, addresses, row->to, &last))
		return -ENOENT;
	w->end = last + 1;
	while (!err && w->addr < w->end) {
		err = code_walk_block(w, row->count, &b, &insn);
		if (err)
			break;
		add_up(w, &b, row->count);
		code_walk_target(w, &insn, &b);
		if (w->addr >= w->end)
			break;
		b.passed = row->count;
		err = count_block_add(&w->table->dso[w->dso], &b);
	}
	*end = (struct end){ .from = last, .count = row->count, .block = b };
	return err;
}

static int by_from(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_end(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->block.start < y->block.start ? -1 : x->block.start > y->block.start;
}

/* Distributes a taken branch: of the blocks that end there, the first ones took it. */
static int finish_block(struct code_walk *w, struct end *end, uint64_t *left)
{
	struct count_block *b = &end->block;
	uint64_t taken = 0;

	if (count_branches(b)) {
		taken = end->count;
		if (b->flags & CSF_FLAG_COND && *left < taken)
			taken = *left;
		*left -= *left < taken ? *left : taken;
	}
	b->taken = taken;
	b->passed = end->count - taken;
	return count_block_add(&w->table->dso[w->dso], b);
}

/* Adds targets of an indirect branch. */
static int add_edge(struct code_walk *w, int addresses, const struct end *end,
		    const struct row *branch)
{
	const struct count_block *b = &end->block;
	struct count_edge edge = { .from = count_last(b), .dso = w->dso, .count = branch->count };
	uint64_t at;

	if (b->direct || !count_branches(b) || !branch->to ||
	    !file_address(w, addresses, branch->to, &at))
		return 0;
	edge.to = code_walk_offset(w, elf_segment_find(w->elf, at), at);
	return count_edge_add(&w->table->dso[w->dso], &edge);
}

/* Joins the ends of ranges and the branches there, both sorted by address. */
static int finish(struct code_walk *w, int addresses, struct text *t, struct end *end, size_t n)
{
	size_t k = 0;
	int err = 0;

	for (size_t i = 0, next; i < n && !err; i = next) {
		uint64_t left = 0;

		for (; k < t->branch.n && t->branch.row[k].from <= end[i].from; k++) {
			if (t->branch.row[k].from < end[i].from)
				continue;
			left = count_sum(left, t->branch.row[k].count);
			err = err ? err : add_edge(w, addresses, &end[i], &t->branch.row[k]);
		}
		for (next = i; next < n && end[next].from == end[i].from && !err; next++)
			err = finish_block(w, &end[next], &left);
	}
	return err;
}

static int count_text(struct code_walk *w, int addresses, struct text *t)
{
	struct end *end = calloc(t->range.n + 1, sizeof(*end));
	size_t n = 0;
	int err = end ? 0 : -ENOMEM;

	if (addresses == PROFILE_ANY)
		addresses = fitting(w, t, PROFILE_LOAD) >= fitting(w, t, PROFILE_FILE) ?
			    PROFILE_LOAD : PROFILE_FILE;
	for (size_t i = 0; i < t->range.n && !err; i++) {
		err = walk_range(w, addresses, &t->range.row[i], &end[n]);
		if (err == -ENOENT) {
			lose(w, t->range.row[i].count);
			err = 0;
		} else if (!err) {
			n++;
		}
	}
	for (size_t i = 0; i < t->branch.n; i++)
		if (!file_address(w, addresses, t->branch.row[i].from, &t->branch.row[i].from))
			t->branch.row[i].from = UINT64_MAX;
	if (n)
		qsort(end, n, sizeof(*end), by_end);
	if (t->branch.n)
		qsort(t->branch.row, t->branch.n, sizeof(*t->branch.row), by_from);
	err = err ? err : finish(w, addresses, t, end, n);
	free(end);
	return err;
}

/* ---------------------------------------------------------------- files */

static uint8_t kind_of(const char *name)
{
	const size_t n = strlen(name);

	if (!strncmp(name, "[kernel", 7) || !strcmp(name, "vmlinux"))
		return DSO_KERNEL;
	return *name == '[' || (n > 3 && !strcmp(name + n - 3, ".ko")) ? DSO_MODULE : DSO_FILE;
}

/* Counts a text of the file @key. */
static int count_file(struct count_table *table, struct dso_table *dsos, struct text *t,
		      const struct dso_key *key, int addresses)
{
	struct code_walk w = { .table = table, .kind = key->kind };
	long number = count_dso_add(table, key);
	struct dso *dso;

	if (number < 0)
		return number;
	w.dso = number;
	number = dso_add(dsos, key);
	if (number < 0)
		return number;
	dso = dsos->dso[number];
	if (!dso_load(dsos, dso) || !dso->elf->is_elf) {
		for (size_t i = 0; i < t->range.n; i++)
			lose(&w, t->range.row[i].count);
		return 0;
	}
	w.elf = dso->elf;
	w.isa = code_walk_isa(w.elf);
	return count_text(&w, addresses, t);
}

/* Return: -ENOENT: the file is not named. */
static int count_named(struct count_table *table, struct dso_table *dsos, struct text *t,
		       int addresses)
{
	struct dso_key key = { .build_id = t->build_id, .n_build_id = t->n_build_id };
	const struct dso_options *options = &dsos->options;
	struct elf_file *elf = NULL;
	char *name;
	int err;

	if (!t->name && options->n_given != 1)
		return -ENOENT;
	name = t->name ? strndup(t->name, t->n_name) : strdup(options->given[0]);
	if (!name)
		return -ENOMEM;
	if (!t->name && !elf_file_open(&elf, name)) {
		key.build_id = elf->build_id;
		key.n_build_id = elf->n_build_id;
	}
	key.name = name;
	key.kind = kind_of(name);
	err = count_file(table, dsos, t, &key, addresses);
	elf_file_close(elf);
	free(name);
	return err;
}

int autofdo_read(struct count_table *table, const void *bytes, size_t n,
		 const struct dso_options *options, int addresses,
		 struct autofdo_problem *problem)
{
	struct text t = { .at = bytes, .stop = (const char *)bytes + n, .line = 1 };
	struct dso_table dsos = { 0 };
	int err = dso_table_init(&dsos, options);

	*problem = (struct autofdo_problem){ .why = NULL };
	if (err)
		return -ENOMEM;
	table->stat[COUNT_RECORDINGS] = count_sum(table->stat[COUNT_RECORDINGS], 1);
	while (!err && t.at < t.stop) {
		err = take_text(&t);
		err = err ? err : count_named(table, &dsos, &t, addresses);
	}
	if (err == -EBADMSG)
		*problem = (struct autofdo_problem){ .why = t.why, .line = t.line };
	if (err == -ENOENT)
		problem->why = "it does not name its file: name it with --binary";
	problem->n_odd = t.n_odd;
	problem->odd = t.odd;
	free(t.range.row);
	free(t.branch.row);
	dso_table_fini(&dsos);
	return err == -ENOENT ? -EBADMSG : err;
}
