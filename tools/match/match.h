/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The matcher: two traces of the same execution, and where they differ.
 *
 * Instructions are the anchors: the current ones of both sides must have the same
 * address.  Runs of them are compared as bytes.  Records between two anchors
 * form a set.  If anchors differ, the nearest place is looked for at which several
 * in a row agree again; the items up to there are reported.
 *
 * With a truth log the decoder's gaps are checked, too: each must be one that
 * the trace unit logged, at the same place.
 */
#ifndef CSF_MATCH_H
#define CSF_MATCH_H

#include <stdio.h>

#include "match-side.h"
#include "../lib/progress.h"

enum match_format { MATCH_SIDES, MATCH_UNIFIED, MATCH_JSON };
enum match_align { MATCH_BY_ADDRESS, MATCH_BY_ID };

/**
 * enum match_kind - differences
 * @MATCH_CHANGED: the same record, but not in all fields
 * @MATCH_MISSING: in A only; @MATCH_EXTRA: in B only
 * @MATCH_ORDER: in both, elsewhere
 * @MATCH_GAP: the decoder has a gap that the unit did not log
 * @MATCH_NO_GAP: the unit logged instructions as lost, without a gap
 * @MATCH_Q: a Q element that counts other instructions than the unit logged
 * @MATCH_CONTEXT: executed in another context, or by another thread
 * @MATCH_TAIL: one goes on where the other ended
 */
enum match_kind {
	MATCH_CHANGED,
	MATCH_MISSING,
	MATCH_EXTRA,
	MATCH_ORDER,
	MATCH_GAP,
	MATCH_NO_GAP,
	MATCH_Q,
	MATCH_CONTEXT,
	MATCH_TAIL,
	MATCH_KIND_NR,
};

/* "changed" and so on. */
const char *match_kind_name(enum match_kind kind);

/**
 * struct match_options - how to compare
 * @first_stop: stop at the first difference
 * @boot, @start, @has_start, @skip_equal: see struct match_side
 * @skip_rest: ignore what one side has in addition at the end
 * @window: records that may be in any order, 1: none
 * @ticks: likewise, records at most this far apart in time, with @has_ticks
 * @resync: instructions to look ahead for a place where both agree again
 * @confirm: instructions in a row that must agree for that
 * @context: records shown before and after a difference
 * @max: differences that are shown; 0: all
 * @align: enum match_align
 * @format: enum match_format
 * @quiet: no differences, no summary
 * @out: the output
 */
struct match_options {
	struct match_rules rules;
	bool first_stop, skip_equal, skip_rest, has_start, has_ticks, quiet;
	uint64_t boot, start, ticks;
	uint32_t window, resync, confirm, context, max;
	int align, format;
	FILE *out;
};

#define MATCH_RESYNC	1000
#define MATCH_CONFIRM	3

/**
 * struct match_count - the totals
 * @equal: instructions that are the same in both; @records: other equal records
 * @insns: of each side; @all: other records of each side
 * @differences: by enum match_kind, in records; for gaps, in gaps
 * @places: with one or more differences
 * @lost: instructions that the unit logged as lost, by enum truth_lost; @losses: how often
 * @unsynced: places after which nothing agreed within the look-ahead
 */
struct match_count {
	uint64_t equal, records;
	uint64_t insns[2], all[2];
	uint64_t differences[MATCH_KIND_NR];
	uint64_t places;
	uint64_t lost[TRUTH_LOST_NR], losses[TRUTH_LOST_NR];
	uint64_t unsynced;
};

struct match_report;

#define MATCH_SET	512	/* records between two anchors that are compared as one set */

/**
 * struct match_set - records of one side between two anchors
 * @kept: @n of them
 * @lost: instructions here that the unit logged as lost; @q: those of them in Q elements
 * @reasons: bit for each enum truth_lost; @by: lost instructions by reason
 * @exception, @task: the set has one
 */
struct match_set {
	struct match_kept kept[MATCH_SET];
	size_t n;
	uint64_t by[TRUTH_LOST_NR];
	uint64_t lost;
	uint32_t reasons;
	bool exception, task;
};

/**
 * struct match - a comparison of two streams
 * @side: A and B
 * @truth: the side that is a truth log while the other is decoded trace; -1: none
 * @lost: why the execution of that side is not in the trace; 0: it is
 * @lost_insns: lost instructions of that side in this stream
 * @meet: for each side, the next instruction at which they meet; an earlier one: unknown
 * @gap: for each side, 1 more than its instructions before its last gap; 0: there was none
 * @no_far: the position of A up to which it is of no use to look far ahead
 * @context: the last context of each side
 * @pid, @tid: the thread of each side, PERF_NO_TID: not known
 * @told_context: the difference of contexts has been reported; @told_task: that of threads
 * @begun: an instruction was compared
 * @logs: one of the two is Tarmac
 * @stream: the stream of A or, if it has none, of B
 * @progress: updated now and then, or NULL
 * @before: for each side, what was taken before the current place
 * @stop: stop comparing
 * @error: negative errno
 */
struct match {
	const struct match_options *options;
	struct match_side side[2];
	struct match_report *report;
	struct match_count count;
	int truth;
	uint64_t lost, lost_insns;
	uint64_t meet[2], gap[2], no_far;
	struct csf_context context[2];
	uint32_t pid[2], tid[2];
	bool told_context, told_task, begun, stop, logs;
	struct source_stream stream;
	struct progress *progress;
	uint64_t before[2];
	int error;
	/* private */
	uint64_t steps;
	struct match_set *set[2];
	struct match_anchor *anchor[2];
	struct match_slot *slot;
	size_t n_slot, look, size_look;
};

/* Return: 0 or -ENOMEM. */
int match_init(struct match *m, const struct match_options *options, struct source *a,
	       struct source *b);
void match_fini(struct match *m);

/*
 * Compares a stream of A with one of B; NULL: an empty stream.
 * Counts are added up.  Return: 0, or -errno.
 */
int match_streams(struct match *m, const struct source_stream *a, const struct source_stream *b);

/* All differences. */
uint64_t match_differences(const struct match_count *count);

/* ---------------------------------------------------------------- between the parts */

/* Reduces @item to its first instruction. */
void match_first(struct source_item *item);

/* match-field.c: the fields that differ, MATCH_x; for instructions, those of the first ones. */
uint32_t match_insn_fields(struct match *m, const struct source_item *a,
			   const struct source_item *b);
/* Are both executed, or both skipped, or is that not compared? */
bool match_how(const struct match *m, const struct source_item *a, const struct source_item *b);
uint32_t match_record_fields(struct match *m, const struct match_kept *a,
			     const struct match_kept *b);

/* Are their times as close as the rules want? */
bool match_time_same(const struct match *m, const struct source_item *a,
		     const struct source_item *b);

/* Are they records of the same thing, perhaps with different fields? */
bool match_record_key(const struct match_kept *a, const struct match_kept *b);

/* Are the parts that both have equal? */
bool match_context_same(const struct csf_context *a, const struct csf_context *b);

/* Takes losses and contexts from a record that is not compared. */
void match_pass(struct match *m, int side, const struct source_item *item);

/* match-set.c: compares the current records of both sides, up to the next anchors. */
void match_sets(struct match *m);

/**
 * match_memory() - compare the accesses of the sets byte by byte
 * @of: records that have a partner are not compared
 * @same: set for each record all of whose bytes the other side accesses, too
 *
 * Return: 0 or -ENOMEM.
 */
int match_memory(const struct match *m, const uint16_t *const of[2], bool *const same[2]);

/* match-sync.c: the current anchors differ: finds where they agree again. */
void match_sync(struct match *m);

/* match-window.c: compares in windows instead. */
void match_windows(struct match *m);

/* match-report.c */
int match_report_new(struct match_report **report, struct match *m);
void match_report_free(struct match_report *report);

/**
 * match_report_begin() - begin to report a place where they differ
 * @kind: the kind of the first difference
 * @why: the reason in words
 */
void match_report_begin(struct match *m, enum match_kind kind, const char *why);

/* Reports a record of A, of B, or of both; @fields: those that differ.  NULL: none. */
void match_report_pair(struct match *m, enum match_kind kind, const struct source_item *a,
		       const struct source_item *b, uint32_t fields);
/* Reports an equal record, as context. */
void match_report_same(struct match *m, const struct source_item *a, const struct source_item *b);

/* Shows the following context and ends the report.  Counts, and decides whether to stop. */
void match_report_end(struct match *m);

/* Prints the totals. */
void match_report_summary(const struct match *m, const char *a, const char *b);

#endif /* CSF_MATCH_H */
