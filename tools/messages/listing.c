// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "listing.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void print_head(struct listing *l)
{
	const char *head = l->print.format->head;

	if (!head)
		return;
	out_room(&l->print.out, strlen(head));
	out_text(&l->print.out, head);
}

static int print_row(void *owner, const struct row *row)
{
	struct listing *l = owner;
	const uint32_t kinds = l->kinds ? l->kinds : ~(1u << CSF_MESSAGE_TIME);
	int err;

	if (!l->print.format || !(kinds >> row->kind & 1))
		return 0;
	if (!l->shown++)
		print_head(l);
	err = l->print.format->row(&l->print, row);
	if (!err)
		return 0;
	l->error = err;
	return CSF_ERR_MEMORY;
}

int listing_begin(struct listing *l)
{
	l->lines.take = print_row;
	l->lines.owner = l;
	l->syst.take = print_row;
	l->syst.owner = l;
	if (!l->print.format || !l->print.format->start)
		return 0;
	return l->print.format->start(&l->print);
}

static bool in_span(struct listing *l, const struct row *row)
{
	uint64_t time = row->m.time;

	if (!(row->m.flags & CSF_MESSAGE_HAS_TIME))
		return false;
	if (l->span.seconds) {
		if (!row->source->hz) {
			l->no_clock = true;
			return false;
		}
		time = clock_ns(time, row->source->hz);
	}
	return time >= l->span.from && time <= l->span.until;
}

static bool wanted(struct listing *l, const struct row *row)
{
	const struct csf_message *m = &row->m;

	if (l->ids.n && !numbers_have(&l->ids, row->source->id))
		return false;
	if (l->masters.n && !(m->flags & CSF_MESSAGE_HAS_MASTER &&
			      numbers_have(&l->masters, m->master)))
		return false;
	if (l->channels.n && !(row_has_channel(row) && channels_find(&l->channels, m) >= 0))
		return false;
	return !l->span_given || in_span(l, row);
}

static bool same_channel(const struct csf_message *a, const struct csf_message *b)
{
	return a->channel == b->channel && a->master == b->master;
}

static void see(struct listing *l, const struct row *row)
{
	const struct csf_message *m = &row->m;
	size_t i = 0;

	/* the last one is likely to come again */
	if (l->n_seen && same_channel(&l->seen[l->last], m))
		return;
	while (i < l->n_seen && !same_channel(&l->seen[i], m))
		i++;
	if (i == ARRAY_SIZE(l->seen))
		return;
	l->last = i;
	if (i < l->n_seen)
		return;
	l->seen[l->n_seen++] = *m;
}

/* Messages that end what came before: lines and messages may have lost a part. */
static int lose(struct listing *l, const struct row *row)
{
	int err = lines_break(&l->lines, row->source);

	return err ? err : syst_stream_break(&l->syst, row->source);
}

int listing_take(void *owner, const struct row *row)
{
	struct listing *l = owner;
	int err = 0;

	if (row->m.flags & CSF_MESSAGE_UNSYNCED)
		l->unsynced++;
	else if (row->kind != CSF_MESSAGE_GAP)
		l->synced++;
	if (row->kind == CSF_MESSAGE_DATA || row->kind == ROW_ITE)
		see(l, row);
	if (!wanted(l, row))
		return 0;
	if (row->kind == CSF_MESSAGE_DATA && l->binaries.n &&
	    binaries_take(&l->binaries, row))
		return 0;
	if (lines_want(&l->lines, row))
		return lines_add(&l->lines, row);
	if (syst_stream_want(&l->syst, row))
		return syst_stream_add(&l->syst, row);
	if (row->kind == CSF_MESSAGE_GAP || row->kind == CSF_MESSAGE_OVERFLOW ||
	    row->kind == CSF_MESSAGE_ERROR)
		err = lose(l, row);
	return err ? err : print_row(l, row);
}

int listing_end(struct listing *l, bool whole)
{
	int err = lines_end(&l->lines);

	if (!err)
		err = syst_stream_end(&l->syst);
	l->print.nothing = !whole && !l->shown;
	if (l->print.format && whole && !l->shown)
		print_head(l);
	if (!err && l->print.format && l->print.format->end)
		return l->print.format->end(&l->print);
	return l->error ? l->error : err ? -ENOMEM : 0;
}

void listing_free(struct listing *l)
{
	channels_free(&l->ids);
	channels_free(&l->masters);
	channels_free(&l->channels);
	lines_free(&l->lines);
	binaries_free(&l->binaries);
	syst_stream_free(&l->syst);
}

/* ---------------------------------------------------------------- channels without messages */

static bool range_seen(const struct listing *l, const struct channel_range *r)
{
	struct channels one = { .range = (struct channel_range *)r, .n = 1 };

	for (size_t i = 0; i < l->n_seen; i++)
		if (channels_find(&one, &l->seen[i]) >= 0)
			return true;
	return l->n_seen == ARRAY_SIZE(l->seen);
}

static const struct channel_range *silent_of(const struct listing *l, const struct channels *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!range_seen(l, &c->range[i]))
			return &c->range[i];
	return NULL;
}

static size_t put_name(char *to, size_t n, int master, uint32_t channel)
{
	if (master >= 0)
		return snprintf(to, n, "%d:%u", master, channel);
	return snprintf(to, n, "%u", channel);
}

bool listing_silent(const struct listing *l, char name[32], char others[200])
{
	const struct channel_range *r = silent_of(l, &l->lines.channels);
	size_t at = 0;

	for (size_t i = 0; !r && i < l->binaries.n; i++)
		r = silent_of(l, &l->binaries.file[i].channels);
	*others = '\0';
	if (!r)
		return false;
	at = put_name(name, 32, r->master, r->first);
	if (r->last != r->first)
		snprintf(name + at, 32 - at, "-%u", r->last);
	at = 0;
	for (size_t i = 0; i < l->n_seen && at < 180; i++) {
		const struct csf_message *m = &l->seen[i];

		at += snprintf(others + at, 200 - at, i ? ", " : "");
		at += put_name(others + at, 200 - at,
			       m->flags & CSF_MESSAGE_HAS_MASTER ? m->master : -1, m->channel);
	}
	return true;
}
