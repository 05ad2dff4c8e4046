// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3 and PTM: where a segment may begin, and when it continues the trace before it. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/classic/segment.h"
#include "../../decoder/etm3/parts.h"
#include "../../decoder/ptm/parts.h"
#include "../../decoder/state.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ASYNC		0, 0, 0, 0, 0, 0x80
#define ISYNC		0x08, 0x00, 0x80, 0, 0, 0x21	/* of PTM; its address is first */
#define ISYNC3		0x08, 0x21, 0x00, 0x80, 0, 0	/* of ETMv3 */

/*
 * @protocol: 2: ETMv3 that traces data only
 * @at: of the A-sync; @own: of the I-sync; 0: there is none
 */
static const struct {
	const char *name;
	uint8_t protocol;
	uint8_t n, bytes[48];
	size_t at, own;
} rows[] = {
	{ "an I-sync right after it", 1, 14, { 0x84, 0x86, ASYNC, ISYNC }, 2, 8 },
	{ "the same, ETMv3", 0, 14, { 0x84, 0x84, ASYNC, ISYNC3 }, 2, 8 },
	{ "packets between the two", 1, 17, { 0x84, ASYNC, 0x84, 0x42, 0x81, 0x01, ISYNC }, 1, 11 },
	{ "no I-sync", 1, 9, { 0x84, ASYNC, 0x84, 0x84 }, 0, 0 },
	{ "an I-sync up to the last byte", 1, 12, { ASYNC, ISYNC }, 0, 6 },
	{ "the same, one byte less", 1, 11, { ASYNC, ISYNC }, 0, 0 },
	{ "without the last byte of its address, 0", 0, 11, { ASYNC, ISYNC3 }, 0, 0 },
	{ "a bad packet before it", 1, 13, { ASYNC, 0x1e, ISYNC }, 0, 0 },
	{ "the same, and another A-sync", 1, 25, { ASYNC, 0x1e, ISYNC, ASYNC, ISYNC }, 13, 19 },
	{ "two A-syncs", 1, 18, { ASYNC, ASYNC, ISYNC }, 6, 12 },
	{ "data only: the I-sync has no address", 2, 8, { ASYNC, 0x08, 0x21 }, 0, 0 },
};

static void read_row_config(struct __test_metadata *_metadata, uint8_t protocol,
			    struct config *config)
{
	const struct csf_config c = {
		.size = sizeof(c), .protocol = protocol == 1 ? CSF_PROTOCOL_PTM : CSF_PROTOCOL_ETM3,
		.etmidr = protocol == 1 ? 0x411cf312 : 0x410cf250,
		.etmcr = protocol == 2 ? 1 << 20 | 1 << 3 : 0,
	};

	ASSERT_EQ(0, config_read(config, &c));
}

TEST(begins)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool ptm = rows[i].protocol == 1;
		struct config config;
		size_t at = 0, own;

		read_row_config(_metadata, rows[i].protocol, &config);
		own = classic_find_segment(&config, rows[i].bytes, rows[i].n, &at,
					   ptm ? ptm_read : etm3_read);
		EXPECT_EQ(rows[i].own, own) TH_LOG("%s", rows[i].name);
		if (own)
			EXPECT_EQ(rows[i].at, at) TH_LOG("%s", rows[i].name);
	}
}

/* The second of two is found from where the first was. */
TEST(begins_again)
{
	static const uint8_t bytes[] = { ASYNC, ISYNC, 0x84, ASYNC, ISYNC };
	struct config config;
	size_t at = 0;

	read_row_config(_metadata, 1, &config);
	EXPECT_EQ(6, classic_find_segment(&config, bytes, sizeof(bytes), &at, ptm_read));
	at++;
	EXPECT_EQ(19, classic_find_segment(&config, bytes, sizeof(bytes), &at, ptm_read));
	EXPECT_EQ(13, at);
}

/* Far from the A-sync an I-sync is not looked for. */
TEST(far)
{
	static const uint8_t async[] = { ASYNC }, isync[] = { ISYNC };
	uint8_t bytes[2000];
	struct config config;
	size_t at = 0;

	read_row_config(_metadata, 1, &config);
	memset(bytes, 0x84, sizeof(bytes));
	memcpy(bytes, async, sizeof(async));
	memcpy(bytes + 1018, isync, sizeof(isync));
	EXPECT_EQ(1018, classic_find_segment(&config, bytes, sizeof(bytes), &at, ptm_read));
	bytes[1018] = 0x84;
	memcpy(bytes + 1019, isync, sizeof(isync));
	at = 0;
	EXPECT_EQ(0, classic_find_segment(&config, bytes, sizeof(bytes), &at, ptm_read));
}

/* The state of a decoder that is in sync. */
static struct state make_state(void)
{
	return (struct state){
		.classic = {
			.time = 100, .addr = 0x8000, .isa = CLASSIC_T32, .sync = CLASSIC_SYNC_FULL,
			.clock = CLASSIC_CLOCK_WHOLE, .known = true,
			.ctx = { .known = true, .el = 1 },
		},
	};
}

TEST(same_state)
{
	const struct state a = make_state();
	struct state b = a;

	EXPECT_TRUE(classic_same_state(&a, &b));
	b.classic.addr += 4;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b = a;
	b.classic.isa = CLASSIC_A32;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b = a;
	b.classic.sync = CLASSIC_SYNC_ISYNC;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b = a;
	b.classic.known = false;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b = a;
	b.classic.alt = true;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b = a;
	b.classic.ctx.vmid = 1;
	EXPECT_FALSE(classic_same_state(&a, &b));
	/* How the decoder came to its time does not matter. */
	b = a;
	b.classic.clock = CLASSIC_CLOCK_PART;
	EXPECT_TRUE(classic_same_state(&a, &b));
}

/* Of another time, a segment goes on right only if its first timestamp has all bits. */
TEST(same_time)
{
	const struct state a = make_state();
	struct state b = a;

	b.classic.time = 0;
	b.classic.clock = CLASSIC_CLOCK_NONE;
	b.settled = true;
	EXPECT_TRUE(classic_same_state(&a, &b));
	b.settled = false;
	EXPECT_FALSE(classic_same_state(&a, &b));
	b.settled = true;
	b.classic.clock = CLASSIC_CLOCK_WHOLE;
	EXPECT_FALSE(classic_same_state(&a, &b));
}

/* What a decoder knows at the end of a segment tells if all bits came. */
TEST(settled)
{
	static const uint8_t clocks[] = {
		CLASSIC_CLOCK_NONE, CLASSIC_CLOCK_PART, CLASSIC_CLOCK_WHOLE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct csf_decoder *d = calloc(1, sizeof(*d));
		struct state s = { 0 };

		ASSERT_NE(NULL, d);
		d->classic.clock = clocks[i];
		d->classic.addr = 0x1234;
		classic_take_packets(&s, d);
		EXPECT_EQ(clocks[i] == CLASSIC_CLOCK_WHOLE, s.settled);
		EXPECT_EQ(0x1234, s.classic.addr);
		free(d);
	}
}

TEST_HARNESS_MAIN
