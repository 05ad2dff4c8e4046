/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace of several units in one buffer, in frames of 16 bytes as an ETR writes them.
 *
 * Source: CoreSight Architecture Specification v3.0 (ARM IHI 0029), D4.
 */
#ifndef CSF_ENCODE_FRAMES_H
#define CSF_ENCODE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct encode_frames - zero it and set @file
 * @file: where they go; borrowed
 * @n: bytes written
 */
struct encode_frames {
	FILE *file;
	uint64_t n;
	/* private */
	uint8_t frame[16];
	uint8_t at, id;		/* next byte of the frame; ID in force */
	bool held;		/* a byte of @held_id waits for the one behind it */
	uint8_t held_id, held_byte;
};

/* @n bytes of the trace unit with ID @id. */
void encode_frames_put(struct encode_frames *f, uint8_t id, const uint8_t *bytes, size_t n);

/* The rest, and the rest of the frame: ID 0, which is no trace. */
void encode_frames_end(struct encode_frames *f);

#endif /* CSF_ENCODE_FRAMES_H */
