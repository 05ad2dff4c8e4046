/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace in, rows out: all sources of messages of a buffer, in the order of the buffer.
 *
 *	feed_open(&feed, framing, sources, n);
 *	while (... bytes ...)
 *		err = feed_bytes(&feed, bytes, n);
 *	err = feed_end(&feed);
 *	feed_close(&feed);
 */
#ifndef CSF_MESSAGES_FEED_H
#define CSF_MESSAGES_FEED_H

#include "message-source.h"

/**
 * struct feed - zero it, and set @take and @owner
 * @take: called for each row; returns 0, or a negative enum csf_error, which ends the work
 */
struct feed {
	int (*take)(void *owner, const struct row *row);
	void *owner;
	/* private */
	struct csf_frames *frames;
	struct message_source *const *source;
	size_t n;
};

/*
 * @framing: enum csf_framing or INPUT_RAW, with one source; @source: @n sources, open, and the
 * caller's.  All of these return 0 or a negative enum csf_error.
 */
int feed_open(struct feed *f, int framing, struct message_source *const *source, size_t n);
int feed_bytes(struct feed *f, const uint8_t *bytes, size_t n);
int feed_end(struct feed *f);
void feed_close(struct feed *f);

#endif /* CSF_MESSAGES_FEED_H */
