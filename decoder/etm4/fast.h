/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hot loops: see ../steps.h.
 *
 *	fast.c		without speculation: atoms become steps as they come
 *	fast-prefetch.c	likewise, where there are many blocks
 *	fast-path.c	likewise, many at a time
 *	fast-spec.c	with it: when they are committed
 */
#ifndef CSF_FAST_H
#define CSF_FAST_H

#include "../steps.h"
#include "stream.h"

/* Maximum number of atoms in a packet. */
#define ATOMS_MAX	24

/*
 * Takes a timestamp or cycle count at @pos, after all steps of the run.  Returns its size; 0: it is
 * another packet, or ends the run.
 */
unsigned int fast_mark(struct csf_decoder *d, const uint8_t *pos);

/* -------- fast.c */

/*
 * Takes atoms and addresses until another packet comes.  No element may be waiting or queued.
 * Afterwards the run may have ended, or d->el may hold the rest of the last packet.
 */
void flow_fast(struct csf_decoder *d);

/* -------- fast-path.c */

/* As flow_fast(), as far as paths can be used: perhaps not at all. */
void flow_fast_paths(struct csf_decoder *d);

/* -------- fast-prefetch.c */

/* As flow_fast(), as far as possible, where there are many blocks. */
void flow_fast_prefetch(struct csf_decoder *d);

/* -------- fast-spec.c */

/*
 * As flow_fast(), with speculation.  All committed elements must have been taken from the queue.
 */
void flow_fast_spec(struct csf_decoder *d);

/*
 * Takes atoms and addresses from the old end of the queue, as far as they are committed.  As
 * flow_fast().
 */
void flow_fast_drain(struct csf_decoder *d);

#endif /* CSF_FAST_H */
