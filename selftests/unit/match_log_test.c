// SPDX-License-Identifier: GPL-2.0-only
/* The matcher: whole logs, whose differences are known. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../lib/match-log.h"
#include "match-compare.h"

/* ---------------------------------------------------------------- made differences */

#define STEPS	400	/* blocks of a random execution */

enum change { INSERT, DROP, CHANGE, CHANGES };

/* One instruction as a line of Tarmac, or as a block of a truth log. */
static void put(FILE *f, struct truth_writer *truth, uint32_t n, uint64_t addr, uint32_t opcode)
{
	const uint8_t code[] = { opcode, opcode >> 8, opcode >> 16, opcode >> 24 };
	const struct truth_block block = { .addr = addr, .code = code, .size = 4, .n_insn = 1 };

	if (f)
		fprintf(f, "%u clk cpu0 IT (%u) %08" PRIx64 " %08x O EL0t_n : X\n", n, n, addr,
			opcode);
	else
		truth_ran(truth_cpu(truth, 0), truth_define(truth, &block));
}

/* A way through 16 blocks, some of them loops; the instruction at @at is changed. */
static uint32_t walk(FILE *f, struct truth_writer *truth, uint64_t seed, uint32_t at, int change)
{
	struct dice d = { .state = seed };
	uint32_t n = 0;

	for (int i = 0; i < STEPS; i++) {
		uint32_t block = roll(&d, 16), times = 1 + roll(&d, 3);

		for (uint32_t j = 0; j < times * (1 + block); j++) {
			uint64_t addr = 0x400000 + block * 0x100 + j % (1 + block) * 4;
			uint32_t opcode = 0xd2800000 + block * 64 + j % (1 + block);

			n++;
			if (n == at && change == INSERT)
				put(f, truth, n, 0x900000, 0xd503201f);
			if (n == at && change == CHANGE)
				put(f, truth, n, addr, 0xd503201f);
			else if (n != at || change != DROP)
				put(f, truth, n, addr, opcode);
		}
	}
	return n;
}

/* The block of instruction @at. */
static uint32_t block_at(uint64_t seed, uint32_t at)
{
	struct dice d = { .state = seed };
	uint32_t n = 0, block;

	do {
		block = roll(&d, 16);
		n += (1 + roll(&d, 3)) * (1 + block);
	} while (n < at);
	return block;
}

/*
 * One of the first, but not in a block of one instruction: it would be unknown which time that was.
 */
static uint32_t choose(struct dice *d, uint64_t seed)
{
	uint32_t at;

	do
		at = 1 + roll(d, 3000);
	while (!block_at(seed, at));
	return at;
}

static char *memory_file(int *fd)
{
	char *path = NULL;

	*fd = memfd_create("log", 0);
	if (*fd < 0 || asprintf(&path, "/proc/self/fd/%d", *fd) < 0)
		abort();
	return path;
}

/* The walk as Tarmac or as a truth log. */
static struct source *walked(uint64_t seed, uint32_t at, int change, bool tarmac)
{
	const struct source_options options = { 0 };
	struct truth_writer *truth = NULL;
	struct source *s;
	FILE *f = NULL;
	char *path;
	int fd;

	path = memory_file(&fd);
	if (tarmac)
		f = fdopen(dup(fd), "w");
	else if (truth_new(&truth, fd, 1))
		abort();
	walk(f, truth, seed, at, change);
	if (f)
		fclose(f);
	else
		truth_finish(truth);
	if (source_open(&s, path, &options))
		abort();
	/* A text is opened again for each stream. */
	s->spool.copy = fd;
	free(path);
	return s;
}

TEST(made_differences_are_found_where_they_are)
{
	static const char *const want[] = { "extra 1", "missing 1", "changed 1" };
	const int rounds = getenv("CSFLOW_LONG") ? 300 : 40;

	for (int round = 0; round < rounds; round++) {
		struct dice d = { .state = round };
		uint32_t at = choose(&d, round);
		int change = round % CHANGES;
		struct source *a = walked(round, 0, CHANGES, round & 4);
		struct source *b = walked(round, at, change, round & 8);
		struct match_options options = defaults;
		struct match_count count;
		char *text, *kinds, id[32];

		options.format = MATCH_JSON;
		text = compare(a, b, &options, &count);
		kinds = found(&count);
		EXPECT_STREQ(want[change], kinds)
			TH_LOG("round %d, instruction %u:\n%s", round, at, text);
		snprintf(id, sizeof(id), "\"id\":%u,", at);
		EXPECT_NE(NULL, strstr(text, id))
			TH_LOG("round %d, instruction %u:\n%s", round, at, text);
		EXPECT_EQ(1, count.places);
		free(text);
		free(kinds);
		source_close(a);
		source_close(b);
	}
}

/* ---------------------------------------------------------------- recordings */

static struct source *demo(void)
{
	const struct source_options options = { .dso.symfs = "selftests/data/demo" };
	struct source *s = NULL;

	if (source_open(&s, "selftests/data/demo/perf.data", &options))
		abort();
	return s;
}

/* All streams of @a with those of @b of the same number. */
static void compare_all(struct source *a, struct source *b, struct match_count *count)
{
	struct match_options options = defaults;
	struct source_stream x, y;
	struct match *m = malloc(sizeof(*m));

	options.out = stderr;
	match_rules_ready(&options.rules);
	if (match_init(m, &options, a, b))
		abort();
	for (size_t i = 0; source_stream(a, i, &x); i++)
		for (size_t j = 0; source_stream(b, j, &y); j++)
			if (x.number == y.number && match_streams(m, &x, &y))
				abort();
	*count = m->count;
	match_fini(m);
	free(m);
}

TEST(recording_against_logs_of_it)
{
	const struct source_options options = { 0 };
	struct dice d = { .state = 1 };
	struct match_count count;
	struct source *s = demo(), *log;
	int64_t n, fd[2];
	int truth, tarmac;
	char *path[2] = { memory_file(&truth), memory_file(&tarmac) };
	FILE *f = fdopen(dup(tarmac), "w");

	n = match_log_truth(s, truth, &d);
	ASSERT_LT(1000, n);
	ASSERT_EQ(n, match_log_tarmac(s, f, INT64_MAX));
	fclose(f);
	fd[0] = truth;
	fd[1] = tarmac;
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, source_open(&log, path[i], &options));
		compare_all(log, s, &count);
		EXPECT_EQ(0, match_differences(&count));
		EXPECT_EQ(n, count.equal);
		source_close(log);
		close(fd[i]);
		free(path[i]);
	}
	source_close(s);
}

TEST(atoms_tell_what_was_skipped)
{
	struct source_stream stream;
	struct source_item item, last = { 0 };
	struct source *s = demo();
	int n[3] = { 0 }, after[3] = { 0 };

	for (size_t i = 0; source_stream(s, i, &stream); i++) {
		ASSERT_EQ(0, source_start(s, &stream));
		while (source_next(s, &item) > 0) {
			bool on = item.addr == last.addr + last.size;

			if (item.kind == SOURCE_INSN && last.n_insn && on)
				after[last.how]++;
			last = item;
			n[item.how]++;
		}
	}
	EXPECT_LT(100, n[SOURCE_DONE]);
	EXPECT_LT(100, n[SOURCE_SKIPPED]);
	EXPECT_EQ(n[SOURCE_SKIPPED], after[SOURCE_SKIPPED]);
	/* one of a jump table leads to the code after it */
	EXPECT_EQ(1, after[SOURCE_DONE]);
	source_close(s);
}

/* ---------------------------------------------------------------- threads */

/* The code that thread @tid executes in its slice @n: one block of its own. */
static void slice(struct truth_writer *truth, uint32_t cpu, uint32_t tid, uint32_t n)
{
	static const uint8_t nop[4];
	const struct truth_block block = { .addr = tid << 16 | n << 2, .code = nop, .size = 4,
					   .n_insn = 1 };

	truth_thread(truth_cpu(truth, cpu), 1, tid);
	truth_ran(truth_cpu(truth, cpu), truth_define(truth, &block));
}

TEST(threads_go_over_processors)
{
	const struct source_options options = { .by = SOURCE_THREAD };
	uint32_t done[4] = { 0 };
	struct truth_writer *truth;
	struct source_stream stream;
	struct source_item item;
	struct dice d = { .state = 5 };
	struct source *s;
	size_t n = 0;
	int fd, got;
	char *path = memory_file(&fd);

	ASSERT_EQ(0, truth_new(&truth, fd, 3));
	for (int i = 0; i < 1000; i++) {
		uint32_t tid = roll(&d, 4);

		slice(truth, roll(&d, 3), 100 + tid, done[tid]++);
	}
	ASSERT_EQ(0, truth_finish(truth));
	ASSERT_EQ(0, source_open(&s, path, &options));
	for (; source_stream(s, n, &stream); n++) {
		uint32_t next = 0;

		ASSERT_EQ(0, source_start(s, &stream));
		while ((got = source_next(s, &item)) > 0) {
			if (item.kind != SOURCE_INSN)
				continue;
			ASSERT_EQ(stream.number << 16 | next << 2, item.addr);
			next++;
		}
		ASSERT_EQ(0, got);
		ASSERT_EQ(done[stream.number - 100], next);
	}
	EXPECT_EQ(4, n);
	source_close(s);
	close(fd);
	free(path);
}

/* A thread that is lost on one processor is not lost on another. */
TEST(losses_are_of_processors)
{
	static const char want[] = "task insn lost insn task found insn task lost insn ";
	const struct source_options options = { .by = SOURCE_THREAD };
	const struct source_stream stream = { .number = 7, .by = SOURCE_THREAD };
	struct truth_writer *truth;
	struct source_item item;
	struct source *s;
	char text[256] = "";
	int fd;
	char *path = memory_file(&fd);

	ASSERT_EQ(0, truth_new(&truth, fd, 2));
	slice(truth, 0, 7, 0);
	truth_lost(truth_cpu(truth, 0), TRUTH_LOST_FILTER);
	slice(truth, 1, 8, 0);
	truth_ran(truth_cpu(truth, 0), 1);
	slice(truth, 0, 8, 1);
	slice(truth, 1, 7, 1);
	slice(truth, 0, 7, 2);
	ASSERT_EQ(0, truth_finish(truth));
	ASSERT_EQ(0, source_open(&s, path, &options));
	ASSERT_EQ(0, source_start(s, &stream));
	while (source_next(s, &item) > 0) {
		strcat(text, source_kind_name(item.kind));
		strcat(text, " ");
	}
	EXPECT_STREQ(want, text);
	source_close(s);
	close(fd);
	free(path);
}

/* ---------------------------------------------------------------- memory */

/* Two truth logs of so many blocks, from a few definitions. */
static struct source *long_log(uint32_t blocks)
{
	const struct source_options options = { 0 };
	struct truth_writer *truth;
	uint32_t number[100];
	struct source *s;
	FILE *f = tmpfile();
	char path[40];

	if (!f || truth_new(&truth, fileno(f), 1))
		abort();
	for (uint32_t i = 0; i < 100; i++) {
		static const uint8_t code[40];
		const struct truth_block block = { .addr = i * 64, .code = code, .size = 40,
						   .n_insn = 10 };

		number[i] = truth_define(truth, &block);
	}
	for (uint32_t i = 0; i < blocks; i++)
		truth_ran(truth_cpu(truth, 0), number[i % 100]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
	if (truth_finish(truth) || source_open(&s, path, &options))
		abort();
	fclose(f);
	return s;
}

static long resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

FIXTURE(patient)
{
};

FIXTURE_SETUP(patient)
{
}

FIXTURE_TEARDOWN(patient)
{
}

/* In the long run instructions are more than 32 bits can count: six minutes with sanitizers. */
TEST_F_TIMEOUT(patient, memory_does_not_grow, 3400)
{
	const uint32_t blocks = getenv("CSFLOW_LONG") ? 1u << 29 : 1u << 22;
	struct source *a = long_log(blocks), *b = long_log(blocks);
	struct match_options options = defaults;
	struct match_count count;
	long before = resident();
	char *text;

	text = compare(a, b, &options, &count);
	EXPECT_EQ(10ull * blocks, count.equal);
	EXPECT_EQ(0, count.places);
	EXPECT_GT(4096, resident() - before);
	free(text);
	source_close(a);
	source_close(b);
}

TEST_HARNESS_MAIN
