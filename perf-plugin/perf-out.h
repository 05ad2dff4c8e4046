/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes on their way into a perf.data, and the record that is being built. */
#ifndef PERF_OUT_H
#define PERF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Maximum size of a record: the size has 16 bits, and is a multiple of 8. */
#define PERF_OUT_MAX	65528

/**
 * struct perf_out - output to a perf.data
 * @file: stream for the caller's descriptor
 * @at: offset of the next byte
 * @err: the first error, -errno; nothing is written after it
 * @big: numbers are written big-endian
 * @n: number of bytes of @record so far
 * @record: the current record
 */
struct perf_out {
	FILE *file;
	uint64_t at;
	int err;
	bool big;
	size_t n;
	uint8_t record[PERF_OUT_MAX];
};

/* The caller keeps @fd.  Return: 0, -errno. */
int perf_out_init(struct perf_out *out, int fd);
void perf_out_fini(struct perf_out *out);
/* Return: 0 or the first error. */
int perf_out_flush(struct perf_out *out);

/* Number of bytes that have reached the file, and that it still has; false: not all of them. */
uint64_t perf_out_size(const struct perf_out *out);
bool perf_out_read(const struct perf_out *out, uint64_t at, void *buf, size_t n);

/* Cuts the file at @at, and goes on there as if there had been no error. */
void perf_out_cut(struct perf_out *out, uint64_t at);

void perf_out_fail(struct perf_out *out, int err);
void perf_out_seek(struct perf_out *out, uint64_t at);

/* A record: begin, fields, end.  close is as end, but does not write it. */
void perf_out_begin(struct perf_out *out, uint32_t type, uint16_t misc);
void perf_out_u32(struct perf_out *out, uint32_t v);
void perf_out_u64(struct perf_out *out, uint64_t v);
/* Writes a number of @size bytes. */
void perf_out_number(const struct perf_out *out, uint8_t *p, uint64_t v, size_t size);
void perf_out_bytes(struct perf_out *out, const void *bytes, size_t n);
/*
 * Writes at most @max bytes of @text, a 0, and zeros: in total a multiple of @align, which is at
 * most 64.
 */
void perf_out_string(struct perf_out *out, const char *text, size_t max, size_t align);
void perf_out_close(struct perf_out *out);
void perf_out_end(struct perf_out *out);

/* Writes outside records. */
void perf_out_raw(struct perf_out *out, const void *bytes, size_t n);
void perf_out_raw_u32(struct perf_out *out, uint32_t v);
void perf_out_raw_u64(struct perf_out *out, uint64_t v);
/* Writes a string of a feature: its size, and zeros up to a multiple of 64. */
void perf_out_raw_string(struct perf_out *out, const char *text);

#endif /* PERF_OUT_H */
