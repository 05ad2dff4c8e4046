// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder against the naive walker, on cases made by dice: their text must
 * be the same, however the decoder is fed.
 *
 *	walker_test			CSFLOW_SEEDS cases of each kind, 2,000 if it is not set
 *	CSFLOW_SEED=n walker_test	that one, with the trace and both texts if they differ
 */
#include <stdlib.h>

#include "kselftest_harness.h"
#undef ARRAY_SIZE
#include "case-run.h"
#include "random-case.h"

static const struct feeding ways[] = {
	{ .offsets = true },
	{ .chunk = 1, .offsets = true },
	{ .chunk = 90, .seed = 5, .run_max = 3, .offsets = true },
};

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

	for (size_t i = 0; ok && i < sizeof(ways) / sizeof(*ways); i++) {
		text_clear(&got);
		err = case_decode(c, &ways[i], &got);
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

enum kind { PACKETS, DAMAGED };

static bool try(enum kind kind, unsigned long seed)
{
	struct dice d = { seed * 2 + kind };
	struct trace_case c;
	bool ok;

	roll(&d, 1);
	random_program(&c, &d);
	random_packets(&c, &d, 5 + roll(&d, 150));
	if (kind == DAMAGED)
		random_damage(&c, &d);
	ok = agree(&c, seed);
	case_fini(&c);
	return ok;
}

static unsigned long failures(enum kind kind)
{
	unsigned long one = setting("CSFLOW_SEED", 0), n = setting("CSFLOW_SEEDS", 2000), bad = 0;

	if (one)
		return !try(kind, one);
	for (unsigned long seed = 1; seed <= n && bad < 100; seed++)
		bad += !try(kind, seed);
	return bad;
}

TEST(packets)
{
	EXPECT_EQ(0, failures(PACKETS));
}

TEST(damaged)
{
	EXPECT_EQ(0, failures(DAMAGED));
}

TEST_HARNESS_MAIN
