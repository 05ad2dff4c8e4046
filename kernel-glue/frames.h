/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of several trace units in 16-byte frames, in memory that is written round and round. */
#ifndef CSFLOW_FRAMES_H
#define CSFLOW_FRAMES_H

#include <linux/types.h>

#define FRAME_SIZE	16

/**
 * struct frames - frames in memory
 * @ring: the memory
 * @size: its size in bytes, a power of two
 * @written: bytes that were ever written there; whole frames
 * @frame: the frame that is being made
 * @n: its bytes so far, without the last, which has bit 0 of the others
 * @id: whose the next byte is; 0: padding
 */
struct frames {
	u8 *ring;
	size_t size;
	u64 written;
	u8 frame[FRAME_SIZE];
	unsigned int n;
	u8 id;
};

/* Adds bytes of trace ID @id, 1 to 0x6f. */
void frames_add(struct frames *f, u8 id, const u8 *bytes, size_t n);

/* Fills the frame that is being made with padding. */
void frames_flush(struct frames *f);

#endif /* CSFLOW_FRAMES_H */
