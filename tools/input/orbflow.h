/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of Orbuculum: one byte that says whose they are, its bytes of trace, and a byte that
 * makes the sum of all 0; without zeros by consistent overhead byte stuffing, and each ended by a
 * zero.
 */
#ifndef CSF_ORBFLOW_H
#define CSF_ORBFLOW_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct orbflow - what was in the packets
 * @bytes: trace of one tag, @n bytes; free() it
 * @tagged: packets by tag
 * @bad: packets that are not whole
 */
struct orbflow {
	uint8_t *bytes;
	size_t n;
	size_t tagged[256];
	size_t bad;
};

/* @tag: take these.  Return: 0 or -ENOMEM. */
int orbflow_read(struct orbflow *o, const uint8_t *data, size_t n, uint8_t tag);

/* Only counts them.  Return: the only tag; 0: there are none, or several. */
uint8_t orbflow_only(struct orbflow *o, const uint8_t *data, size_t n);

#endif /* CSF_ORBFLOW_H */
