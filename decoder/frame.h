/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames: 16 bytes each, taken apart into the streams of their trace IDs. */
#ifndef CSF_FRAME_H
#define CSF_FRAME_H

#include "frame-map.h"
#include "frame-sync.h"

#define FRAME_IDS	(CSF_ID_MAX + 1)	/* the last: ID not known yet */

/*
 * Bytes of capture that one feed takes; room for their payload in each stream's buffer.  Threads
 * that decode ahead wait between two feeds; alone a sixteenth of it is as fast, but when runs end,
 * and so which of two CPUs is shown first, must not depend on the number of threads.
 */
#define FRAME_FEED_MAX	(1u << 20)
#define FRAME_BUFFER	(FRAME_FEED_MAX + 64)

/**
 * struct frame_stream - the bytes of one trace ID
 * @pos: offset in the stream of @buf[0]
 * @next: where the next byte goes; 16 more may be overwritten
 * @buf: FRAME_BUFFER bytes; streams nobody wants share one
 * @other: another buffer, for what is taken apart ahead; NULL: nothing was
 * @map: where the bytes came from
 */
struct frame_stream {
	uint64_t pos;
	uint8_t *next;
	uint8_t *buf;
	uint8_t *other;
	struct frame_map map;
};

/**
 * struct frame_demux - streams being filled from frames
 * @stream: by trace ID
 * @id: ID in force, CSF_ID_MAX: not known
 * @expect: a frame here in the capture goes on with the last span of the ID in force
 * @full: a map has grown enough: stop
 * @frames: so far
 * @fsync: FSYNCs taken by frame_run() so far
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
 * @mask: bit i: byte i of the frame is one of them
 */
struct frame_piece {
	uint8_t id;
	uint16_t mask;
};

/* Eight places for an ID, the last with no data behind it. */
#define FRAME_PIECES	8

/**
 * frame_pieces() - who owns which bytes of a frame
 * @frame: the frame
 * @id: ID in force; then the one behind the frame
 * @piece: FRAME_PIECES, in the order of the stream; none is empty
 *
 * Return: number of pieces.
 */
unsigned int frame_pieces(const uint8_t *frame, unsigned int *id, struct frame_piece *piece);

/**
 * frame_run() - frames that follow each other in the capture, and FSYNCs before them
 * @demux: where their bytes go
 * @p: bytes of the capture, at a frame
 * @n: of them; a frame at the end that is not whole is left
 * @at: offset of the first in the capture
 * @port: there may be syncs; else the frames are back to back
 *
 * Stops before a frame that could be a sync or have one in it, and when @demux->full.
 *
 * Return: bytes taken.
 */
size_t frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at, bool port);

/* As frame_run(), for any one frame, its bytes wherever they were: the slow way. */
void frame_take(struct frame_demux *demux, const struct frame_item *item);

#endif /* CSF_FRAME_H */
