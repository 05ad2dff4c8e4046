/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mount namespaces: processes of containers, for which a path is another file.
 */
#ifndef PERF_NAMESPACE_H
#define PERF_NAMESPACE_H

#include "perf-record.h"

/* No more than these are told apart. */
#define PERF_NAMESPACES_MAX	256

/**
 * struct perf_mount_namespace - one of them
 * @dev: device and inode of /proc/PID/ns/mnt
 * @pid: the first process seen in it
 * @n: records that name it
 */
struct perf_mount_namespace {
	uint64_t dev, ino;
	uint32_t pid;
	uint32_t n;
};

/**
 * struct perf_namespaces - all that a recording names
 * @mount: @n of them, in the order in which they were seen; @more: of records of others
 */
struct perf_namespaces {
	struct perf_mount_namespace *mount;
	size_t n;
	uint64_t more;
};

/* Takes in a PERF_RECORD_NAMESPACES.  Return: 0, -ENOMEM. */
int perf_namespaces_add(struct perf_namespaces *namespaces, const struct perf_record *record);
void perf_namespaces_fini(struct perf_namespaces *namespaces);

#endif /* PERF_NAMESPACE_H */
