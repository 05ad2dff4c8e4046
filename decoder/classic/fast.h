/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code that the hot loops of ETMv3 and PTM share. */
#ifndef CSF_CLASSIC_FAST_H
#define CSF_CLASSIC_FAST_H

#include "../steps.h"
#include "parts.h"

#define CLASSIC_BRANCH_MAX	5	/* bytes of a branch without an exception */

/*
 * Takes over the full address of a branch, whose fifth @byte has no exception; @val has the 27 bits
 * before.  Returns its size; 0: it is not for a hot loop.
 */
static __always_inline unsigned int classic_take_full(struct classic *c, uint8_t byte, uint64_t val,
						      uint64_t *at)
{
	const int isa = byte & 0xc0 ? -1 : classic_read_fifth(byte, &val);

	if (isa < 0 || isa == CLASSIC_JAZELLE)
		return 0;
	c->isa = isa;
	c->addr = val;
	*at = val | isa;
	return CLASSIC_BRANCH_MAX;
}

/*
 * Completes the address of a branch without an exception at @p, and takes it over; *@at has bit 0
 * set for T32.  @alt: see classic_read_short().  Returns its size; 0: it is not for a hot loop.
 */
static __always_inline unsigned int classic_take_branch(struct classic *c, const uint8_t *p,
							bool alt, uint64_t *at)
{
	uint64_t val, known;
	unsigned int n, size = classic_read_short(p, alt, &val, &n);

	if (unlikely(!size))
		return 0;
	if (unlikely(p[size - 1] & 0x80))
		return classic_take_full(c, p[size], val, at);
	known = low_bits(n + 2 - c->isa);
	c->addr = (c->addr & ~known) | val << (2 - c->isa);
	*at = c->addr | c->isa;
	return size;
}

#endif /* CSF_CLASSIC_FAST_H */
