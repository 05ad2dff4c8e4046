/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of ETMv3 and PTM that are the same. */
#ifndef CSF_CLASSIC_PARTS_H
#define CSF_CLASSIC_PARTS_H

#include "../flow.h"
#include "../monitor.h"
#include "packet.h"

/* -------- decode.c */

void classic_reset(struct csf_decoder *d);

/* Skips to the next A-sync. */
void classic_lose_sync(struct csf_decoder *d, const struct csf_packet *bad, uint64_t offset);

/* Reports skipped bytes: as part of the open gap, or of one at the start. */
bool classic_say_skipped(struct csf_decoder *d);

/* Goes to the next A-sync, if there is one. */
void classic_find_async(struct csf_decoder *d);

/* Does a packet between an A-sync and its I-sync have elements?  Bytes skipped come before them. */
bool classic_is_element(const struct csf_packet *pkt);

/*
 * A packet between an A-sync and its I-sync.  What happened there is not known.  Returns false if
 * it is skipped.
 */
bool classic_is_early(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* Deals with what is left when the bytes are used up.  Returns false when nothing is left. */
bool classic_finish(struct csf_decoder *d);

/* -------- expand.c */

/* Adds an element to @d->queue.  A P0 element makes all before it sure. */
void classic_add(struct csf_decoder *d, const struct element *el);

/* Adds one that is zero but for these. */
void classic_add_plain(struct csf_decoder *d, uint64_t offset, enum element_type type);

/* If they are asked for. */
void classic_add_cycles(struct csf_decoder *d, uint64_t offset, uint32_t count, bool known);

/* They are the current element: their place is where execution is. */
void classic_place_cycles(struct csf_decoder *d);

/* The last of @n atoms waits if it may be cancelled; the others are sure. */
void classic_add_atoms(struct csf_decoder *d, uint64_t offset, uint64_t val, uint8_t n);

/*
 * Execution goes on at the last address, @el; if its instructions cannot be followed, execution is
 * lost until another state.
 */
void classic_add_address(struct csf_decoder *d, struct element *el);

/* The context is another one now.  Before an I-sync it is not known. */
void classic_add_context(struct csf_decoder *d, uint64_t offset);

/* All elements in @d->queue are sure. */
void classic_commit(struct csf_decoder *d);

/* Completes an address of @n bits, and takes over its instruction set. */
void classic_take_address(struct classic *s, uint64_t val, uint8_t n, enum classic_isa isa);

/*
 * Can instructions be followed?  Those of Jazelle have other lengths; ThumbEE has other branches
 * than T32, which lead to its handlers.
 */
static inline bool classic_follows(const struct classic *s)
{
	return s->isa == CLASSIC_A32 || (s->isa == CLASSIC_T32 && !s->alt);
}

/* These return true if it is another one than before.  @info: CLASSIC_INFO_x of a state. */
bool classic_take_state(struct classic *s, uint8_t info, bool hyp);
bool classic_take_cid(struct csf_decoder *d, uint32_t contextid);

/* Adds the elements of a packet that means the same in both protocols. */
void classic_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);

/* A timestamp completed from the one before it, in natural binary. */
uint64_t classic_time(const struct config *c, uint64_t *last, const struct csf_packet *pkt);

#endif /* CSF_CLASSIC_PARTS_H */
