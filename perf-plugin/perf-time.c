// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's clock, and the counter of trace timestamps.
 *
 * Source: struct perf_event_mmap_page in linux/perf_event.h, time_zero and time_cycles.
 */
#include "perf-file.h"

#include "perf-abi.h"

uint64_t perf_time_from_counter(const struct perf_time_conv *conv, uint64_t counter)
{
	unsigned int shift = conv->shift & 63;
	uint64_t whole, rest;

	if (conv->is_short)
		counter = conv->cycles + ((counter - conv->cycles) & conv->mask);
	whole = counter >> shift;
	rest = counter & low_bits(shift);
	return conv->zero + whole * conv->mult + (rest * conv->mult >> shift);
}

uint64_t perf_time_to_counter(const struct perf_time_conv *conv, uint64_t ns)
{
	unsigned int shift = conv->shift & 63;
	uint64_t whole, rest;

	ns -= conv->zero;
	whole = ns / conv->mult;
	rest = ns % conv->mult;
	return (whole << shift) + (rest << shift) / conv->mult;
}
