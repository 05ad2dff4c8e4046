// SPDX-License-Identifier: GPL-2.0-only
/* A file with what is around trace that came over a serial wire: it is read as a whole. */
#include "../input/frame-ids.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "message-files.h"
#include "ordered.h"

static int run(struct message_files *f, const struct input *in, const struct input_source *source)
{
	struct ordered o = { .take = listing_take, .owner = f->listing };
	struct message_source *reader;
	int err;

	reader = message_files_open(f, source, &err);
	if (!err)
		err = ordered_add(&o, in, source, reader);
	if (!err)
		err = ordered_run(&o, in->name);
	message_files_shut(f);
	ordered_free(&o);
	return message_files_end(f, in->name, err);
}

/* @in: what was found on the wire. */
static int read_found(struct message_files *f, const struct input *in)
{
	struct input_source source = *in->source;
	int status = CMD_OK;

	if (!in->n) {
		log_say(LOG_FILE, "csflow: %s: the file is empty\n", in->name);
		return CMD_FAILED;
	}
	if (in->framing != INPUT_RAW && !f->id_given)
		status = frame_ids_input("messages", in, &source.id);
	return status ? status : run(f, in, &source);
}

static int read_bytes(struct message_files *f, const struct file *file,
		      const struct input_source *source, const char *path, const char *name)
{
	struct input in = {
		.name = name, .data = file->data, .n = file->n, .framing = f->framing,
		.source = source, .n_source = 1,
	};
	struct transport t;
	int status = transport_open(&t, &f->wire, &in, path, "messages");

	if (!status)
		status = read_found(f, &in);
	transport_close(&t);
	return status;
}

int message_files_wire(struct message_files *f, const char *path, const char *name)
{
	struct input_source source;
	struct file file;
	int err, status = message_files_unit(f, name, &source);

	if (status)
		return status;
	err = file_map(&file, path);
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", name, file_words(path, err));
		return CMD_FAILED;
	}
	status = read_bytes(f, &file, &source, path, name);
	file_unmap(&file);
	return status;
}
