// SPDX-License-Identifier: GPL-2.0-only
/* Paths of a hot loop: runs are those that there are without them, and full where these are. */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#undef ARRAY_SIZE

#include "../decoder/csflow.h"
#include "spread.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* B.NE to itself; it is taken so often, in atoms of one packet, and so many packets there are. */
#define LOOP	0x54000001u
#define ATOMS	6
#define PACKETS	4000

#define RUNS_MAX	1000

/**
 * struct seen - what a decoder says
 * @steps: of each of @n runs; @taken: of all of them, those that are taken
 * @paths: there were so many
 */
struct seen {
	uint64_t steps[RUNS_MAX];
	size_t n;
	uint64_t taken, paths;
};

static size_t make_trace(const struct csf_config *config, uint8_t *bytes)
{
	static const struct csf_packet first[] = {
		{ .type = CSF_PKT_ASYNC }, { .type = CSF_PKT_INFO, .info = 1 },
		{ .type = CSF_PKT_ADDR64, .val = 0x1000, .n = 64 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
	}, atoms = { .type = CSF_PKT_ATOM, .n = ATOMS, .val = (1 << ATOMS) - 1 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		n += csf_packet_write(config, bytes + n, &first[i]);
	for (size_t i = 0; i < PACKETS; i++)
		n += csf_packet_write(config, bytes + n, &atoms);
	return n;
}

static void add_run(struct seen *seen, const struct csf_run *run)
{
	if (seen->n == RUNS_MAX)
		abort();
	seen->steps[seen->n++] = run->n;
	for (size_t i = 0; i < run->n; i++)
		seen->taken += run->step[i] & 1;
}

static void decode(uint32_t run_max, bool paths, struct seen *seen)
{
	const struct csf_config config = {
		.size = sizeof(config), .trcconfigr = 1, .trcidr0 = 0x28000ea1,
		.trcidr1 = 0x4100fff3, .trcidr2 = 0xd0001088, .trcdevarch = 0x47705a13,
		.run_max = run_max,
	};
	static const uint32_t code[] = { LOOP };
	uint8_t *bytes = malloc(CSF_PACKET_MAX * (PACKETS + 8));
	struct spread spread = { 0 };
	struct csf_image *image;
	struct csf_decoder *dec;
	struct csf_run run;

	if (csf_image_new(&image) || csf_new(&dec, &config, image) || csf_ask_paths(dec, paths) ||
	    csf_map(image, CSF_SPACE_ALL, 0x1000, 4, csf_section_bytes(image, code, 4), 0))
		abort();
	csf_feed(dec, bytes, make_trace(&config, bytes));
	csf_end(dec);
	memset(seen, 0, sizeof(*seen));
	while (csf_next(dec, &run) > 0) {
		spread_run(&spread, image, &run);
		add_run(seen, &run);
	}
	seen->paths = spread.paths;
	free(spread.step);
	free(bytes);
	csf_free(dec);
	csf_image_free(image);
}

TEST(full_where_it_would_be)
{
	static const uint32_t most[] = { 100, 200, 400, 1000, 0 };
	struct seen want, got;

	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		decode(most[i], false, &want);
		decode(most[i], true, &got);
		EXPECT_EQ(0, want.paths);
		EXPECT_EQ(most[i] != 100, got.paths > 0)
			TH_LOG("at most %u steps: %u paths", most[i], (unsigned int)got.paths);
		EXPECT_EQ(ATOMS * PACKETS, want.taken);
		EXPECT_EQ(want.taken, got.taken);
		ASSERT_EQ(want.n, got.n);
		for (size_t k = 0; k < want.n; k++) {
			ASSERT_EQ(want.steps[k], got.steps[k])
				TH_LOG("at most %u steps: run %zu", most[i], k);
		}
	}
}

TEST_HARNESS_MAIN
