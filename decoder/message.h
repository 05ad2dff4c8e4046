/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of messages: what is common to all protocols that send them. */
#ifndef CSF_MESSAGE_H
#define CSF_MESSAGE_H

#include "itm/itm.h"
#include "protocol.h"
#include "stm/stm.h"
#include "window.h"

/* Most messages that are held back: see csf_messages_feed(). */
#define MESSAGES_HELD	64

enum messages_ending { ENDING_NOT, ENDING_TRACE, ENDING_BREAK };

/**
 * struct reader - what a packet reader of the caller has found since the last reset
 * @bad: bytes that were no packet, since the last packet; @bad_at: offset of the first
 * @synced: there was a packet
 */
struct reader {
	uint64_t bad, bad_at;
	bool synced;
};

/**
 * struct csf_messages - a stream of messages
 * @win: the bytes
 * @config: how to read them
 * @protocol: protocol of @config, or that of @reader, which has no configuration
 * @reader: packet reader of the caller; @calling: it is being called
 * @problem: rule that @reader broke, NULL: none
 * @held: messages that were read: up to @out they were handed out, up to @ready they are complete,
 *        up to @n they may still get a time
 * @ending: enum messages_ending, as soon as @win has ended
 * @packets: what packets take over from earlier packets, for each protocol
 * @stats: see csf_messages_stats()
 */
struct csf_messages {
	struct window win;
	struct config config;
	const struct protocol *protocol;
	struct csf_reader reader;
	const char *problem;
	bool calling;
	struct csf_message held[MESSAGES_HELD];
	unsigned int out, ready, n;
	uint8_t ending;
	union {
		struct itm itm;
		struct stm stm;
		struct reader reader;
	} packets;
	struct csf_message_stats stats;
};

static inline bool messages_room(const struct csf_messages *m)
{
	return m->n < MESSAGES_HELD;
}

/* Adds a message; call only while there is room. */
void messages_add(struct csf_messages *m, const struct csf_message *message);

/* Adds a gap of @bytes bytes at @offset.  All messages before it are complete. */
void messages_gap(struct csf_messages *m, uint64_t offset, enum csf_gap why, uint64_t bytes);

#endif /* CSF_MESSAGE_H */
