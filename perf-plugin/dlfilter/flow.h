/* SPDX-License-Identifier: GPL-2.0-only */
/* Between two branches code runs in a straight line: this remembers where each line began. */
#ifndef DLFILTER_FLOW_H
#define DLFILTER_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct flow - one line of execution
 * @begin: target of the last branch, 0: not known
 * @entered: trace began there, without a branch
 *
 * The kernel is one line on each CPU, as it changes threads in between; a thread is one line.
 */
struct flow {
	int32_t cpu, tid;
	uint64_t begin;
	bool entered, used;
};

/* All zero is empty.  An open hash. */
struct flows {
	struct flow *slot;
	size_t n_slot, n;
};

/* Return: the line of this CPU and thread; NULL: no memory.  Valid until the next call. */
struct flow *flow_of(struct flows *flows, int32_t cpu, int32_t tid);

void flows_free(struct flows *flows);

#endif /* DLFILTER_FLOW_H */
