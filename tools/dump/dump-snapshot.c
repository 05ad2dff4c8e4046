// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/status.h"
#include "dump.h"
#include "../lib/file.h"
#include "../input/snapshot-capture.h"
#include "../input/snapshot-image.h"

static void choose(const struct input *in, const struct input_source *source,
		   struct csf_decoder *dec, const struct csf_context *context)
{
	if (context)
		csf_set_space(dec, snapshot_image_space(in->owner, context));
}

static void tell(struct snapshot *s)
{
	problems_print(&s->problems, stderr, "csflow dump: ");
	problems_free(&s->problems);
}

static void no_source(const struct dump *d, const struct snapshot *s,
		      const struct snapshot_buffer *buffer)
{
	fprintf(stderr, "csflow dump: %s: no trace unit that csflow reads wrote into buffer %s",
		s->dir, buffer->name);
	if (d->id_given)
		fprintf(stderr, " with trace ID 0x%02x", (unsigned int)d->id);
	fprintf(stderr, ": see [source_buffers] in %s, and what --frames shows\n", s->trace_ini);
}

static int dump_buffer(struct dump *d, struct snapshot *s, const struct snapshot_image *si,
		       const struct snapshot_buffer *buffer)
{
	struct input_source *source = calloc(2 * s->n_device + 1, sizeof(*source));
	struct input in = {
		.name = buffer->name, .framing = dump_framing(d, snapshot_framing(buffer)),
		.source = source, .image = si->image, .choose = choose, .owner = (void *)si,
	};
	struct snapshot_capture capture = { 0 };
	const char *path = buffer->name;
	int status = CMD_FAILED;
	int err = source ? snapshot_capture_open(&capture, s, buffer, &path) : -ENOMEM;

	if (err) {
		tell(s);
		fprintf(stderr, "csflow dump: %s: %s\n", path, file_words(path, err));
		goto out;
	}
	in.n_source = snapshot_sources(s, &capture, d->id_given ? (int)d->id : -1,
				       d->format == DUMP_CSFLOW, source);
	tell(s);
	in.data = capture.data;
	in.n = capture.n;
	dump_units(d, &in);
	if (in.n_source || d->frames)
		status = dump_input(d, &in);
	else
		no_source(d, s, buffer);
out:
	snapshot_capture_close(&capture);
	free(source);
	return status;
}

static void session_line(struct dump *d, const struct snapshot *s, size_t i, bool begin)
{
	if (d->format != DUMP_OPENCSD || !d->multi_session)
		return;
	out_flush(&d->out);
	if (begin)
		printf("####### Multi Session decode: Buffer %zu of %zu; Source name = %s.\n\n",
		       i + 1, s->n_buffer, s->buffer[i].name);
	else
		printf("####### Buffer %zu : %s Complete\n\n", i + 1, s->buffer[i].name);
}

static int dump_sessions(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	int status = CMD_OK;

	for (size_t i = 0; i < s->n_buffer && status == CMD_OK; i++) {
		session_line(d, s, i, true);
		status = dump_buffer(d, s, si, &s->buffer[i]);
		session_line(d, s, i, false);
		d->reset = true;
	}
	return status;
}

static int dump_one(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	const struct snapshot_buffer *buffer = d->source ? snapshot_buffer(s, d->source) :
					       s->n_buffer ? &s->buffer[0] : NULL;

	if (buffer)
		return dump_buffer(d, s, si, buffer);
	fprintf(stderr, "csflow dump: %s: there is no buffer %s\n", s->dir,
		d->source ? d->source : "");
	for (size_t i = 0; d->source && i < s->n_buffer; i++)
		fprintf(stderr, "csflow dump: but there is %s\n", s->buffer[i].name);
	return CMD_FAILED;
}

int dump_snapshot(struct dump *d, const char *dir)
{
	struct snapshot_image si = { 0 };
	struct snapshot s;
	int status = CMD_FAILED;
	int err = snapshot_open(&s, dir);

	if (!err)
		err = snapshot_image_open(&si, &s);
	tell(&s);
	if (!err)
		status = d->multi_session ? dump_sessions(d, &s, &si) : dump_one(d, &s, &si);
	snapshot_image_close(&si);
	snapshot_close(&s);
	return status;
}
