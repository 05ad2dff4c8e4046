// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dump.h"
#include "snapshot-image.h"

/* The bytes of a buffer, which may be in several files. */
struct capture {
	struct file *file;
	size_t n_file;
	uint8_t *joined;
	const uint8_t *data;
	size_t n;
};

static void capture_close(struct capture *c)
{
	for (size_t i = 0; i < c->n_file; i++)
		file_unmap(&c->file[i]);
	free(c->file);
	free(c->joined);
}

static int join(struct capture *c)
{
	size_t at = 0;

	c->joined = malloc(c->n + 1);
	if (!c->joined)
		return -1;
	for (size_t i = 0; i < c->n_file; i++) {
		memcpy(c->joined + at, c->file[i].data, c->file[i].n);
		at += c->file[i].n;
	}
	c->data = c->joined;
	return 0;
}

static int capture_open(struct capture *c, const struct snapshot_buffer *buffer)
{
	memset(c, 0, sizeof(*c));
	c->file = calloc(buffer->n_path + 1, sizeof(*c->file));
	if (!c->file)
		return -1;
	for (size_t i = 0; i < buffer->n_path; i++) {
		int err = file_map(&c->file[i], buffer->path[i]);

		if (err) {
			fprintf(stderr, "csflow dump: %s: %s\n", buffer->path[i], strerror(-err));
			return -1;
		}
		c->n_file++;
		c->n += c->file[i].n;
	}
	c->data = c->n_file ? c->file[0].data : (const uint8_t *)"";
	return c->n_file > 1 ? join(c) : 0;
}

static int by_id(const void *a, const void *b)
{
	const struct input_source *x = a, *y = b;

	return x->id - y->id;
}

static int by_name(const void *a, const void *b)
{
	const struct input_source *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * The ETMv4 and ETE units that wrote into the buffer.  Raw trace can only come
 * from one: of several the first by name.
 */
static size_t sources_of(const struct dump *d, const struct snapshot *s,
			 const struct snapshot_buffer *buffer, struct input_source *source)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_device; i++) {
		const struct snapshot_device *device = &s->device[i];
		const struct snapshot_device *core = snapshot_core(s, device);

		if (device->class != CLASS_SOURCE || !snapshot_in_buffer(s, device, buffer))
			continue;
		if (snapshot_config(device, core, &source[n].config, &source[n].id))
			continue;
		source[n].name = device->name;
		if (!d->id_given || d->id == source[n].id)
			n++;
	}
	qsort(source, n, sizeof(*source), buffer->format == FORMAT_RAW ? by_name : by_id);
	return buffer->format == FORMAT_RAW && n ? 1 : n;
}

static int framing_of(const struct snapshot_buffer *buffer)
{
	switch (buffer->format) {
	case FORMAT_DSTREAM:
		return CSF_FRAMES_DSTREAM;
	case FORMAT_RAW:
		return INPUT_RAW;
	case FORMAT_FRAMES:
	case FORMAT_OTHER:
		break;
	}
	return CSF_FRAMES_MEMORY;
}

static void choose(const struct input *in, const struct input_source *source,
		   struct csf_decoder *dec, const struct csf_context *context)
{
	if (context)
		csf_set_space(dec, snapshot_image_space(in->owner, context));
}

static int dump_buffer(struct dump *d, struct snapshot *s, const struct snapshot_image *si,
		       const struct snapshot_buffer *buffer)
{
	struct input_source *source = calloc(s->n_device + 1, sizeof(*source));
	struct input in = {
		.name = buffer->name, .framing = dump_framing(d, framing_of(buffer)),
		.source = source, .image = si->image, .choose = choose, .owner = (void *)si,
	};
	struct capture capture = { 0 };
	int status = CMD_FAILED;

	if (!source || capture_open(&capture, buffer))
		goto out;
	in.n_source = sources_of(d, s, buffer, source);
	in.data = capture.data;
	in.n = capture.n;
	if (in.n_source || d->frames)
		status = dump_input(d, &in);
	else
		fprintf(stderr, "csflow dump: %s: no ETMv4 or ETE wrote into buffer %s\n", s->dir,
			buffer->name);
out:
	capture_close(&capture);
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
	problems_print(&s.problems, stderr, "csflow dump: ");
	if (!err)
		status = d->multi_session ? dump_sessions(d, &s, &si) : dump_one(d, &s, &si);
	snapshot_image_close(&si);
	snapshot_close(&s);
	return status;
}
