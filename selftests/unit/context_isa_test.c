// SPDX-License-Identifier: GPL-2.0-only
/*
 * An address of T32, and after it the context that it is for: between the two, as far as the
 * decoder knows, execution is at a place of A64 with the same address, where it has been before.
 */
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/csflow.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define RET	0xd65f03c0u
#define WHERE	0x1000

static const uint32_t code[] = { RET };

static const struct csf_config config = {
	.size = sizeof(config), .trcconfigr = 1, .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100fff3,
	.trcidr2 = 0xd0001088, .trcidr8 = 4, .trcdevarch = 0x47705a13,
};

/* In A64 twice, so that it is known; then in T32, and in A64 again, whose atoms fill the window. */
static size_t write_trace(uint8_t *bytes)
{
	static const struct csf_packet packet[] = {
		{ .type = CSF_PKT_ASYNC }, { .type = CSF_PKT_INFO, .info = 1 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
		{ .type = CSF_PKT_ADDR64, .val = WHERE, .n = 64 },
		{ .type = CSF_PKT_ATOM, .n = 1, .val = 1 },
		{ .type = CSF_PKT_COMMIT, .count = 1 },
		{ .type = CSF_PKT_ADDR64, .val = WHERE, .n = 64 },
		{ .type = CSF_PKT_ATOM, .n = 1, .val = 1 },
		{ .type = CSF_PKT_COMMIT, .count = 1 },
		{ .type = CSF_PKT_ADDR64, .flags = CSF_PKT_IS1, .val = WHERE, .n = 64 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x20 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
		{ .type = CSF_PKT_ADDR64, .val = WHERE, .n = 64 },
	};
	static const struct csf_packet atom = { .type = CSF_PKT_ATOM, .n = 1, .val = 1 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(packet); i++)
		n += csf_packet_write(&config, bytes + n, &packet[i]);
	for (size_t i = 0; i < 100; i++)
		n += csf_packet_write(&config, bytes + n, &atom);
	return n;
}

/* Of each context a digit: 1; 2 if an address has said T32 for it. */
static void drain(struct csf_decoder *dec, unsigned int *contexts)
{
	struct csf_run run;

	while (csf_next(dec, &run) > 0)
		if (run.end == CSF_END_CONTEXT)
			*contexts = *contexts * 10 + 1 +
				    (!run.to.bits64 && run.flags & CSF_CONTEXT_IS1);
}

TEST(between)
{
	uint8_t bytes[4096];
	const size_t n = write_trace(bytes);

	for (size_t split = 1; split < n; split++) {
		struct csf_decoder *dec = NULL;
		struct csf_image *image = NULL;
		unsigned int contexts = 0;

		ASSERT_EQ(0, csf_image_new(&image));
		ASSERT_EQ(0, csf_map(image, CSF_SPACE_ALL, WHERE, sizeof(code),
				     csf_section_bytes(image, code, sizeof(code)), 0));
		ASSERT_EQ(0, csf_new(&dec, &config, image));
		csf_feed(dec, bytes, split);
		drain(dec, &contexts);
		csf_feed(dec, bytes + split, n - split);
		csf_end(dec);
		drain(dec, &contexts);
		EXPECT_EQ(121, contexts) {
			TH_LOG("cut at %zu of %zu", split, n);
		}
		csf_free(dec);
		csf_image_free(image);
	}
}

TEST_HARNESS_MAIN
