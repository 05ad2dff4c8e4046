// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "../input/message-stream.h"
#include "../input/order-event.h"
#include "../input/stream.h"
#include "list-order.h"

#define LINE_MAX	1024
#define WORDS_MAX	512

/**
 * struct teller - a source that is being read
 * @open: its piece of trace is open
 * @started: an element of the piece was seen
 * @text: the line, shared by all
 */
struct teller {
	struct list_part *part;
	const struct list_options *options;
	struct order_clock clock;
	struct stream stream;
	struct message_stream messages;
	struct out *text;
	bool open, started;
};

static bool sends_messages(const struct teller *t)
{
	return csf_config_has_messages(&t->part->source->config);
}

static int open_piece(struct teller *t)
{
	const struct list_part *p = t->part;

	t->open = true;
	t->started = false;
	if (sends_messages(t))
		return message_stream_open(&t->messages, p->in, p->source);
	return stream_open(&t->stream, p->in, p->source,
			   t->options->split ? CSF_ELEMS_SPLIT : 0,
			   CSF_MARK_DATA | CSF_MARK_COND, false);
}

static void close_piece(struct teller *t)
{
	if (t->open && sends_messages(t))
		message_stream_close(&t->messages);
	else if (t->open)
		stream_close(&t->stream);
	t->open = false;
}

/* The offset in the capture; the end of the stream is after its last byte. */
static uint64_t capture_offset(const struct teller *t, const struct csf_frames *frames,
			       uint64_t pos)
{
	const uint8_t id = t->part->source->id;
	uint64_t at;

	if (!frames)
		return pos;
	at = csf_frames_offset(frames, id, pos);
	if (at == UINT64_MAX && pos) {
		at = csf_frames_offset(frames, id, pos - 1);
		at += at != UINT64_MAX;
	}
	return at == UINT64_MAX ? pos : at;
}

/* Begins a line: the offset, and the source. */
static void line_start(struct teller *t, const struct csf_frames *frames, uint64_t pos)
{
	char text[32];

	t->text->n = 0;
	snprintf(text, sizeof(text), "%8" PRIu64, capture_offset(t, frames, pos));
	out_text(t->text, text);
	out_text(t->text, " [");
	out_text(t->text, t->part->label);
	out_text(t->text, "] ");
}

static bool next_message(struct teller *t, struct order_item *item)
{
	const struct csf_message *m = message_stream_next(&t->messages);

	if (!m)
		return false;
	line_start(t, t->messages.frames, m->offset);
	list_message(t->text, m);
	order_message(&t->clock, m, item);
	message_stream_take(&t->messages);
	return true;
}

/* The code where the run is; the instruction may have been executed before that. */
static void put_condition(struct teller *t, const struct csf_element *e)
{
	struct conditional_code code = {
		.image = t->part->in->image, .space = t->stream.run.space,
		.time = t->stream.run.time,
	};

	conditional_configure(&code, &t->part->source->config);
	list_condition(t->text, e, &code);
}

static bool next_element(struct teller *t, struct order_item *item)
{
	const struct csf_element *e = stream_next(&t->stream);

	/* the lack of sync before the first byte is no news */
	if (e && !t->started && e->type == CSF_ELEM_NO_SYNC && e->value == CSF_GAP_START) {
		stream_take(&t->stream);
		e = stream_next(&t->stream);
	}
	t->started = true;
	if (!e || (e->type == CSF_ELEM_EO_TRACE && !e->offset))		/* no trace at all */
		return false;
	line_start(t, t->stream.frames, e->offset);
	if (e->type == CSF_ELEM_CONDITION)
		put_condition(t, e);
	else
		list_element(t->text, e);
	order_element(&t->clock, e, item);
	stream_take(&t->stream);
	return true;
}

/* struct order_source.next */
static int next_item(void *owner, struct order_item *item)
{
	struct teller *t = owner;
	int err = t->open ? 0 : open_piece(t), got;

	while (!err) {
		if (sends_messages(t) ? next_message(t, item) : next_element(t, item)) {
			item->data = t->text->buf;
			item->n = t->text->n;
			return 1;
		}
		err = sends_messages(t) ? t->messages.error : t->stream.error;
		close_piece(t);
		if (err || !t->part->more)
			return err;
		got = t->part->more(t->part);
		if (got <= 0)
			return got;
		err = open_piece(t);
	}
	return err;
}

static void put_line(struct out *out, const struct order_placed *placed)
{
	char when[ORDER_WHEN_MAX], text[ORDER_WHEN_MAX + 32];

	order_when(placed, when);
	snprintf(text, sizeof(text), "%20s ", when);
	out_room(out, sizeof(text) + LINE_MAX);
	out_text(out, text);
	memcpy(out->buf + out->n, placed->data, placed->n);
	out->n += placed->n;
	out_char(out, '\n');
}

/* Begins a comment on a source. */
static void put_name(struct out *out, const struct list_part *p)
{
	out_room(out, LINE_MAX);
	out_text(out, "# [");
	out_text(out, p->label);
	out_text(out, "] ");
	if (!p->name)
		return;
	out_text(out, p->name);
	out_text(out, ": ");
}

static void put_sources(const struct list_part *part, size_t n, struct out *out)
{
	for (size_t i = 0; i < n; i++) {
		const enum csf_protocol protocol = csf_config_protocol(&part[i].source->config);

		put_name(out, &part[i]);
		out_text(out, csf_protocol_name(protocol));
		if (part[i].source->data)
			out_text(out, ", data: csflow knows only its bytes, which are left out");
		out_char(out, '\n');
	}
}

/* What of each source is not in order. */
static void put_words(const struct order *order, const struct order_source *source,
		      const struct teller *teller, size_t n, struct out *out)
{
	char words[WORDS_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct list_part *p = teller[i].part;

		if (!order_words(order_state(order, i), source[i].clock, words, sizeof(words)))
			continue;
		put_name(out, p);
		out_text(out, words);
		out_char(out, '\n');
	}
}

static int merge(struct teller *teller, const struct order_source *source, size_t n,
		 struct out *out)
{
	struct order_placed placed;
	struct order *order;
	int got = order_new(&order, source, n, 0);

	while (!got && (got = order_next(order, &placed)) > 0) {
		put_line(out, &placed);
		got = 0;
	}
	if (!got)
		put_words(order, source, teller, n, out);
	out_flush(out);
	order_free(order);
	return got;
}

int list_in_order(struct list_part *part, size_t n, const struct list_options *options,
		  struct out *out)
{
	struct order_source *source = calloc(n + 1, sizeof(*source));
	struct teller *teller = calloc(n + 1, sizeof(*teller));
	struct out *text = malloc(sizeof(*text));
	size_t kept = 0;
	int err = source && teller && text ? 0 : CSF_ERR_MEMORY;

	for (size_t i = 0; i < n && !err; i++) {
		struct teller *t = &teller[kept];

		if (part[i].source->data)
			continue;
		*t = (struct teller){ .part = &part[i], .options = options, .text = text };
		source[kept] = (struct order_source){
			.next = next_item, .owner = t, .skew = part[i].skew,
			.clock = order_clock_of(part[i].in, part[i].source, i, &t->clock),
		};
		kept++;
	}
	if (!err) {
		put_sources(part, n, out);
		err = merge(teller, source, kept, out);
	}
	for (size_t i = 0; i < kept; i++)
		close_piece(&teller[i]);
	free(text);
	free(teller);
	free(source);
	return err;
}
