/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot as a perf.data, for commands that read recordings.
 *
 * Trace is copied, code is not: the memory dumps are what the kernel has mapped.
 */
#ifndef CSF_SNAPSHOT_PERF_H
#define CSF_SNAPSHOT_PERF_H

#include <stdbool.h>

#include "../lib/problems.h"

/* A folder that is no perf.data, or a snapshot.ini. */
bool snapshot_perf_is(const char *path);

/*
 * Writes one to @fd, an empty file: of trace buffer @buffer; NULL: the first.
 * @problems: gets what is wrong with the snapshot, or is not taken over
 *
 * Return: 0, or -errno, and @problems says why.
 */
int snapshot_perf_write(struct problems *problems, const char *path, const char *buffer, int fd);

#endif /* CSF_SNAPSHOT_PERF_H */
