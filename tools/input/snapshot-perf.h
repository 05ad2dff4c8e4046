/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts a snapshot to a perf.data, for commands that read recordings.
 *
 * Trace is copied, code is not: the memory dumps become mappings of the kernel.
 */
#ifndef CSF_SNAPSHOT_PERF_H
#define CSF_SNAPSHOT_PERF_H

#include <stdbool.h>

#include "../lib/problems.h"

/* Is it a folder that is not a perf.data, or a snapshot.ini? */
bool snapshot_perf_is(const char *path);

/*
 * Writes a perf.data to @fd, an empty file, from trace buffer @buffer; NULL: from the first.
 * @problems: gets the errors of the snapshot, and what is not converted
 *
 * Return: 0, or -errno, and @problems has the reason.
 */
int snapshot_perf_write(struct problems *problems, const char *path, const char *buffer, int fd);

#endif /* CSF_SNAPSHOT_PERF_H */
