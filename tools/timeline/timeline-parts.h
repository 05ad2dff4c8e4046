/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of a timeline. */
#ifndef CSF_TIMELINE_PARTS_H
#define CSF_TIMELINE_PARTS_H

#include "timeline.h"

/* Find or make a CPU, and the thread of @task; NULL: no memory. */
struct timeline_cpu *timeline_cpu_of(struct timeline *tl, uint32_t number);
struct timeline_thread *timeline_thread_of(struct timeline *tl, const struct timeline_cpu *cpu,
					   const struct cs_task *task);

/* @thread runs on @cpu from @time on; NULL: no thread does.  Return: 0; -1: no memory. */
int timeline_switch(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *thread,
		    uint64_t time);

/* Writes the counters if enough was counted, or counting ends. */
void timeline_count(struct timeline *tl, struct timeline_cpu *cpu, uint64_t time, bool ends);

#endif /* CSF_TIMELINE_PARTS_H */
