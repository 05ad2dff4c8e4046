// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#undef ARRAY_SIZE

#include "../decoder/bytes.h"
#include "encoder-trial.h"

/* One setting of every axis, together a unit; NULL ends an axis. */
static const char *const axes[][8] = {
	{ "ete=1.3", "ete=1.1", "ete=1.0", "etm4=4.6", "etm4=4.3", "etm4=4.0" },
	{ "", "rs", "rs=3", "rs=1" },
	{ "", "bb", "bb=0x10000-0x10800,bb=0xaaaac0de0000-0xaaaac0de0800" },
	{ "", "cc=4", "cc=20", "cc=4,commopt=0,spec=3:9" },
	{ "", "ts=100", "ts=3", "ts=40,marker" },
	{ "", "cid", "vmid", "cid,vmid=8", "cid,vmid,vmidopt" },
	{ "", "q=6", "q=4:1", "q=40" },
	{ "", "source=5", "source=1" },
	{ "", "spec=1:5", "spec=2:3", "spec=4", "spec=9:2", "spec=60:9" },
	{ "", "tm=20", "tm=9,commtrans,spec=5:5" },
	{ "", "event=9", "ite=7", "ignore=5" },
	{ "", "overflow=40,lose=5", "discard=40", "truncate=30" },
	{ "", "sync=0", "sync=60", "sync=400" },
	{ "", "range=0xffff800008080000-0xffff800008081000,range=0xaaaac0de0100-0xaaaac0de0a00,"
	  "range=0x10000-0x18400",
	  "exclude=0x18000-0x18400,exclude=0xffff80001100-0xffff80001300" },
	{ "", "strobe=50:70", "strobe=1000:10" },
	{ "", "wfx=0" },
	{ "kernel", "user" },
	{ "a64", "a32", "mixed" },
};

#define AXES	ARRAY_SIZE(axes)

static unsigned int settings(unsigned int axis)
{
	unsigned int n = 0;

	while (n < 8 && axes[axis][n])
		n++;
	return n;
}

/* One setting of each axis. */
struct row {
	uint8_t at[AXES];
};

static bool setup(struct trial *t, const struct row *row, char *words, char *problem)
{
	size_t n = 0;

	words[0] = 0;
	for (unsigned int i = 0; i < AXES - 2; i++) {
		const char *w = axes[i][row->at[i]];

		n += sprintf(words + n, "%s%s", *w && n ? "," : "", w);
	}
	sprintf(words + n, ",seed=%u", (unsigned int)t->seed);
	t->user_only = row->at[AXES - 2];
	t->kind = row->at[AXES - 1];
	return !enc_setup_parse(&t->setup, words, problem);
}

static uint64_t first_seed(void)
{
	const char *s = getenv("CSFLOW_SEED");

	return s ? strtoull(s, NULL, 0) : 1;
}

static void save(const struct trial *t)
{
	const char *path = getenv("CSFLOW_SAVE");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fwrite(t->trace, 1, t->n_trace, f);
	fclose(f);
}

static void trial(struct trial *t)
{
	trial_execute(t);
	if (!t->problem[0])
		trial_decode(t);
	if (!t->problem[0])
		trial_compare(t);
}

/* One trial by hand: CSFLOW_UNIT="rs,cc=4" CSFLOW_SEED=n, perhaps CSFLOW_KIND=2 (user: 5). */
TEST(by_hand)
{
	const char *words = getenv("CSFLOW_UNIT"), *kind = getenv("CSFLOW_KIND");
	const char *blocks = getenv("CSFLOW_BLOCKS");
	struct trial t = { .seed = first_seed(), .n = blocks ? atoi(blocks) : 1500 };
	char problem[ENC_PROBLEM_MAX];

	if (!words)
		SKIP(return, "no CSFLOW_UNIT");
	ASSERT_EQ(enc_setup_parse(&t.setup, words, problem), 0)
		TH_LOG("%s", problem);
	t.kind = kind ? atoi(kind) % 3 : 0;
	t.user_only = kind && atoi(kind) >= 3;
	trial(&t);
	save(&t);
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
	trial_free(&t);
}

/* Random rows, one after the other. */
TEST(random_units)
{
	const char *const count = getenv("CSFLOW_TRIALS");
	const unsigned int n = count ? atoi(count) : 300;
	struct enc_stats sum = { 0 };
	char words[1000], problem[ENC_PROBLEM_MAX];
	struct dice dice;
	unsigned int ok = 0, tried = 0;

	for (uint64_t seed = first_seed(); tried < n; seed++) {
		struct trial t = { .seed = seed, .n = 1500 };
		struct row row;

		dice_seed(&dice, seed);
		for (unsigned int i = 0; i < AXES; i++)
			row.at[i] = dice_below(&dice, settings(i)) *
				    (dice_once_in(&dice, 2) || i == 0 || i >= AXES - 2);
		if (!setup(&t, &row, words, problem))
			continue;
		tried++;
		trial(&t);
		for (int i = 0; i < ENC_LOST_NR; i++)
			sum.lost[i] += t.stats.lost[i];
		sum.blocks += t.stats.blocks;
		if (t.problem[0]) {
			TH_LOG("seed %u %s %s %s: %s", (unsigned int)seed, words,
			       axes[AXES - 2][row.at[AXES - 2]], axes[AXES - 1][row.at[AXES - 1]],
			       t.problem);
			save(&t);
		}
		ok += !t.problem[0];
		trial_free(&t);
	}
	TH_LOG("%u of %u; %llu blocks kept", ok, tried, (unsigned long long)sum.blocks);
	for (int i = 1; i < ENC_LOST_NR; i++)
		TH_LOG("lost, %s: %llu", enc_lost_name(i), (unsigned long long)sum.lost[i]);
	EXPECT_EQ(ok, tried);
}

TEST_HARNESS_MAIN
