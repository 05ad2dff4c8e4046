// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "losses.h"
#include "message-stream.h"

#define CHUNK	(64u << 10)

int message_stream_open(struct message_stream *s, const struct input *in,
			const struct input_source *source)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->in = in;
	s->source = source;
	err = csf_messages_new(&s->messages, &source->config);
	if (!err && in->framing != INPUT_RAW)
		err = csf_frames_new(&s->frames, in->framing, input_frame_flags(in));
	if (!err && s->frames)
		err = csf_attach_messages(s->frames, source->id, s->messages);
	return err;
}

void message_stream_close(struct message_stream *s)
{
	csf_messages_free(s->messages);
	csf_frames_free(s->frames);
	memset(s, 0, sizeof(*s));
}

static long feed_some(struct message_stream *s)
{
	const size_t left = s->in->n - s->fed, n = left < CHUNK ? left : CHUNK;

	if (s->frames)
		return input_feed(s->in, s->frames, s->fed, n);
	return csf_messages_feed(s->messages, s->in->data + s->fed, n) ?: (long)n;
}

/* Return: there may be more messages. */
static bool feed(struct message_stream *s)
{
	long taken;

	if (s->ended)
		return false;
	if (s->fed == s->in->n) {
		s->ended = true;
		taken = s->frames ? csf_frames_end(s->frames) : csf_messages_end(s->messages);
	} else {
		taken = feed_some(s);
		s->fed += taken > 0 ? taken : 0;
	}
	if (taken < 0)
		s->error = taken;
	return taken >= 0;
}

const struct csf_message *message_stream_next(struct message_stream *s)
{
	while (!s->have && !s->error) {
		s->have = csf_messages_next(s->messages, &s->message) > 0;
		if (s->have && !s->quiet)
			losses_message(s->in->name, s->source->id, s->frames, &s->message);
		if (!s->have && !feed(s))
			break;
	}
	return s->have ? &s->message : NULL;
}
