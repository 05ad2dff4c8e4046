/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address cache: what is known of addresses, apart from the decoder.  It grows with the code that
 * was executed, and is of use to whoever comes by the same addresses; so each thread has one, near
 * its processor, and lends it to the decoder of whichever segment it is at.
 */
#ifndef CSF_ADDRESS_CACHE_H
#define CSF_ADDRESS_CACHE_H

#include "flow.h"

/* A decoder.gen_key that is none. */
#define GEN_NEVER	UINT64_MAX

/**
 * struct address_cache - what is known of addresses
 * @image, @rule, @without: of decoders that it is good for
 * @stamp: likewise: see address_cache_lend()
 * The others: as in struct csf_decoder.
 */
struct address_cache {
	const struct csf_image *image;
	uint32_t rule;
	uint32_t without;
	uint64_t stamp;
	struct address_entry *cache;
	uint32_t cache_mask, cache_stored;
	struct path_memo *memo;
	struct gens gens;
	struct mapping_cache seen[ARRAY_SIZE(((struct csf_decoder *)0)->seen)];
	uint32_t next_seen;
	uint64_t time;
	struct steady steady;
	uint32_t image_generation, generation;
};

void address_cache_free(struct address_cache *m);

/* The smallest cache, with nothing in it; NULL: no memory.  Sets what goes with it. */
struct address_entry *address_entries_new(uint32_t *mask, uint32_t *stored);

/**
 * address_cache_lend() - to a decoder that has none
 * @stamp: changes whenever an image may have been freed
 *
 * Return: false: no memory.
 */
bool address_cache_lend(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/*
 * To a decoder that had it before, maybe, and others since, and is where it was then.  All of them
 * count generations alike, so what @d knew is believed if nobody began another generation.
 *
 * Return: false: no memory.
 */
bool address_cache_lend_again(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/* And back again: others of its kind may have it.  @stamp as in address_cache_lend(). */
void address_cache_put_away(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/*
 * From address_cache_lend(), back again: @d has none then, but its time and generations are still
 * there to be seen.
 */
void address_cache_take_back(struct address_cache *m, struct csf_decoder *d);

/*
 * @d, which is where it is by another cache, goes on with @own, which is that of a decoder at the
 * same place.
 */
void address_cache_exchange(struct address_cache *own, struct csf_decoder *d);

/* That of @d, which is at rest, for others of its kind; @stamp as in address_cache_lend(). */
void address_cache_borrow(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/* Of what @d knows by the cache that it has, nothing is believed by another. */
void address_cache_disown(struct csf_decoder *d);

/* It was of use at no other time than @d's. */
void address_cache_return(struct address_cache *m, struct csf_decoder *d);

#endif /* CSF_ADDRESS_CACHE_H */
