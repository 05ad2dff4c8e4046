/* SPDX-License-Identifier: GPL-2.0-only */
/* The counts of csflow doctor, and how they are printed. */
#ifndef CSF_DOCTOR_H
#define CSF_DOCTOR_H

#include "../input/recording.h"

/**
 * struct doctor_dso - how much of the trace needs a file
 * @dso: NULL: no file; nothing is known to be mapped there
 * @steps: blocks of it that were executed; @insns: instructions
 * @lost: P0 elements that could not be followed because its code is missing; @gaps: in how many
 *        places
 */
struct doctor_dso {
	struct dso *dso;
	uint64_t steps, insns;
	uint64_t lost, gaps;
};

/**
 * struct doctor_changed - what was lost where the kernel changed its code during the recording
 * @function: @n functions, each with the P0 elements that were @lost from there on; @name is
 *            borrowed
 */
struct doctor_changed {
	struct doctor_function {
		const char *name;
		uint64_t addr, lost;
	} *function;
	size_t n;
	/* private */
	size_t size;
};

/**
 * struct doctor - all counts
 * @dso: by number of the dso; [0]: no file; n_dso + 1 of them
 * @last: for each stream, the dso of its last gap
 * @count: how often each block was executed, without those of paths; @path: how often each path
 * @unknown_tid: P0 elements lost in user space of threads without a name
 * @no_context: the same, for trace that does not name its thread
 * @unknown_kernel: the same in the kernel, where no record tells of code
 * @unnamed: Q elements: the trace does not tell what was executed there
 */
struct doctor {
	struct recording recording;
	struct doctor_dso *dso;
	size_t n_dso;
	size_t *last;
	size_t n_last;
	uint64_t *count;
	size_t n_count;
	uint64_t *path;
	size_t n_path;
	uint64_t steps, insns, lost, gaps;
	uint64_t unknown_tid, no_context, unknown_kernel, unnamed;
	struct doctor_changed changed;
	struct csf_stats stats;		/* of all streams */
	struct perf_unread unread;
};

/* Decodes everything.  Return: 0, or -ENOMEM. */
int doctor_count(struct doctor *d);
void doctor_free(struct doctor *d);

/* The page. */
void doctor_print(const struct doctor *d);

/* Prints the part about files, with remedies. */
void doctor_print_files(const struct doctor *d);

/* Counts @lost P0 elements from @addr on, where code changed.  Return: false: no memory. */
bool doctor_changed_at(struct doctor *d, uint64_t addr, uint64_t lost);

/* Prints these functions. */
void doctor_print_changed(const struct doctor *d);

/* @n as a percentage of all blocks that ran plus all atoms that lack code. */
double doctor_share(const struct doctor *d, uint64_t n);

/* Prints the verdict. */
void doctor_print_verdict(const struct doctor *d);

/* The least number of bytes that a trace unit wrote and the file does not have. */
static inline uint64_t doctor_unsaved(const struct perf_aux *aux)
{
	return aux->lost_bytes + aux->beyond_bytes;
}

/* "1.5 MiB" and so on; @buf has room for 16. */
const char *doctor_bytes(uint64_t n, char *buf);

#endif /* CSF_DOCTOR_H */
