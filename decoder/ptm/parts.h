/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of ptm_protocol: see ../protocol.h. */
#ifndef CSF_PTM_PARTS_H
#define CSF_PTM_PARTS_H

#include "../classic/parts.h"
#include "packet.h"

/* -------- config.c */

const char *ptm_read_config(struct config *own, const struct csf_config *config);

/* -------- decode.c */

int ptm_next(struct csf_decoder *d, struct csf_run *run);
int ptm_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above);
size_t ptm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max);

/* -------- expand.c */

/* Adds the elements of a packet in sync, at @offset, to @d->queue. */
void ptm_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* -------- exception.c */

uint8_t ptm_exception_kind(const struct config *c, uint32_t type);

/* -------- fast.c */

/*
 * Takes atoms and branches until another packet comes, in sync and with an empty queue.  Returns
 * false if there were none.  Afterwards the run may have ended, d->el may hold the rest of the last
 * packet, and the queue its address.
 */
bool ptm_fast(struct csf_decoder *d);

/* -------- follow.c */

/* As flow_element(), for any element of PTM. */
bool ptm_element(struct csf_decoder *d);

#endif /* CSF_PTM_PARTS_H */
