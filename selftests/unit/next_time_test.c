// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timestamps to come, as csf_next_time() sees them, are those that then come: whatever the packets
 * between, broken ones too, and however they are fed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/csflow.h"

#define TRACES		300
#define PACKETS		200

struct dice {
	uint32_t state;
};

static uint32_t throw(struct dice *dice, uint32_t sides)
{
	dice->state = dice->state * 1664525 + 1013904223;
	return (dice->state >> 8) % sides;
}

/**
 * struct trace - packets whose flow cannot be decoded
 * @time: the last one written, as the packets' unit
 */
struct trace {
	struct csf_config config;
	uint8_t bytes[PACKETS * CSF_PACKET_MAX];
	size_t n;
	uint64_t time;
};

static void add(struct trace *t, const struct csf_packet *pkt)
{
	int size = csf_packet_write(&t->config, t->bytes + t->n, pkt);

	if (size > 0)
		t->n += size;
}

static void add_sync(struct trace *t)
{
	const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	const struct csf_packet info = { .type = CSF_PKT_INFO, .info = 1 };
	const struct csf_packet isync = { .type = CSF_PKT_ISYNC, .n = 32, .val = 0x8000 };

	add(t, &async);
	add(t, t->config.protocol ? &isync : &info);
	t->time = 0;
}

/* Mostly forwards; now and then 0, or back. */
static void add_time(struct trace *t, struct dice *dice)
{
	static const uint8_t bits[] = { 14, 21, 28, 64 };
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = bits[throw(dice, 4)] };

	t->time += throw(dice, throw(dice, 8) ? 1000 : 1 << 20);
	pkt.val = throw(dice, 30) ? t->time : 0;
	if (pkt.n < 64)
		pkt.val &= (1ull << pkt.n) - 1;
	add(t, &pkt);
}

static void add_any(struct trace *t, struct dice *dice)
{
	struct csf_packet pkt = { 0 };
	/* only the decoder knows whether a Commit is possible */
	const uint32_t from = t->config.trcidr8 ? 4 : 0;

	switch (from + throw(dice, 20 - from)) {
	case 0:
		add_sync(t);
		return;
	case 1:
		t->bytes[t->n++] = t->config.protocol ? 0x10 : 0x05;	/* reserved */
		return;
	case 2:
		pkt.type = throw(dice, 2) ? CSF_PKT_DISCARD : CSF_PKT_OVERFLOW;
		break;
	case 3:
		pkt.type = CSF_PKT_COMMIT;
		pkt.count = 1 + throw(dice, 3);
		break;
	case 4:
	case 5:
	case 6:
		add_time(t, dice);
		return;
	default:
		pkt.type = CSF_PKT_ATOM;
		pkt.n = 1;
		pkt.val = throw(dice, 2);
		break;
	}
	add(t, &pkt);
}

/* ETMv4 with speculation or without, PTM, and ETMv3, which holds what may be cancelled. */
static void make(struct trace *t, enum csf_protocol protocol, struct dice *dice)
{
	*t = (struct trace){
		.config = {
			.size = sizeof(t->config), .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f421,
			.trcidr2 = 0x488, .trcconfigr = 0x801,
			.trcidr8 = throw(dice, 2) * 8, .marks = CSF_MARK_TIME,
		},
	};
	if (protocol)
		t->config = (struct csf_config){
			.size = sizeof(t->config), .protocol = protocol, .etmccer = 3 << 28,
			.trcidr8 = protocol == CSF_PROTOCOL_ETM3, .marks = CSF_MARK_TIME,
		};
	if (throw(dice, 4))
		add_sync(t);
	for (int i = 0; i < PACKETS / 3; i++)
		add_any(t, dice);
}

/*
 * Decodes what was fed.  Each time the next timestamp is predicted, then it must come, or none;
 * with speculation it may have to wait until what was before it is committed.
 *
 * Returns what went wrong, or NULL.
 */
static const char *decode(struct csf_decoder *dec, bool speculates, unsigned int *seen)
{
	uint64_t last, above, got;
	struct csf_run run;
	int predicted, ret;

	do {
		predicted = csf_next_time(dec, 0, &last, &above);
		if (last || predicted != !!above)
			return "timestamps that are not above 0";
		csf_set_time(dec, 0, predicted ? 1 : 0);
		got = 0;
		while (!got && (ret = csf_next(dec, &run)) > 0)
			for (size_t i = 0; i < run.n_mark && !got; i++)
				if (run.mark[i].kind == CSF_MARK_TIME)
					got = run.mark[i].value;
		if (predicted && !got && speculates)
			return NULL;
		if (predicted && got != above)
			return "another timestamp than was predicted";
		if (!predicted && got)
			return "one that was not predicted";
		*seen += predicted;
	} while (predicted);
	return NULL;
}

TEST(what_is_predicted_comes)
{
	static const enum csf_protocol protocols[] = { 0, CSF_PROTOCOL_PTM, CSF_PROTOCOL_ETM3 };
	struct trace trace;
	unsigned int seen = 0;

	for (uint32_t seed = 0; seed < 3 * TRACES; seed++) {
		struct dice dice = { seed };
		struct csf_decoder *dec;
		struct csf_image *image;
		const char *why = NULL;
		size_t at = 0, n;

		make(&trace, protocols[seed / TRACES], &dice);
		ASSERT_EQ(0, csf_image_new(&image));
		ASSERT_EQ(0, csf_new(&dec, &trace.config, image));
		for (; at < trace.n && !why; at += n) {
			n = seed & 1 ? trace.n : 1 + throw(&dice, 90);
			n = n < trace.n - at ? n : trace.n - at;
			ASSERT_EQ(0, csf_feed(dec, trace.bytes + at, n));
			if (at + n == trace.n && seed & 2)
				csf_end(dec);
			why = decode(dec, trace.config.trcidr8, &seen);
		}
		EXPECT_EQ(NULL, why) {
			TH_LOG("seed %u, speculation %u: %s", seed, trace.config.trcidr8, why);
		}
		csf_free(dec);
		csf_image_free(image);
	}
	EXPECT_LT(5000, seen);
}

/* 100, 200, 150, 300: how far one may go. */
TEST(as_far_as_the_bound)
{
	static const uint64_t times[] = { 100, 200, 150, 300 };
	static const struct { uint64_t bound, last, above; } rows[] = {
		{ 0, 0, 100 }, { 99, 0, 100 }, { 100, 100, 200 }, { 160, 100, 200 },
		{ 200, 150, 300 }, { 299, 150, 300 }, { 300, 300, 0 }, { UINT64_MAX, 300, 0 },
	};
	struct trace trace = { .config = { .size = sizeof(trace.config), .trcidr1 = 0x4100f421,
					   .trcidr0 = 0x28000ea1, .trcconfigr = 0x801 } };
	struct csf_image *image;
	struct csf_decoder *dec;
	uint64_t last, above;

	add_sync(&trace);
	for (int i = 0; i < 4; i++) {
		const struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = 64, .val = times[i] };

		add(&trace, &pkt);
	}
	ASSERT_EQ(0, csf_image_new(&image));
	ASSERT_EQ(0, csf_new(&dec, &trace.config, image));
	EXPECT_EQ(0, csf_next_time(dec, 0, &last, &above));
	ASSERT_EQ(0, csf_feed(dec, trace.bytes, trace.n));
	ASSERT_EQ(0, csf_end(dec));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		EXPECT_EQ(rows[i].above != 0, csf_next_time(dec, rows[i].bound, &last, &above));
		EXPECT_EQ(rows[i].last, last);
		EXPECT_EQ(rows[i].above, above);
	}
	csf_free(dec);
	csf_image_free(image);
}

TEST_HARNESS_MAIN
