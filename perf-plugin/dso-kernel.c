// SPDX-License-Identifier: GPL-2.0-only
/*
 * The places of the kernel's code: vmlinux, an image of the kernel's memory, modules, the vDSO; and
 * the names of its functions.
 *
 * Source: the documentation of perf-record(1), "--kcore", and perf-buildid-cache(1); depmod(8) for
 * modules.dep.
 */
#define _GNU_SOURCE	/* getline() */
#include <dirent.h>
#include <errno.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "dso-look.h"
#include "kallsyms.h"

/* No vDSO is larger. */
#define VDSO_MAX	65536

static const char *root_of(const struct dso_table *table)
{
	return table->options.symfs ? table->options.symfs : "";
}

/* ---------------------------------------------------------------- kernel */

static bool open_kcore(struct dso_table *table, const char *path)
{
	struct elf_file *elf;

	if (elf_file_open(&elf, path))
		return false;
	if (elf->is_core && elf->is_arm)
		table->kcore = elf;
	else
		elf_file_close(elf);
	return table->kcore;
}

__attribute__((format(printf, 2, 3)))
static bool kcore_at(struct dso_table *table, const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return n > 0 && n < (int)sizeof(path) && open_kcore(table, path);
}

/* perf buildid-cache -k: [kernel.kcore]/BUILD-ID/DATE/kcore, the latest of them */
static bool cached_kcore(struct dso_table *table, const struct dso *dso)
{
	char home[4096], dir[PATH_MAX], id[2 * ELF_BUILD_ID_MAX + 1];
	const char *cache = dso_cache(table, home, sizeof(home));
	struct dirent **entry;
	bool found = false;
	int n;

	if (!cache || !dso || !dso->n_build_id)
		return false;
	dso_hex(id, dso->build_id, dso->n_build_id);
	if (snprintf(dir, sizeof(dir), "%s/[kernel.kcore]/%s", cache, id) >= (int)sizeof(dir))
		return false;
	n = scandir(dir, &entry, NULL, alphasort);
	while (n-- > 0) {
		if (!found && entry[n]->d_name[0] != '.')
			found = kcore_at(table, "%s/%s/kcore", dir, entry[n]->d_name);
		free(entry[n]);
	}
	if (n >= -1)
		free(entry);
	return found;
}

static void look_for_kcore(struct dso_table *table)
{
	const struct dso_options *options = &table->options;

	if (options->kcore) {
		if (!open_kcore(table, options->kcore))
			dso_refuse_kcore(table, options->kcore, "no image of a kernel's memory");
		return;
	}
	if (!options->recording || !kcore_at(table, "%s/kcore_dir/kcore", options->recording))
		cached_kcore(table, table->kernel);
}

void dso_refuse_kcore(struct dso_table *table, const char *path, const char *why)
{
	if (!table->bad_kcore)
		table->bad_kcore = strdup(path);
	table->kcore_problem = why;
}

const struct elf_file *dso_kcore(struct dso_table *table)
{
	if (!table->asked)
		look_for_kcore(table);
	table->asked = true;
	return table->bad_kcore ? NULL : table->kcore;
}

/* Return: it could be done. */
static bool compare(struct dso_table *table, const struct elf_file *before)
{
	char path[PATH_MAX];
	const int err = code_changes_read(&table->changes, before, table->options.recording, path);

	if (!err && *path && !table->changes.compared)
		table->bad_second = strdup(path);
	return !err;
}

const struct code_changes *dso_changes(struct dso_table *table)
{
	const struct elf_file *before = dso_kcore(table);

	if (before && !table->compared && table->options.recording && !table->options.kcore &&
	    !compare(table, before))
		return NULL;
	table->compared = true;
	return &table->changes;
}

long dso_add_changed(struct dso_table *table)
{
	const struct dso_key key = { .name = "[kernel code that changed]", .kind = DSO_NONE };
	const long n = dso_add(table, &key);

	if (n > 0)
		table->dso[n]->state = DSO_CHANGED;
	return n;
}

bool dso_look_kernel(struct dso_table *table, struct dso *dso)
{
	const char *vmlinux = table->options.vmlinux;

	return vmlinux && dso_try(dso, vmlinux, true);
}

/* The image of the memory is all that there is of the kernel. */
bool dso_take_kcore(struct dso_table *table, struct dso *dso)
{
	const struct dso_options *options = &table->options;

	if (!dso_kcore(table))
		return false;
	free(dso->path);
	dso->path = strdup(table->kcore->path);
	dso->elf = table->kcore;
	/* it was there during the recording */
	dso->state = options->recording && !options->kcore ? DSO_FOUND : DSO_UNCHECKED;
	return true;
}

bool dso_look_vmlinux(struct dso_table *table, struct dso *dso)
{
	const char *root = root_of(table), *r = table->options.release;

	/* without a build-id to check, a kernel found here is not taken for the recorded one */
	if (!dso->n_build_id)
		return false;
	if (dso_try_at(dso, "%s/boot/vmlinux", root) || dso_try_at(dso, "%s/vmlinux", root))
		return true;
	return r && (dso_try_at(dso, "%s/usr/lib/debug/boot/vmlinux-%s", root, r) ||
		     dso_try_at(dso, "%s/usr/lib/debug/lib/modules/%s/vmlinux", root, r) ||
		     dso_try_at(dso, "%s/boot/vmlinux-%s", root, r) ||
		     dso_try_at(dso, "%s/lib/modules/%s/build/vmlinux", root, r));
}

/* ---------------------------------------------------------------- modules */

/* '-' and '_' are the same in names of modules; both have @n characters. */
static bool same_name(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] && !(strchr("-_", a[i]) && strchr("-_", b[i])))
			return false;
	return true;
}

/*
 * "kernel/net/netfilter/nf_tables.ko: others": is it that module?  If so, cuts the line after the
 * path.
 */
static bool is_module(char *line, const char *name, size_t n)
{
	char *end = strchr(line, ':'), *base;

	if (!end)
		return false;
	*end = 0;
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	return strlen(base) > n && same_name(base, name, n) && !strncmp(base + n, ".ko", 3) &&
	       !strstr(line, "..");
}

bool dso_look_module(struct dso_table *table, struct dso *dso)
{
	const char *root = root_of(table), *release = table->options.release;
	const char *name = dso->name + 1;
	size_t n = strcspn(name, "]"), size = 0;
	char path[PATH_MAX], *line = NULL;
	bool found = false;
	FILE *f;

	if (!release || !n || snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root,
				       release) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) > 0)
		if (is_module(line, name, n))
			found = dso_try_at(dso, "%s/lib/modules/%s/%s", root, release, line);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* ---------------------------------------------------------------- names */

__attribute__((format(printf, 2, 3)))
static bool open_at(struct dso_table *table, const char *format, ...)
{
	struct kallsyms_problem problem;
	char path[PATH_MAX];
	va_list ap;
	int n, err;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (n <= 0 || n >= (int)sizeof(path))
		return false;
	err = kallsyms_open(&table->kallsyms, path, &problem);
	/* the running kernel shows its addresses only to privileged users */
	if (err == -EINVAL && strcmp(path, "/proc/kallsyms") && !table->bad_kallsyms) {
		table->bad_kallsyms = strdup(path);
		table->kallsyms_problem = problem;
	}
	return !err;
}

/* The build-id of the running kernel is in its notes. */
static bool runs_here(const struct dso *kernel)
{
	struct elf_note {
		uint32_t namesz, descsz, type;
		uint8_t name[4], desc[ELF_BUILD_ID_MAX];
	} note;
	uint8_t notes[4096];
	FILE *f = fopen("/sys/kernel/notes", "re");
	size_t n = f ? fread(notes, 1, sizeof(notes), f) : 0;

	if (f)
		fclose(f);
	for (size_t i = 0; i + sizeof(note) <= n; i += 4) {
		memcpy(&note, notes + i, sizeof(note));
		if (note.type == NT_GNU_BUILD_ID && note.namesz == 4 &&
		    note.descsz == kernel->n_build_id && note.descsz == ELF_BUILD_ID_MAX &&
		    !memcmp(note.name, "GNU", 4))
			return !memcmp(note.desc, kernel->build_id, note.descsz);
	}
	return false;
}

static void look_for_kallsyms(struct dso_table *table)
{
	const struct dso_options *options = &table->options;
	const struct dso *kernel = table->kernel;
	char home[4096], id[2 * ELF_BUILD_ID_MAX + 1];
	const char *cache = dso_cache(table, home, sizeof(home));

	if (options->kallsyms) {
		open_at(table, "%s", options->kallsyms);
		return;
	}
	if (options->recording && open_at(table, "%s/kcore_dir/kallsyms", options->recording))
		return;
	if (!kernel || !kernel->n_build_id)
		return;
	dso_hex(id, kernel->build_id, kernel->n_build_id);
	if (cache && (open_at(table, "%s/.build-id/%.2s/%s/kallsyms", cache, id, id + 2) ||
		      open_at(table, "%s/[kernel.kallsyms]/%s/kallsyms", cache, id)))
		return;
	if (runs_here(kernel))
		open_at(table, "/proc/kallsyms");
}

/* Return: there are some. */
static bool names_of(struct dso_table *table)
{
	if (!table->looked)
		look_for_kallsyms(table);
	table->looked = true;
	return table->kallsyms;
}

bool dso_kernel_symbol(struct dso_table *table, uint64_t addr, struct elf_symbol *symbol)
{
	return names_of(table) && kallsyms_find(table->kallsyms, addr, symbol);
}

/* ---------------------------------------------------------------- vDSO */

/*
 * Takes the vDSO that begins at @bytes, of which @n may be read.  @unchecked: the state of one that
 * has no build-id to compare with.
 */
static bool take_vdso(struct dso *dso, const uint8_t *bytes, uint64_t n, const char *path,
		      enum dso_state unchecked)
{
	struct elf_file *elf;
	enum dso_state state;
	Elf64_Ehdr eh;
	uint64_t size;

	if (n < sizeof(eh))
		return false;
	memcpy(&eh, bytes, sizeof(eh));
	/* the table of sections comes last */
	size = eh.e_shoff + (uint64_t)eh.e_shnum * eh.e_shentsize;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_shoff > n || size > n || elf_file_copy(&elf, bytes, size))
		return false;
	state = dso_judge(dso, elf);
	if (state == DSO_UNCHECKED)
		state = unchecked;
	/* if it is another one, that is not reported: none is expected here */
	if (state == DSO_FOUND || state == DSO_UNCHECKED)
		return dso_take(dso, elf, path, state);
	elf_file_close(elf);
	return false;
}

/* The kernel's own copy, which all programs have mapped: as it was changed when it booted. */
static bool vdso_in_memory(struct dso_table *table, struct dso *dso)
{
	const struct dso_options *options = &table->options;
	const struct elf_file *core = dso_kcore(table);
	const uint64_t addr = core && names_of(table) ? kallsyms_vdso(table->kallsyms) : 0;
	const struct elf_segment *s = addr ? elf_segment_find(core, addr) : NULL;
	const uint64_t in = s ? addr - s->addr : 0;

	return s && take_vdso(dso, core->bytes + s->offset + in, s->size - in, core->path,
			      options->recording && !options->kcore ? DSO_FOUND : DSO_UNCHECKED);
}

/* perf of Linux 7.2 records no build-id; csflow vm keeps the vDSO by the kernel's release. */
static bool cached_vdso(struct dso_table *table, struct dso *dso)
{
	char home[4096];
	const char *cache = dso_cache(table, home, sizeof(home));
	const char *release = table->options.release;

	return !dso->n_build_id && cache && release && !strchr(release, '/') &&
	       dso_try_at(dso, "%s/[vdso]/%s/vdso", cache, release);
}

/* The state of a vDSO without build-id, if it is that of this machine */
static enum dso_state state_here(const struct dso_table *table)
{
	const char *release = table->options.release;
	struct utsname here;

	if (table->kernel && table->kernel->n_build_id)
		return runs_here(table->kernel) ? DSO_FOUND : DSO_DIFFERENT;
	return release && !uname(&here) && !strcmp(here.release, release) ? DSO_UNCHECKED :
	       DSO_DIFFERENT;
}

bool dso_look_vdso(struct dso_table *table, struct dso *dso)
{
	const uint8_t *own = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	return vdso_in_memory(table, dso) || cached_vdso(table, dso) ||
	       (own && take_vdso(dso, own, VDSO_MAX, "[vdso] of this machine",
				 state_here(table)));
}

/* ---------------------------------------------------------------- places in memory */

/* "coresight 90112 1 csflow_ete, Live 0xffff80007a267000": its address, if it is that module */
static bool read_module(char *line, const char *name, size_t n, uint64_t *addr)
{
	const char *at = strstr(line, " 0x");

	if (!at || strcspn(line, " ") != n || !same_name(line, name, n))
		return false;
	*addr = strtoull(at, NULL, 16);
	return *addr;
}

static bool module_addr(const struct dso_table *table, const struct dso *dso, uint64_t *addr)
{
	const char *name = strrchr(dso->name, '/'), *dir = table->options.recording;
	char path[PATH_MAX], *line = NULL;
	bool found = false;
	size_t size = 0, n;
	FILE *f;

	if (!dir || snprintf(path, sizeof(path), "%s/kcore_dir/modules", dir) >= (int)sizeof(path))
		return false;
	name = name ? name + 1 : dso->name;
	name += *name == '[';
	n = strcspn(name, "].");
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) > 0)
		found = read_module(line, name, n, addr);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool kernel_distance(struct dso_table *table, struct dso *dso, uint64_t *distance)
{
	uint64_t linked, ran;

	*distance = 0;
	if (!dso_load(table, dso) || dso->elf->is_core)
		return dso->elf;
	if (!names_of(table) || !kallsyms_address(table->kallsyms, "_text", &ran) ||
	    !elf_file_address(dso->elf, "_text", &linked))
		return false;
	*distance = ran - linked;
	return true;
}

const struct elf_file *dso_memory(struct dso_table *table, struct dso *dso, uint64_t *distance)
{
	const struct elf_file *core = dso_kcore(table);

	if (core && !dso->placed) {
		dso->placed = true;
		dso->in_memory = dso->kind == DSO_KERNEL ?
			kernel_distance(table, dso, &dso->distance) :
			dso->kind == DSO_MODULE && module_addr(table, dso, &dso->distance);
	}
	*distance = dso->distance;
	return dso->in_memory ? core : NULL;
}
