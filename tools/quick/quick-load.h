/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings of a file that a command names: a recording, whose packets are read, or a saved table. */
#ifndef CSF_QUICK_LOAD_H
#define CSF_QUICK_LOAD_H

#include "../lib/file.h"
#include "quick-fill.h"

/**
 * struct quick_load - zero it, and set @quick
 * @session: of recordings; where files are is not asked
 * @progress: show how far it is
 * @thread: @n_thread who ran in recordings; the caller frees it, and each @comm
 */
struct quick_load {
	struct quick *quick;
	struct perf_session_options session;
	bool progress;
	struct quick_thread *thread;
	size_t n_thread, size_thread;
};

/* Adds what @path has.  Says what is wrong on standard error.  Return: CMD_OK or CMD_FAILED. */
int quick_load(struct quick_load *load, const char *path);

/* A saved table, which @file is, to @quick.  Likewise. */
int quick_read(struct quick *quick, const char *path, const struct file *file);

/* To @path, or standard output if that is NULL, settled.  Return: likewise. */
int quick_save(const struct quick *quick, const char *path);

#endif /* CSF_QUICK_LOAD_H */
