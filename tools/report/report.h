/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csflow report: recordings and count tables as tables for people.
 *
 *	status = report_load(&report, &files);
 *	err = report_rows(&report, keys, &rows);
 *	report_print_functions(&report, &rows);
 */
#ifndef CSF_REPORT_H
#define CSF_REPORT_H

#include <stdio.h>

#include "../context/call-tree.h"
#include "../count/loops.h"
#include "../index/selection.h"
#include "../input/snapshot-perf.h"
#include "../lib/operands.h"
#include "../count/tally.h"

/* The keys that distinguish rows, and their columns. */
enum report_key {
	REPORT_COMM	= 1,
	REPORT_PID	= 2,
	REPORT_TID	= 4,
	REPORT_CPU	= 8,
	REPORT_DSO	= 16,
	REPORT_SYMBOL	= 32,
};

/**
 * struct report_words - what to report
 * @limit: the smallest share of a row, in hundredths of a per cent; UINT32_MAX: the default
 * @by_cycles: overhead is a share of cycles, not of instructions
 * @calls: collect calls, too; only recordings have them
 * @children: sort functions by their instructions with all callees; needs @calls
 * @by_thread: separate calls of each thread
 * @loops: find loops, too
 * @shares: tell calls apart by CPU and time, too
 * @inlines: inlined functions are functions, too
 */
struct report_words {
	uint32_t limit;
	bool by_cycles, calls, children, by_thread, loops, shares, inlines;
};

/**
 * struct report - the loaded files
 * @snapshot: for snapshots
 * @part: only its CPUs, threads and times are counted; only its files and functions are shown
 * @table: all counts; @tally: the same by thread and CPU, for recordings
 * @contexts: calls, if @words requests them
 * @calls: sums of calls, @n_calls; private
 * @loops: if @words requests them; @rounds: with the rounds of each visit
 * @path: @n_path files; borrowed
 * @n_recording: how many of them are recordings
 * @release, @dir: of the only one: the release of its kernel, and its directory; may be NULL
 * @insns, @cycles, @timed: of all rows of @tally
 * @emulated: an emulator recorded one of them: its timestamps count instructions, not time
 */
struct report {
	struct report_words words;
	struct perf_replay_options options;
	struct snapshot_choice snapshot;
	struct selection part;
	struct count_table table;
	struct tally tally;
	struct places places;
	struct contexts contexts;
	struct report_calls *calls;
	size_t n_calls;
	struct loops loops;
	bool rounds;
	const char **path;
	int n_path, n_recording;
	char *release, *dir;
	uint64_t insns, cycles, timed;
	bool emulated;
};

/**
 * struct report_row - a row
 * @comm, @pid, @tid, @cpu, @dso: if they are keys
 * @symbol: NULL: unknown; @start: its offset, @size bytes
 * @inlined: @symbol is marked as inlined, and @start is the id of its function, see elf.h
 * @insns: executed; @timed: those with @cycles
 * @children: with those of its callees, if requested
 */
struct report_row {
	const char *comm, *symbol;
	uint32_t pid, tid, cpu;
	size_t dso;
	uint64_t start, size;
	bool inlined;
	uint64_t insns, cycles, timed, children;
};

/* The most first. */
struct report_rows {
	struct report_row *row;
	size_t n, size;
	unsigned int keys;
};

struct report_block {
	size_t dso;
	const struct count_block *block;
};

struct report_edge {
	size_t dso;
	struct count_edge edge;
};

/* @all: how often branches were taken, including those not shown */
struct report_edges {
	struct report_edge *edge;
	size_t n, size;
	uint64_t all;
};

/*
 * Loads files and reports errors in them.  Zero @r, then set @words and @options.  Call
 * report_fini() in any case.  Return: CMD_OK; CMD_FAILED, perhaps with something loaded.
 */
int report_load(struct report *r, const struct operands *files);
void report_fini(struct report *r);

/* Reports that @what failed with @err, and for which files.  Return: CMD_FAILED. */
int report_failed(const struct report *r, const char *what, int err);

/*
 * @keys: enum report_key.  A function of which only inlined code ran has a row, too, without
 * instructions.  Return: 0 or -ENOMEM; the caller frees @rows->row.
 */
int report_rows(struct report *r, unsigned int keys, struct report_rows *rows);

/* Sums up calls after everything is loaded.  Return: 0 or -ENOMEM. */
int report_calls_read(struct report *r);
/* The sum of a function; NULL: unknown. */
const struct call_sum *report_calls_of(const struct report *r, const struct report_row *row);

/*
 * Finds loops after everything is loaded.  Return: 0; -ENOMEM; 1: some files cannot be read again,
 * which was reported.
 */
int report_loops_read(struct report *r);

/*
 * The blocks, edges or loops to show: those requested and not too small, the most frequent first.
 * The caller frees the list, in any case.  Return: 0 or -ENOMEM.
 */
int report_blocks(struct report *r, struct report_block **out, size_t *n);
int report_edges(struct report *r, struct report_edges *list);
int report_loops(struct report *r, const struct loop ***out, size_t *n);
bool report_is_small(const struct report *r, uint64_t n, uint64_t all);
uint64_t report_block_insns(const struct count_block *b);
/* "call" and so on, by the flags of an edge. */
const char *report_edge_kind(uint8_t flags);

/* Reports an error of a file of the table, by name and build-id; that it is missing, and why. */
void report_say_file(const struct report *r, size_t dso, const char *what);
void report_say_missing(const struct report *r, size_t dso);

/* The last part of a path. */
const char *report_base(const char *path);

/* Tables, as of perf report --stdio.  Return: 0 or -ENOMEM. */
int report_print_head(const struct report *r, const char *what);
int report_print_functions(struct report *r, unsigned int keys);
int report_print_blocks(struct report *r);
int report_print_edges(struct report *r);
int report_print_loops(struct report *r);
int report_print_calls(struct report *r);

/*
 * Writes a self-contained page of HTML to a file, NULL: standard output, or nothing: of one report
 * with everything, or of two that it compares, A and B.  Return: CMD_OK, or CMD_FAILED after
 * reporting why.
 */
int report_write_page(struct report *r, int n, const char *out);

/* Does a function execute more in one of two reports?  Return: 1, 0, or -ENOMEM. */
int report_differ(struct report *r);

/* The files of tools/report/page/, with a zero at their end */
extern const char report_page[] __attribute__((visibility("hidden")));

#endif /* CSF_REPORT_H */
