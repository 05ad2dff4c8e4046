// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "../code/functions.h"
#include "profile.h"
#include "quality.h"
#include "quality-flow.h"

const char *quality_name(enum quality_part part)
{
	static const char *const names[QUALITY_NR] = {
		[QUALITY_TRACE] = "trace", [QUALITY_FILES] = "files",
		[QUALITY_FLOW] = "flow", [QUALITY_SATURATION] = "saturation",
	};

	return names[part];
}

int quality_of(const struct quality *q, enum quality_part part)
{
	if (!q->all[part])
		return -1;
	return (__uint128_t)1000 * q->good[part] / q->all[part];
}

/* Counts executions of blocks, and those that an atom tells. */
static void sum_up(const struct count_table *table, uint64_t *ran, uint64_t *atoms)
{
	*ran = 0;
	*atoms = 0;
	for (size_t i = 0; i < table->n; i++) {
		for (size_t k = 0; k < table->dso[i].n_block; k++) {
			const struct count_block *b = &table->dso[i].block[k];

			*ran = count_sum(*ran, count_ran(b));
			if (!(b->flags & CSF_FLAG_CUT))
				*atoms = count_sum(*atoms, count_ran(b));
		}
	}
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * The worse of two: the share of atoms, or that of bytes.  If it is unknown how much was lost, it
 * was at least one atom.
 */
static void measure_trace(struct quality *q, uint64_t atoms)
{
	const uint64_t *s = q->table->stat;
	const uint64_t bytes = count_sum(s[COUNT_BYTES], s[COUNT_NO_UNIT]);
	const uint64_t skipped = count_sum(s[COUNT_SKIPPED], s[COUNT_NO_UNIT]);
	uint64_t lost = s[COUNT_HOLES];

	for (int g = 0; g < CSF_GAP_NR; g++)
		if (g != CSF_GAP_IMAGE)
			lost = count_sum(lost, s[COUNT_LOST + g]);
	q->good[QUALITY_TRACE] = atoms;
	q->all[QUALITY_TRACE] = count_sum(atoms, lost);
	if ((__uint128_t)less(bytes, skipped) * q->all[QUALITY_TRACE] <
	    (__uint128_t)bytes * atoms || !q->all[QUALITY_TRACE]) {
		q->good[QUALITY_TRACE] = less(bytes, skipped);
		q->all[QUALITY_TRACE] = bytes;
	}
}

int quality_measure(struct quality *q, const struct count_table *table)
{
	const uint64_t *s = table->stat;
	struct quality_flow flow;
	uint64_t ran, atoms;
	int err = quality_flow(&flow, table);

	*q = (struct quality){ .table = table };
	if (err)
		return err;
	sum_up(table, &ran, &atoms);
	measure_trace(q, atoms);
	q->good[QUALITY_FILES] = atoms;
	q->all[QUALITY_FILES] = count_sum(atoms, count_sum(s[COUNT_LOST + CSF_GAP_IMAGE],
							   s[COUNT_NOWHERE]));
	/* Nothing led to the targets of blocks in no file. */
	q->breaks = count_sum(s[COUNT_BREAKS], s[COUNT_NOWHERE]);
	q->came = flow.came;
	q->went = flow.went;
	q->good[QUALITY_FLOW] = less(ran, count_sum(less(flow.came, q->breaks),
						    less(flow.went, q->breaks)));
	q->all[QUALITY_FLOW] = ran;
	q->good[QUALITY_SATURATION] = s[COUNT_ALIKE];
	q->all[QUALITY_SATURATION] = s[COUNT_HALVED];
	return 0;
}

void quality_fini(struct quality *q)
{
	free(q->functions);
	*q = (struct quality){ 0 };
}

/* ---------------------------------------------------------------- functions */

static size_t count_ran_functions(const struct functions *f, const struct profile *p, bool *seen)
{
	const struct count_dso *d = &p->table->dso[p->dso];
	size_t n = 0;

	for (size_t i = 0; i < 2 * d->n_block; i++) {
		const struct count_block *b = &d->block[i / 2];
		const uint64_t offset = i % 2 ? count_last(b) : b->start;
		const struct function *at = functions_at(f, profile_address(p, offset));

		if (!at || seen[at - f->function])
			continue;
		seen[at - f->function] = true;
		n++;
	}
	return n;
}

int quality_add_functions(struct quality *q, size_t dso, const struct elf_file *elf)
{
	const struct profile p = { .table = q->table, .dso = dso, .elf = (struct elf_file *)elf };
	struct functions f;
	int err = functions_read(&f, elf);
	bool *seen = err ? NULL : calloc(f.n + 1, sizeof(*seen));

	if (!err && (!seen || !array_room(&q->functions, q->n_functions, &q->size_functions,
					  sizeof(*q->functions))))
		err = -ENOMEM;
	if (!err)
		q->functions[q->n_functions++] = (struct quality_functions){
			.dso = dso, .ran = count_ran_functions(&f, &p, seen), .n = f.n,
		};
	free(seen);
	functions_fini(&f);
	return err == -ENODATA || err == -EOPNOTSUPP ? 0 : err;
}
