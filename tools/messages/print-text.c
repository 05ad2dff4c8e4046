// SPDX-License-Identifier: GPL-2.0-only
/* Aligned text for a reader. */
#include "exceptions.h"
#include "print.h"
#include "syst.h"

#define ROOM	(64u << 10)

/* Fills up to column @to after @from, at the right or at the left. */
static void pad(struct out *o, size_t from, size_t width, bool right)
{
	const size_t n = o->n - from;

	if (n >= width)
		return;
	if (right)
		memmove(o->buf + from + width - n, o->buf + from, n);
	memset(o->buf + (right ? from : o->n), ' ', width - n);
	o->n = from + width;
}

static void put_time(struct out *o, const struct row *row)
{
	const size_t from = o->n;

	if (!(row->m.flags & CSF_MESSAGE_HAS_TIME))
		out_char(o, '-');
	else if (row->source->hz)
		print_seconds(o, row->m.time, row->source->hz);
	else
		out_dec(o, row->m.time);
	pad(o, from, 14, true);
	out_text(o, "  ");
}

static void put_source(struct out *o, const struct row *row)
{
	size_t from = o->n;

	out_text(o, row->source->name);
	pad(o, from, 8, false);
	out_text(o, "  ");
	from = o->n;
	if (row->m.flags & CSF_MESSAGE_HAS_MASTER) {
		out_dec(o, row->m.master);
		out_char(o, ':');
	}
	if (row_has_channel(row))
		out_dec(o, row->m.channel);
	else if (o->n == from)
		out_char(o, '-');
	pad(o, from, 9, true);
	out_text(o, "  ");
	from = o->n;
	out_text(o, row_kind(row));
	pad(o, from, 11, false);
	out_text(o, "  ");
}

static void put_value(struct out *o, const struct row *row)
{
	const struct csf_message *m = &row->m;

	switch (row->kind) {
	case CSF_MESSAGE_EXCEPTION:
		exception_name(m->value, o->buf + o->n);
		o->n += strlen(o->buf + o->n);
		return;
	case CSF_MESSAGE_COUNTERS:
	case CSF_MESSAGE_NO_PC:
		return;
	case CSF_MESSAGE_TIME:
		out_char(o, '+');
		out_dec(o, m->value);
		return;
	case CSF_MESSAGE_FREQUENCY:
		out_dec(o, m->value);
		out_text(o, " Hz");
		return;
	case CSF_MESSAGE_GAP:
		out_dec(o, m->value);
		out_text(o, " bytes");
		return;
	default:
		break;
	}
	if (!row_has_value(row))
		return;
	print_hex(o, m->value, m->size);
	if (row->kind != CSF_MESSAGE_DATA || m->size != 1 || m->value < 0x20 || m->value > 0x7e)
		return;
	out_text(o, " '");
	out_char(o, m->value);
	out_char(o, '\'');
}

static void put_places(struct out *o, const struct row *row)
{
	if (row->has & ROW_PC) {
		out_text(o, " pc ");
		print_hex(o, row->pc, 4);
	}
	if (row->has & ROW_ADDRESS) {
		out_text(o, row->n_address < 4 ? " address ..." : " address ");
		if (row->n_address < 4)
			out_digits(o, row->address, 2 * row->n_address, "0123456789abcdef");
		else
			print_hex(o, row->address, row->n_address);
	}
}

static void put_syst(struct out *o, const struct syst_message *m)
{
	if (*m->location) {
		out_char(o, ' ');
		out_text(o, m->location);
	}
}

/* Most captures have no sync: one line at the end says so. */
static void put_flags(struct out *o, const struct row *row)
{
	struct row less = *row;

	less.m.flags &= ~CSF_MESSAGE_UNSYNCED;
	if (!(less.m.flags & ~(CSF_MESSAGE_HAS_TIME | CSF_MESSAGE_HAS_MASTER)))
		return;
	out_char(o, ' ');
	print_flags(o, &less, ' ');
}

static int put_row(struct print *p, const struct row *row)
{
	struct out *o = &p->out;
	char words[ROW_WORDS_MAX];
	const char *word = row_words(row, words);

	out_room(o, ROOM);
	put_time(o, row);
	put_source(o, row);
	put_value(o, row);
	if (row->text)
		out_text(o, row->text);
	if (*word)
		out_char(o, ' ');
	out_text(o, word);
	if (row->syst)
		put_syst(o, row->syst);
	put_places(o, row);
	put_flags(o, row);
	while (o->buf[o->n - 1] == ' ')
		o->n--;
	out_char(o, '\n');
	return 0;
}

const struct print_format print_text = {
	.head = "#         time  source      channel  kind         value\n",
	.row = put_row,
};
