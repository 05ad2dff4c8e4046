// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "orbflow.h"

/*
 * Undoes the stuffing of @n bytes without a zero: each group begins with its length, and a zero
 * follows it unless it has 254 bytes.  @to: room for @n bytes.
 *
 * Return: how many bytes; 0: they are none.
 */
static size_t unstuff(const uint8_t *p, size_t n, uint8_t *to)
{
	size_t done = 0;

	for (size_t at = 0; at < n;) {
		const size_t group = p[at];

		if (at + group > n)
			return 0;
		memcpy(to + done, p + at + 1, group - 1);
		done += group - 1;
		at += group;
		if (group < 0xff && at < n)
			to[done++] = 0;
	}
	return done;
}

/* Tag, trace, and what makes the sum 0. */
static bool is_whole(const uint8_t *p, size_t n)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return n >= 2 && !sum;
}

/* @bytes: room for the packet, and at last for its trace. */
static void read_packet(struct orbflow *o, const uint8_t *p, size_t n, int tag, uint8_t *bytes)
{
	const size_t size = unstuff(p, n, bytes);

	if (!is_whole(bytes, size)) {
		o->bad++;
		return;
	}
	o->tagged[bytes[0]]++;
	if (bytes[0] != tag)
		return;
	memmove(bytes, bytes + 1, size - 2);
	o->n += size - 2;
}

/* @tag: -1: take none. */
static int read_all(struct orbflow *o, const uint8_t *data, size_t n, int tag)
{
	*o = (struct orbflow){ .bytes = malloc(n + 1) };
	if (!o->bytes)
		return -ENOMEM;
	for (size_t at = 0, size; at < n; at += size + 1) {
		const uint8_t *zero = memchr(data + at, 0, n - at);

		size = zero ? (size_t)(zero - data) - at : n - at;
		if (size)
			read_packet(o, data + at, size, tag, o->bytes + o->n);
	}
	return 0;
}

int orbflow_read(struct orbflow *o, const uint8_t *data, size_t n, uint8_t tag)
{
	return read_all(o, data, n, tag);
}

uint8_t orbflow_only(struct orbflow *o, const uint8_t *data, size_t n)
{
	uint8_t only = 0;

	if (read_all(o, data, n, -1))
		return 0;
	free(o->bytes);
	o->bytes = NULL;
	for (unsigned int tag = 1; tag < 256; tag++) {
		if (o->tagged[tag] && only)
			return 0;
		only = o->tagged[tag] ? tag : only;
	}
	return only;
}
