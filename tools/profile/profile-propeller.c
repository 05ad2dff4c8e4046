// SPDX-License-Identifier: GPL-2.0-only
/*
 * Propeller's BranchFrequenciesProto, a protobuf: taken branches {source, dest, count} are field 1,
 * those not taken {address, count} are field 2, by address.
 */
#include <stdlib.h>

#include "profile.h"
#include "../lib/protobuf.h"

enum { TAKEN = 1, NOT_TAKEN = 2 };

/* A message of numbers, fields 1 to @n, as a message; counts saturate at the largest int64. */
static void put_message(FILE *f, int field, const uint64_t *v, int n)
{
	struct proto body, whole;

	body.n = 0;
	whole.n = 0;
	for (int i = 0; i < n; i++)
		proto_number(&body, i + 1, v[i]);
	proto_message(&whole, field, &body);
	fwrite(whole.bytes, 1, whole.n, f);
}

int profile_propeller(const struct profile *p)
{
	const struct count_dso *d = &p->table->dso[p->dso];
	struct count_edge *edge = NULL;
	size_t n = 0;
	int err = count_edges(p->table, p->dso, &edge, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		const uint64_t v[] = { profile_address(p, edge[i].from),
				       profile_address(p, edge[i].to),
				       profile_signed(edge[i].count) };

		if (edge[i].dso == p->dso)
			put_message(p->f, TAKEN, v, 3);
	}
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];
		const uint64_t v[] = { profile_address(p, count_last(b)),
				       profile_signed(b->passed) };

		if (count_branches(b) && b->passed)
			put_message(p->f, NOT_TAKEN, v, 2);
	}
	free(edge);
	return 0;
}
