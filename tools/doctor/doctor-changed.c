// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the kernel whose code changed during the recording, and what was lost in each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "doctor.h"

/* The most functions that are named. */
#define NAMES_MAX	8

bool doctor_changed_at(struct doctor *d, uint64_t addr, uint64_t lost)
{
	struct doctor_changed *c = &d->changed;
	struct elf_symbol s = { .name = "unknown" };
	size_t i = 0;

	dso_kernel_symbol(&d->recording.replay->tasks->code.dsos, addr, &s);
	while (i < c->n && c->function[i].addr != s.addr)
		i++;
	if (i == c->n) {
		if (!array_room(&c->function, c->n, &c->size, sizeof(*c->function)))
			return false;
		c->function[c->n++] = (struct doctor_function){ .name = s.name, .addr = s.addr };
	}
	c->function[i].lost += lost;
	return true;
}

static int by_lost(const void *a, const void *b)
{
	const struct doctor_function *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void doctor_print_changed(const struct doctor *d)
{
	const struct doctor_changed *c = &d->changed;

	printf("          the kernel changed it while it was recorded, so it is not known what ran "
	       "up to the next address in the trace\n");
	if (!c->n)
		return;
	qsort(c->function, c->n, sizeof(*c->function), by_lost);
	printf("          in");
	for (size_t i = 0; i < c->n && i < NAMES_MAX; i++)
		printf("%s %s (%" PRIu64 ")", i ? "," : "", c->function[i].name,
		       c->function[i].lost);
	if (c->n > NAMES_MAX)
		printf(" and %zu other functions", c->n - NAMES_MAX);
	printf("\n");
}
