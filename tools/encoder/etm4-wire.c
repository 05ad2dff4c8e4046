// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "etm4-wire.h"

#define COUNT_UNKNOWN	UINT32_MAX

int wire_init(struct wire *w, const struct csf_config *config)
{
	*w = (struct wire){ .config = *config };
	w->version = csf_config_version(config);
	if (w->version < 0)
		return CSF_ERR_CONFIG;
	return wire_grow(w) ? 0 : CSF_ERR_MEMORY;
}

void wire_fini(struct wire *w)
{
	free(w->p);
}

bool wire_grow(struct wire *w)
{
	const size_t max = w->max ? 2 * w->max : 4096;
	uint8_t *p = realloc(w->p, max);

	if (p) {
		w->p = p;
		w->max = max;
		return true;
	}
	/* Drops what is there: a unit without room to write loses trace. */
	w->failed = true;
	w->n = 0;
	return w->max;
}

/* ---------------------------------------------------------------- atoms */

static void drop(struct wire *w, unsigned int n)
{
	w->atom >>= n;
	w->n_atom -= n;
}

/* Four atoms, oldest in bit 0, to their packet; 0: there is none */
static const uint8_t format4[16] = {
	[0xe] = 0xdc,	/* NEEE */
	[0x0] = 0xdd,	/* NNNN */
	[0xa] = 0xde,	/* NENE */
	[0x5] = 0xdf,	/* ENEN */
};

/* Five likewise */
static const uint8_t format5[32] = {
	[0x1e] = 0xf5,	/* NEEEE */
	[0x00] = 0xd5,	/* NNNNN */
	[0x0a] = 0xd6,	/* NENEN */
	[0x15] = 0xd7,	/* ENENE */
};

/*
 * With four or more atoms.  Three E may begin a run, of which a packet
 * holds up to 24, or 23 and an N; else five may fit, or four, or three.
 */
void wire_full(struct wire *w)
{
	const unsigned int newest = w->n_atom - 1;

	if ((w->atom & 7) == 7) {
		if (w->atom >> newest & 1 && w->n_atom < 24)
			return;
		wire_room(w);
		wire_byte(w, w->atom >> newest & 1 ? 0xc0 + (24 - 4) : 0xe0 + (newest - 3));
		drop(w, w->n_atom);
		return;
	}
	if (w->n_atom < 5)
		return;
	wire_room(w);
	if (format5[w->atom & 31]) {
		wire_byte(w, format5[w->atom & 31]);
		drop(w, 5);
	} else if (format4[w->atom & 15]) {
		wire_byte(w, format4[w->atom & 15]);
		drop(w, 4);
	} else {
		wire_byte(w, 0xf8 + (w->atom & 7));
		drop(w, 3);
	}
}

/* After wire_full() there are only E, if the first three are; or at most four atoms. */
void wire_flush(struct wire *w)
{
	wire_room(w);
	if ((w->atom & 7) == 7 && w->n_atom > 3) {
		wire_byte(w, 0xc0 + (w->n_atom - 4));
		drop(w, w->n_atom);
	}
	while (w->n_atom) {
		if (w->n_atom == 4 && format4[w->atom]) {
			wire_byte(w, format4[w->atom]);
			drop(w, 4);
		} else if (w->n_atom >= 3) {
			wire_byte(w, 0xf8 + (w->atom & 7));
			drop(w, 3);
		} else if (w->n_atom == 2) {
			wire_byte(w, 0xd8 + w->atom);
			drop(w, 2);
		} else {
			wire_byte(w, 0xf6 + w->atom);
			drop(w, 1);
		}
	}
}

/* ---------------------------------------------------------------- packets */

void wire_packet(struct wire *w, const struct csf_packet *packet)
{
	int n;

	wire_flush(w);
	n = csf_packet_write(&w->config, w->p + w->n, packet);
	if (n > 0)
		w->n += n;
	else
		w->refused = true;
}

void wire_type(struct wire *w, enum csf_packet_type type)
{
	const struct csf_packet packet = { .type = type };

	wire_packet(w, &packet);
}

void wire_sync(struct wire *w, const struct wire_trace_info *info)
{
	struct csf_packet packet = {
		.type = CSF_PKT_INFO,
		.val = info->cycles | info->transaction << 6,
		.commit = info->uncommitted,
		.count = info->threshold,
	};

	packet.info = (packet.val ? 1 << 0 : 0) | (info->uncommitted ? 1 << 2 : 0) |
		      (info->cycles ? 1 << 3 : 0);
	if (!info->cycles)
		packet.count = 0;
	wire_type(w, CSF_PKT_ASYNC);
	wire_packet(w, &packet);
	for (int i = 0; i < 3; i++) {
		w->addr[i] = 0;
		w->is[i] = 0;
	}
	w->time = 0;
	w->context_sent = false;
	w->ids_sent = false;
	w->syncs++;
}

/* ---------------------------------------------------------------- addresses */

/* A sent address becomes the newest. */
static void remember(struct wire *w, uint64_t addr, unsigned int is)
{
	w->addr[2] = w->addr[1];
	w->is[2] = w->is[1];
	w->addr[1] = w->addr[0];
	w->is[1] = w->is[0];
	w->addr[0] = addr;
	w->is[0] = is;
}

enum form { MATCH0, MATCH1, MATCH2, SHORT2, SHORT3, LONG32, LONG64 };

static enum form shortest(const struct wire *w, uint64_t addr, unsigned int is)
{
	const uint64_t changed = addr ^ w->addr[0];

	for (int i = 0; i < 3; i++)
		if (addr == w->addr[i] && is == w->is[i])
			return MATCH0 + i;
	if (!(changed >> (is ? 8 : 9)))
		return SHORT2;
	if (!(changed >> (is ? 16 : 17)))
		return SHORT3;
	return changed >> 32 ? LONG64 : LONG32;
}

/* The bytes of an address after its header. */
static void address_bytes(struct wire *w, unsigned int form, uint64_t addr, unsigned int is)
{
	const unsigned int first = is ? 1 : 2;

	if (form <= MATCH2)
		return;
	wire_byte(w, (addr >> first & 0x7f) | (form == SHORT3 ? 0x80 : 0));
	if (form == SHORT2)
		return;
	addr >>= first + 7;
	wire_byte(w, is || form == SHORT3 ? addr : addr & 0x7f);
	if (form == SHORT3)
		return;
	addr >>= is ? 8 : 7;
	for (int i = 0; i < (form == LONG64 ? 6 : 2); i++)
		wire_byte(w, addr >> 8 * i);
}

/* @header: by form, for the instruction set bit 0 */
static void address(struct wire *w, const uint8_t header[7], uint64_t addr, unsigned int is)
{
	const enum form form = shortest(w, addr, is);

	wire_flush(w);
	wire_byte(w, header[form] + (form > MATCH2 ? is : 0));
	address_bytes(w, form, addr, is);
	remember(w, addr, is);
}

void wire_address(struct wire *w, uint64_t addr, enum enc_isa isa)
{
	static const uint8_t header[] = { 0x90, 0x91, 0x92, 0x95, 0x95, 0x9a, 0x9d };

	address(w, header, addr, isa == ENC_T32);
}

void wire_source(struct wire *w, uint64_t addr, enum enc_isa isa)
{
	static const uint8_t header[] = { 0xb0, 0xb1, 0xb2, 0xb4, 0xb4, 0xb6, 0xb8 };

	address(w, header, addr, isa == ENC_T32);
}

/* ---------------------------------------------------------------- contexts */

static bool same_context(const struct enc_context *a, const struct enc_context *b)
{
	return a->contextid == b->contextid && a->vmid == b->vmid && a->el == b->el &&
	       a->security == b->security && a->bits64 == b->bits64;
}

/* The payload of a context; IDs that the decoder already has may be left out. */
static void fill_context(struct wire *w, struct csf_packet *packet,
			 const struct enc_context *context)
{
	const bool ids = !w->ids_sent || context->contextid != w->context.contextid ||
			 context->vmid != w->context.vmid;

	packet->flags |= CSF_PKT_CTXT;
	packet->info = context->el | context->bits64 << 4 | (context->security & 1) << 5 |
		       (context->security & 2) << 2;
	if (ids && w->config.trcconfigr & 1 << 7) {
		packet->info |= 1 << 6;
		packet->vmid = context->vmid;
	}
	if (ids && w->config.trcconfigr & 1 << 6) {
		packet->info |= 1 << 7;
		packet->contextid = context->contextid;
	}
	w->context = *context;
	w->context_sent = true;
	w->ids_sent = true;
}

void wire_context(struct wire *w, const struct enc_context *context, bool same)
{
	struct csf_packet packet = { .type = CSF_PKT_CONTEXT };

	if (!same || !w->context_sent || !same_context(context, &w->context))
		fill_context(w, &packet, context);
	wire_packet(w, &packet);
}

void wire_address_context(struct wire *w, uint64_t addr, enum enc_isa isa,
			  const struct enc_context *context)
{
	const unsigned int is = isa == ENC_T32;
	enum form form = shortest(w, addr, is);
	struct csf_packet packet = { .val = addr, .flags = is ? CSF_PKT_IS1 : 0 };

	/* The first address after a Trace Info is sent in full; but 32 bits keep the others. */
	if (!w->context_sent)
		form = context->bits64 || (addr ^ w->addr[0]) >> 32 ? LONG64 : LONG32;
	if (form < LONG32) {
		wire_address(w, addr, isa);
		wire_context(w, context, false);
		return;
	}
	packet.type = form == LONG64 ? CSF_PKT_ADDR_CTXT64 : CSF_PKT_ADDR_CTXT32;
	packet.n = form == LONG64 ? 64 : 32;
	if (form == LONG32)
		packet.val = (uint32_t)addr;
	fill_context(w, &packet, context);
	wire_packet(w, &packet);
	remember(w, addr, is);
}

/* ---------------------------------------------------------------- other P0 elements */

void wire_exception(struct wire *w, uint32_t type, bool target, uint64_t addr, enum enc_isa isa,
		    const struct enc_context *context)
{
	const struct csf_packet packet = {
		.type = CSF_PKT_EXCEPTION,
		.exception = type,
		.n = target ? 2 : 1,
	};

	wire_packet(w, &packet);
	if (!context) {
		wire_address(w, addr, isa);
	} else if (shortest(w, addr, isa == ENC_T32) < LONG32) {
		/* Only the context may come between an exception and its address. */
		wire_context(w, context, false);
		wire_address(w, addr, isa);
	} else {
		wire_address_context(w, addr, isa, context);
	}
}

void wire_exception_unknown(struct wire *w, uint32_t type)
{
	const struct csf_packet packet = {
		.type = CSF_PKT_EXCEPTION,
		.exception = type,
		.n = 1,
		.flags = CSF_PKT_UNKNOWN,
	};

	wire_packet(w, &packet);
	remember(w, 0, 0);
}

void wire_q(struct wire *w, uint32_t count, bool apart, uint64_t addr, enum enc_isa isa)
{
	const unsigned int is = isa == ENC_T32;
	const enum form form = shortest(w, addr, is);
	struct csf_packet packet = { .type = CSF_PKT_Q };

	if (count) {
		packet.flags = CSF_PKT_COUNT;
		packet.count = count;
	}
	apart = apart || !count || form == LONG64;
	if (apart) {
		wire_packet(w, &packet);
		wire_address(w, addr, isa);
		return;
	}

	packet.flags |= CSF_PKT_ADDR | (is ? CSF_PKT_IS1 : 0);
	if (form <= MATCH2) {
		packet.flags |= CSF_PKT_MATCH;
		packet.flags &= ~CSF_PKT_IS1;
		packet.val = form;
	} else {
		static const uint8_t bits[] = { [SHORT2] = 9, [SHORT3] = 17, [LONG32] = 32 };

		packet.n = bits[form] - (form != LONG32 ? is : 0);
		packet.val = addr & ((1ull << packet.n) - 1);
	}
	wire_packet(w, &packet);
	remember(w, addr, is);
}

/* ---------------------------------------------------------------- time, cycles, speculation */

void wire_time(struct wire *w, uint64_t time, bool has_count, uint32_t count)
{
	const uint64_t changed = time ^ w->time;
	struct csf_packet packet = { .type = CSF_PKT_TIME, .val = time, .n = 7 };

	while (packet.n < 56 && changed >> packet.n)
		packet.n += 7;
	if (changed >> packet.n)
		packet.n = 64;
	if (packet.n < 64)
		packet.val &= (1ull << packet.n) - 1;
	if (has_count) {
		packet.flags = CSF_PKT_COUNT;
		packet.count = count;
	}
	wire_packet(w, &packet);
	w->time = time;
}

static void leb(struct wire *w, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		wire_byte(w, value | 0x80);
	wire_byte(w, value);
}

void wire_cycles(struct wire *w, uint32_t count, uint32_t commit)
{
	const bool commits = !(w->config.trcidr0 & 1u << 29);	/* COMMOPT */
	const uint32_t from_max = commit + 15 - w->config.trcidr8;

	wire_flush(w);
	if (count < 4 && (!commits || (commit && commit <= 4))) {
		wire_byte(w, 0x10 | (commits ? (commit - 1) << 2 : 0) | count);
	} else if (count < 16 && !commits) {
		wire_byte(w, 0x0d);
		wire_byte(w, 0xf0 | count);
	} else if (count < 16 && commit && commit <= 16) {
		wire_byte(w, 0x0c);
		wire_byte(w, (commit - 1) << 4 | count);
	} else if (count < 16 && commit && from_max < 16) {
		wire_byte(w, 0x0d);
		wire_byte(w, from_max << 4 | count);
	} else {
		wire_byte(w, count == COUNT_UNKNOWN ? 0x0f : 0x0e);
		if (commits)
			leb(w, commit);
		if (count != COUNT_UNKNOWN)
			leb(w, count);
	}
}

void wire_commit(struct wire *w, uint32_t n)
{
	const struct csf_packet packet = { .type = CSF_PKT_COMMIT, .count = n };

	wire_packet(w, &packet);
}

void wire_cancel(struct wire *w, uint32_t n, bool mispredict)
{
	const struct csf_packet packet = {
		.type = CSF_PKT_CANCEL1,
		.count = n,
		.flags = mispredict ? CSF_PKT_MISP : 0,
	};

	wire_packet(w, &packet);
}
