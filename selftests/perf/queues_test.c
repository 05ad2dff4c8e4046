// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX rings in the order of time, as perf's plugin sees them: recordings of a few packets, each
 * made for one case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-replay.h"
#include "../../perf-plugin/plugin.h"
#include "../../tools/lib/frame-write.h"
#include "../lib/recording.h"

#define CODE		0x400000
#define RAW		0x100	/* PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW */
#define COLLISION	0x08	/* PERF_AUX_FLAG_COLLISION */
#define PARTIAL		0x04	/* PERF_AUX_FLAG_PARTIAL */

/* A-sync and Trace Info; Trace On; addresses, most with a context; three branches. */
#define SYNC		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0
#define ON		4
#define USER		0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30
#define KERNEL		0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x31
#define THREAD(n)	0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xb0, (n), 0, 0, 0
#define AT_EL2(n)	0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x72, (n), 0, 0, 0
#define AT_EL1(n)	0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x71, (n), 0, 0, 0
#define ELSEWHERE	0x9d, 0, 0, 0x41, 0, 0, 0, 0, 0
#define TIME(t)		2, (t)
#define BRANCHES	0xf8 + 7
#define N_BRANCHES	3

/* The threads asked for, in order */
struct asked {
	struct plugin_who who[32];
	unsigned int n;
};

/**
 * struct seen - a run with steps, or one that lost something
 */
struct seen {
	uint32_t cpu, tid, lost;
	uint64_t aux_time, time, at;
	size_t n;
	bool starts;
};

FIXTURE(made)
{
	struct perf_cs_cpu cpu[2];	/* CPUs 1 and 3 */
	struct perf_write_setup setup;
	struct perf_writer *writer;
	FILE *file;
	uint64_t at[4];		/* by CPU; in the ring of a thread: [0] */
	struct asked asked;
	struct plugin_options options;
	struct plugin *plugin;
	struct seen seen[32];
	unsigned int n;
	size_t steps;
};

static int space_of(void *context, const struct plugin_who *who)
{
	struct asked *asked = context;

	if (asked->n < 32)
		asked->who[asked->n++] = *who;
	return CSF_SPACE_ALL;
}

FIXTURE_SETUP(made)
{
	struct small_recording rec;

	(void)recording_make;
	recording_init(&rec, 2, 2);
	self->setup = rec.setup;
	memcpy(self->cpu, rec.cpu, sizeof(self->cpu));
	self->setup.cpu = self->cpu;
	self->file = tmpfile();
	ASSERT_NE(NULL, self->file);
}

FIXTURE_TEARDOWN(made)
{
	plugin_close(self->plugin);
	fclose(self->file);
}

/* The registers of both trace units, before anything is written. */
static void set_registers(struct _test_data_made *self, uint32_t configr, uint32_t idr8)
{
	for (int i = 0; i < 2; i++) {
		self->cpu[i].config.trcconfigr = configr;
		self->cpu[i].config.trcidr8 = idr8;
	}
}

static struct perf_writer *writer(struct _test_data_made *self)
{
	if (!self->writer && perf_write_new(&self->writer, fileno(self->file), &self->setup))
		abort();
	return self->writer;
}

/* An AUXTRACE record with the next bytes of the ring. */
static void buffer(struct _test_data_made *self, uint32_t cpu, const uint8_t *bytes, size_t n)
{
	uint64_t *at = &self->at[self->setup.per_thread ? 0 : cpu];
	const struct perf_auxtrace auxtrace = {
		.size = n, .offset = *at, .idx = cpu,
		.cpu = self->setup.per_thread ? PERF_NO_CPU : cpu,
		.tid = self->setup.per_thread ? 42 : PERF_NO_TID,
	};

	perf_write_auxtrace(writer(self), &auxtrace, bytes);
	*at += n;
}

/* An AUX record of the next @n bytes of the ring, which follow. */
static void record(struct _test_data_made *self, uint32_t cpu, uint64_t time, uint64_t flags,
		   size_t n)
{
	const struct perf_write_who who = { .time = time, .pid = 42, .tid = 42, .cpu = cpu };
	const struct perf_aux_record aux = {
		.offset = self->at[self->setup.per_thread ? 0 : cpu], .size = n,
		.flags = RAW | flags,
	};

	perf_write_aux(writer(self), &who, &aux);
}

#define trace(self, cpu, time, flags, ...) do {					\
	static const uint8_t bytes_[] = { __VA_ARGS__ };			\
										\
	record(self, cpu, time, flags, sizeof(bytes_));				\
	buffer(self, cpu, bytes_, sizeof(bytes_));				\
} while (0)

/* b 0 */
static int map_code(struct _test_data_made *self, uint64_t addr)
{
	static const uint32_t code = 0x14000000;
	struct csf_image *image = plugin_image(self->plugin);

	return csf_map(image, CSF_SPACE_ALL, addr, sizeof(code),
		       csf_section_bytes(image, &code, sizeof(code)), 0);
}

static int open_it(struct _test_data_made *self)
{
	const struct plugin_host host = { .context = &self->asked, .space = space_of };
	char path[40];
	int err = self->writer ? perf_write_finish(self->writer) : 0;

	self->writer = NULL;
	plugin_close(self->plugin);
	self->plugin = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(self->file));
	if (!err)
		err = plugin_open(&self->plugin, path, &self->options, &host);
	return err ? err : map_code(self, CODE);
}

/* Adds the steps before @until to self->seen.  Return: their number. */
static size_t play(struct _test_data_made *self, uint64_t until)
{
	struct plugin_run run;
	size_t steps = 0;

	while (plugin_next(self->plugin, until, &run) > 0) {
		steps += run.run->n;
		if (self->n == 32 || (!run.run->n && !run.starts))
			continue;
		self->seen[self->n++] = (struct seen){
			.cpu = run.cpu, .tid = run.tid, .lost = run.lost, .time = run.time,
			.aux_time = run.aux_time, .at = run.at, .n = run.run->n,
			.starts = run.starts,
		};
	}
	return steps;
}

/* Opens it and plays all of it.  Return: steps. */
static size_t play_all(struct _test_data_made *self)
{
	self->n = 0;
	self->asked.n = 0;
	return open_it(self) ? 0 : play(self, UINT64_MAX);
}

static uint64_t unknown(const struct _test_data_made *self)
{
	uint64_t bytes, cut;

	plugin_unread(self->plugin, &bytes, &cut);
	return bytes;
}

static uint64_t cut(const struct _test_data_made *self)
{
	uint64_t bytes, cut;

	plugin_unread(self->plugin, &bytes, &cut);
	return cut;
}

/* ---------------------------------------------------------------- fragments */

/* Each begins anew: nothing joins it to the one before. */
TEST_F(made, fragments)
{
	unsigned int starts = 0;

	trace(self, 1, 100, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 1, 200, COLLISION, SYNC, ON, USER, BRANCHES);
	trace(self, 1, 300, PARTIAL, SYNC, ON, USER, BRANCHES);
	EXPECT_EQ(3 * N_BRANCHES, play_all(self));
	for (unsigned int i = 0; i < self->n; i++) {
		const struct seen *s = &self->seen[i];

		starts += s->starts;
		EXPECT_EQ(starts * 100, s->aux_time);
		EXPECT_EQ(s->aux_time == 100 ? 0 : s->aux_time == 200 ? PLUGIN_COLLISION :
			  PLUGIN_PARTIAL, s->lost);
		EXPECT_GE(26, s->at);
	}
	EXPECT_EQ(3, starts);
}

/* One AUX record whose bytes two buffers have, parted inside a packet: it goes on. */
TEST_F(made, over_two_buffers)
{
	static const uint8_t bytes[] = { SYNC, ON, USER, BRANCHES };

	record(self, 1, 100, 0, sizeof(bytes));
	buffer(self, 1, bytes, 20);
	buffer(self, 1, bytes + 20, sizeof(bytes) - 20);
	EXPECT_EQ(N_BRANCHES, play_all(self));
	EXPECT_EQ(0, unknown(self));
}

/* Elements that a unit with speculation has not yet committed at the end of its buffer. */
TEST_F(made, undecided)
{
	set_registers(self, 0x40, 5);
	trace(self, 1, 100, 0, SYNC, ON, USER, BRANCHES);
	EXPECT_EQ(0, play_all(self));
	self->options.commit_tail = true;
	EXPECT_EQ(N_BRANCHES, play_all(self));
}

TEST_F(made, unknown_unit)
{
	trace(self, 1, 100, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 2, 200, 0, SYNC, ON, USER, BRANCHES);
	EXPECT_EQ(N_BRANCHES, play_all(self));
	EXPECT_EQ(26, unknown(self));
}

/* The share of such units in all trace: a recording may have no other. */
TEST_F(made, bytes_of_unknown_units)
{
	const struct perf_replay_options options = { 0 };
	struct perf_replay *replay;
	struct perf_run run;
	char path[40];

	trace(self, 2, 100, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 1, 200, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 2, 300, 0, SYNC, ON, USER, BRANCHES);
	ASSERT_EQ(0, perf_write_finish(self->writer));
	self->writer = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(self->file));
	ASSERT_EQ(0, perf_replay_new(&replay, path, &options));
	while (perf_replay_next(replay, &run) > 0)
		;
	EXPECT_EQ(2 * 26, replay->queues->no_unit);
	EXPECT_EQ(3 * 26, replay->queues->total);
	perf_replay_free(replay);
}

/* Trace that no AUX record names, beside some that one says is raw. */
TEST_F(made, no_record)
{
	static const uint8_t bytes[] = { SYNC, ON, USER, BRANCHES };

	trace(self, 1, 100, 0, SYNC, ON, USER, BRANCHES);
	buffer(self, 3, bytes, sizeof(bytes));
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
}

/* ---------------------------------------------------------------- threads */

/* The ring of a thread is that thread's, also where the trace has contexts without an ID. */
TEST_F(made, ring_of_a_thread)
{
	static const uint8_t bytes[] = { SYNC, ON, USER, BRANCHES, KERNEL, BRANCHES };

	self->setup.per_thread = true;
	set_registers(self, 0, 0);
	record(self, 1, 100, 0, sizeof(bytes));
	buffer(self, 1, bytes, sizeof(bytes));
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	for (unsigned int i = 0; i < self->n; i++)
		EXPECT_EQ(42, self->seen[i].tid);
}

/*
 * An AUX record of frames, of @cpu: the same of ID @id, and of another one if that is not 0.  Of
 * its end @less bytes are missing.
 */
static void framed_less(struct _test_data_made *self, uint32_t cpu, uint64_t time, uint8_t id,
			uint8_t other, size_t less)
{
	static const uint8_t bytes[] = { SYNC, ON, USER, BRANCHES };
	const struct perf_write_who who = { .time = time, .pid = 42, .tid = 42, .cpu = cpu };
	struct perf_aux_record aux = { .offset = self->at[0] };
	struct frame_writer frames = { 0 };

	frame_write(&frames, id, bytes, sizeof(bytes));
	if (other)
		frame_write(&frames, other, bytes, sizeof(bytes));
	frame_write_end(&frames);
	aux.size = frames.n - less;
	perf_write_aux(writer(self), &who, &aux);
	buffer(self, cpu, frames.data, aux.size);
	free(frames.data);
}

static void framed(struct _test_data_made *self, uint32_t cpu, uint64_t time, uint8_t id,
		   uint8_t other)
{
	framed_less(self, cpu, time, id, other, 0);
}

/* The contents of a frame whose end is missing are not decoded, but counted. */
TEST_F(made, frame_that_is_cut)
{
	const struct perf_write_who who = { .time = 1, .pid = 42, .tid = 42, .cpu = 1 };

	self->setup.per_thread = true;
	perf_write_hw_id(writer(self), &who, 0x40, 1);
	framed(self, 1, 100, 0x40, 0);
	framed_less(self, 1, 200, 0x40, 0, 5);
	framed(self, 1, 300, 0x40, 0);
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	EXPECT_EQ(0, unknown(self));
	EXPECT_EQ(11, cut(self));
	self->options.from = 250;
	EXPECT_EQ(N_BRANCHES, play_all(self));
	EXPECT_EQ(0, cut(self));
}

/*
 * Each sink has trace IDs of its own: 0x40 is CPU 1 in one sink, and CPU 5 in the other, whose
 * programming is unknown.
 */
TEST_F(made, one_trace_id_in_two_sinks)
{
	static const struct { uint32_t cpu, sink; uint8_t id; } ids[] = {
		{ 1, 1, 0x40 }, { 5, 3, 0x40 }, { 3, 3, 0x41 },
	};

	self->setup.per_thread = true;
	for (int i = 0; i < 3; i++) {
		const struct perf_write_who who = {
			.time = 1, .pid = 42, .tid = 42, .cpu = ids[i].cpu,
		};

		perf_write_hw_id(writer(self), &who, ids[i].id, ids[i].sink);
	}
	framed(self, 1, 100, 0x40, 0);
	framed(self, 3, 200, 0x41, 0x40);
	framed(self, 1, 300, 0x40, 0);
	EXPECT_EQ(3 * N_BRANCHES, play_all(self));
	EXPECT_EQ(26, unknown(self));
}

/*
 * With context IDs the thread is the one that they name, though records of switches name another.
 */
TEST_F(made, thread_of_the_trace)
{
	const struct perf_write_who who = { .time = 50, .pid = 42, .tid = 42, .cpu = 1 };
	const struct perf_task task = { .pid = 9, .tid = 9, .out = true };

	perf_write_switch(writer(self), &who, &task);
	trace(self, 1, 100, 0, SYNC, ON, THREAD(10), BRANCHES);
	trace(self, 1, 200, 0, SYNC, ON, THREAD(11), BRANCHES);
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	for (unsigned int i = 0; i < self->n; i++)
		if (self->seen[i].n)
			EXPECT_EQ(self->seen[i].aux_time == 100 ? 10 : 11, self->seen[i].tid);
}

/* Without them the thread is the one that the CPU switched to. */
TEST_F(made, thread_of_the_switch)
{
	const struct perf_write_who who = { .time = 150, .pid = 42, .tid = 42, .cpu = 1 };
	const struct perf_task task = { .pid = 9, .tid = 9, .out = true };

	set_registers(self, 0, 0);
	perf_write_switch(writer(self), &who, &task);
	trace(self, 1, 140, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 1, 200, 0, SYNC, ON, USER, BRANCHES);
	trace(self, 1, 300, 0, SYNC, ON, USER, BRANCHES);
	EXPECT_EQ(3 * N_BRANCHES, play_all(self));
	for (unsigned int i = 0; i < self->n; i++)
		EXPECT_EQ(self->seen[i].aux_time == 140 ? 42 :
			  self->seen[i].aux_time == 300 ? 9 : PLUGIN_NONE, self->seen[i].tid);
}

/* With the kernel at EL2 the host must be asked again where a thread goes into a guest. */
TEST_F(made, guest)
{
	const struct plugin_who *last;

	set_registers(self, 0x8080, 0);
	trace(self, 1, 100, 0, SYNC, ON, AT_EL2(10), BRANCHES, AT_EL1(10), BRANCHES);
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	ASSERT_LE(2, self->asked.n);
	last = &self->asked.who[self->asked.n - 1];
	EXPECT_TRUE(last->guest);
	EXPECT_FALSE(last[-1].guest);
	EXPECT_EQ(10, last->tid);
	EXPECT_EQ(1, last->context.el);
	EXPECT_EQ(2, last[-1].context.el);
}

/* ---------------------------------------------------------------- time */

static bool in_order(const struct _test_data_made *self)
{
	for (unsigned int i = 1; i < self->n; i++)
		if (self->seen[i].aux_time < self->seen[i - 1].aux_time)
			return false;
	return true;
}

/* Without timestamps: by when a buffer was emptied, whichever CPU's it is. */
TEST_F(made, in_order_of_buffers)
{
	for (int i = 0; i < 2; i++) {
		trace(self, 3, 100 + 200 * i, 0, SYNC, ON, USER, BRANCHES);
		trace(self, 1, 200 + 200 * i, 0, SYNC, ON, USER, BRANCHES);
	}
	EXPECT_EQ(4 * N_BRANCHES, play_all(self));
	EXPECT_TRUE(in_order(self));
	EXPECT_EQ(3, self->seen[0].cpu);
}

/* Buffers that were complete before, or begin after, are left out: they are not even looked at. */
TEST_F(made, only_some_time)
{
	for (int i = 1; i <= 4; i++)
		trace(self, 1, 100 * i, 0, SYNC, ON, USER, BRANCHES);
	self->options.from = 150;
	EXPECT_EQ(3 * N_BRANCHES, play_all(self));
	EXPECT_EQ(200, self->seen[0].aux_time);
	self->options.until = 250;
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	EXPECT_EQ(300, self->seen[self->n - 1].aux_time);
}

/* Clocks that count alike: one unit is 1 ns. */
static void use_timestamps(struct _test_data_made *self)
{
	set_registers(self, 0x840, 0);
	self->setup.time_conv.mult = 1;
	self->options.marks = CSF_MARK_TIME;
}

/* Trace without a decoder is missing only where it may be of the requested time. */
static void no_unit_for_some_time(struct __test_metadata *const _metadata,
				  struct _test_data_made *self)
{
	const struct perf_write_who who = { .time = 1, .pid = 42, .tid = 42, .cpu = 1 };

	self->setup.per_thread = true;
	perf_write_hw_id(writer(self), &who, 0x40, 1);
	for (int i = 1; i <= 4; i++)
		framed(self, 1, 100 * i, 0x40, 0x41);
	EXPECT_EQ(4 * N_BRANCHES, play_all(self));
	EXPECT_EQ(4 * 26, unknown(self));
	self->options.from = 150;
	play_all(self);
	EXPECT_EQ(3 * 26, unknown(self));
	self->options.until = 250;
	play_all(self);
	EXPECT_EQ(2 * 26, unknown(self));
}

TEST_F(made, no_unit_for_some_buffers)
{
	no_unit_for_some_time(_metadata, self);
}

/* Buffers before those are decoded, for the timestamps in them. */
TEST_F(made, no_unit_for_some_timestamps)
{
	use_timestamps(self);
	no_unit_for_some_time(_metadata, self);
}

/* With timestamps: by these, and not beyond the requested time. */
TEST_F(made, in_order_of_timestamps)
{
	static const uint8_t bytes[] = {
		SYNC, ON, USER, TIME(20), BRANCHES, TIME(40), BRANCHES, TIME(60), BRANCHES,
	};

	use_timestamps(self);
	record(self, 1, 1000, 0, sizeof(bytes));
	buffer(self, 1, bytes, sizeof(bytes));
	trace(self, 3, 900, 0, SYNC, ON, USER, TIME(30), BRANCHES, TIME(50), BRANCHES);
	ASSERT_EQ(0, open_it(self));
	ASSERT_TRUE(plugin_timed(self->plugin));
	EXPECT_EQ(0, play(self, 20));
	EXPECT_EQ(N_BRANCHES, play(self, 30));
	EXPECT_EQ(N_BRANCHES, play(self, 40));
	EXPECT_EQ(N_BRANCHES, play(self, 50));
	EXPECT_EQ(2 * N_BRANCHES, play(self, UINT64_MAX));
	for (unsigned int i = 1; i < self->n; i++)
		EXPECT_LE(self->seen[i - 1].time, self->seen[i].time);
	self->options.timeless = true;
	EXPECT_EQ(5 * N_BRANCHES, play_all(self));
	EXPECT_FALSE(plugin_timed(self->plugin));
	EXPECT_TRUE(in_order(self));
}

/* A fragment whose clock went back, as damaged trace says: it does not come before its time. */
TEST_F(made, clock_that_goes_back)
{
	use_timestamps(self);
	trace(self, 1, 100, 0, SYNC, ON, USER, TIME(80), BRANCHES);
	trace(self, 1, 200, 0, SYNC, ON, USER, TIME(10), BRANCHES);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(0, play(self, 80));
	EXPECT_EQ(2 * N_BRANCHES, play(self, UINT64_MAX));
	for (unsigned int i = 0; i < self->n; i++)
		EXPECT_TRUE(!self->seen[i].n || self->seen[i].time >= 80);
	/* how long before its first timestamp a fragment began is unknown, if it is the first */
	self->options.until = 50;
	EXPECT_EQ(N_BRANCHES, play_all(self));
}

/* Nor does it in a thread's ring when that moves to another CPU. */
TEST_F(made, clock_of_another_unit_that_goes_back)
{
	self->setup.per_thread = true;
	use_timestamps(self);
	trace(self, 1, 100, 0, SYNC, ON, USER, TIME(80), BRANCHES);
	trace(self, 3, 200, 0, SYNC, ON, USER, TIME(10), BRANCHES);
	EXPECT_EQ(2 * N_BRANCHES, play_all(self));
	ASSERT_LE(2, self->asked.n);
	for (unsigned int i = 0; i < self->asked.n; i++)
		EXPECT_LE(80, self->asked.who[i].time);
}

/* After the last timestamp missing code has the time at which the buffer was emptied. */
TEST_F(made, code_that_comes_later)
{
	use_timestamps(self);
	trace(self, 1, 500, 0, SYNC, ON, USER, TIME(20), BRANCHES, ELSEWHERE, BRANCHES);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(N_BRANCHES, play(self, 400));
	ASSERT_EQ(0, map_code(self, CODE + 0x10000));
	EXPECT_EQ(N_BRANCHES, play(self, UINT64_MAX));
}

TEST_HARNESS_MAIN
