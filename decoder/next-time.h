/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timestamps to come, for csf_next_time() of all protocols. */
#ifndef CSF_NEXT_TIME_H
#define CSF_NEXT_TIME_H

#include "flow.h"

/**
 * struct next_time - a look ahead
 * @pos: timestamps before this offset do not count
 * @bound: look for a timestamp above this
 * @last: the last timestamp not above @bound; @above: the first one above; 0: none yet
 */
struct next_time {
	uint64_t pos;
	uint64_t bound;
	uint64_t last, above;
};

void next_time_see(struct next_time *next, uint64_t offset, uint64_t time);

/* Elements that the decoder holds: the current one, and those that are not committed. */
void next_time_see_held(struct next_time *next, const struct csf_decoder *d);

#endif /* CSF_NEXT_TIME_H */
