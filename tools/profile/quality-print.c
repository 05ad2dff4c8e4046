// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "../lib/build-id.h"
#include "../lib/json.h"
#include "quality.h"

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint64_t lost_atoms(const struct count_table *table)
{
	uint64_t lost = 0;

	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, table->stat[COUNT_LOST + g]);
	return lost;
}

/* Thousandths as a percentage. */
static void print_share(int share, FILE *f)
{
	if (share < 0)
		fprintf(f, "unknown");
	else
		fprintf(f, "%d.%d %%", share / 10, share % 10);
}

static int share_of(uint64_t part, uint64_t all)
{
	return all ? (int)((__uint128_t)1000 * part / all) : -1;
}

/* ---------------------------------------------------------------- text */

static void print_lost(const struct count_table *table, FILE *f)
{
	const uint64_t *s = table->stat;

	fprintf(f, "csflow: %" PRIu64 " bytes of trace, %" PRIu64 " instructions in %" PRIu64
		" blocks; lost: %" PRIu64 " atoms, %" PRIu64 " bytes\n", s[COUNT_BYTES],
		s[COUNT_INSNS], s[COUNT_BLOCKS], lost_atoms(table), s[COUNT_SKIPPED]);
	for (int g = 0; g < CSF_GAP_NR; g++)
		if (s[COUNT_LOST + g])
			fprintf(f, "csflow:   %s: %" PRIu64 " atoms lost\n", csf_gap_name(g),
				s[COUNT_LOST + g]);
	if (s[COUNT_HOLES])
		fprintf(f, "csflow:   the trace unit overflowed, or a buffer was full, %" PRIu64
			" times: it is not known how much was lost\n", s[COUNT_HOLES]);
	for (size_t i = 0; i < table->n; i++) {
		const struct count_dso *dso = &table->dso[i];

		if (!dso->lost)
			continue;
		fprintf(f, "csflow:   for want of %s, build-id %s: %" PRIu64
			" atoms lost\n", dso->name,
			build_id_name(dso->build_id, dso->n_build_id).text, dso->lost);
	}
}

static void print_parts(const struct quality *q, FILE *f)
{
	fprintf(f, "csflow: quality:");
	for (int i = 0; i < QUALITY_NR; i++) {
		fprintf(f, "%s %s ", i ? "," : "", quality_name(i));
		print_share(quality_of(q, i), f);
	}
	for (size_t i = 0; i < q->n_functions; i++)
		fprintf(f, "; %zu of %zu functions of %s ran", q->functions[i].ran,
			q->functions[i].n, base(q->table->dso[q->functions[i].dso].name));
	fputc('\n', f);
}

static void print_details(const struct quality *q, FILE *f)
{
	const uint64_t *s = q->table->stat;

	fprintf(f, "csflow:   trace: recordings: %" PRIu64 ", damaged places: %" PRIu64
		", bytes of unknown units: %" PRIu64 "\n", s[COUNT_RECORDINGS], s[COUNT_DAMAGED],
		s[COUNT_NO_UNIT]);
	fprintf(f, "csflow:   files: %" PRIu64 " atoms lost for want of code; %" PRIu64
		" blocks in no known file\n", s[COUNT_LOST + CSF_GAP_IMAGE], s[COUNT_NOWHERE]);
	fprintf(f, "csflow:   flow: %" PRIu64 " breaks; %" PRIu64 " times led to and not executed, "
		"%" PRIu64 " times executed and not led to\n", s[COUNT_BREAKS], q->came, q->went);
	fprintf(f, "csflow:   saturation: ");
	print_share(share_of(s[COUNT_NEW], s[COUNT_SECOND]), f);
	fprintf(f, " of the second half of the trace is not in the first\n");
	if (s[COUNT_FAILED] || s[COUNT_UNSURE])
		fprintf(f, "csflow:   transactions: %" PRIu64 " blocks of failed ones left out, %"
			PRIu64 " counted that may have failed\n", s[COUNT_FAILED],
			s[COUNT_UNSURE]);
	for (size_t i = 0; i < q->table->n; i++) {
		const struct count_dso *dso = &q->table->dso[i];

		fprintf(f, "csflow:   %s, build-id %s: ", dso->name,
			build_id_name(dso->build_id, dso->n_build_id).text);
		print_share(share_of(count_dso_insns(dso), s[COUNT_INSNS]), f);
		fprintf(f, " of instructions\n");
	}
}

void quality_print(const struct quality *q, bool all, FILE *f)
{
	print_lost(q->table, f);
	print_parts(q, f);
	if (all)
		print_details(q, f);
}

bool quality_enough(const struct quality *q, uint64_t percent, FILE *f)
{
	static const char *const advice[QUALITY_NR] = {
		[QUALITY_TRACE] = "record with larger buffers, or less at once; see csflow doctor",
		[QUALITY_FILES] = "name missing files with --binary or --symfs; see csflow doctor",
		[QUALITY_FLOW] = "counts of files that changed are mixed: count each build apart",
		[QUALITY_SATURATION] = "record for longer, or more of what the program does",
	};
	bool enough = true;

	for (int i = 0; i < QUALITY_NR; i++) {
		const int share = quality_of(q, i);

		if (share < 0 || (uint64_t)share >= 10 * percent)
			continue;
		fprintf(f, "csflow: quality: %s is ", quality_name(i));
		print_share(share, f);
		fprintf(f, ", less than %" PRIu64 " %%: %s\n", percent, advice[i]);
		enough = false;
	}
	return enough;
}

/* ---------------------------------------------------------------- JSON */

static void json_share(const char *name, int share, FILE *f)
{
	fprintf(f, "  \"%s\": ", name);
	if (share < 0)
		fprintf(f, "null");
	else
		fprintf(f, "%d.%03d", share / 1000, share % 1000);
}

static void json_file(const struct quality *q, size_t dso, FILE *f)
{
	const struct count_dso *d = &q->table->dso[dso];

	fprintf(f, "%s\n  {\"name\": ", dso ? "," : "");
	json_string(f, d->name);
	fprintf(f, ", \"build_id\": \"%s\", \"instructions\": %" PRIu64 ", \"lost\": %" PRIu64,
		build_id_hex(d->build_id, d->n_build_id).text, count_dso_insns(d), d->lost);
	for (size_t i = 0; i < q->n_functions; i++)
		if (q->functions[i].dso == dso)
			fprintf(f, ", \"functions\": %zu, \"functions_ran\": %zu",
				q->functions[i].n, q->functions[i].ran);
	fputc('}', f);
}

void quality_json(const struct quality *q, FILE *f)
{
	static const struct {
		const char *name;
		enum count_stat stat;
	} numbers[] = {
		{ "recordings", COUNT_RECORDINGS }, { "bytes", COUNT_BYTES },
		{ "skipped", COUNT_SKIPPED }, { "no_unit", COUNT_NO_UNIT },
		{ "damaged", COUNT_DAMAGED }, { "blocks", COUNT_BLOCKS },
		{ "instructions", COUNT_INSNS }, { "nowhere", COUNT_NOWHERE },
		{ "failed", COUNT_FAILED }, { "unsure", COUNT_UNSURE },
		{ "breaks", COUNT_BREAKS }, { "holes", COUNT_HOLES },
	};
	const uint64_t *s = q->table->stat;

	fprintf(f, "{\n \"quality\": {\n");
	for (int i = 0; i < QUALITY_NR; i++) {
		json_share(quality_name(i), quality_of(q, i), f);
		fprintf(f, "%s\n", i < QUALITY_NR - 1 ? "," : "");
	}
	fprintf(f, " },\n");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(f, " \"%s\": %" PRIu64 ",\n", numbers[i].name, s[numbers[i].stat]);
	fprintf(f, " \"led_to_only\": %" PRIu64 ",\n \"executed_only\": %" PRIu64 ",\n", q->came,
		q->went);
	fprintf(f, " \"lost\": {");
	for (int g = 0; g < CSF_GAP_NR; g++)
		fprintf(f, "%s\"%s\": %" PRIu64, g ? ", " : "", csf_gap_name(g),
			s[COUNT_LOST + g]);
	fprintf(f, "},\n");
	json_share("new", share_of(s[COUNT_NEW], s[COUNT_SECOND]), f);
	fprintf(f, ",\n \"files\": [");
	for (size_t i = 0; i < q->table->n; i++)
		json_file(q, i, f);
	fprintf(f, "\n ]\n}\n");
}
