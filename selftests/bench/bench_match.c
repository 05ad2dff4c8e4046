// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast csflow match is: a trace against the truth log and the Tarmac log
 * made from it.  Usage: bench_match [PERF.DATA|SNAPSHOT [SYMFS]]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/match/match.h"
#include "../lib/match-log.h"

/* Tarmac is 80 bytes an instruction. */
#define LINES	1000000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct source *open_it(const char *path, const char *symfs)
{
	const struct source_options options = { .dso.symfs = symfs };
	struct source *s;

	if (source_open(&s, path, &options)) {
		problems_print(source_problems(s), "bench_match: ");
		exit(1);
	}
	return s;
}

static void run(const char *what, const char *a, const char *b, const char *symfs)
{
	struct match_options options = { .window = 1, .resync = MATCH_RESYNC, .quiet = true,
					 .skip_rest = true, .confirm = MATCH_CONFIRM,
					 .out = stdout };
	struct source *s[2] = { open_it(a, symfs), open_it(b, symfs) };
	struct source_stream stream[2];
	struct match m;
	double begun = now(), took;

	match_rules_ready(&options.rules);
	if (match_init(&m, &options, s[0], s[1]))
		exit(1);
	for (size_t i = 0; source_stream(s[0], i, &stream[0]); i++)
		for (size_t j = 0; source_stream(s[1], j, &stream[1]); j++)
			if (stream[0].number == stream[1].number)
				match_streams(&m, &stream[0], &stream[1]);
	took = now() - begun;
	printf("match %-24s %12llu instructions %8.2f million/s %s\n", what,
	       (unsigned long long)m.count.equal, m.count.equal / took / 1e6,
	       match_differences(&m.count) ? "DIFFERENT" : "equal");
	match_fini(&m);
	source_close(s[0]);
	source_close(s[1]);
}

static char *memory_file(int *fd)
{
	char *path = NULL;

	*fd = memfd_create("log", 0);
	if (*fd < 0 || asprintf(&path, "/proc/self/fd/%d", *fd) < 0)
		exit(1);
	return path;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "selftests/data/demo/perf.data";
	const char *symfs = argc > 2 ? argv[2] : argc > 1 ? NULL : "selftests/data/demo";
	struct dice d = { .state = 1 };
	int truth_fd, tarmac_fd;
	char *truth = memory_file(&truth_fd), *tarmac = memory_file(&tarmac_fd);
	struct source *s = open_it(path, symfs);
	FILE *f = fdopen(dup(tarmac_fd), "w");

	if (!f || match_log_truth(s, truth_fd, &d) < 0 || match_log_tarmac(s, f, LINES) < 0)
		return 1;
	fclose(f);
	source_close(s);
	run("truth, trace", truth, path, symfs);
	run("truth, truth", truth, truth, symfs);
	run("Tarmac, trace", tarmac, path, symfs);
	run("Tarmac, truth", tarmac, truth, symfs);
	run("Tarmac, Tarmac", tarmac, tarmac, symfs);
	free(truth);
	free(tarmac);
	return 0;
}
