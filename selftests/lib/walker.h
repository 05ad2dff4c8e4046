/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The naive walker: the oracle of everything faster.
 *
 * It decodes a trace in the plainest way that follows the rules: one packet at
 * a time, one instruction at a time, no block kept, no link, no table.  It
 * shares with the decoder only the packet reader and the instruction classifier.
 */
#ifndef WALKER_H
#define WALKER_H

#include "text.h"

/**
 * struct walker_map - code somewhere
 * @addr: first address
 * @n: bytes
 * @code: its bytes; borrowed; NULL: what the space had mapped there is gone
 * @from: first time at which it is there
 * @until: first time at which it is not any more
 * @space: address space, or CSF_SPACE_ALL
 * @section: maps with the same section and the same address of its offset 0 are one piece of code
 * @base: address of offset 0 of the section
 */
struct walker_map {
	uint64_t addr, n;
	const uint8_t *code;
	uint64_t from, until;
	int space;
	int section;
	uint64_t base;
};

/* A map later in the table replaces earlier ones in its space. */
struct walker_image {
	const struct walker_map *map;
	size_t n;
};

struct walker;

/* @event is valid until it returns; it may call walker_set_space() and walker_set_time(). */
typedef void (*walker_fn)(void *context, struct walker *w, const struct flow_event *event);

/* Returns NULL if csf_config_version() refuses the configuration. */
struct walker *walker_new(const struct csf_config *config, const struct walker_image *image,
			  walker_fn fn, void *context);
void walker_free(struct walker *w);

/* All bytes up to an end, at once. */
void walker_piece(struct walker *w, const uint8_t *trace, size_t n, bool broken_off);
void walker_reset(struct walker *w);

void walker_set_space(struct walker *w, int space);
void walker_set_time(struct walker *w, uint64_t time, uint64_t limit);

#endif /* WALKER_H */
