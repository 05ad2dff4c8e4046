/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ETMv3's wire: packets, and the state with which a unit makes them short.  ARM IHI 0014,
 * "ETMv3 signal protocol".  It shares no table and no code with decoder/etm3/.
 *
 * Atoms wait until a P-header is full, or until something that comes after them is sent: every
 * other function sends them first.
 *
 * Where the architecture permits several forms, the shortest is sent, or another one by chance, if
 * there is a seed: an address with more bytes than it needs, a P-header of another format.
 */
#ifndef CSF_ETM3_WIRE_H
#define CSF_ETM3_WIRE_H

#include "encode-dice.h"
#include "etm4-wire.h"

/* Instruction sets; an address has 2 - isa bits fewer. */
enum etm3_wire_isa { ETM3_WIRE_A32, ETM3_WIRE_T32, ETM3_WIRE_JAZELLE };

/* Why there is an I-sync, as in its information byte. */
enum etm3_wire_why {
	ETM3_WIRE_PERIODIC,
	ETM3_WIRE_ON,
	ETM3_WIRE_OVERFLOW,
	ETM3_WIRE_DEBUG,
};

/**
 * struct etm3_wire - the state of the packets
 * @out: the bytes to send; borrowed
 * @cid_size: bytes of a context ID
 * @ts_bits: of a timestamp; @gray: they are in Gray code
 * @cycles: P-headers have cycles
 * @alt: branches have the alternative encoding; @v30: and exceptions the oldest one
 * @hyp: the second byte of an exception says whether Hyp mode is next
 * @values, @addresses: data packets have these
 * @no_insn: only data is traced
 * @chance: other forms are sent by @dice
 * @n_e: E that wait; @wait_n: an N waits; with @cycles each has one
 * @addr: last address sent; @isa: its instruction set
 * @said_hyp: the last mode sent
 * @data_addr: last data address sent; @data_last: that of the last access
 * @data_big: byte order of @data_addr; @data_known: all bits were sent
 * @time: last timestamp, as sent
 */
struct etm3_wire {
	struct wire *out;
	uint8_t cid_size, ts_bits;
	bool gray, cycles, alt, v30, hyp, values, addresses, no_insn;

	bool chance;
	struct dice dice;

	uint8_t n_e;
	bool wait_n;
	uint32_t addr;
	uint8_t isa;
	bool said_hyp;
	uint32_t data_addr, data_last;
	bool data_big, data_known;
	uint64_t time;
};

/* @out: has the registers of the unit.  @seed: 0: always the shortest form */
void etm3_wire_init(struct etm3_wire *w, struct wire *out, uint64_t seed);

/* Sends what waits. */
void etm3_wire_flush(struct etm3_wire *w);

/* An instruction, which was @executed or failed its condition, after @cycles. */
void etm3_wire_atom(struct etm3_wire *w, bool executed, uint32_t cycles);

/* Cycles without an instruction; only where they are counted. */
void etm3_wire_wait(struct etm3_wire *w, uint32_t cycles);

/* A-sync.  @exact: with five zeros: after a part of a packet more would belong to that. */
void etm3_wire_async(struct etm3_wire *w, bool exact);

/**
 * struct etm3_wire_state - where and how execution goes on
 * @addr: where, @isa: enum etm3_wire_isa
 * @ns, @hyp, @alt: nonsecure; in Hyp mode; ThumbEE if T32
 * @contextid: for an I-sync
 */
struct etm3_wire_state {
	uint32_t addr;
	uint8_t isa;
	bool ns, hyp, alt;
	uint32_t contextid;
};

/**
 * struct etm3_wire_isync - the rest of an I-sync
 * @why: enum etm3_wire_why
 * @has_cycles: it has @cycles; 0: unknown
 * @lsip: a load or store multiple at @multiple is in progress, and execution is after it
 */
struct etm3_wire_isync {
	uint8_t why;
	bool has_cycles, lsip;
	uint32_t cycles;
	uint32_t multiple;
};

void etm3_wire_isync(struct etm3_wire *w, const struct etm3_wire_state *state,
		     const struct etm3_wire_isync *isync);

/* A branch without an exception. */
void etm3_wire_branch(struct etm3_wire *w, uint32_t addr, uint8_t isa);

/**
 * struct etm3_wire_exception - the exception of a branch packet
 * @number: as the architecture numbers them for the profile; 0: the state changes
 * @cancel: the last instruction was not completed
 * @resume: M profile: where an interrupted load or store multiple goes on; 0: nowhere
 * @old: the form of ETMv3.0; for A32, and numbers up to 7
 */
struct etm3_wire_exception {
	uint16_t number;
	bool cancel, old;
	uint8_t resume;
};

/* A branch by which an exception is taken, or the state changes. */
void etm3_wire_exception(struct etm3_wire *w, const struct etm3_wire_state *state,
			 const struct etm3_wire_exception *exception);

/* Packets of a header, or of a header and a number. */
void etm3_wire_trigger(struct etm3_wire *w);
void etm3_wire_ignore(struct etm3_wire *w);
void etm3_wire_eret(struct etm3_wire *w);
void etm3_wire_stacking(struct etm3_wire *w);		/* the data after it is of an exception */
void etm3_wire_cycles(struct etm3_wire *w, uint32_t cycles);
void etm3_wire_contextid(struct etm3_wire *w, uint32_t contextid);
void etm3_wire_vmid(struct etm3_wire *w, uint8_t vmid);

/* @change: the clock's frequency has changed.  @whole: all bits, as after a sync period */
void etm3_wire_time(struct etm3_wire *w, uint64_t time, bool change, bool whole);

/**
 * enum etm3_wire_where - the address of a data packet
 * @ETM3_WIRE_AT: it has one
 * @ETM3_WIRE_AT_ALL: with all bits
 * @ETM3_WIRE_NEXT: none: four bytes after the last one
 * @ETM3_WIRE_NOWHERE: none: it is of a coprocessor
 */
enum etm3_wire_where {
	ETM3_WIRE_AT,
	ETM3_WIRE_AT_ALL,
	ETM3_WIRE_NEXT,
	ETM3_WIRE_NOWHERE,
};

/**
 * struct etm3_wire_data - a data transfer of up to 32 bits
 * @addr: its address, @where: how that is sent
 * @value: its value
 * @big: it was big-endian
 */
struct etm3_wire_data {
	uint32_t addr;
	uint32_t value;
	uint8_t where;
	bool big;
};

void etm3_wire_data(struct etm3_wire *w, const struct etm3_wire_data *data);

/* The value comes later, with @tag, 1 to 3; here it is. */
void etm3_wire_place(struct etm3_wire *w, const struct etm3_wire_data *data, uint8_t tag);
void etm3_wire_late(struct etm3_wire *w, uint32_t value, uint8_t tag);

/* The value is not traced. */
void etm3_wire_untraced(struct etm3_wire *w, const struct etm3_wire_data *data);

/* The store before it failed; data was suppressed. */
void etm3_wire_failed(struct etm3_wire *w);
void etm3_wire_lost(struct etm3_wire *w);

#endif /* CSF_ETM3_WIRE_H */
