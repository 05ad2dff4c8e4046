/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct csf_frames: a framed capture, its streams, and the decoders attached to them. */
#ifndef CSF_FRAMES_H
#define CSF_FRAMES_H

#include "frame.h"

/**
 * struct frame_watch - the raw monitor's place
 * @segment: of the frame now being handed out
 * @n: of them; @i: the next
 * @item: the frame
 * @bytes: its bytes, bit 0 in place
 * @out: bytes of the segment handed out last
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
 * struct frame_taker - a kind of client: how it takes the bytes of its trace ID
 * @feed: as csf_feed()
 * @end: nothing follows what was fed; @last: in all of the capture
 * @reset: what was fed is of no interest any more
 * @ahead: as csf_feed_ahead(); NULL: it takes nothing ahead
 * @wants_ahead: does this client?
 */
struct frame_taker {
	int (*feed)(void *client, const void *bytes, size_t n);
	int (*end)(void *client, bool last);
	void (*reset)(void *client);
	void (*ahead)(void *client, const void *bytes, size_t n);
	bool (*wants_ahead)(const void *client);
};

/* What has a trace ID: a decoder, a monitor, ...; @is: borrowed; NULL: nothing has */
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
 * @sink: buffers of streams that have no client: one for all of them, and one for ID 0, which
 *        nobody wants, but it is looked at
 * @stats: except what @demux counts
 * @singly: one frame at a time, without frame_run()
 * @broken: the decoders were told of a break and got nothing since
 * @before: frames before the last ones that were taken apart
 * @read_ahead: these are not fed yet: see frames-read-ahead.c; NULL: never were any
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

/* @client, or nobody if it is NULL, has @id; as csf_attach(). */
int frames_attach(struct csf_frames *frames, uint8_t id, void *client,
		  const struct frame_taker *taker);

static inline uint8_t *frames_sink(const struct csf_frames *frames, unsigned int id)
{
	return frames->sink + (id ? 0 : FRAME_BUFFER);
}

/* Bytes of trace ID 0 that are no padding: most often none, so they are looked at in words. */
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

/* Counts all that is not a frame.  Return: the stream of the capture is broken off here. */
bool frames_count(struct csf_frames *frames, const struct frame_item *item);

/**
 * frames_take() - take some frames apart
 * @broken: then: the decoders must be told of a break
 *
 * What comes out waits in the streams.
 *
 * Return: bytes taken.
 */
long frames_take(struct csf_frames *frames, const uint8_t *data, size_t n, bool *broken);

/* Was that done before with what is fed now?  Then that is what is fed, else it is undone. */
bool frames_adopt(struct csf_frames *frames, const void *data, size_t n, long *taken, bool *broken);

/* What was taken apart but not fed never was. */
void frames_forget(struct csf_frames *frames);

/* Figures of what was fed; and spans in the map of stream @id. */
void frames_told(const struct csf_frames *frames, struct csf_frame_stats *stats);
uint64_t frames_spans(const struct csf_frames *frames, uint8_t id);

#endif /* CSF_FRAMES_H */
