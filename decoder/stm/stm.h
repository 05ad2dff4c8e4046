/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* STP, the protocol of an STM: what packets take over from earlier packets. */
#ifndef CSF_STM_H
#define CSF_STM_H

#include <stdbool.h>
#include <stdint.h>

/* Most nibbles of a packet: USER_TS with 16 nibbles, and 16 of the timestamp. */
#define STM_NIBBLES	40

/**
 * struct stm - part of struct csf_messages
 * @start: place of the packet in @nibble, or of the first nibble that is lost: offset in nibbles
 * @time: of the last timestamp
 * @ones: nibbles F up to here, one after the other
 * @master, @channel: who writes
 * @n: nibbles of the packet so far; those after STM_NIBBLES are not kept
 * @nibble: the packet
 * @times: how timestamps are written: see enum stm_times
 * @why: enum csf_gap, while not @synced
 * @synced: packets are read; otherwise a sync is looked for
 * @odd: the next nibble is the high one of its byte
 * @reversed: payloads come least significant nibble first
 * @has_master: a packet has said @master
 */
struct stm {
	uint64_t start;
	uint64_t time;
	uint32_t ones;
	uint16_t master, channel;
	uint8_t n;
	uint8_t nibble[STM_NIBBLES];
	uint8_t times;
	uint8_t why;
	bool synced;
	bool odd;
	bool reversed;
	bool has_master;
};

extern const struct protocol stm_protocol __attribute__((visibility("hidden")));

#endif /* CSF_STM_H */
