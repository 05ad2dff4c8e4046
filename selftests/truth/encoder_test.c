// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow-debug.h"
#include "../lib/encoder-units.h"
#include "../lib/last-address.h"

/* The peer's own leaks are not ours to find: Cancel leaks what it cancels. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libopencsd";
}

/* One setting of every axis, together a unit; NULL ends an axis. */
static const char *const axes[][UNITS_SETTINGS] = {
	{ "ete=1.3", "ete=1.1", "ete=1.0", "etm4=4.6", "etm4=4.3", "etm4=4.0" },
	{ "", "rs", "rs=3", "rs=1" },
	{ "", "bb", "bb=0x10000-0x10800,bb=0xaaaac0de0000-0xaaaac0de0800" },
	{ "", "cc=4", "cc=20", "cc=4,commopt=0,spec=3:9" },
	{ "", "ts=100", "ts=3", "ts=40,marker" },
	{ "", "cid", "vmid", "cid,vmid=8", "cid,vmid,vmidopt" },
	{ "", "q=6", "q=4:1", "q=40" },
	{ "", "source=5", "source=1" },
	{ "", "spec=1:5", "spec=2:3", "spec=4", "spec=9:2", "spec=60:9",
	  "spec=4:3,likely", "spec=12:2,likely" },
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

/*
 * Pairs that exclude each other: source and tm with ETMv4, 12; marker with three versions, ite with
 * five, ignore with one, sizes of VMIDs with five; q with bb, 6; and vmid=8, which only ETMv4 has,
 * with words that only ETE has, 5.
 */
#define IMPOSSIBLE	37

/* Packets that a unit of A or R profile without data trace sends. */
static const uint8_t sent[] = {
	CSF_PKT_ASYNC, CSF_PKT_DISCARD, CSF_PKT_OVERFLOW, CSF_PKT_INFO, CSF_PKT_TIME, CSF_PKT_ON,
	CSF_PKT_EXCEPTION, CSF_PKT_ERET, CSF_PKT_ITE, CSF_PKT_TM_START, CSF_PKT_TM_COMMIT,
	CSF_PKT_CC1, CSF_PKT_CC2, CSF_PKT_CC3, CSF_PKT_COMMIT, CSF_PKT_CANCEL1, CSF_PKT_MISPREDICT,
	CSF_PKT_CANCEL2, CSF_PKT_CANCEL3, CSF_PKT_IGNORE, CSF_PKT_EVENT, CSF_PKT_CONTEXT,
	CSF_PKT_ADDR_CTXT32, CSF_PKT_ADDR_CTXT64, CSF_PKT_MARKER, CSF_PKT_ADDR_MATCH,
	CSF_PKT_ADDR_SHORT, CSF_PKT_ADDR32, CSF_PKT_ADDR64, CSF_PKT_Q, CSF_PKT_SRC_MATCH,
	CSF_PKT_SRC_SHORT, CSF_PKT_SRC32, CSF_PKT_SRC64, CSF_PKT_ATOM,
};

/*
 * One trial, of a unit as most are set up; or by hand of another one:
 * CSFLOW_UNIT="rs,cc=4" CSFLOW_SEED=n, perhaps CSFLOW_KIND=2 (user: 5).
 */
TEST(one_unit)
{
	const char *words = getenv("CSFLOW_UNIT") ?: "ete=1.1,rs,cid,ts=1000";
	const char *kind = getenv("CSFLOW_KIND");
	const char *blocks = getenv("CSFLOW_BLOCKS");
	struct trial t = { .seed = units_seed(), .n = blocks ? atoi(blocks) : 1500 };
	char problem[ENC_PROBLEM_MAX];

	ASSERT_EQ(enc_setup_parse(&t.setup, words, problem), 0)
		TH_LOG("%s", problem);
	t.kind = kind ? atoi(kind) % 3 : 0;
	t.plain = getenv("CSFLOW_PLAIN");
	t.flags = t.plain ? PROGRAM_OLD : 0;
	t.user_only = kind && atoi(kind) >= 3;
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
	trial_free(&t);
}

/* ---------------------------------------------------------------- without layers */

/* Of a decoder of one thread that is fed no frames and asked for no paths. */
static const uint32_t layers[] = {
	CSF_WITHOUT_FAST, CSF_WITHOUT_SPECULATION, CSF_WITHOUT_ADDRESSES, CSF_WITHOUT_LINKS,
	CSF_WITHOUT_ALL,
};

/* Units whose trace goes through different ones. */
static const char *const layered[] = {
	"ete=1.1,cid,ts=1000", "etm4=4.3,rs,cc=20", "etm4=4.3,bb,sync=400",
	"etm4=4.3,spec=9,sync=900", "ete=1.3,spec=4:9,rs,cid",
	"etm4=4.3,spec=60:3,cc=4,commopt=0,ts=50", "ete=1.1,tm=20,source=5,q=9",
	"etm4=4.3,spec=4:5,likely", "etm4=4.3,spec=9:3,likely,bb,cc=4",
};

static void layers_trial(struct __test_metadata *_metadata, const char *words, uint32_t without,
			 uint64_t seed)
{
	struct trial t = { .seed = seed, .n = getenv("CSFLOW_LONG") ? 10000 : 1000 };
	char problem[ENC_PROBLEM_MAX];

	t.kind = seed % 3;
	ASSERT_EQ(enc_setup_parse(&t.setup, words, problem), 0)
		TH_LOG("%s", problem);
	t.setup.config.without = without;
	t.setup.config.run_max = seed % 2 ? 140 : 0;
	units_trial(&t);
	EXPECT_EQ(t.problem[0], 0)
		TH_LOG("%s, seed %u, without %x: %s", words, (unsigned int)seed, without,
		       t.problem);
	trial_free(&t);
}

/* The executed code comes out, whichever layer the decoder does without. */
TEST(without_layers)
{
	for (size_t i = 0; i < ARRAY_SIZE(layered); i++)
		for (size_t k = 0; k < ARRAY_SIZE(layers); k++)
			layers_trial(_metadata, layered[i], layers[k], units_seed() + i + k);
}

/* ---------------------------------------------------------------- many units */

static const struct units units = { axes, ARRAY_SIZE(axes), 1500 };

/* Random rows, one after the other. */
TEST(random_units)
{
	struct units_sum sum = { 0 };

	units_random(&units, &sum, units_trials(getenv("CSFLOW_LONG") ? 600 : 100));
	EXPECT_EQ(sum.ok, sum.tried)
		TH_LOG("%s", sum.problem);
}

/* Every setting of an axis with every one of every other axis, if that goes together. */
TEST(pairwise)
{
	struct units_sum sum = { 0 };

	units_pairwise(&units, &sum);
	EXPECT_EQ(sum.ok, sum.tried)
		TH_LOG("%s", sum.problem);
	EXPECT_EQ(sum.impossible, IMPOSSIBLE);
	/* Three decoders join each trace, and have half of it on average, if it has A-syncs. */
	EXPECT_GT(sum.joined, sum.items / 2);
	TH_LOG("%u units, %llu blocks, %llu items, %llu by decoders that joined", sum.tried,
	       (unsigned long long)sum.stats.blocks, (unsigned long long)sum.items,
	       (unsigned long long)sum.joined);

	/* All that the encoder can do was used. */
	for (int i = ENC_LOST_FILTER; i < ENC_LOST_NR; i++) {
		EXPECT_GT(sum.stats.lost[i], 100)
			TH_LOG("lost by %s", enc_lost_name(i));
	}
	/* Those after it are ETMv3's. */
	for (int i = 0; i <= ENC_RATE_TRUNCATE; i++) {
		EXPECT_GT(sum.stats.injected[i], 100)
			TH_LOG("rate %d", i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sent); i++) {
		EXPECT_GT(sum.packets[sent[i]], 0)
			TH_LOG("packet type %u", sent[i]);
	}
}

/* ---------------------------------------------------------------- likely wrong paths */

/* The contents of the packets of a trace, wrong paths included. */
struct said {
	struct last_address last;
	unsigned int turned, cancels, elsewhere, exceptions;
	bool after_exception;
};

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void say(struct said *s, const struct csf_packet *pkt, const uint64_t *at, size_t n)
{
	s->turned += pkt->type == CSF_PKT_MISPREDICT || pkt->flags & CSF_PKT_MISP;
	s->cancels += pkt->type == CSF_PKT_CANCEL1 || pkt->type == CSF_PKT_CANCEL2 ||
		      pkt->type == CSF_PKT_CANCEL3;
	s->exceptions += pkt->type == CSF_PKT_EXCEPTION;
	if (last_address(&s->last, pkt)) {
		s->elsewhere += !s->after_exception &&
				!bsearch(&s->last.at[0], at, n, sizeof(*at), compare_addresses);
		s->after_exception = false;
	}
	s->after_exception |= pkt->type == CSF_PKT_EXCEPTION;
}

/* Likely ones lead to code that was executed, except where the last branch leads. */
TEST(wrong_paths)
{
	static const char *const words[] = {
		"etm4=4.4,spec=4:5,likely", "etm4=4.4,spec=9:3,likely,bb", "etm4=4.4,spec=4:5",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct trial t = { .seed = 5, .n = 20000 };
		char problem[ENC_PROBLEM_MAX];
		struct csf_packet pkt;
		unsigned int exceptions = 0;
		struct said s = { 0 };
		uint64_t *at;

		ASSERT_EQ(enc_setup_parse(&t.setup, words[i], problem), 0)
			TH_LOG("%s", problem);
		trial_execute(&t);
		at = calloc(t.executed.n, sizeof(*at));
		ASSERT_NE(at, NULL);
		for (size_t k = 0; k < t.executed.n; k++) {
			at[k] = t.executed.p[k].addr;
			exceptions += t.executed.p[k].kind == ITEM_EXCEPTION;
		}
		qsort(at, t.executed.n, sizeof(*at), compare_addresses);
		for (size_t pos = 0; pos < t.n_trace; ) {
			const int size = csf_packet_read(&t.setup.config, t.trace + pos,
							 t.n_trace - pos, &pkt);

			ASSERT_GT(size, 0);
			pos += size;
			say(&s, &pkt, at, t.executed.n);
		}
		EXPECT_GT(s.turned, 1000);
		EXPECT_GT(s.cancels, 1000);
		EXPECT_EQ(s.elsewhere <= 1, t.setup.likely_only)
			TH_LOG("%s: %u addresses", words[i], s.elsewhere);
		EXPECT_EQ(s.exceptions == exceptions, t.setup.likely_only)
			TH_LOG("%s: %u exceptions, %u executed", words[i], s.exceptions,
			       exceptions);
		free(at);
		trial_free(&t);
	}
}

/* ---------------------------------------------------------------- the peer */

/*
 * Elements that Debian's library does not know (ITE) or gets wrong are left out: Q elements,
 * packets cut off, the return stack with mispredicts of BL<cond>, the instruction set after a
 * source address of BLX, commits in cycle counts; and its contexts.
 */
TEST(peer)
{
	static const char *const words[] = {
		"ete=1.0", "rs", "etm4=4.0,rs=3", "etm4=4.4,bb", "cc=4,cid,vmid", "ts=30,marker",
		"etm4=4.2,ts=30,cc=20", "sync=60,event=9", "etm4=4.5,overflow=40,rs",
		"range=0x10000-0x18400,range=0xaaaac0de0100-0xaaaac0de0a00", "strobe=50:70",
		"discard=30", "etm4=4.6,spec=4:5", "spec=9:3", "source=5", "tm=20",
		"etm4=4.2,spec=4:5,likely", "spec=9:3,likely,bb",
		"ignore=3,etm4=4.3,sync=200",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (uint64_t seed = units_seed(); seed < units_seed() + 3; seed++) {
			struct trial t = {
				.seed = seed, .n = 1500, .user_only = seed & 1,
				.flags = PROGRAM_OLD, .plain = true,
			};
			char problem[ENC_PROBLEM_MAX];

			ASSERT_EQ(enc_setup_parse(&t.setup, words[i], problem), 0)
				TH_LOG("%s", problem);
			if (!t.setup.rate[ENC_RATE_SOURCE])
				t.kind = (seed + i) % PROGRAM_KINDS;
			t.setup.target_first = true;
			trial_execute(&t);
			if (!units_peer(&t))
				strcpy(t.problem, "the peer gave up");
			else
				trial_compare(&t);
			EXPECT_EQ(t.problem[0], 0)
				TH_LOG("%s seed %u: %s", words[i], (unsigned int)seed, t.problem);
			units_save(&t);
			trial_free(&t);
		}
}

/* The same calls give the same bytes; however often they are taken. */
TEST(twice)
{
	static const char *const words[] = {
		"rs,cc=4,ts=20,marker,cid,q=9,source=7,spec=5:4,tm=30,overflow=90,sync=300",
		"etm4=4.4,rs=3,bb,cc=20,vmid=16,spec=9:3,commopt=0,discard=50,truncate=50",
		"etm4=4.4,bb,spec=9:3,likely",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct trial a = { .seed = 7, .n = 5000, .kind = PROGRAM_MIXED }, b = a;
		char problem[ENC_PROBLEM_MAX];

		ASSERT_EQ(enc_setup_parse(&a.setup, words[i], problem), 0)
			TH_LOG("%s", problem);
		b.setup = a.setup;
		trial_execute(&a);
		trial_execute(&b);
		EXPECT_EQ(a.n_trace, b.n_trace);
		EXPECT_GT(a.n_trace, 5000);
		EXPECT_EQ(memcmp(a.trace, b.trace, a.n_trace), 0);
		trial_free(&a);
		trial_free(&b);
	}
}

TEST_HARNESS_MAIN
