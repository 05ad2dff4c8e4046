/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of STP, as an STM or another source of STP sends them. */
#ifndef CSF_STP_WIRE_H
#define CSF_STP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How timestamps are written: numbers of a VERSION; below 2 those of STPv1. */
enum stp_times { STP_OLD = 1, STP_DELTA = 2, STP_LOW = 3, STP_GRAY = 4 };

/**
 * struct stp_wire - a stream, and the state with which packets are written
 * @bytes: room for @max nibbles, of which @n were written; if there are more, they are counted only
 * @high_first: the high nibble of a byte comes first
 * @reversed: fields come least significant nibble first
 * @times: enum stp_times
 * @time: the last timestamp
 * @spare: nibbles that a timestamp has at least
 */
struct stp_wire {
	uint8_t *bytes;
	size_t n, max;
	bool high_first, reversed;
	uint8_t times;
	uint64_t time;
	unsigned int spare;
};

void stp_nibble(struct stp_wire *w, unsigned int v);

void stp_sync(struct stp_wire *w);

/* @minor: 1 for STP 2.1, which has the short form; 2..4. */
void stp_version(struct stp_wire *w, enum stp_times times, unsigned int minor, bool reversed);

/* @wide: 16 bits */
void stp_master(struct stp_wire *w, uint16_t v, bool wide);
void stp_channel(struct stp_wire *w, uint16_t v, bool wide);

/* @time: NULL: the packet has no timestamp. */
void stp_null(struct stp_wire *w, const uint64_t *time);
void stp_flag(struct stp_wire *w, const uint64_t *time);
void stp_trigger(struct stp_wire *w, uint8_t v, const uint64_t *time);
void stp_cross_sync(struct stp_wire *w, uint8_t v, const uint64_t *time);

/* @size: nibbles: 1, 2, 4, 8 or 16 */
void stp_data(struct stp_wire *w, uint64_t v, unsigned int size, bool marked,
	      const uint64_t *time);

/* @size: nibbles, 1..16 */
void stp_user(struct stp_wire *w, uint64_t v, unsigned int size, const uint64_t *time);

/* @wide: 40 bits, otherwise 32 */
void stp_frequency(struct stp_wire *w, uint64_t v, bool wide, const uint64_t *time);

/* Trace was lost: of one master, of all, of a channel. */
enum stp_error { STP_MASTER_ERROR, STP_GLOBAL_ERROR, STP_CHANNEL_ERROR };
void stp_error(struct stp_wire *w, enum stp_error error, uint8_t v);

/* Data in progress. */
void stp_progress(struct stp_wire *w);

#endif /* CSF_STP_WIRE_H */
