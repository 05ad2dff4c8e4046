/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets of PTM.  Atoms wait until a packet of them is full, or until something that comes
 * after them is sent: every other function sends them first.
 */
#ifndef CSF_PTM_WIRE_H
#define CSF_PTM_WIRE_H

#include "etm4-wire.h"

/* Numbers of exceptions. */
enum pft_exception {
	PFT_NONE, PFT_HALT, PFT_SMC, PFT_HYP, PFT_ASYNC_ABORT,
	PFT_RESET = 8, PFT_UNDEF, PFT_SVC, PFT_PREFETCH_ABORT, PFT_DATA_ABORT, PFT_GENERIC,
	PFT_IRQ, PFT_FIQ,
};

/* Reasons of an I-sync. */
enum pft_reason { PFT_PERIODIC, PFT_ON, PFT_AFTER_OVERFLOW, PFT_AFTER_HALT };

/**
 * struct pft_state - the state that packets tell
 * @ns: non-secure
 * @hyp: hypervisor mode
 */
struct pft_state {
	bool ns, hyp;
};

/**
 * struct pft_wire - the state with which packets are made short
 * @out: the bytes
 * @cycles: cycles are counted; @gray: timestamps are in Gray code
 * @cid_size: bytes of a context ID; @time_bits: of a timestamp
 * @atom: atoms that wait, newest in bit 0, 1 is N; @n_atom: number of them
 * @addr, @isa: the last address sent, and its enum enc_isa
 * @state, @cid, @vmid: the last ones sent
 * @vmid_sent: since the last I-sync
 * @time: last timestamp sent, as it was encoded
 * @time_full: the next one is sent with all its bits
 */
struct pft_wire {
	struct wire *out;
	bool cycles, gray;
	uint32_t cid_size, time_bits;
	uint32_t atom, n_atom;
	uint32_t addr;
	enum enc_isa isa;
	struct pft_state state;
	uint32_t cid, vmid;
	bool vmid_sent;
	uint64_t time;
	bool time_full;
};

/* Sends all waiting atoms. */
void pft_flush(struct pft_wire *w);

/* @count: cycles, for units that count them. */
void pft_atom(struct pft_wire *w, bool taken, uint32_t count);

/* A packet of a header alone. */
#define PFT_TRIGGER	0x0c
#define PFT_IGNORE	0x66
#define PFT_ERET	0x76
void pft_header(struct pft_wire *w, uint8_t header);

void pft_async(struct pft_wire *w);

/**
 * struct pft_isync - the contents of an I-sync
 * @mark: bit 7 of the count is set, as some units do
 */
struct pft_isync {
	uint32_t addr;
	enum enc_isa isa;
	enum pft_reason reason;
	struct pft_state state;
	uint32_t cid;
	uint32_t count;
	bool mark;
};

void pft_isync(struct pft_wire *w, const struct pft_isync *isync);

/**
 * struct pft_branch - the contents of a branch packet
 * @addr, @isa: where it went
 * @exception: enum pft_exception
 */
struct pft_branch {
	uint32_t addr;
	enum enc_isa isa;
	uint32_t exception;
	struct pft_state state;
	uint32_t count;
};

void pft_branch(struct pft_wire *w, const struct pft_branch *branch);

/* Everything up to and including the instruction at @addr was executed. */
void pft_waypoint(struct pft_wire *w, uint32_t addr, enum enc_isa isa);

/* @change: the clock changed its speed. */
void pft_time(struct pft_wire *w, uint64_t time, bool change, uint32_t count);

void pft_context_id(struct pft_wire *w, uint32_t cid);
void pft_vmid(struct pft_wire *w, uint32_t vmid);

#endif /* CSF_PTM_WIRE_H */
