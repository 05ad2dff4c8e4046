/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct csf_frames: a framed capture, its streams, and the decoders attached to them. */
#ifndef CSF_FRAMES_H
#define CSF_FRAMES_H

#include "frame.h"

/**
 * struct frame_watch - the position of the raw monitor
 * @segment: pieces of the frame that is being handed out
 * @n: number of pieces; @i: the next
 * @item: the frame
 * @bytes: its bytes, with bit 0 in place
 * @out: bytes of the piece handed out last
 * @at: their offsets in the capture
 * @active: csf_frames_watch() was called and its bytes are not used up
 */
struct frame_watch {
	struct frame_piece piece[FRAME_PIECES];
	unsigned int n, i;
	struct frame_item item;
	uint8_t bytes[FRAME_SIZE];
	uint8_t out[FRAME_SIZE];
	uint64_t at[FRAME_SIZE];
	bool active;
};

/**
 * struct frame_taker - a kind of client, and how it takes the bytes of its trace ID
 * @feed: as csf_feed()
 * @end: called when no bytes follow; @last: none in the whole capture
 * @reset: called when the bytes fed are not needed any more
 * @ahead: as csf_feed_ahead(); NULL: it takes nothing ahead
 * @wants_ahead: does this client take bytes ahead?
 */
struct frame_taker {
	int (*feed)(void *client, const void *bytes, size_t n);
	int (*end)(void *client, bool last);
	void (*reset)(void *client);
	void (*ahead)(void *client, const void *bytes, size_t n);
	bool (*wants_ahead)(const void *client);
};

/* The client of a trace ID: decoder, monitor, reader of messages; @is: borrowed; NULL: none */
struct frame_client {
	void *is;
	const struct frame_taker *taker;
};

/**
 * struct csf_frames - see csflow.h
 * @sync: the capture, cut into frames
 * @demux: frames, cut into streams
 * @watch: the raw monitor
 * @client: by trace ID
 * @sink: buffers of streams without a client: one for all of them, and one for ID 0, which has no
 *        client but is checked
 * @stats: the counts that are not in @demux
 * @singly: take frames one at a time, without frame_run()
 * @broken: the decoders were told of a break and have been fed nothing since
 * @before: number of frames before those last taken apart
 * @read_ahead: frames that are not fed yet: see frames-read-ahead.c; NULL: there never were any
 */
struct csf_frames {
	struct frame_sync sync;
	struct frame_demux demux;
	struct frame_watch watch;
	struct frame_client client[CSF_ID_MAX];
	uint8_t *sink;
	struct csf_frame_stats stats;
	bool singly;
	bool broken;
	uint64_t before;
	struct frames_read_ahead *read_ahead;
};

/* Gives @id to @client; NULL: to none.  As csf_attach(). */
int frames_attach(struct csf_frames *frames, uint8_t id, void *client,
		  const struct frame_taker *taker);

static inline uint8_t *frames_sink(const struct csf_frames *frames, unsigned int id)
{
	return frames->sink + (id ? 0 : FRAME_BUFFER);
}

/*
 * Bytes of trace ID 0 that are not padding.  Usually there are none, so they are checked a word at
 * a time.
 */
static inline uint64_t frames_null(const uint8_t *p, size_t n)
{
	uint64_t count = 0, word[4];

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(word, p, sizeof(word));
		if (!(word[0] | word[1] | word[2] | word[3]))
			continue;
		for (size_t i = 0; i < sizeof(word); i++)
			count += !!p[i];
	}
	while (n--)
		count += !!*p++;
	return count;
}

/* Counts an item that is not a frame.  Return: the streams of the capture break off here. */
bool frames_count(struct csf_frames *frames, const struct frame_item *item);

/**
 * frames_take() - take some frames apart into the streams
 * @broken: set: after that, the decoders must be told of a break
 *
 * The bytes wait in the buffers of the streams.
 *
 * Return: number of bytes taken.
 */
long frames_take(struct csf_frames *frames, const uint8_t *data, size_t n, bool *broken);

/* If the bytes fed now were taken apart ahead, uses that work; otherwise undoes it. */
bool frames_adopt(struct csf_frames *frames, const void *data, size_t n, long *taken, bool *broken);

/* Undoes what was taken apart but not fed. */
void frames_forget(struct csf_frames *frames);

/* The counts for the bytes that were fed; and the number of spans in the map of stream @id. */
void frames_told(const struct csf_frames *frames, struct csf_frame_stats *stats);
uint64_t frames_spans(const struct csf_frames *frames, uint8_t id);

#endif /* CSF_FRAMES_H */
