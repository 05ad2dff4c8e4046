/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers in files, packed: LEB128, seven bits a byte, the lowest first, bit 7 set in all but the
 * last.  Whoever reads takes fields one after the other, and asks once, at the end, what was wrong.
 */
#ifndef CSF_PACKED_H
#define CSF_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; with @err set nothing is added. */
struct packed_out {
	uint8_t *p;
	size_t n, size;
	int err;
};

void packed_bytes(struct packed_out *out, const void *bytes, size_t n);
void packed_put(struct packed_out *out, uint64_t v);
/* As it is, little-endian. */
void packed_u32(struct packed_out *out, uint32_t v);

/* What is left of the file; @why: what is wrong with it, at @at, and no more is taken. */
struct packed_in {
	const uint8_t *p, *end, *at;
	const char *why;
};

void packed_wrong(struct packed_in *in, const char *why);
uint64_t packed_take(struct packed_in *in);
/* A number that is at most @max, or @what is wrong. */
uint64_t packed_take_max(struct packed_in *in, uint64_t max, const char *what);
/* NULL: there are not so many. */
const uint8_t *packed_take_bytes(struct packed_in *in, size_t n);
uint32_t packed_get_u32(const uint8_t *p);

/* Differences of either sign as small numbers. */
static inline uint64_t packed_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t packed_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* CRC-32, as zlib has it. */
uint32_t packed_crc(const uint8_t *p, size_t n);

#endif /* CSF_PACKED_H */
