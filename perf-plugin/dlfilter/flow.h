/* SPDX-License-Identifier: GPL-2.0-only */
/* Between two branches code ran in a straight line: where each line began. */
#ifndef DLFILTER_FLOW_H
#define DLFILTER_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct flow - one line of execution
 * @begin: where the last branch led, 0: nobody knows
 * @entered: not by a branch, but where trace began
 *
 * The kernel is one line on each CPU, for it changes threads in the middle; a thread is one.
 */
struct flow {
	int32_t cpu, tid;
	uint64_t begin;
	bool entered, used;
};

/* Zero is empty.  An open hash. */
struct flows {
	struct flow *slot;
	size_t n_slot, n;
};

/* Return: the line of this CPU and thread; NULL: no memory.  Valid until the next call. */
struct flow *flow_of(struct flows *flows, int32_t cpu, int32_t tid);

void flows_free(struct flows *flows);

#endif /* DLFILTER_FLOW_H */
