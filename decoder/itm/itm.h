/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ITM and DWT: what packets take over from earlier packets. */
#ifndef CSF_ITM_H
#define CSF_ITM_H

#include <stdbool.h>
#include <stdint.h>

#define ITM_COMPARATORS	4

/**
 * struct itm - part of struct csf_messages
 * @time: local time, in ticks
 * @global: global time, of which the bits in @known are known
 * @addr: by comparator: the last data address, of which @addr_size bytes are known
 * @page: which 32 ports the stimulus packets mean
 * @page_before: the one before; @page_since: number of packets before @page came
 * @page_from: number of packets from which on a page is believed
 * @synced: a sync has come since the start or the last gap
 * @time_lost: something that @time does not count was lost
 */
struct itm {
	uint64_t time;
	uint64_t global;
	uint64_t known;
	uint32_t addr[ITM_COMPARATORS];
	uint8_t addr_size[ITM_COMPARATORS];
	uint8_t page, page_before;
	uint64_t page_since, page_from;
	bool synced;
	bool time_lost;
};

extern const struct protocol itm_protocol __attribute__((visibility("hidden")));

#endif /* CSF_ITM_H */
