// SPDX-License-Identifier: GPL-2.0-only
/* The buffers of a snapshot: all their sources in one order of time. */
#include <errno.h>
#include <stdlib.h>

#include "../input/snapshot-capture.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "message-files.h"
#include "ordered.h"

/**
 * struct reading - the state
 * @capture, @transport: of each buffer that was opened, @n
 */
struct reading {
	struct message_files *files;
	struct snapshot snapshot;
	struct snapshot_capture *capture;
	struct transport *transport;
	size_t n;
	struct ordered ordered;
};

static void tell(struct snapshot *s)
{
	problems_print(&s->problems, "csflow: ");
	problems_free(&s->problems);
}

static int add_source(struct reading *r, const struct input *in, const struct input_source *source)
{
	struct message_source *reader;
	int err;

	if (source->data)
		return 0;
	if (!message_source_is(&source->config)) {
		message_files_other(r->files, &source->config);
		return 0;
	}
	reader = message_files_open(r->files, source, &err);
	return err ? err : ordered_add(&r->ordered, in, source, reader);
}

/* Return: the exit status. */
static int add_sources(struct reading *r, const struct snapshot_capture *capture,
		       struct transport *transport)
{
	struct message_files *f = r->files;
	struct snapshot *s = &r->snapshot;
	struct input_source *source = calloc(2 * s->n_device + 1, sizeof(*source));
	struct input in = {
		.source = source, .name = capture->buffer->name, .data = capture->data,
		.n = capture->n,
		.framing = f->framing_given ? f->framing : snapshot_framing(capture->buffer),
	};
	int err = 0, status = CMD_OK;

	if (!source)
		return message_files_end(f, s->dir, CSF_ERR_MEMORY);
	in.n_source = snapshot_sources(s, capture, f->id_given ? (int)f->id : -1, SNAPSHOT_MESSAGES,
				       source);
	tell(s);
	if (in.framing < INPUT_RAW)
		status = transport_open(transport, &f->wire, &in, in.name, "messages");
	for (size_t i = 0; i < in.n_source && !err && !status; i++)
		err = add_source(r, &in, &in.source[i]);
	free(source);
	return status ? status : message_files_end(f, s->dir, err);
}

static int open_buffer(struct reading *r, const struct snapshot_buffer *buffer)
{
	struct snapshot_capture *capture = &r->capture[r->n];
	struct transport *transport = &r->transport[r->n++];
	const char *path = buffer->name;
	int err = snapshot_capture_open(capture, &r->snapshot, buffer, &path);

	if (!err)
		return add_sources(r, capture, transport);
	tell(&r->snapshot);
	log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
	return CMD_FAILED;
}

static int open_buffers(struct reading *r)
{
	const char *wanted = r->files->buffer;
	struct snapshot *s = &r->snapshot;
	const struct snapshot_buffer *one = wanted ? snapshot_buffer(s, wanted) : NULL;
	int status = CMD_OK;

	if (wanted && !one) {
		log_say(LOG_USAGE, "csflow: %s: there is no buffer %s\n", s->dir, wanted);
		for (size_t i = 0; i < s->n_buffer; i++)
			log_say(LOG_USAGE, "csflow: but there is %s\n", s->buffer[i].name);
		return CMD_FAILED;
	}
	r->capture = calloc(s->n_buffer + 1, sizeof(*r->capture));
	r->transport = calloc(s->n_buffer + 1, sizeof(*r->transport));
	if (!r->capture || !r->transport)
		return message_files_end(r->files, s->dir, CSF_ERR_MEMORY);
	for (size_t i = 0; i < s->n_buffer && !status; i++)
		if (!one || one == &s->buffer[i])
			status = open_buffer(r, &s->buffer[i]);
	return status;
}

static int read_all(struct reading *r)
{
	const char *path = r->snapshot.dir;
	int status = open_buffers(r);

	if (status)
		return status;
	if (!r->ordered.n)
		return message_files_none(r->files, path);
	return message_files_end(r->files, path, ordered_run(&r->ordered, path));
}

int message_files_snapshot(struct message_files *f, const char *dir)
{
	struct reading r = {
		.files = f, .ordered = { .take = listing_take, .owner = f->listing },
	};
	int status = CMD_FAILED;
	int err;

	if (f->framing < INPUT_RAW) {
		log_say(LOG_USAGE, "csflow: %s: --framing: for a snapshot raw, frames, tpiu, dstream\n",
			dir);
		return CMD_USAGE;
	}
	err = snapshot_open(&r.snapshot, dir);
	tell(&r.snapshot);
	if (!err)
		status = read_all(&r);
	message_files_shut(f);
	ordered_free(&r.ordered);
	for (size_t i = 0; i < r.n; i++) {
		transport_close(&r.transport[i]);
		snapshot_capture_close(&r.capture[i]);
	}
	free(r.transport);
	free(r.capture);
	snapshot_close(&r.snapshot);
	return status;
}
