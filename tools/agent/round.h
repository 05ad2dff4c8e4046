/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A round of the agent: a recording, and the file of its counts.  The recording is in memory and
 * has no name; it is gone with the agent.  Another process counts it, so nothing of one round is
 * left in the next one, and a recording that breaks the decoder ends that process alone.
 */
#ifndef CSF_ROUND_H
#define CSF_ROUND_H

#include <stdatomic.h>

#include "../count/count.h"
#include "apart.h"
#include "count-spool.h"

/**
 * struct round_counts - what was counted; the counting process writes it
 * @stat: as in a count table
 * @gone: instructions, or files of atom runs, that have no build-id
 * @full: atoms for which there was no room
 * @err: of counting, -EBADMSG: nothing of the recording could be read; or of writing the file
 * @kept_err: of writing the trace
 * @done: the counting process has come to its end
 */
struct round_counts {
	uint64_t stat[COUNT_STAT_NR];
	uint64_t gone, full;
	int err, kept_err;
	bool done;
};

/**
 * struct round - set what the caller knows, then round_run()
 * @recording: source = replay: which of the folder's; the next one afterwards
 * @keep: the trace of this round, too
 * @stop: a signal came that ends the recording; @hurry: another one, which ends counting
 */
struct round {
	const struct agent_config *config;
	const struct count_spool *spool;
	uint64_t recording;
	bool keep;
	const atomic_bool *stop, *hurry;
	/* private */
	char name[COUNT_SPOOL_NAME];
	char path[PATH_MAX];
	int fd;
	struct apart apart;
	struct round_counts *counts;
};

/*
 * Reports everything.  Return: 0: there is a file; -ENOSPC and the like: there is no room for it;
 * -ENODEV, -EACCES and the like: nothing can be recorded; -ECANCELED: the round is lost.
 */
int round_run(struct round *round);

#endif /* CSF_ROUND_H */
