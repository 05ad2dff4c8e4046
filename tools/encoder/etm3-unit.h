/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ETMv3:
 *
 *	etm3-unit.c		begin, end, losses, synchronisation, atoms, exceptions
 *	etm3-data.c		data transfers
 *	etm3-wire.c		sends packets
 *
 * Each instruction takes an atom, so each block is one to be traced, and nothing is owed after it
 * but the packet of an exception, which has the address of the handler.
 */
#ifndef CSF_ETM3_UNIT_H
#define CSF_ETM3_UNIT_H

#include "encode-unit.h"
#include "etm3-wire.h"

#define ETM3_TAGS	3	/* values that may come later */

/* A value that is still to come: its tag is its place in the array, and 1. */
struct etm3_late {
	uint32_t value;
	uint32_t after;		/* blocks until it comes */
	bool open;
};

/**
 * struct etm3_unit - the state of an ETMv3
 * @wire: its bytes
 * @late: values that are still to come
 * @suppress: blocks whose transfers are dropped
 * @dsync: transfers until an address with all bits; 0: none is due
 * @kept: the transfers of the last block were traced
 * @entry: those of an exception are being sent
 * @owe: the exception @exception was taken, and its packet is still to be sent
 * @type: the exception as enum enc_exception has it
 * @isync: an I-sync is due, after @isync_late blocks
 * @whole_time: the next timestamp has all bits
 * @context: the one that was sent
 * @halted: the last exception was a debug halt
 * @chains: the packet of a return was sent, and the exception in its place cancels it
 * @last: the last instruction
 * @now: the clock after it
 */
struct etm3_unit {
	struct etm3_wire wire;
	struct etm3_late late[ETM3_TAGS];
	uint32_t suppress, dsync;
	bool kept, entry;

	struct etm3_wire_exception exception;
	uint32_t type;
	bool owe;
	bool isync, whole_time, halted, chains;
	uint32_t isync_late;
	struct enc_context context;
	uint64_t last;
};

static inline struct etm3_unit *etm3_of(struct encoder *e)
{
	return e->own;
}

/* ---------------------------------------------------------------- etm3-unit.c */

/* An I-sync, at the next instruction.  @lsip: the last one's transfers are in progress */
void etm3_isync(struct encoder *e, enum etm3_wire_why why, bool lsip);

/* ---------------------------------------------------------------- etm3-data.c */

/* Sends the transfers of the last instruction, or what tells that they are missing. */
void etm3_data(struct encoder *e);

/* A transfer of an exception entry. */
void etm3_entry(struct encoder *e, const struct enc_data *data);

/* A block has passed: sends values that came late.  @all: all of them. */
void etm3_late(struct encoder *e, bool all);

#endif /* CSF_ETM3_UNIT_H */
