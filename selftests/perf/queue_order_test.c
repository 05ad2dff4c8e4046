// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of several CPUs comes out in the order of time, as closely as the recording tells: with a
 * CPU that was idle for long, with code that is mapped late, with a shared sink.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-replay.h"
#include "../../perf-plugin/perf-write.h"
#include "../../perf-plugin/plugin.h"
#include "../../tools/encoder/encoder.h"
#include "../../tools/lib/frame-write.h"

#define CODE	0x400000
#define CPUS	2

/* The program: it jumps to itself.  So a tick of the clock is a step. */
static const uint8_t loop[4] = { 0x00, 0x00, 0x00, 0x14 };

/**
 * struct cpu - a CPU at work
 * @clock: time, perf's as well
 * @trace: raw, @n bytes
 */
struct cpu {
	struct encoder *enc;
	uint64_t clock;
	uint8_t *trace;
	size_t n;
};

/**
 * struct order - a recording
 * @shared: the CPUs write to one sink
 * @known: from when on the host has code for the second thread
 * @now: where the host is
 * @space: of code; those who have none have nothing
 */
FIXTURE(order)
{
	char path[32];
	int fd;
	bool shared;
	struct perf_cs_cpu unit[CPUS];
	struct perf_writer *writer;
	struct frame_writer frames;
	struct enc_setup setup;
	struct cpu cpu[CPUS];
	struct plugin *plugin;
	struct plugin_host host;
	uint64_t known, now;
	int space;
};

static int space_of(void *context, const struct plugin_who *who)
{
	const struct _test_data_order *self = context;

	return who->tid == 12 && self->now <= self->known ? CSF_SPACE_ALL : self->space;
}

FIXTURE_SETUP(order)
{
	struct perf_write_setup setup = {
		.version = 2, .cpu = self->unit, .n_cpu = CPUS, .exclude_kernel = true,
		.time_conv = { .mult = 1 },
	};
	char problem[ENC_PROBLEM_MAX];

	ASSERT_EQ(0, enc_setup_parse(&self->setup, "ete=1.1,cid,ts=100", problem));
	for (int i = 0; i < CPUS; i++) {
		self->unit[i] = (struct perf_cs_cpu){
			.cpu = i, .id = 0x10 + i, .protocol = CSF_PROTOCOL_ETE,
			.pid = PERF_CS_PID_CONTEXTID, .time = PERF_CS_TIME_VIRTUAL,
			.config = self->setup.config,
		};
		ASSERT_EQ(0, enc_new(&self->cpu[i].enc, &self->setup, &self->cpu[i].clock));
	}
	self->host = (struct plugin_host){ .context = self, .space = space_of };
	strcpy(self->path, "/tmp/csflow-order-XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_write_new(&self->writer, self->fd, &setup));
}

FIXTURE_TEARDOWN(order)
{
	plugin_close(self->plugin);
	for (int i = 0; i < CPUS; i++) {
		enc_free(self->cpu[i].enc);
		free(self->cpu[i].trace);
	}
	free(self->frames.data);
	close(self->fd);
	unlink(self->path);
}

/* ---------------------------------------------------------------- a recording */

/* The trace that the unit of @i holds goes to its sink. */
static void drain(struct _test_data_order *self, int i)
{
	struct cpu *cpu = &self->cpu[i];
	const uint8_t *bytes;
	long n = enc_take(cpu->enc, &bytes);

	if (self->shared) {
		frame_write(&self->frames, self->unit[i].id, bytes, n);
		return;
	}
	cpu->trace = realloc(cpu->trace, cpu->n + n + 1);
	memcpy(cpu->trace + cpu->n, bytes, n);
	cpu->n += n;
}

/* Thread @tid runs on a CPU from one time to another. */
static void runs(struct _test_data_order *self, int i, uint32_t tid, uint64_t from, uint64_t to)
{
	const struct enc_context context = { .contextid = tid, .security = CSF_NONSECURE,
					     .bits64 = true };
	struct cpu *cpu = &self->cpu[i];
	struct enc_block block = { .pc = CODE, .isa = ENC_A64 };

	enc_scan(&self->setup, &block, loop, sizeof(loop));
	cpu->clock = from;
	enc_start(cpu->enc, CODE, ENC_A64, &context);
	for (; cpu->clock < to; cpu->clock++) {
		enc_block(cpu->enc, &block, CODE, ENC_A64);
		if (cpu->clock % 256 == 255)
			drain(self, i);
	}
	enc_stop(cpu->enc);
	drain(self, i);
}

static void switches(struct _test_data_order *self, int i, uint64_t time, uint32_t from,
		     uint32_t to)
{
	const struct perf_write_who who = { .time = time, .pid = from, .tid = from, .cpu = i };
	const struct perf_task task = { .pid = to, .tid = to, .out = true };

	perf_write_switch(self->writer, &who, &task);
}

/* Of a buffer that is emptied once, at the end. */
static void write_trace(struct _test_data_order *self, int i, const uint8_t *bytes, size_t n)
{
	const struct perf_write_who who = { .time = 1000000, .pid = 10, .tid = 10, .cpu = i };
	const struct perf_aux_record aux = { .size = n, .flags = self->shared ? 0 : 0x100 };
	const struct perf_auxtrace auxtrace = { .size = n, .cpu = i, .idx = i,
						.tid = PERF_NO_TID };

	perf_write_aux(self->writer, &who, &aux);
	perf_write_auxtrace(self->writer, &auxtrace, bytes);
}

static int finish(struct _test_data_order *self)
{
	if (self->shared) {
		frame_write_end(&self->frames);
		write_trace(self, 0, self->frames.data, self->frames.n);
	}
	for (int i = 0; i < CPUS && !self->shared; i++)
		write_trace(self, i, self->cpu[i].trace, self->cpu[i].n);
	return perf_write_finish(self->writer);
}

/* ---------------------------------------------------------------- what comes out */

static int open_it(struct _test_data_order *self)
{
	const struct plugin_options options = { .marks = CSF_MARK_TIME };
	int err = plugin_open(&self->plugin, self->path, &options, &self->host);
	struct csf_image *image;

	if (err)
		return err;
	image = plugin_image(self->plugin);
	self->space = csf_space_new(image);
	return csf_map(image, self->space, CODE, sizeof(loop),
		       csf_section_bytes(image, loop, sizeof(loop)), 0);
}

/**
 * struct seen - steps, in the order in which they came
 * @tid: of the thread that ran on two CPUs, on @first first
 * @n: by CPU and thread
 * @broken: on the first CPU, but after those on its second
 * @came: to the first and to the second, as its runs there say
 */
struct seen {
	uint32_t tid, first;
	uint64_t n[CPUS][16];
	uint64_t broken;
	uint64_t came[CPUS];
};

static void see(struct seen *seen, uint32_t cpu, uint32_t tid, size_t n)
{
	if (tid > 15 || cpu >= CPUS)
		return;
	seen->n[cpu][tid] += n;
	if (tid == seen->tid && cpu == seen->first && seen->n[!cpu][tid])
		seen->broken += n;
}

/* In the way of perf: up to the times of its records. */
static void see_plugin(struct _test_data_order *self, struct seen *seen, uint64_t until)
{
	struct plugin_run run;

	self->now = until;
	while (plugin_next(self->plugin, until, &run) > 0) {
		see(seen, run.cpu, run.tid, run.run->n);
		if (run.tid == seen->tid && run.cpu < CPUS)
			seen->came[run.cpu != seen->first] = run.came;
	}
}

/*
 * A thread goes to a CPU that has been idle for long.  The last timestamp of that CPU is older than
 * all that the thread did before.
 */
TEST_F(order, a_switch_says_when)
{
	struct seen seen = { .tid = 10, .first = 0 };

	runs(self, 1, 11, 1000, 1150);
	runs(self, 0, 10, 1000, 20000);
	runs(self, 1, 10, 20010, 20050);
	runs(self, 1, 10, 20060, 21000);
	switches(self, 1, 20005, 11, 10);
	ASSERT_EQ(0, finish(self));
	ASSERT_EQ(0, open_it(self));
	see_plugin(self, &seen, UINT64_MAX);
	EXPECT_EQ(150, seen.n[1][11]);
	EXPECT_EQ(19000, seen.n[0][10]);
	EXPECT_EQ(980, seen.n[1][10]);
	EXPECT_EQ(0, seen.broken);
	EXPECT_EQ(0, seen.came[0]);
	EXPECT_EQ(20005, seen.came[1]);
}

/*
 * If the code of a thread is mapped after the last timestamp at which it runs, it is decoded as
 * soon as the host has mapped it, and others wait that long.
 */
static void record_late(struct _test_data_order *self)
{
	runs(self, 1, 11, 1000, 1150);
	runs(self, 1, 12, 1160, 1190);
	runs(self, 1, 11, 30000, 30500);
	runs(self, 0, 10, 1000, 15000);
	runs(self, 0, 12, 15000, 16000);
	self->known = 1160;
}

static void check_late(struct __test_metadata *const _metadata, const struct seen *seen)
{
	EXPECT_EQ(650, seen->n[1][11]);
	EXPECT_EQ(30, seen->n[1][12]);
	EXPECT_EQ(14000, seen->n[0][10]);
	EXPECT_EQ(1000, seen->n[0][12]);
	EXPECT_EQ(0, seen->broken);
}

TEST_F(order, code_that_is_mapped_late)
{
	struct seen seen = { .tid = 12, .first = 1 };

	record_late(self);
	ASSERT_EQ(0, finish(self));
	ASSERT_EQ(0, open_it(self));
	see_plugin(self, &seen, 1160);
	EXPECT_EQ(0, seen.n[1][12]);
	see_plugin(self, &seen, 1160);
	see_plugin(self, &seen, 1250);
	EXPECT_EQ(30, seen.n[1][12]);
	EXPECT_GE(500, seen.n[0][10]);
	see_plugin(self, &seen, UINT64_MAX);
	check_late(_metadata, &seen);
}

/* A host that knows all from the beginning tells the time of the next other answer. */
static int who_knows(void *context, const struct perf_stream *stream, uint64_t time,
		     struct perf_who *who)
{
	const struct _test_data_order *self = context;
	bool unknown = stream->tid == 12 && time < self->known;

	*who = (struct perf_who){
		.tid = stream->tid, .space = unknown ? CSF_SPACE_ALL : self->space,
		.until = unknown ? self->known : UINT64_MAX,
	};
	return 0;
}

static uint64_t never_came(void *context, const struct perf_stream *stream, uint64_t from,
			   uint64_t to)
{
	(void)context;
	(void)stream;
	(void)from;
	(void)to;
	return 0;
}

TEST_F(order, code_that_is_known_to_be_mapped_late)
{
	const struct perf_queues_ops ops = {
		.context = self, .who = who_knows, .came = never_came,
	};
	struct perf_queues_options options = { .marks = CSF_MARK_TIME, .timed = true };
	struct seen seen = { .tid = 12, .first = 1 };
	struct perf_queues *queues;
	struct perf_aux *aux;
	struct perf_run run;

	record_late(self);
	ASSERT_EQ(0, finish(self));
	ASSERT_EQ(0, open_it(self));
	options.image = plugin_image(self->plugin);
	ASSERT_EQ(0, perf_file_open(&options.file, self->path));
	ASSERT_EQ(0, perf_aux_new(&aux, options.file));
	ASSERT_EQ(0, perf_cs_open(&options.cs, options.file, NULL));
	options.aux = aux;
	ASSERT_EQ(0, perf_queues_new(&queues, &options, &ops));
	while (perf_queues_next(queues, UINT64_MAX, &run) > 0)
		see(&seen, run.stream->cpu, run.who.tid, run.run.n);
	check_late(_metadata, &seen);
	perf_queues_free(queues);
	perf_cs_free(options.cs);
	perf_aux_free(aux);
	perf_file_close(options.file);
}

/* A CPU that writes little to a sink which others fill: its last bytes do not wait for the next. */
TEST_F(order, little_in_a_shared_sink)
{
	struct seen seen = { .tid = 12, .first = 1 };

	self->shared = true;
	runs(self, 1, 12, 1000, 1150);
	runs(self, 0, 10, 1000, 2000);
	runs(self, 0, 12, 2000, 900000);
	runs(self, 1, 11, 900100, 900200);
	ASSERT_EQ(0, finish(self));
	ASSERT_LT(1 << 16, self->frames.n);
	ASSERT_EQ(0, open_it(self));
	see_plugin(self, &seen, UINT64_MAX);
	EXPECT_EQ(150, seen.n[1][12]);
	EXPECT_EQ(100, seen.n[1][11]);
	EXPECT_EQ(898000, seen.n[0][12]);
	EXPECT_EQ(0, seen.broken);
}

TEST_HARNESS_MAIN
