// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "flow.h"

static struct flow *find(const struct flows *flows, int32_t cpu, int32_t tid)
{
	uint32_t h = (uint32_t)cpu * 0x9e3779b1 ^ (uint32_t)tid * 0x85ebca6b;
	size_t mask = flows->n_slot - 1;

	for (size_t i = (h ^ h >> 15) & mask;; i = (i + 1) & mask) {
		struct flow *f = &flows->slot[i];

		if (!f->used || (f->cpu == cpu && f->tid == tid))
			return f;
	}
}

static int grow(struct flows *flows)
{
	struct flows larger = { .n_slot = flows->n_slot ? 2 * flows->n_slot : 64 };

	larger.slot = calloc(larger.n_slot, sizeof(*larger.slot));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < flows->n_slot; i++)
		if (flows->slot[i].used)
			*find(&larger, flows->slot[i].cpu, flows->slot[i].tid) = flows->slot[i];
	free(flows->slot);
	flows->slot = larger.slot;
	flows->n_slot = larger.n_slot;
	return 0;
}

struct flow *flow_of(struct flows *flows, int32_t cpu, int32_t tid)
{
	struct flow *f;

	if (flows->n >= flows->n_slot / 2 && grow(flows))
		return NULL;
	f = find(flows, cpu, tid);
	if (!f->used) {
		*f = (struct flow){ .cpu = cpu, .tid = tid, .used = true };
		flows->n++;
	}
	return f;
}

void flows_free(struct flows *flows)
{
	free(flows->slot);
	*flows = (struct flows){ 0 };
}
