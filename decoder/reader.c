// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protocols of the caller: its function reads the packets, and is not trusted. */
#include <stdlib.h>

#include "message.h"

/* The bytes that were no packet so far become one gap, however they came. */
static void close_gap(struct csf_messages *m)
{
	struct reader *r = &m->packets.reader;

	if (r->bad)
		messages_gap(m, r->bad_at, r->synced ? CSF_GAP_PACKET : CSF_GAP_START, r->bad);
	r->bad = 0;
}

static void reset_messages(struct csf_messages *m, bool broken)
{
	close_gap(m);
	m->packets.reader.synced = false;
	if (m->reader.reset) {
		m->calling = true;
		m->reader.reset(m->reader.context);
		m->calling = false;
	}
}

/* Return: NULL, or the rule that @reading breaks.  @n: bytes that were given */
static const char *problem_of(const struct csf_reading *reading, int found, size_t n)
{
	if (found == CSF_READ_MORE)
		return n == CSF_READER_BYTES ? "it wants more than 32 bytes for a packet" : NULL;
	if (found != CSF_READ_PACKET && found != CSF_READ_BAD)
		return "it returns none of enum csf_read";
	if (!reading->size)
		return ".size: it took no byte";
	if (reading->size > n)
		return ".size: it took more bytes than it was given";
	if (found == CSF_READ_BAD)
		return NULL;
	if (reading->n > CSF_READER_MESSAGES)
		return ".n: more messages than there is room for";
	for (unsigned int i = 0; i < reading->n; i++) {
		if (reading->message[i].kind == CSF_MESSAGE_GAP ||
		    reading->message[i].kind >= CSF_MESSAGE_NR)
			return ".message.kind: a gap, or no kind";
		if (reading->message[i].size > sizeof(reading->message[i].value))
			return ".message.size: more than 8 bytes";
	}
	return NULL;
}

static void take_packet(struct csf_messages *m, struct csf_reading *reading, uint64_t offset)
{
	close_gap(m);
	m->packets.reader.synced = true;
	m->stats.packets++;
	for (unsigned int i = 0; i < reading->n; i++) {
		reading->message[i].offset = offset;
		messages_add(m, &reading->message[i]);
	}
	m->ready = m->n;
}

static void take_bad(struct reader *r, uint64_t offset, size_t size)
{
	if (!r->bad)
		r->bad_at = offset;
	r->bad += size;
}

/* One packet of the @n bytes that may be read.  Return: bytes taken; 0: @m->problem. */
static size_t read_one(struct csf_messages *m, size_t n)
{
	const uint64_t offset = window_offset(&m->win, m->win.pos);
	struct csf_reading reading = { 0 };
	int found;

	m->calling = true;
	found = m->reader.read(m->reader.context, m->win.pos, n, &reading);
	m->calling = false;
	m->problem = problem_of(&reading, found, n);
	if (m->problem) {
		close_gap(m);
		return 0;
	}
	if (found == CSF_READ_PACKET) {
		take_packet(m, &reading, offset);
		return reading.size;
	}
	if (found == CSF_READ_BAD) {
		take_bad(&m->packets.reader, offset, reading.size);
		return reading.size;
	}
	close_gap(m);
	messages_gap(m, offset, CSF_GAP_CUT, n);
	return n;
}

/* A packet may become two gaps, or a gap and all its messages. */
static void read_messages(struct csf_messages *m)
{
	struct window *win = &m->win;

	while (m->n + CSF_READER_MESSAGES < MESSAGES_HELD && win->pos < win->limit && !m->problem) {
		const size_t n = win->end - win->pos;

		window_take(win, read_one(m, n < CSF_READER_BYTES ? n : CSF_READER_BYTES));
	}
}

/* It is not among those of protocol.c: no configuration has it. */
static const struct protocol reader_protocol = {
	.read_messages = read_messages,
	.reset_messages = reset_messages,
};

CSF_API int csf_messages_new_reader(struct csf_messages **messages,
				    const struct csf_reader *reader)
{
	struct csf_messages *own;

	if (!messages)
		return CSF_ERR_ARG;
	*messages = NULL;
	if (!reader)
		return CSF_ERR_ARG;
	if (reader->size != sizeof(*reader))
		return CSF_ERR_CONFIG;
	if (!reader->read)
		return CSF_ERR_ARG;
	own = calloc(1, sizeof(*own));
	if (!own)
		return CSF_ERR_MEMORY;
	own->protocol = &reader_protocol;
	own->reader = *reader;
	csf_messages_reset(own);
	*messages = own;
	return 0;
}

CSF_API const char *csf_messages_problem(const struct csf_messages *messages)
{
	return messages ? messages->problem : NULL;
}
