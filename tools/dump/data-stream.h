/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data stream of an ETMv4: A-syncs, and the bytes between them.
 *
 * The layout of its packets is not known.  An A-sync is as in the instruction stream.
 */
#ifndef CSF_DATA_STREAM_H
#define CSF_DATA_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATA_LINE	16	/* bytes of an item without A-sync, at most */
#define DATA_SYNC	12	/* of an A-sync: eleven zeros, 0x80 */

/**
 * struct data_item - a piece of the stream
 * @pos: bytes of the stream before it
 * @bytes: valid until the next call
 */
struct data_item {
	uint64_t pos;
	const uint8_t *bytes;
	size_t n;
	bool async;
};

/**
 * struct data_stream - zero it to begin; private, except for the counters
 * @n_bytes: bytes taken; @n_async: A-syncs among them
 */
struct data_stream {
	uint64_t n_bytes, n_async;
	uint8_t held[DATA_LINE + DATA_SYNC];
	uint8_t out[DATA_LINE + DATA_SYNC];
	size_t n_held, zeros;
	bool async;
};

/**
 * data_stream_next() - the next piece
 * @bytes: what is fed, and @n: how much of it; both are moved on
 * @end: nothing follows these
 *
 * Return: there is one; otherwise all is taken.
 */
bool data_stream_next(struct data_stream *s, const uint8_t **bytes, size_t *n, bool end,
		      struct data_item *item);

#endif /* CSF_DATA_STREAM_H */
