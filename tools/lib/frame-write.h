/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps trace of several IDs in CoreSight's frames of 16 bytes, as a formatter does. */
#ifndef CSF_FRAME_WRITE_H
#define CSF_FRAME_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct frame_writer - zero it
 * @data: @n bytes of whole frames; the caller takes them, sets @n to 0, and frees @data
 * @no_memory: memory was short: some bytes are missing
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

/* Ends the current frame; the next frame begins with its ID. */
void frame_write_end(struct frame_writer *w);

#endif /* CSF_FRAME_WRITE_H */
