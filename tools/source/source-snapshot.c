// SPDX-License-Identifier: GPL-2.0-only
/* A snapshot as a source: one of its trace buffers, with a stream for each trace unit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "../lib/options.h"
#include "../input/losses.h"
#include "../input/snapshot-capture.h"
#include "../input/snapshot-image.h"
#include "source-run.h"
#include "../lib/without.h"

#define CHUNK	(64u << 10)

/**
 * struct snapshot_source - source.own
 * @unit: @n_unit trace units; unit[].number: number of the CPU
 * @id: trace ID of the unit that is being decoded
 * @fed: bytes of the capture; @ended: the end was fed, too
 * @in_run: @r has further items of @run
 */
struct snapshot_source {
	struct snapshot snapshot;
	struct snapshot_image image;
	struct snapshot_capture capture;
	struct input_source *unit;
	size_t n_unit;
	int framing;
	struct csf_threads *threads;
	struct csf_frames *frames;
	struct csf_decoder *dec;
	struct csf_run run;
	struct source_run r;
	size_t fed;
	uint8_t id;
	bool ended, in_run;
};

static void stop(struct snapshot_source *p)
{
	csf_free(p->dec);
	csf_frames_free(p->frames);
	p->frames = NULL;
	p->dec = NULL;
	p->fed = 0;
	p->ended = false;
	p->in_run = false;
}

static void snapshot_source_close(struct source *s)
{
	struct snapshot_source *p = s->own;

	if (!p)
		return;
	stop(p);
	csf_threads_free(p->threads);
	source_run_free(&p->r);
	free(p->unit);
	snapshot_capture_close(&p->capture);
	snapshot_image_close(&p->image);
	snapshot_close(&p->snapshot);
	free(p);
}

/* Hands the problems to the source, which reports them. */
static void hand_over(struct source *s)
{
	struct snapshot_source *p = s->own;

	problems_free(&s->problems);
	s->problems = p->snapshot.problems;
	memset(&p->snapshot.problems, 0, sizeof(p->snapshot.problems));
}

static int read_buffer(struct source *s)
{
	struct snapshot_source *p = s->own;
	struct snapshot *shot = &p->snapshot;
	const struct snapshot_buffer *buffer = NULL;
	const char *path;
	int err;

	if (s->options.snapshot.buffer)
		buffer = snapshot_buffer(shot, s->options.snapshot.buffer);
	else if (shot->n_buffer)
		buffer = &shot->buffer[0];
	if (!buffer) {
		problems_error(&p->snapshot.problems, s->path, 0, "there is no buffer %s",
			       s->options.snapshot.buffer ? s->options.snapshot.buffer : "");
		return -ENODATA;
	}
	err = snapshot_capture_open(&p->capture, shot, buffer, &path);
	if (err) {
		problems_error(&p->snapshot.problems, path, 0, "%s", file_words(path, err));
		return err;
	}
	p->unit = calloc(shot->n_device + 1, sizeof(*p->unit));
	if (!p->unit)
		return -ENOMEM;
	p->n_unit = snapshot_sources(shot, &p->capture, -1, SNAPSHOT_EXECUTION, p->unit);
	for (size_t i = 0; i < p->n_unit; i++)
		s->data |= csf_config_data(&p->unit[i].config);
	p->framing = snapshot_framing(buffer);
	s->total = p->capture.n;
	snapshot_number_units(&p->snapshot, p->unit, p->n_unit);
	if (!p->n_unit) {
		problems_error(&p->snapshot.problems, s->path, 0, "no ETMv4, ETE, ETMv3, PTM or MTB in buffer %s",
			       buffer->name);
		return -ENODATA;
	}
	return 0;
}

static int snapshot_source_open(struct source *s)
{
	struct snapshot_source *p = calloc(1, sizeof(*p));
	int err;

	s->own = p;
	if (!p)
		return -ENOMEM;
	s->by = SOURCE_CPU;
	err = snapshot_open(&p->snapshot, s->path) ? -EINVAL : 0;
	if (!err)
		err = snapshot_image_open(&p->image, &p->snapshot) ? -ENOMEM : 0;
	if (!err)
		err = read_buffer(s);
	p->r.image = p->image.image;
	hand_over(s);
	return err;
}

static bool snapshot_source_stream(struct source *s, size_t n, struct source_stream *stream)
{
	const struct snapshot_source *p = s->own;

	if (n >= p->n_unit)
		return false;
	stream->number = p->unit[n].number;
	stream->any = p->n_unit == 1;
	return true;
}

/* Makes a decoder that lets others decode ahead, unless there is only one processor. */
static int new_decoder(const struct source *s, struct csf_config config)
{
	struct snapshot_source *p = s->own;
	const uint32_t n = options_threads(s->options.n_threads);
	int err;

	config.without = without_layers();
	config.marks = CSF_MARK_DEFAULT | CSF_MARK_DATA;
	err = csf_new(&p->dec, &config, p->image.image);
	if (!err && n > 1 && !p->threads)
		err = csf_threads_new(&p->threads, n - 1);
	if (!err && p->threads)
		err = csf_set_threads(p->dec, p->threads);
	return err;
}

static int snapshot_source_start(struct source *s, const struct source_stream *stream)
{
	struct snapshot_source *p = s->own;
	size_t i = 0;
	int err;

	stop(p);
	while (i < p->n_unit && p->unit[i].number != stream->number)
		i++;
	if (i == p->n_unit) {
		p->ended = true;
		return 0;
	}
	p->id = p->unit[i].id;
	err = new_decoder(s, p->unit[i].config);
	if (!err && p->framing != INPUT_RAW)
		err = csf_frames_new(&p->frames, p->framing, without_frames());
	if (!err && p->frames)
		err = csf_attach(p->frames, p->unit[i].id, p->dec);
	return !err ? 0 : err == CSF_ERR_MEMORY ? -ENOMEM : -EINVAL;
}

/* How much of the rest is fed at once. */
static size_t next_bytes(const struct snapshot_source *p)
{
	const size_t left = p->capture.n - p->fed;

	return left < CHUNK ? left : CHUNK;
}

/* Return: 0 or a negative enum csf_error. */
static int feed(struct snapshot_source *p)
{
	const size_t n = next_bytes(p);
	long taken;

	if (!n) {
		p->ended = true;
		return p->frames ? csf_frames_end(p->frames) : csf_end(p->dec);
	}
	if (p->frames)
		taken = csf_frames_feed(p->frames, p->capture.data + p->fed, n);
	else
		taken = csf_feed(p->dec, p->capture.data + p->fed, n) ? CSF_ERR_ARG : (long)n;
	if (taken <= 0)
		return taken;
	p->fed += taken;
	if (p->frames)
		csf_frames_ahead(p->frames, p->capture.data + p->fed, next_bytes(p));
	else
		csf_feed_ahead(p->dec, p->capture.data + p->fed, next_bytes(p));
	return 0;
}

static int next_run(struct source *s)
{
	struct snapshot_source *p = s->own;
	int got = 0;

	while (!p->in_run) {
		if (p->dec)
			got = csf_next(p->dec, &p->run);
		if (got < 0)
			return -ENOMEM;
		p->in_run = got;
		if (got)
			losses_run(s->path, p->id, p->frames, &p->run);
		if (!got && p->ended)
			return 0;
		if (!got && feed(p))
			return -ENOMEM;
	}
	s->done = p->fed;
	return source_run_begin(&p->r, p->dec, &p->run) ? -ENOMEM : 1;
}

static int snapshot_source_next(struct source *s, struct source_item *item)
{
	struct snapshot_source *p = s->own;
	int got;

	for (;;) {
		if (!p->in_run) {
			got = next_run(s);
			if (got <= 0)
				return got;
		}
		got = source_run_next(&p->r, item);
		if (got)
			return got;
		p->in_run = false;
		if (p->run.end == CSF_END_CONTEXT)
			csf_set_space(p->dec, snapshot_image_space(&p->image, &p->run.to));
	}
}

const struct source_ops source_snapshot_ops = {
	.name = "snapshot",
	.open = snapshot_source_open,
	.close = snapshot_source_close,
	.stream = snapshot_source_stream,
	.start = snapshot_source_start,
	.next = snapshot_source_next,
};
