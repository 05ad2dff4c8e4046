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
#include "tasks-parts.h"

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

int perf_tasks_new(struct perf_tasks **out, struct csf_image *image,
		   const struct dso_options *options)
{
	struct perf_tasks *tasks = calloc(1, sizeof(*tasks));

	*out = NULL;
	if (!tasks)
		return -ENOMEM;
	tasks->by_tid = calloc(N_HASH, sizeof(*tasks->by_tid));
	tasks->by_pid = calloc(N_HASH, sizeof(*tasks->by_pid));
	tasks->kernel = ADD(tasks, space);
	if (!tasks->by_tid || !tasks->by_pid || !tasks->kernel ||
	    perf_code_init(&tasks->code, image, options)) {
		perf_tasks_free(tasks);
		return -ENOMEM;
	}
	*out = tasks;
	return 0;
}

void perf_tasks_free(struct perf_tasks *tasks)
{
	if (!tasks)
		return;
	perf_jit_fini(&tasks->jit);
	if (tasks->code.image)
		perf_code_fini(&tasks->code);
	free(tasks->comm);
	free(tasks->thread);
	free(tasks->process);
	free(tasks->space);
	free(tasks->mmap);
	free(tasks->by_tid);
	free(tasks->by_pid);
	free(tasks->build_id);
	perf_namespaces_fini(&tasks->namespaces);
	perf_bpf_fini(&tasks->bpf);
	free(tasks);
}

/* ---------------------------------------------------------------- maps */

static int by_name(const void *a, const void *b)
{
	const struct perf_build_id *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_build_ids(struct perf_tasks *tasks, const struct perf_file *file)
{
	struct perf_build_id entry;
	uint64_t pos = 0;

	while (perf_file_build_id(file, &pos, &entry)) {
		if (!array_next(&tasks->build_id, tasks->n_build_id, sizeof(*tasks->build_id)))
			return -ENOMEM;
		tasks->build_id[tasks->n_build_id++] = entry;
	}
	if (tasks->n_build_id)
		qsort(tasks->build_id, tasks->n_build_id, sizeof(*tasks->build_id), by_name);
	return 0;
}

void map_build_id(const struct perf_tasks *tasks, struct dso_key *key)
{
	const struct perf_build_id wanted = { .name = key->name };
	const struct perf_build_id *found = NULL;

	if (tasks->n_build_id)
		found = bsearch(&wanted, tasks->build_id, tasks->n_build_id, sizeof(wanted),
				by_name);
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
static int enter_map(struct perf_tasks *tasks, uint32_t space, const struct map_mmap *as)
{
	uint32_t i = ADD(tasks, mmap);

	if (!i)
		return -ENOMEM;
	tasks->mmap[i] = *as;
	tasks->mmap[i].older = tasks->space[space].mmap;
	tasks->space[space].mmap = i;
	return 0;
}

static int made(struct perf_tasks *tasks, const struct perf_jit_code *code)
{
	const struct map_mmap as = { .from = code->time, .addr = code->addr, .n = code->size,
				     .offset = code->offset, .dso = code->dso };
	uint32_t process = map_process_of(tasks, code->pid);

	if (!process || !map_thread_of(tasks, code->pid, code->tid))
		return -ENOMEM;
	return code->size ? enter_map(tasks, tasks->process[process].space, &as) : 0;
}

/*
 * A jitdump is mapped to be found, not to be executed.  Memory without a file has the code in the
 * jitdump, even after a change of protection, which looks like a new map.
 */
static bool is_of_jit(const struct perf_tasks *tasks, const struct perf_mmap *m, enum dso_kind kind)
{
	uint32_t pid;

	return jitdump_name(m->name, &pid) ||
		(kind == DSO_NONE && perf_jit_has(&tasks->jit, m->pid));
}

/*
 * Nothing is mapped there yet, and nothing was copied from a parent: the next map is the program.
 */
static bool begins(const struct perf_tasks *tasks, uint32_t space)
{
	return !tasks->space[space].mmap && !tasks->space[space].parent;
}

/*
 * A 64-bit kernel has another vDSO for 32-bit programs.  All have one name and, at most, one
 * build-id for that name.
 */
static bool is_other_vdso(const struct perf_tasks *tasks, const struct perf_mmap *m)
{
	return tasks->is_64 && m->addr <= UINT32_MAX && !m->n_build_id &&
	       !strcmp(m->name, "[vdso]");
}

static int mapped(struct perf_tasks *tasks, const struct perf_mmap *m, uint64_t time)
{
	struct dso_key key = { .name = m->name, .build_id = m->build_id,
			       .n_build_id = m->n_build_id, .kind = kind_of(m) };
	struct map_mmap as = { .from = time, .addr = m->addr, .n = m->len, .offset = m->pgoff };
	uint32_t space = tasks->kernel, process;
	long dso;

	if (!(m->prot & PROT_EXEC) || !*m->name || !m->len || is_of_jit(tasks, m, key.kind))
		return 0;
	if (key.kind == DSO_KERNEL) {
		as.symbol = m->name + strlen(KALLSYMS);
		key.name = KALLSYMS;
		tasks->is_64 = tasks->is_64 || m->addr > UINT32_MAX;
	}
	if (is_other_vdso(tasks, m))
		key.kind = DSO_NONE;
	else if (!key.n_build_id)
		map_build_id(tasks, &key);
	dso = dso_add(&tasks->code.dsos, &key);
	if (m->pid != KERNEL_PID) {
		process = map_process_of(tasks, m->pid);
		if (!process || !map_thread_of(tasks, m->pid, m->tid))
			return -ENOMEM;
		space = tasks->process[process].space;
	}
	as.dso = dso;
	if (dso > 0 && key.kind == DSO_FILE && begins(tasks, space))
		tasks->code.dsos.dso[dso]->program = true;
	return dso < 0 ? -ENOMEM : enter_map(tasks, space, &as);
}

/* Code that the kernel made, whose bytes are in a feature section. */
static int enter_bytes(struct perf_tasks *tasks, const struct map_mmap *symbol)
{
	struct map_mmap as = *symbol;

	as.poked = perf_bpf_find(&tasks->bpf, symbol->addr, symbol->n);
	return as.poked ? enter_map(tasks, tasks->kernel, &as) : 0;
}

/* Code that the kernel made or removed: usually only this name is known. */
static int named_code(struct perf_tasks *tasks, const struct perf_ksymbol *symbol, uint64_t time)
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
	tasks->n_symbol += !symbol->gone;
	dso = dso_add(&tasks->code.dsos, &key);
	as.dso = dso;
	if (dso < 0 || enter_map(tasks, tasks->kernel, &as))
		return -ENOMEM;
	return symbol->gone ? 0 : enter_bytes(tasks, &as);
}

static int poked(struct perf_tasks *tasks, const struct perf_text_poke *poke, uint64_t time)
{
	const struct dso_key no_file = { .name = "[text poke]", .kind = DSO_SYMBOL };
	struct map_mmap as = { .from = time, .addr = poke->addr, .n = poke->new_len,
			       .offset = poke->old_len, .poked = poke->old_bytes };
	long dso = dso_add(&tasks->code.dsos, &no_file);

	tasks->n_poke++;
	as.dso = dso;
	return dso < 0 ? -ENOMEM : enter_map(tasks, tasks->kernel, &as);
}

/* Records of the kernel's own code, and of the namespaces of processes. */
static int kernel_record(struct perf_tasks *tasks, const struct perf_record *record, uint64_t time)
{
	struct perf_ksymbol symbol;
	struct perf_text_poke poke;

	switch (record->type) {
	case PERF_RECORD_KSYMBOL:
		return perf_record_ksymbol(record, &symbol) ? named_code(tasks, &symbol, time) : 0;
	case PERF_RECORD_TEXT_POKE:
		return perf_record_text_poke(record, &poke) ? poked(tasks, &poke, time) : 0;
	case PERF_RECORD_NAMESPACES:
		return perf_namespaces_add(&tasks->namespaces, record);
	default:
		return 0;
	}
}

/*
 * perf writes a FORK with this flag for each process that is running already; the maps of these
 * processes follow.
 */
#define FORK_EXEC	0x2000

int perf_tasks_record(struct perf_tasks *tasks, const struct perf_record *record, uint64_t time)
{
	struct perf_mmap m;
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return perf_record_mmap(record, &m) ? mapped(tasks, &m, time) : 0;
	case PERF_RECORD_COMM:
		return perf_record_task(record, &task) ? map_named(tasks, &task, time) : 0;
	case PERF_RECORD_FORK:
		if (!perf_record_task(record, &task))
			return 0;
		return map_forked(tasks, &task, record->misc & FORK_EXEC, time);
	case PERF_RECORD_ITRACE_START:
		if (!perf_record_task(record, &task))
			return 0;
		return map_thread_of(tasks, task.pid, task.tid) ? 0 : -ENOMEM;
	default:
		return kernel_record(tasks, record, time);
	}
}

#define KINDS	(PERF_KIND(PERF_RECORD_MMAP) | PERF_KIND(PERF_RECORD_MMAP2) |	\
		 PERF_KIND(PERF_RECORD_COMM) | PERF_KIND(PERF_RECORD_FORK) |	\
		 PERF_KIND(PERF_RECORD_ITRACE_START) | PERF_KIND(PERF_RECORD_KSYMBOL) |	\
		 PERF_KIND(PERF_RECORD_TEXT_POKE) | PERF_KIND(PERF_RECORD_NAMESPACES))

/* Enters the code of jitdumps that appears before @time, from number *@next on. */
static int made_before(struct perf_tasks *tasks, size_t *next, uint64_t time)
{
	int err = 0;

	while (!err && *next < tasks->jit.n && tasks->jit.code[*next].time < time)
		err = made(tasks, &tasks->jit.code[(*next)++]);
	return err;
}

/* perf reads the maps of processes that run already, for at most half a second each. */
static void tell_incomplete(struct perf_file *file, const struct perf_record *record)
{
	struct perf_mmap map;

	if (record->misc & PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT &&
	    perf_record_mmap(record, &map))
		perf_problem_add(&file->problems, PERF_WARNING, record->offset,
				 "the maps of process %u took perf too long and are incomplete: see perf record --proc-map-timeout",
				 map.pid);
}

int perf_tasks_open(struct perf_tasks *tasks, struct perf_file *file)
{
	struct perf_timeline timeline;
	size_t jit = 0;
	int err = read_build_ids(tasks, file);

	if (!err)
		err = perf_bpf_init(&tasks->bpf, file);
	if (!err)
		err = perf_jit_init(&tasks->jit, file, &tasks->code.dsos);
	if (!err)
		err = perf_timeline_init(&timeline, file, KINDS);
	if (err)
		return err;
	for (size_t i = 0; i < timeline.n && !err; i++) {
		struct perf_record record;

		err = made_before(tasks, &jit, timeline.moment[i].time);
		if (err || !perf_record_at(file, timeline.moment[i].offset, &record))
			continue;
		tell_incomplete(file, &record);
		err = perf_tasks_record(tasks, &record, timeline.moment[i].time);
	}
	perf_timeline_fini(&timeline);
	if (!err)
		err = made_before(tasks, &jit, UINT64_MAX);
	if (!err)
		err = map_check_modules(tasks, file);
	return err ? err : perf_tasks_ready(tasks);
}
