// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames, public side: a capture in, trace to the decoders of its IDs. */
#include <stdlib.h>

#include "frames.h"

static bool id_carries_trace(unsigned int id)
{
	return id >= 0x01 && id <= 0x6f;
}

static void start(struct csf_frames *frames)
{
	struct frame_demux *demux = &frames->demux;
	unsigned int i;

	frame_sync_start(&frames->sync, 0);
	for (i = 0; i < FRAME_IDS; i++) {
		demux->stream[i].next = demux->stream[i].buf;
		demux->stream[i].pos = 0;
		demux->stream[i].map.n = 0;
		demux->stream[i].map.full = FRAME_MAP_FEED;
	}
	demux->id = CSF_ID_MAX;
	demux->expect = UINT64_MAX;
	demux->full = false;
	demux->frames = 0;
	demux->fsync = 0;
	frames->stats = (struct csf_frame_stats) { 0 };
	frames->watch.active = false;
	frames->watch.i = 0;
	frames->watch.n = 0;
	frames->broken = false;
}

int csf_frames_new(struct csf_frames **frames, enum csf_framing framing, uint32_t flags)
{
	struct csf_frames *new;
	unsigned int i;

	if (!frames || (unsigned int)framing > CSF_FRAMES_DSTREAM || flags & ~CSF_FRAMES_NO_BARRIER)
		return CSF_ERR_ARG;
	*frames = NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CSF_ERR_MEMORY;
	new->sink = malloc(FRAME_BUFFER);
	if (!new->sink) {
		free(new);
		return CSF_ERR_MEMORY;
	}
	for (i = 0; i < FRAME_IDS; i++)
		new->demux.stream[i].buf = new->sink;
	new->sync.framing = framing;
	new->sync.barriers = framing == CSF_FRAMES_MEMORY && !(flags & CSF_FRAMES_NO_BARRIER);
	start(new);
	*frames = new;
	return 0;
}

static void stream_free(struct csf_frames *frames, unsigned int id)
{
	struct frame_stream *stream = &frames->demux.stream[id];

	free(stream->map.span);
	stream->map.span = NULL;
	if (stream->buf != frames->sink)
		free(stream->buf);
	stream->buf = frames->sink;
}

void csf_frames_free(struct csf_frames *frames)
{
	unsigned int i;

	if (!frames)
		return;
	for (i = 0; i < FRAME_IDS; i++)
		stream_free(frames, i);
	free(frames->sink);
	free(frames);
}

void csf_frames_reset(struct csf_frames *frames)
{
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (frames->dec[i])
			csf_reset(frames->dec[i]);
	start(frames);
}

static bool attached(const struct csf_frames *frames, const struct csf_decoder *dec)
{
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (frames->dec[i] == dec)
			return true;
	return false;
}

static int stream_alloc(struct frame_stream *stream)
{
	uint8_t *buf = malloc(FRAME_BUFFER);

	stream->map.span = malloc(FRAME_MAP_SIZE * sizeof(*stream->map.span));
	if (!buf || !stream->map.span) {
		free(buf);
		free(stream->map.span);
		stream->map.span = NULL;
		return CSF_ERR_MEMORY;
	}
	stream->buf = buf;
	return 0;
}

int csf_attach(struct csf_frames *frames, uint8_t id, struct csf_decoder *dec)
{
	struct frame_stream *stream;

	if (!frames || !id_carries_trace(id))
		return CSF_ERR_ARG;
	if (frames->dec[id] == dec)
		return 0;
	if (dec && attached(frames, dec))
		return CSF_ERR_ARG;
	stream = &frames->demux.stream[id];
	if (!dec)
		stream_free(frames, id);
	else if (stream->buf == frames->sink && stream_alloc(stream))
		return CSF_ERR_MEMORY;
	stream->next = stream->buf;
	stream->pos = 0;
	stream->map.n = 0;
	stream->map.full = FRAME_MAP_FEED;
	frames->demux.expect = UINT64_MAX;
	frames->dec[id] = dec;
	return 0;
}

bool frames_count(struct csf_frames *frames, const struct frame_item *item)
{
	struct csf_frame_stats *stats = &frames->stats;

	switch ((enum csf_frame_kind)item->kind) {
	case CSF_FRAME_DATA:
		return false;
	case CSF_FRAME_FSYNC:
		stats->fsync++;
		return false;
	case CSF_FRAME_HSYNC:
		stats->hsync++;
		return false;
	case CSF_FRAME_SKIPPED:
		stats->skipped += item->n;
		return false;
	case CSF_FRAME_PARTIAL:
		stats->partial += item->n;
		return false;
	case CSF_FRAME_TRAILER:
		stats->trailer += item->n;
		return false;
	case CSF_FRAME_BARRIER:
		stats->barriers++;
		break;
	case CSF_FRAME_BAD:
		stats->bad++;
		stats->skipped += item->n;
		break;
	}
	frames->demux.id = CSF_ID_MAX;
	return true;
}

/* A decoder takes 0 bytes just when it may be fed. */
static int check_used_up(const struct csf_frames *frames)
{
	unsigned int i;
	int err;

	if (frames->watch.active)
		return CSF_ERR_ARG;
	for (i = 0; i < CSF_ID_MAX; i++) {
		err = frames->dec[i] ? csf_feed(frames->dec[i], NULL, 0) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* Frames straight from the input, as long as nothing else comes. */
static void straight(struct csf_frames *frames)
{
	struct frame_sync *sync = &frames->sync;
	const bool port = sync->framing != CSF_FRAMES_MEMORY;
	size_t n;

	if (!frame_sync_straight(sync))
		return;
	n = frame_run(&frames->demux, sync->p, frame_sync_room(sync), sync->offset, port);
	frame_sync_skip(sync, n);
}

/* Some decoder is about to get bytes. */
static bool pending(const struct csf_frames *frames)
{
	const struct frame_stream *stream = frames->demux.stream;
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (frames->dec[i] && stream[i].next != stream[i].buf)
			return true;
	return false;
}

/* Return: the decoders must be told of a break. */
static bool take(struct csf_frames *frames)
{
	struct frame_item item;

	for (;;) {
		straight(frames);
		if (frames->demux.full || !frame_sync_next(&frames->sync, &item))
			return false;
		if (item.kind == CSF_FRAME_DATA)
			frame_take(&frames->demux, &item);
		else if (frames_count(frames, &item) && (!frames->broken || pending(frames)))
			return true;
	}
}

/* What @id got goes to its decoder. */
static int deliver_one(struct csf_frames *frames, unsigned int id, size_t n)
{
	struct frame_stream *stream = &frames->demux.stream[id];

	stream->pos += n;
	stream->next = stream->buf;
	stream->map.full = stream->map.n + FRAME_MAP_FEED;
	if (id == CSF_ID_MAX) {
		frames->stats.unknown += n;
		return 0;
	}
	frames->stats.id[id] += n;
	if (!frames->dec[id])
		return 0;
	frames->broken = false;
	return csf_feed(frames->dec[id], stream->buf, n);
}

/* Everyone gets what came since @before: the number of frames then. */
static int deliver(struct csf_frames *frames, uint64_t before)
{
	struct frame_demux *demux = &frames->demux;
	uint64_t overhead = (demux->frames - before) * FRAME_SIZE;
	unsigned int i;
	int err = 0;

	for (i = 0; i < FRAME_IDS; i++) {
		const size_t n = demux->stream[i].next - demux->stream[i].buf;
		const int e = n ? deliver_one(frames, i, n) : 0;

		overhead -= n;
		err = err ? err : e;
	}
	frames->stats.overhead += overhead;
	demux->full = false;
	return err;
}

/* Return: the first error, but all decoders are told. */
static int tell(struct csf_frames *frames, bool last)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < CSF_ID_MAX; i++) {
		struct csf_decoder *dec = frames->dec[i];
		const int e = !dec ? 0 : last ? csf_end(dec) : csf_break(dec);

		err = err ? err : e;
	}
	frames->broken = !last;
	return err;
}

long csf_frames_feed(struct csf_frames *frames, const void *data, size_t n)
{
	struct frame_sync *sync;
	uint64_t before;
	bool broken;
	int err;

	if (!frames || (!data && n))
		return CSF_ERR_ARG;
	err = check_used_up(frames);
	if (err || !n)
		return err;
	sync = &frames->sync;
	sync->p = data;
	sync->end = sync->p + (n < FRAME_FEED_MAX ? n : FRAME_FEED_MAX);
	before = frames->demux.frames;
	broken = take(frames);
	n = sync->p - (const uint8_t *)data;
	sync->p = sync->end;
	frames->stats.bytes += n;
	err = deliver(frames, before);
	if (broken) {
		const int e = tell(frames, false);

		err = err ? err : e;
	}
	return err ? err : (long)n;
}

/* No byte before this one and none behind it make a frame together. */
static void cut(struct csf_frames *frames)
{
	struct frame_sync *sync = &frames->sync;
	struct frame_item item;

	sync->p = sync->end;
	sync->last = true;
	while (frame_sync_next(sync, &item))
		frames_count(frames, &item);
	frames->demux.id = CSF_ID_MAX;
}

int csf_frames_end(struct csf_frames *frames)
{
	if (!frames || frames->watch.active)
		return CSF_ERR_ARG;
	cut(frames);
	frame_sync_start(&frames->sync, frames->sync.offset);
	return tell(frames, true);
}

int csf_frames_break(struct csf_frames *frames, uint64_t n)
{
	struct frame_sync *sync;
	uint64_t block;

	if (!frames || frames->watch.active)
		return CSF_ERR_ARG;
	sync = &frames->sync;
	block = sync->block + n % FRAME_BLOCK;
	cut(frames);
	frame_sync_start(sync, sync->offset + n);
	if (sync->framing == CSF_FRAMES_DSTREAM)
		sync->block = block % FRAME_BLOCK;
	return frames->broken ? 0 : tell(frames, false);
}

uint64_t csf_frames_offset(const struct csf_frames *frames, uint8_t id, uint64_t pos)
{
	const struct frame_stream *stream;

	if (!frames || id >= CSF_ID_MAX || !frames->dec[id])
		return UINT64_MAX;
	stream = &frames->demux.stream[id];
	return frame_map_find(&stream->map, pos, stream->pos);
}

void csf_frames_stats(const struct csf_frames *frames, struct csf_frame_stats *stats)
{
	struct csf_frame_stats all = frames->stats;
	const size_t size = stats->size;

	all.size = size;
	all.frames = frames->demux.frames;
	all.fsync += frames->demux.fsync;
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
}
