/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The truth log: what the processors of a trace unit really executed, block by block,
 * and what the unit reports about it.  Documentation/format/truth-log.rst describes the format.
 *
 * Writing, from any number of threads, each virtual CPU from one at a time:
 *
 *	truth_new(&truth, fd, n_cpu);
 *	n = truth_define(truth, &block);	once for each block of code
 *	truth_ran(truth_cpu(truth, 0), n);	each time it was executed whole
 *	err = truth_finish(truth);
 *
 * Reading, CPU by CPU, in as many cursors as one likes:
 *
 *	truth_open(&file, fd);
 *	truth_start(&at, file, cpu);
 *	while ((err = truth_next(&at, &record)) > 0)
 *		...
 *
 * The writer, truth-write.c, needs libc only: it is part of the virtual unit, too.
 */
#ifndef CSF_TRUTH_H
#define CSF_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../decoder/csflow.h"
#include "../../perf-plugin/leb128.h"

#define TRUTH_MAGIC		"CSFTRUTH"
#define TRUTH_VERSION		1
#define TRUTH_HEADER		16	/* bytes: magic, version, 0 */
#define TRUTH_CPU_MAX		4096
#define TRUTH_CPU_NONE		0xffffffffu	/* a chunk of definitions, of no CPU */
#define TRUTH_INSN_MAX		4096	/* instructions in a block */
#define TRUTH_CHUNK_MAX		(1u << 20)	/* bytes in a chunk; the writer's are smaller */
#define TRUTH_NAME_MAX		4096	/* bytes of a file name */
#define TRUTH_BUILD_ID_MAX	20

/**
 * enum truth_kind - records; the numbers are those in the file
 * @TRUTH_RAN: @number, instructions @first up to @first + @n_insn: executed in this order
 * @TRUTH_BLOCK: definition of a block: in chunks of no CPU; the reader does not return it
 * @TRUTH_PART: in the file only, the reader makes TRUTH_RAN of it
 * @TRUTH_THREAD: from here on this CPU executes @pid, @tid; written whenever a thread takes the
 *                CPU, even if it was the last one there: it may have been on another. @value
 *                orders these records over all CPUs
 * @TRUTH_CONTEXT: @context
 * @TRUTH_EXCEPTION: @value is the type, as in the exception packet; @addr the preferred return
 *                   address.  After it tracing may be off until the next block
 * @TRUTH_LOST: the following was executed, but is not in the trace; @value: enum truth_lost.
 *              Another one changes the reason
 * @TRUTH_FOUND: the following is in the trace again
 * @TRUTH_TIME: @value: the clock of the unit's timestamps, here
 * @TRUTH_MAP: @map
 * @TRUTH_UNMAP: @map: pid, tid, addr, len
 * @TRUTH_COMM: @pid, @tid, @name; @value: 1 by exec
 * @TRUTH_TM: @value: enum csf_transaction
 * @TRUTH_CONFIG: @config of this CPU's trace unit, @value: trace ID, 0 if raw
 * @TRUTH_DATA: @data: a transfer by the last instruction before it
 * @TRUTH_END: the last record of a CPU; @value: how often blocks were executed, parts included
 */
enum truth_kind {
	TRUTH_RAN,
	TRUTH_BLOCK,
	TRUTH_PART,
	TRUTH_THREAD,
	TRUTH_CONTEXT,
	TRUTH_EXCEPTION,
	TRUTH_LOST,
	TRUTH_FOUND,
	TRUTH_TIME,
	TRUTH_MAP,
	TRUTH_UNMAP,
	TRUTH_COMM,
	TRUTH_TM,
	TRUTH_CONFIG,
	TRUTH_END,
	TRUTH_DATA,
};

/**
 * enum truth_lost - why executed blocks are not in the trace; the numbers are those in the file
 * @TRUTH_LOST_FILTER: outside the address ranges
 * @TRUTH_LOST_STROBE: strobing had tracing off
 * @TRUTH_LOST_OVERFLOW: the unit overflowed
 * @TRUTH_LOST_TRUNCATED: the buffer was full: trace is missing, perhaps from inside a packet
 * @TRUTH_LOST_SIGNAL: an outcome that remained unknown; the unit reports an overflow
 * @TRUTH_LOST_OFF: tracing was off: not yet or no longer enabled, or prohibited at this level
 * @TRUTH_LOST_Q: inside a Q element whose path is unknown
 * @TRUTH_LOST_DISCARD: the unit discarded uncommitted elements, and stopped
 */
enum truth_lost {
	TRUTH_LOST_FILTER = 1,
	TRUTH_LOST_STROBE,
	TRUTH_LOST_OVERFLOW,
	TRUTH_LOST_TRUNCATED,
	TRUTH_LOST_SIGNAL,
	TRUTH_LOST_OFF,
	TRUTH_LOST_Q,
	TRUTH_LOST_DISCARD,
	TRUTH_LOST_NR,
};

/* "filter" and so on; "unknown" for other numbers. */
const char *truth_lost_name(uint64_t reason);

/**
 * struct truth_block - code that is executed from top to bottom
 * @addr: of the first instruction
 * @code: its bytes, as in memory
 * @size: of these bytes
 * @n_insn: instructions, 1..TRUTH_INSN_MAX
 * @isa: enum csf_isa
 */
struct truth_block {
	uint64_t addr;
	const uint8_t *code;
	uint32_t size;
	uint16_t n_insn;
	uint8_t isa;
};

/* The length of the first @n_insn instructions of @block; 0: there are fewer, or it is wrong. */
uint32_t truth_block_bytes(const struct truth_block *block, uint32_t n_insn);

/**
 * struct truth_map - code that is mapped in a process, or unmapped, as in PERF_RECORD_MMAP2
 * @n_build_id: bytes of @build_id, 0: there is none, and then @ino and so on identify the file
 */
struct truth_map {
	uint64_t addr, len, pgoff;
	uint64_t ino, ino_generation;
	uint32_t maj, min;
	uint32_t pid, tid;
	uint32_t prot, flags;
	const char *name;
	uint8_t n_build_id;
	uint8_t build_id[TRUTH_BUILD_ID_MAX];
};

/* struct truth_data.flags; the numbers are those in the file */
#define TRUTH_DATA_STORE	0x01	/* written; else read */
#define TRUTH_DATA_FAILED	0x02	/* a store exclusive that failed: nothing was written */
#define TRUTH_DATA_REGISTER	0x04	/* a coprocessor's register: no address */
#define TRUTH_DATA_BIG		0x08	/* big-endian */
#define TRUTH_DATA_ENTRY	0x10	/* by the entry of an exception */
#define TRUTH_DATA_LOST		0x20	/* dropped by the unit, or its instruction is not traced */
#define TRUTH_DATA_ELEMENTS	0x40	/* VLD1 .. VST4: processors may divide them otherwise */

/**
 * struct truth_data - a transfer of data
 * @size: bytes, 1..8
 * @flags: TRUTH_DATA_x
 */
struct truth_data {
	uint64_t addr, value;
	uint32_t size;
	uint32_t flags;
};

/* ---------------------------------------------------------------- writing */

struct truth_writer;

#define TRUTH_ROOM		(1u << 16)
/* The longest record without text. */
#define TRUTH_SLACK		128

/**
 * struct truth_cpu - the stream of one virtual CPU; private
 * @truth: the writer
 * @n: bytes waiting in @buf; @written: some bytes are in the log
 * @ran: times that blocks were executed
 * @cpu: number
 */
struct truth_cpu {
	struct truth_writer *truth;
	size_t n;
	bool written;
	uint64_t ran;
	uint32_t cpu;
	uint8_t buf[TRUTH_ROOM + TRUTH_SLACK];
};

/**
 * truth_new() - begin a log
 * @fd: any writable descriptor; stays open and the caller's
 * @n_cpu: virtual CPUs, 1..TRUTH_CPU_MAX, numbered from 0
 *
 * Return: 0, -EINVAL, -ENOMEM.  truth_finish() reports failed writes.
 */
int truth_new(struct truth_writer **truth, int fd, uint32_t n_cpu);

/* The stream of CPU @cpu; one thread may use it at a time. */
struct truth_cpu *truth_cpu(struct truth_writer *truth, uint32_t cpu);

/**
 * truth_define() - give a block of code a number
 * @block: copied.  The same address may be defined any number of times, as code changes
 *
 * From any thread, at any time.
 *
 * Return: its number, from 1; 0: the block is invalid (no or too many instructions, or a size that
 * does not fit them), or no memory: then nothing more is written, and truth_finish() reports it.
 */
uint32_t truth_define(struct truth_writer *truth, const struct truth_block *block);

/* Writes waiting records, after all earlier definitions. */
void truth_flush(struct truth_cpu *c);

/* The block @number was executed whole. */
static inline void truth_ran(struct truth_cpu *c, uint32_t number)
{
	c->n += leb128_put(c->buf + c->n, number);
	c->ran++;
	if (__builtin_expect(c->n >= TRUTH_ROOM, 0))
		truth_flush(c);
}

/* @n_insn instructions of block @number ran, from number @first on; 0 writes nothing. */
void truth_part(struct truth_cpu *c, uint32_t number, uint32_t first, uint32_t n_insn);

/* The block @number has one instruction, whose condition failed. */
void truth_failed(struct truth_cpu *c, uint32_t number);

void truth_thread(struct truth_cpu *c, uint32_t pid, uint32_t tid);
void truth_context(struct truth_cpu *c, const struct csf_context *context);
void truth_exception(struct truth_cpu *c, uint32_t type, uint64_t addr);
void truth_lost(struct truth_cpu *c, enum truth_lost reason);
void truth_found(struct truth_cpu *c);
void truth_time(struct truth_cpu *c, uint64_t time);
void truth_map(struct truth_cpu *c, const struct truth_map *map);
void truth_unmap(struct truth_cpu *c, const struct truth_map *map);
void truth_comm(struct truth_cpu *c, uint32_t pid, uint32_t tid, const char *name, bool exec);
void truth_tm(struct truth_cpu *c, enum csf_transaction what);
void truth_data(struct truth_cpu *c, const struct truth_data *data);
void truth_config(struct truth_cpu *c, const struct csf_config *config, uint8_t id);

/* Ends every stream and frees the writer; all threads are done.  Return: 0 or the first -errno. */
int truth_finish(struct truth_writer *truth);

/* ---------------------------------------------------------------- reading */

struct truth_file;

/**
 * struct truth_record - one record of a CPU; @kind tells which fields are valid
 * @kind: enum truth_kind; unknown kinds are skipped
 * @offset: of the record in the file
 * @block: TRUTH_RAN: borrowed from the file
 * @number: TRUTH_RAN: of @block
 * @first: TRUTH_RAN: first instruction of the block that was executed; @n_insn: how many
 * @addr, @code, @size: TRUTH_RAN: those of these instructions
 * @failed: TRUTH_RAN: the last one failed its condition
 */
struct truth_record {
	uint32_t kind;
	uint32_t number;
	uint64_t offset;
	const struct truth_block *block;
	uint32_t first, n_insn;
	uint64_t addr;
	const uint8_t *code;
	uint32_t size;
	bool failed;
	uint32_t pid, tid;
	uint64_t value;
	const char *name;
	struct csf_context context;
	struct csf_config config;
	struct truth_map map;
	struct truth_data data;
};

/**
 * struct truth_cursor - a place in the stream of one CPU; fields are private except these
 * @wrong: the error in the file, or NULL; the records before it are valid
 * @where: its offset in the file
 * @chunk: offset of the chunk that is being read; @next: that of the next one
 */
struct truth_cursor {
	struct truth_file *file;
	const char *wrong;
	uint64_t where;
	uint64_t chunk, next;
	uint64_t ran;
	const uint8_t *p, *end;		/* in @buf */
	size_t size;
	uint32_t cpu;
	bool lost, ended;
	uint8_t *buf;
	char name[TRUTH_NAME_MAX];
};

/**
 * truth_open() - open a log for reading
 * @fd: a regular file; stays open, and the caller's, until after truth_close()
 *
 * Return: 0, -errno; -EINVAL: not a truth log, or not of this version.
 */
int truth_open(struct truth_file **file, int fd);
void truth_close(struct truth_file *file);

/* Is a file with these first @n bytes a truth log, of any version? */
bool truth_is(const void *bytes, size_t n);

/*
 * Finds the CPUs that have a stream: @seen has room for TRUTH_CPU_MAX.  Return: 0; 1: there is an
 * invalid chunk at @end, and nothing after it is read; -errno.
 */
int truth_cpus(struct truth_file *file, bool *seen, uint64_t *end);

/* Reads nothing yet.  Call truth_stop() after the last record, or earlier. */
void truth_start(struct truth_cursor *at, struct truth_file *file, uint32_t cpu);
void truth_stop(struct truth_cursor *at);

/**
 * truth_next() - the next record
 * @record: valid until the next call
 *
 * Return: 1 and a record; 0: there are no more, or none that can be read, see @at->wrong; -errno.
 */
int truth_next(struct truth_cursor *at, struct truth_record *record);

#endif /* CSF_TRUTH_H */
