// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "message-source.h"
#include "syst-stream.h"

/**
 * struct syst_open - what a channel has of its next message
 * @first: the row of its first byte
 * @begun: there is one, of which @n bytes came
 */
struct syst_open {
	struct row first;
	bool begun;
	uint8_t *bytes;
	size_t n, size;
};

static uint64_t key(const struct row *row)
{
	return (uint64_t)row->source->number << 48 | (uint64_t)row->m.master << 32 |
	       row->m.channel;
}

static struct syst_open *find(const struct syst_stream *s, const struct row *row)
{
	const uint64_t wanted = key(row);
	uint32_t *slot;

	if (!s->n)
		return NULL;
	slot = HASH_SLOT(&s->by_channel, hash_mix(0, wanted), i,
			 key(&s->open[i - 1]->first) == wanted);
	return *slot ? s->open[*slot - 1] : NULL;
}

bool syst_stream_want(struct syst_stream *s, const struct row *row)
{
	const struct syst_open *o;

	if (!s->catalog || (row->kind != CSF_MESSAGE_DATA && row->kind != CSF_MESSAGE_FLAG))
		return false;
	if (s->channels.n && channels_find(&s->channels, &row->m) < 0)
		return false;
	if (row->source->protocol != CSF_PROTOCOL_STM)
		return row->kind == CSF_MESSAGE_DATA;
	if (row->kind == CSF_MESSAGE_DATA && row->m.flags & CSF_MESSAGE_HAS_TIME)
		return true;
	o = find(s, row);
	return o && o->begun;
}

static struct syst_open *add_channel(struct syst_stream *s, const struct row *row)
{
	const uint64_t wanted = key(row);
	struct syst_open *o;

	if (!HASH_ROOM(&s->by_channel, s->n, 1, i, hash_mix(0, key(&s->open[i - 1]->first))))
		return NULL;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->first = *row;
	s->open[s->n++] = o;
	*HASH_SLOT(&s->by_channel, hash_mix(0, wanted), i,
		   key(&s->open[i - 1]->first) == wanted) = s->n;
	return o;
}

static void forget(struct syst_stream *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->open[i]->bytes);
		free(s->open[i]);
	}
	free(s->by_channel.slot);
	s->by_channel = (struct hash_table){ 0 };
	s->n = 0;
}

static int add_bytes(struct syst_open *o, const struct csf_message *m)
{
	if (o->n + m->size > o->size) {
		const size_t size = o->size ? 2 * o->size : 256;
		uint8_t *more = realloc(o->bytes, size);

		if (!more)
			return CSF_ERR_MEMORY;
		o->bytes = more;
		o->size = size;
	}
	for (int i = 0; i < m->size; i++)
		o->bytes[o->n++] = m->value >> 8 * i;
	return 0;
}

/* Decodes, and passes on, the message that is there.  @whole: it ends here. */
static int decode(struct syst_stream *s, struct syst_open *o, bool whole)
{
	const struct syst_source source = {
		.master = o->first.m.flags & CSF_MESSAGE_HAS_MASTER ? o->first.m.master : 0,
		.channel = o->first.m.channel,
	};
	char text[ESCAPE_ROOM(SYST_TEXT_MAX)];
	struct row row = o->first;
	struct syst_message m;
	size_t taken;

	taken = syst_decode(s->catalog, &source, o->bytes, o->n, whole || o->n > SYST_BYTES_MAX,
			    &m);
	if (!taken)
		return 0;
	s->n_bad += m.status != SYST_OK;
	memmove(o->bytes, o->bytes + taken, o->n - taken);
	o->n -= taken;
	o->begun = o->n;
	escape_text(text, (const uint8_t *)m.text, m.n_text);
	row.kind = ROW_SYST;
	row.text = text;
	row.syst = &m;
	return s->take(s->owner, &row);
}

static int begin(struct syst_stream *s, struct syst_open *o, const struct row *row)
{
	int err = o->begun && o->n ? decode(s, o, true) : 0;

	o->first = *row;
	o->begun = true;
	o->n = 0;
	return err;
}

static int add_of_stm(struct syst_stream *s, struct syst_open *o, const struct row *row)
{
	const bool timed = row->m.flags & CSF_MESSAGE_HAS_TIME;
	bool ends = row->kind == CSF_MESSAGE_FLAG;
	int err = 0;

	if (row->kind == CSF_MESSAGE_DATA) {
		if (timed)
			err = begin(s, o, row);
		ends = timed && row->m.flags & CSF_MESSAGE_MARKED;
		if (!err)
			err = add_bytes(o, &row->m);
	}
	if (err || !ends)
		return err;
	err = o->n ? decode(s, o, true) : 0;
	o->begun = false;
	o->n = 0;
	return err;
}

static int add_of_itm(struct syst_stream *s, struct syst_open *o, const struct row *row)
{
	int err = o->begun ? 0 : begin(s, o, row);
	size_t before = 0;

	if (!err)
		err = add_bytes(o, &row->m);
	while (!err && o->n && o->n != before) {
		before = o->n;
		err = decode(s, o, false);
	}
	return err;
}

int syst_stream_add(struct syst_stream *s, const struct row *row)
{
	struct syst_open *o;
	int err = 0;

	if (!s->open)
		s->open = calloc(SYST_OPEN_MAX, sizeof(*s->open));
	if (!s->open)
		return CSF_ERR_MEMORY;
	o = find(s, row);
	if (!o && s->n == SYST_OPEN_MAX) {
		err = syst_stream_end(s);
		forget(s);
	}
	if (!o)
		o = add_channel(s, row);
	if (!o)
		return CSF_ERR_MEMORY;
	if (err)
		return err;
	return row->source->protocol == CSF_PROTOCOL_STM ? add_of_stm(s, o, row) :
							   add_of_itm(s, o, row);
}

int syst_stream_break(struct syst_stream *s, const struct message_source *source)
{
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		struct syst_open *o = s->open[i];

		if (!o->begun || !o->n || (source && o->first.source != source))
			continue;
		err = decode(s, o, true);
		o->begun = false;
		o->n = 0;
	}
	return err;
}

int syst_stream_end(struct syst_stream *s)
{
	return syst_stream_break(s, NULL);
}

void syst_stream_free(struct syst_stream *s)
{
	forget(s);
	free(s->open);
	channels_free(&s->channels);
}
