/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of a writer share: what a file begins with (write-head.c), the
 * records in it (perf-write.c), and what comes last (write-tail.c).
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
 * @out: the file, and the record in hand
 * @setup: what was asked for; its arrays and strings are not valid any more
 * @cpu: @setup.n_cpu trace units
 * @text: features that are a string; NULL: there is none
 * @command: feature CMDLINE, @n_command words
 * @index: file offsets of the @n_index AUXTRACE records
 * @build_id: the table of build-ids as it will stand in the file
 * @data: offset of the first record
 * @trace_left: bytes of the last AUXTRACE record that have not come
 * @padding: zeros to write behind them
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

/* Ids of an event: one for each CPU, or for the thread. */
static inline size_t writer_n_ids(const struct perf_writer *writer)
{
	return writer->setup.per_thread ? 1 : writer->setup.n_cpu;
}

/* The @i-th of these. */
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

/* The attribute of an event as it stands in the file: ATTR_SIZE @bytes. */
void writer_attr(const struct perf_writer *writer, int event, uint8_t *bytes);

/*
 * What comes first: a header that says nothing of the size, as of a recording that goes on, the
 * attributes, and the records of perf itself.
 */
void writer_head(struct perf_writer *writer);

/* At the beginning of the file; @size: of the records, @features: bits. */
void writer_header(struct perf_writer *writer, uint64_t size, uint64_t features);

/* What comes last: the features, and the header.  Return: bytes of the features. */
uint64_t writer_tail(struct perf_writer *writer);

/* After an error: drops what is not whole at the end of the file, or is beyond @room bytes. */
void writer_cut(struct perf_writer *writer, uint64_t room);

/*
 * AUX records of trace that is not in the file say so; another one, which is empty, says how far
 * the trace went.  Return: bytes of that.
 */
uint64_t writer_shorten_aux(struct perf_writer *writer);

#endif /* WRITE_PARTS_H */
