// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "data-stream.h"

/* Takes the first @n bytes that are held. */
static bool give(struct data_stream *s, size_t n, bool async, struct data_item *item)
{
	*item = (struct data_item){
		.pos = s->n_bytes - s->n_held, .bytes = s->out, .n = n, .async = async,
	};
	memcpy(s->out, s->held, n);
	s->n_held -= n;
	memmove(s->held, s->held + n, s->n_held);
	return true;
}

/* Takes what is before the A-sync that was found, or the A-sync. */
static bool give_async(struct data_stream *s, struct data_item *item)
{
	if (s->n_held > DATA_SYNC)
		return give(s, s->n_held - DATA_SYNC, false, item);
	s->async = false;
	s->n_async++;
	return give(s, DATA_SYNC, true, item);
}

static void hold(struct data_stream *s, uint8_t byte)
{
	s->held[s->n_held++] = byte;
	s->n_bytes++;
	s->async = byte == 0x80 && s->zeros >= DATA_SYNC - 1;
	s->zeros = byte ? 0 : s->zeros + 1;
}

/* Zeros at the end may begin an A-sync. */
static bool is_full(const struct data_stream *s)
{
	size_t begun = s->zeros < DATA_SYNC - 1 ? s->zeros : DATA_SYNC - 1;

	if (begun > s->n_held)		/* the other zeros were given */
		begun = s->n_held;
	return s->n_held - begun >= DATA_LINE;
}

bool data_stream_next(struct data_stream *s, const uint8_t **bytes, size_t *n, bool end,
		      struct data_item *item)
{
	while (!s->async && !is_full(s) && *n) {
		hold(s, *(*bytes)++);
		(*n)--;
	}
	if (s->async)
		return give_async(s, item);
	if (is_full(s))
		return give(s, DATA_LINE, false, item);
	if (!end || !s->n_held)
		return false;
	return give(s, s->n_held < DATA_LINE ? s->n_held : DATA_LINE, false, item);
}
