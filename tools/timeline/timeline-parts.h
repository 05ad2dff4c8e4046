/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a timeline share. */
#ifndef CSF_TIMELINE_PARTS_H
#define CSF_TIMELINE_PARTS_H

#include "timeline.h"

/* A CPU, and the thread that runs at @place, made when they are first seen; NULL: no memory. */
struct timeline_cpu *timeline_cpu_of(struct timeline *tl, uint32_t number);
struct timeline_thread *timeline_thread_of(struct timeline *tl, const struct timeline_cpu *cpu,
					   const struct cs_place *place);

/* @thread runs on @cpu from @time on; NULL: nobody does.  Return: 0; -1: no memory. */
int timeline_switch(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *thread,
		    uint64_t time);

/* What was counted, when there is enough of it, or when counting ends. */
void timeline_count(struct timeline *tl, struct timeline_cpu *cpu, uint64_t time, bool ends);

#endif /* CSF_TIMELINE_PARTS_H */
