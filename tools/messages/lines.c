// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "lines.h"
#include "message-source.h"

/**
 * struct line_of_text - what a channel has of its next line
 * @first: the row of its first byte
 */
struct line_of_text {
	struct row first;
	size_t n;
	uint8_t bytes[LINE_MAX_BYTES];
};

static uint64_t key(const struct row *row)
{
	return (uint64_t)row->source->number << 48 | (uint64_t)row->m.master << 32 |
	       row->m.channel;
}

bool lines_want(const struct lines *l, const struct row *row)
{
	if (row->kind != CSF_MESSAGE_DATA && row->kind != CSF_MESSAGE_FLAG)
		return false;
	return l->channels.n && channels_find(&l->channels, &row->m) >= 0;
}

static int emit(struct lines *l, struct line_of_text *line, bool partial)
{
	char text[ESCAPE_ROOM(LINE_MAX_BYTES)];
	struct row row = line->first;

	if (!partial && line->n && line->bytes[line->n - 1] == '\r')
		line->n--;
	escape_text(text, line->bytes, line->n);
	row.kind = ROW_TEXT;
	row.text = text;
	row.partial = partial;
	line->n = 0;
	return l->take(l->owner, &row);
}

static struct line_of_text *find(struct lines *l, const struct row *row)
{
	const uint64_t wanted = key(row), hash = hash_mix(0, wanted);
	uint32_t *slot;

	if (!HASH_ROOM(&l->by_channel, l->n, 1, i, hash_mix(0, key(&l->line[i - 1]->first))))
		return NULL;
	slot = HASH_SLOT(&l->by_channel, hash, i, key(&l->line[i - 1]->first) == wanted);
	if (!*slot) {
		struct line_of_text *line = malloc(sizeof(*line));

		if (!line)
			return NULL;
		line->n = 0;
		line->first = *row;
		l->line[l->n++] = line;
		*slot = l->n;
	}
	return l->line[*slot - 1];
}

static void forget(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i]);
	free(l->by_channel.slot);
	l->by_channel = (struct hash_table){ 0 };
	l->n = 0;
}

static int add_byte(struct lines *l, struct line_of_text *line, const struct row *row, uint8_t c)
{
	int err = 0;

	if (!line->n)
		line->first = *row;
	if (c == '\n')
		return emit(l, line, false);
	if (line->n == LINE_MAX_BYTES)
		err = emit(l, line, true);
	if (!line->n)
		line->first = *row;
	line->bytes[line->n++] = c;
	return err;
}

int lines_add(struct lines *l, const struct row *row)
{
	struct line_of_text *line;
	int err = 0;

	if (!l->line)
		l->line = calloc(LINES_MAX, sizeof(*l->line));
	if (!l->line)
		return CSF_ERR_MEMORY;
	if (l->n == LINES_MAX) {
		err = lines_end(l);
		forget(l);
	}
	line = find(l, row);
	if (!line)
		return CSF_ERR_MEMORY;
	if (row->kind == CSF_MESSAGE_FLAG)
		return line->n ? emit(l, line, false) : err;
	for (int i = 0; i < row->m.size && !err; i++)
		err = add_byte(l, line, row, row->m.value >> 8 * i);
	return err;
}

int lines_break(struct lines *l, const struct message_source *source)
{
	int err = 0;

	for (size_t i = 0; i < l->n && !err; i++)
		if (l->line[i]->n && (!source || l->line[i]->first.source == source))
			err = emit(l, l->line[i], true);
	return err;
}

int lines_end(struct lines *l)
{
	return lines_break(l, NULL);
}

void lines_free(struct lines *l)
{
	forget(l);
	free(l->line);
	channels_free(&l->channels);
}
