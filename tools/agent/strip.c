// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "strip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/build-id.h"

static int rename_dso(struct count_dso *dso, const char *text)
{
	char *name = strdup(text);

	if (!name)
		return -ENOMEM;
	free(dso->name);
	dso->name = name;
	return 0;
}

/* The last dsos move to the places of those that go; @to: new places, COUNT_OUTSIDE: gone. */
static void move_edges(struct count_table *table, const uint32_t *to)
{
	for (size_t i = 0; i < table->n; i++)
		for (size_t k = 0; k < table->dso[i].n_edge; k++) {
			struct count_edge *e = &table->dso[i].edge[k];

			if (e->dso == COUNT_OUTSIDE)
				continue;
			e->dso = to[e->dso];
			if (e->dso == COUNT_OUTSIDE)
				e->to = 0;
		}
}

static void drop(struct count_dso *dso)
{
	free(dso->name);
	free(dso->block);
	free(dso->edge);
}

/* Keeps the dsos with a build-id, in their order. */
static int keep_known(struct count_table *table, uint32_t *to, uint64_t *gone)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct count_dso *dso = &table->dso[i];

		if (!dso->n_build_id) {
			to[i] = COUNT_OUTSIDE;
			*gone = count_sum(*gone, count_dso_insns(dso));
			drop(dso);
			continue;
		}
		if (!err)
			err = rename_dso(dso, build_id_hex(dso->build_id, dso->n_build_id).text);
		to[i] = n;
		table->dso[n++] = *dso;
	}
	table->n = n;
	return err;
}

int strip_table(struct count_table *table, uint64_t *gone)
{
	uint32_t *to = malloc((table->n + 1) * sizeof(*to));
	int err = to ? keep_known(table, to, gone) : -ENOMEM;

	if (to)
		move_edges(table, to);
	free(to);
	return err ? err : count_table_settle(table);
}

int strip_quick(struct quick *quick, const char *round, uint64_t *gone)
{
	struct count_table *table = &quick->table;
	int err = 0;

	for (size_t i = 0; i < table->n && !err; i++) {
		struct count_dso *dso = &table->dso[i];
		char name[128];

		if (dso->n_build_id)
			snprintf(name, sizeof(name), "%s",
				 build_id_hex(dso->build_id, dso->n_build_id).text);
		else
			snprintf(name, sizeof(name), "unknown-%s-%" PRIu64, round, ++*gone);
		err = rename_dso(dso, name);
	}
	/* where a program was loaded is of no use: replay places it by its file */
	for (size_t i = 1; i < quick->n_section; i++)
		if (table->dso[quick->section[i].dso].kind == DSO_FILE)
			quick->section[i].addr = 0;
	return err ? err : quick_settle(quick);
}
