/* SPDX-License-Identifier: GPL-2.0-only */
/* Mount namespaces: processes of containers, for which a path means another file. */
#ifndef PERF_NAMESPACE_H
#define PERF_NAMESPACE_H

#include "perf-record.h"

/* Maximum number of namespaces that are distinguished. */
#define PERF_NAMESPACES_MAX	256

/**
 * struct perf_mount_namespace - a mount namespace
 * @dev: device and inode of /proc/PID/ns/mnt
 * @pid: the first process seen in it
 * @n: number of records that name it
 */
struct perf_mount_namespace {
	uint64_t dev, ino;
	uint32_t pid;
	uint32_t n;
};

/**
 * struct perf_namespaces - all that a recording names
 * @mount: @n of them, in the order in which they were seen
 * @more: number of records of further ones
 */
struct perf_namespaces {
	struct perf_mount_namespace *mount;
	size_t n;
	uint64_t more;
};

/* Takes a PERF_RECORD_NAMESPACES.  Return: 0, -ENOMEM. */
int perf_namespaces_add(struct perf_namespaces *namespaces, const struct perf_record *record);
void perf_namespaces_fini(struct perf_namespaces *namespaces);

#endif /* PERF_NAMESPACE_H */
