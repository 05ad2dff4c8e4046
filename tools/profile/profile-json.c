// SPDX-License-Identifier: GPL-2.0-only
/* Everything in a count table as JSON: Documentation/format/counts.rst describes it. */
#include <inttypes.h>
#include <stdlib.h>

#include "../lib/build-id.h"
#include "../lib/json.h"
#include "profile.h"

static const char *const dso_kinds[] = {
	[DSO_FILE] = "file", [DSO_KERNEL] = "kernel", [DSO_MODULE] = "module",
	[DSO_NONE] = "none", [DSO_SYMBOL] = "symbol",
};

static const char *const stats[COUNT_STAT_NR] = {
	[COUNT_RECORDINGS] = "recordings", [COUNT_BYTES] = "bytes", [COUNT_SKIPPED] = "skipped",
	[COUNT_BLOCKS] = "blocks", [COUNT_INSNS] = "instructions", [COUNT_BREAKS] = "breaks",
	[COUNT_FAILED] = "failed", [COUNT_UNSURE] = "unsure", [COUNT_NOWHERE] = "nowhere",
	[COUNT_NO_UNIT] = "no_unit", [COUNT_DAMAGED] = "damaged",
	[COUNT_HALVED] = "halved", [COUNT_ALIKE] = "alike", [COUNT_SECOND] = "second",
	[COUNT_NEW] = "new", [COUNT_HOLES] = "holes",
};

static void print_stats(const struct profile *p)
{
	const uint64_t *stat = p->table->stat;

	for (int i = 0; i < COUNT_STAT_NR; i++)
		if (stats[i])
			fprintf(p->f, "  \"%s\": %" PRIu64 ",\n", stats[i], stat[i]);
	fprintf(p->f, "  \"lost\": {");
	for (int i = 0; i < CSF_GAP_NR; i++) {
		fprintf(p->f, "%s", i ? ", " : "");
		json_string(p->f, csf_gap_name(i));
		fprintf(p->f, ": %" PRIu64, stat[COUNT_LOST + i]);
	}
	fprintf(p->f, "}\n");
}

static void print_block(const struct profile *p, const struct count_block *b)
{
	static const struct {
		uint8_t flag;
		const char *name;
	} flags[] = {
		{ CSF_FLAG_COND, "conditional" }, { CSF_FLAG_LINK, "call" },
		{ CSF_FLAG_RET, "return" }, { CSF_FLAG_ERET, "exception_return" },
		{ CSF_FLAG_CUT, "cut" },
	};
	const uint8_t have = b->flags | (count_conditional(b) ? CSF_FLAG_COND : 0);

	fprintf(p->f, "{\"start\": %" PRIu64 ", \"last\": %" PRIu64 ", \"size\": %u, \"instructions\": %u, ",
		b->start, count_last(b), b->size, b->n_insn);
	fprintf(p->f, "\"set\": \"%s\", \"kind\": \"%s\", ", csf_isa_name(b->isa),
		csf_insn_kind_name(b->kind));
	for (int i = 0; i < 5; i++)
		if (have & flags[i].flag)
			fprintf(p->f, "\"%s\": true, ", flags[i].name);
	if (b->direct)
		fprintf(p->f, "\"target\": %" PRIu64 ", ", b->target);
	fprintf(p->f, "\"taken\": %" PRIu64 ", \"passed\": %" PRIu64 "}", b->taken, b->passed);
}

static void print_edge(const struct profile *p, const struct count_edge *e)
{
	fprintf(p->f, "{\"from\": %" PRIu64 ", \"file\": ", e->from);
	if (e->dso == COUNT_OUTSIDE)
		fprintf(p->f, "null");
	else
		fprintf(p->f, "%u, \"to\": %" PRIu64, e->dso, e->to);
	fprintf(p->f, ", \"count\": %" PRIu64 "}", e->count);
}

static int print_dso(const struct profile *p, size_t number)
{
	const struct count_dso *d = &p->table->dso[number];
	struct count_edge *edge = NULL;
	size_t n = 0;
	int err = count_edges(p->table, number, &edge, &n);

	if (err)
		return err;
	fprintf(p->f, "%s\n {\n  \"name\": ", number ? "," : "");
	json_string(p->f, d->name);
	fprintf(p->f, ",\n  \"kind\": \"%s\",\n  \"build_id\": \"%s\",\n  \"lost\": %" PRIu64
		",\n  \"blocks\": [", dso_kinds[d->kind],
		build_id_hex(d->build_id, d->n_build_id).text, d->lost);
	for (size_t i = 0; i < d->n_block; i++) {
		fprintf(p->f, "%s\n   ", i ? "," : "");
		print_block(p, &d->block[i]);
	}
	fprintf(p->f, "\n  ],\n  \"edges\": [");
	for (size_t i = 0; i < n; i++) {
		fprintf(p->f, "%s\n   ", i ? "," : "");
		print_edge(p, &edge[i]);
	}
	fprintf(p->f, "\n  ]\n }");
	free(edge);
	return 0;
}

int profile_json(const struct profile *p)
{
	int err = 0;

	fprintf(p->f, "{\n \"statistics\": {\n");
	print_stats(p);
	fprintf(p->f, " },\n \"files\": [");
	for (size_t i = 0; i < p->table->n && !err; i++)
		err = print_dso(p, i);
	fprintf(p->f, "\n ]\n}\n");
	return err;
}
