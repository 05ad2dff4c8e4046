// SPDX-License-Identifier: GPL-2.0-only
#include "encode-unit.h"

void unit_push(struct encoder *e, uint64_t addr, enum enc_isa isa)
{
	struct ret_stack *s = &e->stack;

	if (s->n == e->setup.stack) {
		for (unsigned int i = 1; i < s->n; i++) {
			s->addr[i - 1] = s->addr[i];
			s->isa[i - 1] = s->isa[i];
		}
		s->n--;
	}
	s->addr[s->n] = addr;
	s->isa[s->n++] = isa;
}

bool unit_pop(struct encoder *e, uint64_t addr, enum enc_isa isa)
{
	struct ret_stack *s = &e->stack;

	if (!s->n || s->addr[s->n - 1] != addr || s->isa[s->n - 1] != isa)
		return false;
	s->n--;
	return true;
}
