/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: a recording that our writer made, as other commands of perf write it. */
#ifndef RECORDING_FORMS_H
#define RECORDING_FORMS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct recording_image - a recording, as bytes
 * @bytes: @n of them, from malloc()
 * @big: they are big-endian
 */
struct recording_image {
	uint8_t *bytes;
	size_t n;
	int big;
};

/**
 * enum recording_form - how a recording is written
 * @RECORDING_FILE: as perf record does
 * @RECORDING_PIPE: perf record -o -: attributes and features are records
 * @RECORDING_COMPRESSED: perf record -z, in records of 100 bytes at most
 * @RECORDING_COMPRESSED2: as 7.1 does it: a record says how many bytes it has, and is padded
 */
enum recording_form {
	RECORDING_FILE,
	RECORDING_PIPE,
	RECORDING_COMPRESSED,
	RECORDING_COMPRESSED2,
};

/* Makes it what that command would have written. */
void recording_as(struct recording_image *image, enum recording_form form);

/* Appends @n bytes at @bytes, as compressed records of @big byte order, at *@to, which moves. */
void recording_pack(uint8_t **to, const uint8_t *bytes, size_t n, enum recording_form form,
		    int big);

/* The bytes of a file, @n at most.  Return: how many, -1: it cannot be read. */
long recording_read(const char *path, uint8_t *bytes, size_t n);

#endif /* RECORDING_FORMS_H */
