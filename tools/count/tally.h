/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executed blocks by thread and CPU, with cycles.
 *
 *	struct tally tally = { 0 };
 *
 *	tally_start(&tally, replay);
 *	... for each run: err = tally_run(&tally, &run);
 *	err = tally_stop(&tally);
 *
 * Several recordings may be added.  Counts are those of the count table: steps of failed
 * transactions are taken back.
 *
 * A cycle count says how many cycles passed since the previous one.  The instructions between the
 * two share these evenly.  So sums are exact, and so are the cycles between two counts; no trace
 * tells how long a single instruction took.
 */
#ifndef CSF_TALLY_H
#define CSF_TALLY_H

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/perf-replay.h"
#include "count.h"

/* A thread on a CPU. */
struct tally_who {
	char comm[16];
	uint32_t pid, tid, cpu;
};

/**
 * struct tally_row - a block, executed by one thread on one CPU
 * @who: index of the thread and CPU
 * @dso: index in @files
 * @start: offset; @size: bytes; @n_insn: instructions
 * @ran: how often
 * @cycles: of the block; @timed: its executed instructions that have cycles
 */
struct tally_row {
	uint32_t who, dso;
	uint64_t start;
	uint32_t size;
	uint16_t n_insn;
	uint8_t isa;
	uint64_t ran, cycles, timed;
};

/**
 * struct tally - zero it
 * @row: @n_row of them, after tally_stop()
 * @who: @n_who of them
 * @files: names of files, no counts
 * @cycles: of all counts; @unplaced: those of no counted instruction
 */
struct tally {
	struct tally_row *row;
	struct tally_who *who;
	size_t n_row, n_who;
	struct count_table files;
	uint64_t cycles, unplaced;
	/* private */
	struct perf_replay *replay;
	struct tally_cell *cell;
	struct hash_table by_key;	/* cells: index + 1 */
	size_t size_row, size_who, n_cell, size_cell;
	struct tally_stream *stream;
	size_t n_stream;
	uint16_t *n_insn;
	uint32_t *block, *path;		/* the cell of the last thread and CPU: index + 1 */
	size_t n_block, size_block, n_path;
};

void tally_start(struct tally *t, struct perf_replay *replay);
/* Return: 0 or -ENOMEM. */
int tally_run(struct tally *t, const struct perf_run *run);
int tally_stop(struct tally *t);
void tally_fini(struct tally *t);

#endif /* CSF_TALLY_H */
