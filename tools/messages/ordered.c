// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "../input/order-event.h"
#include "../lib/log.h"
#include "ordered.h"

#define CHUNK	(64u << 10)

/**
 * struct ordered_source - one source, which reads its buffer for itself
 * @number: of the clock, see order-event.h
 * @fed: bytes of @in that were read
 */
struct ordered_source {
	struct input in;
	struct input_source source;
	struct message_source *reader;
	struct csf_frames *frames;
	struct order_clock clock;
	struct row row;
	uint32_t number;
	size_t fed;
	bool ended;
};

static int feed(struct ordered_source *s)
{
	const size_t left = s->in.n - s->fed, n = left < CHUNK ? left : CHUNK;
	const uint8_t *at = s->in.data + s->fed;
	long taken;
	int err;

	if (!n) {
		s->ended = true;
		err = s->frames ? csf_frames_end(s->frames) : 0;
		return err ? err : message_source_end(s->reader, !s->frames);
	}
	taken = s->frames ? input_feed(&s->in, s->frames, s->fed, n) :
			    message_source_feed(s->reader, at, n) ?: (long)n;
	if (taken < 0)
		return taken;
	s->fed += taken;
	return 0;
}

static int next(void *owner, struct order_item *item)
{
	struct ordered_source *s = owner;
	int err = 0;

	while (!err && !message_source_next(s->reader, &s->row)) {
		if (s->ended)
			return 0;
		err = feed(s);
	}
	if (err)
		return err;
	item->data = &s->row;
	item->n = sizeof(s->row);
	order_message(&s->clock, &s->row.m, item);
	return 1;
}

int ordered_add(struct ordered *o, const struct input *in, const struct input_source *source,
		struct message_source *reader)
{
	struct ordered_source **more = realloc(o->source, (o->n + 1) * sizeof(*more));
	struct ordered_source *s = more ? calloc(1, sizeof(*s)) : NULL;
	int err = 0;

	if (more)
		o->source = more;
	if (!s)
		return CSF_ERR_MEMORY;
	o->source[o->n] = s;
	s->in = *in;
	s->source = *source;
	s->in.source = &s->source;
	s->in.n_source = 1;
	s->reader = reader;
	s->number = order_clock_of(&s->in, &s->source, o->n++, &s->clock);
	/* the rows of an ETE have its timestamps */
	if (reader->monitor)
		s->number = ORDER_GLOBAL;
	if (in->framing == INPUT_RAW)
		return 0;
	err = csf_frames_new(&s->frames, in->framing, input_frame_flags(in));
	return err ? err : message_source_attach(reader, s->frames);
}

/* Where the order of time knows the common clock better than the row does. */
static void set_global(struct row *row, const struct ordered_source *s,
		       const struct order_placed *placed)
{
	if (s->number != ORDER_GLOBAL ||
	    (placed->kind != ORDER_EXACT && placed->kind != ORDER_TICKED))
		return;
	row->global = placed->at;
	row->has |= ROW_GLOBAL;
}

static void tell(const struct ordered *o, const struct order *order, const char *path)
{
	char words[400];

	for (size_t i = 0; i < o->n; i++)
		if (order_words(order_state(order, i), o->source[i]->number, words, sizeof(words)))
			log_say(LOG_FILE, "csflow: %s: %s: %s\n", path, o->source[i]->reader->name,
				words);
}

int ordered_run(struct ordered *o, const char *path)
{
	struct order_source *source = calloc(o->n + 1, sizeof(*source));
	struct order_placed placed;
	struct order *order = NULL;
	int err;

	if (!source)
		return CSF_ERR_MEMORY;
	for (size_t i = 0; i < o->n; i++)
		source[i] = (struct order_source){
			.next = next, .owner = o->source[i], .clock = o->source[i]->number,
		};
	err = order_new(&order, source, o->n, 0);
	while (!err && (err = order_next(order, &placed)) > 0) {
		struct row row = *(const struct row *)placed.data;

		set_global(&row, o->source[placed.source], &placed);
		err = o->take(o->owner, &row);
	}
	if (!err && o->n > 1)
		tell(o, order, path);
	order_free(order);
	free(source);
	return err;
}

void ordered_free(struct ordered *o)
{
	for (size_t i = 0; i < o->n; i++) {
		csf_frames_free(o->source[i]->frames);
		free(o->source[i]);
	}
	free(o->source);
}
