/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Elements of ETMv3 and PTM as OpenCSD passes them to clients.
 *
 * They are those of our decoder.  But OpenCSD makes some of packets alone, and merges others:
 *
 *	ocsd_follow_start(&f, config, release, reason);
 *	for each packet:
 *		ocsd_follow_packet(&f, packet);
 *		for each of its elements:
 *			ocsd_follow_element(&f, element);
 *		ocsd_follow_done(&f);
 *	ocsd_follow_end(&f);
 *
 *	element-older.c			what both have
 *	element-etm3.c, element-ptm.c
 */
#ifndef OPENCSD_ELEMENT_OLDER_H
#define OPENCSD_ELEMENT_OLDER_H

#include "element.h"
#include "packet-older.h"

enum ocsd_follow_state { OCSD_FOLLOW_NO_SYNC, OCSD_FOLLOW_ISYNC, OCSD_FOLLOW_RUN };

/**
 * struct ocsd_follow - state of a stream; set it to zero, then set @emit and @owner
 * @emit: called for each element, in order; @hold: of ETMv3, and the next packet may cancel it
 * @says: a NO_SYNC is due, because of @reason
 * @packet: the current one; @n_atom: its atoms that have no element yet, and their @cycles
 * @isa: instruction set of the last full address: enum abi_isa, or ABI_TEE, ABI_JAZELLE
 * @executing: of the last address or range; ABI_ISA_UNKNOWN: neither came
 * @last: the last context that was handed out, if @has_last
 * @pending: an element that a cycle count may still belong to, or of ETMv3 an exception that a
 *           context comes before; @pending_pos: its packet
 * @wants_context: PTM: the current packet has a context, even if our decoder has none
 * @has_context: it had one
 * @hole: ETMv3: no code for an atom, and no address since; @lost: the client was told that the
 *        address is unknown
 */
struct ocsd_follow {
	struct csf_config config;
	const struct ocsd_release *release;
	void (*emit)(void *owner, const struct abi_element *e, bool hold);
	void *owner;
	bool ptm, says;
	enum ocsd_follow_state state;
	enum abi_unsync reason;
	struct csf_packet packet;
	unsigned int n_atom;
	uint32_t cycles;
	struct ocsd_sticky sticky;
	uint32_t isa, executing;
	struct csf_context context;
	struct abi_context last;
	bool has_last;
	struct abi_element pending;
	uint64_t pending_pos;
	bool has_pending, wants_context, has_context, hole, lost;
};

/* Begins anew, without sync because of @reason. */
void ocsd_follow_start(struct ocsd_follow *f, const struct csf_config *config,
		       const struct ocsd_release *release, enum abi_unsync reason);
void ocsd_follow_packet(struct ocsd_follow *f, const struct csf_packet *pkt);
void ocsd_follow_element(struct ocsd_follow *f, const struct csf_element *e);
void ocsd_follow_done(struct ocsd_follow *f);

/* Hands out what waits for more elements of the current packet. */
void ocsd_follow_release(struct ocsd_follow *f);

/* Trace ends: hands out the element that says so. */
void ocsd_follow_end(struct ocsd_follow *f);

/* ---------------------------------------------------------------- for these files only */

void ocsd_follow_make(struct ocsd_follow *f, const struct csf_element *e, struct abi_element *made);
void ocsd_follow_emit(struct ocsd_follow *f, const struct csf_element *e, bool hold);
void ocsd_follow_unsync(struct ocsd_follow *f, enum csf_element_type type, uint32_t reason);
void ocsd_follow_on(struct ocsd_follow *f, const struct csf_packet *pkt);
void ocsd_follow_wait(struct ocsd_follow *f, const struct csf_element *e);
bool ocsd_follow_cycles(struct ocsd_follow *f, const struct csf_element *e);

void ocsd_follow_etm3_packet(struct ocsd_follow *f, const struct csf_packet *pkt);
void ocsd_follow_etm3_element(struct ocsd_follow *f, const struct csf_element *e);
void ocsd_follow_etm3_done(struct ocsd_follow *f);
void ocsd_follow_ptm_packet(struct ocsd_follow *f, const struct csf_packet *pkt);
void ocsd_follow_ptm_element(struct ocsd_follow *f, const struct csf_element *e);
void ocsd_follow_ptm_done(struct ocsd_follow *f);

#endif /* OPENCSD_ELEMENT_OLDER_H */
