// SPDX-License-Identifier: GPL-2.0-only
/* The matcher: which differences there are, where, and which are none. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../lib/match-log.h"
#include "match-compare.h"

#define T	SOURCE_TRUTH
#define D	SOURCE_PERF
#define L	SOURCE_TARMAC

/* ---------------------------------------------------------------- by dictation */

#define FIVE_ROUNDS	"i 3000 8; i 3000 8; i 3000 8; i 3000 8; i 3000 8; "
#define TEN_ROUNDS	FIVE_ROUNDS FIVE_ROUNDS

/**
 * struct row - two traces, and what must be found
 * @of_a: format of A; @of_b: of B
 * @rule: with ';' between; may be NULL
 * @want: as found()
 * @equal: instructions that must be equal
 */
static const struct row {
	const char *name;
	enum source_format of_a, of_b;
	const char *a, *b, *rule;
	const char *want;
	uint64_t equal;
	struct match_options options;
} rows[] = {
	{ "same", T, D, "i 1000 4; i 2000 2", "i 1000 4; i 2000 2", NULL, "", 6 },
	{ "cut otherwise", T, D, "i 1000 4; i 1010 4", "i 1000; i 1004 6; i 101c", NULL, "", 8 },
	{ "opcode", T, D, "i 1000 2; i 1008; i 100c", "i 1000 2; i 1008!; i 100c", NULL,
	  "changed 1", 3 },
	{ "opcode in a block", T, D, "i 1000 4", "i 1000; i 1004!; i 1008 2", NULL,
	  "changed 1", 3 },
	{ "opcode, ignored", T, D, "i 1000!", "i 1000", "ignore field=opcode", "", 1 },
	{ "opcode in a block of both", T, D, "i 1000 6", "i 1000! 4; i 1010 2", NULL, "changed 1",
	  5 },
	{ "the first rule for a field", T, D, "i 1000!", "i 1000",
	  "compare field=opcode;ignore field=opcode", "changed 1", 0 },
	{ "missing", T, D, "i 1000; i 2000; i 3000; i 4000; i 5000",
	  "i 1000; i 3000; i 4000; i 5000", NULL, "missing 1", 4 },
	{ "extra", T, D, "i 1000; i 3000; i 4000; i 5000",
	  "i 1000; i 2000; i 3000; i 4000; i 5000", NULL, "extra 1", 4 },
	{ "missing at the end", T, D, "i 1000; i 2000; i 3000", "i 1000; i 3000", NULL,
	  "missing 1", 2 },
	{ "another way", T, D, "i 1000; i 2000; i 2100; i 3000; i 4000; i 5000",
	  "i 1000; i 6000; i 3000; i 4000; i 5000", NULL, "missing 2 extra 1", 4 },
	{ "another address", T, D, "i 1000; i 2000; i 3000; i 4000; i 5000",
	  "i 1000; i 6000; i 3000; i 4000; i 5000", NULL, "changed 1", 4 },
	{ "missing, and once more near the end", T, D,
	  "i 1000; i 2000; i 2100; i 3000 8; i 4000; i 5000", "i 1000; i 3000 8; i 5000", NULL,
	  "missing 3", 10 },
	{ "in another turn of a loop", T, D,
	  "i 1000; i 2000 4; i 3000 4; i 2000 4; i 4000 3; i 2000 4; i 5000 64",
	  "i 1000; i 2000 4; i 4000 3; i 2000 4; i 5000 64", NULL, "missing 8", 76 },
	{ "a gap, and on in the middle of a round", T, D,
	  "i 1000; i 2000 2; " TEN_ROUNDS "i 3000 8; i 3000 8; i 5000 64",
	  "i 1000; gap image; i 3018 2; " TEN_ROUNDS "i 5000 64", NULL, "missing 16 gap 1", 147 },
	{ "two in a row", T, D, "i 1000; i 2000; i 3000 8; i 4000; i 5000 64; i 6000 9",
	  "i 1000; i 2100; i 3000 8; i 4100; i 5000 64; i 6000 9", NULL, "changed 2", 82 },
	{ "the nearest to each other", T, D,
	  "i 1000; i 9000; i 2000; i 3000; i 2000; i 3000; i 2000; i 3000; i 2000",
	  "i 1000; i 3000; i 2000; i 3000; i 2000; i 3000; i 2000; i 3000; i 2000", NULL,
	  "changed 1", 8 },
	{ "opcodes count where they meet", T, D,
	  "i 1000; i 2000; i 3000!; i 4000!; i 5000!; i 3000; i 4000; i 5000; i 6000",
	  "i 1000; i 3000; i 4000; i 5000; i 6000", NULL, "missing 4", 5 },
	{ "tail of A", T, D, "i 1000 8", "i 1000 3", NULL, "tail 5", 3 },
	{ "tail of B", T, D, "i 1000 3", "i 1000 8", NULL, "tail 5", 3 },
	{ "tail skipped", T, D, "i 1000 8", "i 1000 3", NULL, "", 3, { .skip_rest = true } },
	{ "nothing", T, D, "", "", NULL, "", 0 },
	{ "too far ahead", T, D, "i 1000; i 2000; i 3000; i 4000; i 5000; i 6000; i 7000",
	  "i 1000; i 5000; i 6000; i 7000", NULL, "missing 4 extra 3 tail 2", 1,
	  { .resync = 1, .confirm = 1 } },

	/* gaps beside a truth log */
	{ "overflow", T, D, "i 1000; lost overflow; i 2000 7; found; i 3000",
	  "i 1000; gap overflow; i 3000", NULL, "", 2 },
	{ "overflow, the other way round", D, T, "i 1000; gap overflow; gap off; i 3000",
	  "i 1000; lost overflow; i 2000 7; found; i 3000", NULL, "", 2 },
	{ "nothing lost", T, D, "i 1000; lost overflow; found; i 3000",
	  "i 1000; gap overflow; i 3000", NULL, "", 2 },
	{ "not logged", T, D, "i 1000; i 3000", "i 1000; gap overflow; i 3000", NULL, "gap 1", 2 },
	{ "not logged, in a block", T, D, "i 1000 5", "i 1000 2; gap image; i 1008 3", NULL,
	  "gap 1", 5 },
	{ "another reason", T, D, "i 1000; lost filter; i 2000; found; i 3000",
	  "i 1000; gap overflow; i 3000", NULL, "gap 1", 2 },
	{ "never a walk", T, D, "i 1000; lost truncated; i 2000; found; i 3000",
	  "i 1000; gap walk; i 3000", NULL, "gap 1", 2 },
	{ "no gap", T, D, "i 1000; lost filter; i 2000; found; i 3000", "i 1000; i 3000", NULL,
	  "no-gap 1", 2 },
	{ "an end will do", T, D, "i 1000; lost truncated; i 2000; found; i 3000",
	  "i 1000; cut; i 3000", NULL, "", 2 },
	{ "lost, but decoded", T, D,
	  "i 1000; lost overflow; i 2000; found; i 3000; i 4000; i 5000",
	  "i 1000; i 2000; i 3000; i 4000; i 5000", NULL, "extra 1 no-gap 1", 4 },
	{ "too much lost", T, D, "i 1000; lost overflow; i 2000; found; i 3000; i 4000; i 5000",
	  "i 1000; gap overflow; i 4000; i 5000", NULL, "missing 1", 3 },
	{ "in a row", T, D, "i 1000; lost filter; i 2000; lost overflow; i 3000; found; i 4000",
	  "i 1000; gap off; gap overflow; i 4000", NULL, "", 2 },
	{ "lost to the end", T, D, "i 1000; lost overflow; i 2000", "i 1000", NULL, "", 1 },
	{ "lost at first", T, D, "lost off; i 1000; found; i 2000", "i 2000", NULL, "", 1 },
	{ "on at first", T, D, "i 1000", "gap off; i 1000", NULL, "", 1 },
	{ "on behind an exception", T, D, "i 1000; exception 2 1004; i 1004",
	  "i 1000; exception 2 1004; gap off; i 1004", NULL, "", 2 },
	{ "on behind a switch", T, D, "i 1000; task 7; i 3000", "i 1000; gap off; i 3000", NULL,
	  "", 2 },
	{ "on without a reason", T, D, "i 1000; i 1004", "i 1000; gap off; i 1004", NULL, "gap 1",
	  2 },
	{ "Q", T, D, "i 1000; lost q; i 2000 5; found; i 3000", "i 1000; q 5; i 3000", NULL,
	  "", 2 },
	{ "Qs in a row", T, D, "i 1000; lost q; i 2000 5; found; lost q; i 3000; found; i 4000",
	  "i 1000; q 5; q 1; i 4000", NULL, "", 2 },
	{ "Q without count", T, D, "i 1000; lost q; i 2000 5; found; i 3000",
	  "i 1000; q 0; i 3000", NULL, "", 2 },
	{ "Q miscounted", T, D, "i 1000; lost q; i 2000 5; found; i 3000",
	  "i 1000; q 4; i 3000", NULL, "q 1", 2 },
	{ "Q not logged", T, D, "i 1000; i 3000", "i 1000; q 4; i 3000", NULL, "gap 1", 2 },
	{ "Q missing", T, D, "i 1000; lost q; i 2000 5; found; i 3000", "i 1000; i 3000", NULL,
	  "no-gap 1", 2 },
	{ "truth against truth", T, T, "i 1000; lost overflow; i 2000; found", "i 1000; i 2000",
	  NULL, "", 2 },

	/* events of trace */
	{ "exception", T, D, "i 1000; exception 2 1004; i 1004", "i 1000; exception 3 1004; i 1004",
	  NULL, "changed 1", 2 },
	{ "return address", T, D, "i 1000; exception 2 1004; i 1004",
	  "i 1000; exception 2 1008; i 1004", NULL, "changed 1", 2 },
	{ "exception missing", T, D, "i 1000; exception 2 1004; i 1004", "i 1000; i 1004", NULL,
	  "missing 1", 2 },
	{ "exception inside a block", T, D, "i 1000 2; exception 2 1008; i 1008 2", "i 1000 4",
	  NULL, "missing 1", 4 },
	{ "exception lost", T, D, "i 1000; lost overflow; i 1004; exception 2 1008; found; i 2000",
	  "i 1000; gap overflow; i 2000", NULL, "", 2 },
	{ "context", T, D, "context 7; i 1000; i 2000", "context 8; i 1000; i 2000", NULL,
	  "context 1", 2 },
	{ "context said twice", T, D, "context 7; i 1000; i 2000",
	  "context 7; i 1000; context 7; i 2000", NULL, "", 2 },
	{ "context said later", T, D, "context 7; i 1000; context 8; i 2000",
	  "context 7; i 1000; i 2000", NULL, "context 1", 2 },
	{ "thread", T, D, "task 7; i 1000; task 8; i 2000; i 3000",
	  "task 7; i 1000; task 9; i 2000; i 3000", NULL, "context 1", 3 },
	{ "thread in a block", T, D, "task 7; i 1000 4", "task 7; i 1000 2; task 8; i 1008 2", NULL,
	  "context 1", 4 },
	{ "thread not known", T, D, "task 7; i 1000; i 2000", "i 1000; task -1; i 2000", NULL, "",
	  2 },
	{ "threads not compared", T, D, "task 7; i 1000", "task 8; i 1000", "ignore kind=context", "",
	  1 },
	{ "transactions", T, D, "i 1000; tm 1; i 2000", "i 1000; tm 2; i 2000", NULL, "", 2 },
	{ "transactions wanted", T, D, "i 1000; tm 1; i 2000", "i 1000; tm 2; i 2000",
	  "compare kind=tm", "changed 1", 2 },

	{ "the first rule for a kind", T, D, "i 1000; tm 1; i 2000", "i 1000; tm 2; i 2000",
	  "compare kind=tm;ignore kind=tm", "changed 1", 2 },

	/* registers and memory */
	{ "register", L, L, "i 1000; r x0 0000000000000001", "i 1000; r X0 0000000000000001", NULL,
	  "", 1 },
	{ "value", L, L, "i 1000; r x0 01; i 2000", "i 1000; r x0 02; i 2000", NULL,
	  "changed 1", 2 },
	{ "unknown digits", L, L, "i 1000; r x0 0x-2", "i 1000; r x0 0102", NULL, "", 1 },
	{ "widths", L, L, "i 1000; r x0 00000102", "i 1000; r x0 0000000000000102", NULL, "", 1 },
	{ "half", L, L, "i 1000; r w0 00000102", "i 1000; r x0 ffffffff00000102", NULL, "", 1 },
	{ "lr", L, L, "i 1000; r lr 00000000", "i 1000; r r14 00000000", NULL, "", 1 },
	{ "lr of 64 bits", L, L, "i 1000; r lr 0000000000000000", "i 1000; r x30 0000000000000000",
	  NULL, "", 1 },
	{ "no such register", L, L, "i 1000; r x0 01", "i 1000; r x1 01", NULL,
	  "missing 1 extra 1", 1 },
	{ "alias", L, L, "i 1000; r fp 01", "i 1000; r x29 01", "alias FP=X29", "", 1 },
	{ "mask", L, L, "i 1000; r cpsr 600001df", "i 1000; r cpsr 0000001f", "mask reg=cpsr 0x1f",
	  "", 1 },
	{ "mask that does not help", L, L, "i 1000; r cpsr 1e", "i 1000; r cpsr 1f",
	  "mask reg=cpsr 0x1f", "changed 1", 1 },
	{ "tolerance", L, L, "i 1000; r pmccntr_el0 0100", "i 1000; r pmccntr_el0 0105",
	  "tolerance reg=pmccntr_el0 5", "", 1 },
	{ "tolerance too small", L, L, "i 1000; r pmccntr_el0 0100", "i 1000; r pmccntr_el0 0105",
	  "tolerance reg=pmccntr_el0 4", "changed 1", 1 },
	{ "ignored", L, L, "i 1000; r cntpct_el0 01; r x0 01", "i 1000; r cntpct_el0 02; r x0 01",
	  "ignore kind=R name=cnt*", "", 1 },
	{ "the first rule counts", L, L, "i 1000; r cntpct_el0 01; r x0 01",
	  "i 1000; r cntpct_el0 02; r x0 02", "compare reg=cntpct_el0;ignore kind=R", "changed 1",
	  1 },
	{ "memory", L, L, "i 1000; m 8000 00000001", "i 1000; m 8000 00000002", NULL, "changed 1",
	  1 },
	{ "memory elsewhere", L, L, "i 1000; m 8000 00000001", "i 1000; m 8004 00000001", NULL,
	  "missing 1 extra 1", 1 },
	{ "memory ignored", L, L, "i 1000; m 8000 00000001", "i 1000; m 8000 00000002",
	  "ignore kind=M addr=0x8000-0x8fff", "", 1 },
	{ "memory ignored elsewhere", L, L, "i 1000; m 8000 00000001", "i 1000; m 8000 00000002",
	  "ignore kind=M addr=0x9000", "changed 1", 1 },
	{ "event", L, L, "i 1000; e 1", "i 1000; e 2", NULL, "missing 1 extra 1", 1 },
	{ "order", L, L, "i 1000; r x0 01; r x1 02; i 2000", "i 1000; r x1 02; r x0 01; i 2000",
	  NULL, "order 1", 2 },
	{ "one moved", L, L, "i 1000; r x0 01; r x1 02; r x2 03; i 2000",
	  "i 1000; r x2 03; r x0 01; r x1 02; i 2000", NULL, "order 1", 2 },
	{ "registers against trace", L, D, "i 1000; r x0 01; i 2000", "i 1000; i 2000", NULL, "",
	  2 },
	{ "kinds ignored", L, L, "i 1000; r x0 01; m 10 01; i 2000", "i 1000; i 2000",
	  "ignore kind=R;ignore kind=mem", "", 2 },

	/* where to begin */
	{ "boot", L, L, "i 10 5; i 1000", "i 20 5; i 1000", NULL, "", 1, { .boot = 5 } },
	{ "boot ends in a block", T, D, "i 1000 8", "i 1000 8", NULL, "", 3, { .boot = 5 } },
	{ "boot of several blocks", T, D, "i 10 3; i 20 4", "i 10 3; i 20 4", NULL, "", 2,
	  { .boot = 5 } },
	{ "start", L, L, "i 10 5; r x0 01; i 1000 2", "i ff8 4", NULL, "", 2,
	  { .has_start = true, .start = 0x1000 } },
	{ "boot, then start", L, L, "i 1000; i 1000; i 1004", "i 1000 2", NULL, "", 1,
	  { .boot = 1, .has_start = true, .start = 0x1004 } },
	{ "repeated", L, L, "i 1000; i 1000; i 1000; r x0 01; r x0 01; i 2000",
	  "i 1000; r x0 01; i 2000", NULL, "", 2, { .skip_equal = true } },
	{ "repeated behind a block", L, L, "i 1000 2; i 1004; i 1004 2", "i 1000 3", NULL, "", 3,
	  { .skip_equal = true } },

	/* windows */
	{ "other order", L, L, "i 1000; r x0 01; r x1 02; i 2000",
	  "r x1 02; i 1000; i 2000; r x0 01",
	  NULL, "", 2, { .window = 4 } },
	{ "too far", L, L, "r x0 01; r x1 01; r x2 01; r x3 01; r x4 01",
	  "r x1 01; r x2 01; r x3 01; r x4 01; r x0 01", NULL, "missing 1 extra 1", 0,
	  { .window = 2 } },
	{ "inserted", L, L, "i 1000; i 2000; i 3000; i 4000; i 5000",
	  "i 1000; i 1500; i 2000; i 3000; i 4000; i 5000", NULL, "extra 1", 5, { .window = 3 } },
	{ "inserted twice", L, L,
	  "i 1000; i 2000; i 3000; i 4000; i 5000; i 6000; i 7000; i 8000",
	  "i 1000; i 1500; i 1600; i 2000; i 3000; i 4000; i 4500; i 5000; i 6000; i 7000; i 8000",
	  NULL, "extra 3", 8, { .window = 4 } },
	{ "changed in a window", L, L, "i 1000; r x0 01; i 2000; i 3000; i 4000; i 5000",
	  "i 1000; r x0 02; i 2000; i 3000; i 4000; i 5000", NULL, "changed 1", 5,
	  { .window = 2 } },
	{ "lost in a window", T, D, "i 1000; lost overflow; i 2000; found; i 3000",
	  "i 1000; gap overflow; i 3000", NULL, "", 2, { .window = 2 } },
	{ "more than a window", L, L, "i 1000; i 2000; i 3000; i 4000; i 5000; i 6000 20",
	  "i 1000; i 6000 20", NULL, "missing 5 extra 1", 20, { .window = 2, .confirm = 2 } },

	/* by number: dictated instructions are numbered from 1 */
	{ "by number", L, L, "i 1000; i 2000; i 3000", "i 1000; i 2500; i 3000", NULL,
	  "changed 1", 2, { .align = MATCH_BY_ID } },
	{ "stop", T, D, "i 1000; i 2000!; i 3000!", "i 1000; i 2000; i 3000", NULL, "changed 1", 1,
	  { .first_stop = true } },
};

/* As the defaults, except for the given options. */
static struct match_options options_of(const struct match_options *given)
{
	struct match_options o = *given;

	o.window = o.window ? o.window : defaults.window;
	o.resync = o.resync ? o.resync : defaults.resync;
	o.confirm = o.confirm ? o.confirm : defaults.confirm;
	return o;
}

static const char *add_rules(struct match_rules *rules, const char *lines)
{
	char *copy = strdup(lines ? lines : ""), *rest = copy, *line;
	const char *why = NULL;

	while (!why && (line = strsep(&rest, ";")))
		why = match_rules_parse(rules, line);
	free(copy);
	return why;
}

TEST(what_is_a_difference)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct source *a = match_log_script(r->of_a, r->a);
		struct source *b = match_log_script(r->of_b, r->b);
		struct match_options options = options_of(&r->options);
		struct match_count count;
		char *printed, *kinds;

		ASSERT_EQ(NULL, add_rules(&options.rules, r->rule))
			TH_LOG("%s", r->name);
		printed = compare(a, b, &options, &count);
		kinds = found(&count);
		EXPECT_STREQ(r->want, kinds)
			TH_LOG("%s:\n%s", r->name, printed);
		EXPECT_EQ(r->equal, count.equal)
			TH_LOG("%s", r->name);
		free(kinds);
		free(printed);
		match_rules_free(&options.rules);
		source_close(a);
		source_close(b);
	}
}

/* ---------------------------------------------------------------- rules that are none */

TEST(rules_that_are_none)
{
	static const char *const bad[] = {
		"forget kind=R", "ignore kind=Z", "ignore field=colour", "ignore name=",
		"ignore addr=12-", "ignore addr=0x20-0x10", "ignore cpu=x", "ignore 5", "mask 5",
		"mask reg=cpsr", "tolerance 5", "tolerance time=", "alias", "alias a", "ignore kind",
		"ignore name=a-name-that-is-far-too-long-for-any-register",
	};
	static const char *const good[] = { "", "  ", "# ignore", "ignore kind=R # why",
					    "tolerance time=5", "alias a=b", "ignore\tkind=I" };
	struct match_rules rules = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_NE(NULL, match_rules_parse(&rules, bad[i]))
			TH_LOG("%s", bad[i]);
	}
	EXPECT_EQ(0, rules.n);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		EXPECT_EQ(NULL, match_rules_parse(&rules, good[i]))
			TH_LOG("%s", good[i]);
	}
	EXPECT_EQ(4, rules.n);
	match_rules_free(&rules);
}

/* ---------------------------------------------------------------- as text */

TEST(side_by_side)
{
	static const char want[] =
		"CPU 0, behind 2 and 2 instructions: the traces part\n"
		"  (1) 00001000 00001000 O                                    (1) 00001000 00001000 O\n"
		"  (2) 00002000 00002000 O                                    (2) 00002000 00002000 O\n"
		"  (3) 00003000 00003000 O                                  < \n"
		"  (4) 00004000 00004000 O                                    (3) 00004000 00004000 O\n"
		"  (5) 00004004 00004004 O                                    (4) 00004004 00004004 O\n"
		"  (6) 00004008 00004008 O                                    (5) 00004008 00004008 O\n"
		"\n"
		"CPU 0, behind 6 and 5 instructions: the instructions differ\n"
		"  (4) 00004000 00004000 O                                    (3) 00004000 00004000 O\n"
		"  (5) 00004004 00004004 O                                    (4) 00004004 00004004 O\n"
		"  (6) 00004008 00004008 O                                    (5) 00004008 00004008 O\n"
		"  (7) 00005000 00005000 O                                  | (6) 00005000 00005001 O\n"
		"                                                             differs in: opcode\n"
		"\n";
	struct source *a = match_log_script(T, "i 1000; i 2000; i 3000; i 4000 3; i 5000");
	struct source *b = match_log_script(D, "i 1000; i 2000; i 4000 3; i 5000!");
	struct match_options options = defaults;
	struct match_count count;
	char *text;

	options.context = 3;
	text = compare(a, b, &options, &count);
	EXPECT_STREQ(want, text);
	free(text);
	source_close(a);
	source_close(b);
}

TEST(one_below_the_other)
{
	static const char want[] =
		"@@ CPU 0 -2 +2 @@ the instructions differ\n"
		" (1) 00001000 00001000 O\n"
		"-(2) 00002000 00002000 O\n"
		"+(2) 00002000 00002001 O\n"
		" (3) 00003000 00003000 O\n"
		"\n";
	struct source *a = match_log_script(T, "i 1000; i 2000; i 3000");
	struct source *b = match_log_script(D, "i 1000; i 2000!; i 3000");
	struct match_options options = defaults;
	struct match_count count;
	char *text;

	options.context = 1;
	options.format = MATCH_UNIFIED;
	text = compare(a, b, &options, &count);
	EXPECT_STREQ(want, text);
	free(text);
	source_close(a);
	source_close(b);
}

TEST(as_json)
{
	static const char want[] =
		"{\"difference\":\"missing\",\"cpu\":0,\"place\":1,\"why\":\"the traces part\","
		"\"fields\":[],\"a\":{\"kind\":\"insn\",\"offset\":0,\"id\":2,\"n\":1,"
		"\"addr\":\"0x2000\",\"text\":\"(2) 00002000 00002000 O\"},\"b\":null}\n"
		"{\"difference\":\"changed\",\"cpu\":0,\"place\":2,"
		"\"why\":\"records of an instruction differ\",\"fields\":[\"value\"],"
		"\"a\":{\"kind\":\"reg\",\"offset\":0,\"text\":\"R x0 01\"},"
		"\"b\":{\"kind\":\"reg\",\"offset\":0,\"text\":\"R x0 02\"}}\n";
	struct source *a = match_log_script(L, "i 1000; i 2000; i 3000; r x0 01; i 4000; i 5000");
	struct source *b = match_log_script(L, "i 1000; i 3000; r x0 02; i 4000; i 5000");
	struct match_options options = defaults;
	struct match_count count;
	char *text;

	options.format = MATCH_JSON;
	text = compare(a, b, &options, &count);
	EXPECT_STREQ(want, text);
	free(text);
	source_close(a);
	source_close(b);
}

TEST_HARNESS_MAIN
