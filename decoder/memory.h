/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory: what is known of addresses, apart from who decodes.  It grows with the code that was
 * executed, and is of use to whoever comes by the same addresses; so each thread has one, near its
 * processor, and lends it to the decoder of whichever segment it is at.
 */
#ifndef CSF_MEMORY_H
#define CSF_MEMORY_H

#include "flow.h"

/* A decoder.epoch that is none. */
#define EPOCH_NEVER	UINT64_MAX

/**
 * struct memory - what is known of addresses
 * @image, @rule, @without: of decoders that it is good for
 * @stamp: likewise: see memory_lend()
 * The others: as in struct csf_decoder.
 */
struct memory {
	const struct csf_image *image;
	uint32_t rule;
	uint32_t without;
	uint64_t stamp;
	struct place_cache *cache;
	uint32_t cache_mask, cache_stored;
	struct path_memo *memo;
	struct place_tags tags;
	struct view_cache seen[ARRAY_SIZE(((struct csf_decoder *)0)->seen)];
	uint32_t next_seen;
	uint64_t time;
	struct steady steady;
	uint32_t generation, era;
};

void memory_free(struct memory *m);

/* The smallest cache, with nothing in it; NULL: no memory.  Sets what goes with it. */
struct place_cache *memory_cache_new(uint32_t *mask, uint32_t *stored);

/**
 * memory_lend() - to a decoder that has none
 * @stamp: changes whenever an image may have been freed
 *
 * Return: false: no memory.
 */
bool memory_lend(struct memory *m, struct csf_decoder *d, uint64_t stamp);

/*
 * To a decoder that had it before, maybe, and others since, and is where it was then.  All of them
 * count eras alike, so what @d knew is believed if nobody began another era.
 *
 * Return: false: no memory.
 */
bool memory_lend_again(struct memory *m, struct csf_decoder *d, uint64_t stamp);

/* And back again: others of its kind may have it.  @stamp as in memory_lend(). */
void memory_put_away(struct memory *m, struct csf_decoder *d, uint64_t stamp);

/*
 * From memory_lend(), back again: @d has none then, but its time, generation and era are still
 * there to be seen.
 */
void memory_take_back(struct memory *m, struct csf_decoder *d);

/*
 * @d, which is where it is by another memory, goes on with @own, which is that of a decoder at the
 * same place.
 */
void memory_exchange(struct memory *own, struct csf_decoder *d);

/* That of @d, which is at rest, for others of its kind; @stamp as in memory_lend(). */
void memory_borrow(struct memory *m, struct csf_decoder *d, uint64_t stamp);

/* Of what @d knows by the memory that it has, nothing is believed by another. */
void memory_disown(struct csf_decoder *d);

/* It was of use at no other time than @d's. */
void memory_return(struct memory *m, struct csf_decoder *d);

#endif /* CSF_MEMORY_H */
