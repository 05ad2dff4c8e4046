// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../decoder/csflow.h"
#include "../lib/status.h"
#include "../lib/file.h"
#include "frame-ids.h"

#define CHUNK	(64u << 10)

/* Trace units have the IDs below, except 0. */
#define TRACE_ID_END	0x70

struct ids {
	bool there[TRACE_ID_END];
	size_t n;
};

static int find(struct ids *ids, const struct file *file, int framing)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	int err = csf_frames_new(&frames, framing, 0);

	for (size_t at = 0; at < file->n && !err; at += CHUNK) {
		const size_t n = file->n - at < CHUNK ? file->n - at : CHUNK;

		err = csf_frames_watch(frames, file->data + at, n, at + n == file->n);
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
		fprintf(stderr, "%s0x%02x", separator, id);
		separator = ", ";
		*only = id;
	}
	if (!ids->n)
		fprintf(stderr, "no frame in it belongs to a trace unit: see --framing");
	else
		fprintf(stderr, ids->n == 1 ? " is the only one" : ": name the trace unit with --id");
	fprintf(stderr, "\n");
	return ids->n == 1 ? CMD_OK : ids->n ? CMD_USAGE : CMD_FAILED;
}

int frame_ids_only(const char *command, const char *path, const char *name, int framing,
		   uint8_t *id)
{
	struct ids ids = { .n = 0 };
	struct file file;
	int err = file_map(&file, path);

	if (err) {
		fprintf(stderr, "csflow %s: %s: %s\n", command, name, file_words(path, err));
		return CMD_FAILED;
	}
	err = file.n ? find(&ids, &file, framing) : 0;
	fprintf(stderr, "csflow %s: %s: ", command, name);
	if (err || !file.n)
		fprintf(stderr, "%s\n", err ? csf_strerror(err) : "the file is empty");
	else
		err = tell(&ids, id);
	err = file.n ? err : CMD_FAILED;
	file_unmap(&file);
	return err < 0 ? CMD_FAILED : err;
}
