// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "../lib/file.h"
#include "frame-ids.h"
#include "input.h"

#define CHUNK	(64u << 10)

/* Trace units have the IDs below, except 0. */
#define TRACE_ID_END	0x70

struct ids {
	bool there[TRACE_ID_END];
	size_t n;
};

static int find(struct ids *ids, const struct input *in)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	int err = csf_frames_new(&frames, in->framing, 0);

	for (size_t at = 0, n; at < in->n && !err; at += n) {
		const size_t most = in->n - at < CHUNK ? in->n - at : CHUNK;

		err = input_watch(in, frames, at, most, &n, &piece);
		while (!err && csf_frames_next(frames, &piece) > 0) {
			if (piece.kind != CSF_FRAME_DATA || !piece.n || !piece.id ||
			    piece.id >= TRACE_ID_END || ids->there[piece.id])
				continue;
			ids->there[piece.id] = true;
			ids->n++;
		}
	}
	csf_frames_free(frames);
	return err;
}

static int tell(const struct ids *ids, uint8_t *only)
{
	const char *separator = ids->n == 1 ? "trace ID " : "trace IDs ";

	for (int id = 0; id < TRACE_ID_END; id++) {
		if (!ids->there[id])
			continue;
		log_say(LOG_UNKNOWN, "%s0x%02x", separator, id);
		separator = ", ";
		*only = id;
	}
	if (!ids->n)
		log_say(LOG_UNKNOWN, "no frame in it belongs to a trace unit: see --framing");
	else
		log_say(LOG_UNKNOWN, ids->n == 1 ? " is the only one" : ": name the trace unit with --id");
	log_say(LOG_UNKNOWN, "\n");
	return ids->n == 1 ? CMD_OK : ids->n ? CMD_USAGE : CMD_FAILED;
}

uint8_t frame_ids_single(const struct input *in)
{
	struct ids ids = { .n = 0 };
	uint8_t id = 0;

	if (find(&ids, in) || ids.n != 1)
		return 0;
	while (!ids.there[id])
		id++;
	return id;
}

int frame_ids_input(const char *command, const struct input *in, uint8_t *id)
{
	struct ids ids = { .n = 0 };
	const int err = in->n ? find(&ids, in) : 0;

	log_say(LOG_UNKNOWN, "csflow %s: %s: ", command, in->name);
	if (!err && in->n)
		return tell(&ids, id);
	log_say(LOG_FILE, "%s\n", err ? csf_strerror(err) : "the file is empty");
	return CMD_FAILED;
}

int frame_ids_only(const char *command, const char *path, const char *name, int framing,
		   uint8_t *id)
{
	struct input in = { .name = name, .framing = framing };
	struct file file;
	int err = file_map(&file, path);

	if (err) {
		log_say(LOG_FILE, "csflow %s: %s: %s\n", command, name, file_words(path, err));
		return CMD_FAILED;
	}
	in.data = file.data;
	in.n = file.n;
	err = frame_ids_input(command, &in, id);
	file_unmap(&file);
	return err;
}
