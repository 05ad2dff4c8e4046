/* SPDX-License-Identifier: GPL-2.0-only */
/* From a unit's recording to a sink. */
#ifndef CSFLOW_PLAY_H
#define CSFLOW_PLAY_H

#include <linux/types.h>

struct unit;

/**
 * play_piece() - the next piece of the recording
 * @unit: the caller has its lock
 * @room: its greatest size
 * @size: what @room is when the sink is empty
 * @bytes: set to the piece, which stays while the caller has the lock
 * @lost: set to how many bytes were skipped, because no sink of @size takes them
 *
 * Return: its size.
 */
size_t play_piece(struct unit *unit, size_t room, size_t size, const u8 **bytes, size_t *lost);

#endif /* CSFLOW_PLAY_H */
