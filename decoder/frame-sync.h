/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Synchronisation: cuts a capture into whole frames and what is between them
 *
 * This deals with everything irregular in a capture: chunks of any size, syncs inside a frame,
 * trailers, barriers, loss of sync.  After it there are only frames of 16 bytes and the capture
 * offset of each of their bytes.
 */
#ifndef CSF_FRAME_SYNC_H
#define CSF_FRAME_SYNC_H

#include "bytes.h"
#include "csflow.h"

#define FRAME_SIZE	16
#define FRAME_FSYNC	0x7fffffffu	/* FF FF FF 7F */
#define FRAME_BLOCK	512		/* DSTREAM: a block, and its payload */
#define FRAME_PAYLOAD	504

/**
 * struct frame_item - one item of a capture
 * @offset: offset of its first byte
 * @data: its bytes; valid until the next call
 * @at: CSF_FRAME_DATA: offset of each byte; NULL: one after the other from @offset
 * @n: bytes; CSF_FRAME_DATA: 16, a whole frame
 * @kind: enum csf_frame_kind
 */
struct frame_item {
	uint64_t offset;
	const uint8_t *data;
	const uint64_t *at;
	size_t n;
	uint8_t kind;
};

/**
 * struct frame_sync - state between two bytes of a capture
 * @p: next byte of input
 * @end: end of the input
 * @offset: offset of @p in the capture
 * @at: offset of each byte of @part
 * @part: bytes of an incomplete frame; out of sync: bytes that may begin an FSYNC
 * @n: bytes in @part, 0..16
 * @held: bytes just dropped from @part, or a trailer, to be reported
 * @n_held: number of bytes of a trailer so far
 * @block: DSTREAM: number of bytes of the block before @p
 * @bad: number of bytes at the end of @part that are impossible; sync is about to be lost
 * @framing: enum csf_framing
 * @barriers: treat four FSYNCs as a barrier
 * @locked: in sync
 * @last: no more input follows
 */
struct frame_sync {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t offset;
	uint64_t at[FRAME_SIZE];
	uint8_t part[FRAME_SIZE];
	uint8_t n;
	uint8_t held[FRAME_SIZE];
	uint8_t n_held;
	uint16_t block;
	uint8_t bad;
	uint8_t framing;
	bool barriers;
	bool locked;
	bool last;
};

/* Starts as at the beginning of a capture, but at @offset; the framing stays. */
void frame_sync_start(struct frame_sync *sync, uint64_t offset);

/* Return: true: there is an item; false: all input is used up. */
bool frame_sync_next(struct frame_sync *sync, struct frame_item *item);

/* Payload bytes of the capture that are available one after the other. */
static inline size_t frame_sync_room(const struct frame_sync *sync)
{
	const size_t n = sync->end - sync->p;

	if (sync->framing != CSF_FRAMES_DSTREAM)
		return n;
	if (sync->block >= FRAME_PAYLOAD)
		return 0;
	return n < FRAME_PAYLOAD - sync->block ? n : (size_t)(FRAME_PAYLOAD - sync->block);
}

/* May frames be taken straight from the input? */
static inline bool frame_sync_straight(const struct frame_sync *sync)
{
	return sync->locked && !sync->n;
}

static inline void frame_sync_skip(struct frame_sync *sync, size_t n)
{
	sync->p += n;
	sync->offset += n;
	if (sync->framing == CSF_FRAMES_DSTREAM)
		sync->block += n;
}

#endif /* CSF_FRAME_SYNC_H */
