/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ETMv3: the packet state of a decoder that PTM does not have. */
#ifndef CSF_ETM3_H
#define CSF_ETM3_H

#include "../access.h"
#include "../element.h"

#define ETM3_TAGS	4	/* of values that come later; 0 is none */

/**
 * struct etm3_data - the state of data trace, if it is asked for
 * @addr: last address of a packet, of which @bits are known; @big: big-endian
 * @open: bit n: placeholder n waits for its value
 * @cancelled: bit n: its instruction was cancelled, and the value may still come
 * @want: number of steps if all atoms so far have become steps
 * @insn: address of the last instruction, which is the end of @block and is of @kind
 * @number: the next transfer of that instruction
 * @entry: accesses are of an exception entry
 * @last: address of the last access, of which @last_bits are known; @last_big: big-endian
 * @slot: the accesses that wait for their values
 *
 * The fields before @want are about packets as they are read; the others, about elements as they
 * leave the queue.
 */
struct etm3_data {
	uint32_t addr;
	uint8_t bits;
	bool big;
	uint8_t open;
	uint8_t cancelled;
	uint64_t want;
	uint64_t insn;
	uint32_t block;
	struct access_kind kind;
	uint32_t number;
	bool entry;
	uint32_t last;
	uint8_t last_bits;
	bool last_big;
	struct csf_access slot[ETM3_TAGS];
};

/**
 * struct etm3 - part of struct csf_decoder, besides struct classic
 * @half: the first half of the BL or BLX where execution is has taken its atom
 * @unsure: that is not known of the current element: a segment cannot read the code
 * @after: element that comes after the current one, if @has_after
 * @data: see there
 */
struct etm3 {
	bool half;
	bool unsure;
	bool has_after;
	struct element after;
	struct etm3_data data;
};

extern const struct protocol etm3_protocol __hidden;

#endif /* CSF_ETM3_H */
