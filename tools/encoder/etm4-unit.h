/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ETMv4 and ETE:
 *
 *	etm4-unit.c		begin, end, losses, synchronisation, exceptions
 *	etm4-p0.c		P0 elements, and packets owed between them: atom, Q, source address
 *	etm4-spec.c		wrong paths, mispredicts, commits
 *	etm4-past.c		past execution: likely wrong paths
 *	etm4-between.c		cycle counts, timestamps, events, transactions
 *	etm4-wire.c		sends packets
 */
#ifndef CSF_ETM4_UNIT_H
#define CSF_ETM4_UNIT_H

#include "encode-unit.h"

/* ---------------------------------------------------------------- etm4-unit.c */

/* A-sync and Trace Info. */
void unit_sync(struct encoder *e);

/* ---------------------------------------------------------------- etm4-p0.c */

/* Ends an element for several blocks: Q, source address.  Call it before any packet. */
void unit_settle(struct encoder *e);

/* Sends the address and context that are owed.  Call it before a P0 element. */
void unit_pay(struct encoder *e);

/* Both, if anything is owed. */
static inline void unit_pay_all(struct encoder *e)
{
	e->late = 0;
	if (e->owe || e->owe_context || e->is_late)
		unit_pay(e);
}

/* Counts one more uncommitted P0 element. */
static inline void unit_count(struct encoder *e)
{
	if (e->depth < e->setup.spec_depth)
		e->depth++;
}

/* The P0 element of a block; it went to @at.  Return: ENC_KEPT or ENC_LOST_Q. */
enum enc_lost unit_p0(struct encoder *e, const struct enc_block *block, bool taken);

/* Is the target of this direct branch sent if it is taken? */
bool unit_broadcasts(const struct encoder *e, const struct enc_block *block);

/* ---------------------------------------------------------------- etm4-spec.c */

/* Is a mispredict due, and does the block have a branch for it? */
bool unit_may_mispredict(const struct encoder *e, const struct enc_block *block, bool taken);

/* Sends the atom of the conditional branch at the end of @block, wrong at first. */
void unit_mispredict(struct encoder *e, const struct enc_block *block, bool taken);

/* Sends a wrong path after the last P0 element, and cancels it. */
void unit_wrong_path(struct encoder *e);

/* Commits @n P0 elements; 0: all. */
void unit_commit(struct encoder *e, uint32_t n);

/* ---------------------------------------------------------------- etm4-between.c */

/* Sends what comes after a P0 element. */
void unit_between(struct encoder *e);

/* Sends at once a timestamp whose marker was sent. */
void unit_time(struct encoder *e);

/* Sends at once a timestamp that was asked for, if any. */
void unit_time_asked(struct encoder *e, uint64_t value);

/* The program's transaction, or ours, begins or ends. */
void unit_tm_start(struct encoder *e);
void unit_tm_end(struct encoder *e, bool fail);

#endif /* CSF_ETM4_UNIT_H */
