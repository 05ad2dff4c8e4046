// SPDX-License-Identifier: GPL-2.0-only
/* Comma-separated values, as RFC 4180 has them, with a line of names first. */
#include "print.h"
#include "syst.h"

/* The longest text is that of a line. */
#define ROOM	(64u << 10)

/* In quotes if it needs them. */
static void put_field(struct out *o, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		out_text(o, text);
		return;
	}
	out_char(o, '"');
	for (; *text; text++) {
		if (*text == '"')
			out_char(o, '"');
		out_char(o, *text);
	}
	out_char(o, '"');
}

static void put_times(struct out *o, const struct row *row)
{
	const bool timed = row->m.flags & CSF_MESSAGE_HAS_TIME;

	if (timed)
		out_dec(o, row->m.time);
	out_char(o, ',');
	if (timed && row->source->hz)
		print_seconds(o, row->m.time, row->source->hz);
	out_char(o, ',');
	if (row->has & ROW_GLOBAL)
		out_dec(o, row->global);
	out_char(o, ',');
}

static void put_channel(struct out *o, const struct row *row)
{
	put_field(o, row->source->name);
	out_char(o, ',');
	out_dec(o, row->source->id);
	out_char(o, ',');
	if (row->m.flags & CSF_MESSAGE_HAS_MASTER)
		out_dec(o, row->m.master);
	out_char(o, ',');
	if (row_has_channel(row))
		out_dec(o, row->m.channel);
	out_char(o, ',');
}

static void put_value(struct out *o, const struct row *row)
{
	const bool has = row_has_value(row);

	out_text(o, row_kind(row));
	out_char(o, ',');
	if (has && row->m.size)
		out_dec(o, row->m.size);
	out_char(o, ',');
	if (has)
		print_hex(o, row->m.value, row->m.size);
	out_char(o, ',');
	if (row->has & ROW_PC)
		print_hex(o, row->pc, 4);
	out_char(o, ',');
	if (row->has & ROW_ADDRESS)
		print_hex(o, row->address, row->n_address);
	out_char(o, ',');
}

static int put_row(struct print *p, const struct row *row)
{
	struct out *o = &p->out;
	char words[ROW_WORDS_MAX];

	out_room(o, ROOM);
	put_times(o, row);
	put_channel(o, row);
	put_value(o, row);
	out_text(o, row_words(row, words));
	out_char(o, ',');
	print_flags(o, row, ' ');
	out_char(o, ',');
	if (row->text)
		put_field(o, row->text);
	out_char(o, ',');
	if (row->syst)
		put_field(o, row->syst->origin);
	out_char(o, ',');
	if (row->syst)
		put_field(o, row->syst->location);
	out_char(o, ',');
	out_dec(o, row->m.offset);
	out_char(o, '\n');
	return 0;
}

const struct print_format print_csv = {
	.head = "time,seconds,global,source,id,master,channel,kind,size,value,pc,address,"
		"words,flags,text,origin,location,offset\n",
	.row = put_row,
};
