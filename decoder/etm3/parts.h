/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of etm3_protocol: see ../protocol.h. */
#ifndef CSF_ETM3_PARTS_H
#define CSF_ETM3_PARTS_H

#include "../classic/parts.h"
#include "packet.h"

/* -------- decode.c */

void etm3_reset(struct csf_decoder *d);
int etm3_next(struct csf_decoder *d, struct csf_run *run);
int etm3_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above);
size_t etm3_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max);

/* -------- expand.c */

/* Adds the elements of a packet in sync, at @offset, to @d->queue. */
void etm3_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* -------- fast.c */

/*
 * Takes atoms and branches until another packet comes, in sync.  Returns false if there were none.
 * Afterwards the run may have ended, and d->el may hold what comes before the queue.
 */
bool etm3_fast(struct csf_decoder *d);

/* -------- place.c */

/* struct element.val of ADDRESS */
enum { ETM3_BRANCHED, ETM3_ISYNCED, ETM3_EXPECTED };

/*
 * The current element is next for the flow: adds what depends on the place of execution, and may
 * put another element before or after it.
 */
void etm3_place(struct csf_decoder *d);

/* -------- data.c: only for a decoder that is asked for accesses */

static inline bool etm3_data_asked(const struct csf_decoder *d)
{
	return unlikely(d->out.access);
}

/* As etm3_expand(), for data packets. */
void etm3_data_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* Reports the accesses whose values have not come, and will not come. */
void etm3_data_drop(struct csf_decoder *d, uint64_t offset);

/* Before the youngest P0 element is cancelled. */
void etm3_data_cancel(struct csf_decoder *d);

/* Tracing begins: the next address is whole. */
void etm3_data_begin(struct csf_decoder *d);

/* EL_ATOMS, EL_DATA and EL_DATA_REST are next for the flow: as etm3_place(). */
void etm3_data_atoms(struct csf_decoder *d);
void etm3_data_place(struct csf_decoder *d);

/* The instruction of the accesses that follow is not known. */
void etm3_data_lose(struct csf_decoder *d);

/* @run is ready: accesses of its last instruction may follow. */
void etm3_data_run(struct csf_decoder *d, const struct csf_run *run);

#endif /* CSF_ETM3_PARTS_H */
