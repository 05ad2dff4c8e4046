// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the decoder against the naive walker.  The first four bytes choose
 * configuration and program, as a seed of random_program(); the next one how
 * the decoder is fed; the rest is trace.  Texts must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/case-run.h"
#include "../lib/random-case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define HEAD	5
#define LONGEST	4096	/* of trace, because the walker is slow */

static void differ(const struct trace_case *c, const struct text *want, const struct text *got)
{
	struct text why = { 0 };

	case_differ(want, got, &why);
	random_print(c, &why);
	fprintf(stderr, "%s\nwant:\n%s\ngot:\n%s\n", why.s, want->s, got->s);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct text want = { 0 }, got = { 0 };
	struct feeding how = { .offsets = true };
	struct trace_case c;
	struct dice d;
	uint32_t seed;

	if (n < HEAD || n > HEAD + LONGEST)
		return 0;
	memcpy(&seed, data, sizeof(seed));
	d.state = seed;
	roll(&d, 1);
	how.chunk = data[4] & 15;
	how.seed = data[4] >> 4 & 3;
	how.run_max = data[4] >> 6;

	random_program(&c, &d);
	random_put(&c, data + HEAD, n - HEAD);
	if (case_walk(&c, true, &want) || case_decode(&c, &how, &got) ||
	    strcmp(want.s ?: "", got.s ?: ""))
		differ(&c, &want, &got);
	text_fini(&want);
	text_fini(&got);
	case_fini(&c);
	return 0;
}
