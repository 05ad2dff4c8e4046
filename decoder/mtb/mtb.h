/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MTB, the Micro Trace Buffer of Cortex-M0+, M23 and M33: the packet state of a decoder. */
#ifndef CSF_MTB_H
#define CSF_MTB_H

#include "../element.h"

#define MTB_TODO_MAX	4	/* maximum elements of one packet */

/**
 * struct mtb - part of struct csf_decoder
 * @begun: a packet came before: the place of execution is known
 * @returned: that packet is an exception return
 * @todo: elements that the flow has not had yet, from @done to @n
 */
struct mtb {
	bool begun, returned;
	uint8_t done, n;
	struct element todo[MTB_TODO_MAX];
};

extern const struct protocol mtb_protocol __hidden;

#endif /* CSF_MTB_H */
