/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csflow report: recordings and count tables as tables that people read.
 *
 *	status = report_load(&report, &inputs, n, operands);
 *	err = report_rows(&report, keys, &rows);
 *	report_print_functions(&report, &rows);
 */
#ifndef CSF_REPORT_H
#define CSF_REPORT_H

#include <stdio.h>

#include "../context/call-tree.h"
#include "../count/loops.h"
#include "../lib/options.h"
#include "../count/tally.h"

/* What rows are told apart by, and the columns that show it. */
enum report_key {
	REPORT_COMM	= 1,
	REPORT_PID	= 2,
	REPORT_TID	= 4,
	REPORT_CPU	= 8,
	REPORT_DSO	= 16,
	REPORT_SYMBOL	= 32,
};

/**
 * struct report_words - what was asked for
 * @comms, @dsos, @symbols: only these, if there are any; words with commas between them
 * @limit: least share of all in a row, in hundredths of a per cent; UINT32_MAX: nobody said
 * @by_cycles: overhead is of cycles, not of instructions
 * @calls: who called whom is to be known, too; of recordings it can
 * @children: rows are in order of what functions executed with all that they call: @calls, too
 * @by_thread: calls of each thread apart
 * @loops: loops are to be known, too
 */
struct report_words {
	struct opt_list comms, dsos, symbols;
	uint32_t limit;
	bool by_cycles, calls, children, by_thread, loops;
};

/**
 * struct report - what was loaded
 * @buffer: trace buffer of snapshots; NULL: the first
 * @table: all counts; @tally: the same by thread and CPU, of recordings
 * @contexts: who called whom, if @words says so
 * @calls: sums of that, @n_calls; private
 * @loops: if @words says so; @rounds: with how often they went round each time
 * @path: @n_path files
 * @n_recording: of these, recordings
 * @insns, @cycles, @timed: of all rows of @tally
 */
struct report {
	struct report_words words;
	struct perf_session_options options;
	const char *buffer;
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
	uint64_t insns, cycles, timed;
};

/**
 * struct report_row - one line
 * @comm, @pid, @tid, @cpu, @dso: where they are keys
 * @symbol: NULL: not known; @start: its offset, @size bytes
 * @insns: executed; @timed: of these, with @cycles
 * @children: with those of what it calls, if that was asked for
 */
struct report_row {
	const char *comm, *symbol;
	uint32_t pid, tid, cpu;
	size_t dso;
	uint64_t start, size;
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

/* @all: how often branches were taken, also those that are not shown */
struct report_edges {
	struct report_edge *edge;
	size_t n, size;
	uint64_t all;
};

/*
 * Loads files and says what is wrong with them.  Zero @r, then set @words and @options.  In any
 * case report_fini() is to be called.  Return: CMD_OK; CMD_FAILED, perhaps with something loaded.
 */
int report_load(struct report *r, const struct opt_list *inputs, int n, char **operands);
void report_fini(struct report *r);

/* Says what was being done when it failed with @err, and with which files.  Return: CMD_FAILED. */
int report_failed(const struct report *r, const char *what, int err);

/* @keys: enum report_key.  Return: 0 or -ENOMEM; the caller frees @rows->row. */
int report_rows(struct report *r, unsigned int keys, struct report_rows *rows);

/* Sums of calls, once all is loaded.  Return: 0 or -ENOMEM. */
int report_calls_read(struct report *r);
/* That of a function; NULL: nothing is known. */
const struct call_sum *report_calls_of(const struct report *r, const struct report_row *row);

/*
 * Loops, once all is loaded.  Return: 0; -ENOMEM; 1: not all can be read again, it was said why.
 */
int report_loops_read(struct report *r);

/*
 * What is shown of blocks, edges and loops: what was asked for and is not small, the most first.
 * The caller frees the list, in any case.  Return: 0 or -ENOMEM.
 */
int report_blocks(struct report *r, struct report_block **out, size_t *n);
int report_edges(struct report *r, struct report_edges *list);
int report_loops(struct report *r, const struct loop ***out, size_t *n);
bool report_is_small(const struct report *r, uint64_t n, uint64_t all);
uint64_t report_block_insns(const struct count_block *b);
/* "call" and the like, by the flags of an edge. */
const char *report_edge_kind(uint8_t flags);

/* What is wrong with a file of the table, by name and build-id; that it is not here, and why. */
void report_say_file(const struct report *r, size_t dso, const char *what);
void report_say_missing(const struct report *r, size_t dso);

/* The last part of a path. */
const char *report_base(const char *path);

/* Tables, as perf report --stdio has them.  Return: 0 or -ENOMEM. */
int report_print_head(const struct report *r, const char *what);
int report_print_functions(struct report *r, unsigned int keys);
int report_print_blocks(struct report *r);
int report_print_edges(struct report *r);
int report_print_loops(struct report *r);
int report_print_calls(struct report *r);

/* One page of HTML with everything, that needs nothing else.  Return: 0 or -ENOMEM. */
int report_print_page(struct report *r, FILE *f);

/* tools/report/report-page.html, with a zero at its end */
extern const char report_page[] __attribute__((visibility("hidden")));

#endif /* CSF_REPORT_H */
