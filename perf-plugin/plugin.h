/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host that has its own idea of processes and code, perf itself, sees of
 * this folder: a recording goes in, runs come out, in the order of time.
 *
 *	struct plugin *plugin;
 *	struct plugin_run run;
 *
 *	err = plugin_open(&plugin, "perf.data", &options, &host);
 *	... whenever the host's records have got to @time:
 *	while ((err = plugin_next(plugin, time, &run)) > 0)
 *		... cs_samples_run(..., run.dec, run.run)
 *
 * The host fills the image: plugin_image().  It is asked for the address space
 * whenever a thread or its context changes.  No name in here is one of perf's.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "../decoder/csflow.h"

struct plugin;

/* No such CPU, no such thread: not known */
#define PLUGIN_NONE	UINT32_MAX

/* From @first to @last, both included. */
struct plugin_range {
	uint64_t first, last;
};

/**
 * struct plugin_options - what to decode
 * @cpu: only trace of these CPUs, @n_cpu ranges; 0: of all
 * @from: leave out fragments that were complete before this time, perf's clock, ns; 0: none.  With
 *        timestamps the last of them stays in, so that times behind it are estimated as ever
 * @until: and those that begin behind this one; 0: none
 * @marks: for csf_config.marks
 * @timeless: do not look at timestamps
 * @commit_tail: P0 elements that are not committed where a buffer ends count as executed; else
 *               they are a gap
 * @trust: timestamps are of perf's clock even if the metadata does not say so
 * @n_threads: decode with so many; 0 and 1: only the caller's
 */
struct plugin_options {
	const struct plugin_range *cpu;
	size_t n_cpu;
	uint64_t from, until;
	uint32_t marks;
	bool timeless;
	bool commit_tail;
	bool trust;
	uint32_t n_threads;
};

/**
 * struct plugin_who - who is executing
 * @cpu: where
 * @tid: PLUGIN_NONE: the trace does not say
 * @guest: it is a guest that this thread runs: its kernel, or a process of its
 * @time: perf's clock, ns; 0: not known
 * @context: as the trace says
 */
struct plugin_who {
	uint32_t cpu, tid;
	bool guest;
	uint64_t time;
	struct csf_context context;
};

/**
 * struct plugin_host - what the host answers
 * @context: given to the functions
 * @space: the address space of @who: a number of csf_space_new(), or CSF_SPACE_ALL; < 0: -errno,
 *         which plugin_next() then returns
 */
struct plugin_host {
	void *context;
	int (*space)(void *context, const struct plugin_who *who);
};

/* struct plugin_run.lost: what the AUX record of the fragment says */
#define PLUGIN_TRUNCATED	0x02
#define PLUGIN_OVERWRITE	0x04
#define PLUGIN_PARTIAL		0x08
#define PLUGIN_COLLISION	0x10

/**
 * struct plugin_run - a run and where it belongs
 * @run: good until the next call
 * @dec: its decoder
 * @stream: number of the trace stream, from 0: keep one state for samples for each
 * @queue: number of the AUX ring
 * @id: trace ID, 0 if the trace is raw
 * @cpu: it was traced there
 * @tid: thread of the steps; PLUGIN_NONE: unknown
 * @time: perf's clock, ns: of the maps in force: the steps are older; 0: not known
 * @aux_time: when the AUX buffer was emptied: all steps are older; 0: not known
 * @since: when the one before was emptied: all are younger; 0: not known
 * @came: when a switch brought the thread: all steps are younger; 0: not known
 * @starts: it is the first of a fragment: what came before is not joined to it
 * @lost: PLUGIN_x
 * @offset: of the fragment in the file
 * @at: of the packet that ended the run in the fragment, in bytes of its trace ID
 */
struct plugin_run {
	const struct csf_run *run;
	struct csf_decoder *dec;
	uint32_t stream, queue;
	uint8_t id;
	uint32_t cpu, tid;
	uint64_t time, aux_time, since, came;
	bool starts;
	uint32_t lost;
	uint64_t offset, at;
};

/**
 * plugin_open() - the trace of a recording
 * @path: of the file
 * @options: copied, but not what @cpu points to
 * @host: copied
 *
 * A file that is damaged opens too: see plugin_problem().
 *
 * Return: 0; -ENOENT and so on if it cannot be read; -ENOMEM.
 */
int plugin_open(struct plugin **plugin, const char *path, const struct plugin_options *options,
		const struct plugin_host *host);

/**
 * plugin_open_pipe() - the trace of a recording that can be read only once
 *
 * The host hands every record that it reads, in the order of the file, to plugin_feed(): those
 * with attributes (PERF_RECORD_HEADER_ATTR) first; AUXTRACE with its trace behind it.  At the end
 * it calls plugin_ready(), and then plugin_next().
 *
 * Return: 0, -ENOMEM.
 */
int plugin_open_pipe(struct plugin **plugin, const struct plugin_options *options,
		     const struct plugin_host *host);
int plugin_feed(struct plugin *plugin, const void *bytes, size_t n);
int plugin_ready(struct plugin *plugin);

void plugin_close(struct plugin *plugin);

/*
 * After an error that means "no memory": writes what it was wanted for, the decoder's tables
 * included, and how much, to the @n bytes at @text.  Return: the length of that; 0: it was nothing
 * large.
 */
size_t plugin_no_memory(char *text, size_t n);

/* The image, for the host to fill. */
struct csf_image *plugin_image(struct plugin *plugin);

/**
 * plugin_timed() - how runs are ordered
 *
 * Return: true: by timestamps in the trace, which plugin_time() understands; false: by the time at
 * which their AUX buffer was emptied.
 */
bool plugin_timed(const struct plugin *plugin);

/* A timestamp of the trace in perf's clock, ns; 0: it cannot be told. */
uint64_t plugin_time(const struct plugin *plugin, uint64_t timestamp);

/* The other way: the timestamp at a time of perf's clock. */
uint64_t plugin_timestamp(const struct plugin *plugin, uint64_t ns);

/**
 * plugin_next() - the next run
 * @until: perf's clock, ns: only what is known to have run before this; UINT64_MAX: everything
 *
 * Return: 1 and a run; 0: nothing more before @until; -ENOMEM; or what plugin_host.space() said.
 */
int plugin_next(struct plugin *plugin, uint64_t until, struct plugin_run *run);

/*
 * A thread of the one process that the records name: user code is of that where the trace does not
 * say who executes.  PLUGIN_NONE: there are several, or none.
 */
uint32_t plugin_only(const struct plugin *plugin);

/* How far it is: bytes of trace decoded, and of all. */
void plugin_progress(const struct plugin *plugin, uint64_t *done, uint64_t *total);

/**
 * plugin_problem() - what is wrong with the recording
 * @i: from 0
 * @damage: to be shown: something is lost or not to be trusted; false: it is only unusual
 *
 * Return: "offset 0x...: reason", good until the next call; NULL: there are not so many.
 */
const char *plugin_problem(struct plugin *plugin, size_t i, bool *damage);

/**
 * plugin_unread() - bytes of trace that no decoder took
 * @unknown: nothing is known of their trace unit
 * @cut: they are of frames whose end is missing
 */
void plugin_unread(const struct plugin *plugin, uint64_t *unknown, uint64_t *cut);

/**
 * struct plugin_poke - code of the kernel that became other code while it ran
 * @addr: of the first byte
 * @time: perf's clock, ns
 * @old: what was there, @n_old bytes, 0: nothing was
 * @new: what is there since, @n_new bytes
 */
struct plugin_poke {
	uint64_t addr, time;
	const uint8_t *old, *new;
	size_t n_old, n_new;
};

/* The @i-th, from 0, in the order of time, good as long as the plugin; false: no more. */
bool plugin_poke(struct plugin *plugin, size_t i, struct plugin_poke *poke);

/* What the decoder of a stream has seen; false behind the last stream. */
bool plugin_stats(const struct plugin *plugin, uint32_t stream, struct csf_stats *stats);

/**
 * struct plugin_piece - a piece of the trace as it lies in the file, for a dump of its packets
 * @bytes: @size of them; borrowed
 * @aux_offset: of the first in the AUX ring
 * @offset: in the file
 * @cpu: where it was traced; PLUGIN_NONE: unknown
 * @raw: the bytes of one trace unit; else frames
 * @id: trace ID of that trace unit, 0: not known; of frames 0
 * @fragment: for plugin_config()
 */
struct plugin_piece {
	const void *bytes;
	uint64_t size;
	uint64_t aux_offset, offset;
	uint32_t cpu;
	bool raw;
	uint8_t id;
	size_t fragment;
};

/* The @i-th piece, from 0, that lies in [@offset, @offset + @size) of the file; false: no more. */
bool plugin_piece(struct plugin *plugin, uint64_t offset, uint64_t size, size_t i,
		  struct plugin_piece *piece);

/* How to read packets of trace ID @id, 0 if it is raw, in @piece.  Return: 0; -ENOENT: unknown. */
int plugin_config(const struct plugin *plugin, const struct plugin_piece *piece, uint8_t id,
		  struct csf_config *config);

#endif /* PLUGIN_H */
