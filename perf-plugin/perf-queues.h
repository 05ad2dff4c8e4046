/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX rings, decoded in the order of time.
 *
 *	struct perf_queues *queues;
 *	struct perf_run run;
 *
 *	err = perf_queues_new(&queues, &options, &ops);
 *	while ((err = perf_queues_next(queues, UINT64_MAX, &run)) > 0)
 *		... run.run is what ran, run.stream where, run.who who
 *
 * Fragments are decoded one after the other and nothing of them is kept, so
 * memory does not grow with the recording.
 *
 * The order is that of time: with virtual timestamps in the trace, of those;
 * else of the AUX records, that is, of when a buffer was emptied.  Whatever the
 * order, each stream is in the order of its trace.
 */
#ifndef PERF_QUEUES_H
#define PERF_QUEUES_H

#include "perf-cs.h"

/* From @first to @last, both included. */
struct perf_cpus {
	uint32_t first, last;
};

/**
 * struct perf_who - a thread at a moment
 * @pid: its process; PERF_NO_TID: the thread is not known
 * @tid: as asked for
 * @space: address space of the image
 * @until: up to but not including this time @space is right and its maps do not change
 */
struct perf_who {
	uint32_t pid, tid;
	int space;
	uint64_t until;
};

/**
 * struct perf_stream - the trace of one CPU in one queue
 * @dec: its decoder
 * @unit: its metadata
 * @number: from 0, in the order in which they were found
 * @queue: of perf_aux
 * @cpu: number; @id: trace ID, 0 if the trace is raw
 * @fragment: at hand; @begin: bytes that the decoder had used up when it began
 * @tid: thread that it speaks of; PERF_NO_TID: unknown
 * @guest: what runs is a guest's, see queue-guest.c
 * @context: in force
 * @time: perf's clock, ns: up to here it is decoded; 0: not known
 * @next: what is decoded next counts as of this time
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
	uint64_t told;		/* to the decoder: time of the maps */
	uint64_t until;		/* for which @who was asked */
	uint64_t ahead;		/* the timestamp to come; 0: none is near */
	uint64_t switched;	/* when a switch brought the thread; 0: none did in the fragment */
	uint64_t stamp;		/* the latest timestamp of the fragment */
	uint64_t missing;	/* where there was no code */
	bool looked;		/* @ahead is known */
	bool sure;		/* @next is known */
	bool late;		/* it is not that of the last timestamp */
	bool waits;		/* it is not known yet what is mapped at @next */
	bool came;		/* another thread: a switch may say when */
	bool dirty;		/* who has to be asked for */
	bool starts;		/* the next run is the first of a fragment */
	bool apart;		/* what ran before does not say who runs now */
	bool empty;		/* what was fed is decoded */
	bool flushed;		/* and what the decoder would hold back of it */
};

/**
 * struct perf_run - a run and where it belongs
 * @run: blocks and what ended them; good until the next call
 * @stream: whose
 * @fragment: it comes from
 * @who: thread and address space of the steps
 * @time: of maps in force: perf's clock, ns; where code is missing that is when it may have come
 * @after: the steps were executed behind this time, the last timestamp or switch before them; 0:
 *         not known
 * @came: all of the run was executed behind this time, when a switch brought its thread; 0: not
 *        known
 * @since: all of the fragment was executed behind this time; 0: not known
 * @starts: it is the first one of a fragment: what came before is not joined to it
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
 * struct perf_queues_ops - what the queues ask
 * @context: given to the functions
 * @who: who @stream is decoding at @time, 0: that is not known; 0, or -errno, which ends it
 * @came: when the thread of @stream came to its CPU, from @from to @to; 0: that is not known
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
 * @file: where the bytes are
 * @aux: the fragments
 * @cs: the metadata; NULL: there is none
 * @image: of code
 * @cpus: only trace of these, @n_cpus ranges; 0: of all
 * @from: leave out fragments that were complete before this time, but with @timed not the last
 *        ones: from their timestamps times behind them are estimated; 0: none
 * @until: and what comes behind a timestamp later than this, if @timed, else fragments that begin
 *         later; 0: none
 * @marks: for csf_config.marks; @without: for csf_config.without
 * @timed: order by timestamps in the trace
 * @commit_tail: what is undecided where a fragment ends counts as executed
 * @paths: for csf_ask_paths(); without memory there are none, and none where cycle counts are in
 *         @marks and in the trace: they speak of steps
 * @threads: decode ahead; NULL: nobody does
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
 * struct perf_queues - all of them
 * @options: as given
 * @stream: @n_stream so far
 * @done: bytes of fragments that are decoded; @total: of all
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
	uint64_t read, read_from, read_to;	/* bytes since some were dropped, and where */
	struct perf_left left[PERF_LEFT];
};

/* What @options points to must outlive the queues.  Return: 0, -ENOMEM. */
int perf_queues_new(struct perf_queues **queues, const struct perf_queues_options *options,
		    const struct perf_queues_ops *ops);
void perf_queues_free(struct perf_queues *queues);

/* Before the first perf_queues_next(): perf_queues_options.from and @until, known only now. */
void perf_queues_span(struct perf_queues *queues, uint64_t from, uint64_t until);

/* Trace is fed in pieces that end at multiples of this, counted from the start of a fragment. */
#define PERF_START_ALIGN	(256u << 10)

/**
 * struct perf_start - where decode of a queue begins
 * @fragment: of perf_aux
 * @pos: in that; with PERF_START_ALIGN, or runs will not end where they do else
 * @id: of frames: trace ID in force there, 0: not known
 */
struct perf_start {
	size_t fragment;
	uint64_t pos;
	uint8_t id;
};

/*
 * Before the first perf_queues_next(): what is before @start is passed over.  Behind the next
 * PERF_START_ALIGN that has an A-sync, some timestamps and contexts before it, runs are those
 * of a decode from the beginning.  Of several @start the last one in the queue holds.
 */
void perf_queues_start(struct perf_queues *queues, size_t queue, const struct perf_start *start);

/**
 * perf_queues_next() - the next run
 * @until: perf's clock, ns: only what was executed by then; UINT64_MAX: everything
 *
 * Return: 1 and a run; 0: there is no more before @until; -ENOMEM; what perf_queues_ops.who said.
 */
int perf_queues_next(struct perf_queues *queues, uint64_t until, struct perf_run *run);

/**
 * struct perf_unread - bytes of trace that no decoder took
 * @id: those in frames, by their trace ID, which no trace unit has as far as is known; of ID 0,
 *      those that are no padding
 * @cut: of frames whose end is missing
 * @raw: of CPUs that have no trace unit
 * @total: all of these
 */
struct perf_unread {
	uint64_t id[CSF_ID_MAX];
	uint64_t cut, raw, total;
};

/**
 * perf_queues_unread() - count what was not decoded so far
 *
 * With CPUs that were left out (@options.n_cpus) nothing is known of frames.  A fragment counts if
 * some of it may be of the time from @options.from to @options.until, and then whole.
 */
void perf_queues_unread(const struct perf_queues *queues, struct perf_unread *unread);

#endif /* PERF_QUEUES_H */
