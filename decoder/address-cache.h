/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address cache: what is known of addresses, separate from the decoder.  It grows with the code
 * that was executed, and is useful for every decoder that reaches the same addresses.  So each
 * thread has one, near its processor, and lends it to the decoder of the segment that it works on.
 */
#ifndef CSF_ADDRESS_CACHE_H
#define CSF_ADDRESS_CACHE_H

#include "flow.h"

/* A flow.gen_key that never occurs. */
#define GEN_NEVER	UINT64_MAX

/**
 * struct address_cache - what is known of addresses
 * @image, @rule, @without: those of the decoders that it is valid for
 * @stamp: likewise: see address_cache_lend()
 */
struct address_cache {
	const struct csf_image *image;
	uint32_t rule;
	uint32_t without;
	uint64_t stamp;
	struct addresses addr;
};

void address_cache_free(struct address_cache *m);

/* A cache of the smallest size, empty; sets *mask and *stored.  Return: NULL: no memory. */
struct address_entry *address_entries_new(uint32_t *mask, uint32_t *stored);

/**
 * address_cache_lend() - lend it to a decoder that has none
 * @stamp: changes whenever an image may have been freed
 *
 * Return: false: no memory.
 */
bool address_cache_lend(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/*
 * Lends it to a decoder that may have had it before, and other decoders since, and which is at the
 * place where it was then.  All of them count generations alike, so what @d knew is valid if no
 * decoder began another generation.
 *
 * Return: false: no memory.
 */
bool address_cache_lend_again(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/*
 * Takes it back, so that other decoders of the same kind may have it.  @stamp as in
 * address_cache_lend().
 */
void address_cache_put_away(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/*
 * Takes back what address_cache_lend() lent: @d then has none, but its time and generations can
 * still be read.
 */
void address_cache_take_back(struct address_cache *m, struct csf_decoder *d);

/* @d has another cache and goes on with @own, which belongs to a decoder at the same place. */
void address_cache_exchange(struct address_cache *own, struct csf_decoder *d);

/*
 * Takes the cache of @d, which is at rest, for other decoders of its kind; @stamp as in
 * address_cache_lend().
 */
void address_cache_borrow(struct address_cache *m, struct csf_decoder *d, uint64_t stamp);

/* The knowledge of @d that refers to its present cache is not valid with another cache. */
void address_cache_disown(struct csf_decoder *d);

/* Returns a borrowed cache to @d.  It was only used at the time of @d. */
void address_cache_return(struct address_cache *m, struct csf_decoder *d);

#endif /* CSF_ADDRESS_CACHE_H */
