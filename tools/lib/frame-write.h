/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace of several IDs, wrapped in CoreSight's frames of 16 bytes, as a formatter does it. */
#ifndef CSF_FRAME_WRITE_H
#define CSF_FRAME_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct frame_writer - zero it
 * @data: @n bytes of whole frames, the caller's to take: set @n to 0; free() it in the end
 * @no_memory: some are missing
 */
struct frame_writer {
	uint8_t *data;
	size_t n, size;
	bool no_memory;
	/* private */
	uint8_t frame[16];
	uint8_t at;		/* bytes of @frame that are set */
	uint8_t id;
	uint8_t held;		/* a byte that waits for the one after it */
	bool is_held;
};

void frame_write(struct frame_writer *w, uint8_t id, const uint8_t *bytes, size_t n);

/* Ends the frame in hand; the next one says its ID anew. */
void frame_write_end(struct frame_writer *w);

#endif /* CSF_FRAME_WRITE_H */
