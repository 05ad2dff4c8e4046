/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file around simpleperf's branch lists: its messages.
 *
 * Version 0 is one message, and nothing else.  Version 1 may be longer than one message can be:
 *
 *	char magic[24]; u32 version; u8 compressed; { u32 size; u8 message[size]; } ...
 *
 * With @compressed 1 everything after it is one stream of zstd.
 */
#ifndef CSF_BRANCH_STREAM_H
#define CSF_BRANCH_STREAM_H

#include <stdbool.h>
#include <zstd.h>

#include "../lib/protobuf.h"

#define BRANCH_STREAM_MAGIC	"simpleperf:EtmBranchList"
#define BRANCH_STREAM_HEAD	29	/* magic, version, compressed */

/**
 * struct branch_stream - a file that is being read
 * @max: the longest compressed message that is read; 0: any
 * @in: the rest of it
 * @packed: it is compressed
 * @zstd: NULL: no file was compressed yet
 * @message: unpacked, with room for @size
 * @whole: no compressed block is cut
 * @done: the end was reached
 * @why: the error, or NULL; @at: its approximate offset in the file
 */
struct branch_stream {
	size_t max;
	const uint8_t *bytes;
	ZSTD_inBuffer in;
	bool packed;
	ZSTD_DStream *zstd;
	uint8_t *message;
	size_t size;
	bool whole, done;
	const char *why;
	size_t at;
};

/* Is a file with these first @n bytes a branch list?  Version 0 must have its magic. */
bool branch_stream_is(const void *bytes, size_t n);

/*
 * @bytes, @n of them, are borrowed.  Zero @s before the first of several files; its memory is used
 * again.  Return: 0; -EBADMSG: see @why; -ENOMEM.  Always finish it.
 */
int branch_stream_init(struct branch_stream *s, const void *bytes, size_t n);
void branch_stream_fini(struct branch_stream *s);

/* Return: 1: a message, valid until the next call; 0: the end; -EBADMSG: see @why; -ENOMEM. */
int branch_stream_next(struct branch_stream *s, struct protobuf *message);

#endif /* CSF_BRANCH_STREAM_H */
