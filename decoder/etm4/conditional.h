/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conditional instruction trace: from its packets to elements, each with its key.
 *
 * A conditional instruction (C element) has a key; its result (R element) comes later, with the
 * same key.  Packets leave most keys out, so one key is remembered for each of the two, and some
 * results stand for instructions that have no packet.
 */
#ifndef CSF_ETM4_CONDITIONAL_H
#define CSF_ETM4_CONDITIONAL_H

#include "../element.h"
#include "packet.h"

#define CONDITIONAL_MAX	8	/* maximum number of elements of a packet */

/**
 * struct conditional - the keys that packets leave out
 * @c_key: that of the last conditional instruction
 * @r_key: that of the last result
 */
struct conditional {
	uint32_t c_key;
	uint32_t r_key;
};

/**
 * conditional_expand() - the elements of a packet
 * @offset: of the packet, for the elements
 * @el: room for CONDITIONAL_MAX
 *
 * Return: their number; 0 for packets that have nothing to do with it.
 */
unsigned int conditional_expand(struct conditional *x, const struct config *c,
				const struct csf_packet *pkt, uint64_t offset, struct element *el);

#endif /* CSF_ETM4_CONDITIONAL_H */
