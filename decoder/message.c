// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reader of messages: bytes in, messages out. */
#include <stdlib.h>

#include "frames.h"
#include "message.h"

CSF_API bool csf_config_has_messages(const struct csf_config *config)
{
	struct config c;

	return !config_read(&c, config) && protocol_of(&c)->read_messages;
}

CSF_API int csf_messages_new(struct csf_messages **messages, const struct csf_config *config)
{
	struct csf_messages *own;
	struct config c;

	if (!messages)
		return CSF_ERR_ARG;
	*messages = NULL;
	if (config_read(&c, config) || !protocol_of(&c)->read_messages)
		return CSF_ERR_CONFIG;
	own = calloc(1, sizeof(*own));
	if (!own)
		return CSF_ERR_MEMORY;
	own->config = c;
	own->protocol = protocol_of(&c);
	csf_messages_reset(own);
	*messages = own;
	return 0;
}

CSF_API void csf_messages_free(struct csf_messages *messages)
{
	free(messages);
}

CSF_API void csf_messages_reset(struct csf_messages *m)
{
	if (!m || m->calling)
		return;
	m->problem = NULL;
	window_reset(&m->win, m->protocol->sync_zeros);
	m->out = 0;
	m->ready = 0;
	m->n = 0;
	m->ending = ENDING_NOT;
	m->stats = (struct csf_message_stats){ 0 };
	memset(&m->packets, 0, sizeof(m->packets));
	m->protocol->reset_messages(m, false);
}

CSF_API int csf_messages_feed(struct csf_messages *m, const void *trace, size_t n)
{
	if (!m || (!trace && n) || m->ending || m->calling)
		return CSF_ERR_ARG;
	if (m->problem)
		return CSF_ERR_READER;
	return window_feed(&m->win, trace, n);
}

static int end_as(struct csf_messages *m, enum messages_ending ending)
{
	if (!m || m->ending || m->calling)
		return CSF_ERR_ARG;
	window_end(&m->win);
	m->ending = ending;
	return 0;
}

CSF_API int csf_messages_end(struct csf_messages *m)
{
	return end_as(m, ENDING_TRACE);
}

void messages_add(struct csf_messages *m, const struct csf_message *message)
{
	m->held[m->n++] = *message;
	m->stats.messages += message->kind != CSF_MESSAGE_GAP;
	m->stats.overflows += message->kind == CSF_MESSAGE_OVERFLOW;
}

void messages_gap(struct csf_messages *m, uint64_t offset, enum csf_gap why, uint64_t bytes)
{
	const struct csf_message gap = {
		.kind = CSF_MESSAGE_GAP, .offset = offset, .value = bytes, .info = why,
	};

	messages_add(m, &gap);
	m->ready = m->n;
	m->stats.skipped += bytes;
	m->stats.gaps[why]++;
	m->stats.skipped_by[why] += bytes;
}

/* Forgets the messages that were handed out; all that are ready were. */
static void forget(struct csf_messages *m)
{
	m->n -= m->out;
	memmove(m->held, m->held + m->out, m->n * sizeof(*m->held));
	m->out = 0;
	m->ready = 0;
}

/* All bytes are used up.  Return: there may be messages. */
static bool finish(struct csf_messages *m)
{
	if (!m->ending)
		return false;
	if (m->n) {
		m->ready = m->n;
		return true;
	}
	m->protocol->reset_messages(m, m->ending == ENDING_BREAK);
	if (m->ending == ENDING_BREAK)
		messages_gap(m, window_offset(&m->win, m->win.pos), CSF_GAP_BREAK, 0);
	m->ending = ENDING_NOT;
	return true;
}

CSF_API int csf_messages_next(struct csf_messages *m, struct csf_message *message)
{
	if (!m || !message || m->calling)
		return CSF_ERR_ARG;
	while (m->out == m->ready) {
		if (m->problem)
			return CSF_ERR_READER;
		forget(m);
		if (window_ready(&m->win))
			m->protocol->read_messages(m);
		else if (!finish(m))
			return 0;
	}
	*message = m->held[m->out++];
	return 1;
}

CSF_API void csf_messages_stats(const struct csf_messages *m, struct csf_message_stats *stats)
{
	const size_t size = stats->size < sizeof(*stats) ? stats->size : sizeof(*stats);
	struct csf_message_stats own = m->stats;

	own.size = stats->size;
	own.bytes = window_offset(&m->win, m->win.pos);
	memcpy(stats, &own, size);
}

/* -------- a client of frames */

static int feed(void *messages, const void *bytes, size_t n)
{
	return csf_messages_feed(messages, bytes, n);
}

static int end(void *messages, bool last)
{
	return end_as(messages, last ? ENDING_TRACE : ENDING_BREAK);
}

static void reset(void *messages)
{
	csf_messages_reset(messages);
}

static const struct frame_taker messages_taker = { .feed = feed, .end = end, .reset = reset };

CSF_API int csf_attach_messages(struct csf_frames *frames, uint8_t id,
				struct csf_messages *messages)
{
	return frames_attach(frames, id, messages, &messages_taker);
}
