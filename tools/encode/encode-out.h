/* SPDX-License-Identifier: GPL-2.0-only */
/* Where encoded trace goes: a perf.data, a snapshot, or plain bytes; with the code that ran. */
#ifndef CSF_ENCODE_OUT_H
#define CSF_ENCODE_OUT_H

#include <stdio.h>

#include "encode-code.h"
#include "../encoder/encoder.h"

/* TRCAUTHSTATUS: all may be traced. */
#define ENCODE_AUTHSTATUS	0xcc

/**
 * struct encode_trace - what a trace unit has written
 * @file: its bytes, @n of them, from the start
 * @number: of its CPU
 * @id: trace ID
 * @end: its clock at last
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
 * struct encode_out - all of it
 * @path: file or folder to write
 * @name: what was encoded: name of processes, description of a snapshot
 * @formatted: in frames
 * @setup: of all trace units
 * @trace: @n_trace of them
 * @tid: @n_tid of them
 * @failed: set: the file that could not be written; to be freed
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
	char *failed;
};

/* Each: Return: 0; a negative errno, and @failed. */
int encode_out_raw(struct encode_out *out);
int encode_out_snapshot(struct encode_out *out);
int encode_out_perf(struct encode_out *out);

/* For those: the bytes of trace @i, or of all in frames.  Return: how many; a negative errno. */
long encode_out_copy(struct encode_out *out, size_t i, FILE *to);
long encode_out_frames(struct encode_out *out, size_t first, size_t n, FILE *to);

/* Creates "@path@suffix".  Return: NULL and @failed if that is not possible. */
FILE *encode_out_create(struct encode_out *out, const char *suffix);

/*
 * Closes it; @err: a negative errno: it is not whole.  Return: 0, or a negative errno and @failed:
 * there is none.
 */
int encode_out_close(struct encode_out *out, FILE *f, const char *suffix, int err);

/*
 * The same for one of several: none of them is there before encode_out_release(), which does
 * nothing if there is an error.  Return: as above.
 */
int encode_out_hold(struct encode_out *out, FILE *f, const char *suffix, int err);
int encode_out_release(struct encode_out *out, int err);

#endif /* CSF_ENCODE_OUT_H */
