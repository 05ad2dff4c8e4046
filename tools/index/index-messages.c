// SPDX-License-Identifier: GPL-2.0-only
/* What an index has of the messages of an ITM or an STM. */
#include "index-parts.h"

/* The time of a message that tells one: whole global ones, of an ITM without those local ones. */
static bool message_time(struct index_stream *s, struct track *t, const struct csf_message *m,
			 uint64_t *time)
{
	const bool whole = m->kind == CSF_MESSAGE_GLOBAL_TIME &&
			   !(m->flags & CSF_MESSAGE_PARTIAL);

	*time = whole ? m->value : m->time;
	if (s->protocol != CSF_PROTOCOL_ITM)
		return m->flags & CSF_MESSAGE_HAS_TIME;
	if (!whole)
		return !t->global && m->kind == CSF_MESSAGE_TIME;
	if (!t->global) {	/* those before are of another clock */
		for (size_t i = 0; i < s->n; i++) {
			s->entry[i].n_time = 0;
			s->entry[i].first = 0;
			s->entry[i].last = 0;
		}
		s->ordered = true;
		t->latest = 0;
	}
	t->global = true;
	return true;
}

static void see_message(struct index_stream *s, struct track *t, const struct csf_message *m)
{
	struct index_entry *e = &s->entry[s->n - 1];
	uint64_t time;

	e->contextid += e->contextid < UINT32_MAX && m->kind != CSF_MESSAGE_GAP;
	switch ((enum csf_message_kind)m->kind) {
	case CSF_MESSAGE_DATA:
	case CSF_MESSAGE_FLAG:
		e->addr |= 1ull << m->channel % 64;
		break;
	case CSF_MESSAGE_TRIGGER:
		e->events |= INDEX_TRIGGER;
		break;
	case CSF_MESSAGE_OVERFLOW:
	case CSF_MESSAGE_ERROR:
	case CSF_MESSAGE_GAP:
		e->n_lost += e->n_lost < UINT16_MAX;
		break;
	default:
		break;
	}
	if (message_time(s, t, m, &time))
		index_add_time(s, e, t, time);
}

/* Where one can begin to read for message @m, and which place in the source is known. */
static uint64_t begin_at(const struct index_builder *b, const struct track *t,
			 const struct csf_message *m)
{
	const uint64_t at = t->synced ? t->sync_at : t->before;

	if (b->raw || csf_frames_offset(b->frames, t->id, at) != UINT64_MAX)
		return at;
	return m->offset;
}

/* The reader is ahead of the messages that it gives: a sync is somewhere between. */
static void find_sync(struct track *t)
{
	struct csf_message_stats stats = { .size = sizeof(stats) };

	csf_messages_stats(t->messages, &stats);
	if (stats.syncs != t->syncs && !t->synced) {
		t->synced = true;
		t->sync_at = t->before;
		t->sync_end = stats.bytes;
	}
	t->syncs = stats.syncs;
}

/* Does a stretch begin with message @m: surely after a sync, or the first? */
static bool begins(const struct index_stream *s, const struct track *t,
		   const struct csf_message *m)
{
	return !s->n || t->wait || (t->synced && m->offset >= t->sync_end);
}

int index_see_messages(struct index_builder *b, struct track *t)
{
	struct index_stream *s = &b->index.stream[t->stream];
	struct csf_message m;

	while (csf_messages_next(t->messages, &m) > 0) {
		find_sync(t);
		if (begins(s, t, &m)) {
			struct index_entry *e;

			if (!index_open_entry(b, t, begin_at(b, t, &m)))
				return CSF_ERR_MEMORY;
			e = &s->entry[s->n - 1];
			e->flags |= INDEX_HAS_CHANNELS;
			e->n_sync += t->synced && e->n_sync < UINT16_MAX;
			t->synced = false;
		}
		see_message(s, t, &m);
		t->before = m.offset;
	}
	return 0;
}
