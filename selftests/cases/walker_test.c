// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder against the naive walker, on random cases: their text must be the same, however the
 * decoder is fed.
 *
 *	walker_test			CSFLOW_SEEDS cases of each kind; else SEEDS, or more
 *	CSFLOW_SEED=n walker_test	that one, with the trace and both texts if they differ
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow-debug.h"
#include "../lib/case-run.h"
#include "../lib/random-case.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* As many as fit the time of make check. */
#define SEEDS	250

static const struct feeding ways[] = {
	{ .offsets = true },
	{ .chunk = 1, .offsets = true },
	{ .chunk = 90, .seed = 5, .run_max = 3, .offsets = true },
	{ .chunk = 40, .seed = 5, .flush = 1, .offsets = true },
	{ .chunk = 200, .seed = 5, .flush = -1, .offsets = true },
	{ .chunk = 200, .seed = 5, .ask = true, .offsets = true },
	{ .run_max = 50, .offsets = true },
	{ .paths = true, .offsets = true },
	{ .chunk = 300, .seed = 5, .ask = true, .paths = true, .offsets = true },
	{ .many = true, .offsets = true },
	{ .chunk = 300, .seed = 5, .ask = true, .many = true, .offsets = true },
	{ .many = true, .block_maps = true, .offsets = true },
	{ .chunk = 300, .seed = 7, .ask = true, .many = true, .block_maps = true, .offsets = true },
};

/* Layers of a decoder of one thread that is fed no frames; one of them, or all. */
static const uint64_t layers[] = {
	CSF_WITHOUT_FAST, CSF_WITHOUT_SPECULATION, CSF_WITHOUT_PATHS, CSF_WITHOUT_ADDRESSES,
	CSF_WITHOUT_LINKS, CSF_WITHOUT_PREFETCH, CSF_WITHOUT_ALL,
};

/* Way @i to decode the case of @seed: from @ways on, the same without layers. */
static struct feeding way(size_t i, unsigned long seed)
{
	struct feeding how;

	if (i < ARRAY_SIZE(ways))
		return ways[i];
	i -= ARRAY_SIZE(ways);
	how = ways[(i / ARRAY_SIZE(layers) + seed) % ARRAY_SIZE(ways)];
	how.without = layers[(i + seed) % ARRAY_SIZE(layers)];
	return how;
}

/* The number of these ways. */
static size_t n_ways(void)
{
	const size_t more = getenv("CSFLOW_LONG") ? ARRAY_SIZE(ways) * ARRAY_SIZE(layers) : 1;

	return ARRAY_SIZE(ways) + more;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : otherwise;
}

/* Returns whether walker and decoder agree. */
static bool agree(const struct trace_case *c, unsigned long seed)
{
	struct text want = { 0 }, got = { 0 }, why = { 0 };
	int err = case_walk(c, true, &want);
	bool ok = !err;

	for (size_t i = 0; ok && i < n_ways(); i++) {
		const struct feeding how = way(i, seed);

		text_clear(&got);
		err = case_decode(c, &how, &got);
		ok = !err && !strcmp(want.s ?: "", got.s ?: "");
		if (ok)
			continue;
		case_differ(&want, &got, &why);
		printf("# seed %lu, way %zu: %s%s", seed, i, err ? csf_strerror(err) : "", why.s);
	}
	if (!ok && getenv("CSFLOW_SEED")) {
		random_print(c, &why);
		printf("%s\nwant:\n%s\ngot:\n%s\n", why.s, want.s ?: "", got.s ?: "");
	}
	text_fini(&want);
	text_fini(&got);
	text_fini(&why);
	return ok;
}

/* Leaves only steps, exceptions and gaps: what the unit knows that it did. */
static void keep_path(struct text *t)
{
	static const char *const other[] = { "context", "event", "source", "walk", "end" };
	char *in = t->s, *out = t->s;

	while (in && *in) {
		size_t n = strcspn(in, "\n") + 1;
		bool drop = false;

		for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
			drop |= !strncmp(in, other[i], strlen(other[i]));
		if (!drop) {
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	if (out)
		*out = 0;
}

/* Returns whether walker and decoder both found out what was executed. */
static bool found(unsigned long seed, uint64_t without)
{
	const struct feeding how = {
		.chunk = 17, .seed = 1, .flush = (int)(seed % 5) - 2, .without = without,
	};
	struct text truth = { 0 }, walked = { 0 }, decoded = { 0 }, why = { 0 };
	struct dice d = { seed };
	struct trace_case c;
	bool ok;

	roll(&d, 1);
	random_execution(&c, &d, 10 + roll(&d, 400), &truth);
	ok = !case_walk(&c, false, &walked) && !case_decode(&c, &how, &decoded);
	keep_path(&walked);
	keep_path(&decoded);
	if (ok && strcmp(truth.s ?: "", walked.s ?: "")) {
		case_differ(&truth, &walked, &why);
		printf("# seed %lu: walker: %s", seed, why.s);
		ok = false;
	} else if (ok && strcmp(truth.s ?: "", decoded.s ?: "")) {
		case_differ(&truth, &decoded, &why);
		printf("# seed %lu: decoder: %s", seed, why.s);
		ok = false;
	}
	if (!ok && getenv("CSFLOW_SEED")) {
		random_print(&c, &why);
		printf("%s\ntruth:\n%s\nwalker:\n%s\ndecoder:\n%s\n", why.s, truth.s ?: "",
		       walked.s ?: "", decoded.s ?: "");
	}
	case_fini(&c);
	text_fini(&truth);
	text_fini(&walked);
	text_fini(&decoded);
	text_fini(&why);
	return ok;
}

enum kind { PACKETS, DAMAGED, EXECUTED };

static bool try(enum kind kind, unsigned long seed)
{
	struct dice d = { seed * 2 + kind };
	struct trace_case c;
	bool ok;

	if (kind == EXECUTED)
		return found(seed, 0) && found(seed, layers[seed % ARRAY_SIZE(layers)]);
	roll(&d, 1);
	random_program(&c, &d);
	random_packets(&c, &d, 5 + roll(&d, 150));
	if (kind == DAMAGED)
		random_damage(&c, &d);
	ok = agree(&c, seed);
	case_fini(&c);
	return ok;
}

/* Seeds after the usual ones that once found a fault. */
static const struct {
	enum kind kind;
	unsigned long seed;
} told[] = {
	/* the start of an A-sync, after an address that it cuts, where the bytes fed are flushed */
	{ PACKETS, 1148 }, { PACKETS, 2306 }, { DAMAGED, 1882 }, { DAMAGED, 2955 },
	/* a Cancel that turns over an element which is no atom was done twice */
	{ PACKETS, 3250 },
};

static unsigned long failures(enum kind kind)
{
	const unsigned long usual = getenv("CSFLOW_LONG") ? 20 * SEEDS : SEEDS;
	unsigned long one = setting("CSFLOW_SEED", 0), n = setting("CSFLOW_SEEDS", usual), bad = 0;

	if (one)
		return !try(kind, one);
	for (unsigned long seed = 1; seed <= n && bad < 100; seed++)
		bad += !try(kind, seed);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		bad += told[i].kind == kind && !try(kind, told[i].seed);
	return bad;
}

FIXTURE(dice)
{
};

FIXTURE_SETUP(dice)
{
}

FIXTURE_TEARDOWN(dice)
{
}

#define SECONDS	3000	/* with many seeds, beside other tests */

TEST_F_TIMEOUT(dice, packets, SECONDS)
{
	EXPECT_EQ(0, failures(PACKETS));
}

TEST_F_TIMEOUT(dice, damaged, SECONDS)
{
	EXPECT_EQ(0, failures(DAMAGED));
}

/* A small processor and its trace unit write down what they did: that must be decoded. */
TEST_F_TIMEOUT(dice, executed, SECONDS)
{
	EXPECT_EQ(0, failures(EXECUTED));
}

TEST_HARNESS_MAIN
