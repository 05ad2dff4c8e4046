// SPDX-License-Identifier: GPL-2.0-only
/*
 * csflow encode of truth logs: threads of a random program, on two CPUs, with calls to the kernel,
 * interrupts and faults; the decoded trace is the log again.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/cmd.h"
#include "../../tools/truth/truth.h"
#include "../../tools/lib/without.h"
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../lib/random-case.h"

#define CODE		0x400000
#define WORDS		2048
#define BLOCK_INSNS	40
#define THREADS		4
#define CPUS		2
#define PID		100
#define STEPS		6000

enum end { END_PLAIN, END_COND, END_B, END_BL, END_RET, END_BR, END_BLR, END_SVC, END_ISB };

struct thread {
	uint64_t pc;
	uint64_t stack[32];
	unsigned int n;
};

/**
 * struct world - a program that runs
 * @code: at CODE; @end: what each instruction is
 * @number: of the block at each instruction; 0: not defined yet
 * @on: thread of each CPU; @called: the last thing it did was an exception
 * @changes: code changes now and then, and there is one thread only
 */
struct world {
	struct dice dice;
	uint32_t code[WORDS];
	uint8_t end[WORDS];
	uint32_t number[WORDS];
	struct thread thread[THREADS];
	unsigned int on[CPUS];
	bool called[CPUS];
	bool changes;
	struct truth_writer *truth;
};

static uint64_t addr_of(unsigned int word)
{
	return CODE + 4 * word;
}

static unsigned int word_of(uint64_t pc)
{
	return (pc - CODE) / 4 % WORDS;
}

static void make_program(struct world *w)
{
	static const struct {
		uint32_t opcode;
		uint8_t end, times;
	} insns[] = {
		{ 0x91000400, END_PLAIN, 30 }, { 0xd503201f, END_PLAIN, 30 },
		{ 0xb4000000, END_COND, 14 }, { 0x54000001, END_COND, 6 },
		{ 0x14000000, END_B, 3 }, { 0x94000000, END_BL, 6 },
		{ 0xd65f03c0, END_RET, 6 }, { 0xd61f0000, END_BR, 1 },
		{ 0xd63f0020, END_BLR, 1 }, { 0xd4000001, END_SVC, 1 },
		{ 0xd5033fdf, END_ISB, 1 },
	};

	for (unsigned int i = 0; i < WORDS; i++) {
		unsigned int pick = roll(&w->dice, 99), k = 0;
		int32_t to = (int32_t)roll(&w->dice, WORDS) - (int32_t)i;

		while (pick >= insns[k].times)
			pick -= insns[k++].times;
		/* Execution must not run past the end. */
		if (i == WORDS - 1)
			k = 4;
		w->code[i] = insns[k].opcode;
		w->end[i] = insns[k].end;
		if (insns[k].end == END_COND)
			w->code[i] |= (to & 0x7ffff) << 5;
		else if (insns[k].end == END_B || insns[k].end == END_BL)
			w->code[i] |= to & 0x3ffffff;
	}
}

/* Of a direct branch. */
static uint64_t target(const struct world *w, unsigned int i)
{
	if (w->end[i] == END_COND)
		return addr_of(i) + 4 * ((int32_t)(w->code[i] << 8) >> 13);
	return addr_of(i) + 4 * ((int32_t)(w->code[i] << 6) >> 6);
}

static uint64_t anywhere(struct world *w)
{
	return addr_of(roll(&w->dice, WORDS - 1));
}

static unsigned int length(const struct world *w, unsigned int first)
{
	unsigned int n = 1;

	while (n < BLOCK_INSNS && first + n < WORDS && w->end[first + n - 1] == END_PLAIN)
		n++;
	return n;
}

static uint32_t block(struct world *w, unsigned int first)
{
	struct truth_block b = {
		.addr = addr_of(first), .code = (const uint8_t *)&w->code[first],
		.n_insn = length(w, first), .isa = CSF_A64,
	};

	b.size = 4 * b.n_insn;
	if (!w->number[first])
		w->number[first] = truth_define(w->truth, &b);
	return w->number[first];
}

static uint64_t after(struct world *w, struct thread *t, unsigned int last)
{
	uint64_t next = addr_of(last) + 4;

	switch ((enum end)w->end[last]) {
	case END_COND:
		return roll(&w->dice, 2) ? target(w, last) : next;
	case END_B:
		return target(w, last);
	case END_BL:
	case END_BLR:
		t->stack[t->n++ % 32] = next;
		return w->end[last] == END_BL ? target(w, last) : anywhere(w);
	case END_RET:
		return t->n && roll(&w->dice, 20) ? t->stack[--t->n % 32] : anywhere(w);
	case END_BR:
		return anywhere(w);
	default:
		return next;
	}
}

/* Another thread may run after an exception. */
static void schedule(struct world *w, unsigned int cpu)
{
	struct truth_cpu *c = truth_cpu(w->truth, cpu);
	struct csf_context context = { .security = CSF_NONSECURE, .bits64 = true,
				       .has_contextid = true, .known = true };

	while (!w->changes && roll(&w->dice, 3)) {
		unsigned int t = roll(&w->dice, THREADS);

		if (t == w->on[!cpu])
			continue;
		w->on[cpu] = t;
		context.contextid = PID + t;
		truth_thread(c, PID, PID + t);
		truth_context(c, &context);
		return;
	}
}

static void step(struct world *w, unsigned int cpu)
{
	struct truth_cpu *c = truth_cpu(w->truth, cpu);
	struct thread *t = &w->thread[w->on[cpu]];
	unsigned int first = word_of(t->pc), n = length(w, first), last = first + n - 1;
	uint32_t number = block(w, first);

	w->called[cpu] = true;
	if (!roll(&w->dice, 50) && n > 1) {
		/* A fault; the signal handler is anywhere. */
		n = roll(&w->dice, n - 1);
		truth_part(c, number, 0, n);
		truth_exception(c, 0xc, addr_of(first + n));
		t->pc = anywhere(w);
		schedule(w, cpu);
		return;
	}
	truth_ran(c, number);
	t->pc = after(w, t, last);
	if (w->end[last] == END_SVC || !roll(&w->dice, 30)) {
		truth_exception(c, w->end[last] == END_SVC ? 2 : 0xe, t->pc);
		schedule(w, cpu);
	} else {
		w->called[cpu] = false;
	}
}

/* Code is overwritten. */
static void change(struct world *w)
{
	for (unsigned int i = 0; i < WORDS; i++)
		if (w->end[i] == END_PLAIN && !roll(&w->dice, 4))
			w->code[i] = w->code[i] == 0xd503201f ? 0x91000400 : 0xd503201f;
	memset(w->number, 0, sizeof(w->number));
}

static void make_log(const char *path, uint64_t seed, bool changes)
{
	static struct world w;
	FILE *f = fopen(path, "w");

	memset(&w, 0, sizeof(w));
	w.dice.state = seed;
	w.changes = changes;
	make_program(&w);
	if (!f || truth_new(&w.truth, fileno(f), CPUS))
		abort();
	for (unsigned int i = 0; i < THREADS; i++)
		w.thread[i].pc = anywhere(&w);
	for (unsigned int cpu = 0; cpu < (changes ? 1 : CPUS); cpu++) {
		struct csf_context context = { .security = CSF_NONSECURE, .bits64 = true,
					       .has_contextid = true, .known = true,
					       .contextid = PID + cpu };

		w.on[cpu] = cpu;
		truth_thread(truth_cpu(w.truth, cpu), PID, PID + cpu);
		truth_context(truth_cpu(w.truth, cpu), &context);
	}
	for (unsigned int i = 0; i < STEPS; i++) {
		step(&w, changes ? 0 : i / 7 % CPUS);
		if (changes && !roll(&w.dice, 500))
			change(&w);
	}
	/* Programs end in the kernel. */
	for (unsigned int cpu = 0; cpu < (changes ? 1 : CPUS); cpu++)
		if (!w.called[cpu])
			truth_exception(truth_cpu(w.truth, cpu), 2, w.thread[w.on[cpu]].pc);
	if (truth_finish(w.truth) || fclose(f))
		abort();
}

/* ---------------------------------------------------------------- tests */

FIXTURE(encode)
{
	char dir[32], log[48], out[48];
};

FIXTURE_SETUP(encode)
{
	strcpy(self->dir, "/tmp/csflow-encode-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->log, sizeof(self->log), "%s/log", self->dir);
	snprintf(self->out, sizeof(self->out), "%s/out", self->dir);
}

FIXTURE_TEARDOWN(encode)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	ASSERT_EQ(0, system(command));
}

static const struct {
	const char *unit, *format;
	bool formatted;
} ways[] = {
	{ "ete=1.0", "perf", false },
	{ "rs", "perf", true },
	{ "ete=1.1,rs,ts=100,marker,cc=8,sync=300", "snapshot", true },
	{ "etm4=4.2,bb", "perf", false },
	{ "etm4=4.5,rs=3,spec=6:4,cid", "snapshot", true },
	{ "ete=1.3,rs,source=3,ignore=10,event=7", "perf", false },
};

/* A command with these words; options_parse() moves them about. */
static int run(int (*command)(int argc, char **argv), const char *const *words)
{
	char *argv[16];
	int argc = 0;

	while (words[argc]) {
		argv[argc] = (char *)words[argc];
		argc++;
	}
	argv[argc] = NULL;
	return command(argc, argv);
}

TEST_F(encode, comes_back)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const char *const encode[] = {
			"encode", "-o", self->out, "--unit", ways[i].unit, "--format",
			ways[i].format, ways[i].formatted ? "--formatted" : "--no-formatted",
			self->log, NULL
		};
		const char *const match[] = { "match", "--by=cpu", self->log, self->out, NULL };
		char command[128];

		make_log(self->log, i + 1, false);
		EXPECT_EQ(CMD_OK, run(cmd_encode, encode));
		EXPECT_EQ(CMD_OK, run(cmd_match, match)) {
			TH_LOG("%s, %s", ways[i].unit, ways[i].format);
		}
		snprintf(command, sizeof(command), "rm -rf '%s'*", self->out);
		ASSERT_EQ(0, system(command));
	}
}

static const char *const layers[] = {
	"fast", "speculation", "paths", "addresses", "links", "threads", "ahead", "frames",
	"prefetch", "all", "addresses,links",
};

/* With a layer less, or without any, it is the same. */
TEST_F(encode, without_layers)
{
	const char *const encode[] = {
		"encode", "-o", self->out, "--unit=ete=1.3,spec=6:4,ts=100,sync=300", "--formatted",
		self->log, NULL
	};
	const char *const match[] = { "match", "--by=cpu", "-j3", self->log, self->out, NULL };

	make_log(self->log, 77, false);
	ASSERT_EQ(CMD_OK, run(cmd_encode, encode));
	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		setenv("CSFLOW_WITHOUT", layers[i], 1);
		EXPECT_TRUE(without_read());
		EXPECT_NE(0, without_layers());
		EXPECT_EQ(CMD_OK, run(cmd_match, match)) {
			TH_LOG("without %s", layers[i]);
		}
	}
	setenv("CSFLOW_WITHOUT", "fast,,all", 1);
	EXPECT_FALSE(without_read());
	setenv("CSFLOW_WITHOUT", "", 1);
	EXPECT_TRUE(without_read());
	EXPECT_EQ(0, without_layers());
}

/* Code that changes is there as it was at each time. */
TEST_F(encode, changes)
{
	const char *const encode[] = { "encode", "-o", self->out, "--unit=rs,ts=500", self->log,
				       NULL };
	const char *const match[] = { "match", "--by=cpu", self->log, self->out, NULL };

	make_log(self->log, 5, true);
	EXPECT_EQ(CMD_OK, run(cmd_encode, encode));
	EXPECT_EQ(CMD_OK, run(cmd_match, match));
}

static char *contents(const char *path, long *n)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;

	*n = -1;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*n = ftell(f);
	rewind(f);
	text = calloc(1, *n + 1);
	if (!text || fread(text, 1, *n, f) != *n)
		abort();
	fclose(f);
	return text;
}

TEST_F(encode, same_bytes)
{
	const char *const encode[] = { "encode", "-o", self->out, "--unit=rs,ts=50,spec=3:5",
				       self->log, NULL };
	char *text[2];
	long n[2];

	make_log(self->log, 99, false);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(CMD_OK, run(cmd_encode, encode));
		text[i] = contents(self->out, &n[i]);
		ASSERT_EQ(0, unlink(self->out));
	}
	EXPECT_GT(n[0], 4000);
	ASSERT_EQ(n[0], n[1]);
	EXPECT_EQ(0, memcmp(text[0], text[1], n[0]));
	free(text[0]);
	free(text[1]);
}

TEST_HARNESS_MAIN
