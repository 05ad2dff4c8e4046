/* SPDX-License-Identifier: GPL-2.0-only */
/* What csflow doctor counts, and how it is told. */
#ifndef CSF_DOCTOR_H
#define CSF_DOCTOR_H

#include "../input/recording.h"

/**
 * struct doctor_dso - how much of the trace needs a file
 * @dso: NULL: no file at all, nothing is known to have been mapped there
 * @steps: blocks of it that were executed; @insns: instructions
 * @lost: P0 elements that could not be followed for want of its code; @gaps: in so many places
 */
struct doctor_dso {
	struct dso *dso;
	uint64_t steps, insns;
	uint64_t lost, gaps;
};

/**
 * struct doctor - all that was counted
 * @dso: by number of the dso; [0]: no file; n_dso + 1 of them
 * @last: of each stream, the dso of its last gap
 * @count: how often each block was executed, but for those of paths; @path: how often each path
 * @unknown_tid: P0 elements lost in user space of threads that nobody names
 * @no_context: the same, of trace that does not say which thread it is of
 * @unnamed: Q elements: what was executed there the trace does not say
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
	uint64_t unknown_tid, no_context, unnamed;
	struct csf_stats stats;		/* of all streams */
	struct perf_unread unread;
};

/* Decodes everything.  Return: 0, or -ENOMEM. */
int doctor_count(struct doctor *d);
void doctor_free(struct doctor *d);

/* The page. */
void doctor_print(const struct doctor *d);

/* The part about files; its rows and what mends them. */
void doctor_print_files(const struct doctor *d);

/* Percent that @n is of all blocks that ran and all atoms that were lost for want of code. */
double doctor_share(const struct doctor *d, uint64_t n);

/* What it comes to. */
void doctor_print_verdict(const struct doctor *d);

/* Bytes, at least, that were written by a trace unit, and not to the file. */
static inline uint64_t doctor_unsaved(const struct perf_aux *aux)
{
	return aux->lost_bytes + aux->beyond_bytes;
}

/* "1.5 MiB" and so on; @buf has room for 16. */
const char *doctor_bytes(uint64_t n, char *buf);

#endif /* CSF_DOCTOR_H */
