// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the files of dsos: below symfs, in perf's build-id cache, at their original place.  Rejects
 * files with another build-id.
 *
 * Source: the documentation of ~/.debug, --symfs and --vmlinux in perf-buildid-cache(1),
 * perf-archive(1) and perf-script(1).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dso-look.h"
#include "kallsyms.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

const char *dso_state_name(enum dso_state state)
{
	switch (state) {
	case DSO_UNSEEN:
		return "not needed";
	case DSO_FOUND:
		return "found";
	case DSO_UNCHECKED:
		return "found, not checked";
	case DSO_MISSING:
		return "missing";
	case DSO_DIFFERENT:
		return "different";
	case DSO_FOREIGN:
		return "not for Arm";
	case DSO_UNREADABLE:
		return "unreadable";
	case DSO_IN_KCORE:
		return "in kcore";
	case DSO_CHANGED:
		return "changed";
	}
	return "";
}

/* ---------------------------------------------------------------- table */

int dso_table_init(struct dso_table *table, const struct dso_options *options)
{
	*table = (struct dso_table){ .options = *options, .n_hash = 1024 };
	table->hash = calloc(table->n_hash, sizeof(*table->hash));
	return table->hash ? 0 : -ENOMEM;
}

static void dso_free(const struct dso_table *table, struct dso *dso)
{
	if (!dso)
		return;
	if (dso->elf != table->kcore)
		elf_file_close(dso->elf);
	free(dso->name);
	free(dso->path);
	free(dso);
}

void dso_table_fini(struct dso_table *table)
{
	for (size_t i = 1; i <= table->n; i++)
		dso_free(table, table->dso[i]);
	elf_file_close(table->kcore);
	code_changes_free(&table->changes);
	kallsyms_close(table->kallsyms);
	free(table->bad_kcore);
	free(table->bad_second);
	free(table->bad_kallsyms);
	free(table->dso);
	free(table->hash);
	*table = (struct dso_table){ 0 };
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

static bool is_same(const struct dso *dso, const struct dso_key *key)
{
	return dso->kind == key->kind && dso->n_build_id == key->n_build_id &&
	       (!key->n_build_id || !memcmp(dso->build_id, key->build_id, key->n_build_id)) &&
	       !strcmp(dso->name, key->name);
}

static bool grow(struct dso_table *table)
{
	size_t size = table->size ? 2 * table->size : 64;
	struct dso **p = realloc(table->dso, (size + 1) * sizeof(*p));
	uint32_t *hash;

	if (!p)
		return false;
	table->dso = p;
	hash = calloc(4 * size, sizeof(*hash));
	if (!hash)
		return false;
	free(table->hash);
	table->hash = hash;
	table->n_hash = 4 * size;
	table->size = size;
	for (size_t i = 1; i <= table->n; i++) {
		uint32_t *head = &hash[hash_of(p[i]->name) % table->n_hash];

		p[i]->next = *head;
		*head = i;
	}
	return true;
}

long dso_add(struct dso_table *table, const struct dso_key *wanted)
{
	struct dso_key key = *wanted;
	struct dso *dso;
	uint32_t *head;

	if (key.n_build_id > ELF_BUILD_ID_MAX)
		key.n_build_id = ELF_BUILD_ID_MAX;
	head = &table->hash[hash_of(key.name) % table->n_hash];
	for (uint32_t i = *head; i; i = table->dso[i]->next)
		if (is_same(table->dso[i], &key)) {
			table->dso[i]->program |= key.program;
			return i;
		}
	if (table->n == table->size && !grow(table))
		return -ENOMEM;
	dso = calloc(1, sizeof(*dso));
	if (!dso)
		return -ENOMEM;
	dso->name = strdup(key.name);
	if (!dso->name) {
		free(dso);
		return -ENOMEM;
	}
	dso->kind = key.kind;
	dso->program = key.program;
	dso->n_build_id = key.n_build_id;
	if (key.n_build_id)
		memcpy(dso->build_id, key.build_id, key.n_build_id);
	head = &table->hash[hash_of(key.name) % table->n_hash];
	dso->next = *head;
	table->dso[++table->n] = dso;
	if (dso->kind == DSO_KERNEL && !table->kernel)
		table->kernel = dso;
	*head = table->n;
	return table->n;
}

/* ---------------------------------------------------------------- looking */

/*
 * A build-id that was padded with zeros (by simpleperf) equals the shorter one in the file; and one
 * whose last bytes are 0 may have lost them where it was padded before.
 */
static bool same_id(const struct dso *dso, const struct elf_file *elf)
{
	size_t n = dso->n_build_id < elf->n_build_id ? dso->n_build_id : elf->n_build_id;

	if (memcmp(dso->build_id, elf->build_id, n))
		return false;
	for (size_t i = n; i < dso->n_build_id; i++)
		if (dso->build_id[i])
			return false;
	for (size_t i = n; i < elf->n_build_id; i++)
		if (elf->build_id[i])
			return false;
	return true;
}

static const char *base_name(const char *path)
{
	const char *base = strrchr(path, '/');

	return base ? base + 1 : path;
}

/* A file that is not ELF can be code of a process, or saved memory, but not a kernel or module. */
static bool may_be_flat(const struct dso *dso)
{
	if (dso->kind == DSO_MODULE)
		return *dso->name == '/' && !strstr(base_name(dso->name), ".ko");
	return dso->kind == DSO_FILE;
}

enum dso_state dso_judge(const struct dso *dso, const struct elf_file *elf)
{
	if (elf->is_elf && !elf->is_arm)
		return DSO_FOREIGN;
	if (!elf->is_elf && !may_be_flat(dso))
		return DSO_UNREADABLE;
	if (!dso->n_build_id || !elf->n_build_id)
		return DSO_UNCHECKED;
	return same_id(dso, elf) ? DSO_FOUND : DSO_DIFFERENT;
}

/* How much a refused file tells, if no better one is found. */
static int worth(enum dso_state state)
{
	switch (state) {
	case DSO_DIFFERENT:
		return 3;
	case DSO_FOREIGN:
		return 2;
	case DSO_UNREADABLE:
		return 1;
	default:
		return 0;
	}
}

bool dso_take(struct dso *dso, struct elf_file *elf, const char *path, enum dso_state state)
{
	if (state == DSO_FOUND || state == DSO_UNCHECKED || worth(state) > worth(dso->state)) {
		free(dso->path);
		dso->path = strdup(path);
		dso->state = state;
	}
	if (state == DSO_FOUND || state == DSO_UNCHECKED) {
		dso->elf = elf;
		/* in a cache the file has another name */
		if (dso->kind == DSO_FILE)
			elf->name = dso->name;
		return true;
	}
	elf_file_close(elf);
	return false;
}

bool dso_try(struct dso *dso, const char *path, bool forced)
{
	struct elf_file *elf;
	enum dso_state state;
	int err = elf_file_open(&elf, path);

	if (err == -ENOENT || err == -ENOTDIR || err == -EINVAL)
		return false;
	state = err ? DSO_UNREADABLE : dso_judge(dso, elf);
	if (forced && state == DSO_DIFFERENT)
		state = DSO_UNCHECKED;
	return dso_take(dso, elf, path, state);
}

bool dso_try_at(struct dso *dso, const char *format, ...)
{
	char path[4096];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return n > 0 && (size_t)n < sizeof(path) && dso_try(dso, path, false);
}

const char *dso_cache(const struct dso_table *table, char *home, size_t n)
{
	const char *dir = table->options.debug_dir, *h;

	if (!dir)
		dir = getenv("PERF_BUILDID_DIR");
	if (dir)
		return dir;
	h = getenv("HOME");
	return h && snprintf(home, n, "%s/.debug", h) < (int)n ? home : NULL;
}

void dso_hex(char *s, const uint8_t *id, size_t n)
{
	*s = 0;
	for (size_t i = 0; i < n; i++)
		sprintf(s + 2 * i, "%02x", id[i]);
}

/* The cache names its files by build-id; tools differ in whether zeros at the end count. */
static bool try_cache(struct dso_table *table, struct dso *dso)
{
	static const char *const leaf[] = { "elf", "vmlinux", "vdso" };
	char home[4096], id[2 * ELF_BUILD_ID_MAX + 1];
	const char *dir = dso_cache(table, home, sizeof(home));
	size_t n = dso->n_build_id;

	if (!n || !dir)
		return false;
	dso_hex(id, dso->build_id, n);
	for (;;) {
		for (size_t i = 0; i < ARRAY_SIZE(leaf); i++)
			if (dso_try_at(dso, "%s/.build-id/%.2s/%s/%s", dir, id, id + 2, leaf[i]))
				return true;
		/* links to the files themselves, as distributions and debuggers have them */
		if (dso_try_at(dso, "%s/.build-id/%.2s/%s", dir, id, id + 2))
			return true;
		if (n < 2 || dso->build_id[n - 1])
			return false;
		id[2 * --n] = 0;
	}
}

static bool try_names(struct dso_table *table, struct dso *dso)
{
	const char *symfs = table->options.symfs, *base = base_name(dso->name);

	if (!symfs || !*symfs)
		return dso->name[0] == '/' && dso_try_at(dso, "%s", dso->name);
	return dso_try_at(dso, "%s/%s", symfs, dso->name[0] == '/' ? dso->name + 1 : dso->name) ||
	       (*base && dso_try_at(dso, "%s/%s", symfs, base));
}

bool dso_fits(const struct dso_key *key, const struct elf_file *elf)
{
	struct dso dso = { .kind = key->kind, .n_build_id = key->n_build_id };

	if (key->n_build_id)
		memcpy(dso.build_id, key->build_id, key->n_build_id);
	switch (dso_judge(&dso, elf)) {
	case DSO_FOUND:
		return true;
	case DSO_UNCHECKED:
		return !strcmp(base_name(key->name), base_name(elf->path));
	default:
		return false;
	}
}

static struct {
	char **path;
	size_t n, size;
} offers;

bool dso_offer(const char *path)
{
	if (!array_room(&offers.path, offers.n, &offers.size, sizeof(*offers.path)))
		return false;
	offers.path[offers.n] = strdup(path);
	if (!offers.path[offers.n])
		return false;
	offers.n++;
	return true;
}

/* People see the name that the recording has. */
static bool try_offers(struct dso *dso)
{
	for (size_t i = 0; i < offers.n && dso->n_build_id; i++) {
		char *name = strdup(dso->name);
		struct elf_file *elf;

		if (name && !elf_file_open(&elf, offers.path[i])) {
			if (dso_judge(dso, elf) == DSO_FOUND) {
				free(elf->path);
				elf->path = name;
				return dso_take(dso, elf, name, DSO_FOUND);
			}
			elf_file_close(elf);
		}
		free(name);
	}
	return false;
}

static bool try_given(struct dso_table *table, struct dso *dso)
{
	const struct dso_key key = { .name = dso->name, .kind = dso->kind,
				     .build_id = dso->build_id, .n_build_id = dso->n_build_id };

	for (size_t i = 0; i < table->options.n_given; i++) {
		const char *path = table->options.given[i];
		struct elf_file *elf;

		if (elf_file_open(&elf, path))
			continue;
		if (dso_fits(&key, elf))
			return dso_take(dso, elf, path, dso_judge(dso, elf));
		elf_file_close(elf);
	}
	return false;
}

static bool look_here(struct dso_table *table, struct dso *dso)
{
	if (dso->kind != DSO_NONE && dso->kind != DSO_SYMBOL &&
	    (try_given(table, dso) || try_offers(dso)))
		return true;
	if (dso->kind == DSO_KERNEL)
		return dso_look_kernel(table, dso) || try_cache(table, dso) ||
		       dso_look_vmlinux(table, dso) || dso_take_kcore(table, dso);
	if (dso->kind == DSO_MODULE && *dso->name == '[')
		return try_cache(table, dso) || dso_look_module(table, dso);
	if (dso->kind == DSO_NONE || dso->kind == DSO_SYMBOL)
		return false;
	if (!strcmp(dso->name, "[vdso]"))
		return try_cache(table, dso) || try_names(table, dso) || dso_look_vdso(table, dso);
	/* files that the user gave come first, then the cache, then files that happen to be here */
	if (table->options.symfs)
		return try_names(table, dso) || try_cache(table, dso);
	return try_cache(table, dso) || try_names(table, dso);
}

static bool look(struct dso_table *table, struct dso *dso)
{
	const char *symfs = table->options.symfs;

	if (look_here(table, dso))
		return true;
	if (dso->kind == DSO_NONE || dso->kind == DSO_SYMBOL)
		return false;
	if (symfs && *symfs && dso_try_below(dso, symfs))
		return true;
	return table->options.debuginfod && dso_try_debuginfod(dso);
}

bool dso_load(struct dso_table *table, struct dso *dso)
{
	if (dso->state == DSO_UNSEEN) {
		dso->state = DSO_MISSING;
		if (!look(table, dso) && dso->kind == DSO_MODULE && dso_kcore(table))
			dso->state = DSO_IN_KCORE;
	}
	return dso->elf;
}

static bool kernel_symbol(struct dso_table *table, const struct dso_place *place,
			  struct elf_symbol *symbol)
{
	const enum dso_kind kind = place->dso->kind;

	if ((kind != DSO_KERNEL && kind != DSO_MODULE) ||
	    !dso_kernel_symbol(table, place->run, symbol))
		return false;
	symbol->addr += place->addr - place->run;
	return true;
}

bool dso_symbol(struct dso_table *table, const struct dso_place *place, struct elf_symbol *symbol)
{
	struct elf_symbol made;

	if (!place->in_file || !elf_file_symbol(place->dso->elf, place->addr, &made))
		return kernel_symbol(table, place, symbol);
	if (!made.made || !kernel_symbol(table, place, symbol))
		*symbol = made;
	return true;
}
