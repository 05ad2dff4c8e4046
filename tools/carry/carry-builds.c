// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../perf-plugin/array.h"
#include "../lib/build-id.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/ratio.h"
#include "../lib/status.h"
#include "carry-builds.h"
#include "carry.h"

/**
 * struct work - the state
 * @elf: the new build
 * @seen: @n_seen builds that were looked for in folders
 * @n: how many builds were carried
 * @all, @carried: instructions of them
 */
struct work {
	const struct carry_builds *w;
	struct count_table *table;
	struct elf_file *elf;
	struct build_id *seen;
	size_t n_seen, size_seen, n;
	uint64_t all, carried;
	int status;
};

static void failed(struct work *work, const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	work->status = CMD_FAILED;
}

static const char *why_not(int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		return "counts are carried between programs and libraries for AArch64 only";
	case -ENODATA:
		return "no symbols in this build or in the new one: install its debug file";
	default:
		return strerror(-err);
	}
}

static struct dso_key key_of(const struct count_dso *d)
{
	return (struct dso_key){ .name = d->name, .kind = d->kind, .build_id = d->build_id,
				 .n_build_id = d->n_build_id };
}

/* ---------------------------------------------------------------- what was carried */

/* Hundredths, rounded down: 100.00 % is all of it. */
static void say_share(uint64_t carried, uint64_t all)
{
	const uint64_t share = ratio_of(carried, 10000, all);

	log_say(LOG_NOTE, "%" PRIu64 ".%02" PRIu64 " %% of %" PRIu64 " instructions", share / 100,
		share % 100, all);
}

static int by_loss(const void *p, const void *q)
{
	const struct carried_function *a = p, *b = q;
	const uint64_t x = a->all - a->carried, y = b->all - b->carried;

	return x != y ? (x > y ? -1 : 1) : strcmp(a->name, b->name);
}

static void say_functions(struct carry *c)
{
	if (c->n_function)
		qsort(c->function, c->n_function, sizeof(*c->function), by_loss);
	for (size_t i = 0; i < c->n_function; i++) {
		const struct carried_function *f = &c->function[i];
		struct elf_symbol symbol;

		if (f->all == f->carried)
			break;
		log_say(LOG_NOTE, "csflow:   %s: ", elf_file_symbol(c->elf[0], f->addr, &symbol) ?
			symbol.name : f->name);
		say_share(f->carried, f->all);
		if (!f->other)
			log_say(LOG_NOTE, ", not in the new build");
		else if (strncmp(f->name, f->other, strcspn(f->name, ".") + 1))
			log_say(LOG_NOTE, ", now %s", f->other);
		log_say(LOG_NOTE, "\n");
	}
}

/* ---------------------------------------------------------------- one build */

static void carry_one(struct work *work, size_t from, struct elf_file *old)
{
	const struct count_dso *dso = &work->table->dso[from];
	const struct dso_key key = { .name = work->elf->path, .kind = DSO_FILE,
				     .build_id = work->elf->build_id,
				     .n_build_id = work->elf->n_build_id, .program = dso->program };
	struct carry c = { .table = work->table, .from = from, .elf = { old, work->elf } };
	const struct build_id id = build_id_name(dso->build_id, dso->n_build_id);
	int err = carry(&c, &key);

	if (err) {
		failed(work, old->path, why_not(err));
		carry_fini(&c);
		return;
	}
	work->n++;
	work->all = count_sum(work->all, c.all);
	work->carried = count_sum(work->carried, c.carried);
	if (!work->w->quiet) {
		log_say(LOG_NOTE, "csflow: %s, build-id %s: ", old->path, id.text);
		say_share(c.carried, c.all);
		log_say(LOG_NOTE, " carried to %s\n", work->w->binary);
		if (work->w->functions)
			say_functions(&c);
	}
	carry_fini(&c);
}

/* The counts of a file: their index; table->n: none. */
static size_t counts_of(const struct work *work, const struct elf_file *elf)
{
	size_t i = 0;

	for (; i < work->table->n; i++) {
		const struct count_dso *d = &work->table->dso[i];
		const struct dso_key key = key_of(d);

		if (d->kind == DSO_FILE && d->n_block && dso_fits(&key, elf))
			break;
	}
	return i;
}

static void carry_file(struct work *work, const char *path)
{
	struct elf_file *old = NULL;
	int err = elf_file_open(&old, path);
	size_t from;

	if (err) {
		failed(work, path, file_elf_words(path, err));
		return;
	}
	from = counts_of(work, old);
	if (from < work->table->n && from != counts_of(work, work->elf))
		carry_one(work, from, old);
	else if (from == work->table->n)
		failed(work, path, "nothing of this build ran: it has no counts to carry");
	elf_file_close(old);
}

/* ---------------------------------------------------------------- folders of builds */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Another build of the program: a file of the same name. */
static bool is_build(const struct work *work, size_t i, size_t own)
{
	const struct count_dso *d = &work->table->dso[i];
	const char *name = own < work->table->n ? work->table->dso[own].name : work->w->binary;

	return i != own && d->kind == DSO_FILE && d->n_block && d->n_build_id &&
	       !strcmp(basename(d->name), basename(name));
}

/* Return: the folder has build @i, which is carried, or an error is reported; if not, @why not. */
static bool carry_from(struct work *work, size_t i, const char *folder, const char **why)
{
	const struct dso_key key = key_of(&work->table->dso[i]);
	struct dso_options options = *work->w->dso;
	struct dso_table dsos;
	bool there;
	long n;

	options.symfs = folder;
	*why = strerror(ENOMEM);
	if (dso_table_init(&dsos, &options))
		return false;
	n = dso_add(&dsos, &key);
	there = n > 0 && dso_load(&dsos, dsos.dso[n]);
	if (there)
		carry_one(work, i, dsos.dso[n]->elf);
	else if (n > 0)
		*why = dso_state_name(dsos.dso[n]->state);
	dso_table_fini(&dsos);
	return there;
}

/* Carries build @i from the first folder that has it. */
static void carry_build(struct work *work, size_t i)
{
	const struct count_dso *d = &work->table->dso[i];
	const struct opt_list *from = work->w->from;
	const char *why = NULL;

	for (size_t k = 0; k < from->n; k++)
		if (is_folder(from->value[k]) && carry_from(work, i, from->value[k], &why))
			return;
	/* without a folder only files are carried */
	if (!why)
		return;
	log_say(LOG_FILE, "csflow: %s, build-id %s: %s: its counts are not carried\n", d->name,
		build_id_name(d->build_id, d->n_build_id).text, why);
	work->status = CMD_FAILED;
}

/* Was this build looked for before?  If not, it is from now on. */
static bool was_seen(struct work *work, const struct count_dso *d)
{
	const struct build_id id = build_id_name(d->build_id, d->n_build_id);

	for (size_t i = 0; i < work->n_seen; i++)
		if (!strcmp(work->seen[i].text, id.text))
			return true;
	if (!array_room(&work->seen, work->n_seen, &work->size_seen, sizeof(id))) {
		failed(work, d->name, strerror(ENOMEM));
		return true;
	}
	work->seen[work->n_seen++] = id;
	return false;
}

static void carry_folders(struct work *work)
{
	size_t i = 0;

	while (i < work->table->n) {
		if (is_build(work, i, counts_of(work, work->elf)) &&
		    !was_seen(work, &work->table->dso[i])) {
			carry_build(work, i);
			/* it left the table, in which the others have other numbers now */
			i = 0;
			continue;
		}
		i++;
	}
}

/* ---------------------------------------------------------------- all of them */

static int sum_up(struct work *work)
{
	if (!work->n) {
		log_say(LOG_EMPTY, "csflow: %s: no other build of it ran: nothing is carried\n",
			work->w->binary);
		return CMD_FAILED;
	}
	if (work->n > 1 && !work->w->quiet) {
		log_say(LOG_NOTE, "csflow: %zu builds: ", work->n);
		say_share(work->carried, work->all);
		log_say(LOG_NOTE, " carried\n");
	}
	if (work->status || ratio_of(work->carried, 10000, work->all) >= 100 * work->w->least)
		return work->status;
	log_say(LOG_NOTE, "csflow: quality: carried is ");
	say_share(work->carried, work->all);
	log_say(LOG_NOTE, ", less than %" PRIu64 " %%: record the new build\n", work->w->least);
	return CMD_POOR;
}

int carry_builds(struct count_table *table, const struct carry_builds *w)
{
	struct work work = { .w = w, .table = table };
	int err = elf_file_open(&work.elf, w->binary);

	if (err) {
		failed(&work, w->binary, file_elf_words(w->binary, err));
		return CMD_FAILED;
	}
	for (size_t i = 0; i < w->from->n; i++)
		if (!is_folder(w->from->value[i]))
			carry_file(&work, w->from->value[i]);
	carry_folders(&work);
	err = sum_up(&work);
	free(work.seen);
	elf_file_close(work.elf);
	return err;
}
