// SPDX-License-Identifier: GPL-2.0-only
/* Runs to samples: their time, and cycles. */
#include "sample-trace.h"

/* ---------------------------------------------------------------- time */

#define TIMED	SYNC "addr.ctx 0x400000 el0 ns 64; time 1000; "

/* Ten instructions a round of 400000, 400010, 400018 and 40001c; here: 1 + 1 + 1 + 1 = 4. */
static const char round_[] = "atom EEE; addr 0x40001c; atom E; addr 0x400000; ";

static void count_cycles(struct csf_config *config)
{
	config->trcdevarch = 0x47705a13;
	config->trcconfigr |= 0x10;
}

static uint64_t twice(const void *context, uint64_t timestamp)
{
	return 2 * timestamp;
}

TEST_F(trace, time_between_timestamps)
{
	const struct cs_samples_options options = { .branches = true, .clock = twice };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; %s", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @2000\n"
		     "call 400000 400010 @2020\n"
		     "jmp 400010 400018 @2040\n"
		     "return 400018 40001c @2060\n"
		     "call 40001c 400000 @2080\n"
		     "call 400000 400010 @2100\n"
		     "jmp 400010 400018 @2120\n"
		     "return 400018 40001c @2140\n"
		     "tr end  call 40001c 400000 @2160\n", self->text);
}

/* The time of branches that are not shown is not needed, so it does not wait for them. */
TEST_F(trace, time_of_calls)
{
	const struct cs_samples_options options = { .calls = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; atom EEE; addr 0x400010; atom EE;"
		 "addr 0x400010; atom EE; addr 0x400000; addr.ctx 0x400000 el1 ns 64; time 1050;"
		 "atom EEE", round_);
	trace_play(self, text);
	EXPECT_STREQ("call 400000 400010 @1010\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @1050\n"
		     "call 400000 400010 @1051\n"
		     "tr end  return 400018 0 @1054\n", self->text);
}

/* A timestamp after a step that is not left by a branch */
TEST_F(trace, time_after_no_branch)
{
	branches(self);
	self->times = true;
	trace_play(self, TIMED "atom EEE; addr 0x400008; atom N; time 1100; atom E; addr 0x400010;"
		   "atom EE; addr 0x400010; atom E; time 1180; atom E");
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1025\n"
		     "jmp 400010 400018 @1050\n"
		     "return 400018 400008 @1075\n"
		     "jmp 40000c 400010 @1120\n"
		     "jmp 400010 400018 @1140\n"
		     "return 400018 400010 @1160\n"
		     "jmp 400010 400018 @1180\n"
		     "tr end  return 400018 0 @1200\n", self->text);
}

/* The next timestamp is in another run: time goes on as fast as before, but waits for that. */
TEST_F(trace, time_stops_at_the_next_timestamp)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; atom E; addr.ctx 0x400010 el1 ns 64;"
		 "atom EE; addr.ctx 0x400010 el0 ns 64; atom E; time 1044; atom E", round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @1044\n"
		     "jmp 400010 400018 @1044\n"
		     "return 400018 400010 @1044\n"
		     "jmp 400010 400018 @1044\n"
		     "tr end  return 400018 0 @1045\n", self->text);
}

/* A timestamp that goes back does not count: the line goes on to the next. */
TEST_F(trace, timestamp_that_goes_back)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 900; %stime 1080", round_, round_);
	trace_play(self, text);
	EXPECT_NE(NULL, strstr(self->text, "call 40001c 400000 @1040\n"
			       "call 400000 400010 @1050\n"
			       "jmp 400010 400018 @1060\n"
			       "return 400018 40001c @1070\n"
			       "tr end  call 40001c 400000 @1080\n"));
}

/* A thread that slept between two timestamps goes on at most twice as slowly as before that. */
TEST_F(trace, time_after_a_sleep)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; %stime 9040; %s", round_, round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @3040\n"
		     "jmp 400010 400018 @5040\n"
		     "return 400018 40001c @7040\n"
		     "call 40001c 400000 @9040\n"
		     "call 400000 400010 @9060\n"
		     "jmp 400010 400018 @9080\n"
		     "return 400018 40001c @9100\n"
		     "tr end  call 40001c 400000 @9120\n", self->text);
}

/* Nor do the cycles that it counted while it slept take so long again. */
TEST_F(trace, time_after_a_sleep_by_cycles)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	count_cycles(&self->config);
	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%scc1 count=40; time 1040; %scc1 count=40;"
		 "time 9040; %scc1 count=40; %s", round_, round_, round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @3040\n"
		     "jmp 400010 400018 @5040\n"
		     "return 400018 40001c @7040\n"
		     "call 40001c 400000 @9040\n"
		     "call 400000 400010 @9060\n"
		     "jmp 400010 400018 @9080\n"
		     "return 400018 40001c @9100\n"
		     "call 40001c 400000 @9120\n"
		     "call 400000 400010 @9140\n"
		     "jmp 400010 400018 @9160\n"
		     "return 400018 40001c @9180\n"
		     "tr end  call 40001c 400000 @9200\n", self->text);
}

/* A thread that a switch brought has no time before that. */
TEST_F(trace, time_after_a_switch)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	self->came = 9000;
	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; %saddr.ctx 0x400000 el1 ns 64;"
		 "%stime 9040; %s", round_, round_, round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @1050\n"
		     "jmp 400010 400018 @1060\n"
		     "return 400018 40001c @1070\n"
		     "call 40001c 400000 @9000\n"
		     "call 400000 400010 @9010\n"
		     "jmp 400010 400018 @9020\n"
		     "return 400018 40001c @9030\n"
		     "call 40001c 400000 @9040\n"
		     "call 400000 400010 @9050\n"
		     "jmp 400010 400018 @9060\n"
		     "return 400018 40001c @9070\n"
		     "tr end  call 40001c 400000 @9080\n", self->text);
}

/* Before the first timestamp time runs as fast as after it; after a hole as before. */
TEST_F(trace, time_after_a_hole)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400010 el0 ns 64; atom E; time 900; atom E;"
		 "addr 0x400010; time 910; on; addr 0x400000; %stime 2000; on", round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010 @890\n"
		     "jmp 400010 400018 @900\n"
		     "tr end  return 400018 400010 @910\n"
		     "tr strt 0 400000 @1960\n"
		     "call 400000 400010 @1970\n"
		     "jmp 400010 400018 @1980\n"
		     "return 400018 40001c @1990\n"
		     "tr end  call 40001c 400000 @2000\n", self->text);
}

TEST_F(trace, no_time)
{
	const struct cs_samples_options options = { .branches = true, .timeless = true };

	want(self, &options);
	self->times = true;
	trace_play(self, TIMED "atom E; time 1010");
	EXPECT_STREQ("tr strt 0 400000 @0\n"
		     "tr end  call 400000 400010 @0\n", self->text);
	want(self, &options);
	self->input_time = 77;
	trace_play(self, TIMED "atom E; time 1010");
	EXPECT_STREQ("tr strt 0 400000 @77\n"
		     "tr end  call 400000 400010 @77\n", self->text);
}

/* Trace that breaks off before the first timestamp: not later than the input says. */
TEST_F(trace, time_before_all_timestamps)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	self->input_time = 990;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on;"
		 "addr 0x400000; %stime 1000; %stime 1040", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010 @990\n"
		     "tr end 400010 400018 @990\n"
		     "tr strt 0 400000 @990\n"
		     "call 400000 400010 @992\n"
		     "jmp 400010 400018 @995\n"
		     "return 400018 40001c @997\n"
		     "call 40001c 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "tr end  call 40001c 400000 @1040\n", self->text);
}

/* Where clocks begin. */
TEST_F(trace, time_zero)
{
	const struct cs_samples_options options = { .branches = true };
	const struct cs_samples_options compat = { .insns = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	self->input_time = 20;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %stime 20; %stime 60",
		 round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @0\n"
		     "call 400000 400010 @5\n"
		     "jmp 400010 400018 @10\n"
		     "return 400018 40001c @15\n"
		     "call 40001c 400000 @20\n"
		     "call 400000 400010 @30\n"
		     "jmp 400010 400018 @40\n"
		     "return 400018 40001c @50\n"
		     "tr end  call 40001c 400000 @60\n", self->text);
	want(self, &compat);
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %s%s%stime 1; on;"
		 "addr 0x400010; atom E; on", round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(0, self->last.time);
}

/* Every 15 units; the time between is known from both ends. */
TEST_F(trace, period_in_time)
{
	const struct cs_samples_options options = {
		.insns = true, .period = 15, .period_unit = CS_PERIOD_TIME,
	};
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%s%stime 1080", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("insn jmp 400010 x2 @1020\n"
		     "insn return 400018 x1 @1030\n"
		     "insn call 400000 x2 @1050\n"
		     "insn jmp 400010 x1 @1060\n"
		     "insn call 40001c x2 @1080\n", self->text);
}

/* Without timestamps an instruction takes one unit. */
TEST_F(trace, period_in_time_without_time)
{
	const struct cs_samples_options options = {
		.insns = true, .period = 3, .period_unit = CS_PERIOD_TIME,
	};

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400010; atom E");
	EXPECT_STREQ("insn return 400018 x3\n", self->text);
}

/* As perf with OpenCSD: the timestamp before the last and 1 unit for 10 instructions. */
TEST_F(trace, compat_time)
{
	const struct cs_samples_options options = { .branches = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %s%s%stime 1000; %stime 1100;"
		 "%s%s%s%s", round_, round_, round_, round_, round_, round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(1002, self->last.time);	/* 4 and 16 instructions */
	EXPECT_EQ(0, strncmp("tr strt 0 400000 @999\n", self->text, 22));
}

/* A timestamp that goes back, as in damaged trace: time stays. */
TEST_F(trace, compat_time_never_goes_back)
{
	const struct cs_samples_options options = { .branches = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; time 1000; %stime 1100;"
		 "%stime 500; %s", round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(1000, self->last.time);
}

/* ---------------------------------------------------------------- cycles */

#define COUNTED	SYNC "addr.ctx 0x400000 el0 ns 64; cc3 count=0; atom EE; cc3 count=1;" \
	"atom E; addr 0x40001c; atom E; addr 0x400000; cc3 count=3; atom EE"

TEST_F(trace, ipc)
{
	const struct cs_samples_options exact = { .branches = true, .ipc = true };
	const struct cs_samples_options rough = {
		.insns = true, .period = 3, .ipc = true, .approx_ipc = true,
	};
	const struct cs_samples_options every = { .insns = true, .period = 1, .ipc = true };

	count_cycles(&self->config);
	want(self, &exact);
	trace_play(self, COUNTED);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "call 400000 400010\n"
		     "jmp 400010 400018 2/1\n"
		     "return 400018 40001c\n"
		     "call 40001c 400000 2/3\n"
		     "call 400000 400010\n"
		     "tr end 400010 400018\n", self->text);
	want(self, &rough);
	trace_play(self, COUNTED);
	EXPECT_STREQ("insn return 400018 x3 3/1\n"
		     "insn jmp 400010 x3 3/3\n", self->text);
	want(self, &every);
	trace_play(self, COUNTED);
	EXPECT_STREQ("insn call 400000 x1\n"
		     "insn jmp 400010 x1 2/1\n"
		     "insn return 400018 x1\n"
		     "insn call 40001c x1 2/3\n"
		     "insn call 400000 x1\n"
		     "insn jmp 400010 x1\n", self->text);
}

/* A count at a place without a branch belongs to no branch. */
TEST_F(trace, ipc_between_branches)
{
	const char *text = SYNC "addr.ctx 0x400008 el0 ns 64; cc3 count=0; atom N; cc3 count=2;"
		"atom E; addr 0x400008; atom N";
	struct cs_samples_options options = { .branches = true, .ipc = true };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
	options.approx_ipc = true;
	want(self, &options);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008 2/2\n"
		     "tr end  jcc 400008 0\n", self->text);
}

/* An unknown count says nothing about those before it. */
TEST_F(trace, ipc_unknown)
{
	const struct cs_samples_options options = { .branches = true, .ipc = true };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400008 el0 ns 64; cc3 count=0; atom N; cc3 count=2;"
		   "atom E; cc1 unknown; addr 0x400008; atom N");
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
}

TEST_F(trace, cycles)
{
	const struct cs_samples_options options = { .cycles = true, .period = 2 };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, COUNTED);
	EXPECT_STREQ("cycles jmp 400010 x1\n"
		     "cycles call 40001c x3\n", self->text);
}

TEST_HARNESS_MAIN
