/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct csf_frames: a framed capture, its streams, and the decoders attached to them. */
#ifndef CSF_FRAMES_H
#define CSF_FRAMES_H

#include "frame.h"

/**
 * struct frame_watch - the raw monitor's place
 * @piece: of the frame now being handed out
 * @n: of them; @i: the next
 * @item: the frame
 * @bytes: its bytes, bit 0 in place
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
 * struct csf_frames - see csflow.h
 * @sync: the capture, cut into frames
 * @demux: frames, cut into streams
 * @watch: the raw monitor
 * @dec: by trace ID, borrowed, or NULL
 * @sink: buffer of all streams without a decoder
 * @stats: except what @demux counts
 * @broken: the decoders were told of a break and got nothing since
 */
struct csf_frames {
	struct frame_sync sync;
	struct frame_demux demux;
	struct frame_watch watch;
	struct csf_decoder *dec[CSF_ID_MAX];
	uint8_t *sink;
	struct csf_frame_stats stats;
	bool broken;
};

/* Counts all that is not a frame.  Return: the stream of the capture is broken off here. */
bool frames_count(struct csf_frames *frames, const struct frame_item *item);

#endif /* CSF_FRAMES_H */
