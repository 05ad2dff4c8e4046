// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3 by the encoder: random programs on an invented processor, in many units. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../lib/encoder-trial.h"

/* One setting of every axis, together a unit; NULL ends an axis. */
static const char *const axes[][8] = {
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
};

#define AXES	ARRAY_SIZE(axes)
/*
 * Pairs that exclude each other: alt and m with four versions each; vmid with five; m with IDs, 4;
 * late, twice, and untraced without data or with cprt alone, 6; suppress without data.
 */
#define IMPOSSIBLE	24

/* Blocks of a row: with them the rows have 10^7 instructions, or 10^8. */
#define BLOCKS		220000

/* All of ETMv3's packets. */
static const uint8_t sent[] = {
	CSF_PKT_ASYNC, CSF_PKT_ISYNC, CSF_PKT_BRANCH, CSF_PKT_ATOM, CSF_PKT_CYCLES, CSF_PKT_TIME,
	CSF_PKT_CTXTID, CSF_PKT_VMID, CSF_PKT_TRIGGER, CSF_PKT_ERET, CSF_PKT_IGNORE, CSF_PKT_DATA,
	CSF_PKT_DATA_PLACE, CSF_PKT_DATA_LATE, CSF_PKT_DATA_UNTRACED, CSF_PKT_DATA_FAILED,
	CSF_PKT_DATA_LOST, CSF_PKT_EXC_ENTRY,
};

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
	t->flags |= PROGRAM_EACH | PROGRAM_OLD | PROGRAM_STATES | PROGRAM_BARRIERS;
	if (t->setup.config.profile == CSF_PROFILE_M)
		t->flags |= PROGRAM_M;
	t->kind = PROGRAM_A32;
	trial_execute(t);
	if (!t->problem[0])
		trial_decode(t);
	if (!t->problem[0])
		trial_compare(t);
}

/* One trial, by hand of any unit: CSFLOW_UNIT="etm3=3.4,cc" CSFLOW_SEED=n CSFLOW_USER=1. */
TEST(one_unit)
{
	const char *words = getenv("CSFLOW_UNIT") ?: "etm3=3.5,cid,ts=1000,data";
	const char *blocks = getenv("CSFLOW_BLOCKS");
	struct trial t = { .seed = first_seed(), .n = blocks ? atoi(blocks) : 3000 };
	char problem[ENC_PROBLEM_MAX];

	ASSERT_EQ(enc_setup_parse(&t.setup, words, problem), 0)
		TH_LOG("%s", problem);
	t.user_only = getenv("CSFLOW_USER");
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
	EXPECT_GT(t.executed.n, 1000);
	if (getenv("CSFLOW_UNIT"))
		TH_LOG("%llu accesses, %llu late, %llu untraced, %llu losses",
		       (unsigned long long)t.data, (unsigned long long)t.late,
		       (unsigned long long)t.untraced, (unsigned long long)t.losses);
	trial_free(&t);
}

/* ---------------------------------------------------------------- many units */

/* One setting of each axis. */
struct row {
	uint8_t at[AXES];
};

/* Which pairs of settings of different axes there were. */
struct pairs {
	bool seen[AXES][8][AXES][8];
};

/* The sum of many trials. */
struct sum {
	struct enc_stats stats;
	uint64_t packets[CSF_PKT_NR];
	uint64_t insns, data, late, untraced, losses, entries, joined, cycles;
	unsigned int ok, tried;
};

static unsigned int settings(unsigned int axis)
{
	unsigned int n = 0;

	while (n < 8 && axes[axis][n])
		n++;
	return n;
}

/* Return: these go together. */
static bool setup(struct trial *t, const struct row *row, char *words, char *problem)
{
	size_t n = 0;

	words[0] = 0;
	for (unsigned int i = 0; i < AXES - 1; i++) {
		const char *w = axes[i][row->at[i]];

		n += sprintf(words + n, "%s%s", *w && n ? "," : "", w);
	}
	sprintf(words + n, ",seed=%u", (unsigned int)t->seed);
	t->user_only = row->at[AXES - 1];
	return !enc_setup_parse(&t->setup, words, problem);
}

static void count(struct sum *sum, const struct trial *t)
{
	for (int i = 0; i < ENC_LOST_NR; i++)
		sum->stats.lost[i] += t->stats.lost[i];
	for (int i = 0; i < ENC_RATES; i++)
		sum->stats.injected[i] += t->stats.injected[i];
	for (int i = 0; i < CSF_PKT_NR; i++)
		sum->packets[i] += t->packets[i];
	sum->insns += t->stats.insns;
	sum->data += t->data;
	sum->late += t->late;
	sum->untraced += t->untraced;
	sum->losses += t->losses;
	sum->entries += t->entries;
	sum->cycles += t->cycles;
	sum->joined += t->joined;
	sum->tried++;
	sum->ok += !t->problem[0];
}

static void row_trial(struct __test_metadata *_metadata, struct sum *sum, const struct row *row)
{
	struct trial t = { .seed = first_seed() + sum->tried };
	char words[1000], problem[ENC_PROBLEM_MAX];

	t.n = BLOCKS * (getenv("CSFLOW_LONG") ? 10 : 1);
	ASSERT_EQ(setup(&t, row, words, problem), true);
	trial(&t);
	count(sum, &t);
	if (t.problem[0]) {
		TH_LOG("CSFLOW_SEED=%u %sCSFLOW_UNIT=%s: %s", (unsigned int)t.seed,
		       t.user_only ? "CSFLOW_USER=1 " : "", words, t.problem);
		save(&t);
	}
	trial_free(&t);
}

static unsigned int pairs_new(const struct pairs *p, const struct row *row)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < AXES; i++)
		for (unsigned int j = i + 1; j < AXES; j++)
			n += !p->seen[i][row->at[i]][j][row->at[j]];
	return n;
}

static void pairs_add(struct pairs *p, const struct row *row)
{
	for (unsigned int i = 0; i < AXES; i++)
		for (unsigned int j = i + 1; j < AXES; j++)
			p->seen[i][row->at[i]][j][row->at[j]] = true;
}

/* The possible row with this pair, of many, that has the most new ones.  Return: there is one. */
static bool best_row(const struct pairs *p, struct dice *dice, struct row *best, unsigned int i,
		     unsigned int j)
{
	struct row row = *best;
	struct trial t = { .seed = 1 };
	char words[1000], problem[ENC_PROBLEM_MAX];
	unsigned int most = 0, n;

	for (int k = 0; k < 2000 && (k < 200 || !most); k++) {
		for (unsigned int a = 0; a < AXES; a++)
			if (a != i && a != j)
				row.at[a] = dice_once_in(dice, 3) ? 0 :
					    dice_below(dice, settings(a));
		n = pairs_new(p, &row);
		if (n <= most || !setup(&t, &row, words, problem))
			continue;
		most = n;
		*best = row;
	}
	return most;
}

static void check_sum(struct __test_metadata *_metadata, const struct sum *sum)
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
	static struct pairs pairs;
	unsigned int impossible = 0;
	struct sum sum = { 0 };
	struct dice dice;

	dice_seed(&dice, first_seed());
	for (unsigned int i = 0; i < AXES; i++)
		for (unsigned int a = 0; a < settings(i); a++)
			for (unsigned int j = i + 1; j < AXES; j++)
				for (unsigned int b = 0; b < settings(j); b++) {
					struct row row = { { 0 } };

					row.at[i] = a;
					row.at[j] = b;
					if (pairs.seen[i][a][j][b])
						continue;
					if (!best_row(&pairs, &dice, &row, i, j)) {
						impossible++;
						continue;
					}
					pairs_add(&pairs, &row);
					row_trial(_metadata, &sum, &row);
				}
	EXPECT_EQ(impossible, IMPOSSIBLE);
	TH_LOG("%u units, %llu instructions, %llu by decoders that joined, %llu accesses",
	       sum.tried, (unsigned long long)sum.insns, (unsigned long long)sum.joined,
	       (unsigned long long)sum.data);
	check_sum(_metadata, &sum);
}

TEST_HARNESS_MAIN
