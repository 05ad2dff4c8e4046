/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of this folder for a host with its own view of processes and code, that is, perf:
 * it turns a recording into runs, in order of time.
 *
 *	struct plugin *plugin;
 *	struct plugin_run run;
 *
 *	err = plugin_open(&plugin, "perf.data", &options, &host);
 *	... whenever the host's records have reached @time:
 *	while ((err = plugin_next(plugin, time, &run)) > 0)
 *		... cs_samples_run(..., run.dec, run.run)
 *
 * The host fills the image: plugin_image().  It is asked for the address space whenever a thread or
 * its context changes.  No name here is one of perf's.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "../decoder/csflow.h"

struct plugin;

/* No such CPU or thread: not known */
#define PLUGIN_NONE	UINT32_MAX

/* From @first to @last, both included. */
struct plugin_range {
	uint64_t first, last;
};

/**
 * struct plugin_options - what to decode
 * @cpu: decode only trace of these CPUs, @n_cpu ranges; 0: of all
 * @from: leave out fragments that were complete before this time, perf's clock, ns; 0: none.  With
 *        timestamps the last of them stays, so that later times are estimated as usual
 * @until: leave out fragments that begin after this time; 0: none
 * @marks: for csf_config.marks
 * @timeless: ignore timestamps
 * @commit_tail: P0 elements that are uncommitted where a buffer ends count as executed; otherwise
 *               they are a gap
 * @trust: timestamps are of perf's clock even if the metadata does not say so
 * @n_threads: number of threads to decode with; 0 and 1: only the caller's
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
 * struct plugin_who - the thread that is executing
 * @cpu: its CPU
 * @tid: its number; PLUGIN_NONE: the trace does not say
 * @guest: a guest of this thread is executing: the guest's kernel, or one of its processes
 * @time: perf's clock, ns; 0: not known
 * @context: the context in the trace
 */
struct plugin_who {
	uint32_t cpu, tid;
	bool guest;
	uint64_t time;
	struct csf_context context;
};

/**
 * struct plugin_host - functions of the host
 * @context: given to the functions
 * @space: returns the address space of @who: a number of csf_space_new(), or CSF_SPACE_ALL; < 0:
 *         -errno, which plugin_next() then returns
 */
struct plugin_host {
	void *context;
	int (*space)(void *context, const struct plugin_who *who);
};

/* struct plugin_run.lost: flags of the AUX record of the fragment */
#define PLUGIN_TRUNCATED	0x02
#define PLUGIN_OVERWRITE	0x04
#define PLUGIN_PARTIAL		0x08
#define PLUGIN_COLLISION	0x10

/**
 * struct plugin_run - a run and where it belongs
 * @run: the run; valid until the next call
 * @dec: its decoder
 * @stream: number of the trace stream, from 0: keep one state for samples for each
 * @queue: number of the AUX ring
 * @id: trace ID, 0 if the trace is raw
 * @cpu: the CPU that was traced
 * @tid: thread of the steps; PLUGIN_NONE: unknown
 * @time: time of the current maps, perf's clock, ns: the steps are older; 0: not known
 * @aux_time: time when the AUX buffer was emptied: all steps are older; 0: not known
 * @since: time when the AUX buffer before was emptied: all steps are younger; 0: not known
 * @came: time when a switch brought the thread: all steps are younger; 0: not known
 * @starts: it is the first run of a fragment, and does not continue what came before
 * @lost: PLUGIN_x
 * @offset: offset of the fragment in the file
 * @at: offset in the fragment, in bytes of its trace ID, of the packet that ended the run
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
 * plugin_open() - open the trace of a recording
 * @path: path of the file
 * @options: copied, except for what @cpu points to
 * @host: copied
 *
 * A damaged file opens, too: see plugin_problem().
 *
 * Return: 0; -ENOENT and so on if it cannot be read; -ENOMEM.
 */
int plugin_open(struct plugin **plugin, const char *path, const struct plugin_options *options,
		const struct plugin_host *host);

/**
 * plugin_open_pipe() - open the trace of a recording that can be read only once
 *
 * The host passes every record that it reads, in file order, to plugin_feed(): those with
 * attributes (PERF_RECORD_HEADER_ATTR) first; AUXTRACE with its trace after it.  At the end it
 * calls plugin_ready(), and then plugin_next().
 *
 * Return: 0, -ENOMEM.
 */
int plugin_open_pipe(struct plugin **plugin, const struct plugin_options *options,
		     const struct plugin_host *host);
int plugin_feed(struct plugin *plugin, const void *bytes, size_t n);
int plugin_ready(struct plugin *plugin);

void plugin_close(struct plugin *plugin);

/*
 * After an error that means "no memory": writes the purpose and the size of the memory that was
 * missing, including tables of the decoder, to the @n bytes at @text.  Return: the length of that;
 * 0: it was nothing large.
 */
size_t plugin_no_memory(char *text, size_t n);

/* The image, which the host fills. */
struct csf_image *plugin_image(struct plugin *plugin);

/**
 * plugin_timed() - are runs ordered by timestamps?
 *
 * Return: true: by timestamps in the trace, which plugin_time() can convert; false: by the time
 * when their AUX buffer was emptied.
 */
bool plugin_timed(const struct plugin *plugin);

/* Converts a timestamp of the trace to perf's clock, ns; 0: that is not possible. */
uint64_t plugin_time(const struct plugin *plugin, uint64_t timestamp);

/* Converts a time of perf's clock to a timestamp. */
uint64_t plugin_timestamp(const struct plugin *plugin, uint64_t ns);

/**
 * plugin_next() - get the next run
 * @until: perf's clock, ns: return only runs that are known to be older than this; UINT64_MAX: all
 *
 * Return: 1 and a run; 0: nothing more before @until; -ENOMEM; or the error of plugin_host.space().
 */
int plugin_next(struct plugin *plugin, uint64_t until, struct plugin_run *run);

/*
 * A thread of the only process that the records name: where the trace does not contain a thread,
 * user code belongs to it.  PLUGIN_NONE: there are several processes, or none.
 */
uint32_t plugin_only(const struct plugin *plugin);

/* Progress: bytes of trace decoded, and bytes of all trace. */
void plugin_progress(const struct plugin *plugin, uint64_t *done, uint64_t *total);

/**
 * plugin_problem() - a problem of the recording
 * @i: its index, from 0
 * @damage: set: something is lost or not trustworthy, show it; false: it is only unusual
 *
 * Return: "offset 0x...: reason", valid until the next call; NULL: there are no more.
 */
const char *plugin_problem(struct plugin *plugin, size_t i, bool *damage);

/**
 * plugin_unread() - bytes of trace that no decoder took
 * @unknown: those whose trace unit is not known
 * @cut: those of frames whose end is missing
 */
void plugin_unread(const struct plugin *plugin, uint64_t *unknown, uint64_t *cut);

/**
 * struct plugin_poke - code of the kernel that was changed while it ran
 * @addr: address of the first byte
 * @time: perf's clock, ns
 * @old: the @n_old bytes before; 0: none
 * @new: the @n_new bytes from then on
 */
struct plugin_poke {
	uint64_t addr, time;
	const uint8_t *old, *new;
	size_t n_old, n_new;
};

/* Number @i, from 0, in order of time; stays valid as long as the plugin; false: no more. */
bool plugin_poke(struct plugin *plugin, size_t i, struct plugin_poke *poke);

/* The counts of a stream's decoder; false: there are no more streams. */
bool plugin_stats(const struct plugin *plugin, uint32_t stream, struct csf_stats *stats);

/**
 * struct plugin_piece - a piece of the trace as it is in the file, for a dump of its packets
 * @bytes: @size of them; borrowed
 * @aux_offset: offset of the first byte in the AUX ring
 * @offset: in the file
 * @cpu: the CPU that was traced; PLUGIN_NONE: unknown
 * @raw: bytes of one trace unit; otherwise frames
 * @id: trace ID of that trace unit, 0: not known; 0 for frames
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

/* Piece number @i, from 0, of those in [@offset, @offset + @size) of the file; false: no more. */
bool plugin_piece(struct plugin *plugin, uint64_t offset, uint64_t size, size_t i,
		  struct plugin_piece *piece);

/*
 * The configuration for packets of trace ID @id, 0 if raw, in @piece.  Return: 0; -ENOENT: unknown.
 */
int plugin_config(const struct plugin *plugin, const struct plugin_piece *piece, uint8_t id,
		  struct csf_config *config);

#endif /* PLUGIN_H */
