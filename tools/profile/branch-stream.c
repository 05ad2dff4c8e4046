// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "branch-stream.h"

/* A message may claim 4 GiB: memory is taken in steps, as its bytes arrive. */
#define STEP	(1u << 20)

/* The bytes that zstd wants after a block: a flushed stream may lack the end of its frame. */
#define BLOCK_HEAD	3

#define MAGIC_SIZE	(sizeof(BRANCH_STREAM_MAGIC) - 1)

static uint32_t read_u32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_file(const void *bytes, size_t n)
{
	return n >= MAGIC_SIZE && !memcmp(bytes, BRANCH_STREAM_MAGIC, MAGIC_SIZE);
}

/* The magic is the first field of a message, too. */
bool branch_stream_is(const void *bytes, size_t n)
{
	return is_file(bytes, n) ||
	       (n >= 2 && !memcmp(bytes, "\012\030", 2) && is_file((const char *)bytes + 2, n - 2));
}

static int bad(struct branch_stream *s, const char *why)
{
	s->why = why;
	s->at = s->in.pos;
	return -EBADMSG;
}

int branch_stream_init(struct branch_stream *s, const void *bytes, size_t n)
{
	*s = (struct branch_stream){
		.bytes = bytes, .in = { .src = bytes, .size = n }, .max = s->max,
		.zstd = s->zstd, .message = s->message, .size = s->size,
	};
	if (!is_file(bytes, n))
		return 0;
	s->in.pos = MAGIC_SIZE;
	if (n < BRANCH_STREAM_HEAD)
		return bad(s, "a branch list that is cut off in its header");
	if (read_u32(s->bytes + MAGIC_SIZE) != 1)
		return bad(s, "a branch list of an unknown version: 0 and 1 are known");
	if (s->bytes[BRANCH_STREAM_HEAD - 1] > 1)
		return bad(s, "a branch list that is compressed in an unknown way");
	s->packed = s->bytes[BRANCH_STREAM_HEAD - 1];
	if (s->packed && !s->zstd)
		s->zstd = ZSTD_createDStream();
	if (s->packed && (!s->zstd || ZSTD_isError(ZSTD_initDStream(s->zstd))))
		return -ENOMEM;
	s->in.pos = BRANCH_STREAM_HEAD;
	return 0;
}

void branch_stream_fini(struct branch_stream *s)
{
	ZSTD_freeDStream(s->zstd);
	free(s->message);
	*s = (struct branch_stream){ 0 };
}

/* Unpacks the next @n bytes.  Return: how many there were; -EBADMSG. */
static long unpack(struct branch_stream *s, void *to, size_t n)
{
	ZSTD_outBuffer out = { .dst = to, .size = n };
	size_t before, was, status;

	while (out.pos < n) {
		before = out.pos;
		was = s->in.pos;
		status = ZSTD_decompressStream(s->zstd, &out, &s->in);
		if (ZSTD_isError(status))
			return bad(s, ZSTD_getErrorName(status));
		/* without work left, the status is about the next frame */
		if (!status || out.pos > before || s->in.pos > was)
			s->whole = !status || status == BLOCK_HEAD;
		if (out.pos == before && s->in.pos == s->in.size)
			break;
	}
	return out.pos;
}

static int take_packed(struct branch_stream *s, struct protobuf *message)
{
	uint8_t head[4];
	long got = unpack(s, head, sizeof(head));
	size_t n = 0, size, step;

	if (got < 0 || (!got && s->whole))
		return got;
	if (got < (long)sizeof(head))
		return bad(s, "a branch list that ends early");
	size = read_u32(head);
	if (s->max && size > s->max)
		return bad(s, "a message of a branch list that is too long");
	for (; n < size; n += got) {
		step = size - n < STEP ? size - n : STEP;
		if (n + step > s->size) {
			uint8_t *grown = realloc(s->message, 2 * (n + step));

			if (!grown)
				return -ENOMEM;
			s->message = grown;
			s->size = 2 * (n + step);
		}
		got = unpack(s, s->message + n, step);
		if (got < 0)
			return got;
		if (got < (long)step)
			return bad(s, "a branch list that ends early");
	}
	*message = (struct protobuf){ s->message, s->message ? s->message + size : NULL };
	return 1;
}

/* Size, and message. */
static int take_plain(struct branch_stream *s, struct protobuf *message)
{
	size_t left = s->in.size - s->in.pos, size;
	const uint8_t *p = s->bytes + s->in.pos;

	if (!left)
		return 0;
	if (left < 4 || read_u32(p) > left - 4)
		return bad(s, "a branch list that ends early");
	size = read_u32(p);
	s->in.pos += 4 + size;
	*message = (struct protobuf){ p + 4, p + 4 + size };
	return 1;
}

int branch_stream_next(struct branch_stream *s, struct protobuf *message)
{
	if (s->packed)
		return take_packed(s, message);
	if (s->in.pos)
		return take_plain(s, message);
	/* version 0 */
	if (s->done)
		return 0;
	s->done = true;
	*message = (struct protobuf){ s->bytes, s->bytes + s->in.size };
	return 1;
}
