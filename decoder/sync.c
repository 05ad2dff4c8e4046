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

/* A run of @zeros zeros covers one byte in each @zeros: look only at those. */
size_t sync_find(const uint8_t *p, size_t n, size_t zeros)
{
	size_t i = zeros - 1;

	if (!zeros)
		return n;
	while (i < n) {
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
