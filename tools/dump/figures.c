// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "../input/losses.h"
#include "../lib/without.h"

/* ---------------------------------------------------------------- text */

static void print_name(FILE *out, const struct input_source *source)
{
	if (source->name)
		fprintf(out, "%s", source->name);
	else
		fprintf(out, "cpu %u", source->number);
	fprintf(out, " [%02x]: ", source->id);
}

static void print_messages(FILE *out, const struct input_source *source,
			   const struct csf_message_stats *s)
{
	if (!s->bytes)
		return;
	print_name(out, source);
	fprintf(out, "%" PRIu64 " bytes, %" PRIu64 " skipped; %" PRIu64 " packets, %" PRIu64
		" syncs; %" PRIu64 " messages, %" PRIu64 " overflows\n", s->bytes, s->skipped,
		s->packets, s->syncs, s->messages, s->overflows);
	for (int i = 0; i < CSF_GAP_NR; i++)
		if (s->gaps[i])
			fprintf(out, "  gap %-12s %" PRIu64 " times, %" PRIu64 " bytes\n",
				csf_gap_name(i), s->gaps[i], s->skipped_by[i]);
}

static void print_source(FILE *out, const struct input_source *source, const struct csf_stats *s)
{
	if (!s->bytes)
		return;
	print_name(out, source);
	fprintf(out, "%" PRIu64 " bytes, %" PRIu64 " skipped; %" PRIu64 " packets, %"
		PRIu64 " A-syncs; ", s->bytes, s->skipped, s->packets, s->async);
	fprintf(out, "%" PRIu64 " atoms, %" PRIu64 " P0 elements, %" PRIu64 " lost; %" PRIu64
		" steps\n", s->atoms, s->p0, s->lost, s->steps);
	for (int i = 0; i < CSF_GAP_NR; i++)
		if (s->gaps[i])
			fprintf(out, "  gap %-12s %" PRIu64 " times, %" PRIu64
				" P0 elements, %" PRIu64 " bytes\n", csf_gap_name(i), s->gaps[i],
				s->lost_by[i], s->skipped_by[i]);
	if (s->accesses)
		fprintf(out, "  %" PRIu64 " data accesses, %" PRIu64 " of them lost in part\n",
			s->accesses, s->data_lost);
}

void figures_print_source(FILE *out, const struct input_source *source,
			  const struct csf_decoder *dec, const struct csf_messages *messages)
{
	struct csf_message_stats of_messages = { .size = sizeof(of_messages) };
	struct csf_stats s = { .size = sizeof(s) };

	if (messages) {
		csf_messages_stats(messages, &of_messages);
		print_messages(out, source, &of_messages);
		return;
	}
	csf_stats(dec, &s);
	print_source(out, source, &s);
}

void figures_print_data(FILE *out, const struct input_source *source,
			const struct data_stream *data)
{
	if (!data->n_bytes)
		return;
	print_name(out, source);
	fprintf(out, "%" PRIu64 " bytes of a data stream, %" PRIu64 " A-syncs\n", data->n_bytes,
		data->n_async);
}

void figures_print_frames(FILE *out, const struct csf_frame_stats *s, const bool *listed)
{
	fprintf(out, "frames: %" PRIu64 " bytes, %" PRIu64 " frames, %" PRIu64 " overhead, %"
		PRIu64 " without ID, %" PRIu64 " skipped, %" PRIu64 " incomplete\n", s->bytes,
		s->frames, s->overhead, s->unknown, s->skipped, s->partial);
	fprintf(out, "frames: %" PRIu64 " full syncs, %" PRIu64 " half syncs, %" PRIu64
		" barriers, %" PRIu64 " losses of sync\n", s->fsync, s->hsync, s->barriers, s->bad);
	for (int i = 0; i < CSF_ID_MAX; i++)
		if (s->id[i])
			fprintf(out, "frames: %" PRIu64 " bytes of ID %02x%s\n", s->id[i], i,
				listed[i] ? "" : ", not listed");
}

/* Subtracts @before from @count; both have only counters. */
static void take_off(uint64_t *count, const uint64_t *before, size_t size)
{
	for (size_t i = 0; i < size / sizeof(*count); i++)
		count[i] -= before[i];
}

static void print_own_messages(const struct figures *f, FILE *out, size_t i)
{
	struct csf_message_stats s = { .size = sizeof(s) };

	csf_messages_stats(f->messages[i], &s);
	take_off(&s.bytes, &f->messages_before[i].bytes,
		 sizeof(s) - offsetof(struct csf_message_stats, bytes));
	print_messages(out, &f->in->source[i], &s);
}

static void print_own(const struct figures *f, FILE *out, size_t i)
{
	struct csf_stats s = { .size = sizeof(s) };

	csf_stats(f->dec[i], &s);
	take_off(&s.bytes, &f->before[i].bytes, sizeof(s) - offsetof(struct csf_stats, bytes));
	print_source(out, &f->in->source[i], &s);
}

void figures_print(const struct figures *f, FILE *out)
{
	struct csf_frame_stats s = { .size = sizeof(s) };
	bool listed[CSF_ID_MAX] = { false };

	for (size_t i = 0; i < f->in->n_source; i++) {
		listed[f->in->source[i].id] |= f->dec[i] || f->messages[i];
		if (f->in->source[i].data)
			figures_print_data(out, &f->in->source[i], &f->data);
		if (f->dec[i])
			print_own(f, out, i);
		if (f->messages[i])
			print_own_messages(f, out, i);
	}
	if (!f->frames)
		return;
	csf_frames_stats(f->frames, &s);
	take_off(&s.bytes, &f->frames_before.bytes,
		 sizeof(s) - offsetof(struct csf_frame_stats, bytes));
	figures_print_frames(out, &s, listed);
}

/* ---------------------------------------------------------------- open and close */

static int open_source(struct figures *f, size_t i, struct csf_threads *threads)
{
	const struct input *in = f->in;
	const struct input_source *source = &in->source[i];
	struct csf_config config = source->config;
	int err;

	if (source->data)
		return 0;
	for (size_t k = 0; k < i; k++)
		if (in->source[k].id == source->id)
			return 0;
	if (csf_config_has_messages(&config)) {
		err = csf_messages_new(&f->messages[i], &config);
		return err || !f->frames ? err :
		       csf_attach_messages(f->frames, source->id, f->messages[i]);
	}
	config.marks = CSF_MARK_TIME | CSF_MARK_DATA;
	config.without = without_layers();
	err = csf_new(&f->dec[i], &config, in->image);
	if (!err && f->frames)
		err = csf_attach(f->frames, source->id, f->dec[i]);
	if (!err && threads)
		err = csf_set_threads(f->dec[i], threads);
	return err ? err : csf_ask_paths(f->dec[i], true);
}

void figures_begin(struct figures *f)
{
	const struct input *in = f->in;

	for (size_t i = 0; i < in->n_source; i++) {
		if (f->messages[i]) {
			f->messages_before[i].size = sizeof(f->messages_before[i]);
			csf_messages_stats(f->messages[i], &f->messages_before[i]);
		}
		if (!f->dec[i])
			continue;
		f->before[i].size = sizeof(f->before[i]);
		csf_stats(f->dec[i], &f->before[i]);
		csf_set_space(f->dec[i], CSF_SPACE_ALL);
		csf_set_time(f->dec[i], 0, 0);
		if (in->choose)
			in->choose(in, &in->source[i], f->dec[i], NULL);
	}
	f->frames_before.size = sizeof(f->frames_before);
	if (f->frames)
		csf_frames_stats(f->frames, &f->frames_before);
}

int figures_open(struct figures *f, const struct input *in, struct csf_threads *threads)
{
	int err = 0;

	*f = (struct figures){
		.in = in, .dec = calloc(in->n_source + 1, sizeof(*f->dec)),
		.messages = calloc(in->n_source + 1, sizeof(*f->messages)),
		.before = calloc(in->n_source + 1, sizeof(*f->before)),
		.messages_before = calloc(in->n_source + 1, sizeof(*f->messages_before)),
	};
	if (!f->dec || !f->messages || !f->before || !f->messages_before)
		return CSF_ERR_MEMORY;
	if (in->framing != INPUT_RAW)
		err = csf_frames_new(&f->frames, in->framing, input_frame_flags(in));
	for (size_t i = 0; i < in->n_source && !err; i++)
		err = open_source(f, i, threads);
	if (!err)
		figures_begin(f);
	return err;
}

void figures_close(struct figures *f)
{
	for (size_t i = 0; f->dec && i < f->in->n_source; i++)
		csf_free(f->dec[i]);
	for (size_t i = 0; f->messages && i < f->in->n_source; i++)
		csf_messages_free(f->messages[i]);
	csf_frames_free(f->frames);
	free(f->dec);
	free(f->messages);
	free(f->before);
	free(f->messages_before);
	*f = (struct figures){ 0 };
}

/* ---------------------------------------------------------------- decoding */

static void take_run(const struct figures *f, size_t i, const struct csf_run *run)
{
	const struct input *in = f->in;

	losses_run(in->name, in->source[i].id, f->frames, run);
	if (run->end == CSF_END_CONTEXT && in->choose)
		in->choose(in, &in->source[i], f->dec[i], &run->to);
}

static int use_up(const struct figures *f)
{
	const struct input *in = f->in;
	struct csf_message message;
	struct csf_run run;
	int got = 0;

	for (size_t i = 0; i < in->n_source; i++) {
		while (f->dec[i] && (got = csf_next(f->dec[i], &run)) > 0)
			take_run(f, i, &run);
		while (f->messages[i] && (got = csf_messages_next(f->messages[i], &message)) > 0)
			losses_message(in->name, in->source[i].id, f->frames, &message);
		if (got < 0)
			return got;
	}
	return 0;
}

/* Lets threads begin with the next input. */
static void tell_next(struct figures *f, const uint8_t *bytes, size_t n)
{
	if (f->frames)
		csf_frames_ahead(f->frames, bytes, n);
	else if (f->in->n_source && f->dec[0])
		csf_feed_ahead(f->dec[0], bytes, n);
}

static void count_data(struct figures *f, const uint8_t *bytes, size_t n, bool end)
{
	struct data_item item;

	while (data_stream_next(&f->data, &bytes, &n, end, &item))
		;
}

/* Return: bytes taken, also 0; < 0: enum csf_error. */
static long feed(struct figures *f, const uint8_t *bytes, size_t n)
{
	int err = 0;

	if (f->frames && f->in->n_cut)	/* all of it is in memory */
		return input_feed(f->in, f->frames, bytes - f->in->data, n);
	if (f->frames)
		return csf_frames_feed(f->frames, bytes, n);
	if (f->in->n_source && f->in->source[0].data)
		count_data(f, bytes, n, false);
	else if (f->in->n_source && f->messages[0])
		err = csf_messages_feed(f->messages[0], bytes, n);
	else if (f->in->n_source)
		err = csf_feed(f->dec[0], bytes, n);
	return err ? err : (long)n;
}

static int end(struct figures *f)
{
	if (f->frames)
		return csf_frames_end(f->frames);
	if (f->in->n_source && f->in->source[0].data) {
		count_data(f, NULL, 0, true);
		return 0;
	}
	if (f->in->n_source && f->messages[0])
		return csf_messages_end(f->messages[0]);
	return f->in->n_source ? csf_end(f->dec[0]) : 0;
}

/* @last: nothing follows in this capture; @next: the next input, or NULL. */
static int pass(struct figures *f, const uint8_t *bytes, size_t n, bool last,
		const struct figures_next *next)
{
	size_t at = 0;
	int err = 0;

	do {
		const long taken = feed(f, bytes + at, n - at);

		if (taken < 0)
			return taken;
		at += taken;
		if (at == n && last)
			err = end(f);
		if (at < n)
			tell_next(f, bytes + at, n - at);
		else if (!err && next)
			tell_next(next->figures, next->bytes, next->n);
		if (!err)
			err = use_up(f);
	} while (at < n && !err);
	return err;
}

int figures_feed(struct figures *f, const uint8_t *bytes, size_t n, size_t more)
{
	const struct figures_next next = { .figures = f, .bytes = bytes + n, .n = more };

	return pass(f, bytes, n, false, &next);
}

int figures_finish(struct figures *f, const uint8_t *bytes, size_t n,
		   const struct figures_next *next)
{
	return pass(f, bytes, n, true, next);
}

int figures_end(struct figures *f)
{
	return figures_finish(f, NULL, 0, NULL);
}
