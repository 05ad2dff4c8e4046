// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../count/places.h"
#include "quick-print.h"
#include "../lib/log.h"
#include "../lib/table.h"

/**
 * struct hot - an address
 * @atom_runs: different ones that begin there
 */
struct hot {
	uint32_t section;
	uint64_t offset;
	uint64_t visits, atoms, atom_runs;
};

static uint64_t times_of(const struct atom_run *s)
{
	return count_sum(s->count[0], s->count[1]);
}

void quick_print_sum(const struct quick *quick)
{
	uint64_t visits = 0, atoms = 0, atom_runs = 0, lost = 0;

	for (size_t i = 0; i < quick->n; i++) {
		const uint64_t n = times_of(&quick->atom_run[i]);

		atom_runs += !!n;
		visits = count_sum(visits, n);
		if (n)
			atoms = count_sum(atoms, count_times(n, quick_atoms(quick, i)));
	}
	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, quick->table.stat[COUNT_LOST + g]);
	log_say(LOG_LOST, "csflow: %" PRIu64 " bytes of trace, %" PRIu64 " atoms in %" PRIu64
		" atom runs, %" PRIu64 " of them different; lost: %" PRIu64 " atoms, %" PRIu64
		" bytes\n", quick->table.stat[COUNT_BYTES], atoms, visits, atom_runs, lost,
		quick->table.stat[COUNT_SKIPPED]);
	if (quick->full)
		log_say(LOG_LOST, "csflow: %" PRIu64 " more atoms are lost: there was no room for "
			"their atom runs; see --mem\n", quick->full);
	if (quick->table.stat[COUNT_NO_UNIT])
		log_say(LOG_NOTE,
			"csflow: %" PRIu64 " bytes of trace are of units that are not known\n",
			quick->table.stat[COUNT_NO_UNIT]);
}

/* ---------------------------------------------------------------- addresses */

static int order_offset(const void *p, const void *q)
{
	const struct hot *a = p, *b = q;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int order_heat(const void *p, const void *q)
{
	const struct hot *a = p, *b = q;

	if (a->atoms != b->atoms)
		return a->atoms > b->atoms ? -1 : 1;
	if (a->visits != b->visits)
		return a->visits > b->visits ? -1 : 1;
	return order_offset(p, q);
}

/* All addresses, the hottest first: the caller frees them.  Return: how many; -ENOMEM. */
static long find_hot(const struct quick *quick, struct hot **out)
{
	struct hot *hot = calloc(quick->n + 1, sizeof(*hot));
	size_t n = 0, k = 0;

	*out = hot;
	if (!hot)
		return -ENOMEM;
	for (size_t i = 0; i < quick->n; i++) {
		const uint64_t times = times_of(&quick->atom_run[i]);
		const struct atom_run *first = quick_first(quick, i);

		if (times)
			hot[n++] = (struct hot){
				.section = first->section, .offset = first->from,
				.visits = times, .atom_runs = 1,
				.atoms = count_times(times, quick_atoms(quick, i)),
			};
	}
	if (n)
		qsort(hot, n, sizeof(*hot), order_offset);
	for (size_t i = 0; i < n; i++) {
		if (k && !order_offset(&hot[k - 1], &hot[i])) {
			hot[k - 1].visits = count_sum(hot[k - 1].visits, hot[i].visits);
			hot[k - 1].atoms = count_sum(hot[k - 1].atoms, hot[i].atoms);
			hot[k - 1].atom_runs++;
		} else {
			hot[k++] = hot[i];
		}
	}
	if (k)
		qsort(hot, k, sizeof(*hot), order_heat);
	return k;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The offset as in the count table: for a kernel, an address. */
static uint64_t offset_of(struct places *places, const struct quick_section *s, uint64_t offset)
{
	struct elf_file *elf;
	uint64_t linked;

	if (places->table->dso[s->dso].kind != DSO_KERNEL)
		return s->offset + offset;
	elf = places_elf(places, s->dso);
	if (elf && elf_file_address(elf, "_text", &linked))
		return linked + offset - s->symbol;
	return s->addr + offset;
}

static void print_address(struct table *t, struct places *places, const struct quick *quick,
			  const struct hot *hot)
{
	const struct quick_section *s = &quick->section[hot->section];
	struct place_symbol symbol;
	uint64_t offset;

	if (!hot->section) {
		table_cell(t, "[unknown]");
		table_cell(t, "0x%" PRIx64, hot->offset);
		return;
	}
	offset = offset_of(places, s, hot->offset);
	table_cell(t, "%s", base(quick->table.dso[s->dso].name));
	if (!places_symbol(places, s->dso, offset, &symbol))
		table_cell(t, "0x%" PRIx64, offset);
	else if (offset == symbol.start)
		table_cell(t, "%s", symbol.name);
	else
		table_cell(t, "%s+0x%" PRIx64, symbol.name, offset - symbol.start);
}

static int print_addresses(const struct quick_print *print)
{
	struct table t = { 0 };
	struct places places;
	struct hot *hot;
	uint64_t all = 0;
	long n = find_hot(print->load->quick, &hot);
	int err = n < 0 ? n : places_init(&places, &print->load->quick->table, &print->dso);

	for (long i = 0; i < n; i++)
		all = count_sum(all, hot[i].atoms);
	table_column(&t, "Share", true);
	table_column(&t, "Atoms", true);
	table_column(&t, "Visits", true);
	table_column(&t, "Atom runs", true);
	table_column(&t, "Object", false);
	table_column(&t, "Address", false);
	for (long i = 0; i < n && !err && (!print->limit || (uint64_t)i < print->limit); i++) {
		table_share(&t, hot[i].atoms, all);
		table_number(&t, hot[i].atoms);
		table_number(&t, hot[i].visits);
		table_number(&t, hot[i].atom_runs);
		print_address(&t, &places, print->load->quick, &hot[i]);
	}
	if (n >= 0)
		places_fini(&places);
	free(hot);
	return table_print(&t) ?: err;
}

/* ---------------------------------------------------------------- threads */

static int order_thread(const void *p, const void *q)
{
	const struct quick_thread *a = p, *b = q;

	if (a->n_atom != b->n_atom)
		return a->n_atom > b->n_atom ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void print_tid(struct table *t, uint32_t tid)
{
	if (tid == PERF_NO_TID)
		table_cell(t, "-");
	else
		table_number(t, tid);
}

static int print_threads(const struct quick_print *print)
{
	const size_t n = print->load->n_thread;
	struct quick_thread *thread = calloc(n, sizeof(*thread));
	struct table t = { 0 };

	if (!thread)
		return -ENOMEM;
	memcpy(thread, print->load->thread, n * sizeof(*thread));
	qsort(thread, n, sizeof(*thread), order_thread);
	table_column(&t, "Atoms", true);
	table_column(&t, "Atom runs", true);
	table_column(&t, "CPU", true);
	table_column(&t, "PID", true);
	table_column(&t, "TID", true);
	table_column(&t, "Command", false);
	for (size_t i = 0; i < n && (!print->limit || i < print->limit); i++) {
		table_number(&t, thread[i].n_atom);
		table_number(&t, thread[i].n_atom_run);
		table_number(&t, thread[i].cpu);
		print_tid(&t, thread[i].pid);
		print_tid(&t, thread[i].tid);
		table_cell(&t, "%s", thread[i].comm);
	}
	free(thread);
	return table_print(&t);
}

int quick_print(const struct quick_print *print)
{
	int err = print_addresses(print);

	return err || !print->load->n_thread ? err : print_threads(print);
}
