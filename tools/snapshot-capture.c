// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot-capture.h"

void snapshot_capture_close(struct snapshot_capture *c)
{
	for (size_t i = 0; i < c->n_file; i++)
		file_unmap(&c->file[i]);
	free(c->file);
	free(c->joined);
	memset(c, 0, sizeof(*c));
}

static int join(struct snapshot_capture *c)
{
	size_t at = 0;

	c->joined = malloc(c->n + 1);
	if (!c->joined)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_file; i++) {
		memcpy(c->joined + at, c->file[i].data, c->file[i].n);
		at += c->file[i].n;
	}
	c->data = c->joined;
	return 0;
}

int snapshot_capture_open(struct snapshot_capture *c, const struct snapshot_buffer *buffer,
			  const char **path)
{
	memset(c, 0, sizeof(*c));
	*path = buffer->name;
	c->file = calloc(buffer->n_path + 1, sizeof(*c->file));
	if (!c->file)
		return -ENOMEM;
	for (size_t i = 0; i < buffer->n_path; i++) {
		int err = file_map(&c->file[i], buffer->path[i]);

		if (err) {
			*path = buffer->path[i];
			return err;
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

size_t snapshot_sources(const struct snapshot *s, const struct snapshot_buffer *buffer, int id,
			struct input_source *source)
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
		if (id < 0 || id == source[n].id)
			n++;
	}
	qsort(source, n, sizeof(*source), buffer->format == FORMAT_RAW ? by_name : by_id);
	return buffer->format == FORMAT_RAW && n ? 1 : n;
}

int snapshot_framing(const struct snapshot_buffer *buffer)
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
