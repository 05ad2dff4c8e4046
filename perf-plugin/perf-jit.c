// SPDX-License-Identifier: GPL-2.0-only
#include "perf-jit.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "jitdump.h"
#include "perf-abi.h"

/* Maximum number of jitdumps that a recording may name: each is mapped as a whole. */
#define FILES_MAX	1024

static bool add(struct perf_jit *jit, const struct perf_jit_code *code)
{
	if (jit->n >= UINT32_MAX)
		return true;
	if (!array_room(&jit->code, jit->n, &jit->size, sizeof(*jit->code)))
		return false;
	jit->code[jit->n] = *code;
	jit->code[jit->n].order = jit->n;
	jit->n++;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_jit_code *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int by_index(const void *a, const void *b)
{
	const struct perf_jit_code *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* ---------------------------------------------------------------- one file */

/* Converts to perf's clock, if the agent used another counter. */
static uint64_t time_of(const struct jitdump *dump, const struct perf_file *file, uint64_t time)
{
	if (dump->flags & JITDUMP_ARCH_TIMESTAMP && file->time_conv.mult)
		return perf_time_from_counter(&file->time_conv, time);
	return time;
}

static bool add_loads(struct perf_jit *jit, struct jitdump dump, const struct perf_file *file,
		      uint32_t dso)
{
	struct jitdump_code code;

	while (jitdump_next(&dump, &code)) {
		const struct perf_jit_code as = {
			.time = time_of(&dump, file, code.time), .addr = code.addr,
			.size = code.size, .offset = code.offset, .index = code.index,
			.dso = dso, .pid = code.pid, .tid = code.tid, .name = code.name,
		};

		if (code.kind == JITDUMP_CODE_LOAD && !add(jit, &as))
			return false;
	}
	return true;
}

/* Code that was moved is that of the LOAD with the same index; @from is the first of those. */
static bool add_moves(struct perf_jit *jit, struct jitdump dump, const struct perf_file *file,
		      size_t from)
{
	size_t n = jit->n - from;
	struct jitdump_code code;

	if (!n)
		return true;
	qsort(jit->code + from, n, sizeof(*jit->code), by_index);
	while (jitdump_next(&dump, &code)) {
		const struct perf_jit_code wanted = { .index = code.index };
		const struct perf_jit_code *load;
		struct perf_jit_code as;

		if (code.kind != JITDUMP_CODE_MOVE)
			continue;
		load = bsearch(&wanted, jit->code + from, n, sizeof(wanted), by_index);
		if (!load)
			continue;
		as = *load;
		as.time = time_of(&dump, file, code.time);
		as.addr = code.addr;
		if (code.size < as.size)
			as.size = code.size;
		if (!add(jit, &as))
			return false;
	}
	return true;
}

static bool add_file(struct perf_jit *jit, const struct perf_file *file, const struct dso *dso)
{
	struct perf_jit_file *own = &jit->file[jit->n_file - 1];
	struct jitdump dump;
	size_t from = jit->n;

	if (!jitdump_open(&dump, dso->elf->bytes, dso->elf->size))
		return true;
	if (dump.elf_machine != EM_AARCH64 && dump.elf_machine != EM_ARM)
		return true;
	own->pid = dump.pid;
	return add_loads(jit, dump, file, own->dso) && add_moves(jit, dump, file, from);
}

/* ---------------------------------------------------------------- all files */

static int open_file(struct perf_jit *jit, const struct perf_file *file, struct dso_table *dsos,
		     const char *name)
{
	const struct dso_key key = { .name = name, .kind = DSO_FILE };
	long number = dso_add(dsos, &key);
	struct perf_jit_file *p;

	if (number < 0)
		return -ENOMEM;
	for (size_t i = 0; i < jit->n_file; i++)
		if (jit->file[i].dso == number)
			return 0;
	if (jit->n_file == FILES_MAX || !dso_load(dsos, dsos->dso[number]))
		return 0;
	p = realloc(jit->file, (jit->n_file + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	jit->file = p;
	jit->file[jit->n_file++] = (struct perf_jit_file){ .dso = number };
	return add_file(jit, file, dsos->dso[number]) ? 0 : -ENOMEM;
}

int perf_jit_init(struct perf_jit *jit, const struct perf_file *file, struct dso_table *dsos)
{
	struct perf_records it;
	struct perf_record record;
	struct perf_mmap m;
	uint32_t pid;
	int err = 0;

	*jit = (struct perf_jit){ 0 };
	perf_records_start(&it, file);
	while (!err && perf_records_next(&it, &record)) {
		if (record.type != PERF_RECORD_MMAP && record.type != PERF_RECORD_MMAP2)
			continue;
		if (perf_record_mmap(&record, &m) && jitdump_name(m.name, &pid))
			err = open_file(jit, file, dsos, m.name);
	}
	if (jit->n)
		qsort(jit->code, jit->n, sizeof(*jit->code), by_time);
	return err;
}

void perf_jit_fini(struct perf_jit *jit)
{
	free(jit->code);
	free(jit->file);
	*jit = (struct perf_jit){ 0 };
}

bool perf_jit_has(const struct perf_jit *jit, uint32_t pid)
{
	for (size_t i = 0; i < jit->n_file; i++)
		if (jit->file[i].pid == pid)
			return true;
	return false;
}
