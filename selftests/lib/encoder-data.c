// SPDX-License-Identifier: GPL-2.0-only
/* Compares the data accesses that libcsflow decodes with those that were executed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "encoder-trial.h"

#define CR_CPRT		(1u << 1)
#define CR_VALUES	(1u << 2)
#define CR_ADDRESSES	(1u << 3)

void trial_accessed(struct trial *t, const struct csf_access *access)
{
	struct accesses *l = &t->accesses;

	if (l->n == l->max) {
		l->max = l->max ? 2 * l->max : 4096;
		l->p = realloc(l->p, l->max * sizeof(*l->p));
		if (!l->p)
			abort();
	}
	l->p[l->n++] = *access;
}

/* In the order of execution, although a value may have come late. */
static int by_place(const void *a, const void *b)
{
	const struct csf_access *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Is this kind of transfer traced? */
static bool is_traced(const struct trial *t, const struct item *item)
{
	const uint32_t cr = t->setup.config.etmcr;

	return cr & (item->flags & ENC_DATA_REGISTER ? CR_CPRT : CR_VALUES | CR_ADDRESSES);
}

static bool same_flags(const struct item *a, const struct csf_access *b)
{
	const bool reg = a->flags & ENC_DATA_REGISTER;

	return !(b->flags & CSF_ACCESS_WRITE) == !(a->flags & ENC_DATA_STORE) &&
	       !(b->flags & CSF_ACCESS_READ) == !!(a->flags & ENC_DATA_STORE) &&
	       !(b->flags & CSF_ACCESS_FAILED) == !(a->flags & ENC_DATA_FAILED) &&
	       !(b->flags & CSF_ACCESS_REGISTER) == !reg;
}

static bool same(const struct trial *t, const struct item *a, const struct csf_access *b,
		 uint64_t at, uint32_t number)
{
	const uint32_t cr = t->setup.config.etmcr;
	const bool has_addr = cr & CR_ADDRESSES && !(a->flags & ENC_DATA_REGISTER);
	const bool has_value = !(b->flags & CSF_ACCESS_UNTRACED) && cr & (CR_VALUES | CR_CPRT);

	return b->at == at && b->number == number && same_flags(a, b) &&
	       (!b->size || b->size == a->size) && !!(b->flags & CSF_ACCESS_VALUE) == has_value &&
	       (!has_value || b->value == a->value) && b->addr_bits == (has_addr ? 32 : 0) &&
	       (!has_addr || b->addr == a->addr) &&
	       (!has_addr || !(b->flags & CSF_ACCESS_BIG) == !(a->flags & ENC_DATA_BIG));
}

static bool same_entry(const struct trial *t, const struct item *a, const struct csf_access *b)
{
	const uint32_t cr = t->setup.config.etmcr;

	return b->flags & CSF_ACCESS_WRITE && b->addr == (cr & CR_ADDRESSES ? a->addr : 0) &&
	       (b->flags & CSF_ACCESS_UNTRACED ||
		b->value == (cr & (CR_VALUES | CR_CPRT) ? a->value : 0));
}

/* Where accesses were dropped, the trace says so, in an access of its own. */
static bool is_loss(const struct csf_access *access)
{
	return access->flags & CSF_ACCESS_LOST && !access->addr_bits;
}

static void describe(struct trial *t, const struct item *a, const struct csf_access *b, uint64_t at,
		     uint32_t number)
{
	int n = snprintf(t->problem, sizeof(t->problem), "data at %" PRIu64 ".%u: executed ", at,
			 number);

	if (a)
		n += snprintf(t->problem + n, sizeof(t->problem) - n, "%" PRIx64 " = %" PRIx64
			      " size %u flags %x", a->addr, a->value, a->size, a->flags);
	if (b)
		snprintf(t->problem + n, sizeof(t->problem) - n, "; decoded at %" PRIu64
			 ".%u %" PRIx64 "/%u = %" PRIx64 " size %u flags %x offset %" PRIu64, b->at,
			 b->number, b->addr, b->addr_bits, b->value, b->size, b->flags, b->offset);
}

static int by_offset(const void *a, const void *b)
{
	const struct csf_access *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Those of exception entries are of no instruction; takes them out. */
static void compare_entries(struct trial *t)
{
	const struct items *e = &t->executed;
	struct accesses *l = &t->accesses;
	size_t i = 0, rest = 0;

	if (l->n)
		qsort(l->p, l->n, sizeof(*l->p), by_offset);

	for (size_t k = 0; k < l->n; k++) {
		const struct csf_access *b = &l->p[k];

		if (!(b->flags & CSF_ACCESS_ENTRY)) {
			l->p[rest++] = *b;
			continue;
		}
		while (i < e->n && !(e->p[i].kind == ITEM_DATA && e->p[i].flags & ENC_DATA_ENTRY))
			i++;
		if (i == e->n || !same_entry(t, &e->p[i], b)) {
			describe(t, i < e->n ? &e->p[i] : NULL, b, b->at, b->number);
			return;
		}
		i++;
		t->entries++;
	}
	while (i < e->n && !(e->p[i].kind == ITEM_DATA && e->p[i].flags & ENC_DATA_ENTRY))
		i++;
	if (i < e->n && is_traced(t, &e->p[i]))
		describe(t, &e->p[i], NULL, 0, 0);
	l->n = rest;
}

void trial_compare_data(struct trial *t)
{
	const struct items *e = &t->executed;
	const struct csf_access *b = t->accesses.p, *end = b + t->accesses.n;
	uint64_t at = 0;
	uint32_t number = 0;

	compare_entries(t);
	if (t->problem[0])
		return;
	end = b + t->accesses.n;
	if (t->accesses.n)
		qsort(t->accesses.p, t->accesses.n, sizeof(*b), by_place);
	for (size_t i = 0; i < e->n; i++) {
		const struct item *a = &e->p[i];

		if (a->kind == ITEM_INSN) {
			at++;
			number = 0;
		}
		if (a->kind != ITEM_DATA || !is_traced(t, a) || a->flags & ENC_DATA_ENTRY)
			continue;
		for (; b < end && is_loss(b); b++)
			t->losses++;
		if (b == end || !same(t, a, b, at, number)) {
			describe(t, a, b < end ? b : NULL, at, number);
			return;
		}
		t->data++;
		t->untraced += !!(b->flags & CSF_ACCESS_UNTRACED);
		t->late += !!(b->flags & CSF_ACCESS_LATE);
		number++;
		b++;
	}
	for (; b < end && is_loss(b); b++)
		t->losses++;
	if (b < end)
		describe(t, NULL, b, at, number);
}
