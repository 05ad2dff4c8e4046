/* SPDX-License-Identifier: GPL-2.0-only */
/* Atom runs from a file: a recording, whose packets are read, or a saved table. */
#ifndef CSF_QUICK_LOAD_H
#define CSF_QUICK_LOAD_H

#include "../input/snapshot-perf.h"
#include "../lib/file.h"
#include "quick-fill.h"

/**
 * struct quick_load - zero it, and set @quick
 * @replay: for recordings; the places of files are not used
 * @snapshot: for snapshots
 * @progress: show progress
 * @thread: @n_thread threads that ran in recordings; the caller frees it, and each @comm
 */
struct quick_load {
	struct quick *quick;
	struct perf_replay_options replay;
	struct snapshot_choice snapshot;
	bool progress;
	struct quick_thread *thread;
	size_t n_thread, size_thread;
};

/* Adds the atom runs of @path.  Reports errors on standard error.  Return: CMD_OK or CMD_FAILED. */
int quick_load(struct quick_load *load, const char *path);

/* Adds the saved table in @file to @quick.  Likewise. */
int quick_read(struct quick *quick, const char *path, const struct file *file);

/* Writes a settled table to @path, or to standard output if that is NULL.  Return: likewise. */
int quick_save(const struct quick *quick, const char *path);

#endif /* CSF_QUICK_LOAD_H */
