// SPDX-License-Identifier: GPL-2.0-only
/* Metadata of a recording: trace units, clocks, problems; and recordings of simpleperf. */
#include <errno.h>
#include <stdio.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../../perf-plugin/perf-abi.h"
#include "../lib/recording.h"

/* Version 0 has no number of parameters, and all seven are there. */
TEST(metadata_version_0)
{
	static const uint64_t word[] = {
		0, 8ull << 32 | 3, 0,
		CSF_ABI_MAGIC_ETM4, 4, 0x40, 0x10, 1, 0x4100f403, 0x488, 4, 5,
		CSF_ABI_MAGIC_ETM3, 0, 0x4000, 0x12, 7, 0x300,
		CSF_ABI_MAGIC_ETM3, 1, 0, 0x14, 7, 0,
	};
	struct perf_problems problems = { 0 };
	struct perf_section info = { 0 };
	uint8_t bytes[16 + sizeof(word)] = { PERF_RECORD_AUXTRACE_INFO, 0, 0, 0, 0, 0, 0, 0, 3 };
	struct csf_config config;
	struct perf_cs *cs;

	memcpy(bytes + 16, word, sizeof(word));
	info.bytes = bytes;
	info.size = sizeof(bytes);
	ASSERT_EQ(0, perf_cs_new(&cs, &info, &problems));
	ASSERT_EQ(0, problems.total);
	ASSERT_EQ(3, cs->n_cpu);
	ASSERT_EQ(0, perf_cs_config(cs, 4, &config));
	EXPECT_EQ(1, config.trcidr0);
	EXPECT_EQ(4, config.trcidr8);
	EXPECT_EQ(CSF_PROTOCOL_PTM, perf_cs_cpu(cs, 0)->protocol);
	EXPECT_EQ(PERF_CS_PID_CONTEXTID, perf_cs_cpu(cs, 0)->pid);
	ASSERT_EQ(0, perf_cs_config(cs, 0, &config));
	EXPECT_EQ(CSF_PROTOCOL_PTM, csf_config_protocol(&config));
	EXPECT_EQ(0x4000, config.etmcr);
	EXPECT_EQ(7, config.etmccer);
	EXPECT_EQ(0x300, config.etmidr);
	EXPECT_EQ(0x12, perf_cs_cpu(cs, 0)->id);
	EXPECT_EQ(CSF_PROTOCOL_ETM3, perf_cs_cpu(cs, 1)->protocol);
	ASSERT_EQ(0, perf_cs_config(cs, 1, &config));
	EXPECT_EQ(CSF_PROTOCOL_ETM3, csf_config_protocol(&config));
	EXPECT_EQ(-ENOENT, perf_cs_config(cs, 2, &config));
	perf_cs_free(cs);
}

/* Registers that no trace unit has are named: there will be nothing of their trace. */
TEST(wrong_registers)
{
	static const uint64_t word[] = {
		0, 8ull << 32 | 1, 0,
		CSF_ABI_MAGIC_ETM4, 4, 0x40, 0x10, 1, 0x4100f403, 3 << 10, 4, 5,
	};
	struct perf_problems problems = { 0 };
	struct perf_section info = { 0 };
	uint8_t bytes[16 + sizeof(word)] = { PERF_RECORD_AUXTRACE_INFO, 0, 0, 0, 0, 0, 0, 0, 3 };
	struct perf_cs *cs;

	memcpy(bytes + 16, word, sizeof(word));
	info.bytes = bytes;
	info.size = sizeof(bytes);
	ASSERT_EQ(0, perf_cs_new(&cs, &info, &problems));
	ASSERT_EQ(1, problems.total);
	EXPECT_STREQ("the registers of the trace unit of CPU 4 are wrong: trcidr2: VMIDSIZE is none of 0, 1, 2 and 4 bytes: its trace is not decoded",
		     problems.list[0].text);
	perf_cs_free(cs);
}

/*
 * TRCDEVARCH, not the magic, says which unit it is; the pid format is from each CPU's own
 * TRCCONFIGR.
 */
TEST(protocol_by_devarch)
{
	struct csf_context context = { .contextid = 5, .vmid = 6, .has_contextid = true,
				       .has_vmid = true };
	struct perf_file *file;
	struct small_recording rec;
	struct perf_cs *cs;

	recording_init(&rec, 1, 3);
	for (int i = 0; i < 3; i++)
		rec.cpu[i].protocol = CSF_PROTOCOL_ETE;
	rec.cpu[0].config.trcdevarch = 0x47724a13;
	rec.cpu[1].config.trcdevarch = 0x47715a13;
	rec.cpu[1].config.trcconfigr = 0x8080;
	rec.cpu[2].config.trcconfigr = 0;
	ASSERT_EQ(0, recording_make(&rec));
	ASSERT_EQ(0, perf_file_open_memory(&file, rec.bytes, rec.n));
	ASSERT_EQ(0, perf_cs_open(&cs, file, NULL));
	EXPECT_EQ(CSF_PROTOCOL_ETM4, cs->cpu[0].protocol);
	EXPECT_EQ(CSF_PROTOCOL_ETE, cs->cpu[1].protocol);
	EXPECT_EQ(CSF_PROTOCOL_ETE, cs->cpu[2].protocol);
	EXPECT_EQ(5, perf_cs_tid(&cs->cpu[0], &context));
	EXPECT_EQ(6, perf_cs_tid(&cs->cpu[1], &context));
	EXPECT_EQ(PERF_NO_TID, perf_cs_tid(&cs->cpu[2], &context));
	EXPECT_EQ(PERF_CS_TIME_UNKNOWN, cs->cpu[0].time);
	perf_cs_free(cs);
	perf_file_close(file);
	free(rec.bytes);
}

/*
 * perf of Linux 6.1 does not record the CPU with --per-thread.  If all trace units are alike, raw
 * trace is shown as of the first; else it cannot be decoded.  Frames name their units themselves.
 */
TEST(raw_trace_of_no_known_cpu)
{
	struct perf_fragment piece[] = {
		{ .size = 100, .cpu = PERF_NO_CPU, .flags = PERF_FRAGMENT_RAW },
		{ .size = 1000, .cpu = 5, .flags = PERF_FRAGMENT_RAW },
		{ .size = 10000, .cpu = PERF_NO_CPU },
	};
	const struct perf_aux aux = { .fragment = piece, .n_fragment = 3 };

	for (int alike = 0; alike < 2; alike++) {
		struct perf_file *file;
		struct small_recording rec;
		struct perf_cs *cs;

		recording_init(&rec, 1, 2);
		rec.cpu[1].config.trcidr0 ^= !alike;
		ASSERT_EQ(0, recording_make(&rec));
		ASSERT_EQ(0, perf_file_open_memory(&file, rec.bytes, rec.n));
		ASSERT_EQ(0, perf_cs_open(&cs, file, &aux));
		EXPECT_EQ(alike ? cs->cpu[0].cpu : PERF_NO_CPU, perf_cs_cpu_of_raw(cs, &piece[0]));
		EXPECT_EQ(5, perf_cs_cpu_of_raw(cs, &piece[1]));
		ASSERT_EQ(1, file->problems.total);
		EXPECT_EQ(!alike, file->problems.damage);
		EXPECT_NE(NULL, strstr(file->problems.list[0].text, " 100 bytes "));
		perf_cs_free(cs);
		piece[0].cpu = 0;
		ASSERT_EQ(0, perf_cs_open(&cs, file, &aux));
		EXPECT_EQ(1, file->problems.total);
		piece[0].cpu = PERF_NO_CPU;
		perf_cs_free(cs);
		perf_file_close(file);
		free(rec.bytes);
	}
}

/*
 * perf of Linux 6.1 does not record what timestamps count.  An ETE's are the virtual counter; an
 * ETMv4's may be anything, and so are those of which perf says that it does not know.
 */
TEST(time_without_source)
{
	for (int version = 1; version <= 2; version++) {
		struct perf_file *file;
		struct small_recording rec;
		struct perf_cs *cs;

		recording_init(&rec, version, 2);
		rec.cpu[0].protocol = CSF_PROTOCOL_ETE;
		rec.cpu[0].config.trcdevarch = 0x47715a13;
		rec.cpu[0].time = PERF_CS_TIME_UNKNOWN;
		rec.cpu[1].time = PERF_CS_TIME_UNKNOWN;
		ASSERT_EQ(0, recording_make(&rec));
		ASSERT_EQ(0, perf_file_open_memory(&file, rec.bytes, rec.n));
		ASSERT_EQ(0, perf_cs_open(&cs, file, NULL));
		EXPECT_EQ(version == 1 ? PERF_CS_TIME_VIRTUAL : PERF_CS_TIME_UNKNOWN,
			  cs->cpu[0].time);
		EXPECT_EQ(PERF_CS_TIME_UNKNOWN, cs->cpu[1].time);
		perf_cs_free(cs);
		perf_file_close(file);
		free(rec.bytes);
	}
}

TEST(time_both_ways)
{
	struct perf_time_conv conv = { .shift = 10, .mult = 40960, .zero = 1000 };
	uint64_t big = 0x123456789abcull;

	EXPECT_EQ(1000 + 40 * 25, perf_time_from_counter(&conv, 25));
	EXPECT_EQ(25, perf_time_to_counter(&conv, 1000 + 40 * 25));
	EXPECT_EQ(big, perf_time_to_counter(&conv, perf_time_from_counter(&conv, big)));
	/* a counter of 32 bits, seen after it has wrapped */
	conv.is_short = true;
	conv.mask = UINT32_MAX;
	conv.cycles = 0x1ffffff00ull;
	EXPECT_EQ(1000 + 40 * 0x200000010ull, perf_time_from_counter(&conv, 0x10));
}

TEST(problems_are_bounded)
{
	struct perf_problems problems = { 0 };

	for (int i = 0; i < 1000; i++)
		perf_problem_add(&problems, PERF_DAMAGE, i, "one %d", i);
	EXPECT_EQ(8, problems.n);
	EXPECT_EQ(1000, problems.total);
	EXPECT_EQ(1000, problems.damage);
	perf_problem_add(&problems, PERF_NOTE, 0, "other");
	EXPECT_EQ(9, problems.n);
	EXPECT_STREQ("one 7", problems.list[7].text);
	perf_problem_add(NULL, PERF_NOTE, 0, "nowhere");
}

/* ---------------------------------------------------------------- recordings of simpleperf */

FIXTURE(simpleperf)
{
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
};

FIXTURE_VARIANT(simpleperf)
{
	const char *name;
};

FIXTURE_VARIANT_ADD(simpleperf, etm) { "perf_etm.data" };
FIXTURE_VARIANT_ADD(simpleperf, kernel) { "perf_kernel.data" };

FIXTURE_SETUP(simpleperf)
{
	const char *corpus = getenv("CSFLOW_CORPUS");
	char path[4096];

	if (!corpus)
		SKIP(return, "CSFLOW_CORPUS is not set");
	snprintf(path, sizeof(path), "%s/simpleperf/%s", corpus, variant->name);
	ASSERT_EQ(0, perf_file_open(&self->file, path));
	ASSERT_EQ(0, perf_aux_new(&self->aux, self->file));
	ASSERT_EQ(0, perf_cs_open(&self->cs, self->file, NULL));
}

FIXTURE_TEARDOWN(simpleperf)
{
	perf_cs_free(self->cs);
	perf_aux_free(self->aux);
	perf_file_close(self->file);
}

TEST_F(simpleperf, both)
{
	EXPECT_EQ(0, self->file->problems.damage);
	EXPECT_EQ(1, self->file->problems.total);
	EXPECT_STREQ("cs-etm", self->file->evsel[0].name);
	EXPECT_EQ(8, self->cs->n_cpu);
	EXPECT_EQ(1, self->cs->version);
	EXPECT_EQ(CSF_PROTOCOL_ETM4, self->cs->cpu[7].protocol);
	EXPECT_EQ(0x28000ea1, self->cs->cpu[7].config.trcidr0);
	EXPECT_EQ(7, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x1e));
	EXPECT_STREQ("aarch64", perf_file_string(self->file, PERF_FEATURE_ARCH));
}

TEST_F(simpleperf, fragments)
{
	static const uint64_t etm[] = { 0x50, 0x50, 0x50, 0x90 };
	static const uint64_t kernel[] = { 0x3ff0, 0x3ff0, 0x1940 };
	bool is_etm = !strcmp(variant->name, "perf_etm.data");

	ASSERT_EQ(is_etm ? 4 : 3, self->aux->n_fragment);
	EXPECT_EQ(is_etm ? 1 : 2, self->aux->n_queue);
	EXPECT_EQ(is_etm ? 0 : 2, self->aux->n_truncated);
	for (size_t i = 0; i < self->aux->n_fragment; i++) {
		const struct perf_fragment *fragment = &self->aux->fragment[i];

		EXPECT_EQ(is_etm ? etm[i] : kernel[i], fragment->size);
		EXPECT_EQ(is_etm ? 7 : i ? 6 : 0, fragment->cpu);
		EXPECT_EQ(is_etm ? 17235 : 15320, fragment->tid);
	}
}

TEST_HARNESS_MAIN
