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
	err = csf_frames_new(&frames, in->framing, in->n_cut ? CSF_FRAMES_NO_BARRIER : 0);
	if (err < 0)
		return err;
	for (size_t at = 0, n; at < in->n && !err; at += n) {
		struct csf_frame skipped;

		err = input_watch(in, frames, at, in->n - at < CHUNK ? in->n - at : CHUNK, &n,
				  &skipped);
		if (skipped.n)
			list_piece(out, &skipped);
		while (!err && csf_frames_next(frames, &piece) > 0)
			list_piece(out, &piece);
	}
	csf_frames_free(frames);
	out_flush(out);
	return err;
}
