/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of STP, the protocol of an STM.  Part of csflow.h, which includes this file.
 *
 * Packets are rows of nibbles, and not aligned to bytes: places and sizes here are in nibbles.
 * csf_messages_next() is what most programs want; this is for programs that show packets.
 */
#ifndef CSFLOW_STP_H
#define CSFLOW_STP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/* csf_config.stp_order: the nibble of a byte that comes first. */
enum csf_stp_order {
	CSF_STP_DETECT,		/* the low one, or what the first sync with a VERSION says */
	CSF_STP_LOW_FIRST,
	CSF_STP_HIGH_FIRST,
};

/**
 * enum csf_stp_kind - the kinds of packets
 * @CSF_STP_BAD: there is no such packet
 * @CSF_STP_CUT: a sync begins inside the packet
 * @CSF_STP_NULL: also the mark "data in progress"
 * @CSF_STP_ERROR: GERR, MERR or CERR
 */
enum csf_stp_kind {
	CSF_STP_BAD,
	CSF_STP_CUT,
	CSF_STP_SYNC,
	CSF_STP_NULL,
	CSF_STP_MASTER,
	CSF_STP_CHANNEL,
	CSF_STP_DATA,
	CSF_STP_FLAG,
	CSF_STP_ERROR,
	CSF_STP_VERSION,
	CSF_STP_USER,
	CSF_STP_TRIGGER,
	CSF_STP_FREQUENCY,
	CSF_STP_CROSS_SYNC,
};

/* How a VERSION says that timestamps are written; 0 and 1 are those of STPv1: two nibbles. */
enum csf_stp_times { CSF_STP_TIMES_DELTA = 2, CSF_STP_TIMES_LOW = 3, CSF_STP_TIMES_GRAY = 4 };

#define CSF_STP_TIMED	0x01	/* struct csf_stp_packet.flags: it has a timestamp */
#define CSF_STP_MARKED	0x02	/* software marked it */

#define CSF_STP_SYNC_NIBBLES	22	/* of a sync: 21 nibbles F, and 0 */
#define CSF_STP_NIBBLES		37	/* most nibbles of a packet: USER_TS */

/**
 * struct csf_stp_format - what was said before about how packets are written
 * @high_first: the high nibble of a byte comes first
 * @old_times: timestamps are those of STPv1
 * @reversed: fields come least significant nibble first
 */
struct csf_stp_format {
	bool high_first, old_times, reversed;
};

/**
 * struct csf_stp_packet - a packet
 * @value: its payload; USER: without the nibble that gives the length; VERSION: the nibbles as they
 *         come, one or three
 * @time: its timestamp, as it is in the packet
 * @opcode: the nibbles of its opcode: 0x0 to 0xe, 0xf1 to 0xfe, 0xf00 to 0xf0e, 0xf0f0 to 0xf0f3
 * @kind: enum csf_stp_kind
 * @flags: CSF_STP_x
 * @size: nibbles of @value
 * @time_size: nibbles of @time
 * @nibbles: of the packet; not of BAD and CUT
 */
struct csf_stp_packet {
	uint64_t value;
	uint64_t time;
	uint16_t opcode;
	uint8_t kind;
	uint8_t flags;
	uint8_t size;
	uint8_t time_size;
	uint8_t nibbles;
};

/**
 * csf_stp_read() - read a packet
 * @bytes: @n bytes of a stream; @at: the nibble where the packet begins
 *
 * A packet of kind CUT or BAD is not read: go on at the place that csf_stp_find_sync() returns.
 *
 * Return: nibbles of the packet, 1 for CUT and BAD; 0: its end is not in @bytes.
 */
CSF_API int csf_stp_read(const struct csf_stp_format *format, const uint8_t *bytes, size_t n,
			 size_t at, struct csf_stp_packet *packet);

/* The first nibble, from @at on, where a whole sync begins; 2 * @n if there is none. */
CSF_API size_t csf_stp_find_sync(const struct csf_stp_format *format, const uint8_t *bytes,
				 size_t n, size_t at);

/* Takes over what a VERSION says.  Return: enum csf_stp_times, or another number. */
CSF_API unsigned int csf_stp_version(struct csf_stp_format *format,
				     const struct csf_stp_packet *packet);

#endif /* CSFLOW_STP_H */
