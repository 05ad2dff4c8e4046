/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of a writer: the beginning of a file (write-head.c), the records in it
 * (perf-write.c), and its end (write-tail.c).
 */
#ifndef WRITE_PARTS_H
#define WRITE_PARTS_H

#include <errno.h>

#include "perf-abi.h"
#include "perf-out.h"
#include "perf-write.h"

#define HEADER_SIZE	104
#define ATTR_SIZE	PERF_ATTR_SIZE_VER7

/* The two events */
enum { EVENT_TRACE, EVENT_DUMMY, EVENT_NR };

/**
 * struct perf_writer - a file that is being written
 * @out: the file, and the current record
 * @setup: as given; its arrays and strings are no longer valid
 * @cpu: @setup.n_cpu trace units
 * @text: features that are a string; NULL: there is none
 * @command: feature CMDLINE, @n_command words
 * @index: file offsets of the @n_index AUXTRACE records
 * @build_id: the table of build-ids as it will be in the file
 * @data: offset of the first record
 * @trace_left: bytes of the last AUXTRACE record that have not come yet
 * @padding: number of zeros that are still to be written after them
 * @failed: the error that perf_write_recover() has seen
 */
struct perf_writer {
	struct perf_out out;
	struct perf_write_setup setup;
	struct perf_cs_cpu *cpu;
	char *text[PERF_FEATURE_CPUID + 1];
	char **command;
	size_t n_command;
	uint64_t *index;
	size_t n_index;
	uint8_t *build_id;
	size_t n_build_id;
	uint64_t data;
	uint64_t trace_left;
	unsigned int padding;
	int failed;
};

/* Number of ids of an event: one for each CPU, or for the thread. */
static inline size_t writer_n_ids(const struct perf_writer *writer)
{
	return writer->setup.per_thread ? 1 : writer->setup.n_cpu;
}

/* The @i-th of these ids. */
static inline uint64_t writer_id(int event, size_t i)
{
	return (event == EVENT_TRACE ? 0x100000 : 0x200000) + i;
}

static inline void writer_begin(struct perf_writer *writer, uint32_t type, uint16_t misc)
{
	if (writer->trace_left)
		perf_out_fail(&writer->out, -EINVAL);
	perf_out_begin(&writer->out, type, misc);
}

/* Writes the attribute of an event, ATTR_SIZE @bytes, as it is in the file. */
void writer_attr(const struct perf_writer *writer, int event, uint8_t *bytes);

/*
 * Writes the beginning: a header without sizes, as of a recording that goes on, the attributes, and
 * perf's own records.
 */
void writer_head(struct perf_writer *writer);

/* Writes the header at the start of the file; @size: of the records, @features: bits. */
void writer_header(struct perf_writer *writer, uint64_t size, uint64_t features);

/* Writes the end: the features, and the header.  Return: bytes of the features. */
uint64_t writer_tail(struct perf_writer *writer);

/* After an error: removes what is incomplete at the end of the file, or is beyond @room bytes. */
void writer_cut(struct perf_writer *writer, uint64_t room);

/*
 * Marks AUX records whose trace is not in the file; an additional empty one tells how far the trace
 * went.  Return: bytes of that record.
 */
uint64_t writer_shorten_aux(struct perf_writer *writer);

#endif /* WRITE_PARTS_H */
