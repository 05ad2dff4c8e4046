/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jitdumps that a recording names: which code was where, from when on.
 *
 * An agent maps its jitdump, so that its name is in the recording as that of a map.  The file is
 * looked for as any other; its code lies in it as that of a program does in its file.
 */
#ifndef PERF_JIT_H
#define PERF_JIT_H

#include "dso.h"
#include "perf-record.h"

/**
 * struct perf_jit_code - code that appears in a process
 * @time: perf's clock, ns
 * @addr: @size bytes there
 * @offset: of the code in the file
 * @dso: number of the file
 * @name: of the function; borrowed from the file
 */
struct perf_jit_code {
	uint64_t time;
	uint64_t addr, size;
	uint64_t offset;
	uint64_t index;		/* private, as @order */
	uint32_t order;
	uint32_t dso;
	uint32_t pid, tid;
	const char *name;
};

/* A jitdump: number of its dso, and whose it is. */
struct perf_jit_file {
	uint32_t dso;
	uint32_t pid;
};

/**
 * struct perf_jit - all of them
 * @code: @n of them, by time
 * @file: @n_file of them
 */
struct perf_jit {
	struct perf_jit_code *code;
	size_t n, size;
	struct perf_jit_file *file;
	size_t n_file;
};

/**
 * perf_jit_init() - read what @file names
 * @dsos: gets them
 *
 * What cannot be read, or is for another processor, is left out.  Return: 0, -ENOMEM.
 */
int perf_jit_init(struct perf_jit *jit, const struct perf_file *file, struct dso_table *dsos);
void perf_jit_fini(struct perf_jit *jit);

/* Has the process code from a jitdump?  Then that says what its memory without a file holds. */
bool perf_jit_has(const struct perf_jit *jit, uint32_t pid);

#endif /* PERF_JIT_H */
