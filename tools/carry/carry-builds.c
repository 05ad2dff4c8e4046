// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
 * @n: how many builds were carried
 * @all, @carried: instructions of them
 */
struct work {
	const struct carry_builds *w;
	struct count_table *table;
	struct elf_file *elf;
	size_t n;
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

/* ---------------------------------------------------------------- a folder of builds */

/* Another build of the program: a file of the same name. */
static bool is_build(const struct work *work, size_t i, size_t own)
{
	const struct count_dso *d = &work->table->dso[i];
	const char *name = own < work->table->n ? work->table->dso[own].name : work->w->binary;

	return i != own && d->kind == DSO_FILE && d->n_block && d->n_build_id &&
	       !strcmp(basename(d->name), basename(name));
}

/* Opens its file; NULL: it is not there, which is reported. */
static struct elf_file *find(struct work *work, struct dso_table *dsos, const struct count_dso *d)
{
	const struct dso_key key = key_of(d);
	const long n = dso_add(dsos, &key);

	if (n > 0 && dso_load(dsos, dsos->dso[n]))
		return dsos->dso[n]->elf;
	log_say(LOG_FILE, "csflow: %s, build-id %s: %s: its counts are not carried\n", d->name,
		build_id_name(d->build_id, d->n_build_id).text,
		n > 0 ? dso_state_name(dsos->dso[n]->state) : strerror(-n));
	work->status = CMD_FAILED;
	return NULL;
}

static void carry_folder(struct work *work, const char *folder)
{
	struct dso_options options = *work->w->dso;
	struct dso_table dsos;

	options.symfs = folder;
	if (dso_table_init(&dsos, &options)) {
		failed(work, folder, strerror(ENOMEM));
		return;
	}
	/* what was carried leaves the table, and all after it move up */
	for (size_t i = 0; i < work->table->n;) {
		struct elf_file *old = NULL;
		const size_t n = work->n;

		if (is_build(work, i, counts_of(work, work->elf)))
			old = find(work, &dsos, &work->table->dso[i]);
		if (old)
			carry_one(work, i, old);
		i = work->n > n ? 0 : i + 1;
	}
	dso_table_fini(&dsos);
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
	for (size_t i = 0; i < w->from->n; i++) {
		const char *path = w->from->value[i];
		struct stat st;

		if (stat(path, &st))
			failed(&work, path, strerror(errno));
		else if (S_ISDIR(st.st_mode))
			carry_folder(&work, path);
		else
			carry_file(&work, path);
	}
	err = sum_up(&work);
	elf_file_close(work.elf);
	return err;
}
