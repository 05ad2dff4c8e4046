/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that ran, their names, and what each process had mapped, over time.
 *
 * All records are taken in before the first trace byte is decoded; after that, questions name a
 * thread and a time and may come in any order.  An address space of the image is made for a process
 * when it is first needed, so a process without trace costs a few words.  exec makes a new space,
 * fork starts with a copy of the parent's maps, and exit removes nothing: trace comes out of the
 * buffer after the process is gone.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include "perf-bpf.h"
#include "perf-code.h"
#include "perf-jit.h"
#include "perf-namespace.h"
#include "perf-queues.h"
#include "perf-record.h"

/* For when the time is not known: the last state of all. */
#define PERF_TASKS_LAST	(UINT64_MAX - 1)

/**
 * struct perf_tasks - threads, processes and maps of a recording
 * @code: sections and dsos; the image is in there
 * @jit: code that was made at run time
 * @n_thread: threads seen; @n_mmap: maps seen, for all processes
 * @namespaces: mount namespaces, where paths mean other files
 * @n_symbol: pieces of code that the kernel made at run time; @n_poke: changes of the kernel's code
 * @bpf: some of the code made at run time
 *
 * Borrows names from the file, which must outlive it.
 */
struct perf_tasks {
	struct perf_code code;
	struct perf_jit jit;
	size_t n_thread, n_mmap;
	struct perf_namespaces namespaces;
	size_t n_symbol, n_poke;
	struct perf_bpf bpf;
	/* private; [0] of each is unused, and 0 means none */
	struct map_comm *comm;
	struct map_thread *thread;
	struct map_process *process;
	struct map_space *space;
	struct map_mmap *mmap;
	size_t n_comm, n_process, n_space;
	size_t size_comm, size_thread, size_process, size_space, size_mmap;
	uint32_t *by_tid, *by_pid;
	struct perf_build_id *build_id;
	size_t n_build_id;
	uint32_t kernel;		/* the kernel's own space in @space */
	bool is_64;			/* it is at addresses of 64 bits */
};

int perf_tasks_new(struct perf_tasks **tasks, struct csf_image *image,
		   const struct dso_options *options);
void perf_tasks_free(struct perf_tasks *tasks);

/* Takes everything in a file about threads and maps.  Return: 0, -ENOMEM. */
int perf_tasks_open(struct perf_tasks *tasks, struct perf_file *file);

/**
 * perf_tasks_record() - take one record
 * @time: time of the record; records must come in order of time
 *
 * Records about other things than processes and maps are ignored.
 *
 * Return: 0, -ENOMEM.
 */
int perf_tasks_record(struct perf_tasks *tasks, const struct perf_record *record, uint64_t time);

/* Call after the last record: enters the kernel's maps into CSF_SPACE_ALL.  Return: 0, -ENOMEM. */
int perf_tasks_ready(struct perf_tasks *tasks);

/*
 * Finds the process of @tid at @time.  A thread that no record names has no pid and sees only the
 * kernel; tid 0 is the idle task.  Return: 0, -ENOMEM.
 */
int perf_tasks_who(struct perf_tasks *tasks, uint32_t tid, uint64_t time, struct perf_who *who);

/* The address of the symbol of the kernel's map that @addr is in.  Return: there is such a map. */
bool perf_tasks_kernel(const struct perf_tasks *tasks, uint64_t addr, uint64_t *symbol);

/* The name of a thread; NULL if no record gives it one. */
const char *perf_tasks_comm(const struct perf_tasks *tasks, uint32_t tid, uint64_t time);

#endif /* PERF_MAP_H */
