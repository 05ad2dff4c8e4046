/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a builder of indexes share. */
#ifndef CSF_INDEX_PARTS_H
#define CSF_INDEX_PARTS_H

#include "index.h"

/* A point from which the capture is elsewhere in the source. */
struct stretch {
	uint64_t at;		/* offset in the capture, as if it were in one piece */
	uint64_t begin;		/* offset in the source of its byte 0, if so */
};

/**
 * struct track - a stream that is being indexed
 * @stream: its number in the index
 * @mon: its packets; @messages: or its messages
 * @syncs: of @messages; @before: where the last message was
 * @sync_at, @sync_end: between these there is a sync, if @synced: a new one
 * @gray: timestamps are in Gray code
 * @global: an ITM has sent a whole global timestamp: local ones do not count any more
 * @time: the last timestamp, as sent, for timestamps without their unchanged parts
 * @fed: bytes of the stream; @base: bytes before @mon began
 * @wait: the next A-sync is the first of a fragment
 */
struct track {
	struct csf_config config;
	struct csf_monitor *mon;
	struct csf_messages *messages;
	uint64_t syncs, before, sync_at, sync_end;
	size_t stream;
	uint8_t id;
	bool gray, global, synced;
	uint64_t time;
	uint64_t latest;
	uint64_t fed, base;
	bool wait;
};

/**
 * struct index_builder - an index that is being made
 * @track: one for each of its streams
 * @by_id: the tracks of the current capture; [CSF_ID_MAX]: the raw one
 * @frames: NULL: the capture is @raw
 * @id: the current trace ID of 16-byte frames; INDEX_NO_ID: unknown
 * @stretch: @n_stretch of them, of this capture
 * @begin: offset in the source of byte 0 of the capture, if it were all in one piece
 * @start: of the first byte of this piece; @at: of the next byte
 */
struct index_builder {
	struct index index;
	struct track *track;
	size_t n_track;
	struct track *by_id[CSF_ID_MAX + 1];
	struct csf_frames *frames;
	bool raw, memory;
	uint8_t id;
	struct stretch *stretch;
	size_t n_stretch;
	uint64_t begin, start, at;
};

/*
 * Byte @pos of the fragment of @t begins a stretch, unless the one before is still too short.
 * Return: false if there is no memory.
 */
bool index_open_entry(struct index_builder *b, struct track *t, uint64_t pos);

/* A timestamp of @e, the last entry of @s. */
void index_add_time(struct index_stream *s, struct index_entry *e, struct track *t,
		    uint64_t time);

/* Takes all messages that @t has by now.  Return: 0, CSF_ERR_MEMORY. */
int index_see_messages(struct index_builder *b, struct track *t);

#endif /* CSF_INDEX_PARTS_H */
