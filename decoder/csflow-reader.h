/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocols of the caller: a packet reader for trace that this library does not know.  Part of
 * csflow.h, which includes this file.
 *
 *	const struct csf_reader reader = { .size = sizeof(reader), .read = read_packet };
 *	struct csf_messages *messages;
 *
 *	csf_messages_new_reader(&messages, &reader);
 *	csf_attach_messages(frames, id, messages);
 *	... csf_frames_feed() and csf_messages_next(), as for any source of messages
 */
#ifndef CSFLOW_READER_H
#define CSFLOW_READER_H

#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/* Most bytes that csf_reader.read() is given.  A longer packet is read in parts. */
#define CSF_READER_BYTES	32

/* Most messages of one packet */
#define CSF_READER_MESSAGES	4

/**
 * enum csf_read - what csf_reader.read() found
 * @CSF_READ_PACKET: a packet of csf_reading.size bytes, with csf_reading.n messages
 * @CSF_READ_MORE: the start of a packet; the rest is not there yet
 * @CSF_READ_BAD: the next csf_reading.size bytes are no packet.  They become a gap, together with
 *                those after them: CSF_GAP_START before the first packet, then CSF_GAP_PACKET
 */
enum csf_read { CSF_READ_PACKET, CSF_READ_MORE, CSF_READ_BAD };

/**
 * struct csf_reading - the result of csf_reader.read(); zero before each call
 * @size: bytes of the packet, or bytes that are no packet; 1 or more, and not more than were given
 * @n: number of messages in @message, 0..CSF_READER_MESSAGES
 * @message: the library sets csf_message.offset.  Any kind but CSF_MESSAGE_GAP, and at most 8 bytes
 *           of csf_message.size
 */
struct csf_reading {
	size_t size;
	unsigned int n;
	struct csf_message message[CSF_READER_MESSAGES];
};

/**
 * struct csf_reader - how packets of a protocol are read
 * @size: sizeof(struct csf_reader) where the caller was compiled
 * @context: given to the functions
 * @read: reads what is at the start of @bytes.  There are CSF_READER_BYTES of them, or fewer at the
 *        end of the trace or of what was fed.  Return: enum csf_read
 * @reset: forgets what packets take over from earlier packets: the next byte does not continue
 *         those before; NULL: nothing is taken over
 *
 * The functions must not call the library with the struct csf_messages that they read for.
 */
struct csf_reader {
	size_t size;
	void *context;
	int (*read)(void *context, const uint8_t *bytes, size_t n, struct csf_reading *reading);
	void (*reset)(void *context);
};

/**
 * csf_messages_new_reader() - a source of messages whose packets the caller reads
 * @reader: copied; its functions and @context must live as long as *@messages
 *
 * Used as any other struct csf_messages: csf_messages_feed() or csf_attach_messages(), then
 * csf_messages_next().  Messages are not held back for a timestamp.
 *
 * If @reader breaks a rule of struct csf_reading, the messages before come, and then
 * CSF_ERR_READER from csf_messages_next() and csf_messages_feed(), until csf_messages_reset().
 *
 * Return: 0; CSF_ERR_ARG: no @read; CSF_ERR_CONFIG: a @size that this version does not know;
 * CSF_ERR_MEMORY.
 */
CSF_API int csf_messages_new_reader(struct csf_messages **messages,
				    const struct csf_reader *reader);

/*
 * After CSF_ERR_READER: the rule that was broken; constant.  NULL: none was.  The offset of the
 * packet is csf_message_stats.bytes.
 */
CSF_API const char *csf_messages_problem(const struct csf_messages *messages);

#endif /* CSFLOW_READER_H */
