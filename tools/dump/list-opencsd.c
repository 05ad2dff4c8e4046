// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "list-opencsd-id.h"

#define CHUNK		(64u << 10)

/**
 * struct listing - a buffer that is being listed
 * @by_id: state of a trace ID that has a source; NULL: it has none
 * @id: all of them, by ascending ID
 * @frame_base: frames begin at multiples of 16 from here, after the last sync
 */
struct listing {
	const struct input *in;
	struct ocsd_id *by_id[CSF_ID_MAX];
	struct ocsd_id *id[CSF_ID_MAX];
	size_t n_id;
	uint64_t frame_base;
	struct progress *progress;
};

/* DSTREAM trailers, 8 bytes after each 504, are not counted. */
static uint64_t counted(const struct input *in, uint64_t offset)
{
	return in->framing == CSF_FRAMES_DSTREAM ? offset - offset / 512 * 8 : offset;
}

static uint64_t piece_index(const struct listing *l, const struct csf_frame *piece)
{
	uint8_t before = piece->offset ? l->in->data[piece->offset - 1] : 0;

	return ocsd_piece_index(counted(l->in, piece->offset), l->frame_base, piece->id, before);
}

static void list_bytes(struct ocsd_id *s, const uint8_t *p, size_t n, uint64_t idx)
{
	if (s->older)
		ocsd_older_read(s->older, p, n, idx);
	else
		ocsd_read(&s->reader, p, n, idx);
}

static void list_piece(struct listing *l, const struct csf_frame *piece)
{
	switch ((enum csf_frame_kind)piece->kind) {
	case CSF_FRAME_DATA:
		if (piece->id < CSF_ID_MAX && l->by_id[piece->id])
			list_bytes(l->by_id[piece->id], piece->data, piece->n,
				   piece_index(l, piece));
		break;
	case CSF_FRAME_FSYNC:
		l->frame_base = counted(l->in, piece->offset) + 4;
		break;
	default:
		break;
	}
}

static int list_frames(struct listing *l)
{
	const struct input *in = l->in;
	struct csf_frames *frames;
	struct csf_frame piece;
	int err = csf_frames_new(&frames, in->framing, 0);

	for (size_t at = 0; at < in->n && !err; at += CHUNK) {
		size_t n = in->n - at < CHUNK ? in->n - at : CHUNK;

		err = csf_frames_watch(frames, in->data + at, n, at + n == in->n);
		while (!err && csf_frames_next(frames, &piece) > 0)
			list_piece(l, &piece);
		progress_at(l->progress, at + n);
	}
	csf_frames_free(frames);
	return err;
}

static void list_raw(struct listing *l)
{
	const struct input *in = l->in;

	for (size_t at = 0; at < in->n; at += CHUNK) {
		size_t n = in->n - at < CHUNK ? in->n - at : CHUNK;

		list_bytes(l->id[0], in->data + at, n, at);
		progress_at(l->progress, at + n);
	}
}

static int add_id(struct listing *l, const struct input_source *source,
		  const struct ocsd_options *options, struct out *out)
{
	struct ocsd_id *s = calloc(1, sizeof(*s));
	int protocol;

	if (!s)
		return CSF_ERR_MEMORY;
	l->id[l->n_id++] = s;
	l->by_id[source->id] = s;
	s->options = options;
	s->out = out;
	s->config = source->config;
	s->reader.config = source->config;
	s->reader.found = ocsd_found;
	s->reader.owner = s;
	s->id = source->id;
	s->slot = l->in->framing == INPUT_RAW ? 0 : source->id;
	s->ete = input_is_ete(source);
	s->reason = options->reset ? ABI_UNSYNC_RESET : ABI_UNSYNC_INIT;
	protocol = csf_config_protocol(&source->config);
	if (protocol == CSF_PROTOCOL_PTM || protocol == CSF_PROTOCOL_ETM3)
		return ocsd_older_new(&s->older, l->in, source, s->slot, options, out);
	if (!options->elements)
		return 0;
	return stream_open(&s->stream, l->in, source, options->split ? CSF_ELEMS_SPLIT : 0, 0,
			   true);
}

static void list_end(struct ocsd_id *s)
{
	if (s->older) {
		s->error = ocsd_older_end(s->older);
	} else {
		ocsd_read_end(&s->reader);
		ocsd_found_end(s);
	}
	out_room(s->out, OCSD_LINE_MAX);
	out_text(s->out, "ID:");
	out_hex(s->out, s->slot);
	out_text(s->out, "\tEND OF TRACE DATA\n");
}

static void free_id(struct ocsd_id *s)
{
	ocsd_older_free(s->older);
	stream_close(&s->stream);
	free(s->index);
	free(s->p0);
	free(s);
}

int list_opencsd(const struct input *in, const struct ocsd_options *options, struct out *out)
{
	struct listing l = { .in = in, .progress = options->progress };
	int err = 0;

	for (size_t i = 0; i < in->n_source && !err; i++)
		if (!l.by_id[in->source[i].id])
			err = add_id(&l, &in->source[i], options, out);
	if (!err && in->framing != INPUT_RAW)
		err = list_frames(&l);
	else if (!err && l.n_id)
		list_raw(&l);
	for (size_t i = 0; i < l.n_id; i++) {
		if (!err)
			list_end(l.id[i]);
		if (!err)
			err = l.id[i]->error;
		free_id(l.id[i]);
	}
	return err;
}
