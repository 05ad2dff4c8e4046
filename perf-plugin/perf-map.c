// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes are kept as chains, newest first: a thread or process number is used again, a name
 * changes, a map covers another.  A question walks back to what was true at its time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "array.h"
#include "jitdump.h"
#include "map-parts.h"

#define KERNEL_PID	UINT32_MAX
/* Maximum length of the name of a kernel symbol, with room to spare. */
#define KSYM_MAX	512

uint32_t map_grow(void **array, size_t *n, size_t *size, size_t element)
{
	if (*n >= UINT32_MAX - 1)
		return 0;
	if (*n + 1 >= *size) {
		size_t more = *size ? 2 * *size : 64;
		void *p = realloc(*array, more * element);

		if (!p)
			return 0;
		*array = p;
		*size = more;
	}
	memset((char *)*array + (*n + 1) * element, 0, element);
	return ++*n;
}

int perf_map_new(struct perf_map **out, struct csf_image *image,
		 const struct dso_options *options)
{
	struct perf_map *map = calloc(1, sizeof(*map));

	*out = NULL;
	if (!map)
		return -ENOMEM;
	map->by_tid = calloc(N_HASH, sizeof(*map->by_tid));
	map->by_pid = calloc(N_HASH, sizeof(*map->by_pid));
	map->kernel = ADD(map, space);
	if (!map->by_tid || !map->by_pid || !map->kernel ||
	    perf_code_init(&map->code, image, options)) {
		perf_map_free(map);
		return -ENOMEM;
	}
	*out = map;
	return 0;
}

void perf_map_free(struct perf_map *map)
{
	if (!map)
		return;
	perf_jit_fini(&map->jit);
	if (map->code.image)
		perf_code_fini(&map->code);
	free(map->comm);
	free(map->thread);
	free(map->process);
	free(map->space);
	free(map->mmap);
	free(map->by_tid);
	free(map->by_pid);
	free(map->build_id);
	perf_namespaces_fini(&map->namespaces);
	perf_bpf_fini(&map->bpf);
	free(map);
}

/* ---------------------------------------------------------------- maps */

static int by_name(const void *a, const void *b)
{
	const struct perf_build_id *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_build_ids(struct perf_map *map, const struct perf_file *file)
{
	struct perf_build_id entry;
	uint64_t pos = 0;

	while (perf_file_build_id(file, &pos, &entry)) {
		if (!array_next(&map->build_id, map->n_build_id, sizeof(*map->build_id)))
			return -ENOMEM;
		map->build_id[map->n_build_id++] = entry;
	}
	if (map->n_build_id)
		qsort(map->build_id, map->n_build_id, sizeof(*map->build_id), by_name);
	return 0;
}

void map_build_id(const struct perf_map *map, struct dso_key *key)
{
	const struct perf_build_id wanted = { .name = key->name };
	const struct perf_build_id *found = NULL;

	if (map->n_build_id)
		found = bsearch(&wanted, map->build_id, map->n_build_id, sizeof(wanted), by_name);
	if (found) {
		key->build_id = found->id;
		key->n_build_id = found->size;
	}
}

#define KALLSYMS "[kernel.kallsyms]"

static enum dso_kind kind_of(const struct perf_mmap *m)
{
	size_t n = strlen(m->name);

	if (m->pid == KERNEL_PID)
		return strncmp(m->name, KALLSYMS, strlen(KALLSYMS)) ? DSO_MODULE : DSO_KERNEL;
	if (!strcmp(m->name, "//anon") || !strncmp(m->name, "[stack", 6) ||
	    !strcmp(m->name, "[heap]") || !strncmp(m->name, "anon_inode:", 11) ||
	    !strncmp(m->name, "/dev/", 5) || !strncmp(m->name, "/memfd:", 7) ||
	    !strncmp(m->name, "/SYSV", 5) ||
	    (n > 10 && !strcmp(m->name + n - 10, " (deleted)")))
		return DSO_NONE;
	return DSO_FILE;
}

/* Makes @as the newest map of @space. */
static int enter_map(struct perf_map *map, uint32_t space, const struct map_mmap *as)
{
	uint32_t i = ADD(map, mmap);

	if (!i)
		return -ENOMEM;
	map->mmap[i] = *as;
	map->mmap[i].older = map->space[space].mmap;
	map->space[space].mmap = i;
	return 0;
}

static int made(struct perf_map *map, const struct perf_jit_code *code)
{
	const struct map_mmap as = { .from = code->time, .addr = code->addr, .n = code->size,
				     .offset = code->offset, .dso = code->dso };
	uint32_t process = map_process_of(map, code->pid);

	if (!process || !map_thread_of(map, code->pid, code->tid))
		return -ENOMEM;
	return code->size ? enter_map(map, map->process[process].space, &as) : 0;
}

/*
 * A jitdump is mapped to be found, not to be executed.  Memory without a file has the code in the
 * jitdump, even after a change of protection, which looks like a new map.
 */
static bool is_of_jit(const struct perf_map *map, const struct perf_mmap *m, enum dso_kind kind)
{
	uint32_t pid;

	return jitdump_name(m->name, &pid) ||
		(kind == DSO_NONE && perf_jit_has(&map->jit, m->pid));
}

/*
 * Nothing is mapped there yet, and nothing was copied from a parent: the next map is the program.
 */
static bool begins(const struct perf_map *map, uint32_t space)
{
	return !map->space[space].mmap && !map->space[space].parent;
}

static int mapped(struct perf_map *map, const struct perf_mmap *m, uint64_t time)
{
	struct dso_key key = { .name = m->name, .build_id = m->build_id,
			       .n_build_id = m->n_build_id, .kind = kind_of(m) };
	struct map_mmap as = { .from = time, .addr = m->addr, .n = m->len, .offset = m->pgoff };
	uint32_t space = map->kernel, process;
	long dso;

	if (!(m->prot & PROT_EXEC) || !*m->name || !m->len || is_of_jit(map, m, key.kind))
		return 0;
	if (key.kind == DSO_KERNEL) {
		as.symbol = m->name + strlen(KALLSYMS);
		key.name = KALLSYMS;
	}
	if (!key.n_build_id)
		map_build_id(map, &key);
	dso = dso_add(&map->code.dsos, &key);
	if (m->pid != KERNEL_PID) {
		process = map_process_of(map, m->pid);
		if (!process || !map_thread_of(map, m->pid, m->tid))
			return -ENOMEM;
		space = map->process[process].space;
	}
	as.dso = dso;
	if (dso > 0 && key.kind == DSO_FILE && begins(map, space))
		map->code.dsos.dso[dso]->program = true;
	return dso < 0 ? -ENOMEM : enter_map(map, space, &as);
}

/* Code that the kernel made, whose bytes are in a feature section. */
static int enter_bytes(struct perf_map *map, const struct map_mmap *symbol)
{
	struct map_mmap as = *symbol;

	as.poked = perf_bpf_find(&map->bpf, symbol->addr, symbol->n);
	return as.poked ? enter_map(map, map->kernel, &as) : 0;
}

/* Code that the kernel made or removed: usually only this name is known. */
static int named_code(struct perf_map *map, const struct perf_ksymbol *symbol, uint64_t time)
{
	struct map_mmap as = { .from = time, .addr = symbol->addr, .n = symbol->len };
	char gone[KSYM_MAX + 8];
	struct dso_key key = { .name = symbol->name, .kind = DSO_SYMBOL };
	long dso;

	if (!symbol->len || !*symbol->name)
		return 0;
	if (symbol->gone) {
		snprintf(gone, sizeof(gone), "%.*s (gone)", KSYM_MAX, symbol->name);
		key.name = gone;
	}
	map->n_symbol += !symbol->gone;
	dso = dso_add(&map->code.dsos, &key);
	as.dso = dso;
	if (dso < 0 || enter_map(map, map->kernel, &as))
		return -ENOMEM;
	return symbol->gone ? 0 : enter_bytes(map, &as);
}

static int poked(struct perf_map *map, const struct perf_text_poke *poke, uint64_t time)
{
	const struct dso_key nobody = { .name = "[text poke]", .kind = DSO_SYMBOL };
	struct map_mmap as = { .from = time, .addr = poke->addr, .n = poke->new_len,
			       .offset = poke->old_len, .poked = poke->old_bytes };
	long dso = dso_add(&map->code.dsos, &nobody);

	map->n_poke++;
	as.dso = dso;
	return dso < 0 ? -ENOMEM : enter_map(map, map->kernel, &as);
}

/* Records of the kernel's own code, and of the namespaces of processes. */
static int kernel_record(struct perf_map *map, const struct perf_record *record, uint64_t time)
{
	struct perf_ksymbol symbol;
	struct perf_text_poke poke;

	switch (record->type) {
	case PERF_RECORD_KSYMBOL:
		return perf_record_ksymbol(record, &symbol) ? named_code(map, &symbol, time) : 0;
	case PERF_RECORD_TEXT_POKE:
		return perf_record_text_poke(record, &poke) ? poked(map, &poke, time) : 0;
	case PERF_RECORD_NAMESPACES:
		return perf_namespaces_add(&map->namespaces, record);
	default:
		return 0;
	}
}

/*
 * perf writes a FORK with this flag for each process that is running already; the maps of these
 * processes follow.
 */
#define FORK_EXEC	0x2000

int perf_map_record(struct perf_map *map, const struct perf_record *record, uint64_t time)
{
	struct perf_mmap m;
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return perf_record_mmap(record, &m) ? mapped(map, &m, time) : 0;
	case PERF_RECORD_COMM:
		return perf_record_task(record, &task) ? map_named(map, &task, time) : 0;
	case PERF_RECORD_FORK:
		if (!perf_record_task(record, &task))
			return 0;
		return map_forked(map, &task, record->misc & FORK_EXEC, time);
	case PERF_RECORD_ITRACE_START:
		if (!perf_record_task(record, &task))
			return 0;
		return map_thread_of(map, task.pid, task.tid) ? 0 : -ENOMEM;
	default:
		return kernel_record(map, record, time);
	}
}

#define KINDS	(PERF_KIND(PERF_RECORD_MMAP) | PERF_KIND(PERF_RECORD_MMAP2) |	\
		 PERF_KIND(PERF_RECORD_COMM) | PERF_KIND(PERF_RECORD_FORK) |	\
		 PERF_KIND(PERF_RECORD_ITRACE_START) | PERF_KIND(PERF_RECORD_KSYMBOL) |	\
		 PERF_KIND(PERF_RECORD_TEXT_POKE) | PERF_KIND(PERF_RECORD_NAMESPACES))

/* Enters the code of jitdumps that appears before @time, from number *@next on. */
static int made_before(struct perf_map *map, size_t *next, uint64_t time)
{
	int err = 0;

	while (!err && *next < map->jit.n && map->jit.code[*next].time < time)
		err = made(map, &map->jit.code[(*next)++]);
	return err;
}

int perf_map_open(struct perf_map *map, struct perf_file *file)
{
	struct perf_timeline timeline;
	size_t jit = 0;
	int err = read_build_ids(map, file);

	if (!err)
		err = perf_bpf_init(&map->bpf, file);
	if (!err)
		err = perf_jit_init(&map->jit, file, &map->code.dsos);
	if (!err)
		err = perf_timeline_init(&timeline, file, KINDS);
	if (err)
		return err;
	for (size_t i = 0; i < timeline.n && !err; i++) {
		struct perf_record record;

		err = made_before(map, &jit, timeline.moment[i].time);
		if (!err && perf_record_at(file, timeline.moment[i].offset, &record))
			err = perf_map_record(map, &record, timeline.moment[i].time);
	}
	perf_timeline_fini(&timeline);
	if (!err)
		err = made_before(map, &jit, UINT64_MAX);
	if (!err)
		err = map_check_modules(map, file);
	return err ? err : perf_map_ready(map);
}
