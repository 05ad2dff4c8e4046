// SPDX-License-Identifier: GPL-2.0-only
/*
 * ETMv3 and PTM: which elements a packet has.
 *
 * The decoder gets one packet after the other, and holds some elements back.  A packet has no more
 * of them when one of a later packet comes.
 */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define BATCH		512	/* bytes that the decoder gets at once */
#define PACKETS_MAX	16384	/* with more than this, the first has no more elements */

/* Makes room for one more in an array.  Returns NULL if there is no memory; @array is as it was. */
static void *more(void *array, size_t n, size_t *room, size_t size)
{
	void *grown;

	if (n < *room)
		return array;
	grown = realloc(array, (2 * n + 16) * size);
	if (grown)
		*room = 2 * n + 16;
	return grown;
}

/* Keeps an element, as the client waits. */
static void keep(struct source_older *o, const struct abi_element *e, uint64_t idx)
{
	struct source_made *grown = more(o->made, o->n_made, &o->made_room, sizeof(*grown));

	if (!grown) {
		o->failed = true;
		return;
	}
	o->made = grown;
	o->made[o->n_made++] = (struct source_made){ *e, idx };
}

/* An element for the client. */
static void emit(void *owner, const struct abi_element *e, bool hold)
{
	struct source *s = owner;
	struct source_older *o = s->older;
	const uint64_t idx = source_index(s, o->n ? o->packet[o->first].at : 0);

	if (o->n_made || o->resp >= ABI_WAIT)
		keep(o, e, idx);
	else
		o->resp = source_hand_out(s, e, idx);
}

/* Goes on to the first packet. */
static void follow(struct source_older *o)
{
	if (o->followed || !o->n)
		return;
	ocsd_follow_packet(&o->follow, &o->packet[o->first].pkt);
	o->followed = true;
}

/* The first packet has no more elements; but one stays, for its index. */
static void pass(struct source_older *o)
{
	if (o->followed)
		ocsd_follow_done(&o->follow);
	o->followed = false;
	o->first++;
	o->n--;
	follow(o);
}

/* Goes on to the packet of an element. */
static void pass_to(struct source_older *o, uint64_t pos)
{
	while (o->n > 1 && o->packet[o->first + 1].pos <= pos)
		pass(o);
}

/* Has this packet neither elements nor an effect on those of others? */
static bool is_idle(const struct source_older *o, const struct csf_packet *pkt)
{
	const bool run = o->follow.state == OCSD_FOLLOW_RUN && o->n;

	return run && (pkt->type == CSF_PKT_IGNORE || pkt->type == CSF_PKT_ASYNC ||
		       (pkt->type >= CSF_PKT_DATA && pkt->type <= CSF_PKT_DATA_LOST));
}

/* Moves the packets to the start of their array when half of it is used up. */
static void move_down(struct source_older *o)
{
	if (o->first < 64 || o->first < o->n)
		return;
	memmove(o->packet, o->packet + o->first, o->n * sizeof(*o->packet));
	o->first = 0;
}

void source_older_packet(struct source *s, const struct ocsd_found *f)
{
	struct source_older *o = s->older;
	const uint64_t pos = o->fed;
	struct source_packet *grown;

	o->fed += f->size;
	if (is_idle(o, &f->pkt))
		return;
	if (o->n > PACKETS_MAX)
		pass(o);
	move_down(o);
	grown = more(o->packet, o->first + o->n, &o->room, sizeof(*grown));
	if (!grown) {
		o->failed = true;
		return;
	}
	o->packet = grown;
	o->packet[o->first + o->n++] = (struct source_packet){ f->pkt, pos, pos + o->skew };
	follow(o);
}

/*
 * All that was found in a batch of bytes goes to the decoder at once.  Returns false if nothing was
 * found.
 */
static bool feed_found(struct source *s, size_t from)
{
	struct ocsd_reader *r = &s->reader;

	s->n_found = 0;
	if (r->head == from)
		return false;
	csf_feed(s->dec, r->byte + from, r->head - from);
	csf_flush(s->dec, false);
	return true;
}

/* Reads what the reader has: a packet for the client, or all of them for the decoder. */
static bool read_some(struct source *s)
{
	struct ocsd_reader *r = &s->reader;
	const size_t from = r->head;

	if (source_watched(s))
		return ocsd_read_older_next(r);
	while (ocsd_read_older_next(r)) {
		for (unsigned int i = 0; i < s->n_found; i++)
			source_older_packet(s, &s->found[i]);
		s->n_found = 0;
	}
	return feed_found(s, from);
}

bool source_older_read(struct source *s)
{
	for (;;) {
		size_t taken;

		if (read_some(s))
			return true;
		if (!s->n_in)
			break;
		taken = ocsd_read_older(&s->reader, s->in, s->n_in < BATCH ? s->n_in : BATCH,
					s->in_idx);
		s->in += taken;
		s->in_idx += taken;
		s->n_in -= taken;
	}
	if (!s->older->pauses || !source_watched(s))
		return false;
	s->older->pauses = false;
	ocsd_read_older_pause(&s->reader);
	return true;
}

/* Hands out the elements that are kept, unless the client waits since the last one. */
static uint32_t hand_out(struct source *s)
{
	struct source_older *o = s->older;
	uint32_t resp = o->resp;

	o->resp = ABI_CONT;
	while (o->at_made < o->n_made && resp < ABI_WAIT) {
		const struct source_made *made = &o->made[o->at_made++];

		resp = source_hand_out(s, &made->element, made->idx);
	}
	if (o->at_made == o->n_made) {
		o->at_made = 0;
		o->n_made = 0;
	}
	return resp;
}

/* There was no memory for a packet or an element: trace is lost up to the next sync. */
static void give_up(struct source *s)
{
	log_problem(&s->tree->log, ABI_SEV_ERROR, ABI_ERR_MEM, UINT32_MAX, s->id,
		    "no memory; elements are lost");
	s->older->failed = false;
}

/* A context is with the client before code is read in it. */
uint32_t source_older_drain(struct source *s)
{
	struct source_older *o = s->older;
	struct csf_element e;
	uint32_t resp;

	if (o->failed)
		give_up(s);
	for (;;) {
		resp = hand_out(s);
		if (resp >= ABI_WAIT)
			return resp;
		if (!source_next(s, &e))
			break;
		pass_to(o, e.offset);
		ocsd_follow_element(&o->follow, &e);
	}
	ocsd_follow_release(&o->follow);
	return hand_out(s);
}

void source_older_done(struct source *s, bool ends)
{
	struct source_older *o = s->older;

	while (o->n > 1)
		pass(o);
	if (o->followed)
		ocsd_follow_done(&o->follow);
	if (ends)
		ocsd_follow_end(&o->follow);
	o->n = 0;
	o->first = 0;
	o->followed = false;
	o->skew = s->pos - o->fed;
	ocsd_follow_start(&o->follow, &s->config, s->tree->release, ABI_UNSYNC_RESET);
	o->follow.says = !ends;
}

const void *source_older_make(struct source *s, const struct ocsd_found *f)
{
	struct source_older *o = s->older;

	if (s->reader.ptm) {
		ocsd_ptm_make(&o->ptm, &s->config, &f->pkt);
		return &o->ptm;
	}
	ocsd_etm3_make(&o->etm3, &s->config, &f->pkt, f->bytes[0]);
	return &o->etm3;
}

void source_older_text(struct source *s, struct out *line)
{
	if (s->reader.ptm)
		ocsd_ptm_text(line, &s->older->ptm);
	else
		ocsd_etm3_text(line, &s->older->etm3);
}

void source_older_start(struct source *s, enum abi_unsync reason)
{
	struct source_older *o = s->older;

	ocsd_etm3_start(&o->etm3);
	ocsd_ptm_start(&o->ptm);
	ocsd_follow_start(&o->follow, &s->config, s->tree->release, reason);
	o->pauses = false;
	o->resp = ABI_CONT;
	o->fed = 0;
	o->skew = 0;
	o->first = 0;
	o->n = 0;
	o->at_made = 0;
	o->n_made = 0;
	o->followed = false;
	o->failed = false;
}

int source_older_new(struct source *s)
{
	struct source_older *o = calloc(1, sizeof(*o));

	if (!o)
		return ABI_ERR_MEM;
	s->older = o;
	s->reader.ptm = csf_config_protocol(&s->config) == CSF_PROTOCOL_PTM;
	o->follow.emit = emit;
	o->follow.owner = s;
	source_older_start(s, ABI_UNSYNC_INIT);
	return ABI_OK;
}

void source_older_free(struct source *s)
{
	if (!s->older)
		return;
	free(s->older->packet);
	free(s->older->made);
	free(s->older);
}
