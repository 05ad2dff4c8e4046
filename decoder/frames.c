// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames, public side: from a capture to the decoders of its IDs. */
#include <stdlib.h>

#include "csflow-debug.h"
#include "frames.h"
#include "table.h"

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

	if (!frames || (unsigned int)framing > CSF_FRAMES_DSTREAM ||
	    flags & ~(CSF_FRAMES_NO_BARRIER | CSF_WITHOUT_FRAMES))
		return CSF_ERR_ARG;
	*frames = NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CSF_ERR_MEMORY;
	new->sink = malloc(2 * FRAME_BUFFER);
	if (!new->sink) {
		free(new);
		return CSF_ERR_MEMORY;
	}
	for (i = 0; i < FRAME_IDS; i++)
		new->demux.stream[i].buf = frames_sink(new, i);
	new->singly = flags & CSF_WITHOUT_FRAMES;
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
	free(stream->other);
	stream->other = NULL;
	if (stream->buf != frames_sink(frames, id))
		free(stream->buf);
	stream->buf = frames_sink(frames, id);
}

void csf_frames_free(struct csf_frames *frames)
{
	unsigned int i;

	if (!frames)
		return;
	for (i = 0; i < FRAME_IDS; i++)
		stream_free(frames, i);
	free(frames->read_ahead);
	free(frames->sink);
	free(frames);
}

void csf_frames_reset(struct csf_frames *frames)
{
	unsigned int i;

	frames_forget(frames);
	for (i = 0; i < CSF_ID_MAX; i++) {
		const struct frame_client *client = &frames->client[i];

		if (client->is)
			client->taker->reset(client->is);
	}
	start(frames);
}

static bool wanted(const struct csf_frames *frames, unsigned int id)
{
	return frames->client[id].is;
}

static bool attached(const struct csf_frames *frames, const void *client)
{
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (frames->client[i].is == client)
			return true;
	return false;
}

static int stream_alloc(struct frame_stream *stream)
{
	uint8_t *buf = malloc(FRAME_BUFFER);

	stream->map.span = malloc(FRAME_MAP_SIZE * sizeof(*stream->map.span));
	if (!buf || !stream->map.span) {
		table_refused(FRAME_BUFFER);
		free(buf);
		free(stream->map.span);
		stream->map.span = NULL;
		return CSF_ERR_MEMORY;
	}
	stream->buf = buf;
	return 0;
}

/* From here on the bytes of @id are needed, or not needed. */
static int stream_start(struct csf_frames *frames, uint8_t id, bool keep)
{
	struct frame_stream *stream = &frames->demux.stream[id];

	if (!keep)
		stream_free(frames, id);
	else if (stream->buf == frames_sink(frames, id) && stream_alloc(stream))
		return CSF_ERR_MEMORY;
	stream->next = stream->buf;
	stream->pos = 0;
	stream->map.n = 0;
	stream->map.full = FRAME_MAP_FEED;
	frames->demux.expect = UINT64_MAX;
	return 0;
}

int frames_attach(struct csf_frames *frames, uint8_t id, void *client,
		  const struct frame_taker *taker)
{
	struct frame_client *has;
	int err;

	if (!frames || !id_carries_trace(id))
		return CSF_ERR_ARG;
	has = &frames->client[id];
	if (has->is && has->taker != taker)
		return CSF_ERR_ARG;
	if (has->is == client)
		return 0;
	if (client && attached(frames, client))
		return CSF_ERR_ARG;
	frames_forget(frames);
	err = stream_start(frames, id, client);
	if (!err)
		*has = (struct frame_client){ client, taker };
	return err;
}

/* Gives @n bytes to the client of the ID. */
static int hand_over(struct csf_frames *frames, unsigned int id, const uint8_t *bytes, size_t n)
{
	const struct frame_client *client = &frames->client[id];

	return client->is ? client->taker->feed(client->is, bytes, n) : 0;
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

/* A client that may be fed takes 0 bytes; any other returns an error. */
static int check_used_up(struct csf_frames *frames)
{
	unsigned int i;
	int err;

	if (frames->watch.active)
		return CSF_ERR_ARG;
	for (i = 0; i < CSF_ID_MAX; i++) {
		err = hand_over(frames, i, NULL, 0);
		if (err)
			return err;
	}
	return 0;
}

/* Takes frames straight from the input, as long as nothing else comes. */
static void straight(struct csf_frames *frames)
{
	struct frame_sync *sync = &frames->sync;
	const bool port = sync->framing != CSF_FRAMES_MEMORY;
	size_t n;

	if (frames->singly || !frame_sync_straight(sync))
		return;
	n = frame_run(&frames->demux, sync->p, frame_sync_room(sync), sync->offset, port);
	frame_sync_skip(sync, n);
}

/* Is there a decoder that is about to get bytes? */
static bool pending(const struct csf_frames *frames)
{
	const struct frame_stream *stream = frames->demux.stream;
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (wanted(frames, i) && stream[i].next != stream[i].buf)
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

/* Feeds the decoder of @id the bytes of its stream. */
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
	if (!id)
		frames->stats.null += frames_null(stream->buf, n);
	if (!wanted(frames, id)) {
		frames->stats.dropped[id] += n;
		return 0;
	}
	frames->broken = false;
	return hand_over(frames, id, stream->buf, n);
}

/* Feeds all decoders what was taken apart. */
static int deliver(struct csf_frames *frames)
{
	struct frame_demux *demux = &frames->demux;
	uint64_t overhead = (demux->frames - frames->before) * FRAME_SIZE;
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

/* Tells all clients that no bytes follow.  Return: the first error. */
static int tell(struct csf_frames *frames, bool last)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < CSF_ID_MAX; i++) {
		const struct frame_client *client = &frames->client[i];
		const int e = client->is ? client->taker->end(client->is, last) : 0;

		err = err ? err : e;
	}
	frames->broken = !last;
	return err;
}

long frames_take(struct csf_frames *frames, const uint8_t *data, size_t n, bool *broken)
{
	struct frame_sync *sync = &frames->sync;

	sync->p = data;
	sync->end = data + (n < FRAME_FEED_MAX ? n : FRAME_FEED_MAX);
	frames->before = frames->demux.frames;
	*broken = take(frames);
	n = sync->p - data;
	sync->p = sync->end;
	frames->stats.bytes += n;
	return n;
}

long csf_frames_feed(struct csf_frames *frames, const void *data, size_t n)
{
	bool broken;
	long taken;
	int err;

	if (!frames || (!data && n))
		return CSF_ERR_ARG;
	err = check_used_up(frames);
	if (err || !n)
		return err;
	if (!frames_adopt(frames, data, n, &taken, &broken))
		taken = frames_take(frames, data, n, &broken);
	err = deliver(frames);
	if (broken) {
		const int e = tell(frames, false);

		err = err ? err : e;
	}
	return err ? err : taken;
}

/* No frame may contain bytes from both before and after this place. */
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
	frames_forget(frames);
	cut(frames);
	frame_sync_start(&frames->sync, frames->sync.offset);
	return tell(frames, true);
}

int csf_frames_break(struct csf_frames *frames, uint64_t n)
{
	struct frame_sync *sync;
	uint64_t block;
	bool first;

	if (!frames || frames->watch.active)
		return CSF_ERR_ARG;
	frames_forget(frames);
	sync = &frames->sync;
	first = !sync->offset && !sync->n;
	block = sync->block + n % FRAME_BLOCK;
	cut(frames);
	frame_sync_start(sync, sync->offset + n);
	if (sync->framing == CSF_FRAMES_DSTREAM)
		sync->block = block % FRAME_BLOCK;
	/* before the first byte there is nothing that could break off */
	if (first || frames->broken)
		return 0;
	return tell(frames, false);
}

uint64_t csf_frames_offset(const struct csf_frames *frames, uint8_t id, uint64_t pos)
{
	const struct frame_stream *stream;

	if (!frames || id >= CSF_ID_MAX || !wanted(frames, id))
		return UINT64_MAX;
	stream = &frames->demux.stream[id];
	return frame_map_find(&stream->map, frames_spans(frames, id), pos, stream->pos);
}

void csf_frames_stats(const struct csf_frames *frames, struct csf_frame_stats *stats)
{
	const size_t size = stats->size;
	struct csf_frame_stats all;

	frames_told(frames, &all);
	all.size = size;
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
}
