// SPDX-License-Identifier: GPL-2.0-only
/* Source: ARM DDI 0403 appendix D4, ARM DDI 0553 chapter "ITM and DWT packet protocol". */
#include "itm-wire.h"

#define GLOBAL_LOW	26	/* bits of a global timestamp in its first packet */
#define PAGE		32	/* ports */

enum {
	HEADER_OVERFLOW = 0x70, HEADER_GLOBAL_LOW = 0x94, HEADER_GLOBAL_HIGH = 0xb4,
	HEADER_LOCAL = 0xc0, HEADER_EXTENSION = 0x08, HARDWARE = 0x04, EXTENSION_HARDWARE = 0x04,
	CLOCK_CHANGED = 0x20, WRAPPED = 0x40, GOES_ON = 0x80,
};

size_t itm_wire_sync(uint8_t *p, unsigned int zeros)
{
	for (unsigned int i = 0; i < zeros; i++)
		p[i] = 0;
	p[zeros] = 0x80;
	return zeros + 1;
}

size_t itm_wire_overflow(uint8_t *p)
{
	p[0] = HEADER_OVERFLOW;
	return 1;
}

/* ---------------------------------------------------------------- software and hardware */

static size_t source(uint8_t *p, uint8_t header, unsigned int size, uint32_t value)
{
	p[0] = header | (size == 4 ? 3 : size);
	for (unsigned int i = 0; i < size; i++)
		p[1 + i] = value >> 8 * i;
	return 1 + size;
}

size_t itm_wire_stimulus(struct itm_wire *w, uint8_t *p, unsigned int port, unsigned int size,
			 uint32_t value)
{
	size_t n = 0;

	if (port / PAGE != w->page) {
		w->page = port / PAGE;
		n = itm_wire_extension(p, false, 3, w->page);
	}
	return n + source(p + n, port % PAGE << 3, size, value);
}

size_t itm_wire_hardware(uint8_t *p, unsigned int number, unsigned int size, uint32_t value)
{
	return source(p, number << 3 | HARDWARE, size, value);
}

size_t itm_wire_counters(uint8_t *p, unsigned int mask)
{
	return itm_wire_hardware(p, ITM_WIRE_COUNTERS, 1, mask);
}

size_t itm_wire_exception(uint8_t *p, unsigned int number, unsigned int how)
{
	return itm_wire_hardware(p, ITM_WIRE_EXCEPTION, 2, how << 12 | number);
}

size_t itm_wire_pc(uint8_t *p, uint32_t addr)
{
	return itm_wire_hardware(p, ITM_WIRE_PC, 4, addr);
}

size_t itm_wire_no_pc(uint8_t *p, bool prohibited)
{
	return itm_wire_hardware(p, ITM_WIRE_PC, 1, prohibited ? 0xff : 0);
}

size_t itm_wire_pmu(uint8_t *p, unsigned int mask)
{
	return itm_wire_hardware(p, ITM_WIRE_PMU, 1, mask);
}

size_t itm_wire_access_pc(uint8_t *p, unsigned int comparator, uint32_t addr)
{
	return itm_wire_hardware(p, ITM_WIRE_ACCESS + 2 * comparator, 4, addr);
}

size_t itm_wire_access_addr(uint8_t *p, unsigned int comparator, unsigned int size, uint32_t addr)
{
	return itm_wire_hardware(p, ITM_WIRE_ACCESS + 2 * comparator + 1, size, addr);
}

size_t itm_wire_match(uint8_t *p, unsigned int comparator)
{
	return itm_wire_hardware(p, ITM_WIRE_ACCESS + 2 * comparator, 1, 1);
}

size_t itm_wire_data(uint8_t *p, unsigned int comparator, bool write, unsigned int size,
		     uint32_t value)
{
	return itm_wire_hardware(p, ITM_WIRE_DATA + 2 * comparator + write, size, value);
}

/* ---------------------------------------------------------------- timestamps, extensions */

/* @n bytes of 7 bits each, all but the last marked. */
static void split(uint8_t *p, uint64_t value, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		p[i] = (value >> 7 * i & 0x7f) | (i + 1 < n ? GOES_ON : 0);
}

size_t itm_wire_local(uint8_t *p, uint32_t ticks, unsigned int late, unsigned int bytes)
{
	if (!bytes && !late && ticks >= 1 && ticks <= 6) {
		p[0] = ticks << 4;
		return 1;
	}
	bytes += !bytes;
	while (bytes < 4 && ticks >> 7 * bytes)
		bytes++;
	p[0] = HEADER_LOCAL | late << 4;
	split(p + 1, ticks, bytes);
	return 1 + bytes;
}

size_t itm_wire_global(struct itm_wire *w, uint8_t *p, uint64_t time, bool clock_changed)
{
	const uint64_t changed = w->global_sent ? time ^ w->global : ~0ull;
	const bool wrapped = changed >> GLOBAL_LOW;
	unsigned int bytes = 1;

	w->global = time;
	w->global_sent = true;
	while (bytes < 4 && changed >> 7 * bytes)
		bytes++;
	if (clock_changed)
		bytes = 4;
	p[0] = HEADER_GLOBAL_LOW;
	split(p + 1, time, bytes);
	if (bytes == 4)
		p[4] = (p[4] & 0x1f) | (clock_changed ? CLOCK_CHANGED : 0) |
		       (wrapped ? WRAPPED : 0);
	return 1 + bytes;
}

size_t itm_wire_global_high(const struct itm_wire *w, uint8_t *p)
{
	const uint64_t high = w->global >> GLOBAL_LOW;

	p[0] = HEADER_GLOBAL_HIGH;
	split(p + 1, w->wide ? high : high & 0x3fffff, w->wide ? 6 : 4);
	return w->wide ? 7 : 5;
}

size_t itm_wire_extension(uint8_t *p, bool hardware, unsigned int bits, uint32_t value)
{
	const unsigned int bytes = bits == 32 ? 4 : (bits - 3) / 7;

	p[0] = HEADER_EXTENSION | (hardware ? EXTENSION_HARDWARE : 0) | (value & 7) << 4;
	split(p + 1, value >> 3, bytes);
	if (bytes)
		p[0] |= GOES_ON;
	if (bytes == 4)
		p[4] = value >> 24;
	return 1 + bytes;
}
