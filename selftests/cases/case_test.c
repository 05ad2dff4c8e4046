// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the trace cases in selftests/cases: a small program, the packets that its
 * trace unit would send, and the flow that a decoder must make of them.
 *
 * Every case runs on the naive walker, and on the decoder: fed whole, a byte at
 * a time, in random pieces, and with runs of at most one step.
 *
 *	case_test			all of selftests/cases
 *	case_test FILE...		these
 *	case_test -p FILE...		prints the flow that the walker makes of them
 */
#include <glob.h>
#include <stdlib.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow-debug.h"
#include "../lib/case-run.h"

static const struct {
	const char *name;
	struct feeding how;
} way[] = {
	{ "whole", { 0 } },
	{ "byte by byte", { .chunk = 1 } },
	{ "in pieces", { .chunk = 7, .seed = 1 } },
	{ "in larger pieces", { .chunk = 40, .seed = 2 } },
	{ "step by step", { .run_max = 1 } },
	{ "in short runs", { .run_max = 130 } },
	{ "step by step, byte by byte", { .chunk = 1, .run_max = 1 } },
	{ "asked for code", { .ask = true } },
	{ "asked for paths", { .paths = true } },
	{ "asked for code, step by step", { .run_max = 1, .ask = true } },
	{ "without layers", { .without = CSF_WITHOUT_ALL } },
	{ "without memory", { .without = CSF_WITHOUT_ADDRESSES | CSF_WITHOUT_LINKS } },
};

#define N_WAYS	(int)(sizeof(way) / sizeof(*way))

static void result(const struct trace_case *c, const char *how, int err, struct text *got)
{
	bool ok = !err && case_matches(c, got);

	if (!ok) {
		struct text where = { 0 };

		case_differ(&c->expect, got, &where);
		ksft_print_msg("%s: %s: %s%s", c->title, how, err ? csf_strerror(err) : "",
			       where.s);
		ksft_print_msg("got:\n%s", got->s ?: "");
		text_fini(&where);
	}
	ksft_test_result(ok, "%s: %s\n", c->title, how);
	text_clear(got);
}

static void run_case(const struct trace_case *c)
{
	struct text got = { 0 };
	int err = case_walk(c, false, &got);

	result(c, "walker", err, &got);
	for (int i = 0; i < N_WAYS; i++) {
		err = case_decode(c, &way[i].how, &got);
		result(c, way[i].name, err, &got);
	}
	text_fini(&got);
}

/* Each line of flow has the offset of its packet; walker and decoder must agree on that, too. */
static void run_offsets(const struct trace_case *c)
{
	const struct feeding how = { .chunk = 3, .offsets = true };
	struct text want = { 0 }, got = { 0 }, where = { 0 };
	int err = case_walk(c, true, &want) | case_decode(c, &how, &got);
	bool ok = !err && !strcmp(want.s ?: "", got.s ?: "");

	if (!ok) {
		case_differ(&want, &got, &where);
		ksft_print_msg("%s: %s", c->title, where.s);
	}
	ksft_test_result(ok, "%s: offsets\n", c->title);
	text_fini(&want);
	text_fini(&got);
	text_fini(&where);
}

static void print_case(const struct trace_case *c)
{
	struct text got = { 0 };
	int err = case_walk(c, false, &got);

	printf("case %s\n%s%s", c->title, err ? csf_strerror(err) : "", got.s ?: "");
	text_fini(&got);
}

enum what { COUNT, RUN, PRINT };

/* Returns the number of cases in a file. */
static int file(const char *path, enum what what)
{
	FILE *f = fopen(path, "r");
	int n = 0, ret = 1;

	if (!f) {
		ksft_print_msg("%s: cannot be read\n", path);
		return -1;
	}
	while (ret > 0) {
		struct text error = { 0 };
		struct trace_case c;

		ret = case_read(&c, f, path, n, &error);
		if (ret < 0)
			ksft_print_msg("%s\n", error.s ?: path);
		n += ret > 0;
		if (ret > 0 && what == RUN) {
			run_case(&c);
			run_offsets(&c);
		}
		if (ret > 0 && what == PRINT)
			print_case(&c);
		case_fini(&c);
		text_fini(&error);
	}
	fclose(f);
	return ret < 0 ? -1 : n;
}

int main(int argc, char **argv)
{
	bool print = argc > 1 && !strcmp(argv[1], "-p");
	enum what what = print ? PRINT : COUNT;
	glob_t all = { 0 };
	int n = 0;

	if (argc == 1) {
		glob("selftests/cases/*.case", 0, NULL, &all);
		argv = all.gl_pathv;
		argc = all.gl_pathc;
	} else {
		argv += 1 + print;
		argc -= 1 + print;
	}
	if (!print)
		ksft_print_header();
	for (int i = 0; i < argc; i++) {
		int cases = file(argv[i], what);

		if (cases < 0)
			ksft_exit_fail_msg("%s is not a case\n", argv[i]);
		n += cases;
	}
	if (print)
		return 0;
	if (!n)
		ksft_exit_fail_msg("no cases\n");
	ksft_set_plan(n * (N_WAYS + 2));
	for (int i = 0; i < argc; i++)
		file(argv[i], RUN);
	globfree(&all);
	ksft_finished();
}
