/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a snapshot: from a recording, or from files. */
#ifndef CSF_SHOT_MAKE_H
#define CSF_SHOT_MAKE_H

#include "../../perf-plugin/dso.h"
#include "../../perf-plugin/perf-queues.h"
#include "../lib/options.h"
#include "shot.h"

/**
 * struct shot_perf - what of a recording becomes a snapshot
 * @path: for messages
 * @core: type of all cores; NULL: as the trace units let suppose
 * @dso: where code is
 * @pid: only the code of these processes, and of the kernel; none: all
 */
struct shot_perf {
	const char *path, *core;
	struct dso_options dso;
	const struct perf_cpus *pid;
	size_t n_pid;
};

/* Return: 0 or a negative errno. */
int shot_make_perf(struct shot *shot, const struct shot_perf *perf, const struct perf_file *file);

/**
 * struct shot_parts - files that become a snapshot
 * @path: files with trace, @n_path of them
 * @raw: words of trace units: see raw_words_read(), and name=, core=, file=
 * @code: FILE[@ADDR[:SPACE]]; without an address an ELF file
 * @reg: NAME=VALUE, registers of the cores
 * @core: type of cores without core=; NULL: as the trace units let suppose
 */
struct shot_parts {
	const char *const *path;
	size_t n_path;
	const struct opt_list *raw, *code, *reg;
	const char *core;
	/* private */
	struct file *file;
	struct elf_file **elf;
	size_t n_file, n_elf;
};

/*
 * Return: 0, or a negative errno, and the problems of @shot have the reason.  Call
 * shot_parts_close() when the shot is no longer needed, either way.
 */
int shot_make_parts(struct shot *shot, struct shot_parts *parts);

/* Code and registers alone, for a recording that lacks them. */
int shot_make_code(struct shot *shot, struct shot_parts *parts);
void shot_parts_close(struct shot_parts *parts);

#endif /* CSF_SHOT_MAKE_H */
