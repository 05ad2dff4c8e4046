/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution as read from any file: a Tarmac log, a truth log, a
 * perf.data, a snapshot, raw trace.  One stream after another, item by item, in constant
 * memory:
 *
 *	err = source_open(&source, "perf.data", &options);
 *	for (n = 0; source_stream(source, n, &stream); n++) {
 *		err = source_start(source, &stream);
 *		while ((err = source_next(source, &item)) > 0)
 *			...
 *	}
 *	problems_print(source_problems(source), "csflow: ");
 *	source_close(source);
 *
 * An item has as many instructions as the file has together: a truth log and
 * decoded trace have blocks, Tarmac has single ones.
 */
#ifndef CSF_SOURCE_H
#define CSF_SOURCE_H

#include "../../perf-plugin/perf-replay.h"
#include "../input/snapshot-perf.h"
#include "../lib/problems.h"
#include "../tarmac/tarmac.h"
#include "../truth/truth.h"

enum source_format { SOURCE_TRUTH, SOURCE_PERF, SOURCE_SNAPSHOT, SOURCE_TARMAC };

/* The owner of a stream: options.by.  SOURCE_AUTO: threads for a perf.data whose rings are */
enum source_by { SOURCE_AUTO, SOURCE_CPU, SOURCE_THREAD };

/**
 * enum source_kind - items
 * @SOURCE_INSN: @n_insn instructions, executed in this order
 * @SOURCE_REG: register @name got @digits
 * @SOURCE_MEM: @n bytes at @addr were read or (@write) written: @digits; @name: "" or that of
 *              the operation of an atomic
 * @SOURCE_EVENT: event @value of Tarmac, @addr its value, @name its mode
 * @SOURCE_OTHER: another record of Tarmac: @name its text; of decoded trace: a data access that is
 *                not known well enough for SOURCE_MEM, "DATA: " and words
 * @SOURCE_EXCEPTION: @value: type as in trace; @type: as in ETMv4 of A profile; @addr: preferred
 *                    return address, with @has_addr
 * @SOURCE_CONTEXT: @context
 * @SOURCE_TM: @value: enum csf_transaction
 * @SOURCE_TIME: @value: timestamp of the trace unit
 * @SOURCE_GAP: the decoder lost something: @value: enum csf_gap
 * @SOURCE_CUT: the decoder ended here and began anew: something may be missing
 * @SOURCE_Q: @value instructions, 0: an unknown number, by an unknown path to @addr
 * @SOURCE_LOST: truth: from here on execution is not in the trace; @value: enum truth_lost
 * @SOURCE_FOUND: truth: from here on it is in the trace again
 * @SOURCE_TASK: truth, and perf.data with options.tasks: from here on thread @tid of process @pid
 *               is executed; PERF_NO_TID: the thread, or its process, is not known
 */
enum source_kind {
	SOURCE_INSN,
	SOURCE_REG,
	SOURCE_MEM,
	SOURCE_EVENT,
	SOURCE_OTHER,
	SOURCE_EXCEPTION,
	SOURCE_CONTEXT,
	SOURCE_TM,
	SOURCE_TIME,
	SOURCE_GAP,
	SOURCE_CUT,
	SOURCE_Q,
	SOURCE_LOST,
	SOURCE_FOUND,
	SOURCE_TASK,
	SOURCE_KIND_NR,
};

/* enum csf_isa, or: */
#define SOURCE_NO_ISA	3	/* not known */

/* Was an instruction executed, or was its condition not met? */
enum source_how { SOURCE_UNKNOWN, SOURCE_DONE, SOURCE_SKIPPED };

/**
 * struct source_item - @kind tells which fields are valid
 * @kind: enum source_kind
 * @isa: of SOURCE_INSN
 * @how: enum source_how of the last instruction
 * @n: SOURCE_MEM: bytes accessed
 * @write: SOURCE_MEM
 * @has_addr: @addr is known; @has_pa: so is @pa
 * @leads: SOURCE_GAP, SOURCE_CUT: the previous instruction went to @addr, where nothing was traced
 * @has_time: @time is valid
 * @no_code: SOURCE_INSN: the opcodes are unknown
 * @n_insn: instructions; @size: their bytes
 * @code: these bytes, as in memory, valid while the source is open; NULL: use @opcode
 * @line: line number in a text; 0: not a text
 * @offset: of the record in the file; for decoded trace, in the trace of the stream
 * @id: number of the (first) instruction: from the file, else counted from 1
 * @in_transaction: for decoded trace: the instructions are inside a transaction
 * @context: SOURCE_CONTEXT; SOURCE_INSN of Tarmac: from the mode, if @context.known
 * @name, @digits, @mode, @disasm: valid until the next call
 * @digits: most significant first, '0'..'f', 'x': unknown, '-': not changed
 */
struct source_item {
	uint8_t kind;
	uint8_t isa;
	uint8_t how;
	uint8_t n;
	bool write, has_addr, has_pa, has_time, in_transaction, no_code, leads;
	uint32_t n_insn, size;
	uint64_t addr;
	const uint8_t *code;
	uint64_t offset;
	uint64_t id;
	uint64_t value;
	uint64_t time;
	uint64_t line;
	uint64_t pa;
	uint8_t opcode[8];
	uint32_t pid, tid;
	uint32_t type;
	struct csf_context context;
	struct tarmac_text name, digits, mode, disasm;
};

/* Begins an item: all but @kind is zero. */
static inline void source_item(struct source_item *item, enum source_kind kind)
{
	__builtin_memset(item, 0, sizeof(*item));
	item->kind = kind;
}

static inline const uint8_t *source_code(const struct source_item *item)
{
	return item->code ? item->code : item->opcode;
}

/**
 * struct source_options - zero is a valid default
 * @dso: perf.data: where files are
 * @timeless: perf.data: do not look at timestamps
 * @tasks: perf.data: items say which thread executes, SOURCE_TASK
 * @snapshot: which buffer of a snapshot, the unit and programs of raw trace, and how to read Tarmac
 * @by: enum source_by; what streams belong to
 * @n_threads: decoder threads; 0: one for each processor
 */
struct source_options {
	struct dso_options dso;
	bool timeless;
	bool tasks;
	struct snapshot_choice snapshot;
	int by;
	uint32_t n_threads;
};

/**
 * struct source_stream - a stream, to compare with one of another file
 * @number: of its CPU, or its thread
 * @cpu: of an idle task: its CPU
 * @by: SOURCE_CPU or SOURCE_THREAD
 * @idle: it is an idle task: each CPU has one, and all have thread number 0
 * @any: the file names none: it is the only stream
 */
struct source_stream {
	uint32_t number, cpu;
	uint8_t by;
	bool idle, any;
};

static inline bool source_stream_same(const struct source_stream *a, const struct source_stream *b)
{
	return a->number == b->number && a->cpu == b->cpu && a->idle == b->idle;
}

/* "CPU 1", "thread 5", "thread 0 of CPU 1": @name has room for SOURCE_STREAM_NAME bytes. */
#define SOURCE_STREAM_NAME	40
const char *source_stream_name(const struct source_stream *stream, char *name);

struct source;

/**
 * source_open() - open a file of any format
 * @path: a file, the folder of a snapshot, or its snapshot.ini; "-": standard input.
 *        A pipe is copied to a temporary file first
 * @options: copied; texts borrowed
 *
 * Return: 0; or -errno, and source_problems() has the reason, if there was memory for a source.
 */
int source_open(struct source **source, const char *path, const struct source_options *options);
void source_close(struct source *source);

enum source_format source_format(const struct source *source);

/* "truth log" and so on. */
const char *source_format_name(enum source_format format);

/* The owners of streams: SOURCE_CPU or SOURCE_THREAD. */
enum source_by source_by(const struct source *source);

/* The data that decoded trace has: CSF_DATA_x. */
uint32_t source_data(const struct source *source);

/* The problems of the file so far. */
const struct problems *source_problems(const struct source *source);

/* Moves them to the end of @to. */
void source_take_problems(struct source *source, struct problems *to);

/* Was there a problem that may have made the result incomplete? */
bool source_damaged(const struct source *source);

/**
 * source_stream() - list the streams
 * @n: the @n-th, from 0
 *
 * Those of a text are known only after it was read to its end once; so ask again after each.
 *
 * Return: there is one.
 */
bool source_stream(struct source *source, size_t n, struct source_stream *stream);

/* Begins to read a stream, maybe again.  Earlier items become invalid.  Return: 0 or -errno. */
int source_start(struct source *source, const struct source_stream *stream);

/* Return: 1 and an item; 0: there are no more; -errno. */
int source_next(struct source *source, struct source_item *item);

/* The item as a line of text, without its end: for a text, the line itself.  Return: its length. */
size_t source_print(struct source *source, const struct source_item *item, char *buf, size_t n);

/* Bytes that were read, and bytes of all streams that are known by now: for progress. */
uint64_t source_done(const struct source *source);
uint64_t source_total(struct source *source);

/* "insn", "reg", ... */
const char *source_kind_name(enum source_kind kind);

#endif /* CSF_SOURCE_H */
