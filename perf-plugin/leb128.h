/* SPDX-License-Identifier: GPL-2.0-only */
/* LEB128: seven bits a byte, the lowest first, bit 7 set in all but the last. */
#ifndef CSF_LEB128_H
#define CSF_LEB128_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes of a number of 64 bits. */
#define LEB128_MAX	10

/**
 * enum leb128 - what is wrong with a number
 * @LEB128_GOOD: nothing; more bytes than it needs are no error
 * @LEB128_CUT: the bytes end in it
 * @LEB128_LONG: it has more than LEB128_MAX bytes, of which so many were read
 * @LEB128_WIDE: it has more than 64 bits
 */
enum leb128 { LEB128_GOOD, LEB128_CUT, LEB128_LONG, LEB128_WIDE };

/**
 * leb128_get() - read a number
 * @p: moves after the bytes that were read
 * @end: the end of the bytes
 * @v: the lowest 64 bits of what was read, in any case
 *
 * Return: enum leb128.
 */
static inline enum leb128 leb128_get(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (unsigned int shift = 0; shift < 7 * LEB128_MAX; shift += 7) {
		uint8_t byte;

		if (*p == end)
			return LEB128_CUT;
		byte = *(*p)++;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return shift == 63 && byte > 1 ? LEB128_WIDE : LEB128_GOOD;
	}
	return LEB128_LONG;
}

/**
 * leb128_put() - write a number
 * @p: room for LEB128_MAX bytes
 * @v: the number
 *
 * Return: the number of bytes.
 */
static inline size_t leb128_put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = v | 0x80;
	p[n++] = v;
	return n;
}

#endif /* CSF_LEB128_H */
