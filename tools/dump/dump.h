/* SPDX-License-Identifier: GPL-2.0-only */
/* What csflow dump was asked for: for cmd-dump.c and dump-*.c. */
#ifndef CSF_DUMP_H
#define CSF_DUMP_H

#include "../input/input.h"
#include "../lib/options.h"
#include "../../perf-plugin/out.h"
#include "../lib/progress.h"
#include "../lib/spool.h"
#include "../input/unit.h"

enum dump_format { DUMP_CSFLOW, DUMP_OPENCSD };

/**
 * struct dump - options, and where the listing goes
 * @framing: index into dump_framings[]; 0: as the input says
 * @id: of the only trace unit to list, if @id_given
 * @buffer: of a perf.data, if @buffer_given; 0: the first
 * @symfs, @vmlinux: where code of a perf.data is
 * @path: of the file or folder, as given
 * @reset: a buffer was listed before this one
 * @spool: of standard input
 * @threads: decode figures, too; NULL: nobody does
 */
struct dump {
	struct out out;
	struct progress progress;
	struct unit unit;
	struct opt_list code;
	const char *path, *snapshot, *source, *symfs, *vmlinux;
	uint64_t id, buffer;
	int format, framing, release;
	uint32_t n_threads;
	struct csf_threads *threads;
	struct spool spool;
	bool id_given, buffer_given, all_buffers, multi_session, frames, packets, elements, bytes,
	     split, stats, show_progress, reset;
};

extern const char *const dump_framings[];

/* The framing asked for, or @fallback. */
int dump_framing(const struct dump *d, int fallback);

/* Figures and nothing else: what is counted need not stay in memory. */
static inline bool dump_counts(const struct dump *d)
{
	return d->stats && !d->packets && !d->elements && !d->frames &&
	       d->format == DUMP_CSFLOW;
}

/* Each lists and returns the exit status.  @path: "-": @d->spool. */
int dump_input(struct dump *d, const struct input *in);
int dump_snapshot(struct dump *d, const char *dir);
int dump_raw(struct dump *d, const char *path);
int dump_perf(struct dump *d, const char *path);

/* Lines for csflow asm: the trace units, as options; not where nothing is listed that it reads. */
void dump_units(const struct dump *d, const struct input *in);

/* What is wrong with what was decoded.  Return: the exit status. */
int dump_end(const struct dump *d, const struct input *in, int err);

#endif /* CSF_DUMP_H */
