/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages: what software and units of the processor wrote into the trace themselves.  Part of
 * csflow.h, which includes this file.
 *
 *	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
 *	struct csf_messages *messages;
 *	struct csf_message message;
 *
 *	csf_messages_new(&messages, &config);
 *	csf_messages_feed(messages, trace, n_trace);
 *	csf_messages_end(messages);
 *	while (csf_messages_next(messages, &message) > 0)
 *		if (message.kind == CSF_MESSAGE_DATA)
 *			... message.channel, message.value
 *
 * A source of messages (ITM, STM) does not say what was executed: csf_new() rejects it.
 */
#ifndef CSFLOW_MESSAGE_H
#define CSFLOW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

struct csf_messages;

/**
 * enum csf_message_kind - the kinds of messages
 * @CSF_MESSAGE_DATA: software wrote @value to @channel
 * @CSF_MESSAGE_COUNTERS: event counters have wrapped; @value: bit 0 CPI, 1 exception overhead,
 *                        2 sleep, 3 load and store, 4 folded instructions, 5 POSTCNT
 * @CSF_MESSAGE_EXCEPTION: exception @value; @info: enum csf_message_exception
 * @CSF_MESSAGE_PC: a sample of the program counter, @value
 * @CSF_MESSAGE_NO_PC: there was no program counter to sample; @value: 0 the processor sleeps,
 *                     0xff sampling is prohibited
 * @CSF_MESSAGE_PMU: PMU counters have overflowed; @value: bit n is counter n
 * @CSF_MESSAGE_ACCESS_PC: comparator @channel saw an access; @value: address of the instruction
 * @CSF_MESSAGE_ACCESS_ADDR: likewise; @value: address of the data, of which the low @size bytes
 *                           are known
 * @CSF_MESSAGE_READ: likewise; @value was read
 * @CSF_MESSAGE_WRITE: likewise; @value was written
 * @CSF_MESSAGE_MATCH: comparator @channel matched
 * @CSF_MESSAGE_TIME: timestamp: @value ticks since the one before; @time: of an ITM, ticks since
 *                    the first byte; of an STM, the timestamp
 * @CSF_MESSAGE_GLOBAL_TIME: global timestamp: @value
 * @CSF_MESSAGE_OVERFLOW: the source lost packets here
 * @CSF_MESSAGE_FLAG: a flag of software on @channel, which ends what it wrote there before
 * @CSF_MESSAGE_TRIGGER: a trigger, @value
 * @CSF_MESSAGE_FREQUENCY: timestamps count at @value Hz
 * @CSF_MESSAGE_CROSS_SYNC: a mark that other sources have, too: @value
 * @CSF_MESSAGE_USER: @value, of which only the user knows the meaning
 * @CSF_MESSAGE_ERROR: the source reports an error, @value: trace was lost; @info: 1 of its master,
 *                     2 of all masters, 3 of its channel
 * @CSF_MESSAGE_OTHER: a reserved packet of the source; @channel: its number; @info: 0 software,
 *                     1 hardware, 2 extension of software, 3 of hardware
 * @CSF_MESSAGE_GAP: trace bytes are missing or cannot be read; @value: number of bytes that were
 *                   skipped; @info: enum csf_gap, of which CSF_GAP_START, CSF_GAP_PACKET,
 *                   CSF_GAP_CUT and CSF_GAP_BREAK are possible
 * @CSF_MESSAGE_RANGE: instructions were executed, from address @value on; @channel: their bytes.
 *                     Only a packet reader of the caller makes these, and the next kind
 * @CSF_MESSAGE_CUSTOM: the reader says what the fields mean
 */
enum csf_message_kind {
	CSF_MESSAGE_DATA,
	CSF_MESSAGE_COUNTERS,
	CSF_MESSAGE_EXCEPTION,
	CSF_MESSAGE_PC,
	CSF_MESSAGE_NO_PC,
	CSF_MESSAGE_PMU,
	CSF_MESSAGE_ACCESS_PC,
	CSF_MESSAGE_ACCESS_ADDR,
	CSF_MESSAGE_READ,
	CSF_MESSAGE_WRITE,
	CSF_MESSAGE_MATCH,
	CSF_MESSAGE_TIME,
	CSF_MESSAGE_GLOBAL_TIME,
	CSF_MESSAGE_OVERFLOW,
	CSF_MESSAGE_FLAG,
	CSF_MESSAGE_TRIGGER,
	CSF_MESSAGE_FREQUENCY,
	CSF_MESSAGE_CROSS_SYNC,
	CSF_MESSAGE_USER,
	CSF_MESSAGE_ERROR,
	CSF_MESSAGE_OTHER,
	CSF_MESSAGE_GAP,
	CSF_MESSAGE_RANGE,
	CSF_MESSAGE_CUSTOM,
	CSF_MESSAGE_NR
};

/* csf_message.info with CSF_MESSAGE_EXCEPTION; 0 is reserved */
enum csf_message_exception {
	CSF_MESSAGE_ENTERED = 1,
	CSF_MESSAGE_EXITED = 2,
	CSF_MESSAGE_RETURNED = 3,	/* to this exception; 0: to thread mode */
};

/* "data" for CSF_MESSAGE_DATA, and so on; "unknown" for other values. */
CSF_API const char *csf_message_name(enum csf_message_kind kind);

/* struct csf_message.flags */
#define CSF_MESSAGE_HAS_TIME	0x01	/* @time is valid */
#define CSF_MESSAGE_TIME_LOST	0x02	/* timestamps were lost before: @time may be too small */
#define CSF_MESSAGE_TIME_LATE	0x04	/* the timestamp was delayed: @time may be too large */
#define CSF_MESSAGE_LATE	0x08	/* the message was delayed: it happened before @time */
#define CSF_MESSAGE_UNSYNCED	0x10	/* no sync since the start or the last gap: maybe garbage */
#define CSF_MESSAGE_PARTIAL	0x20	/* GLOBAL_TIME: only its low bits are known */
#define CSF_MESSAGE_CLOCK	0x40	/* GLOBAL_TIME: the clock has changed */
#define CSF_MESSAGE_HAS_MASTER	0x80	/* @master is valid */
#define CSF_MESSAGE_MARKED	0x100	/* software marked it */

/**
 * struct csf_message - one message
 * @offset: offset of its packet, in bytes fed
 * @value: depends on @kind
 * @time: with CSF_MESSAGE_HAS_TIME: of an ITM, ticks since the first byte; of an STM, the timestamp
 * @channel: depends on @kind; DATA: the stimulus port, with its page; of an STM, the channel
 * @master: who wrote it, with CSF_MESSAGE_HAS_MASTER
 * @kind: enum csf_message_kind
 * @info: depends on @kind; DATA: 4: only 4 bits were written
 * @size: bytes of @value; 0: it has none
 * @flags: CSF_MESSAGE_HAS_TIME and the flags after it
 *
 * Fields that are not named for a kind are 0.
 */
struct csf_message {
	uint64_t offset;
	uint64_t value;
	uint64_t time;
	uint32_t channel;
	uint16_t master;
	uint16_t flags;
	uint8_t kind;
	uint8_t info;
	uint8_t size;
};

/**
 * csf_config_has_messages() - tell sources of messages from sources of execution
 *
 * Return: the configuration is valid, for csf_messages_new() and not for csf_new().
 */
CSF_API bool csf_config_has_messages(const struct csf_config *config);

/* Return: 0; CSF_ERR_CONFIG also if the source sends no messages; CSF_ERR_MEMORY. */
CSF_API int csf_messages_new(struct csf_messages **messages, const struct csf_config *config);
CSF_API void csf_messages_free(struct csf_messages *messages);

/**
 * csf_messages_feed() - hand the reader the next bytes of its trace
 * @trace: borrowed until csf_messages_next() returns 0
 * @n: number of bytes; a stream may be split anywhere; 0: only ask whether it may be fed
 *
 * A local timestamp belongs to the messages before it.  So messages are held back until one comes,
 * but at most 64 of them; the last few bytes are held back, too.
 *
 * Return: 0, or CSF_ERR_ARG if the bytes fed before are not used up.
 */
CSF_API int csf_messages_feed(struct csf_messages *messages, const void *trace, size_t n);

/**
 * csf_messages_next() - the next message
 *
 * Of an ITM the first byte fed is taken for the start of a packet, as many captures have no sync.
 * A reserved or malformed packet is a gap, after which the next byte is taken for the start of one.
 * Messages have CSF_MESSAGE_UNSYNCED as long as no sync has confirmed that.  Packets of an STM are
 * not aligned to bytes: what comes before a sync is a gap, and so is what comes after a reserved
 * packet, up to the next sync.
 *
 * Return: 1 and a message; 0: feed more, or stop; CSF_ERR_ARG.
 */
CSF_API int csf_messages_next(struct csf_messages *messages, struct csf_message *message);

/*
 * Says that no more bytes follow: what is held back comes now, and an incomplete packet is a gap.
 * May be called before the bytes fed are used up.  Then bytes of another capture may be fed, whose
 * time starts at 0.
 *
 * Return: 0; CSF_ERR_ARG if it was called before and csf_messages_next() has not returned 0 since.
 */
CSF_API int csf_messages_end(struct csf_messages *messages);

/* Makes it as new: bytes not used up are dropped; offsets, times and counts start again at 0. */
CSF_API void csf_messages_reset(struct csf_messages *messages);

/*
 * As csf_attach(), for a reader of messages in place of a decoder.  Where the streams break off,
 * there is a CSF_MESSAGE_GAP, CSF_GAP_BREAK.
 */
CSF_API int csf_attach_messages(struct csf_frames *frames, uint8_t id,
				struct csf_messages *messages);

/**
 * struct csf_message_stats - counts since csf_messages_new() or csf_messages_reset()
 * @bytes: trace bytes read or skipped
 * @skipped: those of @bytes that are in gaps
 * @packets: whole packets; @syncs: those that are syncs
 * @messages: messages other than gaps; @overflows: those that are overflows
 * @gaps: gaps by reason
 * @skipped_by: bytes skipped, by reason
 */
struct csf_message_stats {
	size_t size;
	uint64_t bytes, skipped;
	uint64_t packets, syncs;
	uint64_t messages, overflows;
	uint64_t gaps[CSF_GAP_NR];
	uint64_t skipped_by[CSF_GAP_NR];
};

/* @stats->size is the caller's sizeof; only that much is filled in. */
CSF_API void csf_messages_stats(const struct csf_messages *messages,
				struct csf_message_stats *stats);

#endif /* CSFLOW_MESSAGE_H */
