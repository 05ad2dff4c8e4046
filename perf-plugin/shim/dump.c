// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <util/color.h>

#include "dump.h"
#include "../opencsd/packet.h"

/* So much of a piece is taken apart at once. */
#define CHUNK	(64u << 10)

/**
 * struct source - packets of one trace ID
 * @reader: finds them
 * @history: what they take over from those before
 * @base: where the piece begins in the AUX ring
 * @skipping: the last was bytes out of sync; of those behind one another the first is printed
 */
struct source {
	struct ocsd_reader reader;
	struct ocsd_history history;
	struct out *out;
	u64 base;
	uint8_t id;
	bool skipping;
};

/**
 * struct dump - a piece of trace being printed
 * @by_id: NULL: nothing of that ID has come yet, or its trace unit is not known: @unknown
 */
struct dump {
	struct plugin *plugin;
	const struct plugin_piece *piece;
	struct source *by_id[CSF_ID_MAX];
	bool unknown[CSF_ID_MAX];
	struct out *out;
};

static void found(void *owner, const struct ocsd_found *f)
{
	struct source *s = owner;
	const struct abi_packet *packet = ocsd_packet_make(&s->history, &s->reader.config,
							   &f->pkt, f->bytes[0]);
	bool more = s->skipping;

	s->skipping = packet->type == ABI_PKT_NOT_SYNC;
	if (more && s->skipping)
		return;
	out_room(s->out, OCSD_LINE_MAX);
	out_text(s->out, "\tIdx:");
	out_dec(s->out, s->base + f->idx);
	out_text(s->out, "; ID:");
	out_hex(s->out, s->id);
	out_text(s->out, ";\t");
	ocsd_packet_text(s->out, packet);
	out_char(s->out, '\n');
}

/* Whether it is known how to read packets of @id, and there is such a version. */
static bool config_of(struct dump *d, uint8_t id, struct csf_config *config)
{
	struct csf_packet packet;

	*config = (struct csf_config){ .size = sizeof(*config) };
	return !plugin_config(d->plugin, d->piece, id, config) &&
	       csf_packet_read(config, "", 1, &packet) >= 0;
}

/* Return: 0; -ENOMEM; what is of a trace unit that is not known is passed over. */
static int source_of(struct dump *d, uint8_t id)
{
	struct csf_config config;
	struct source *s;

	if (d->by_id[id] || d->unknown[id])
		return 0;
	if (!config_of(d, id, &config)) {
		d->unknown[id] = true;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->reader.config = config;
	s->reader.found = found;
	s->reader.owner = s;
	s->out = d->out;
	s->base = d->piece->aux_offset;
	s->id = id;
	d->by_id[id] = s;
	return 0;
}

static int frame(struct dump *d, const struct csf_frame *f)
{
	const uint8_t *bytes = d->piece->bytes;
	int err;

	if (f->kind != CSF_FRAME_DATA || f->id >= CSF_ID_MAX)
		return 0;
	err = source_of(d, f->id);
	if (!err && d->by_id[f->id])
		ocsd_read(&d->by_id[f->id]->reader, f->data, f->n,
			  ocsd_piece_index(f->offset, 0, f->id,
					   f->offset ? bytes[f->offset - 1] : 0));
	return err;
}

static int dump_frames(struct dump *d)
{
	const uint8_t *bytes = d->piece->bytes;
	const u64 size = d->piece->size;
	struct csf_frames *frames;
	struct csf_frame f;
	int err = csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0) ? -ENOMEM : 0;

	for (u64 at = 0; at < size && !err; at += CHUNK) {
		u64 n = min_t(u64, size - at, CHUNK);

		if (csf_frames_watch(frames, bytes + at, n, at + n == size))
			err = -ENOMEM;
		while (!err && csf_frames_next(frames, &f) > 0)
			err = frame(d, &f);
	}
	csf_frames_free(frames);
	return err;
}

static int dump_raw(struct dump *d)
{
	int err = source_of(d, 0);

	if (!err && d->by_id[0])
		ocsd_read(&d->by_id[0]->reader, d->piece->bytes, d->piece->size, 0);
	return err;
}

/* As what the trace of a piece is read: of frames, by the first trace ID that is known. */
static const char *protocol(struct dump *d)
{
	struct csf_config config;

	for (int id = 0; id < CSF_ID_MAX; id++) {
		if (config_of(d, id, &config))
			return csf_config_version(&config) >= 0x50 ? "ETE" : "ETMV4I";
	}
	return "unknown";
}

static int dump_piece(struct plugin *plugin, const struct plugin_piece *piece)
{
	struct dump d = { .plugin = plugin, .piece = piece };
	int err = -ENOMEM;

	color_fprintf(stdout, PERF_COLOR_BLUE, ". ... CoreSight %s Trace data: size %#zx bytes\n",
		      protocol(&d), (size_t)piece->size);
	d.out = calloc(1, sizeof(*d.out));
	if (d.out) {
		d.out->file = stdout;
		err = piece->raw ? dump_raw(&d) : dump_frames(&d);
		out_flush(d.out);
	}
	free(d.out);
	for (size_t id = 0; id < CSF_ID_MAX; id++)
		free(d.by_id[id]);
	return err;
}

int csflow_dump(struct plugin *plugin, u64 offset, u64 n)
{
	struct plugin_piece piece;
	int err = 0;

	for (size_t i = 0; !err && plugin_piece(plugin, offset, n, i, &piece); i++) {
		fprintf(stdout, "\n");
		err = dump_piece(plugin, &piece);
	}
	return err;
}
