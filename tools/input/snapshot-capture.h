/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace buffer of a snapshot: its bytes, and the trace units that wrote into it. */
#ifndef CSF_SNAPSHOT_CAPTURE_H
#define CSF_SNAPSHOT_CAPTURE_H

#include "../lib/file.h"
#include "input.h"
#include "snapshot.h"

/**
 * struct snapshot_capture - the bytes of a buffer, which may be in several files
 * @buffer: the buffer
 * @data: all the bytes, @n
 */
struct snapshot_capture {
	const struct snapshot_buffer *buffer;
	const uint8_t *data;
	size_t n;
	/* private */
	struct file *file;
	size_t n_file;
	uint8_t *joined;
};

/**
 * snapshot_capture_open() - read a buffer
 * @path: the file that cannot be read; other errors are in the problems of @s
 *
 * Return: 0, or a negative errno.  Close it either way.
 */
int snapshot_capture_open(struct snapshot_capture *c, struct snapshot *s,
			  const struct snapshot_buffer *buffer, const char **path);
void snapshot_capture_close(struct snapshot_capture *c);

/* Which sources snapshot_sources() finds; the others are left out with a word. */
enum snapshot_take {
	SNAPSHOT_EXECUTION,	/* those that say what was executed */
	SNAPSHOT_MESSAGES,	/* those of messages, too */
	SNAPSHOT_ALL		/* data streams, too */
};

/**
 * snapshot_sources() - the trace units that wrote into a buffer that is open
 * @id: only this trace ID; negative: all
 * @source: room for two for each device, and one more; filled in by ascending ID
 *
 * Raw trace can come from only one unit: the first by name, and rather one that is no source of
 * messages.  A unit without TRCTRACEIDR has @id,
 * or the only ID in the buffer that no other unit has.  Units that cannot be decoded are left out;
 * @s->problems has the reasons.
 *
 * Return: how many.
 */
size_t snapshot_sources(struct snapshot *s, const struct snapshot_capture *c, int id,
			enum snapshot_take take, struct input_source *source);

/* Gives each unit a unique number of its CPU, from the name of its core. */
void snapshot_number_units(const struct snapshot *s, struct input_source *source, size_t n);

/* enum csf_framing or INPUT_RAW */
int snapshot_framing(const struct snapshot_buffer *buffer);

#endif /* CSF_SNAPSHOT_CAPTURE_H */
