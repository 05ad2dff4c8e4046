// SPDX-License-Identifier: GPL-2.0-only
/* Block maps: a block is found wherever its number stands, and is no other block. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/block-map.h"
#include "../../decoder/flow.h"

#define N	64		/* instructions */
#define NOP	0xd503201fu
#define RET	0xd65f03c0u
#define HUGE	(4ull << 30)	/* bytes of code; too many for a block map */

static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	uint32_t *code = buf;

	for (size_t i = 0; i < n / 4; i++)
		code[i] = i % 2 ? RET : NOP;
	return n;
}

FIXTURE(block_map) {
	struct csf_image *image;
	uint32_t code[N];
	int section;
	uint32_t mapping;
};

static uint32_t map(struct csf_image *image, int section, uint64_t addr, uint64_t n)
{
	const struct mapping_query at = { .addr = addr, .top = UINT64_MAX };
	struct mapping_seen seen;

	if (csf_map(image, CSF_SPACE_ALL, addr, n, section, 0) ||
	    mapping_find(image, &at, &seen) <= 0)
		abort();
	return seen.mapping;
}

FIXTURE_SETUP(block_map)
{
	for (size_t i = 0; i < N; i++)
		self->code[i] = i % 2 ? RET : NOP;
	ASSERT_EQ(0, csf_image_new(&self->image));
	self->section = csf_section_bytes(self->image, self->code, sizeof(self->code));
	ASSERT_GT(self->section, 0);
	self->mapping = map(self->image, self->section, 0x1000, sizeof(self->code));
	self->image->block_maps.from = 0;
}

FIXTURE_TEARDOWN(block_map)
{
	csf_image_free(self->image);
}

/* The block of @key; if it is looked up again it is the same. */
static int64_t look(struct __test_metadata *_metadata, struct csf_image *image,
		    struct block_key key)
{
	const int64_t number = block_at(image, &key);

	EXPECT_GT(number, 0);
	EXPECT_EQ(number, block_at(image, &key));
	return number;
}

static bool block_in_map(const struct csf_image *image, struct block_key key)
{
	const uint32_t *entry = block_map_entry(&image->mappings.mapping[key.mapping], &key);

	return entry && *entry;
}

TEST_F(block_map, blocks_before_are_in_it)
{
	struct block_key key = { .mapping = self->mapping, .isa = CSF_A64 };
	int64_t number[N];

	self->image->block_maps.from = N / 2;
	for (size_t i = 0; i < N; i++) {
		key.offset = 4 * i;
		number[i] = look(_metadata, self->image, key);
	}
	EXPECT_EQ(1, self->image->block_maps.n);
	for (size_t i = 0; i < N; i++) {
		key.offset = 4 * i;
		EXPECT_TRUE(block_in_map(self->image, key));
		EXPECT_EQ(number[i], look(_metadata, self->image, key));
	}
}

/* Another rule, instruction set, part, or place between two instructions. */
TEST_F(block_map, others_at_a_place_are_others)
{
	const struct block_key first = { .offset = 8, .mapping = self->mapping, .isa = CSF_A64 };
	struct block_key key[] = { first, first, first, first };
	int64_t number[ARRAY_SIZE(key) + 1];

	number[0] = look(_metadata, self->image, first);
	EXPECT_TRUE(block_in_map(self->image, first));
	key[0].rule = CSF_RULE_LOAD;
	key[1].isa = CSF_T32;
	key[2].cut = 1;
	key[3].offset += 2;
	for (size_t i = 0; i < ARRAY_SIZE(key); i++) {
		EXPECT_FALSE(block_in_map(self->image, key[i]));
		number[i + 1] = look(_metadata, self->image, key[i]);
		for (size_t k = 0; k <= i; k++)
			EXPECT_NE(number[k], number[i + 1]);
	}
	EXPECT_EQ(number[0], look(_metadata, self->image, first));
}

/* Before there are block maps, and when there are. */
TEST_F(block_map, stale_code_is_forgotten)
{
	const struct block_key key = { .mapping = self->mapping, .isa = CSF_A64 };
	const struct block_key other = { .offset = 4, .mapping = self->mapping, .isa = CSF_A64 };
	int64_t number;

	self->image->block_maps.from = 3;
	number = look(_metadata, self->image, key);
	EXPECT_EQ(0, csf_section_stale(self->image, self->section));
	look(_metadata, self->image, other);
	EXPECT_TRUE(block_in_map(self->image, other));
	EXPECT_FALSE(block_in_map(self->image, key));
	EXPECT_LT(number, look(_metadata, self->image, key));
	EXPECT_TRUE(block_in_map(self->image, key));
	number = look(_metadata, self->image, key);
	EXPECT_EQ(0, csf_section_stale(self->image, self->section));
	EXPECT_FALSE(block_in_map(self->image, key));
	EXPECT_LT(number, look(_metadata, self->image, key));
}

/* Code that is read has a block map, too; but too much of it is hashed. */
TEST_F(block_map, not_all_mappings_have_one)
{
	struct block_key key = { .isa = CSF_A64 };
	int section = csf_section_read(self->image, HUGE, read_code, NULL);

	ASSERT_GT(section, 0);
	key.mapping = map(self->image, section, 0x100000000, HUGE);
	look(_metadata, self->image, key);
	look(_metadata, self->image, key);
	EXPECT_EQ(0, self->image->block_maps.n);
	section = csf_section_read(self->image, 1 << 24, read_code, NULL);
	ASSERT_GT(section, 0);
	key.mapping = map(self->image, section, 0x10000000, 1 << 24);
	key.offset = (1 << 24) - 4;
	look(_metadata, self->image, key);
	EXPECT_TRUE(block_in_map(self->image, key));
	EXPECT_EQ(1, self->image->block_maps.n);
	EXPECT_EQ(1 << 24, self->image->block_maps.size);
}

#define TIMES	100
#define AGAIN	0x14000002u	/* B to the place after it and another instruction */

/* Two instructions are mapped twice, side by side; the branch among them is to be taken thrice. */
static size_t make_trace(const struct csf_config *config, uint8_t *bytes)
{
	static const struct csf_packet first[] = {
		{ .type = CSF_PKT_ASYNC }, { .type = CSF_PKT_INFO, .info = 1 },
		{ .type = CSF_PKT_ADDR64, .val = 0x2000, .n = 64 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
	}, address = { .type = CSF_PKT_ADDR64, .val = 0x2000, .n = 64 },
	   atoms = { .type = CSF_PKT_ATOM, .n = 3, .val = 7 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		n += csf_packet_write(config, bytes + n, &first[i]);
	for (size_t i = 0; i < TIMES; i++) {
		n += csf_packet_write(config, bytes + n, &address);
		n += csf_packet_write(config, bytes + n, &atoms);
	}
	return n;
}

/* One block map serves both, and no code follows. */
TEST_F(block_map, a_section_that_is_mapped_twice)
{
	const struct csf_config config = {
		.size = sizeof(config), .trcconfigr = 1, .trcidr0 = 0x28000ea1,
		.trcidr1 = 0x4100f420,
	};
	const uint32_t code[] = { AGAIN, NOP };
	int section = csf_section_bytes(self->image, code, sizeof(code));
	struct csf_decoder *d;
	struct csf_run run;
	uint8_t bytes[64 + 16 * TIMES];
	size_t n = make_trace(&config, bytes);
	uint64_t steps = 0, gaps = 0;

	map(self->image, section, 0x2000, sizeof(code));
	map(self->image, section, 0x2008, sizeof(code));
	ASSERT_EQ(0, csf_new(&d, &config, self->image));
	d->config.many = 0;
	ASSERT_EQ(0, csf_feed(d, bytes, n));
	ASSERT_EQ(0, csf_end(d));
	while (csf_next(d, &run) > 0) {
		steps += run.n;
		gaps += run.end == CSF_END_GAP && run.value == CSF_GAP_IMAGE && run.addr == 0x2010;
	}
	EXPECT_TRUE(d->prefetch);
	EXPECT_EQ(2 * TIMES, steps);
	EXPECT_EQ(TIMES, gaps);
	csf_free(d);
}

#define NEXT	0x14000001u	/* B to the place after it */

/* An address, and three branches from there on; the last one of them often. */
static size_t go_to(const struct csf_config *config, uint8_t *bytes, uint64_t first, uint64_t then)
{
	const struct csf_packet atoms = { .type = CSF_PKT_ATOM, .n = 3, .val = 7 };
	struct csf_packet address = { .type = CSF_PKT_ADDR64, .val = first, .n = 64 };
	size_t n = 0;

	for (size_t i = 0; i < TIMES; i++) {
		n += csf_packet_write(config, bytes + n, &address);
		n += csf_packet_write(config, bytes + n, &atoms);
		address.val = then;
	}
	return n;
}

/* The last three blocks of all steps. */
static void last_of(struct csf_image *image, struct csf_decoder *d, struct csf_block *block)
{
	struct csf_run run;
	uint64_t n = 0;

	while (csf_next(d, &run) > 0)
		for (size_t i = 0; i < run.n; i++)
			csf_block(image, run.step[i] >> 1, &block[n++ % 3]);
}

/* Two sections, of the second only the part after its first 4 bytes; all code of both is known. */
TEST_F(block_map, a_link_stays_in_its_mapping)
{
	static const uint32_t code[] = { NEXT, NEXT, NEXT, NEXT, NEXT, NEXT };
	const struct csf_config config = {
		.size = sizeof(config), .trcconfigr = 1, .trcidr0 = 0x28000ea1,
		.trcidr1 = 0x4100f420,
	};
	int other = csf_section_bytes(self->image, code, sizeof(code));
	int section = csf_section_bytes(self->image, code, sizeof(code));
	uint8_t bytes[64 + 16 * TIMES];
	struct csf_block block[3] = { 0 };
	struct csf_decoder *d;

	map(self->image, other, 0x2000, sizeof(code));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, 0x3000, sizeof(code) - 4, section, 4));
	ASSERT_EQ(0, csf_new(&d, &config, self->image));
	d->config.many = 0;
	ASSERT_EQ(0, csf_feed(d, bytes, make_trace(&config, bytes)));
	last_of(self->image, d, block);
	ASSERT_EQ(0, csf_feed(d, bytes, go_to(&config, bytes, 0x3008, 0x2000)));
	last_of(self->image, d, block);
	ASSERT_EQ(0, csf_feed(d, bytes, go_to(&config, bytes, 0x2000, 0x3000)));
	ASSERT_EQ(0, csf_end(d));
	last_of(self->image, d, block);
	for (size_t i = 0; i < 3; i++) {
		EXPECT_EQ(section, block[i].section);
		EXPECT_EQ(4 + 4 * i, block[i].offset);
	}
	EXPECT_TRUE(d->prefetch);
	csf_free(d);
}

TEST_HARNESS_MAIN
