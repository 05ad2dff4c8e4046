/* SPDX-License-Identifier: GPL-2.0-only */
/* A source of messages, and its rows: an ITM, an STM, or an ETE with instrumentation. */
#ifndef CSF_MESSAGE_SOURCE_H
#define CSF_MESSAGE_SOURCE_H

#include "../input/input.h"
#include "row.h"

#define SOURCE_PACKETS	64

/**
 * struct message_source - one source
 * @name: of the trace unit
 * @number: of the sources of the input, from 0
 * @hz: frequency of its clock, in Hz: given by the user, or by the trace; 0: unknown
 * @hz_given: the user gave it
 * @counts: messages so far
 */
struct message_source {
	char name[64];
	uint8_t id;
	uint32_t number;
	enum csf_protocol protocol;
	uint64_t hz;
	bool hz_given;
	uint64_t counts;
	/* private */
	struct csf_messages *messages;
	struct csf_monitor *monitor;
	struct csf_frames *frames;
	struct csf_packet packet[SOURCE_PACKETS];
	uint64_t offset[SOURCE_PACKETS];
	size_t n_packet, at;
	uint64_t time, global;
	bool has_time, has_global, is_held, is_next, ended;
	struct row held, next;
};

/* Does this trace unit send messages?  An ETE: if it has instrumentation. */
bool message_source_is(const struct csf_config *config);

/* Return: 0 or a negative enum csf_error. */
int message_source_open(struct message_source *s, const struct input_source *source);
void message_source_close(struct message_source *s);

/* Attach it to @frames, or feed it raw trace; message_source_next() must have returned false. */
int message_source_attach(struct message_source *s, struct csf_frames *frames);
int message_source_feed(struct message_source *s, const void *trace, size_t n);

/* No more bytes follow; @raw: it is not attached. */
int message_source_end(struct message_source *s, bool raw);

/*
 * The next row.  An access to data whose instruction or address came in a message of its own is
 * one row.  Return: false: feed more.
 */
bool message_source_next(struct message_source *s, struct row *row);

#endif /* CSF_MESSAGE_SOURCE_H */
