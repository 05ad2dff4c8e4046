/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Short cycle counts, of which there are many: of lead.c and lead-marks.c alone. */
#ifndef CSF_LEAD_MARKS_H
#define CSF_LEAD_MARKS_H

#include "lead-parts.h"

/* Is it a Cycle Count packet of one byte or two: format 3, or 2? */
static __always_inline bool is_short_cycles(uint8_t byte)
{
	return byte < 0x20 && 0xffff3000u >> byte & 1;
}

/**
 * struct short_cycles - what such a packet says
 * @size: of the packet
 * @count: as it stands, without the threshold
 * @commit: P0 elements it commits, where it does
 */
struct short_cycles {
	uint32_t size, count, commit;
};

static __always_inline struct short_cycles short_cycles(const struct config *c, const uint8_t *pos)
{
	const uint32_t two = *pos < 0x10, bits = 2 + 2 * two, mask = (1 << bits) - 1;
	const uint32_t back = (c->max_spec - 16) & -(two & *pos);	/* modulo 2^32 */

	return (struct short_cycles){
		.size = 1 + two, .count = pos[two] & mask,
		.commit = c->commopt ? 0 : (pos[two] >> bits & mask) + 1 + back,
	};
}

/* It waits, before step @step; @sure: steps that are, behind its packet at @offset. */
static __always_inline void put_cycles(const struct csf_decoder *d, struct lead *l,
				       uint64_t offset, uint32_t count, uint32_t step,
				       uint64_t sure)
{
	struct lead_mark *m = &l->mark[l->n_mark++];

	m->offset = offset;
	m->val = d->seq + d->n_more + sure;
	m->count = d->expand.threshold + count;
	m->step = step;
	m->type = EL_CYCLES;
	m->flags = EL_COUNT;
}

#endif /* CSF_LEAD_MARKS_H */
