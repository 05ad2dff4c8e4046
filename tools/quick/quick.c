// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "quick.h"

void quick_fini(struct quick *quick)
{
	count_table_fini(&quick->table);
	free(quick->unit);
	free(quick->section);
	free(quick->atom_run);
	free(quick->by_key.slot);
	*quick = (struct quick){ 0 };
}

/* ---------------------------------------------------------------- units and sections */

/* Of ETMv3 and PTM. */
static struct csf_config older_essence(const struct csf_config *config)
{
	const bool ptm = config->protocol == CSF_PROTOCOL_PTM;

	return (struct csf_config){
		.size = sizeof(struct csf_config), .protocol = config->protocol,
		.etmcr = ptm ? config->etmcr & QUICK_CR_RS : 0,
		.etmccer = ptm ? config->etmccer & QUICK_CCER : 0,
		.etmidr = config->etmidr, .profile = config->profile,
	};
}

/* The properties of a trace unit that replay needs; others would only separate equal units. */
static struct csf_config essence(const struct csf_config *config)
{
	if (quick_is_older(config))
		return older_essence(config);
	return (struct csf_config){
		.size = sizeof(struct csf_config), .trcidr0 = config->trcidr0,
		.trcidr1 = config->trcidr1, .trcidr2 = config->trcidr2,
		.trcconfigr = config->trcconfigr & (QUICK_RS | QUICK_INSTP0),
		.trcdevarch = config->trcdevarch, .profile = config->profile,
	};
}

static int order_words(const uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int order_unit(const struct csf_config *a, const struct csf_config *b)
{
	const uint64_t x[] = { a->trcdevarch, a->trcidr0, a->trcidr1, a->trcidr2, a->trcconfigr,
			       a->profile, a->protocol, a->etmidr, a->etmcr, a->etmccer };
	const uint64_t y[] = { b->trcdevarch, b->trcidr0, b->trcidr1, b->trcidr2, b->trcconfigr,
			       b->profile, b->protocol, b->etmidr, b->etmcr, b->etmccer };

	return order_words(x, y, 10);
}

long quick_unit(struct quick *quick, const struct csf_config *config)
{
	const struct csf_config unit = essence(config);

	for (size_t i = 0; i < quick->n_unit; i++)
		if (!order_unit(&quick->unit[i], &unit))
			return i;
	if (quick->n_unit == QUICK_UNITS)
		return -E2BIG;
	if (!array_room(&quick->unit, quick->n_unit, &quick->size_unit, sizeof(unit)))
		return -ENOMEM;
	quick->unit[quick->n_unit] = unit;
	return quick->n_unit++;
}

/* The file of @key; of several names, the first in byte order is kept. */
static long find_dso(struct count_table *table, const struct dso_key *key)
{
	long added = count_dso_add(table, key);
	struct count_dso *dso;

	for (long i = 0; i < added; i++) {
		dso = &table->dso[i];
		if (count_dso_order(dso, &table->dso[added]))
			continue;
		if (strcmp(table->dso[added].name, dso->name) < 0) {
			char *name = dso->name;

			dso->name = table->dso[added].name;
			table->dso[added].name = name;
		}
		dso->program |= key->program;
		free(table->dso[added].name);
		table->n--;
		return i;
	}
	return added;
}

static struct quick_section *new_section(struct quick *quick)
{
	if (!array_room(&quick->section, quick->n_section, &quick->size_section,
			sizeof(*quick->section)))
		return NULL;
	if (!quick->n_section++)
		quick->section[0] = (struct quick_section){ 0 };
	return &quick->section[quick->n_section - 1];
}

long quick_section(struct quick *quick, const struct dso_key *key,
		   const struct quick_section *range)
{
	struct quick_section *s;
	long dso = find_dso(&quick->table, key);

	if (dso < 0 || (!quick->n_section && !new_section(quick)))
		return -ENOMEM;
	for (size_t i = 1; i < quick->n_section; i++) {
		s = &quick->section[i];
		if (s->dso != dso || s->offset != range->offset || s->n != range->n ||
		    s->symbol != range->symbol)
			continue;
		s->moved |= range->moved || s->addr != range->addr;
		if (range->addr < s->addr)
			s->addr = range->addr;
		return i;
	}
	if (quick->n_section == QUICK_SECTIONS)
		return -E2BIG;
	s = new_section(quick);
	if (!s)
		return -ENOMEM;
	*s = *range;
	s->dso = dso;
	return quick->n_section - 1;
}

/* ---------------------------------------------------------------- atom runs */

static inline uint64_t sections_of(const struct atom_run *s)
{
	return (uint64_t)s->section << 32 | s->to_section;
}

static inline uint64_t form_of(const struct atom_run *s)
{
	return (uint64_t)s->parent << 32 | s->n << 24 | s->end << 16 | s->flags << 8 | s->unit;
}

static inline bool same(const struct atom_run *a, const struct atom_run *b)
{
	return a->atoms == b->atoms && a->from == b->from && a->to == b->to &&
	       sections_of(a) == sections_of(b) && form_of(a) == form_of(b);
}

static inline uint64_t hash_of(const struct atom_run *s)
{
	/* odd numbers without a pattern */
	uint64_t h = s->atoms * 0x9e3779b97f4a7c15ull + s->from * 0xc2b2ae3d27d4eb4full +
		     s->to * 0xd6e8feb86659fd93ull + sections_of(s) * 0xa0761d6478bd642full +
		     form_of(s) * 0xe7037ed1a0b428dbull;

	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
	return h >> 32;
}

/* Makes room in the hash for one more; a settled table has none yet. */
static bool make_hash(struct quick *quick)
{
	return HASH_ROOM(&quick->by_key, quick->n, 1, i, hash_of(&quick->atom_run[i - 1]));
}

/* Makes room for one more.  A lack of memory is a limit, too. */
static bool make_room(struct quick *quick)
{
	const size_t max = quick->max < UINT32_MAX - 1 ? quick->max : UINT32_MAX - 1;
	size_t size = 2 * quick->size + 1024;
	struct atom_run *p;

	if (quick->n >= max || !make_hash(quick))
		return false;
	if (quick->n < quick->size)
		return true;
	if (size > max)
		size = max;
	p = realloc(quick->atom_run, size * sizeof(*p));
	if (!p)
		return false;
	quick->atom_run = p;
	quick->size = size;
	return true;
}

uint32_t quick_part(struct quick *quick, const struct atom_run *key)
{
	const uint64_t hash = hash_of(key);
	uint32_t *slot;

	if (!quick->by_key.n && !make_hash(quick))
		return UINT32_MAX;
	slot = HASH_SLOT(&quick->by_key, hash, i, same(&quick->atom_run[i - 1], key));
	if (*slot)
		return *slot - 1;
	if (!make_room(quick))
		return UINT32_MAX;
	/* the table may have moved */
	slot = HASH_SLOT(&quick->by_key, hash, i, false);
	quick->atom_run[quick->n] = *key;
	quick->atom_run[quick->n].count[0] = 0;
	quick->atom_run[quick->n].count[1] = 0;
	*slot = ++quick->n;
	return quick->n - 1;
}

uint64_t quick_atoms(const struct quick *quick, uint32_t atom_run)
{
	uint64_t n = quick->atom_run[atom_run].n;

	for (uint32_t i = quick->atom_run[atom_run].parent; i; i = quick->atom_run[i - 1].parent)
		n += quick->atom_run[i - 1].n;
	return n;
}

const struct atom_run *quick_first(const struct quick *quick, uint32_t atom_run)
{
	const struct atom_run *s = &quick->atom_run[atom_run];

	while (s->parent)
		s = &quick->atom_run[s->parent - 1];
	return s;
}

/* ---------------------------------------------------------------- merging */

/* Numbers of one table in another one; for an atom run UINT32_MAX: there was no room. */
struct numbers {
	uint32_t *unit, *section, *atom_run;
};

static int numbers_init(struct numbers *numbers, const struct quick *from)
{
	numbers->unit = calloc(from->n_unit + from->n_section + from->n + 2, sizeof(uint32_t));
	if (!numbers->unit)
		return -ENOMEM;
	numbers->section = numbers->unit + from->n_unit;
	/* a table may have no section, not even the first */
	numbers->atom_run = numbers->section + from->n_section + 1;
	return 0;
}

static int merge_unit(struct quick *quick, const struct quick *from, size_t i,
		      const struct numbers *numbers)
{
	long number = quick_unit(quick, &from->unit[i]);

	numbers->unit[i] = number;
	return number < 0 ? number : 0;
}

static int merge_section(struct quick *quick, const struct quick *from, size_t i,
			 const struct numbers *numbers)
{
	const struct count_dso *d = &from->table.dso[from->section[i].dso];
	const struct dso_key key = { .name = d->name, .kind = d->kind, .build_id = d->build_id,
				     .n_build_id = d->n_build_id, .program = d->program };
	long number = quick_section(quick, &key, &from->section[i]);

	numbers->section[i] = number;
	return number < 0 ? number : 0;
}

/* Renumbers an atom run for the other table.  Return: the part before it is there. */
static bool renumber(struct atom_run *s, const struct numbers *numbers)
{
	s->unit = numbers->unit[s->unit];
	s->section = numbers->section[s->section];
	s->to_section = numbers->section[s->to_section];
	if (!s->parent)
		return true;
	s->parent = numbers->atom_run[s->parent - 1] + 1;
	return s->parent;
}

static void merge_atom_run(struct quick *quick, const struct quick *from, uint32_t i,
			   uint64_t weight, const struct numbers *numbers)
{
	struct atom_run s = from->atom_run[i];
	uint32_t number = renumber(&s, numbers) ? quick_part(quick, &s) : UINT32_MAX;

	numbers->atom_run[i] = number;
	for (int half = 0; half < 2; half++) {
		const uint64_t n = count_times(s.count[half], weight);

		if (number == UINT32_MAX && n)
			quick->full = count_sum(quick->full, count_times(n, quick_atoms(from, i)));
		else if (n)
			quick->atom_run[number].count[half] =
				count_sum(quick->atom_run[number].count[half], n);
	}
}

int quick_merge(struct quick *quick, const struct quick *from, uint64_t weight)
{
	struct numbers numbers;
	int err = numbers_init(&numbers, from);

	if (err)
		return err;
	for (int i = 0; i < COUNT_STAT_NR; i++)
		quick->table.stat[i] = count_sum(quick->table.stat[i],
						 count_times(from->table.stat[i], weight));
	quick->full = count_sum(quick->full, count_times(from->full, weight));
	for (size_t i = 0; i < from->n_unit && !err; i++)
		err = merge_unit(quick, from, i, &numbers);
	for (size_t i = 1; i < from->n_section && !err; i++)
		err = merge_section(quick, from, i, &numbers);
	for (size_t i = 0; i < from->n && !err; i++)
		merge_atom_run(quick, from, i, weight, &numbers);
	free(numbers.unit);
	return err;
}

/* ---------------------------------------------------------------- order */

/**
 * struct order_key - what orders an atom run among those of its depth, by numbers of the new table
 * @from, @atoms: its own
 * @lead: of a first part its section, else the part before it
 * @form: the lower half of form_of()
 * @i: index of the atom run, where @to_section and @to decide if all of these are equal
 */
struct order_key {
	uint64_t from, atoms;
	uint32_t lead, form, i;
};

/**
 * struct settling - a table, and its sorted copy
 * @used: atom runs that were counted, or lead to one that was
 * @list: numbers of units, of sections, or of atom runs, to sort
 * @depth: for each atom run, how many parts come before it
 * @key: room for the atom runs of one depth
 */
struct settling {
	struct quick *from, *to;
	struct numbers numbers;
	bool *used;
	uint32_t *list, *depth;
	struct order_key *key;
};

static int order_units(const void *p, const void *q, void *context)
{
	const struct quick *quick = context;

	return order_unit(&quick->unit[*(const uint32_t *)p], &quick->unit[*(const uint32_t *)q]);
}

static int order_sections(const void *p, const void *q, void *context)
{
	const struct quick *quick = context;
	const struct quick_section *a = &quick->section[*(const uint32_t *)p];
	const struct quick_section *b = &quick->section[*(const uint32_t *)q];
	const uint64_t x[] = { a->offset, a->n, a->symbol }, y[] = { b->offset, b->n, b->symbol };
	int order = count_dso_order(&quick->table.dso[a->dso], &quick->table.dso[b->dso]);

	return order ? order : order_words(x, y, 3);
}

static struct order_key key_of(const struct quick *quick, uint32_t i)
{
	const struct atom_run *s = &quick->atom_run[i];

	return (struct order_key){
		.from = s->from, .atoms = s->atoms, .lead = s->parent ? s->parent : s->section,
		.form = form_of(s), .i = i,
	};
}

/* The keys lie side by side.  Atom runs would be read at random places of a large table. */
static int order_atom_runs(const void *p, const void *q, void *context)
{
	const struct quick *quick = context;
	const struct order_key *a = p, *b = q;
	const struct atom_run *r, *s;

	if (a->lead != b->lead)
		return a->lead < b->lead ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->form != b->form)
		return a->form < b->form ? -1 : 1;
	if (a->atoms != b->atoms)
		return a->atoms < b->atoms ? -1 : 1;
	r = &quick->atom_run[a->i];
	s = &quick->atom_run[b->i];
	if (r->to_section != s->to_section)
		return r->to_section < s->to_section ? -1 : 1;
	return r->to < s->to ? -1 : r->to > s->to;
}

/* Finds used atom runs and their depth; puts their units and sections into the list. */
static void find_used(const struct settling *s)
{
	const struct quick *from = s->from;

	for (size_t i = from->n; i--;) {
		const struct atom_run *atom_run = &from->atom_run[i];

		s->used[i] |= atom_run->count[0] || atom_run->count[1];
		if (!s->used[i])
			continue;
		if (atom_run->parent)
			s->used[atom_run->parent - 1] = true;
		s->numbers.unit[atom_run->unit] = 1;
		s->numbers.section[atom_run->section] = 1;
		s->numbers.section[atom_run->to_section] = 1;
	}
	for (size_t i = 0; i < from->n; i++)
		s->depth[i] =
			from->atom_run[i].parent ? s->depth[from->atom_run[i].parent - 1] + 1 : 0;
}

/* Sorts the marked ones of @n, from @first on.  Return: how many. */
static size_t sort_marked(const struct settling *s, size_t first, size_t n, const uint32_t *number,
			  int (*order)(const void *p, const void *q, void *context))
{
	size_t k = 0;

	for (size_t i = first; i < n; i++)
		if (number[i])
			s->list[k++] = i;
	if (k)
		qsort_r(s->list, k, sizeof(*s->list), order, s->from);
	return k;
}

static int settle_sections(const struct settling *s)
{
	size_t n = sort_marked(s, 0, s->from->n_unit, s->numbers.unit, order_units);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = merge_unit(s->to, s->from, s->list[i], &s->numbers);
	n = sort_marked(s, 1, s->from->n_section, s->numbers.section, order_sections);
	s->numbers.section[0] = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = merge_section(s->to, s->from, s->list[i], &s->numbers);
	return err;
}

/* Adds an atom run after all that sort before it.  Return: its index. */
static uint32_t append(struct quick *to, const struct atom_run *s)
{
	struct atom_run *last = to->n ? &to->atom_run[to->n - 1] : NULL;

	if (!last || !same(last, s)) {
		to->atom_run[to->n] = *s;
		return to->n++;
	}
	for (int half = 0; half < 2; half++)
		last->count[half] = count_sum(last->count[half], s->count[half]);
	return to->n - 1;
}

/* Settles the @n atom runs of one depth. */
static void settle_level(const struct settling *s, const uint32_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		renumber(&s->from->atom_run[list[i]], &s->numbers);
		s->key[i] = key_of(s->from, list[i]);
	}
	qsort_r(s->key, n, sizeof(*s->key), order_atom_runs, s->from);
	for (size_t i = 0; i < n; i++)
		s->numbers.atom_run[s->key[i].i] =
			append(s->to, &s->from->atom_run[s->key[i].i]);
}

static int settle_atom_runs(const struct settling *s)
{
	size_t *begin = calloc(QUICK_DEEP + 2, sizeof(*begin));
	int err = begin ? 0 : -ENOMEM;

	/* by depth, each as many as there are */
	for (size_t i = 0; i < s->from->n && !err; i++)
		begin[s->depth[i] + 1] += s->used[i];
	for (size_t d = 0; d < QUICK_DEEP && !err; d++)
		begin[d + 1] += begin[d];
	for (size_t i = 0; i < s->from->n && !err; i++)
		if (s->used[i])
			s->list[begin[s->depth[i]]++] = i;
	/* now each begins where the next one did */
	for (size_t d = 0, at = 0; d < QUICK_DEEP && !err; at = begin[d++])
		if (begin[d] > at)
			settle_level(s, s->list + at, begin[d] - at);
	free(begin);
	return err;
}

int quick_settle(struct quick *quick)
{
	struct quick to = { .max = quick->max, .full = quick->full };
	struct settling s = { .from = quick, .to = &to };
	size_t most = quick->n + quick->n_unit + quick->n_section;
	int err = numbers_init(&s.numbers, quick);

	s.used = calloc(quick->n + 1, sizeof(*s.used));
	s.list = calloc(most + 1, sizeof(*s.list));
	s.depth = calloc(quick->n + 1, sizeof(*s.depth));
	s.key = malloc((quick->n + 1) * sizeof(*s.key));
	to.atom_run = malloc((quick->n + 1) * sizeof(*to.atom_run));
	to.size = quick->n + 1;
	if (err || !s.used || !s.list || !s.depth || !s.key || !to.atom_run)
		err = -ENOMEM;
	memcpy(to.table.stat, quick->table.stat, sizeof(to.table.stat));
	if (!err)
		find_used(&s);
	if (!err)
		err = settle_sections(&s);
	if (!err)
		err = settle_atom_runs(&s);
	free(s.used);
	free(s.list);
	free(s.depth);
	free(s.key);
	free(s.numbers.unit);
	if (err) {
		quick_fini(&to);
		return err;
	}
	quick_fini(quick);
	*quick = to;
	return 0;
}
