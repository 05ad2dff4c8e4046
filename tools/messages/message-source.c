// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "../input/losses.h"
#include "message-source.h"

/* TRCIDR0.ITE; TRCDEVARCH.REVISION of ETE 1.3, which brought it */
#define HAS_ITE		(1u << 22)
#define REVISION(devarch)	((devarch) >> 16 & 15)
#define ETE_13		3

bool message_source_is(const struct csf_config *config)
{
	if (csf_config_has_messages(config))
		return true;
	return csf_config_protocol(config) == CSF_PROTOCOL_ETE && config->trcidr0 & HAS_ITE &&
	       REVISION(config->trcdevarch) >= ETE_13;
}

static void name(struct message_source *s, const struct input_source *source)
{
	if (source->name)
		snprintf(s->name, sizeof(s->name), "%s", source->name);
	else
		snprintf(s->name, sizeof(s->name), "CPU %u", source->number);
}

int message_source_open(struct message_source *s, const struct input_source *source)
{
	int err;

	s->id = source->id;
	s->protocol = csf_config_protocol(&source->config);
	name(s, source);
	if (csf_config_has_messages(&source->config))
		return csf_messages_new(&s->messages, &source->config);
	err = csf_monitor_new(&s->monitor, &source->config);
	return err ? err : csf_monitor_commit(s->monitor);
}

void message_source_close(struct message_source *s)
{
	csf_messages_free(s->messages);
	csf_monitor_free(s->monitor);
	s->messages = NULL;
	s->monitor = NULL;
	s->frames = NULL;
}

int message_source_attach(struct message_source *s, struct csf_frames *frames)
{
	s->frames = frames;
	return s->messages ? csf_attach_messages(frames, s->id, s->messages) :
			     csf_attach_monitor(frames, s->id, s->monitor);
}

int message_source_feed(struct message_source *s, const void *trace, size_t n)
{
	return s->messages ? csf_messages_feed(s->messages, trace, n) :
			     csf_monitor_feed(s->monitor, trace, n);
}

int message_source_end(struct message_source *s, bool raw)
{
	s->ended = true;
	if (!raw)
		return 0;
	return s->messages ? csf_messages_end(s->messages) : csf_monitor_end(s->monitor);
}

/* ---------------------------------------------------------------- ITE */

/* Makes a row of a packet.  Return: it is one. */
static bool row_of_packet(struct message_source *s, struct row *row)
{
	const struct csf_packet *p = &s->packet[s->at];

	if (p->type == CSF_PKT_TIME) {
		s->time = p->val;
		s->has_time = true;
		return false;
	}
	if (p->type == CSF_PKT_BAD && p->n == CSF_BAD_LOST) {
		row->kind = CSF_MESSAGE_GAP;
		row->m = (struct csf_message){
			.kind = CSF_MESSAGE_GAP, .value = p->val, .info = p->info,
		};
	} else if (p->type == CSF_PKT_ITE) {
		row->kind = ROW_ITE;
		row->m = (struct csf_message){
			.kind = CSF_MESSAGE_DATA, .value = p->val, .channel = p->n, .size = 8,
		};
	} else {
		return false;
	}
	row->m.offset = s->offset[s->at];
	if (s->frames)
		row->m.offset = csf_frames_offset(s->frames, s->id, row->m.offset);
	row->m.time = s->time;
	row->m.flags = s->has_time ? CSF_MESSAGE_HAS_TIME : 0;
	row->has = s->has_time ? ROW_GLOBAL : 0;
	row->global = s->time;
	return true;
}

static bool pull_packet(struct message_source *s, struct row *row)
{
	for (;; s->at++) {
		if (s->at == s->n_packet) {
			const long n = csf_monitor_read_committed(s->monitor, s->packet, s->offset,
								  SOURCE_PACKETS, NULL);

			if (n <= 0)
				return false;
			s->n_packet = n;
			s->at = 0;
		}
		if (row_of_packet(s, row))
			break;
	}
	s->at++;
	return true;
}

/* ---------------------------------------------------------------- messages */

/* What a message tells of the clocks. */
static void learn(struct message_source *s, const struct csf_message *m)
{
	if (m->kind == CSF_MESSAGE_GLOBAL_TIME && !(m->flags & CSF_MESSAGE_PARTIAL)) {
		s->global = m->value;
		s->has_global = true;
	} else if (m->kind == CSF_MESSAGE_FREQUENCY && !s->hz_given) {
		s->hz = m->value;
	}
}

static bool pull(struct message_source *s, struct row *row)
{
	row->source = s;
	row->text = NULL;
	row->syst = NULL;
	row->partial = false;
	if (s->monitor)
		return pull_packet(s, row);
	if (csf_messages_next(s->messages, &row->m) <= 0)
		return false;
	losses_message(s->name, s->id, s->frames, &row->m);
	if (s->frames)
		row->m.offset = csf_frames_offset(s->frames, s->id, row->m.offset);
	row->kind = row->m.kind;
	if (row->kind == CSF_MESSAGE_GLOBAL_TIME || row->kind == CSF_MESSAGE_FREQUENCY)
		learn(s, &row->m);
	row->has = s->has_global ? ROW_GLOBAL : 0;
	row->global = s->global;
	return true;
}

/* ---------------------------------------------------------------- accesses */

static bool is_place(const struct row *row)
{
	return row->kind == CSF_MESSAGE_ACCESS_PC || row->kind == CSF_MESSAGE_ACCESS_ADDR;
}

/* Is it another part of the access of @held? */
static bool belongs(const struct row *held, const struct row *row)
{
	if (row->m.channel != held->m.channel || row->m.time != held->m.time)
		return false;
	return row->kind == CSF_MESSAGE_READ || row->kind == CSF_MESSAGE_WRITE ||
	       (is_place(row) && row->kind != held->kind && !(held->has & (ROW_PC | ROW_ADDRESS)));
}

static void add_place(struct row *row, const struct row *held)
{
	row->has |= held->has & (ROW_PC | ROW_ADDRESS);
	row->pc = held->pc;
	row->address = held->address;
	row->n_address = held->n_address;
	if (held->kind == CSF_MESSAGE_ACCESS_PC) {
		row->has |= ROW_PC;
		row->pc = held->m.value;
	} else {
		row->has |= ROW_ADDRESS;
		row->address = held->m.value;
		row->n_address = held->m.size;
	}
	row->m.offset = held->m.offset;
}

static bool take(struct message_source *s, struct row *row, const struct row *from)
{
	*row = *from;
	s->counts++;
	return true;
}

/* A place was held back: an access may follow. */
static bool next_of_held(struct message_source *s, struct row *row)
{
	while (s->is_next || pull(s, &s->next)) {
		s->is_next = true;
		if (!belongs(&s->held, &s->next)) {
			s->is_held = false;
			return take(s, row, &s->held);
		}
		s->is_next = false;
		add_place(&s->next, &s->held);
		if (!is_place(&s->next)) {
			s->is_held = false;
			return take(s, row, &s->next);
		}
		s->held = s->next;
	}
	if (!s->ended)
		return false;
	s->is_held = false;
	return take(s, row, &s->held);
}

bool message_source_next(struct message_source *s, struct row *row)
{
	if (!s->is_held) {
		if (s->is_next)
			*row = s->next;
		else if (!pull(s, row))
			return false;
		s->is_next = false;
		if (!is_place(row)) {
			s->counts++;
			return true;
		}
		s->held = *row;
		s->is_held = true;
	}
	return next_of_held(s, row);
}
