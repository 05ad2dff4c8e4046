// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bytes.h"
#include "sync.h"

/* Index of the first byte of @p that is not 0, from @i on; @n if all are 0. */
static size_t end_of_zeros(const uint8_t *p, size_t i, size_t n)
{
	uint64_t word = 0;

	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		if (word)
			break;
	}
	while (i < n && !p[i])
		i++;
	return i;
}

/* Number of zero bytes right before @i, at most @max. */
static size_t zeros_before(const uint8_t *p, size_t i, size_t max)
{
	size_t zeros = 0;

	while (zeros < max && zeros < i && !p[i - zeros - 1])
		zeros++;
	return zeros;
}

/*
 * The first A-sync that begins in the bytes from @from on, but before @to; @n: there is none, or it
 * is not complete.  Its zeros cover one byte in each @zeros: only these are looked at.
 */
static size_t find_between(const uint8_t *p, size_t from, size_t to, size_t n, size_t zeros)
{
	size_t i = from + zeros - 1;

	while (i < n && i < to + zeros - 1) {
		if (likely(p[i])) {
			i += zeros;
			continue;
		}
		i = end_of_zeros(p, i, n);
		if (i == n)
			break;
		if (p[i] == 0x80 && zeros_before(p, i, zeros) == zeros)
			return i - zeros;
		i += zeros;
	}
	return n;
}

/* Wherever so many zeros begin, there is a whole word of four in them, at a multiple of four. */
#define WORD_ZEROS	7

/* Bytes that are searched for such words at once. */
#define AT_ONCE		64

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

/* Not 0 if one of the words of the 16 bytes at @p is 0. */
static __always_inline halves zero_words(const uint8_t *p)
{
	words w;

	memcpy(&w, p, sizeof(w));
	return (halves)(w == 0);
}

static __always_inline bool has_zero_word(const uint8_t *p)
{
	const halves any = zero_words(p) | zero_words(p + 16) | zero_words(p + 32) |
			   zero_words(p + 48);

	return any[0] | any[1];
}

size_t sync_find(const uint8_t *p, size_t n, size_t zeros)
{
	size_t from = 0;

	if (!zeros)
		return n;
	if (zeros < WORD_ZEROS)
		return find_between(p, 0, n, n, zeros);
	for (size_t i = 0; i + AT_ONCE <= n; i += AT_ONCE) {
		size_t at;

		if (likely(!has_zero_word(p + i))) {
			/* the first three of its bytes may be here */
			from = i + AT_ONCE - 3;
			continue;
		}
		at = find_between(p, from, i + AT_ONCE, n, zeros);
		if (at < n)
			return at;
		from = i + AT_ONCE;
	}
	return find_between(p, from, n, n, zeros);
}
