/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* STP, the protocol of an STM: what packets take over from earlier packets. */
#ifndef CSF_STM_H
#define CSF_STM_H

#include <stdbool.h>
#include <stdint.h>

#include "../csflow-stp.h"

/**
 * struct stm - part of struct csf_messages
 * @lost_at: offset in nibbles of the first one that is lost, while not @synced
 * @time: of the last timestamp
 * @master, @channel: who writes
 * @format: how packets are written
 * @times: how timestamps are written: see enum csf_stp_times
 * @why: enum csf_gap, while not @synced
 * @synced: packets are read; otherwise a sync is looked for
 * @odd: the next nibble is the second one of its byte
 * @ordered: @format.high_first is known
 * @has_master: a packet has said @master
 * @time_lost: high bits of @time may have changed in what was lost
 */
struct stm {
	uint64_t lost_at;
	uint64_t time;
	uint16_t master, channel;
	struct csf_stp_format format;
	uint8_t times;
	uint8_t why;
	bool synced;
	bool odd;
	bool ordered;
	bool has_master;
	bool time_lost;
};

extern const struct protocol stm_protocol __attribute__((visibility("hidden")));

#endif /* CSF_STM_H */
