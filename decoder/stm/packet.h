/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of STP: rows of tables, by the nibbles of the opcode. */
#ifndef CSF_STM_PACKET_H
#define CSF_STM_PACKET_H

#include "../bytes.h"

/* Nibbles F of a sync, which a nibble 0 ends. */
#define STM_SYNC_ONES	21

enum stm_what {
	STM_RESERVED,
	STM_MORE,		/* the opcode goes on */
	STM_SYNC,
	STM_NOTHING,
	STM_MASTER, STM_MASTER16,
	STM_CHANNEL, STM_CHANNEL16,
	STM_DATA, STM_FLAG,
	STM_ERROR,
	STM_VERSION, STM_USER,
	STM_TRIGGER, STM_FREQUENCY, STM_CROSS_SYNC,
};

#define STM_TS		0x01	/* struct stm_row.flags: a timestamp follows */
#define STM_MARKED	0x02

/**
 * struct stm_row - a packet
 * @what: enum stm_what
 * @payload: nibbles after the opcode
 * @flags: STM_TS, STM_MARKED
 * @info: of an error: csf_message.info
 */
struct stm_row {
	uint8_t what, payload, flags, info;
};

/* How a VERSION says that timestamps are written; 0 and 1 are those of STPv1. */
enum stm_times { STM_TIMES_DELTA = 2, STM_TIMES_LOW = 3, STM_TIMES_GRAY = 4 };

/**
 * struct stm_layout - a packet, taken apart
 * @row: NULL: more nibbles are needed to know it
 * @opcode: nibbles of the opcode
 * @payload: nibbles of the payload; @time: of the timestamp, after its size
 * @need: nibbles that are needed, in all or to know more
 * @bad: there is no such packet
 */
struct stm_layout {
	const struct stm_row *row;
	unsigned int opcode, payload, time, need;
	bool bad;
};

/* The layout of the packet that begins with @n nibbles; @old_times: timestamps of STPv1. */
struct stm_layout stm_layout(const uint8_t *nibble, unsigned int n, bool old_times);

#endif /* CSF_STM_PACKET_H */
