// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3 by the encoder: random programs on an invented processor, in many units. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../lib/encoder-units.h"

/* The peer's own leaks are not ours to find. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libopencsd";
}

/* One setting of every axis, together a unit; NULL ends an axis. */
static const char *const axes[][UNITS_SETTINGS] = {
	{ "etm3=3.5", "etm3=3.4", "etm3=3.3", "etm3=3.2", "etm3=3.1", "etm3=3.0" },
	{ "", "m" },
	{ "", "alt" },
	{ "", "halves" },
	{ "", "bb" },
	{ "", "cc" },
	{ "", "ts=100", "ts=3", "ts=40,gray", "ts=50,tsbits=48", "ts=9,tsbits=48,gray" },
	{ "", "cid=8", "cid=16", "cid" },
	{ "", "vmid" },
	{ "", "event=9", "ignore=5" },
	{ "", "overflow=40,lose=5", "truncate=30" },
	{ "", "sync=0", "sync=60", "sync=400" },
	{ "", "range=0x10000-0x10800,range=0xc0008000-0xc0008800,range=0x18000-0x18400,"
	  "range=0x8000000-0x8000800,range=0x800c000-0x800c800",
	  "exclude=0x18000-0x18400,exclude=0xc0008100-0xc0008300,exclude=0x8004000-0x8004400" },
	{ "", "strobe=50:70", "strobe=1000:10" },
	{ "", "data", "data=values", "data=addresses", "cprt", "data,cprt" },
	{ "", "late=5", "late=40" },
	{ "", "untraced=5" },
	{ "", "suppress=40" },
	{ "kernel", "user" },
	{ "a32 and t32" },
};

/*
 * Pairs that exclude each other: alt and m with four versions each; vmid with five; m with IDs, 4;
 * late, twice, and untraced without data or with cprt alone, 6; suppress without data.
 */
#define IMPOSSIBLE	24

/* Blocks of a row: with them the rows have 10^7 instructions, or 10^8. */
#define BLOCKS		150000

/* All of ETMv3's packets. */
static const uint8_t sent[] = {
	CSF_PKT_ASYNC, CSF_PKT_ISYNC, CSF_PKT_BRANCH, CSF_PKT_ATOM, CSF_PKT_CYCLES, CSF_PKT_TIME,
	CSF_PKT_CTXTID, CSF_PKT_VMID, CSF_PKT_TRIGGER, CSF_PKT_ERET, CSF_PKT_IGNORE, CSF_PKT_DATA,
	CSF_PKT_DATA_PLACE, CSF_PKT_DATA_LATE, CSF_PKT_DATA_UNTRACED, CSF_PKT_DATA_FAILED,
	CSF_PKT_DATA_LOST, CSF_PKT_EXC_ENTRY,
};

/* One trial, by hand of any unit: CSFLOW_UNIT="etm3=3.4,cc" CSFLOW_SEED=n CSFLOW_USER=1. */
TEST(one_unit)
{
	const char *words = getenv("CSFLOW_UNIT") ?: "etm3=3.5,cid,ts=1000,data";
	const char *blocks = getenv("CSFLOW_BLOCKS");
	struct trial t = {
		.seed = units_seed(), .n = blocks ? atoi(blocks) : 3000, .kind = PROGRAM_A32,
	};
	char problem[ENC_PROBLEM_MAX];

	ASSERT_EQ(enc_setup_parse(&t.setup, words, problem), 0)
		TH_LOG("%s", problem);
	t.user_only = getenv("CSFLOW_USER");
	units_trial(&t);
	units_save(&t);
	for (size_t i = 0; i < t.executed.n && getenv("CSFLOW_LIST"); i++)
		TH_LOG("executed %d %llx %llx", t.executed.p[i].kind,
		       (unsigned long long)t.executed.p[i].addr,
		       (unsigned long long)t.executed.p[i].value);
	for (size_t i = 0; i < t.decoded.n && getenv("CSFLOW_LIST"); i++)
		TH_LOG("decoded %d %llx %llx", t.decoded.p[i].kind,
		       (unsigned long long)t.decoded.p[i].addr,
		       (unsigned long long)t.decoded.p[i].value);
	EXPECT_EQ(t.problem[0], 0)
		TH_LOG("%s", t.problem);
	EXPECT_GT(t.executed.n, 1000);
	if (getenv("CSFLOW_UNIT"))
		TH_LOG("%llu accesses, %llu late, %llu untraced, %llu losses",
		       (unsigned long long)t.data, (unsigned long long)t.late,
		       (unsigned long long)t.untraced, (unsigned long long)t.losses);
	trial_free(&t);
}

/* ---------------------------------------------------------------- many units */

static void check_sum(struct __test_metadata *_metadata, const struct units_sum *sum)
{
	static const uint8_t rates[] = {
		ENC_RATE_EVENT, ENC_RATE_IGNORE, ENC_RATE_OVERFLOW, ENC_RATE_TRUNCATE,
		ENC_RATE_LATE, ENC_RATE_UNTRACED, ENC_RATE_SUPPRESS,
	};
	static const uint8_t lost[] = {
		ENC_LOST_FILTER, ENC_LOST_STROBE, ENC_LOST_OVERFLOW, ENC_LOST_TRUNCATED,
		ENC_LOST_SIGNAL,
	};

	EXPECT_EQ(sum->ok, sum->tried);
	EXPECT_GE(sum->insns, getenv("CSFLOW_LONG") ? 100000000 : 10000000);
	EXPECT_GE(sum->data, 1000000);
	EXPECT_GT(sum->late, 10000);
	EXPECT_GT(sum->untraced, 10000);
	EXPECT_GT(sum->losses, 10000);
	EXPECT_GT(sum->entries, 10000);
	EXPECT_GT(sum->cycles, 1000000);
	EXPECT_GT(sum->joined, sum->insns / 2);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		EXPECT_GT(sum->stats.injected[rates[i]], 1000)
			TH_LOG("rate %u", rates[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		EXPECT_GT(sum->stats.lost[lost[i]], 1000)
			TH_LOG("lost by %s", enc_lost_name(lost[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(sent); i++) {
		EXPECT_GT(sum->packets[sent[i]], 1000)
			TH_LOG("packet type %u", sent[i]);
	}
}

/* Every setting of an axis with every one of every other axis, if that goes together. */
TEST(pairwise)
{
	struct units units = { axes, ARRAY_SIZE(axes), BLOCKS, PROGRAM_A32 };
	struct units_sum sum = { 0 };

	if (getenv("CSFLOW_LONG"))
		units.blocks *= 10;
	units_pairwise(&units, &sum);
	EXPECT_EQ(sum.ok, sum.tried)
		TH_LOG("%s", sum.problem);
	EXPECT_EQ(sum.impossible, IMPOSSIBLE);
	TH_LOG("%u units, %llu instructions, %llu by decoders that joined, %llu accesses",
	       sum.tried, (unsigned long long)sum.insns, (unsigned long long)sum.joined,
	       (unsigned long long)sum.data);
	check_sum(_metadata, &sum);
}

/* ---------------------------------------------------------------- the peer */

/*
 * Debian's library in units that it can follow.  It does not do data trace, cancels only the atom
 * of a P-header that has no other, and after an N goes on in the instruction set of the last BLX,
 * unless branches are broadcast.
 */
TEST(peer)
{
	static const char *const words[] = {
		"etm3=3.5,bb", "etm3=3.0,bb", "etm3=3.4,bb,alt", "etm3=3.5,bb,cc", "etm3=3.4,bb,cid=8",
		"etm3=3.5,bb,cid,vmid,ts=30", "etm3=3.2,bb,ts=9,cc,tsbits=48",
		"etm3=3.5,bb,overflow=40", "etm3=3.4,alt,bb,strobe=50:70",
		"etm3=3.5,bb,ignore=3,event=9,sync=200",
	};
	uint64_t items = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (uint64_t seed = units_seed(); seed < units_seed() + 5; seed++) {
			struct trial t = {
				.seed = seed, .n = 1500, .user_only = true, .kind = PROGRAM_A32,
				.flags = PROGRAM_OLD | PROGRAM_EACH, .plain = true,
			};
			char problem[ENC_PROBLEM_MAX];

			ASSERT_EQ(enc_setup_parse(&t.setup, words[i], problem), 0)
				TH_LOG("%s", problem);
			t.setup.target_first = true;
			trial_execute(&t);
			if (!units_peer(&t))
				strcpy(t.problem, "the peer gave up");
			else
				trial_compare(&t);
			EXPECT_EQ(t.problem[0], 0)
				TH_LOG("%s seed %u: %s", words[i], (unsigned int)seed, t.problem);
			items += t.decoded.n;
			units_save(&t);
			trial_free(&t);
		}
	TH_LOG("%llu items of the peer", (unsigned long long)items);
}

TEST_HARNESS_MAIN
