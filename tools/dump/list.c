// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "data-stream.h"
#include "figures.h"
#include "list.h"
#include "../input/message-stream.h"
#include "../input/stream.h"

#define CHUNK		(64u << 10)
#define LINE_MAX	1024

/* Bytes of a stream that are adjacent in the capture. */
struct piece {
	uint64_t pos, offset;
};

/**
 * struct track - a trace ID that is being listed
 * @piece: places of its bytes; those before @piece_head are done
 * @mon: its packets; NULL: they are not whole bytes
 * @stream: its elements; @messages: or its messages; @data: or the bytes of its data stream
 * @fed: bytes of the stream so far
 * @started: an element was seen
 */
struct track {
	const struct input_source *source;
	const struct list_options *options;
	struct out *out;
	struct csf_monitor *mon;
	struct stream stream;
	struct message_stream messages;
	struct data_stream data;
	struct piece *piece;
	size_t piece_head, n_piece;
	uint64_t fed;
	bool started;
	int error;
};

struct listing {
	const struct input *in;
	const struct list_options *options;
	struct track *by_id[CSF_ID_MAX];
	struct track *track;
	size_t n_track;
	struct csf_frame_stats frames;
};

static void put_raw(struct out *o, const uint8_t *bytes, size_t n)
{
	out_text(o, "raw");
	for (size_t i = 0; i < n; i++) {
		out_char(o, ' ');
		out_byte(o, bytes[i]);
	}
}

static bool is_canonical(const struct csf_config *config, const struct csf_packet *packet,
			 const uint8_t *bytes)
{
	uint8_t written[CSF_PACKET_MAX];
	int n;

	if (packet->type == CSF_PKT_BAD)
		return false;
	n = csf_packet_write(config, written, packet);
	return n == packet->size && !memcmp(written, bytes, n);
}

/* A packet whose words would give other bytes is listed as bytes, with the words as a comment. */
void list_packet(struct out *o, const struct csf_config *config, const struct csf_packet *packet,
		 const uint8_t *bytes)
{
	char words[200];

	if (!is_canonical(config, packet, bytes)) {
		put_raw(o, bytes, packet->size);
		out_text(o, " ; ");
	}
	if (packet->type == CSF_PKT_BAD) {
		out_text(o, csf_bad_name(packet->n));
		return;
	}
	csf_packet_print(config, packet, words, sizeof(words));
	out_text(o, words);
}

static void line_start(struct track *t, uint64_t offset)
{
	struct out *o = t->out;
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, offset);

	out_room(o, LINE_MAX);
	for (int i = n; i < 8; i++)
		out_char(o, ' ');
	out_text(o, digits);
	out_text(o, " [");
	out_byte(o, t->source->id);
	out_text(o, "] ");
}

/* Also forgets earlier pieces: the listing only goes forward. */
static uint64_t capture_offset(struct track *t, uint64_t pos)
{
	const struct piece *p;

	while (t->piece_head + 1 < t->n_piece && t->piece[t->piece_head + 1].pos <= pos)
		t->piece_head++;
	if (t->piece_head >= t->n_piece)
		return pos;
	p = &t->piece[t->piece_head];
	return p->offset + (pos - p->pos);
}

/* Is it worth listing?  The lack of sync before the first byte is not. */
static bool is_news(const struct track *t, const struct csf_element *e)
{
	return e->type != CSF_ELEM_NO_SYNC || e->value != CSF_GAP_START || t->started;
}

/* Begins the line of what a packet at @offset means. */
static void line_below(struct track *t, uint64_t offset)
{
	if (!t->options->packets || !t->mon) {
		line_start(t, capture_offset(t, offset));
		return;
	}
	out_room(t->out, LINE_MAX);
	out_text(t->out, "                 ");
}

static void list_messages(struct track *t, uint64_t pos)
{
	const struct csf_message *m;

	while ((m = message_stream_next(&t->messages)) != NULL && m->offset <= pos) {
		line_below(t, m->offset);
		list_message(t->out, m);
		out_char(t->out, '\n');
		message_stream_take(&t->messages);
	}
	if (t->messages.error)
		t->error = t->messages.error;
}

/* The code where the run is; the instruction may have been executed before that. */
static void put_condition(struct track *t, const struct csf_element *e)
{
	struct conditional_code code = {
		.image = t->stream.in->image, .space = t->stream.run.space,
		.time = t->stream.run.time,
	};

	conditional_configure(&code, &t->source->config);
	list_condition(t->out, e, &code);
}

/* Lists elements, or messages, of packets up to and including the one at @pos. */
static void list_elements(struct track *t, uint64_t pos)
{
	const struct csf_element *e;

	if (!t->options->elements || !t->fed)
		return;
	if (t->messages.messages) {
		list_messages(t, pos);
		return;
	}
	while ((e = stream_next(&t->stream)) != NULL && e->offset <= pos) {
		if (!is_news(t, e)) {
			t->started = true;
			stream_take(&t->stream);
			continue;
		}
		t->started = true;
		line_below(t, e->offset);
		if (e->type == CSF_ELEM_CONDITION)
			put_condition(t, e);
		else
			list_element(t->out, e);
		out_char(t->out, '\n');
		stream_take(&t->stream);
	}
	if (t->stream.error)
		t->error = t->stream.error;
}

/* Lists a data stream: the next @n bytes. */
static void list_data(struct track *t, const uint8_t *bytes, size_t n, bool end)
{
	struct data_item item;

	while (data_stream_next(&t->data, &bytes, &n, end, &item)) {
		if (!t->options->packets)
			continue;
		line_start(t, capture_offset(t, item.pos));
		if (item.async)
			out_text(t->out, "async");
		else
			put_raw(t->out, item.bytes, item.n);
		out_char(t->out, '\n');
	}
}

static void list_packets(struct track *t)
{
	struct csf_packet packet;
	const uint8_t *bytes;
	uint64_t pos;

	if (!t->mon && t->fed)
		list_elements(t, t->fed - 1);
	while (!t->error && csf_monitor_next(t->mon, &packet, &pos, &bytes) > 0) {
		if (t->options->packets) {
			line_start(t, capture_offset(t, pos));
			list_packet(t->out, &t->source->config, &packet, bytes);
			out_char(t->out, '\n');
		}
		list_elements(t, pos);
		capture_offset(t, pos);
	}
}

/* Adds a piece from byte @ahead of the next ones on. */
static int add_piece(struct track *t, size_t ahead, uint64_t offset)
{
	struct piece *grown = t->piece;
	size_t n = t->n_piece;

	if (t->piece_head > 64 && t->piece_head > n / 2) {
		memmove(t->piece, t->piece + t->piece_head, (n - t->piece_head) * sizeof(*grown));
		t->n_piece = n -= t->piece_head;
		t->piece_head = 0;
	}
	if (!(n & (n - 1)))
		grown = realloc(t->piece, (n ? 2 * n : 1) * sizeof(*grown));
	if (!grown)
		return CSF_ERR_MEMORY;
	t->piece = grown;
	t->piece[t->n_piece++] = (struct piece){
		.pos = t->fed + ahead, .offset = offset,
	};
	return 0;
}

/* @at: the place of each byte; NULL: successive ones from @offset on. */
static int add_pieces(struct track *t, size_t n, uint64_t offset, const uint64_t *at)
{
	int err = add_piece(t, 0, offset);

	for (size_t i = 1; at && i < n && !err; i++)
		if (at[i] != at[i - 1] + 1)
			err = add_piece(t, i, at[i]);
	t->fed += n;
	return err;
}

static int track_read(struct track *t, const struct csf_frame *piece)
{
	int err = add_pieces(t, piece->n, piece->offset, piece->at);

	if (err < 0)
		return err;
	if (t->source->data) {
		list_data(t, piece->data, piece->n, false);
		return 0;
	}
	err = t->mon ? csf_monitor_feed(t->mon, piece->data, piece->n) : 0;
	if (err < 0)
		return err;
	list_packets(t);
	return t->error;
}

static int track_open(struct track *t, const struct listing *l, const struct input_source *source,
		      struct out *out)
{
	int err;

	t->source = source;
	t->options = l->options;
	t->out = out;
	if (source->data)
		return 0;
	err = csf_monitor_new(&t->mon, &source->config);
	if (csf_config_has_messages(&source->config) && (!err || err == CSF_ERR_CONFIG))
		return message_stream_open(&t->messages, l->in, source);
	if (err < 0)
		return err;
	return stream_open(&t->stream, l->in, source, l->options->split ? CSF_ELEMS_SPLIT : 0,
			   CSF_MARK_DATA | CSF_MARK_COND, false);
}

static void track_close(struct track *t)
{
	csf_monitor_free(t->mon);
	stream_close(&t->stream);
	message_stream_close(&t->messages);
	free(t->piece);
}

static int track_end(struct track *t)
{
	if (t->source->data) {
		list_data(t, NULL, 0, true);
		return 0;
	}
	csf_monitor_end(t->mon);
	list_packets(t);
	list_elements(t, UINT64_MAX);
	if (!t->options->stats)
		return t->error;
	while (t->stream.dec && stream_next(&t->stream))
		stream_take(&t->stream);
	while (t->messages.messages && message_stream_next(&t->messages))
		message_stream_take(&t->messages);
	return t->error;
}

/* No packet goes on after a cut. */
static void break_all(struct listing *l)
{
	for (size_t i = 0; i < l->n_track; i++) {
		if (!l->track[i].mon)
			continue;
		csf_monitor_end(l->track[i].mon);
		list_packets(&l->track[i]);
	}
}

static int read_frames(struct listing *l, struct csf_frames *frames)
{
	const struct input *in = l->in;
	struct csf_frame piece;
	int err = 0;

	for (size_t at = 0, n; at < in->n && !err; at += n) {
		struct csf_frame skipped;

		err = input_watch(in, frames, at, in->n - at < CHUNK ? in->n - at : CHUNK, &n,
				  &skipped);
		if (skipped.n)
			break_all(l);
		while (!err && csf_frames_next(frames, &piece) > 0) {
			if (piece.kind == CSF_FRAME_DATA && piece.id < CSF_ID_MAX &&
			    l->by_id[piece.id])
				err = track_read(l->by_id[piece.id], &piece);
		}
		if (l->options->progress)
			progress_at(l->options->progress, at + n);
	}
	return err;
}

/* For statistics alone: places are not needed. */
static int count_frames(struct listing *l, struct csf_frames *frames)
{
	const struct input *in = l->in;
	long n = 0;

	for (size_t at = 0; at < in->n && n >= 0; at += n) {
		n = input_feed(in, frames, at, in->n - at);
		if (n > 0 && l->options->progress)
			progress_at(l->options->progress, at + n);
	}
	return n < 0 ? n : csf_frames_end(frames);
}

static bool lists(const struct list_options *options)
{
	return options->packets || options->elements;
}

static int read_capture(struct listing *l)
{
	struct csf_frames *frames;
	int err = csf_frames_new(&frames, l->in->framing, input_frame_flags(l->in));

	if (err < 0)
		return err;
	err = lists(l->options) ? read_frames(l, frames) : count_frames(l, frames);
	l->frames.size = sizeof(l->frames);
	csf_frames_stats(frames, &l->frames);
	csf_frames_free(frames);
	return err;
}

static int read_raw(struct listing *l)
{
	const struct input *in = l->in;
	int err = 0;

	for (size_t at = 0; at < in->n && !err; at += CHUNK) {
		struct csf_frame all = { .offset = at, .data = in->data + at, .n = in->n - at };

		if (all.n > CHUNK)
			all.n = CHUNK;
		err = track_read(l->track, &all);
		if (l->options->progress)
			progress_at(l->options->progress, at + all.n);
	}
	return err;
}

static void print_stats(const struct listing *l, FILE *f)
{
	bool listed[CSF_ID_MAX] = { false };

	for (size_t i = 0; i < l->n_track; i++) {
		listed[l->track[i].source->id] = true;
		if (l->track[i].source->data) {
			figures_print_data(f, l->track[i].source, &l->track[i].data);
			continue;
		}
		figures_print_source(f, l->track[i].source, l->track[i].stream.dec,
				     l->track[i].messages.messages);
	}
	if (l->in->framing != INPUT_RAW)
		figures_print_frames(f, &l->frames, listed);
}

static int end_all(struct listing *l, struct out *out)
{
	int err = 0;

	for (size_t i = 0; i < l->n_track && !err; i++)
		err = track_end(&l->track[i]);
	out_flush(out);
	if (err || !l->options->stats)
		return err;
	print_stats(l, out->file);
	return 0;
}

int list_trace(const struct input *in, const struct list_options *options, struct out *out)
{
	struct listing l = { .in = in, .options = options };
	int err = 0;

	l.track = calloc(in->n_source ? in->n_source : 1, sizeof(*l.track));
	if (!l.track)
		return CSF_ERR_MEMORY;
	for (size_t i = 0; i < in->n_source && !err; i++) {
		if (l.by_id[in->source[i].id])
			continue;
		l.by_id[in->source[i].id] = &l.track[l.n_track];
		err = track_open(&l.track[l.n_track++], &l, &in->source[i], out);
	}
	if (!err && in->framing != INPUT_RAW)
		err = read_capture(&l);
	else if (!err && l.n_track && lists(options))
		err = read_raw(&l);
	if (!err)
		err = end_all(&l, out);
	for (size_t i = 0; i < l.n_track; i++)
		track_close(&l.track[i]);
	free(l.track);
	return err;
}
