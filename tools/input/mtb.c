// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "mtb.h"

#define PACKET		8
#define POSITION_WRAP	(1u << 2)
#define MASTER_MASK	0x1f

uint8_t *mtb_in_order(const uint8_t *memory, size_t n, uint32_t position, size_t *n_packets)
{
	const size_t whole = n / PACKET * PACKET;
	const size_t at = position & ~(PACKET - 1u);
	const size_t older = position & POSITION_WRAP ? whole - at : 0;
	uint8_t *ordered;

	*n_packets = 0;
	if (at > whole)
		return NULL;
	ordered = malloc(whole + 1);
	if (!ordered)
		return NULL;
	memcpy(ordered, memory + at, older);
	memcpy(ordered + older, memory, at);
	*n_packets = older + at;
	return ordered;
}

void mtb_buffer(struct mtb_memory *m)
{
	const uint64_t size = 16ull << (m->master & MASTER_MASK);
	const uint32_t start = m->position & ~(size - 1);

	if (!m->has_master)
		return;
	if (start && start + size <= m->n)
		m->data += start;
	else if (size > m->n)
		return;
	m->n = size;
	m->position -= start;
}
