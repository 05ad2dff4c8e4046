// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/hash.h"
#include "../count/places.h"
#include "../input/unchecked.h"
#include "../lib/build-id.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "fleet.h"

/* Digits of a build-id that stands for a version */
#define VERSION_DIGITS	12

#define LABEL_MAX	64

/* ---------------------------------------------------------------- labels */

/* The program of which most was executed; NULL: nothing was. */
static const struct count_dso *program_of(const struct count_table *t)
{
	const struct count_dso *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct count_dso *d = &t->dso[i];
		const uint64_t ran = count_dso_insns(d);
		const bool better = !best || d->program == best->program ? ran > most : d->program;

		if (ran && better) {
			best = d;
			most = ran;
		}
	}
	return best;
}

static void label_version(char *label, const struct count_table *t)
{
	const struct count_dso *d = program_of(t);

	if (d && d->n_build_id)
		snprintf(label, LABEL_MAX, "%.*s", VERSION_DIGITS,
			 build_id_hex(d->build_id, d->n_build_id).text);
}

/* ISO 8601 has weeks that begin on Monday. */
static void label_week(char *label, const char *path)
{
	struct stat st;
	struct tm tm;

	if (!stat(path, &st) && gmtime_r(&st.st_mtime, &tm))
		strftime(label, LABEL_MAX, "%G-W%V", &tm);
}

/* The label of a member; for want of one, that of its table or of its file is made in @made. */
static const char *label_of(const struct fleet *f, const struct fleet_member *m,
			    const struct count_table *t, char *made)
{
	if (m->label[f->by])
		return m->label[f->by];
	strcpy(made, "-");
	if (f->by == FLEET_VERSION)
		label_version(made, t);
	else if (f->by == FLEET_WEEK)
		label_week(made, m->path);
	return made;
}

/* ---------------------------------------------------------------- groups */

static struct fleet_group *group_of(struct fleet *f, const char *label)
{
	struct fleet_group *g;

	for (size_t i = 0; i < f->n_group; i++)
		if (!strcmp(f->group[i].label, label))
			return &f->group[i];
	if (!array_room(&f->group, f->n_group, &f->size_group, sizeof(*f->group)))
		return NULL;
	g = &f->group[f->n_group];
	*g = (struct fleet_group){ .label = strdup(label) };
	if (!g->label)
		return NULL;
	f->n_group++;
	return g;
}

/* Adds a table to its group, and empties it. */
static int join(struct fleet *f, const struct fleet_member *m, struct count_table *t)
{
	char made[LABEL_MAX];
	struct fleet_group *g = group_of(f, label_of(f, m, t, made));
	int err;

	if (!g || !array_room(&g->path, g->n, &g->size, sizeof(*g->path)))
		return -ENOMEM;
	g->path[g->n++] = m->path;
	err = count_table_merge(&g->table, t, 1);
	return err ?: count_table_settle(&g->table);
}

static int by_label(const void *p, const void *q)
{
	const struct fleet_group *a = p, *b = q;

	return strverscmp(a->label, b->label);
}

/* ---------------------------------------------------------------- rows */

static int by_key(const void *p, const void *q)
{
	const struct fleet_row *a = p, *b = q;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* Joins equal rows. */
static void settle(struct fleet_rows *rows)
{
	size_t n = 0;

	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_key);
	for (size_t i = 0; i < rows->n; i++) {
		struct fleet_row *r = &rows->row[i];

		if (!n || rows->row[n - 1].key != r->key) {
			rows->row[n++] = *r;
			continue;
		}
		rows->row[n - 1].insns = count_sum(rows->row[n - 1].insns, r->insns);
		free(r->name);
		free(r->file);
	}
	rows->n = n;
}

static int add_row(struct fleet_rows *rows, const struct fleet_row *row)
{
	if (!row->insns)
		return 0;
	if (!array_room(&rows->row, rows->n, &rows->size, sizeof(*row)))
		return -ENOMEM;
	rows->row[rows->n++] = *row;
	return 0;
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = hash_mix(hash, (unsigned char)text[i]);
	return hash_mix(hash, 0x100);
}

/* The length of a name without what compilers append, which differs from build to build. */
static size_t stem(const char *name)
{
	const char *clone = strstr(name, " [clone ");

	if (clone)
		return clone - name;
	if (!*name || strpbrk(name, "(<: "))
		return strlen(name);
	return 1 + strcspn(name + 1, ".");
}

/* One of a function: so that its name is stored once, unless blocks of others lie between. */
static int add_function(struct fleet_rows *rows, const struct fleet_row *row, const char *name,
			const char *file)
{
	struct fleet_row own = *row;
	int err;

	if (rows->n && rows->row[rows->n - 1].key == row->key) {
		rows->row[rows->n - 1].insns = count_sum(rows->row[rows->n - 1].insns, row->insns);
		return 0;
	}
	own.name = strndup(name, stem(name));
	own.file = strdup(file);
	err = own.name && own.file ? add_row(rows, &own) : -ENOMEM;
	if (err || !row->insns) {
		free(own.name);
		free(own.file);
	}
	return err;
}

/* Both ways out of a block are rows, so a branch that turns the other way is a difference. */
static int add_block(struct fleet_group *g, struct places *places, size_t dso,
		     const struct count_block *b)
{
	const char *file = basename(g->table.dso[dso].name);
	struct place_symbol symbol = { .name = "[unknown]" };
	const bool known = places_symbol(places, dso, b->start, &symbol) && !symbol.made;
	const char *name = known ? symbol.name : "[unknown]";
	const uint64_t at = known ? b->start - symbol.start : b->start;
	struct fleet_row row = { .key = hash_text(0, file, strlen(file)) };
	int err;

	row.key = hash_text(row.key, name, stem(name));
	row.insns = count_times(count_ran(b), b->n_insn);
	err = add_function(&g->functions, &row, name, file);
	for (int taken = 0; taken < 2 && !err; taken++) {
		const struct fleet_row way = {
			.key = hash_mix(hash_mix(hash_mix(row.key, at), b->size), taken),
			.insns = count_times(taken ? b->taken : b->passed, b->n_insn),
		};

		err = add_row(&g->blocks, &way);
	}
	return err;
}

static int measure(struct fleet_group *g, const struct dso_options *options)
{
	struct places places = { 0 };
	int err = places_init(&places, &g->table, options);

	for (size_t i = 0; i < g->table.n && !err; i++) {
		const struct count_dso *d = &g->table.dso[i];

		g->insns = count_sum(g->insns, count_dso_insns(d));
		for (size_t k = 0; k < d->n_block && !err; k++)
			err = add_block(g, &places, i, &d->block[k]);
	}
	settle(&g->functions);
	settle(&g->blocks);
	if (!err)
		unchecked_tell(&places.dsos);
	places_fini(&places);
	return err ?: quality_measure(&g->quality, &g->table);
}

/* ---------------------------------------------------------------- all of it */

static int load(struct fleet *f, const struct fleet_member *m,
		const struct count_load_options *options)
{
	struct count_table one = { 0 };
	int status = count_load(&one, m->path, 1, options);

	/* what is left of a damaged recording counts, too */
	if (one.n && join(f, m, &one)) {
		log_say(LOG_MEMORY, "csflow: %s: %s\n", m->path, strerror(ENOMEM));
		status = CMD_FAILED;
	}
	count_table_fini(&one);
	return status;
}

int fleet_load(struct fleet *f, const struct count_load_options *options)
{
	int status = CMD_OK, err = 0;

	for (size_t i = 0; i < f->n; i++)
		if (load(f, &f->member[i], options))
			status = CMD_FAILED;
	if (f->n_group)
		qsort(f->group, f->n_group, sizeof(*f->group), by_label);
	for (size_t i = 0; i < f->n_group && !err; i++)
		err = measure(&f->group[i], &options->replay.dso);
	if (!err)
		return status;
	log_say(LOG_MEMORY, "csflow: comparing count tables: %s\n", strerror(-err));
	return CMD_FAILED;
}

static void rows_fini(struct fleet_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->row[i].name);
		free(rows->row[i].file);
	}
	free(rows->row);
}

void fleet_fini(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->member[i].path);
		for (int k = 0; k < FLEET_BY_NR; k++)
			free(f->member[i].label[k]);
	}
	for (size_t i = 0; i < f->n_group; i++) {
		struct fleet_group *g = &f->group[i];

		quality_fini(&g->quality);
		rows_fini(&g->functions);
		rows_fini(&g->blocks);
		count_table_fini(&g->table);
		free(g->path);
		free(g->label);
	}
	free(f->member);
	free(f->group);
	*f = (struct fleet){ .by = f->by };
}

static double sum_of(const struct fleet_rows *rows)
{
	double sum = 0;

	for (size_t i = 0; i < rows->n; i++)
		sum += rows->row[i].insns;
	return sum;
}

double fleet_overlap(const struct fleet_rows *a, const struct fleet_rows *b)
{
	const double all_a = sum_of(a), all_b = sum_of(b);
	double common = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct fleet_row *x = &a->row[i], *y = &b->row[k];

		if (x->key == y->key) {
			const double share_a = x->insns / all_a, share_b = y->insns / all_b;

			common += share_a < share_b ? share_a : share_b;
		}
		i += x->key <= y->key;
		k += y->key <= x->key;
	}
	return common;
}
