/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets of ITM and DWT.  Each function writes one event to @p, which has room for
 * ITM_WIRE_MAX bytes, and returns how many it has written.
 */
#ifndef CSF_ITM_WIRE_H
#define CSF_ITM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITM_WIRE_MAX	16	/* bytes of the longest event */

/* Numbers of hardware packets. */
enum itm_wire_hardware {
	ITM_WIRE_COUNTERS = 0, ITM_WIRE_EXCEPTION = 1, ITM_WIRE_PC = 2, ITM_WIRE_PMU = 3,
	ITM_WIRE_ACCESS = 8, ITM_WIRE_DATA = 16,
};

/* How a local timestamp was late: bits. */
enum itm_wire_late { ITM_WIRE_TIME_LATE = 1, ITM_WIRE_PACKETS_LATE = 2 };

/**
 * struct itm_wire - what was sent, with which packets are made short
 * @global: the last global timestamp, if @global_sent
 * @wide: global timestamps have 64 bits, not 48
 * @page: of the stimulus ports
 */
struct itm_wire {
	uint64_t global;
	bool global_sent, wide;
	uint8_t page;
};

/* @zeros: 5 or more */
size_t itm_wire_sync(uint8_t *p, unsigned int zeros);
size_t itm_wire_overflow(uint8_t *p);

/* Software wrote @size bytes, 1, 2 or 4, to a port, 0 to 255. */
size_t itm_wire_stimulus(struct itm_wire *w, uint8_t *p, unsigned int port, unsigned int size,
			 uint32_t value);

/*
 * A hardware packet, by its number; the functions after it have names for those that mean
 * something.
 */
size_t itm_wire_hardware(uint8_t *p, unsigned int number, unsigned int size, uint32_t value);
size_t itm_wire_counters(uint8_t *p, unsigned int mask);
/* @how: 1 entered, 2 exited, 3 returned */
size_t itm_wire_exception(uint8_t *p, unsigned int number, unsigned int how);
size_t itm_wire_pc(uint8_t *p, uint32_t addr);
/* There is none: it sleeps, or sampling is prohibited. */
size_t itm_wire_no_pc(uint8_t *p, bool prohibited);
size_t itm_wire_pmu(uint8_t *p, unsigned int mask);
size_t itm_wire_access_pc(uint8_t *p, unsigned int comparator, uint32_t addr);
/* @size: 1, 2 or 4 low bytes of the address */
size_t itm_wire_access_addr(uint8_t *p, unsigned int comparator, unsigned int size, uint32_t addr);
size_t itm_wire_match(uint8_t *p, unsigned int comparator);
size_t itm_wire_data(uint8_t *p, unsigned int comparator, bool write, unsigned int size,
		     uint32_t value);

/* A local timestamp, of 28 bits, in the shortest packet that has at least @bytes of payload. */
size_t itm_wire_local(uint8_t *p, uint32_t ticks, unsigned int late, unsigned int bytes);

/*
 * The low part of a global timestamp: as many bits as have changed.  If those above have changed,
 * or the clock has, the packet says so, and itm_wire_global_high() must follow some time.
 */
size_t itm_wire_global(struct itm_wire *w, uint8_t *p, uint64_t time, bool clock_changed);
size_t itm_wire_global_high(const struct itm_wire *w, uint8_t *p);

/* An extension packet of @bits bits: 3, 10, 17, 24 or 32. */
size_t itm_wire_extension(uint8_t *p, bool hardware, unsigned int bits, uint32_t value);

#endif /* CSF_ITM_WIRE_H */
