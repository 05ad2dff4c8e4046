// SPDX-License-Identifier: GPL-2.0-only
/* Source: linux/perf_event.h, PERF_RECORD_NAMESPACES. */
#include "perf-namespace.h"

#include <errno.h>
#include <stdlib.h>

#include "perf-abi.h"

/* Reads device and inode of the mount namespace; false: the record does not have it. */
static bool mount_of(const struct perf_record *record, struct perf_mount_namespace *mount)
{
	const size_t first = offsetof(struct perf_record_namespaces, link_info);
	const size_t at = first + MNT_NS_INDEX * sizeof(struct perf_ns_link_info);

	if (record->size < at + sizeof(struct perf_ns_link_info) ||
	    PERF_FIELD(record->bytes, perf_record_namespaces, nr_namespaces) <= MNT_NS_INDEX)
		return false;
	*mount = (struct perf_mount_namespace){
		.dev = PERF_FIELD(record->bytes + at, perf_ns_link_info, dev),
		.ino = PERF_FIELD(record->bytes + at, perf_ns_link_info, ino),
		.pid = PERF_FIELD(record->bytes, perf_record_namespaces, pid), .n = 1,
	};
	return true;
}

int perf_namespaces_add(struct perf_namespaces *all, const struct perf_record *record)
{
	struct perf_mount_namespace mount;

	if (!mount_of(record, &mount))
		return 0;
	for (size_t i = 0; i < all->n; i++)
		if (all->mount[i].dev == mount.dev && all->mount[i].ino == mount.ino) {
			all->mount[i].n++;
			return 0;
		}
	if (all->n == PERF_NAMESPACES_MAX) {
		all->more++;
		return 0;
	}
	if (!all->mount)
		all->mount = calloc(PERF_NAMESPACES_MAX, sizeof(*all->mount));
	if (!all->mount)
		return -ENOMEM;
	all->mount[all->n++] = mount;
	return 0;
}

void perf_namespaces_fini(struct perf_namespaces *all)
{
	free(all->mount);
	*all = (struct perf_namespaces){ 0 };
}
