// SPDX-License-Identifier: GPL-2.0-only
/* The raw monitor: lists the contents of the frames of a capture, piece by piece. */
#include "list.h"

#define CHUNK	(64u << 10)

static void put_bytes(struct out *o, const struct csf_frame *piece)
{
	for (size_t i = 0; i < piece->n && piece->data; i++) {
		out_room(o, 8);
		out_char(o, ' ');
		out_byte(o, piece->data[i]);
	}
}

static void list_piece(struct out *o, const struct csf_frame *piece)
{
	char start[32];

	snprintf(start, sizeof(start), "%8llu ", (unsigned long long)piece->offset);
	out_room(o, 256);
	out_text(o, start);
	if (piece->kind != CSF_FRAME_DATA) {
		out_text(o, csf_frame_kind_name(piece->kind));
		if (piece->n) {
			out_char(o, ' ');
			out_dec(o, piece->n);
		}
		if (piece->n <= 16)
			put_bytes(o, piece);
	} else {
		if (piece->id < CSF_ID_MAX) {
			out_char(o, '[');
			out_byte(o, piece->id);
			out_char(o, ']');
		} else {
			out_text(o, "[??]");
		}
		put_bytes(o, piece);
	}
	out_room(o, 8);
	out_char(o, '\n');
}

int list_frames(const struct input *in, struct out *out)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	int err;

	if (in->framing == INPUT_RAW)
		return CSF_ERR_ARG;
	err = csf_frames_new(&frames, in->framing, 0);
	if (err < 0)
		return err;
	for (size_t at = 0; at < in->n && !err; at += CHUNK) {
		size_t n = in->n - at < CHUNK ? in->n - at : CHUNK;

		err = csf_frames_watch(frames, in->data + at, n, at + n == in->n);
		while (!err && csf_frames_next(frames, &piece) > 0)
			list_piece(out, &piece);
	}
	csf_frames_free(frames);
	out_flush(out);
	return err;
}
