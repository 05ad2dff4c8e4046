/* SPDX-License-Identifier: GPL-2.0-only */
/* Random events of an ITM and a DWT, the bytes that they are, and the messages. */
#ifndef RANDOM_ITM_H
#define RANDOM_ITM_H

#include "../../decoder/csflow.h"
#include "../../tools/encoder/itm-wire.h"

#define RANDOM_ITM_EVENTS	1000	/* of a batch */
#define RANDOM_ITM_HELD		64	/* messages without a time, at most */

/**
 * struct random_itm - an ITM, and what a reader of its trace knows
 * @wire: its packets
 * @bytes: a batch, @n bytes
 * @want: the messages that have not been compared, @n_want of them; the last @waiting have no time
 *        yet
 * @fed: bytes of earlier batches
 * @ticks: local time; @prescale: of its timestamps, as a shift
 * @known: bits of the global time that a reader knows
 * @addr: by comparator; @addr_size: bytes that a reader knows
 * @kinds: messages by kind
 * @plain: only what sigrok reads: no page, PMU, number that is reserved, global timestamp, or
 *         address of another size than two
 * @pages: ports above 31, and no reserved packets: near those a reader does not believe a page
 * @synced, @lost: since the last sync; since the start
 * @random: state of the dice
 */
struct random_itm {
	struct itm_wire wire;
	uint8_t bytes[RANDOM_ITM_EVENTS * 2 * ITM_WIRE_MAX];
	size_t n;
	struct csf_message want[2 * RANDOM_ITM_EVENTS + 2 * RANDOM_ITM_HELD];
	size_t n_want, waiting;
	uint64_t fed;
	uint64_t ticks;
	unsigned int prescale;
	uint64_t known;
	uint32_t addr[4];
	uint8_t addr_size[4];
	uint64_t kinds[CSF_MESSAGE_NR];
	bool synced, lost, plain, pages;
	uint64_t random;
};

/* Zeroes @u, but for @seed, which decides the prescaler and the width of global timestamps, too. */
void random_itm_begin(struct random_itm *u, uint64_t seed);

/* How the trace of @u is to be read. */
struct csf_config random_itm_config(const struct random_itm *u);

/* The next batch; that before is no longer in @bytes. */
void random_itm_batch(struct random_itm *u);

uint64_t random_itm_dice(struct random_itm *u, uint64_t n);

#endif /* RANDOM_ITM_H */
