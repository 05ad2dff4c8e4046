/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of csflow dump, for cmd-dump.c and dump-*.c. */
#ifndef CSF_DUMP_H
#define CSF_DUMP_H

#include "../input/input.h"
#include "../input/transport.h"
#include "../lib/options.h"
#include "../../perf-plugin/out.h"
#include "../lib/progress.h"
#include "../lib/spool.h"
#include "../input/unit.h"

struct list_part;

enum dump_format { DUMP_CSFLOW, DUMP_OPENCSD };
enum dump_order { DUMP_BY_PLACE, DUMP_BY_TIME };

/**
 * struct dump - options, and the output
 * @framing: index into input_framings[]; 0: as the input says
 * @id: the only trace ID to list, if @id_given
 * @buffer: the buffer of a perf.data to list, if @buffer_given; 0: the first
 * @order: enum dump_order; @skew: SOURCE=TICKS each
 * @transport: what is around the trace of a raw file or a snapshot
 * @symfs, @vmlinux: where to find the code of a perf.data
 * @mtb_position: POSITION of an MTB, if @mtb_given
 * @path: of the file or folder, as given
 * @reset: a buffer was listed before this one
 * @spool: standard input
 * @threads: help to decode for statistics; NULL: none
 */
struct dump {
	struct out out;
	struct progress progress;
	struct unit unit;
	struct transport_options transport;
	uint64_t mtb_position;
	struct opt_list code, skew;
	const char *path, *snapshot, *source, *symfs, *vmlinux;
	uint64_t id, buffer;
	int format, framing, order, release;
	uint32_t n_threads;
	struct csf_threads *threads;
	struct spool spool;
	bool id_given, buffer_given, mtb_given, all_buffers, multi_session, frames, packets,
		elements, bytes, split, stats, show_progress, reset;
};

/* The requested framing, or @fallback. */
int dump_framing(const struct dump *d, int fallback);

/* Only statistics: the trace need not stay in memory. */
static inline bool dump_counts(const struct dump *d)
{
	return d->stats && !d->packets && !d->elements && !d->frames &&
	       d->format == DUMP_CSFLOW;
}

/* Each lists its input and returns the exit status.  @path: "-": @d->spool. */
int dump_input(struct dump *d, const struct input *in);
int dump_in_order(struct dump *d, struct list_part *part, size_t n);
int dump_snapshot(struct dump *d, const char *dir);
int dump_raw(struct dump *d, const char *path);
int dump_perf(struct dump *d, const char *path);

/* Prints the trace units as options for csflow asm, unless nothing that it reads is listed. */
void dump_units(const struct dump *d, const struct input *in);

/* Reports errors of decoding.  Return: the exit status. */
int dump_end(const struct dump *d, const struct input *in, int err);

#endif /* CSF_DUMP_H */
