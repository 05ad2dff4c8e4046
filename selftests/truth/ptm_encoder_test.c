// SPDX-License-Identifier: GPL-2.0-only
/* Random programs of A32 and T32, traced by random units of PTM, come back. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow-debug.h"
#include "../lib/encoder-units.h"

/* The peer's own leaks are not ours to find. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libopencsd";
}

static const char *const axes[][UNITS_SETTINGS] = {
	{ "ptm=1.1", "ptm=1.0" },
	{ "", "rs", "rs=3", "rs=1" },
	{ "", "bb" },
	{ "", "cc" },
	{ "", "ts=100", "ts=3", "ts=40,gray", "ts=40,tsbits=48", "ts=9,tsbits=48,gray" },
	{ "", "cid", "cid=8", "cid=16", "vmid", "cid,vmid" },
	{ "", "barriers" },
	{ "", "event=9", "ignore=5" },
	{ "", "overflow=40,lose=5", "truncate=30" },
	{ "", "sync=0", "sync=60", "sync=400" },
	{ "", "range=0x10000-0x10800,range=0x18000-0x18400", "exclude=0x18000-0x18400" },
	{ "", "strobe=50:70", "strobe=1000:10" },
	{ "kernel", "user" },
	{ "a32 and t32" },
};

static const struct units units = { axes, ARRAY_SIZE(axes), 1500, PROGRAM_A32 };

/* Pairs that exclude each other: PFT 1.0 with two kinds of timestamps, and with vmid, 2. */
#define IMPOSSIBLE	4

/* Random rows, one after the other. */
TEST(random_units)
{
	struct units_sum sum = { 0 };

	units_random(&units, &sum, units_trials(getenv("CSFLOW_LONG") ? 5000 : 300));
	EXPECT_EQ(sum.ok, sum.tried)
		TH_LOG("%s", sum.problem);
	TH_LOG("%u units, %llu instructions", sum.tried, (unsigned long long)sum.insns);
}

static const struct {
	uint8_t type;
	const char *name;
} sent[] = {
	{ CSF_PKT_ASYNC, "async" }, { CSF_PKT_ISYNC, "isync" }, { CSF_PKT_ATOM, "atom" },
	{ CSF_PKT_BRANCH, "branch" }, { CSF_PKT_WAYPOINT, "waypoint" }, { CSF_PKT_TIME, "time" },
	{ CSF_PKT_CTXTID, "cid" }, { CSF_PKT_VMID, "vmid" }, { CSF_PKT_TRIGGER, "trigger" },
	{ CSF_PKT_ERET, "eret" }, { CSF_PKT_IGNORE, "ignore" },
};

/* Every setting of an axis with every one of every other axis, if that goes together. */
TEST(pairwise)
{
	struct units_sum sum = { 0 };

	units_pairwise(&units, &sum);
	EXPECT_EQ(sum.ok, sum.tried)
		TH_LOG("%s", sum.problem);
	EXPECT_EQ(sum.impossible, IMPOSSIBLE);
	EXPECT_GT(sum.joined, sum.items / 2);
	TH_LOG("%u units, %llu blocks, %llu items, %llu by decoders that joined", sum.tried,
	       (unsigned long long)sum.stats.blocks, (unsigned long long)sum.items,
	       (unsigned long long)sum.joined);
	for (int i = ENC_LOST_FILTER; i <= ENC_LOST_TRUNCATED; i++) {
		/* PTM has no packet for it. */
		if (i == ENC_LOST_DISCARD)
			continue;
		EXPECT_GT(sum.stats.lost[i], 100)
			TH_LOG("lost by %s", enc_lost_name(i));
	}
	for (size_t i = 0; i < ARRAY_SIZE(sent); i++) {
		TH_LOG("%8s %llu", sent[i].name, (unsigned long long)sum.packets[sent[i].type]);
		EXPECT_GT(sum.packets[sent[i].type], 20);
	}
}

/* The executed code comes out, whichever layer the decoder does without, in runs of any length. */
TEST(without_layers)
{
	static const uint32_t layers[] = {
		CSF_WITHOUT_FAST, CSF_WITHOUT_LINKS, CSF_WITHOUT_ADDRESSES, CSF_WITHOUT_ALL,
	};
	static const char *const words[] = {
		"ptm=1.1,rs,cid,ts=1000", "ptm=1.1,cc,vmid,sync=400", "ptm=1.1,bb,barriers,overflow=50",
		"ptm=1.0,rs=2,ts=30,truncate=60", "ptm=1.1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words) * ARRAY_SIZE(layers); i++) {
		struct trial t = {
			.seed = units_seed() + i, .n = 3000, .user_only = i & 1,
			.kind = PROGRAM_A32,
		};
		char problem[ENC_PROBLEM_MAX];

		ASSERT_EQ(enc_setup_parse(&t.setup, words[i % ARRAY_SIZE(words)], problem), 0)
			TH_LOG("%s", problem);
		t.setup.config.without = layers[i / ARRAY_SIZE(words)];
		t.setup.config.run_max = i % 3 ? 0 : 140;
		units_trial(&t);
		EXPECT_EQ(t.problem[0], 0)
			TH_LOG("%s, seed %u, without %x: %s", words[i % ARRAY_SIZE(words)],
			       (unsigned int)t.seed, t.setup.config.without, t.problem);
		trial_free(&t);
	}
}

/*
 * Debian's library in units that it can follow.  It does not know that ERET is a waypoint, takes an
 * information byte without an exception for one, loses what is before a periodic I-sync between
 * two waypoints, and takes a BLX whose condition failed for one that changed to A32.
 */
TEST(peer)
{
	static const char *const words[] = {
		"ptm=1.1", "ptm=1.0", "ptm=1.1,cc", "ptm=1.1,ts=30", "ptm=1.0,ts=9,cc",
		"ptm=1.1,cid,vmid", "ptm=1.1,cid=8,sync=60", "ptm=1.1,rs=3", "ptm=1.1,bb,event=9",
		"ptm=1.1,overflow=40,rs", "ptm=1.1,strobe=50:70", "ptm=1.1,ignore=3,sync=200",
		"ptm=1.1,tsbits=48,ts=5",
	};
	uint64_t items = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (uint64_t seed = units_seed(); seed < units_seed() + 5; seed++) {
			struct trial t = {
				.seed = seed, .n = 1500, .user_only = true,
				.flags = PROGRAM_OLD, .plain = true, .kind = PROGRAM_A32,
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
