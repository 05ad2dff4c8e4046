/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of ptm_protocol: see ../protocol.h. */
#ifndef CSF_PTM_PARTS_H
#define CSF_PTM_PARTS_H

#include "../flow.h"
#include "packet.h"

/* -------- decode.c */

void ptm_reset(struct csf_decoder *d);
int ptm_next(struct csf_decoder *d, struct csf_run *run);

/* -------- expand.c */

/* Adds the elements of a packet in sync, at @offset. */
void ptm_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* A timestamp completed from the one before it, in natural binary. */
uint64_t ptm_time(const struct config *c, uint64_t *last, const struct csf_packet *pkt);

/* Adds an element, which is zero but for these.  Return: valid until the next one is added. */
struct element *ptm_add(struct csf_decoder *d, uint64_t offset, enum element_type type);

/* -------- exception.c */

uint8_t ptm_exception_kind(const struct config *c, uint32_t type);

/* -------- follow.c */

/* As flow_element(), for any element of PTM. */
bool ptm_element(struct csf_decoder *d);

/* -------- monitor.c */

size_t ptm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max);

/* -------- next-time.c */

int ptm_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above);

#endif /* CSF_PTM_PARTS_H */
