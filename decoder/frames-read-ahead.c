// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames that are taken apart ahead, while threads decode what was fed, so that the threads have
 * more to do when they are done.
 *
 * The state of the capture is then already the one after these frames.  The earlier state is kept,
 * and the caller is shown that one, until it feeds the same bytes; if it does anything else, the
 * earlier state is restored.
 */
#include <stdlib.h>

#include "frames.h"

/**
 * struct frames_read_ahead - frames taken apart ahead
 * @data: bytes of the caller; @n of them were looked at
 * @taken: number of bytes taken; 0: nothing is taken ahead
 * @broken: the decoders must be told of a break after them
 * @sync, @demux, @stats: the state before them
 */
struct frames_read_ahead {
	const uint8_t *data;
	size_t n;
	long taken;
	bool broken;
	struct frame_sync sync;
	struct frame_demux demux;
	struct csf_frame_stats stats;
};

static bool threaded(const struct csf_frames *frames, unsigned int id)
{
	const struct frame_client *client = &frames->client[id];

	return client->is && client->taker->wants_ahead && client->taker->wants_ahead(client->is);
}

static bool any_threads(const struct csf_frames *frames)
{
	bool any = false;

	for (unsigned int i = 0; i < CSF_ID_MAX; i++)
		any |= threaded(frames, i);
	return any;
}

/* Makes a second buffer for each stream that has one. */
static bool make_buffers(struct csf_frames *frames)
{
	struct frame_stream *stream = frames->demux.stream;

	for (unsigned int i = 0; i < FRAME_IDS; i++)
		if (stream[i].buf != frames_sink(frames, i) && !stream[i].other) {
			stream[i].other = malloc(FRAME_BUFFER);
			if (!stream[i].other)
				return false;
		}
	return true;
}

/* Swaps the buffers: the decoders still use the bytes they were fed. */
static void change_buffers(struct csf_frames *frames)
{
	struct frame_stream *stream = frames->demux.stream;

	for (unsigned int i = 0; i < FRAME_IDS; i++) {
		uint8_t *buf = stream[i].buf;

		if (buf == frames_sink(frames, i))
			continue;
		stream[i].buf = stream[i].other;
		stream[i].next = stream[i].buf;
		stream[i].other = buf;
	}
}

static void announce(struct csf_frames *frames)
{
	const struct frame_stream *stream = frames->demux.stream;

	for (unsigned int i = 0; i < CSF_ID_MAX; i++)
		if (threaded(frames, i))
			frames->client[i].taker->ahead(frames->client[i].is, stream[i].buf,
						       stream[i].next - stream[i].buf);
}

CSF_API int csf_frames_ahead(struct csf_frames *frames, const void *data, size_t n)
{
	struct frames_read_ahead *a;

	if (!frames || (!data && n) || frames->watch.active)
		return CSF_ERR_ARG;
	frames_forget(frames);
	if (!n || !any_threads(frames))
		return 0;
	if (!frames->read_ahead)
		frames->read_ahead = calloc(1, sizeof(*frames->read_ahead));
	a = frames->read_ahead;
	if (!a || !make_buffers(frames))
		return CSF_ERR_MEMORY;
	a->sync = frames->sync;
	a->stats = frames->stats;
	a->demux = frames->demux;
	change_buffers(frames);
	a->data = data;
	a->n = n < FRAME_FEED_MAX ? n : FRAME_FEED_MAX;
	a->taken = frames_take(frames, data, n, &a->broken);
	announce(frames);
	return 0;
}

bool frames_adopt(struct csf_frames *frames, const void *data, size_t n, long *taken, bool *broken)
{
	struct frames_read_ahead *a = frames->read_ahead;

	if (!a || !a->taken || a->data != data ||
	    a->n != (n < FRAME_FEED_MAX ? n : FRAME_FEED_MAX)) {
		frames_forget(frames);
		return false;
	}
	*taken = a->taken;
	*broken = a->broken;
	a->taken = 0;
	return true;
}

void frames_forget(struct csf_frames *frames)
{
	struct frames_read_ahead *a = frames->read_ahead;

	if (!a || !a->taken)
		return;
	a->taken = 0;
	for (unsigned int i = 0; i < CSF_ID_MAX; i++)
		if (threaded(frames, i))
			frames->client[i].taker->ahead(frames->client[i].is, NULL, 0);
	frames->sync = a->sync;
	frames->demux = a->demux;
	frames->stats = a->stats;
}

void frames_told(const struct csf_frames *frames, struct csf_frame_stats *stats)
{
	const struct frames_read_ahead *a = frames->read_ahead;
	const bool pending = a && a->taken;
	const struct frame_demux *demux = pending ? &a->demux : &frames->demux;

	*stats = pending ? a->stats : frames->stats;
	stats->frames = demux->frames;
	stats->fsync += demux->fsync;
}

uint64_t frames_spans(const struct csf_frames *frames, uint8_t id)
{
	const struct frames_read_ahead *a = frames->read_ahead;

	return a && a->taken ? a->demux.stream[id].map.n : frames->demux.stream[id].map.n;
}
