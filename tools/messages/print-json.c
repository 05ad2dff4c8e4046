// SPDX-License-Identifier: GPL-2.0-only
/* JSON, an object for each message, on a line of its own.  What a message has not is left out. */
#include "print.h"
#include "syst.h"

#define ROOM	(64u << 10)

static void put_string(struct out *o, const char *text)
{
	out_char(o, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			out_char(o, '\\');
		out_char(o, *text);
	}
	out_char(o, '"');
}

static void put_name(struct out *o, const char *name)
{
	if (o->buf[o->n - 1] != '{')
		out_char(o, ',');
	out_char(o, '"');
	out_text(o, name);
	out_text(o, "\":");
}

static void put_number(struct out *o, const char *name, uint64_t v)
{
	put_name(o, name);
	out_dec(o, v);
}

static void put_text(struct out *o, const char *name, const char *text)
{
	if (!*text)
		return;
	put_name(o, name);
	put_string(o, text);
}

static void put_times(struct out *o, const struct row *row)
{
	if (row->m.flags & CSF_MESSAGE_HAS_TIME) {
		put_number(o, "time", row->m.time);
		if (row->source->hz) {
			put_name(o, "seconds");
			print_seconds(o, row->m.time, row->source->hz);
		}
	}
	if (row->has & ROW_GLOBAL)
		put_number(o, "global", row->global);
}

static void put_value(struct out *o, const struct row *row)
{
	if (row_has_value(row)) {
		if (row->m.size)
			put_number(o, "size", row->m.size);
		put_number(o, "value", row->m.value);
	}
	if (row->has & ROW_PC)
		put_number(o, "pc", row->pc);
	if (row->has & ROW_ADDRESS) {
		put_number(o, "address", row->address);
		put_number(o, "address_bytes", row->n_address);
	}
}

static void put_syst(struct out *o, const struct syst_message *m)
{
	put_name(o, "syst");
	out_char(o, '{');
	put_text(o, "status", syst_status(m->status));
	put_text(o, "type", m->type);
	put_text(o, "severity", m->severity ?: "");
	put_text(o, "origin", m->origin);
	put_number(o, "unit", m->unit);
	if (m->has_time)
		put_number(o, "time", m->time);
	put_text(o, "location", m->location);
	put_number(o, "length", m->length);
	out_char(o, '}');
}

static int put_row(struct print *p, const struct row *row)
{
	struct out *o = &p->out;
	char words[ROW_WORDS_MAX];

	out_room(o, ROOM);
	out_char(o, '{');
	put_times(o, row);
	put_text(o, "source", row->source->name);
	put_number(o, "id", row->source->id);
	if (row->m.flags & CSF_MESSAGE_HAS_MASTER)
		put_number(o, "master", row->m.master);
	if (row_has_channel(row))
		put_number(o, "channel", row->m.channel);
	put_text(o, "kind", row_kind(row));
	put_value(o, row);
	put_text(o, "words", row_words(row, words));
	if (row->m.flags & ~(CSF_MESSAGE_HAS_TIME | CSF_MESSAGE_HAS_MASTER)) {
		put_name(o, "flags");
		out_char(o, '"');
		print_flags(o, row, ' ');
		out_char(o, '"');
	}
	if (row->text) {
		put_name(o, "text");
		put_string(o, row->text);
	}
	if (row->syst)
		put_syst(o, row->syst);
	put_number(o, "offset", row->m.offset);
	out_text(o, "}\n");
	return 0;
}

const struct print_format print_json = { .row = put_row };
