// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that runs on a CPU: from context switches, and from tracepoints that the file
 * describes.
 */
#include <stdio.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-out.h"
#include "../../perf-plugin/perf-switch.h"

#define SWITCH_ID	372
#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* A recording, from a pipe, that is written record by record */
FIXTURE(who)
{
	FILE *f;
	struct perf_out out;
	struct perf_file *file;
	struct perf_switches s;
	uint8_t *bytes;
};

FIXTURE_VARIANT(who)
{
	bool big;
};

FIXTURE_VARIANT_ADD(who, little) { false };
FIXTURE_VARIANT_ADD(who, big) { true };

static void put_attr(struct perf_out *out, uint32_t type, uint64_t period, uint64_t sample_type)
{
	bool point = type == PERF_TYPE_TRACEPOINT;
	const uint64_t sample_id_all = out->big ? 1ull << 45 : 1ull << 18;

	perf_out_begin(out, PERF_RECORD_HEADER_ATTR, 0);
	perf_out_u32(out, type);
	perf_out_u32(out, PERF_ATTR_SIZE_VER0);
	perf_out_u64(out, point ? SWITCH_ID : PERF_COUNT_SW_DUMMY);
	perf_out_u64(out, period);
	perf_out_u64(out, sample_type);
	perf_out_u64(out, 0);
	perf_out_u64(out, sample_id_all);
	for (int i = 0; i < 2; i++)
		perf_out_u64(out, 0);
	perf_out_u64(out, point ? 2 : 1);	/* its id */
	perf_out_end(out);
}

FIXTURE_SETUP(who)
{
	self->f = tmpfile();
	ASSERT_NE(NULL, self->f);
	ASSERT_EQ(0, perf_out_init(&self->out, fileno(self->f)));
	self->out.big = variant->big;
	perf_out_raw(&self->out, variant->big ? "2ELIFREP" : "PERFILE2", 8);
	perf_out_raw_u64(&self->out, 16);
	put_attr(&self->out, PERF_TYPE_SOFTWARE, 1, SAMPLE_TYPE);
}

static int open_it(struct _test_data_who *self)
{
	size_t n = self->out.at;
	int err = perf_out_flush(&self->out);

	self->bytes = malloc(n);
	if (!err && pread(fileno(self->f), self->bytes, n, 0) != (ssize_t)n)
		err = -EIO;
	if (!err)
		err = perf_file_open_memory(&self->file, self->bytes, n);
	return err ? err : perf_switches_init(&self->s, self->file);
}

FIXTURE_TEARDOWN(who)
{
	perf_switches_fini(&self->s);
	perf_file_close(self->file);
	free(self->bytes);
	perf_out_fini(&self->out);
	fclose(self->f);
}

static void put_trailer(struct perf_out *out, uint32_t tid, uint64_t time, uint32_t cpu)
{
	perf_out_u32(out, tid);
	perf_out_u32(out, tid);
	perf_out_u64(out, time);
	perf_out_u32(out, cpu);
	perf_out_u32(out, 0);
	perf_out_u64(out, 1);
	perf_out_end(out);
}

/* On CPU 3; @other: PERF_NO_TID: the record does not name it */
static void put_switch(struct perf_out *out, uint64_t time, uint32_t tid, bool goes, uint32_t other)
{
	uint16_t misc = goes ? PERF_RECORD_MISC_SWITCH_OUT : 0;

	if (other == PERF_NO_TID) {
		perf_out_begin(out, PERF_RECORD_SWITCH, misc);
	} else {
		perf_out_begin(out, PERF_RECORD_SWITCH_CPU_WIDE, misc);
		perf_out_u32(out, other);
		perf_out_u32(out, other);
	}
	put_trailer(out, tid, time, 3);
}

static uint32_t at(struct _test_data_who *self, uint64_t time)
{
	uint64_t until;
	uint32_t tid = perf_switches_at(&self->s, 3, time, &until);

	/* it holds up to that moment, and not for longer than a record is old */
	if (until <= time || (until - 1 > time &&
			      perf_switches_at(&self->s, 3, until - 1, &(uint64_t){ 0 }) != tid))
		return 9999;
	return tid;
}

TEST_F(who, switches)
{
	struct perf_out *out = &self->out;

	put_switch(out, 100, 10, true, 11);
	put_switch(out, 103, 11, false, 10);
	put_switch(out, 200, 11, true, 0);
	put_switch(out, 203, 0, false, 11);
	put_switch(out, 300, 12, false, 0);	/* the record of the thread that left is lost */
	put_switch(out, 400, 13, true, 14);	/* and here that of the thread that came */
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(6, self->s.n_switch);
	EXPECT_EQ(0, self->file->problems.total);
	EXPECT_EQ(10, at(self, 0));
	EXPECT_EQ(10, at(self, 99));
	EXPECT_EQ(11, at(self, 100));
	EXPECT_EQ(11, at(self, 102));
	EXPECT_EQ(11, at(self, 199));
	EXPECT_EQ(0, at(self, 200));
	EXPECT_EQ(0, at(self, 299));
	EXPECT_EQ(PERF_NO_TID, at(self, 300));	/* 12 came, 13 went */
	EXPECT_EQ(14, at(self, 400));
	EXPECT_EQ(14, at(self, UINT64_MAX - 1));
	EXPECT_EQ(PERF_NO_TID, perf_switches_at(&self->s, 2, 100, &(uint64_t){ 0 }));
	EXPECT_EQ(PERF_NO_TID, perf_switches_at(&self->s, 4, 100, &(uint64_t){ 0 }));
}

/* If the file is damaged, there may have been a switch there. */
TEST_F(who, damaged)
{
	static const uint8_t rubbish[24] = { 0xff, 0xff, 0xff };
	struct perf_out *out = &self->out;

	put_switch(out, 100, 10, true, 11);
	put_switch(out, 200, 11, true, 12);
	perf_out_raw(out, rubbish, sizeof(rubbish));
	put_switch(out, 300, 12, true, 13);
	put_switch(out, 400, 13, true, 14);
	put_switch(out, 500, 14, true, 15);
	perf_out_raw(out, rubbish, sizeof(rubbish));
	put_switch(out, 600, 15, true, 16);
	put_switch(out, 700, 16, true, 17);
	put_switch(out, 800, 17, true, 18);
	perf_out_raw(out, rubbish, sizeof(rubbish));
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(3, self->file->problems.damage);
	EXPECT_EQ(10, at(self, 50));
	EXPECT_EQ(11, at(self, 150));
	EXPECT_EQ(PERF_NO_TID, at(self, 250));
	EXPECT_EQ(13, at(self, 350));
	EXPECT_EQ(14, at(self, 450));
	EXPECT_EQ(PERF_NO_TID, at(self, 550));
	EXPECT_EQ(16, at(self, 650));
	EXPECT_EQ(PERF_NO_TID, at(self, 850));
	EXPECT_EQ(PERF_NO_TID, perf_switches_only(&self->s, 3, 210, 290));
	EXPECT_EQ(13, perf_switches_only(&self->s, 3, 310, 390));
}

/* And before the first that is there. */
TEST_F(who, damaged_first)
{
	static const uint8_t rubbish[24] = { 0xff, 0xff, 0xff };

	perf_out_raw(&self->out, rubbish, sizeof(rubbish));
	put_switch(&self->out, 100, 10, true, 11);
	put_switch(&self->out, 200, 11, true, 12);
	put_switch(&self->out, 300, 12, true, 13);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(PERF_NO_TID, at(self, 50));
	EXPECT_EQ(11, at(self, 150));
}

TEST_F(who, only)
{
	struct perf_out *out = &self->out;

	put_switch(out, 100, 10, true, 11);
	put_switch(out, 103, 11, false, 10);
	put_switch(out, 200, 11, true, 10);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(10, perf_switches_only(&self->s, 3, 0, 99));
	EXPECT_EQ(PERF_NO_TID, perf_switches_only(&self->s, 3, 0, 100));
	EXPECT_EQ(11, perf_switches_only(&self->s, 3, 100, 199));
	EXPECT_EQ(PERF_NO_TID, perf_switches_only(&self->s, 3, 50, 250));
	EXPECT_EQ(10, perf_switches_only(&self->s, 3, 200, UINT64_MAX));
}

static void put_task(struct perf_out *out, uint32_t type, uint32_t pid, uint32_t tid)
{
	perf_out_begin(out, type, 0);
	perf_out_u32(out, pid);
	if (type == PERF_RECORD_FORK)
		perf_out_u32(out, 9);		/* its parent */
	perf_out_u32(out, tid);
	if (type == PERF_RECORD_FORK)
		perf_out_u32(out, 9);
	if (type == PERF_RECORD_FORK)
		perf_out_u64(out, 50);
	else
		perf_out_u64(out, 0);	/* its name */
	put_trailer(out, 0, 50, 3);
}

/* As perf record writes it for a program that it starts: perf is only named as a parent. */
TEST_F(who, one_process)
{
	put_task(&self->out, PERF_RECORD_COMM, 10, 10);
	put_task(&self->out, PERF_RECORD_FORK, 10, 11);
	put_switch(&self->out, 100, 10, true, 0);
	ASSERT_EQ(0, open_it(self));
	EXPECT_FALSE(self->s.several);
	EXPECT_EQ(10, self->s.only);
	EXPECT_EQ(10, perf_switches_whose(&self->s, PERF_NO_TID));
	EXPECT_EQ(7, perf_switches_whose(&self->s, 7));
	EXPECT_EQ(0, perf_switches_whose(&self->s, 0));
}

TEST_F(who, child)
{
	put_task(&self->out, PERF_RECORD_COMM, 10, 10);
	put_task(&self->out, PERF_RECORD_FORK, 12, 12);
	put_task(&self->out, PERF_RECORD_COMM, 10, 10);
	ASSERT_EQ(0, open_it(self));
	EXPECT_TRUE(self->s.several);
	EXPECT_EQ(PERF_NO_TID, perf_switches_whose(&self->s, PERF_NO_TID));
}

/* A switch names a thread that no other record names. */
TEST_F(who, another_ran)
{
	put_task(&self->out, PERF_RECORD_COMM, 10, 10);
	put_switch(&self->out, 100, 10, true, 12);
	ASSERT_EQ(0, open_it(self));
	EXPECT_TRUE(self->s.several);
	EXPECT_EQ(PERF_NO_TID, self->s.only);
}

TEST_F(who, no_process)
{
	ASSERT_EQ(0, open_it(self));
	EXPECT_FALSE(self->s.several);
	EXPECT_EQ(PERF_NO_TID, perf_switches_whose(&self->s, PERF_NO_TID));
}

/* The time at which a thread that the trace names came. */
TEST_F(who, came)
{
	struct perf_out *out = &self->out;

	put_switch(out, 100, 10, true, 11);
	put_switch(out, 103, 11, false, 10);
	put_switch(out, 200, 11, true, 10);
	put_switch(out, 300, 10, true, 11);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(100, perf_switches_came(&self->s, 3, 11, 0, 1000));
	EXPECT_EQ(100, perf_switches_came(&self->s, 3, 11, 100, 100));
	EXPECT_EQ(103, perf_switches_came(&self->s, 3, 11, 101, 1000));
	EXPECT_EQ(300, perf_switches_came(&self->s, 3, 11, 104, 300));
	EXPECT_EQ(0, perf_switches_came(&self->s, 3, 11, 104, 299));
	EXPECT_EQ(200, perf_switches_came(&self->s, 3, 10, 0, 1000));
	EXPECT_EQ(0, perf_switches_came(&self->s, 3, 10, 201, UINT64_MAX));
	EXPECT_EQ(0, perf_switches_came(&self->s, 3, 12, 0, UINT64_MAX));
	EXPECT_EQ(0, perf_switches_came(&self->s, 2, 11, 0, UINT64_MAX));
	EXPECT_EQ(0, perf_switches_came(&self->s, 4, 11, 0, UINT64_MAX));
}

/* Of many that are not meant only some are looked at. */
TEST_F(who, came_among_many)
{
	for (int i = 0; i < PERF_SWITCHES_SEARCHED; i++)
		put_switch(&self->out, 100 + i, 10, true, 11);
	put_switch(&self->out, 9000, 11, true, 12);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(0, perf_switches_came(&self->s, 3, 12, 100, 9000));
	EXPECT_EQ(9000, perf_switches_came(&self->s, 3, 12, 101, 9000));
}

/* One task's own switches do not tell which thread runs when it does not. */
TEST_F(who, own_switches)
{
	struct perf_out *out = &self->out;

	perf_out_begin(out, PERF_RECORD_ITRACE_START, 0);
	perf_out_u32(out, 10);
	perf_out_u32(out, 10);
	put_trailer(out, 10, 50, 3);
	put_switch(out, 100, 10, true, PERF_NO_TID);
	put_switch(out, 200, 10, false, PERF_NO_TID);
	perf_out_begin(out, PERF_RECORD_LOST, 0);
	perf_out_u64(out, 1);
	perf_out_u64(out, 7);
	put_trailer(out, 10, 300, 3);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(PERF_NO_TID, at(self, 49));
	EXPECT_EQ(10, at(self, 50));
	EXPECT_EQ(PERF_NO_TID, at(self, 100));
	EXPECT_EQ(10, at(self, 200));
	EXPECT_EQ(PERF_NO_TID, at(self, 300));
}

/* ---------------------------------------------------------------- tracepoints */

static void put_u8(struct perf_out *out, uint8_t v)
{
	perf_out_raw(out, &v, 1);
}

/* The text of a tracepoint, and its size before it */
static void put_format(struct perf_out *out, const char *name, int id, const char *prev_type)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "name: %s\nID: %d\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:%s;\tsigned:1;\n"
		"\tfield:pid_t next_pid;\toffset:32;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%%d\", ((((((REC->prev_pid\n", name, id, prev_type);

	perf_out_raw_u64(out, n);
	perf_out_raw(out, text, n);
}

/* As /sys/kernel/tracing has it, of a kernel of this byte order. */
static void put_tracing(struct perf_out *out, bool big, const char *prev_type)
{
	uint64_t start, at;

	perf_out_begin(out, PERF_RECORD_HEADER_TRACING_DATA, 0);
	start = out->at + 8;
	perf_out_u32(out, 0);		/* size: see below */
	perf_out_u32(out, 0);
	perf_out_end(out);
	perf_out_raw(out, "\027\010\104tracing0.6", 14);
	put_u8(out, big);
	put_u8(out, 8);
	perf_out_raw_u32(out, 4096);
	perf_out_raw(out, "header_page", 12);
	perf_out_raw_u64(out, 3);
	perf_out_raw(out, "abc", 3);
	perf_out_raw(out, "header_event", 13);
	perf_out_raw_u64(out, 0);
	perf_out_raw_u32(out, 1);
	put_format(out, "function", 1, "4");
	perf_out_raw_u32(out, 2);
	perf_out_raw(out, "irq", 4);
	perf_out_raw_u32(out, 1);
	put_format(out, "sched_switch", 371, "4");
	perf_out_raw(out, "sched", 6);
	perf_out_raw_u32(out, 2);
	put_format(out, "sched_waking", 370, "4");
	put_format(out, "sched_switch", SWITCH_ID, prev_type);
	at = out->at;
	perf_out_seek(out, start);
	perf_out_raw_u32(out, at - start - 8);
	perf_out_seek(out, at);
	while ((out->at - start - 8) % 8)
		put_u8(out, 0);
}

/* @n bytes of the tracepoint */
static void put_sample(struct perf_out *out, uint64_t time, uint32_t prev, uint32_t next, size_t n)
{
	uint8_t raw[44] = { 0 };

	perf_out_number(out, raw, SWITCH_ID, 2);
	perf_out_number(out, raw + 24, prev, 4);
	perf_out_number(out, raw + 32, next, 4);
	perf_out_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	perf_out_u64(out, 2);
	perf_out_u64(out, 0xffff800010000000);
	perf_out_u32(out, prev);
	perf_out_u32(out, prev);
	perf_out_u64(out, time);
	perf_out_u32(out, 3);
	perf_out_u32(out, 0);
	perf_out_u64(out, 2);			/* a callchain of two */
	perf_out_u64(out, 0xffff800010000000);
	perf_out_u64(out, 0xffff800010000010);
	perf_out_u32(out, n);
	perf_out_bytes(out, raw, n);
	perf_out_end(out);
}

static void put_event(struct perf_out *out, uint64_t period)
{
	put_attr(out, PERF_TYPE_TRACEPOINT, period,
		 SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
}

TEST_F(who, tracepoints)
{
	struct perf_out *out = &self->out;

	put_event(out, 1);
	put_tracing(out, variant->big, "4");
	put_sample(out, 100, 10, 11, 44);
	put_sample(out, 200, 11, 0, 44);
	put_sample(out, 300, 0, 12, 36);
	put_sample(out, 400, 12, 13, 35);	/* one byte short */
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(0, self->file->problems.total);
	EXPECT_EQ(3, self->s.n_tracepoint);
	EXPECT_EQ(10, at(self, 99));
	EXPECT_EQ(11, at(self, 100));
	EXPECT_EQ(0, at(self, 200));
	EXPECT_EQ(12, at(self, 1000));
}

/* There is no sample for every switch: they tell nothing. */
TEST_F(who, tracepoints_by_chance)
{
	put_event(&self->out, 7);
	put_tracing(&self->out, variant->big, "4");
	put_sample(&self->out, 100, 10, 11, 44);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(0, self->s.n_tracepoint);
	EXPECT_EQ(PERF_NO_TID, at(self, 100));
}

TEST_F(who, fields_that_cannot_be)
{
	put_event(&self->out, 1);
	put_tracing(&self->out, variant->big, "3");
	put_sample(&self->out, 100, 10, 11, 44);
	ASSERT_EQ(0, open_it(self));
	EXPECT_EQ(0, self->s.n_tracepoint);
}

/* Cut anywhere in the description: without it there are no tracepoints, and nothing else. */
TEST_F(who, tracing_is_damaged)
{
	struct perf_section whole;

	put_event(&self->out, 1);
	put_tracing(&self->out, variant->big, "4");
	put_sample(&self->out, 100, 10, 11, 44);
	ASSERT_EQ(0, open_it(self));
	whole = self->file->feature[PERF_FEATURE_TRACING_DATA];
	EXPECT_EQ(1, self->s.n_tracepoint);
	for (size_t n = 1; n < whole.size - 8; n += 3) {
		perf_switches_fini(&self->s);
		self->file->problems = (struct perf_problems){ 0 };
		self->file->feature[PERF_FEATURE_TRACING_DATA].size = n;
		ASSERT_EQ(0, perf_switches_init(&self->s, self->file));
		EXPECT_EQ(0, self->s.n_tracepoint);
		EXPECT_EQ(1, self->file->problems.damage);
	}
}

TEST_HARNESS_MAIN
