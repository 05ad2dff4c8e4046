/* SPDX-License-Identifier: GPL-2.0-only */
/* A look at trace that is not decoded yet: its trace IDs, and when it begins. */
#ifndef PERF_LOOK_H
#define PERF_LOOK_H

#include "perf-cs.h"

#define PERF_FRAME	16

/* Sets @seen[id] for each trace ID, below CSF_ID_MAX, in @n bytes of frames. */
void perf_look_ids(const uint8_t *bytes, uint64_t n, bool *seen);

/* The current trace ID after @n bytes of whole frames; 0: they do not say, or none. */
uint8_t perf_look_last_id(const uint8_t *bytes, uint64_t n);

/* Identifies the trace unit, to distinguish it from others: the one whose trace comes first. */
uint32_t perf_look_unit(const struct perf_fragment *fragment, const uint8_t *bytes);

/* Makes a frame without data that makes @id the current ID. */
void perf_look_frame(uint8_t frame[PERF_FRAME], uint8_t id);

/**
 * struct perf_look_at - trace to look at
 * @fragment: a fragment, or a part of one: its size, CPU and flags
 * @bytes: its bytes
 * @id: for frames: current trace ID before them, 0: not known
 */
struct perf_look_at {
	const struct perf_fragment *fragment;
	const uint8_t *bytes;
	uint8_t id;
};

/**
 * perf_look() - find the first timestamp of a fragment
 * @nothing: an image without code
 * @timestamp: set to the lowest of the first timestamps of all trace IDs; 0: none is near the
 *             beginning
 *
 * Return: 0, -ENOMEM.
 */
int perf_look(const struct perf_cs *cs, struct csf_image *nothing, const struct perf_look_at *at,
	      uint64_t *timestamp);

/**
 * perf_look_count() - count the timestamps in all of a fragment, or a part of one
 * @n_time: number for each trace ID, below CSF_ID_MAX; for raw trace [0]
 *
 * Return: as perf_look().
 */
int perf_look_count(const struct perf_cs *cs, struct csf_image *nothing,
		    const struct perf_look_at *at, uint32_t *n_time);

/**
 * perf_look_guest() - was there anything at EL1 in all of a fragment, or a part of one?
 * @file: its memory is given back on the way
 *
 * Return: 1, 0, -ENOMEM.
 */
int perf_look_guest(const struct perf_cs *cs, struct csf_image *nothing,
		    const struct perf_look_at *at, const struct perf_file *file);

#endif /* PERF_LOOK_H */
