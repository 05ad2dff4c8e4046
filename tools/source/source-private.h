/* SPDX-License-Identifier: GPL-2.0-only */
/* Readers of the formats of source.h, one file for each: source-NAME.c. */
#ifndef CSF_SOURCE_PRIVATE_H
#define CSF_SOURCE_PRIVATE_H

#include <stdio.h>

#include "source.h"
#include "../lib/spool.h"

/**
 * struct source_ops - a format
 * @name: "truth log"
 * @line: text of the current item, if the format has any; may be NULL
 * The others are as source_open() and so on.
 */
struct source_ops {
	const char *name;
	int (*open)(struct source *source);
	void (*close)(struct source *source);
	bool (*stream)(struct source *source, size_t n, struct source_stream *stream);
	int (*start)(struct source *source, const struct source_stream *stream);
	int (*next)(struct source *source, struct source_item *item);
	size_t (*line)(struct source *source, const struct source_item *item, char *buf, size_t n);
};

/**
 * struct source - a file
 * @path: as given; @real: the file to open, which differs for a pipe and for raw trace
 * @spool: its beginning; the copy of a pipe; @copy: the hidden recording that raw trace became
 * @by: SOURCE_CPU or SOURCE_THREAD
 * @damaged: there was a serious error
 * @data: as source_data() returns it
 * @n_insn: instructions of this stream so far
 * @done, @total: bytes of a stream; @past: those of the streams before it, if one has @started
 * @own: of the format
 */
struct source {
	const struct source_ops *ops;
	enum source_format format;
	struct source_options options;
	struct problems problems;
	char *path, *real;
	struct spool spool;
	FILE *copy;
	enum source_by by;
	bool damaged, started;
	uint32_t data;
	uint64_t n_insn;
	uint64_t done, total, past;
	void *own;
};

extern const struct source_ops source_truth_ops, source_perf_ops, source_snapshot_ops,
	source_tarmac_ops;

/* A list of @n numbers, collected while reading, in the order of their appearance. */
struct source_numbers {
	uint32_t *v;
	size_t n;
	/* private */
	size_t size;
	void *known;
};

/* Adds @v if it is new.  Return: 0 or -ENOMEM. */
int source_number(struct source_numbers *list, uint32_t v);

void source_numbers_fini(struct source_numbers *list);

/* The number of a thread in such a list.  The idle task, 0, has one for each CPU. */
static inline uint32_t source_thread(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : 1u << 31 | cpu;
}

/* The stream of a thread with such a number, and back. */
void source_thread_stream(struct source_stream *stream, uint32_t number);
uint32_t source_stream_thread(const struct source_stream *stream);

#endif /* CSF_SOURCE_PRIVATE_H */
