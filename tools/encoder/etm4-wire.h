/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire: packets, and the state with which a unit makes them short.
 *
 * Atoms wait until a packet of them is full, or until something that comes
 * after them is sent: every other function sends them first.  Atoms, addresses
 * and cycle counts are encoded here, because there are so many of them;
 * csf_packet_write() encodes all other packets.
 */
#ifndef CSF_ETM4_WIRE_H
#define CSF_ETM4_WIRE_H

#include "encoder.h"

/**
 * struct wire - the bytes to send
 * @p: bytes not yet taken, @n of @max; owned
 * @taken: bytes before them
 * @failed: there was no memory; bytes are missing
 * @refused: a packet was requested that this unit does not have
 * @config: properties and settings of the unit
 * @version: 0x4n, 0x5n
 * @atom: atoms that wait, oldest in bit 0, 1 is E
 * @n_atom: number of them, at most 24
 * @addr: the last three addresses sent, newest first
 * @is: their instruction set bits
 * @time: last timestamp sent
 * @context: last one sent, if @context_sent
 * @ids_sent: it was sent with all its IDs
 * @syncs: A-syncs
 */
struct wire {
	uint8_t *p;
	size_t n, max;
	uint64_t taken;
	bool failed, refused;
	struct csf_config config;
	int version;
	uint32_t atom;
	unsigned int n_atom;
	uint64_t addr[3];
	uint8_t is[3];
	uint64_t time;
	struct enc_context context;
	bool context_sent, ids_sent;
	uint64_t syncs;
};

/* Return: 0, CSF_ERR_CONFIG, CSF_ERR_MEMORY. */
int wire_init(struct wire *w, const struct csf_config *config);
void wire_fini(struct wire *w);

/* Makes room for a packet, or for the waiting atoms. */
bool wire_grow(struct wire *w);

static inline bool wire_room(struct wire *w)
{
	return w->max - w->n >= 2 * CSF_PACKET_MAX || wire_grow(w);
}

static inline void wire_byte(struct wire *w, uint8_t byte)
{
	w->p[w->n++] = byte;
}

/* Sends the packet of atoms if it is full. */
void wire_full(struct wire *w);

/* Sends all waiting atoms. */
void wire_flush(struct wire *w);

static inline void wire_atom(struct wire *w, bool taken)
{
	w->atom |= (uint32_t)taken << w->n_atom++;
	if (w->n_atom >= 4)
		wire_full(w);
}

/* Sends a packet as it is; its addresses do not become the last ones. */
void wire_packet(struct wire *w, const struct csf_packet *packet);
void wire_type(struct wire *w, enum csf_packet_type type);

/**
 * struct wire_trace_info - the contents of a Trace Info
 * @cycles: cycles are counted, with @threshold
 * @threshold: CYCT
 * @uncommitted: SPEC
 * @transaction: inside a transaction
 */
struct wire_trace_info {
	uint32_t threshold;
	uint32_t uncommitted;
	bool cycles;
	bool transaction;
};

/* A-sync and Trace Info: forgets addresses, context and time. */
void wire_sync(struct wire *w, const struct wire_trace_info *info);

/* A target address by the shortest form. */
void wire_address(struct wire *w, uint64_t addr, enum enc_isa isa);

/* A target address and the context there, in the shortest packets. */
void wire_address_context(struct wire *w, uint64_t addr, enum enc_isa isa,
			  const struct enc_context *context);

/* @same: use the short form if nothing changed */
void wire_context(struct wire *w, const struct enc_context *context, bool same);

/* The address of a taken P0 instruction. */
void wire_source(struct wire *w, uint64_t addr, enum enc_isa isa);

/**
 * wire_exception() - an exception and its return address
 * @target: the address is also the target of the branch before
 * @context: if not NULL, sent between; it applies to the code before the exception
 */
void wire_exception(struct wire *w, uint32_t type, bool target, uint64_t addr, enum enc_isa isa,
		    const struct enc_context *context);

/* An exception without an address: PE reset, transaction failure (ETE). */
void wire_exception_unknown(struct wire *w, uint32_t type);

/* @count: instructions; 0: unknown.  @apart: the address in a packet of its own */
void wire_q(struct wire *w, uint32_t count, bool apart, uint64_t addr, enum enc_isa isa);

/* @count: cycles, if @has_count */
void wire_time(struct wire *w, uint64_t time, bool has_count, uint32_t count);

/* @count: cycles above the threshold; UINT32_MAX: unknown.  @commit: P0 elements, or 0 */
void wire_cycles(struct wire *w, uint32_t count, uint32_t commit);

/* CSF_PKT_COMMIT, or CSF_PKT_CANCEL1 with @mispredict. */
void wire_commit(struct wire *w, uint32_t n);
void wire_cancel(struct wire *w, uint32_t n, bool mispredict);

#endif /* CSF_ETM4_WIRE_H */
