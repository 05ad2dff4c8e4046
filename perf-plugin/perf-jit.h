/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jitdumps that a recording names: the code at each address, with the time from which on it was
 * there.
 *
 * An agent maps its jitdump, so that its name is in the recording as that of a map.  The file is
 * looked for as any other; its code is in it as that of a program is in its file.
 */
#ifndef PERF_JIT_H
#define PERF_JIT_H

#include "dso.h"
#include "perf-record.h"

/**
 * struct perf_jit_code - code that appears in a process
 * @time: perf's clock, ns
 * @addr: address of its @size bytes
 * @offset: offset of the code in the file
 * @dso: number of the file
 * @name: name of the function; borrowed from the file
 */
struct perf_jit_code {
	uint64_t time;
	uint64_t addr, size;
	uint64_t offset;
	uint64_t index;		/* private, like @order */
	uint32_t order;
	uint32_t dso;
	uint32_t pid, tid;
	const char *name;
};

/* A jitdump: number of its dso, and its process. */
struct perf_jit_file {
	uint32_t dso;
	uint32_t pid;
};

/**
 * struct perf_jit - all jitdumps of a recording
 * @code: @n of them, sorted by time
 * @file: @n_file of them
 */
struct perf_jit {
	struct perf_jit_code *code;
	size_t n, size;
	struct perf_jit_file *file;
	size_t n_file;
};

/**
 * perf_jit_init() - read the jitdumps that @file names
 * @dsos: the jitdumps are added to it
 *
 * Jitdumps that cannot be read, or are for another processor, are left out.  Return: 0, -ENOMEM.
 */
int perf_jit_init(struct perf_jit *jit, const struct perf_file *file, struct dso_table *dsos);
void perf_jit_fini(struct perf_jit *jit);

/* Does the process have code from a jitdump?  Then its memory without a file holds that code. */
bool perf_jit_has(const struct perf_jit *jit, uint32_t pid);

#endif /* PERF_JIT_H */
