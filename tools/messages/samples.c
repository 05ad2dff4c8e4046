// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/table.h"
#include "samples.h"

/* A function, or an address without one. */
struct place {
	uint64_t addr, n;
	const char *name;
};

static int grow(struct samples *s)
{
	const size_t size = s->size ? 2 * s->size : 256;
	struct sample *more;

	if (s->n < s->size)
		return 0;
	more = realloc(s->sample, size * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->sample = more;
	s->size = size;
	return 0;
}

int samples_add(struct samples *s, const struct row *row)
{
	const uint64_t pc = row->m.value;
	uint32_t *slot;

	if (row->kind != CSF_MESSAGE_PC && row->kind != CSF_MESSAGE_NO_PC)
		return 0;
	s->all++;
	if (row->kind == CSF_MESSAGE_NO_PC) {
		s->asleep += !pc;
		s->prohibited += !!pc;
		return 0;
	}
	if (grow(s) || !HASH_ROOM(&s->by_pc, s->n, 1, i, hash_mix(0, s->sample[i - 1].pc)))
		return -ENOMEM;
	slot = HASH_SLOT(&s->by_pc, hash_mix(0, pc), i, s->sample[i - 1].pc == pc);
	if (!*slot) {
		s->sample[s->n] = (struct sample){ .pc = pc };
		*slot = ++s->n;
	}
	s->sample[*slot - 1].n++;
	return 0;
}

static struct place place_of(const struct samples *s, const struct sample *sample)
{
	struct elf_symbol symbol;

	for (size_t i = 0; i < s->n_elf; i++)
		if (elf_file_symbol(s->elf[i], sample->pc, &symbol))
			return (struct place){ symbol.addr, sample->n, symbol.name };
	return (struct place){ sample->pc, sample->n, NULL };
}

static int by_addr(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->addr < q->addr ? -1 : p->addr > q->addr;
}

static int by_number(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->n > q->n ? -1 : p->n < q->n ? 1 : by_addr(a, b);
}

/* Adds up places of the same function.  Return: how many there are. */
static size_t fold(struct place *place, size_t n)
{
	size_t kept = 0;

	qsort(place, n, sizeof(*place), by_addr);
	for (size_t i = 0; i < n; i++) {
		if (kept && place[kept - 1].addr == place[i].addr && !place[i].name ==
		    !place[kept - 1].name)
			place[kept - 1].n += place[i].n;
		else
			place[kept++] = place[i];
	}
	qsort(place, kept, sizeof(*place), by_number);
	return kept;
}

static void put_line(struct table *t, const struct samples *s, uint64_t n)
{
	if (!n)
		return;
	table_share(t, n, s->all);
	table_number(t, n);
}

int samples_print(struct samples *s)
{
	struct place *place = calloc(s->n + 1, sizeof(*place));
	struct table t = { 0 };
	size_t n;

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		place[i] = place_of(s, &s->sample[i]);
	n = fold(place, s->n);
	table_column(&t, "Overhead", true);
	table_column(&t, "Samples", true);
	table_column(&t, "Function", false);
	for (size_t i = 0; i < n; i++) {
		put_line(&t, s, place[i].n);
		if (place[i].name)
			table_cell(&t, "%s", place[i].name);
		else
			table_cell(&t, "0x%08llx", (unsigned long long)place[i].addr);
	}
	put_line(&t, s, s->asleep);
	if (s->asleep)
		table_cell(&t, "[asleep]");
	put_line(&t, s, s->prohibited);
	if (s->prohibited)
		table_cell(&t, "[sampling prohibited]");
	free(place);
	return table_print(&t);
}

void samples_free(struct samples *s)
{
	free(s->sample);
	free(s->by_pc.slot);
}
