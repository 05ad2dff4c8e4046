/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes encoded trace and the code that ran: to a perf.data, a snapshot, or plain bytes. */
#ifndef CSF_ENCODE_OUT_H
#define CSF_ENCODE_OUT_H

#include <stdio.h>

#include "encode-program.h"
#include "../encoder/encoder.h"

/* TRCAUTHSTATUS: everything may be traced. */
#define ENCODE_AUTHSTATUS	0xcc

/**
 * struct encode_trace - the trace of a trace unit
 * @file: its bytes, @n of them, from the start
 * @number: of its CPU
 * @id: trace ID
 * @end: its clock at the end
 */
struct encode_trace {
	FILE *file;
	uint64_t n, end;
	uint32_t number;
	uint8_t id;
};

/* Threads that context IDs name. */
struct encode_tid {
	uint32_t pid, tid;
};

/**
 * struct encode_out - the whole output
 * @path: file or folder to write
 * @name: the name of what was encoded, for processes and the description of a snapshot
 * @formatted: in frames
 * @setup: of all trace units
 * @trace: @n_trace of them
 * @tid: @n_tid of them
 * @to: write a perf.data for this process alone: to this file, not to @path.  Its code gets no
 *      name; dso_offer() has it.  NULL: otherwise
 * @programs: with @to, programs that have names for the code; or NULL
 * @failed: the file that could not be written; the caller frees it
 */
struct encode_out {
	const char *path, *name;
	bool formatted;
	const struct enc_setup *setup;
	struct encode_trace *trace;
	size_t n_trace;
	struct encode_tid *tid;
	size_t n_tid;
	struct encode_code *code;
	FILE *to;
	struct encode_programs *programs;
	char *failed;
};

/* Each returns 0, or a negative errno and sets @failed. */
int encode_out_raw(struct encode_out *out);
int encode_out_snapshot(struct encode_out *out);
int encode_out_perf(struct encode_out *out);

/* Writes the bytes of trace @i, or of all in frames.  Return: how many; a negative errno. */
long encode_out_copy(struct encode_out *out, size_t i, FILE *to);
long encode_out_frames(struct encode_out *out, size_t first, size_t n, FILE *to);

/* Creates "@path@suffix".  Return: NULL and sets @failed on errors. */
FILE *encode_out_create(struct encode_out *out, const char *suffix);

/*
 * Closes the file; @err: a negative errno if it is incomplete.  Return: 0, or a negative errno;
 * then @failed is set and the file does not exist.
 */
int encode_out_close(struct encode_out *out, FILE *f, const char *suffix, int err);

/*
 * The same for one of several files: none exists before encode_out_release(), which does nothing
 * after an error.  Return: as above.
 */
int encode_out_hold(struct encode_out *out, FILE *f, const char *suffix, int err);
int encode_out_release(struct encode_out *out, int err);

#endif /* CSF_ENCODE_OUT_H */
