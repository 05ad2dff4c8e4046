/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded trace that a unit plays back, cut where the trace unit synchronised.
 *
 * A trace buffer may be emptied at any time, so a recording arrives in pieces.  A decoder loses
 * what lies between a cut in the middle of a packet and the next A-sync; so a piece ends before an
 * A-sync, as if the trace unit had been stopped there.
 */
#ifndef CSFLOW_REPLAY_H
#define CSFLOW_REPLAY_H

#include <linux/types.h>

/* The largest recording, in bytes. */
#define REPLAY_MAX	(256ul << 20)

/**
 * struct replay - a recording and how far it was played
 * @bytes: of the recording; owned
 * @n: how many there are
 * @max: how many have room
 * @pos: those before were played
 * @sync: offsets of A-syncs, rising; owned
 * @n_sync: how many there are
 * @max_sync: how many have room
 * @zeros: zeros at the end of @bytes
 */
struct replay {
	u8 *bytes;
	size_t n;
	size_t max;
	size_t pos;
	u32 *sync;
	size_t n_sync;
	size_t max_sync;
	unsigned int zeros;
};

/* A recording without bytes; NULL: out of memory.  This and the next two may sleep. */
struct replay *replay_new(void);
void replay_free(struct replay *r);

/**
 * replay_grow() - a copy of @r that has room for @n further bytes
 *
 * The caller adds to the copy, gives it to the unit in place of @r, and frees @r.
 *
 * Return: NULL: out of memory, or the recording would be larger than REPLAY_MAX.
 */
struct replay *replay_grow(const struct replay *r, size_t n);

/* Does @r have room for @n further bytes? */
bool replay_has_room(const struct replay *r, size_t n);

/* Adds @n bytes, for which there is room. */
void replay_add(struct replay *r, const u8 *bytes, size_t n);

/**
 * replay_piece() - the size of the next piece
 * @want: its size, if the trace can be cut there; else it is smaller, or the smallest possible
 * @room: its greatest size; @want at least
 * @size: bytes of the whole buffer, when it is empty
 * @anywhere: cut it after @want bytes, even in the middle of a packet
 * @lost: bytes of pieces that no buffer of @size bytes can take, which are skipped
 *
 * The bytes are those at @r->bytes + @r->pos, and the caller adds what it has played to @r->pos.
 *
 * Return: 0: there are no more bytes, or they need more room.
 */
size_t replay_piece(struct replay *r, size_t want, size_t room, size_t size, bool anywhere,
		    size_t *lost);

#endif /* CSFLOW_REPLAY_H */
