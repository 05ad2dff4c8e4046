// SPDX-License-Identifier: GPL-2.0-only
/*
 * ETMv3 and PTM in OpenCSD's words and order: each packet is followed by its elements.
 *
 * OpenCSD holds the instruction of an ETMv3 packet with a single atom, an exception return, and an
 * exception that cancels, until the next packet; but not that of a packet by which one is held.
 */
#include <stdlib.h>

#include "../../perf-plugin/opencsd/element-older.h"
#include "../input/stream.h"
#include "list-opencsd-older.h"

/**
 * struct ocsd_older - a trace ID
 * @idx: index of the last packet
 * @etm3, @ptm: the last packet
 * @held: an element that the next packet may take back, of the packet at @held_idx, if @holds
 * @may_hold: none was held by the packet before
 */
struct ocsd_older {
	const struct ocsd_options *options;
	struct out *out;
	struct csf_config config;
	struct stream stream;
	uint8_t id, slot;
	bool is_ptm;
	uint64_t idx;
	struct ocsd_reader reader;
	struct abi_etm3_packet etm3;
	struct abi_ptm_packet ptm;
	struct ocsd_follow follow;
	struct abi_element held;
	uint64_t held_idx;
	bool holds, may_hold;
	int error;
};

static void line_start(struct ocsd_older *o, uint64_t idx, uint8_t id)
{
	out_room(o->out, OCSD_LINE_MAX);
	out_text(o->out, "Idx:");
	out_dec(o->out, idx);
	out_text(o->out, "; ID:");
	out_hex(o->out, id);
	out_char(o->out, ';');
}

static void print_bytes(struct ocsd_older *o, const struct ocsd_found *f)
{
	out_text(o->out, " [");
	for (size_t i = 0; i < f->size && i < 64; i++) {
		out_text(o->out, "0x");
		out_byte(o->out, f->bytes[i]);
		out_char(o->out, ' ');
	}
	out_text(o->out, "];");
}

static void print_packet(struct ocsd_older *o, const struct ocsd_found *f)
{
	if (o->is_ptm)
		ocsd_ptm_make(&o->ptm, &o->config, &f->pkt);
	else
		ocsd_etm3_make(&o->etm3, &o->config, &f->pkt, f->bytes[0]);
	if (!o->options->packets)
		return;
	line_start(o, f->idx, o->slot);
	if (o->options->bytes)
		print_bytes(o, f);
	out_char(o->out, '\t');
	if (o->is_ptm)
		ocsd_ptm_text(o->out, &o->ptm);
	else
		ocsd_etm3_text(o->out, &o->etm3);
	out_char(o->out, '\n');
}

/* ---------------------------------------------------------------- elements */

static void print_element(struct ocsd_older *o, const struct abi_element *e, uint64_t idx)
{
	line_start(o, idx, o->id);
	out_char(o->out, ' ');
	ocsd_element_text(o->out, e, o->options->release);
	out_char(o->out, '\n');
}

static void release(struct ocsd_older *o)
{
	if (o->holds)
		print_element(o, &o->held, o->held_idx);
	o->holds = false;
}

static void element(void *owner, const struct abi_element *e, bool hold)
{
	struct ocsd_older *o = owner;

	release(o);
	if (!hold || !o->may_hold) {
		print_element(o, e, o->idx);
		return;
	}
	o->held = *e;
	o->held_idx = o->idx;
	o->holds = true;
}

/* The elements are ours: a range that is held is not cancelled, but an exception return may be. */
static void new_packet(struct ocsd_older *o, const struct csf_packet *pkt)
{
	if (o->is_ptm)
		return;
	if (pkt->type == CSF_PKT_BRANCH && pkt->info & OLDER_CANCEL)
		o->holds = false;
	o->may_hold = !o->holds;
	release(o);
}

static void found(void *owner, const struct ocsd_found *f)
{
	struct ocsd_older *o = owner;
	const struct csf_element *e;

	if (o->error)
		return;
	o->idx = f->idx;
	print_packet(o, f);
	if (!o->options->elements)
		return;
	new_packet(o, &f->pkt);
	ocsd_follow_packet(&o->follow, &f->pkt);
	while ((e = stream_next(&o->stream)) != NULL && e->offset <= f->pos) {
		ocsd_follow_element(&o->follow, e);
		stream_take(&o->stream);
	}
	ocsd_follow_done(&o->follow);
	o->error = o->stream.error;
}

/* ---------------------------------------------------------------- bytes */

int ocsd_older_new(struct ocsd_older **older, const struct input *in,
		   const struct input_source *source, uint8_t slot,
		   const struct ocsd_options *options, struct out *out)
{
	struct ocsd_older *o = calloc(1, sizeof(*o));

	*older = o;
	if (!o)
		return CSF_ERR_MEMORY;
	o->options = options;
	o->out = out;
	o->config = source->config;
	o->id = source->id;
	o->slot = slot;
	o->is_ptm = csf_config_protocol(&source->config) == CSF_PROTOCOL_PTM;
	o->reader.config = source->config;
	o->reader.ptm = o->is_ptm;
	o->reader.found = found;
	o->reader.owner = o;
	o->follow.emit = element;
	o->follow.owner = o;
	ocsd_etm3_start(&o->etm3);
	ocsd_ptm_start(&o->ptm);
	ocsd_follow_start(&o->follow, &o->config, options->release,
			  options->reset ? ABI_UNSYNC_RESET : ABI_UNSYNC_INIT);
	return options->elements ? stream_open(&o->stream, in, source, 0, 0, true) : 0;
}

void ocsd_older_free(struct ocsd_older *o)
{
	if (!o)
		return;
	stream_close(&o->stream);
	free(o);
}

void ocsd_older_read(struct ocsd_older *o, const uint8_t *p, size_t n, uint64_t idx)
{
	while (n) {
		const size_t some = ocsd_read_older(&o->reader, p, n, idx);

		while (ocsd_read_older_next(&o->reader))
			;
		p += some;
		idx += some;
		n -= some;
	}
	ocsd_read_older_pause(&o->reader);
}

int ocsd_older_end(struct ocsd_older *o)
{
	const struct csf_element *e;

	ocsd_read_older_end(&o->reader);
	if (o->error || !o->options->elements)
		return o->error;
	while ((e = stream_next(&o->stream)) != NULL) {
		ocsd_follow_element(&o->follow, e);
		stream_take(&o->stream);
	}
	ocsd_follow_done(&o->follow);
	release(o);
	ocsd_follow_end(&o->follow);
	return o->error;
}
