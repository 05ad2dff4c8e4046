/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests: are two structures the same?  Field by field: the bytes between
 * fields may be anything, and with some compilers are.
 */
#ifndef PERF_SAME_H
#define PERF_SAME_H

#include <stddef.h>
#include <string.h>

#include "../../perf-plugin/perf-aux.h"
#include "../../perf-plugin/perf-cs.h"

static inline bool same_fragment(const struct perf_fragment *a, const struct perf_fragment *b)
{
	return a->offset == b->offset && a->size == b->size && a->aux_offset == b->aux_offset &&
		a->time == b->time && a->record == b->record && a->cpu == b->cpu &&
		a->pid == b->pid && a->tid == b->tid && a->queue == b->queue &&
		a->flags == b->flags;
}

static inline bool same_time_conv(const struct perf_time_conv *a, const struct perf_time_conv *b)
{
	return a->shift == b->shift && a->mult == b->mult && a->zero == b->zero &&
		a->cycles == b->cycles && a->mask == b->mask && a->is_short == b->is_short;
}

static inline bool same_unit(const struct perf_cs_cpu *a, const struct perf_cs_cpu *b)
{
	const size_t n = offsetof(struct csf_config, itmtcr) + sizeof(a->config.itmtcr);

	_Static_assert(offsetof(struct csf_config, itmtcr) ==
		       sizeof(size_t) + 19 * sizeof(uint32_t), "nothing between its fields");

	return !memcmp(&a->config, &b->config, n) && a->cpu == b->cpu &&
		a->protocol == b->protocol && a->pid == b->pid && a->time == b->time &&
		a->authstatus == b->authstatus && a->id == b->id;
}

static inline bool same_id(const struct perf_cs_id *a, const struct perf_cs_id *b)
{
	return a->cpu == b->cpu && a->sink == b->sink && a->id == b->id;
}

#endif /* PERF_SAME_H */
