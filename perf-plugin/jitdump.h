/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jitdump: code that was made at run time, as perf's agents write it beside a recording.
 * Documentation/format/jitdump.rst describes the format.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_MAGIC		0x4a695444u	/* "JiTD", as a number of that machine */
#define JITDUMP_VERSION		1
#define JITDUMP_HEADER		40		/* bytes */
#define JITDUMP_LOAD		56		/* bytes of a LOAD record up to the name */

/* Flag of the header: times are those of a counter, not of perf's clock. */
#define JITDUMP_ARCH_TIMESTAMP	1ull

/* Records */
enum jitdump_kind {
	JITDUMP_CODE_LOAD,
	JITDUMP_CODE_MOVE,
	JITDUMP_CODE_DEBUG_INFO,
	JITDUMP_CODE_CLOSE,
	JITDUMP_CODE_UNWINDING_INFO,
};

/* Is @name, of a mapped file, that of a jitdump, jit-PID.dump?  Sets @pid. */
bool jitdump_name(const char *name, uint32_t *pid);

/**
 * struct jitdump - a jitdump that is being read
 * @bytes: the file, @n bytes; borrowed
 * @pid: process; @elf_machine: EM_x
 * @flags: JITDUMP_x
 * @at: offset of the next record
 * @swapped: it comes from a machine with the other byte order
 */
struct jitdump {
	const uint8_t *bytes;
	uint64_t n, at;
	uint64_t flags;
	uint32_t pid, elf_machine;
	bool swapped;
};

/**
 * struct jitdump_code - code that appears at an address, loaded or moved there
 * @time: perf's clock, or a counter, see JITDUMP_ARCH_TIMESTAMP
 * @addr: address of its @size bytes
 * @from: JITDUMP_CODE_MOVE: its address before
 * @index: number that the agent gave it
 * @offset: JITDUMP_CODE_LOAD: offset of the code in the file
 * @name: JITDUMP_CODE_LOAD: name of the function; borrowed
 */
struct jitdump_code {
	enum jitdump_kind kind;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t addr, size;
	uint64_t from;
	uint64_t index;
	uint64_t offset;
	const char *name;
};

/* Return: it is a jitdump that can be read. */
bool jitdump_open(struct jitdump *dump, const void *bytes, uint64_t n);

/*
 * The next LOAD or MOVE record.  Other records are skipped; a record that cannot be one is the end.
 *
 * Return: there is one.
 */
bool jitdump_next(struct jitdump *dump, struct jitdump_code *code);

/* Writes a header, for a machine like this one; @bytes has room for JITDUMP_HEADER. */
void jitdump_header(uint8_t *bytes, uint32_t elf_machine, uint32_t pid, uint64_t time);

/*
 * Writes a LOAD record up to the name; @bytes has room for JITDUMP_LOAD.  The caller writes the
 * name with its final 0, and then the code.
 */
void jitdump_load(uint8_t *bytes, const struct jitdump_code *code);

#endif /* JITDUMP_H */
