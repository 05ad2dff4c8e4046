/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts a snapshot, or raw trace, to a perf.data, for commands that read recordings.
 *
 * Trace is copied, code is not: the memory dumps become mappings of the kernel.
 */
#ifndef CSF_SNAPSHOT_PERF_H
#define CSF_SNAPSHOT_PERF_H

#include <stdbool.h>

#include "../lib/options.h"
#include "../lib/problems.h"

/**
 * struct snapshot_choice - what of a snapshot, of raw trace or of a log is read
 * @buffer: its trace buffer; "all": all of them, unless one has this name; NULL: the first
 * @elf: programs that it ran, besides its memory dumps: FILE[@OFFSET]
 * @implicit_thumb: of a log: an instruction that names no instruction set is T32
 * @raw: the file is no snapshot but raw trace, of the unit with these words; NULL: otherwise
 */
struct snapshot_choice {
	const char *buffer, *raw;
	struct opt_list elf;
	bool implicit_thumb;
};

#define OPT_IMPLICIT_THUMB(s) \
	OPT_FLAG(0, "implicit-thumb", &(s)->implicit_thumb, \
		 "Tarmac instructions without an instruction set are T32")

#define OPT_RAW(s) \
	OPT_STRING(0, "raw", &(s)->raw, "UNIT", \
		   "the file is raw trace of this unit, such as protocol=ptm,etmcr=0x1000")

#define OPT_SNAPSHOT(s) \
	OPT_STRING(0, "buffer", &(s)->buffer, "NAME", \
		   "the trace buffer of a snapshot, or all (default: the first)"), \
	OPT_PATHS(0, "elf", &(s)->elf, "FILE[@OFFSET]", \
		  "a program that ran in a snapshot, in raw trace or in a log, moved by OFFSET; " \
		  "may be repeated"), \
	OPT_IMPLICIT_THUMB(s), \
	OPT_RAW(s)

/* Is it a folder that is not a perf.data, or a snapshot.ini? */
bool snapshot_perf_is(const char *path);

/*
 * Writes a perf.data to @fd, an empty file, from the trace buffer of @choice.
 * @problems: gets the errors of the snapshot, and what is not converted
 *
 * Return: 0, or -errno, and @problems has the reason.
 */
int snapshot_perf_write(struct problems *problems, const char *path,
			const struct snapshot_choice *choice, int fd);

/* The same for the raw trace at @path. */
int snapshot_perf_write_raw(struct problems *problems, const char *path,
			    const struct snapshot_choice *choice, int fd);

#endif /* CSF_SNAPSHOT_PERF_H */
