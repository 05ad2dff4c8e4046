/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of one trace ID, pulled one by one; as struct stream has the elements. */
#ifndef CSF_MESSAGE_STREAM_H
#define CSF_MESSAGE_STREAM_H

#include "input.h"

/**
 * struct message_stream - private except for @error, @quiet and @messages
 * @messages: the reader; NULL: it is not open
 * @error: negative: reading stopped early
 * @quiet: the caller looks ahead: losses are not for the log
 */
struct message_stream {
	const struct input *in;
	const struct input_source *source;
	struct csf_frames *frames;
	struct csf_messages *messages;
	struct csf_message message;
	size_t fed;
	bool have, ended, quiet;
	int error;
};

/* @source: one with csf_config_has_messages().  Return: 0 or a negative enum csf_error. */
int message_stream_open(struct message_stream *s, const struct input *in,
			const struct input_source *source);
void message_stream_close(struct message_stream *s);

/* The next message, which stays the next until message_stream_take(); NULL: there is none. */
const struct csf_message *message_stream_next(struct message_stream *s);

static inline void message_stream_take(struct message_stream *s)
{
	s->have = false;
}

#endif /* CSF_MESSAGE_STREAM_H */
