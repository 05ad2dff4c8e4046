/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX rings, decoded in order of time.
 *
 *	struct perf_queues *queues;
 *	struct perf_run run;
 *
 *	err = perf_queues_new(&queues, &options, &ops);
 *	while ((err = perf_queues_next(queues, UINT64_MAX, &run)) > 0)
 *		... run.run: the blocks, run.stream: the trace stream, run.who: the thread
 *
 * Fragments are decoded one after the other and not kept, so memory does not grow with the
 * recording.
 *
 * Runs are ordered by the timestamps in the trace, if these are virtual time; otherwise by the
 * times of the AUX records, that is, when a buffer was emptied.  In both cases each stream is in
 * the order of its trace.
 */
#ifndef PERF_QUEUES_H
#define PERF_QUEUES_H

#include "perf-cs.h"

/* From @first to @last, both included. */
struct perf_cpus {
	uint32_t first, last;
};

/**
 * struct perf_who - a thread at some time
 * @pid: its process; PERF_NO_TID: the thread is not known
 * @tid: as asked for
 * @space: address space of the image
 * @until: @space is right, and its maps do not change, up to but not including this time
 */
struct perf_who {
	uint32_t pid, tid;
	int space;
	uint64_t until;
};

/**
 * struct perf_stream - the trace of one trace unit in one queue: a protocol under a trace ID
 * @dec: its decoder
 * @unit: its metadata
 * @number: from 0, in the order in which they were found
 * @queue: index in perf_aux
 * @cpu: number of the CPU that it traces; @id: trace ID, 0 if the trace is raw
 * @fragment: the current one; @begin: bytes that the decoder had used up when it began
 * @tid: its current thread; PERF_NO_TID: unknown
 * @guest: a guest is running, see queue-guest.c
 * @context: the current context
 * @time: it is decoded up to this time, perf's clock, ns; 0: not known
 * @next: time of what is decoded next
 */
struct perf_stream {
	struct csf_decoder *dec;
	const struct perf_cs_cpu *unit;
	uint32_t number;
	uint32_t queue;
	uint32_t cpu;
	uint8_t id;
	const struct perf_fragment *fragment;
	uint64_t begin;
	uint32_t tid;
	bool guest;
	struct csf_context context;
	uint64_t time, next;
	/* private */
	struct perf_who who;
	uint64_t told;		/* time of the maps that the decoder was told */
	uint64_t until;		/* time for which @who was found */
	uint64_t ahead;		/* the next timestamp; 0: none is near */
	uint64_t switched;	/* when a switch brought the thread; 0: none did in the fragment */
	uint64_t stamp;		/* the latest timestamp of the fragment */
	uint64_t missing;	/* address without code */
	bool looked;		/* @ahead is known */
	bool sure;		/* @next is known */
	bool late;		/* @next is not that of the last timestamp */
	bool waits;		/* the maps at @next are not known yet */
	bool came;		/* the thread changed: a switch may say when */
	bool dirty;		/* @who must be found again */
	bool starts;		/* the next run is the first of a fragment */
	bool apart;		/* earlier execution does not tell which thread runs now */
	bool empty;		/* all that was fed is decoded */
	bool flushed;		/* and also what the decoder would hold back of it */
};

/**
 * struct perf_run - a run and where it belongs
 * @run: blocks and what ended them; valid until the next call
 * @stream: its stream
 * @fragment: its fragment
 * @who: thread and address space of the steps
 * @time: time of the current maps, perf's clock, ns; where code is missing, the time when it may
 *        have been mapped
 * @after: the steps were executed after this time, that of the last timestamp or switch before
 *         them; 0: not known
 * @came: all of the run was executed after this time, when a switch brought its thread; 0: not
 *        known
 * @since: all of the fragment was executed after this time; 0: not known
 * @starts: it is the first run of a fragment, and does not continue what came before
 */
struct perf_run {
	struct csf_run run;
	struct perf_stream *stream;
	const struct perf_fragment *fragment;
	struct perf_who who;
	uint64_t time, after, came, since;
	bool starts;
};

/**
 * struct perf_queues_ops - functions that the queues call
 * @context: given to the functions
 * @who: finds the thread of @stream at @time, 0: not known; returns 0, or -errno, which ends the
 *       decode
 * @came: returns when the thread of @stream came to its CPU, from @from to @to; 0: not known
 */
struct perf_queues_ops {
	void *context;
	int (*who)(void *context, const struct perf_stream *stream, uint64_t time,
		   struct perf_who *who);
	uint64_t (*came)(void *context, const struct perf_stream *stream, uint64_t from,
			 uint64_t to);
};

/**
 * struct perf_queues_options - what to decode, and how
 * @file: the file of the bytes
 * @aux: the fragments
 * @cs: the metadata; NULL: there is none
 * @image: the image of code
 * @cpus: decode only trace of these CPUs, @n_cpus ranges; 0: of all
 * @from: leave out fragments that were complete before this time; with @timed the last of these
 *        stay, as later times are estimated from their timestamps; 0: none
 * @until: leave out what follows a timestamp later than this, if @timed; otherwise fragments that
 *         begin later; 0: none
 * @marks: for csf_config.marks; @without: for csf_config.without
 * @timed: order by timestamps in the trace
 * @commit_tail: elements that are uncommitted where a fragment ends count as executed
 * @paths: for csf_ask_paths(); there are none without memory, or if cycle counts, which refer to
 *         steps, are both in @marks and in the trace
 * @threads: threads that decode ahead; NULL: none
 */
struct perf_queues_options {
	struct perf_file *file;
	const struct perf_aux *aux;
	struct perf_cs *cs;
	struct csf_image *image;
	const struct perf_cpus *cpus;
	size_t n_cpus;
	uint64_t from, until;
	uint32_t marks;
	uint32_t without;
	bool timed;
	bool commit_tail;
	bool paths;
	struct csf_threads *threads;
};

#define PERF_LEFT	64

/* Where a guest's process was interrupted, on the thread that runs the guest. */
struct perf_left {
	uint64_t addr;
	uint32_t tid;
};

/**
 * struct perf_queues - all queues of a recording
 * @options: as given
 * @stream: @n_stream so far
 * @done: bytes of fragments that are decoded; @total: bytes of all fragments
 * @no_unit: bytes of fragments whose trace unit is not known or not supported
 */
struct perf_queues {
	struct perf_queues_options options;
	struct perf_stream **stream;
	size_t n_stream;
	uint64_t done, total;
	uint64_t no_unit;
	/* private */
	uint64_t raw;			/* as perf_unread.raw */
	struct perf_queues_ops ops;
	struct csf_image *nothing;	/* an image without code, to look for timestamps */
	struct ring *ring;
	struct ring *current;
	size_t n_ring, size_stream;
	uint64_t read, read_from, read_to;	/* bytes read since some were dropped, and where */
	struct perf_left left[PERF_LEFT];
};

/* The objects in @options must outlive the queues.  Return: 0, -ENOMEM. */
int perf_queues_new(struct perf_queues **queues, const struct perf_queues_options *options,
		    const struct perf_queues_ops *ops);
void perf_queues_free(struct perf_queues *queues);

/* Call before the first perf_queues_next(): sets perf_queues_options.from and @until afterwards. */
void perf_queues_span(struct perf_queues *queues, uint64_t from, uint64_t until);

/* Trace is fed in pieces that end at multiples of this, counted from the start of a fragment. */
#define PERF_START_ALIGN	(256u << 10)

/**
 * struct perf_start - where decode of a queue begins
 * @fragment: index in perf_aux
 * @pos: offset in it; a multiple of PERF_START_ALIGN, or runs will end elsewhere than usual
 * @id: for frames: current trace ID there, 0: not known
 */
struct perf_start {
	size_t fragment;
	uint64_t pos;
	uint8_t id;
};

/*
 * Call before the first perf_queues_next(): skips what is before @start.  After the next multiple
 * of PERF_START_ALIGN with an A-sync, and some timestamps and contexts before it, runs are the same
 * as those of a decode from the beginning.  Of several @start in a queue, the last is used.
 */
void perf_queues_start(struct perf_queues *queues, size_t queue, const struct perf_start *start);

/**
 * perf_queues_next() - the next run
 * @until: perf's clock, ns: return only runs that were executed by then; UINT64_MAX: all
 *
 * Return: 1 and a run; 0: there is no more before @until; -ENOMEM; the error of
 * perf_queues_ops.who.
 */
int perf_queues_next(struct perf_queues *queues, uint64_t until, struct perf_run *run);

/*
 * Offset in the file of the packet that ended @run, which perf_queues_next() has just returned;
 * UINT64_MAX: not known.
 */
uint64_t perf_queues_offset(const struct perf_queues *queues, const struct perf_run *run);

/**
 * struct perf_unread - bytes of trace that no decoder took
 * @id: those in frames, by their trace ID, which belongs to no known trace unit; for ID 0, those
 *      that are not padding
 * @cut: those of frames whose end is missing
 * @nameless: those in frames before the first trace ID of an AUX record
 * @raw: those of CPUs without a known trace unit
 * @total: all of these
 */
struct perf_unread {
	uint64_t id[CSF_ID_MAX];
	uint64_t cut, nameless, raw, total;
};

/**
 * perf_queues_unread() - count the bytes that were not decoded so far
 *
 * If CPUs were left out (@options.n_cpus), frames are not counted.  A fragment counts as a whole if
 * some of it may be of the time from @options.from to @options.until.
 */
void perf_queues_unread(const struct perf_queues *queues, struct perf_unread *unread);

#endif /* PERF_QUEUES_H */
