/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts from a file: a recording, which is decoded, or a count table. */
#ifndef CSF_COUNT_LOAD_H
#define CSF_COUNT_LOAD_H

#include "../../perf-plugin/perf-replay.h"
#include "../context/context.h"
#include "../count/count.h"
#include "../index/selection.h"
#include "../input/snapshot-perf.h"

/**
 * struct count_load_options - how recordings are decoded
 * @part: the CPUs, threads and times that are counted; an instruction has the time of the
 *        timestamp before it; NULL: all
 * @addresses: for AutoFDO's text: enum profile_addresses
 * @snapshot: for snapshots
 */
struct count_load_options {
	struct perf_replay_options replay;
	const struct selection *part;
	int addresses;
	struct snapshot_choice snapshot;
};

/*
 * Adds counts of @path, @weight times, and settles @table.  Reports errors on standard error.
 * @options: for recordings; NULL: only count tables are read.  Return: CMD_OK or CMD_FAILED.
 */
int count_load(struct count_table *table, const char *path, uint64_t weight,
	       const struct count_load_options *options);

/* The same for a recording only, and adds its calls to @contexts. */
int count_load_contexts(struct count_table *table, struct contexts *contexts, const char *path,
			const struct count_load_options *options);

/* Writes to @path, or to standard output if that is NULL.  Return: as count_load(). */
int count_save(const struct count_table *table, const char *path);

#endif /* CSF_COUNT_LOAD_H */
