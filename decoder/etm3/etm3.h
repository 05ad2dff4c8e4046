/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ETMv3: the packet state of a decoder that PTM does not have. */
#ifndef CSF_ETM3_H
#define CSF_ETM3_H

#include "../element.h"

/**
 * struct etm3 - part of struct csf_decoder, besides struct classic
 * @half: the first half of the BL or BLX where execution is has taken its atom
 * @after: element that comes after the current one, if @has_after
 */
struct etm3 {
	bool half;
	bool has_after;
	struct element after;
};

extern const struct protocol etm3_protocol __hidden;

#endif /* CSF_ETM3_H */
