// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <util/color.h>

#include "dump.h"
#include "../opencsd/packet.h"

/* Bytes of a piece that are taken apart at once; for raw trace, if it has to stop in the middle. */
#define CHUNK		(64u << 10)
#define CHUNK_RAW	16u

/* Bytes of a trace ID from @at on have indices from @idx on. */
struct spot {
	u64 at, idx;
};

/**
 * struct source - packets of one trace ID
 * @reader: finds them
 * @history: the state that they take over from earlier packets
 * @base: offset of the piece in the AUX ring
 * @skipping: the last packet was bytes out of sync; only the first of several is printed
 * @n: number of bytes so far; @end: packets up to there are printed
 * @spot: @n_spot of them, in order; only if indices are needed
 */
struct source {
	struct ocsd_reader reader;
	struct ocsd_history history;
	struct out *out;
	u64 base;
	uint8_t id;
	bool skipping;
	u64 n, end;
	struct spot *spot;
	size_t n_spot, size_spot;
};

/**
 * struct csflow_dump - a piece of trace that is being printed
 * @by_id: sources by ID; NULL: the ID has not come yet, or its trace unit is not known: @unknown
 * @fed: number of bytes of the piece so far
 * @spots: keep indices
 */
struct csflow_dump {
	struct plugin *plugin;
	struct plugin_piece piece;
	struct source *by_id[CSF_ID_MAX];
	bool unknown[CSF_ID_MAX];
	struct out *out;
	struct csf_frames *frames;
	u64 fed;
	bool spots;
};

/* ---------------------------------------------------------------- packets */

static void found(void *owner, const struct ocsd_found *f)
{
	struct source *s = owner;
	const struct abi_packet *packet = ocsd_packet_make(&s->history, &s->reader.config,
							   &f->pkt, f->bytes[0]);
	bool more = s->skipping;

	s->end = f->pos + f->size;
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

/* Is the configuration for packets of @id known, and its version valid? */
static bool config_of(const struct csflow_dump *d, uint8_t id, struct csf_config *config)
{
	struct csf_packet packet;

	*config = (struct csf_config){ .size = sizeof(*config) };
	return !plugin_config(d->plugin, &d->piece, id, config) &&
	       csf_packet_read(config, "", 1, &packet) >= 0;
}

u8 csflow_dump_id(const struct csflow_dump *d, u8 id)
{
	return d->piece.raw ? d->piece.id : id;
}

/* Return: 0; -ENOMEM; bytes of an unknown trace unit are skipped. */
static int source_of(struct csflow_dump *d, uint8_t id)
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
	s->base = d->piece.aux_offset;
	s->id = csflow_dump_id(d, id);
	d->by_id[id] = s;
	return 0;
}

static int add_spot(struct source *s, u64 idx)
{
	size_t size = s->size_spot ? 2 * s->size_spot : 64;
	struct spot *p;

	if (s->n_spot && s->spot[s->n_spot - 1].idx - idx == s->spot[s->n_spot - 1].at - s->n)
		return 0;
	if (s->n_spot == s->size_spot) {
		p = realloc(s->spot, size * sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->spot = p;
		s->size_spot = size;
	}
	s->spot[s->n_spot++] = (struct spot){ s->n, idx };
	return 0;
}

static int read_bytes(struct csflow_dump *d, u8 id, const u8 *bytes, size_t n, u64 idx)
{
	int err = source_of(d, id);
	struct source *s = d->by_id[id];

	if (err || !s)
		return err;
	if (d->spots && add_spot(s, idx))
		return -ENOMEM;
	s->n += n;
	ocsd_read(&s->reader, bytes, n, idx);
	return 0;
}

/* ---------------------------------------------------------------- a piece */

static int frame(struct csflow_dump *d, const struct csf_frame *f)
{
	const uint8_t *bytes = d->piece.bytes;

	if (f->kind != CSF_FRAME_DATA || f->id >= CSF_ID_MAX)
		return 0;
	return read_bytes(d, f->id, f->data, f->n,
			  ocsd_piece_index(f->offset, 0, f->id,
					   f->offset ? bytes[f->offset - 1] : 0));
}

/* Return: 1; 0: that was everything; -ENOMEM. */
static int feed_frame(struct csflow_dump *d)
{
	const uint8_t *bytes = d->piece.bytes;
	struct csf_frame f;
	u64 n;

	while (csf_frames_next(d->frames, &f) <= 0) {
		n = min_t(u64, d->piece.size - d->fed, CHUNK);
		if (!n)
			return 0;
		if (csf_frames_watch(d->frames, bytes + d->fed, n, d->fed + n == d->piece.size))
			return -ENOMEM;
		d->fed += n;
	}
	return frame(d, &f) ? -ENOMEM : 1;
}

static int feed_raw(struct csflow_dump *d)
{
	const uint8_t *bytes = d->piece.bytes;
	const u64 at = d->fed;
	const u64 n = min_t(u64, d->piece.size - at, (d->spots ? CHUNK_RAW : CHUNK));

	if (!n)
		return 0;
	d->fed += n;
	return read_bytes(d, 0, bytes + at, n, at) ? -ENOMEM : 1;
}

int csflow_dump_until(struct csflow_dump *d, u8 id, u64 at)
{
	int ret = 1;

	while (ret > 0 && (!d->by_id[id] || d->by_id[id]->end <= at))
		ret = d->piece.raw ? feed_raw(d) : feed_frame(d);
	return ret < 0 ? ret : 0;
}

u64 csflow_dump_index(const struct csflow_dump *d, u8 id, u64 at)
{
	const struct source *s = d->by_id[id];
	size_t from = 0, to = s ? s->n_spot : 0;

	if (!s || at > s->n || !to)
		return DUMP_NO_INDEX;
	while (to - from > 1) {
		size_t mid = from + (to - from) / 2;

		if (s->spot[mid].at <= at)
			from = mid;
		else
			to = mid;
	}
	return s->base + s->spot[from].idx + (at - s->spot[from].at);
}

const char *csflow_dump_protocol(const struct csflow_dump *d)
{
	struct csf_config config;

	/* For frames, by the first known trace ID. */
	for (int id = 0; id < CSF_ID_MAX; id++) {
		if (config_of(d, id, &config))
			return csf_config_protocol(&config) == CSF_PROTOCOL_ETE ? "ETE" : "ETMV4I";
	}
	return "unknown";
}

static struct csflow_dump *new_dump(struct plugin *plugin, const struct plugin_piece *piece,
				    struct out *out)
{
	struct csflow_dump *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->plugin = plugin;
	d->piece = *piece;
	d->out = out;
	if (!piece->raw && csf_frames_new(&d->frames, CSF_FRAMES_MEMORY, 0)) {
		free(d);
		return NULL;
	}
	return d;
}

int csflow_dump_new(struct csflow_dump **dump, struct plugin *plugin,
		    const struct plugin_piece *piece, struct out *out)
{
	*dump = new_dump(plugin, piece, out);
	if (!*dump)
		return -ENOMEM;
	(*dump)->spots = true;
	return 0;
}

void csflow_dump_free(struct csflow_dump *d)
{
	if (!d)
		return;
	for (size_t id = 0; id < CSF_ID_MAX; id++) {
		if (d->by_id[id])
			free(d->by_id[id]->spot);
		free(d->by_id[id]);
	}
	csf_frames_free(d->frames);
	free(d);
}

/*
 * ---------------------------------------------------------------- all pieces in a part of the file
 */

static int dump_piece(struct plugin *plugin, const struct plugin_piece *piece, struct out *out)
{
	struct csflow_dump *d = new_dump(plugin, piece, out);
	int err;

	if (!d)
		return -ENOMEM;
	color_fprintf(stdout, PERF_COLOR_BLUE, ". ... CoreSight %s Trace data: size %#zx bytes\n",
		      csflow_dump_protocol(d), (size_t)piece->size);
	err = csflow_dump_until(d, 0, UINT64_MAX);
	out_flush(out);
	csflow_dump_free(d);
	return err;
}

int csflow_dump(struct plugin *plugin, u64 offset, u64 n)
{
	struct out *out = calloc(1, sizeof(*out));
	struct plugin_piece piece;
	int err = 0;

	if (!out)
		return -ENOMEM;
	out->file = stdout;
	for (size_t i = 0; !err && plugin_piece(plugin, offset, n, i, &piece); i++) {
		fprintf(stdout, "\n");
		err = dump_piece(plugin, &piece, out);
	}
	free(out);
	return err;
}
