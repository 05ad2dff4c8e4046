/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a live unit's channel to an AUX buffer.
 *
 * The unit writes on while the CPU runs, so it is told in advance how much there is room for.  All
 * of this is called on the unit's CPU, with interrupts off.
 */
#ifndef CSFLOW_LIVE_H
#define CSFLOW_LIVE_H

#include <linux/types.h>

struct unit;

/**
 * live_allow() - let the unit write as much as there is room for
 * @unit: has an AUX record, whose room begins with the next byte of its channel
 *
 * Return: 0, or -ENOSPC: there is too little room.
 */
int live_allow(struct unit *unit);

/* Let the unit write until its channel is full; it has no AUX record of its own. */
void live_allow_all(struct unit *unit);

/* Let the unit write nothing. */
void live_forbid(struct unit *unit);

/**
 * live_take() - copy what the unit has written into the AUX buffer
 * @unit: has an AUX record
 *
 * Sets the flags of the record, if trace was lost.
 *
 * Return: how many bytes that is, in a snapshot with those that it could not know.
 */
size_t live_take(struct unit *unit);

#endif /* CSFLOW_LIVE_H */
