/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Little-endian reads, base-128 numbers, and the few macros that decoder/ has. */
#ifndef CSF_BYTES_H
#define CSF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
#define BIT(n)			(1u << (n))
#ifndef likely
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#endif
#ifndef fallthrough
#define fallthrough		__attribute__((fallthrough))
#endif
#ifndef noinline
#define noinline		__attribute__((noinline))
#endif
/* Data of another file that no other library can replace, so that it needs no GOT entry. */
#define __hidden		__attribute__((visibility("hidden")))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))

static __always_inline uint16_t get_le16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static __always_inline uint32_t get_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static __always_inline uint64_t get_le64(const uint8_t *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

/*
 * A number that another thread may write, and that leads to data which that thread wrote before.
 * Processors order the two by themselves, as the second is found through the first; the sanitizer
 * needs to be told.
 */
static __always_inline uint32_t load_link(const uint32_t *p)
{
#ifdef __SANITIZE_THREAD__
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#else
	return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

/* The low @n bits of a number; @n is 0..64. */
static __always_inline uint64_t low_bits(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

/*
 * A number for a hash table, in which all low bits are good.  Code has all kinds of strides, and
 * none of them may leave most places empty.  Neither the high bits of a product nor those in the
 * middle are evenly spread for all strides, but both together are.
 */
static __always_inline uint32_t hash_spread(uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15ull;

	return h >> 32 ^ h >> 46;
}

#endif /* CSF_BYTES_H */
