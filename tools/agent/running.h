/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that run: their threads and maps, for a recording that begins now. */
#ifndef CSF_RUNNING_H
#define CSF_RUNNING_H

#include "../../perf-plugin/perf-write.h"
#include "apart.h"

/*
 * Writes all tasks and their maps of code to @writer, at time 0, and adds to @apart those that are
 * left out.  @writer: NULL: only the latter.  Return: 0, -ENOMEM; -errno: there is no /proc.
 */
int running_write(struct perf_writer *writer, const struct agent_config *config,
		  struct apart *apart);

#endif /* CSF_RUNNING_H */
