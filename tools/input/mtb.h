/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of an MTB, which overwrites its oldest packets. */
#ifndef CSF_MTB_MEMORY_H
#define CSF_MTB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mtb_in_order() - the packets in the order in which they were written
 * @memory: its @n bytes; a packet does not cross their end
 * @position: the POSITION register when trace had stopped: where the next packet would go, and in
 *            bit 2 whether it began again at the start
 * @n_packets: set to the number of bytes in the result
 *
 * Source: ARM DDI 0486, "MTB_POSITION".
 *
 * Return: a copy for the caller to free; NULL: @position is not in this memory, or no memory.
 */
uint8_t *mtb_in_order(const uint8_t *memory, size_t n, uint32_t position, size_t *n_packets);

/**
 * struct mtb_memory - what was saved of an MTB
 * @data: its memory, @n bytes: all of it, or only the buffer
 * @position, @master: registers of that name
 * @has_master: it is known
 */
struct mtb_memory {
	const uint8_t *data;
	size_t n;
	uint32_t position, master;
	bool has_master;
};

/**
 * mtb_buffer() - find the buffer in the memory
 * @m: set to the buffer, and its @position to that in the buffer
 *
 * MASTER.MASK gives the size of the buffer.  The bits of POSITION above that size say which part of
 * the memory it is; they never change while the MTB writes.
 */
void mtb_buffer(struct mtb_memory *m);

#endif /* CSF_MTB_MEMORY_H */
