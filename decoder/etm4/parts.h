/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of etm4_protocol: see ../protocol.h. */
#ifndef CSF_ETM4_PARTS_H
#define CSF_ETM4_PARTS_H

#include "../monitor.h"
#include "../state.h"

/* -------- decode.c */

void etm4_reset(struct csf_decoder *d);
int etm4_next(struct csf_decoder *d, struct csf_run *run);

/* Makes the next element, @d->el.  Returns false when the run ended, or more bytes are needed. */
bool etm4_next_element(struct csf_decoder *d);

/* -------- committed.c */

size_t etm4_read_committed(struct csf_decoder *d, struct csf_packet *packets, uint64_t *offsets,
			   size_t max);

/* -------- next-time.c */

int etm4_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above);

/* -------- monitor.c */

size_t etm4_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max);

/* -------- segment.c */

size_t etm4_find_segment(const struct config *c, const uint8_t *bytes, size_t n, size_t *at);
void etm4_take_state(struct state *s, const struct csf_decoder *d);
bool etm4_same_state(const struct state *a, const struct state *b);

#endif /* CSF_ETM4_PARTS_H */
