/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of 16 bytes, taken apart into the streams of their trace IDs. */
#ifndef CSF_FRAME_H
#define CSF_FRAME_H

#include "frame-map.h"
#include "frame-sync.h"

#define FRAME_IDS	(CSF_ID_MAX + 1)	/* the last: ID not known yet */

/*
 * Bytes of capture that one feed takes; each stream's buffer has room for their payload.  Threads
 * that decode ahead wait between two feeds.  A decoder alone is as fast with a sixteenth of this,
 * but the ends of runs, and so which of two CPUs is shown first, must not depend on the number of
 * threads.
 */
#define FRAME_FEED_MAX	(1u << 20)
#define FRAME_BUFFER	(FRAME_FEED_MAX + 64)

/**
 * struct frame_stream - the bytes of one trace ID
 * @pos: offset in the stream of @buf[0]
 * @next: where the next byte goes; 16 bytes after that may be overwritten
 * @buf: FRAME_BUFFER bytes; all streams without a client share one
 * @other: another buffer, for bytes taken apart ahead; NULL: there never were any
 * @map: where the bytes are in the capture
 */
struct frame_stream {
	uint64_t pos;
	uint8_t *next;
	uint8_t *buf;
	uint8_t *other;
	struct frame_map map;
};

/**
 * struct frame_demux - streams that are filled from frames
 * @stream: by trace ID
 * @id: current ID; CSF_ID_MAX: not known
 * @expect: a frame at this offset in the capture continues the last span of the current ID
 * @full: a map has no room for more: stop
 * @frames: number of frames so far
 * @fsync: number of FSYNCs that frame_run() has taken so far
 */
struct frame_demux {
	struct frame_stream stream[FRAME_IDS];
	unsigned int id;
	uint64_t expect;
	bool full;
	uint64_t frames;
	uint64_t fsync;
};

/**
 * struct frame_piece - bytes of one frame that belong to one ID
 * @id: trace ID
 * @mask: bit i is set if byte i of the frame belongs to it
 */
struct frame_piece {
	uint8_t id;
	uint16_t mask;
};

/* There are eight positions for an ID; no data follows the last. */
#define FRAME_PIECES	8

/**
 * frame_pieces() - find the stream of each byte of a frame
 * @frame: the frame
 * @id: current ID; set to the ID after the frame
 * @piece: room for FRAME_PIECES; filled in stream order; no piece is empty
 *
 * Return: number of pieces.
 */
unsigned int frame_pieces(const uint8_t *frame, unsigned int *id, struct frame_piece *piece);

/**
 * frame_run() - take consecutive frames of the capture apart, and the FSYNCs before them
 * @demux: the streams
 * @p: bytes of the capture, from the start of a frame
 * @n: number of bytes; an incomplete frame at the end is left
 * @at: offset of the first byte in the capture
 * @port: there may be syncs; otherwise the frames are back to back
 *
 * Stops before a frame that may be a sync or contain one, and when @demux->full.
 *
 * Return: number of bytes taken.
 */
size_t frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at, bool port);

/* As frame_run(), for one frame with its bytes at any offsets: the slow way. */
void frame_take(struct frame_demux *demux, const struct frame_item *item);

#endif /* CSF_FRAME_H */
