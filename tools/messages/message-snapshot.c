// SPDX-License-Identifier: GPL-2.0-only
/* The buffers of a snapshot, one after another. */
#include <errno.h>
#include <stdlib.h>

#include "../input/snapshot-capture.h"
#include "../lib/status.h"
#include "feed.h"
#include "message-files.h"

static void tell(struct snapshot *s)
{
	problems_print(&s->problems, stderr, "csflow: ");
	problems_free(&s->problems);
}

static int feed_all(struct message_files *f, struct message_source *const *reader, size_t n,
		    int framing, const struct snapshot_capture *capture)
{
	struct feed feed = { .take = listing_take, .owner = f->listing };
	int err = feed_open(&feed, framing, reader, n);

	if (!err)
		err = feed_bytes(&feed, capture->data, capture->n);
	if (!err)
		err = feed_end(&feed);
	feed_close(&feed);
	return err;
}

/* @source: room for all sources of the snapshot, and @reader, too.  @found: grows. */
static int read_sources(struct message_files *f, struct snapshot *s,
			const struct snapshot_capture *capture, struct input_source *source,
			struct message_source **reader, size_t *found)
{
	const size_t n = snapshot_sources(s, capture, f->id_given ? (int)f->id : -1, true, source);
	size_t n_reader = 0;
	int err = 0;

	tell(s);
	for (size_t i = 0; i < n && !err; i++) {
		if (source[i].data)
			continue;
		if (message_source_is(&source[i].config))
			reader[n_reader++] = message_files_open(f, &source[i], &err);
		else
			message_files_other(f, &source[i].config);
	}
	*found += n_reader;
	if (!n_reader || err)
		return err;
	return feed_all(f, reader, n_reader,
			f->framing_given ? f->framing : snapshot_framing(capture->buffer), capture);
}

static int read_buffer(struct message_files *f, struct snapshot *s,
		       const struct snapshot_buffer *buffer, size_t *found)
{
	const size_t most = 2 * s->n_device + 1;
	struct input_source *source = calloc(most, sizeof(*source));
	struct message_source **reader = calloc(most, sizeof(*reader));
	struct snapshot_capture capture = { 0 };
	const char *path = buffer->name;
	int status = CMD_FAILED;
	int err = source && reader ? snapshot_capture_open(&capture, s, buffer, &path) : -ENOMEM;

	if (err) {
		tell(s);
		fprintf(stderr, "csflow: %s: %s\n", path, file_words(path, err));
	} else {
		err = read_sources(f, s, &capture, source, reader, found);
		status = message_files_end(f, s->dir, err);
	}
	snapshot_capture_close(&capture);
	free(reader);
	free(source);
	return status;
}

static int read_buffers(struct message_files *f, struct snapshot *s)
{
	const struct snapshot_buffer *one = f->buffer ? snapshot_buffer(s, f->buffer) : NULL;
	int status = CMD_OK;
	size_t found = 0;

	if (f->buffer && !one) {
		fprintf(stderr, "csflow: %s: there is no buffer %s\n", s->dir, f->buffer);
		for (size_t i = 0; i < s->n_buffer; i++)
			fprintf(stderr, "csflow: but there is %s\n", s->buffer[i].name);
		return CMD_FAILED;
	}
	for (size_t i = 0; i < s->n_buffer && !status; i++)
		if (!one || one == &s->buffer[i])
			status = read_buffer(f, s, &s->buffer[i], &found);
	return status || found ? status : message_files_none(f, s->dir);
}

int message_files_snapshot(struct message_files *f, const char *dir)
{
	struct snapshot s;
	int status = CMD_FAILED;
	int err = snapshot_open(&s, dir);

	tell(&s);
	if (!err)
		status = read_buffers(f, &s);
	snapshot_close(&s);
	return status;
}
