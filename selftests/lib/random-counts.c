// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "random-counts.h"
#include "../../tools/count/count-file.h"

const struct dso_key random_files[RANDOM_FILES] = {
	{ .name = "/bin/b", .kind = DSO_FILE, .build_id = (const uint8_t *)"12", .n_build_id = 2 },
	{ .name = "/bin/a", .kind = DSO_FILE, .build_id = (const uint8_t *)"12", .n_build_id = 2 },
	{ .name = "/bin/a", .kind = DSO_FILE, .program = true },
	{ .name = "/bin/b", .kind = DSO_FILE },
	{ .name = "[kernel]", .kind = DSO_KERNEL },
	{ .name = "x", .kind = DSO_MODULE, .build_id = (const uint8_t *)"x\0", .n_build_id = 2 },
};

static uint64_t times(struct dice *d)
{
	return roll(d, 30) ? roll(d, 5) : UINT64_MAX / (1 + roll(d, 4));
}

static struct count_block roll_block(uint32_t most, struct dice *d)
{
	const bool direct = roll(d, 2);
	const uint32_t n_insn = 1 + roll(d, 2);

	return (struct count_block){
		.start = 4 * roll(d, most), .size = 4 * n_insn, .n_insn = n_insn, .last_size = 4,
		.kind = direct ? CSF_INSN_BRANCH : CSF_INSN_INDIRECT, .direct = direct,
		.target = direct ? 4 * roll(d, 3) : 0, .flags = roll(d, 3) ? 0 : CSF_FLAG_CUT,
		.taken = times(d), .passed = times(d),
	};
}

static struct count_edge roll_edge(uint32_t most, size_t n_dso, struct dice *d)
{
	const bool outside = !roll(d, 3);

	return (struct count_edge){
		.from = 4 * roll(d, most), .dso = outside ? COUNT_OUTSIDE : roll(d, n_dso),
		.to = outside ? 0 : 4 * roll(d, 4), .count = times(d),
	};
}

static bool roll_dso(struct count_table *table, size_t i, uint32_t most, struct dice *d)
{
	struct count_dso *dso = &table->dso[i];
	bool good = true;

	for (uint32_t n = roll(d, most); n; n--) {
		const struct count_block b = roll_block(most, d);

		good = good && !count_block_add(dso, &b);
	}
	for (uint32_t n = roll(d, most); n; n--) {
		const struct count_edge e = roll_edge(most, table->n, d);

		good = good && !count_edge_add(dso, &e);
	}
	dso->lost = roll(d, 2) ? 0 : times(d);
	return good;
}

bool random_counts(struct count_table *table, uint32_t most, struct dice *d)
{
	const size_t n = 1 + roll(d, RANDOM_FILES);
	bool good = true;

	for (size_t i = 0; i < n && good; i++)
		good = count_dso_add(table, &random_files[roll(d, RANDOM_FILES)]) >= 0;
	for (size_t i = 0; i < n && good; i++)
		good = roll_dso(table, i, most, d);
	for (int i = 0; i < COUNT_STAT_NR; i++)
		table->stat[i] = times(d);
	return good && !count_table_settle(table);
}

bool count_bytes(const struct count_table *table, struct count_bytes *out)
{
	FILE *f = open_memstream(&out->p, &out->n);
	const int err = f ? count_file_write(table, f) : -1;

	return f && !fclose(f) && !err;
}
