/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packets to atom runs.  Nothing of a trace is kept but the atom run that is being made and
 * the previous one, which ends when it is known where the new one began to run.
 *
 *	err = quick_fill_stream(&fill, &stream, queue, cpu);
 *	quick_fill_fragment(&fill, stream, fragment);
 *	while ((n = csf_monitor_read(stream->mon, packet, 256, NULL, NULL)) > 0)
 *		err = quick_fill_packets(&fill, stream, packet, n);
 *	err = quick_fill_end(&fill, stream);
 */
#ifndef CSF_QUICK_FILL_H
#define CSF_QUICK_FILL_H

#include "../../perf-plugin/perf-replay.h"
#include "quick.h"

#define QUICK_PAGES	256

/* The code in a page: @section, and the address of its offset 0. */
struct quick_page {
	uint64_t page, base;
	uint32_t section;
};

#define QUICK_HITS	4096	/* a power of two */

/* The addresses and atoms of an atom run that QUICK_NEXT ended, and its index in the table. */
struct quick_hit {
	uint64_t addr, to, atoms;
	uint32_t atom_run;
	uint8_t n;
};

enum quick_sync { QUICK_NO_SYNC, QUICK_WAITS_INFO, QUICK_IN_SYNC };

/* ETM4 is ETE, too. */
enum quick_kind { QUICK_ETM4, QUICK_PTM, QUICK_ETM3 };

/* The lowest bit that an address of ETMv3 and PTM can have is 2 minus this. */
enum quick_isa { QUICK_A32, QUICK_T32, QUICK_JAZELLE };

/**
 * struct quick_older - the state of packets of ETMv3 and PTM
 * @context: the last one in packets
 * @isa: of the last address: enum quick_isa
 * @alt: T32 is ThumbEE
 * @gray: timestamps are in Gray code
 * @ids: there are context IDs
 * @virtual: of ETMv3: it tells Hyp mode
 * @no_insn: of ETMv3: it traces data alone
 * @synced: of ETMv3: so are the packets that come
 * @held: of ETMv3: @n_held packets, of which the last atom may be cancelled; owned
 */
struct quick_older {
	struct csf_context context;
	uint8_t isa;
	bool alt, gray, ids, virtual, no_insn, synced;
	struct csf_packet *held;
	size_t n_held, size_held;
};

/**
 * struct quick_stream - the trace of one CPU in one queue
 * @whose: for perf_replay_who(); it has no decoder
 * @mon: its packets
 * @unit: in the table; @speculates: its trace may be cancelled, so packets are read once
 *        they are sure
 * @fill: the owner of the stream
 * @kind: enum quick_kind
 * @sync: enum quick_sync; an I-sync of ETMv3 and PTM is as a Trace Info
 * @at: bytes so far; @begin: when the fragment began
 * @history: the last three addresses, newest first, bit 0 is the instruction set bit; of ETMv3 and
 *           PTM only the newest
 * @hot: in sync, @known, and none of the following
 * @known: where execution is, is known: in @now
 * @waits: an exception, or a Q, waits for its address
 * @in_transaction: it is unknown whether the transaction succeeds
 * @deaf: there was no room for the current atom run
 * @going: execution goes on after the previous code
 * @why: enum csf_gap: why atoms are lost while it is not @known
 * @exception: the packet that waits
 * @now: the atom run that is being made, its address @addr with its instruction set bit in bit 0;
 *       @located: it has its section and offset
 * @before: the one before, if @has_before, and its half of the trace
 * @raw: the previous atom run as it came, if it has atoms: a known one need not be looked up
 * @half: the half of the trace; the second begins at @middle bytes of fragment @last
 * @time: perf's clock: maps in force
 * @page, @hit: sections and atom runs found with these maps
 * @n_atom_run, @n_atom: of the current thread, so far
 * @older: if it is ETMv3 or PTM
 */
struct quick_stream {
	struct perf_stream whose;
	struct quick_fill *fill;
	struct csf_monitor *mon;
	struct csf_config config;
	uint8_t unit, kind, sync, why, half, half_before;
	bool speculates, hot, known, waits, waits_q, in_transaction, deaf, going;
	bool located, has_before;
	uint32_t deep;
	uint64_t at, begin, addr, time, timestamp, middle;
	uint64_t history[3];
	struct csf_packet exception;
	struct atom_run now, before;
	const struct perf_fragment *last;
	struct perf_who who;
	struct quick_hit raw;
	struct quick_page page[QUICK_PAGES];
	struct quick_hit hit[QUICK_HITS];
	uint64_t n_atom_run, n_atom;
	struct quick_older older;
};

/* The atom runs and atoms of a thread on a CPU; @comm: owned. */
struct quick_thread {
	uint32_t cpu, pid, tid;
	uint64_t n_atom_run, n_atom;
	char *comm;
};

/**
 * struct quick_fill - zero it, and set @replay and @quick
 * @number: for each section of the image, its number in the table + 1; 0: none yet
 * @thread: the threads that ran
 * @lost_q: times that code ran on a path that trace does not tell, or that is not read here
 * @transactions: atoms in transactions, which are lost
 */
struct quick_fill {
	struct perf_replay *replay;
	struct quick *quick;
	uint32_t *number;
	size_t n_number;
	struct quick_thread *thread;
	size_t n_thread, size_thread;
	uint64_t lost_q, transactions;
};

void quick_fill_fini(struct quick_fill *fill);

/* Return: 0, -ENOMEM, -ENOENT: the unit is unknown, or not supported here. */
int quick_fill_stream(struct quick_fill *fill, struct quick_stream **stream, uint32_t queue,
		      uint32_t cpu);
void quick_fill_free(struct quick_stream *stream);

/* Begins a fragment: the following packets are of it. */
int quick_fill_fragment(struct quick_fill *fill, struct quick_stream *stream,
			const struct perf_fragment *fragment);

/* The following was executed after that timestamp, if perf_replay.timed. */
int quick_fill_time(struct quick_fill *fill, struct quick_stream *stream, uint64_t timestamp);

/* Return: 0 or -ENOMEM. */
int quick_fill_packets(struct quick_fill *fill, struct quick_stream *stream,
		       const struct csf_packet *packet, size_t n);

/*
 * The same for a stream that @speculates: packets of csf_monitor_read_committed().  Call it once
 * more with 0 packets at the end.
 */
int quick_fill_committed(struct quick_fill *fill, struct quick_stream *stream,
			 const struct csf_packet *packet, const uint64_t *offset, size_t n,
			 uint64_t used);

/* Call this where trace breaks off, or ends. */
int quick_fill_end(struct quick_fill *fill, struct quick_stream *stream);

/* Atom runs are made of protocols that have atoms and addresses. */
static inline bool quick_reads(const struct csf_config *config)
{
	const int protocol = csf_config_protocol(config);

	return protocol == CSF_PROTOCOL_ETM4 || protocol == CSF_PROTOCOL_ETE ||
	       protocol == CSF_PROTOCOL_ETM3 || protocol == CSF_PROTOCOL_PTM;
}

#endif /* CSF_QUICK_FILL_H */
