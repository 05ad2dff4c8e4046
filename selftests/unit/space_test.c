// SPDX-License-Identifier: GPL-2.0-only
/* A space that stands alone: maps that every other space sees are not seen in it. */
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/csflow.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NOP	0xd503201fu
#define RET	0xd65f03c0u

FIXTURE(spaces)
{
	struct csf_image *image;
	int kernel, guest;		/* sections */
	int process, alone;		/* spaces */
};

static const uint32_t kernel_code[] = { NOP, NOP, RET }, guest_code[] = { RET };

FIXTURE_SETUP(spaces)
{
	ASSERT_EQ(0, csf_image_new(&self->image));
	self->kernel = csf_section_bytes(self->image, kernel_code, sizeof(kernel_code));
	self->guest = csf_section_bytes(self->image, guest_code, sizeof(guest_code));
	self->process = csf_space_new(self->image);
	self->alone = csf_space_alone(self->image);
	ASSERT_LT(0, self->process);
	ASSERT_LT(self->process, self->alone);
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, 0x1000, 12, self->kernel, 0));
	ASSERT_EQ(0, csf_map(self->image, self->alone, 0x1000, 4, self->guest, 0));
}

FIXTURE_TEARDOWN(spaces)
{
	csf_image_free(self->image);
}

TEST_F(spaces, find)
{
	uint64_t base = 1;

	EXPECT_EQ(self->kernel, csf_image_find(self->image, self->process, 0x1000, 0, &base));
	EXPECT_EQ(0x1000, base);
	EXPECT_EQ(self->guest, csf_image_find(self->image, self->alone, 0x1000, 0, &base));
	EXPECT_EQ(self->kernel, csf_image_find(self->image, self->process, 0x1004, 0, NULL));
	EXPECT_EQ(0, csf_image_find(self->image, self->alone, 0x1004, 0, NULL));
	EXPECT_EQ(self->kernel, csf_image_find(self->image, CSF_SPACE_ALL, 0x1004, 0, NULL));
}

TEST_F(spaces, read)
{
	uint32_t code[3] = { 0 };

	EXPECT_EQ(12, csf_image_read(self->image, self->process, 0x1000, 0, code, 12));
	EXPECT_EQ(NOP, code[0]);
	EXPECT_EQ(4, csf_image_read(self->image, self->alone, 0x1000, 0, code, 12));
	EXPECT_EQ(RET, code[0]);
	EXPECT_EQ(0, csf_image_read(self->image, self->alone, 0x1004, 0, code, 4));
}

/* ---------------------------------------------------------------- decoding */

/**
 * struct seen - the output of a decoder
 * @from: where the context counts, as the run says that ends with it
 * @steps: blocks executed; @last: the run after the context
 */
struct seen {
	uint64_t from;
	size_t steps;
	struct csf_run last;
};

/* The address, then, in a packet of its own, the context; one instruction that branches. */
static void decode(struct csf_image *image, int space, struct seen *seen)
{
	const struct csf_config config = {
		.size = sizeof(config), .trcconfigr = 1, .trcidr0 = 0x28000ea1,
		.trcidr1 = 0x4100fff3, .trcidr2 = 0xd0001088, .trcdevarch = 0x47705a13,
	};
	const struct csf_packet packet[] = {
		{ .type = CSF_PKT_ASYNC }, { .type = CSF_PKT_INFO, .info = 1 },
		{ .type = CSF_PKT_ADDR64, .val = 0x1008, .n = 64 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
		{ .type = CSF_PKT_ATOM, .n = 1, .val = 1 },
	};
	struct csf_decoder *dec = NULL;
	struct csf_run run;
	uint8_t bytes[8 * CSF_PACKET_MAX];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(packet); i++)
		n += csf_packet_write(&config, bytes + n, &packet[i]);
	memset(seen, 0, sizeof(*seen));
	if (csf_new(&dec, &config, image))
		return;
	csf_set_space(dec, space);
	csf_feed(dec, bytes, n);
	csf_end(dec);
	while (csf_next(dec, &run) > 0) {
		if (run.end == CSF_END_CONTEXT)
			seen->from = run.addr;
		seen->steps += run.n;
		if (run.end == CSF_END_GAP)
			seen->last = run;
	}
	csf_free(dec);
}

TEST_F(spaces, decoded)
{
	struct seen seen;

	decode(self->image, self->process, &seen);
	EXPECT_EQ(0x1008, seen.from);
	EXPECT_EQ(1, seen.steps);
}

TEST_F(spaces, missing)
{
	struct seen seen;

	decode(self->image, self->alone, &seen);
	EXPECT_EQ(0x1008, seen.from);
	EXPECT_EQ(0, seen.steps);
	EXPECT_EQ(CSF_GAP_IMAGE, seen.last.value);
	EXPECT_EQ(0x1008, seen.last.addr);
}

TEST_HARNESS_MAIN
