// SPDX-License-Identifier: GPL-2.0-only
/* The words of --itrace. */
#include <stdio.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/itrace.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The parsed options, in letters with all that may follow them. */
static void say(const struct itrace *it, char *out)
{
	static const char *const unit[] = {
		[ITRACE_NS] = "ns", [ITRACE_INSNS] = "i", [ITRACE_TICKS] = "t",
	};
	const struct cs_samples_options *o = &it->samples;
	char *p = out;

	p += sprintf(p, "%s%s%s%s", o->branches ? "b" : "", o->calls ? "c" : "",
		     o->returns ? "r" : "", o->transactions ? "x" : "");
	if (o->insns || o->cycles)
		p += sprintf(p, "%s%s%llu%s", o->insns ? "i" : "", o->cycles ? "y" : "",
			     (unsigned long long)it->period, unit[it->unit]);
	if (o->errors)
		p += sprintf(p, "e%s%s", o->errors_not & CS_ERROR_OVERFLOW ? "-o" : "",
			     o->errors_not & CS_ERROR_LOST ? "-l" : "");
	if (it->chain)
		p += sprintf(p, "g%u", it->chain);
	if (it->branches)
		p += sprintf(p, "l%u", it->branches);
	if (it->add_chain)
		p += sprintf(p, "G%u", it->add_chain);
	if (it->add_branches)
		p += sprintf(p, "L%u", it->add_branches);
	if (o->skip)
		p += sprintf(p, "s%llu", (unsigned long long)o->skip);
	sprintf(p, "%.*s%s%s%s%s", o->quick, "qq", o->approx_ipc ? "A" : "",
		it->log ? it->log_stdout ? "d+o" : "d" : "", it->timeless ? "Z" : "",
		it->trust ? "T" : "");
}

static const struct {
	const char *text, *means;	/* NULL: refused */
} rows[] = {
	{ "", "" },
	{ "b", "b" },
	{ "c", "bc" },
	{ "cr", "bcr" },
	{ "i", "i100000ns" },
	{ "i1000", "i1000ns" },
	{ "i1000i", "i1000i" },
	{ "i0ns", "i0ns" },
	{ "i10us", "i10000ns" },
	{ "i1ms", "i1000000ns" },
	{ "i7t", "i7t" },
	{ "i 100 i", "i100i" },
	{ "y20i", "y20i" },
	{ "iy5i", "iy5i" },
	{ "i5iy", "iy5i" },
	{ "i1000il64", "i1000il64" },
	{ "ig", "i100000nsg16" },
	{ "i100usg32l", "i100000nsg32l64" },
	{ "GL8", "G16L8" },
	{ "e", "e" },
	{ "e-o-l", "e-o-l" },
	{ "e-o+o", "e" },
	{ "bd+oe-l", "be-ld+o" },
	{ "i0nss1000000", "i0nss1000000" },
	{ "bqqqAZT", "bqqAZT" },
	{ "x,b, wpoIfmtaM", "bx" },
	{ "cewp", "bce" },
	{ "i10s", NULL },
	{ "i10x", NULL },
	{ "i10n", NULL },
	{ "g0", NULL },
	{ "l1025", NULL },
	{ "s", NULL },
	{ "e+", NULL },
	{ "@", NULL },
	{ "i99999999999999999999i", NULL },
	{ "i99999999999999999ms", NULL },
};

TEST(words)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct itrace it = { 0 };
		const char *why = itrace_parse(&it, rows[i].text);
		char means[256];

		EXPECT_EQ(!rows[i].means, !!why) {
			printf("# '%s': %s\n", rows[i].text, why ? why : "");
		}
		if (why)
			continue;
		say(&it, means);
		EXPECT_STREQ(rows[i].means, means);
	}
}

static uint64_t period(const char *text, uint64_t ns, uint64_t ticks, int *unit)
{
	struct itrace it = { 0 };

	itrace_parse(&it, text);
	itrace_period(&it, ns, ticks);
	*unit = it.samples.period_unit;
	return it.samples.period;
}

/* Ticks are of the timestamps: at 50 MHz one takes 20 ns. */
TEST(periods)
{
	int unit;

	EXPECT_EQ(40, period("i2t", 20, 1, &unit));
	EXPECT_EQ(CS_PERIOD_TIME, unit);
	EXPECT_EQ(2, period("i2t", 0, 0, &unit));
	EXPECT_EQ(2, period("i2t", 0, 1, &unit));
	EXPECT_EQ(1, period("i1t", 1, 1000, &unit));
	EXPECT_EQ(0, period("i0t", 20, 1, &unit));
	EXPECT_EQ(UINT64_MAX / 2, period("i99999999999t", 1ull << 40, 2, &unit));
	EXPECT_EQ(3000, period("i3us", 20, 1, &unit));
	EXPECT_EQ(CS_PERIOD_TIME, unit);
	EXPECT_EQ(3, period("i3i", 20, 1, &unit));
	EXPECT_EQ(CS_PERIOD_INSNS, unit);
}

TEST_HARNESS_MAIN
