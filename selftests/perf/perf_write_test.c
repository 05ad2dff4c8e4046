// SPDX-License-Identifier: GPL-2.0-only
/* The reader, and perf, read what the writer writes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-abi.h"
#include "perf-same.h"
#include "../lib/recording.h"

FIXTURE(write)
{
	struct small_recording rec;
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
};

/* Present in every combination */
FIXTURE_VARIANT(write)
{
	uint32_t version;
	size_t n_cpu;
	enum csf_protocol protocol;
	bool per_thread;
	int hw_id;
	size_t size;
	uint64_t flags;
};

#define VARIANT(name, ...)						\
	FIXTURE_VARIANT_ADD(write, name) { __VA_ARGS__ }

VARIANT(v0, 0, 2, CSF_PROTOCOL_ETM4, false, 0, 0x40, 0);
VARIANT(v1, 1, 2, CSF_PROTOCOL_ETM4, false, 0, 0x40, 0);
VARIANT(v2, 2, 4, CSF_PROTOCOL_ETM4, false, 0, 0x40, 0);
VARIANT(v2_hw_id, 2, 4, CSF_PROTOCOL_ETM4, false, 1, 0x40, 0);
VARIANT(v2_hw_id_sink, 2, 3, CSF_PROTOCOL_ETE, false, 2, 0x40, 0);
VARIANT(v1_thread, 1, 1, CSF_PROTOCOL_ETM4, true, 0, 0x40, 0);
VARIANT(v2_raw, 2, 4, CSF_PROTOCOL_ETE, false, 2, 0x4b, 0x100);
VARIANT(v1_raw, 1, 2, CSF_PROTOCOL_ETE, false, 0, 0x4b, 0x100);

FIXTURE_SETUP(write)
{
	struct small_recording *rec = &self->rec;

	recording_init(rec, variant->version, variant->n_cpu);
	rec->setup.per_thread = variant->per_thread;
	rec->hw_id = variant->hw_id;
	rec->size = variant->size;
	rec->flags = variant->flags;
	rec->setup.release = "6.12.0";
	rec->setup.time_conv = (struct perf_time_conv){ .shift = 10, .mult = 40960, .zero = 500,
							.mask = UINT64_MAX };
	for (size_t i = 0; i < variant->n_cpu; i++) {
		rec->cpu[i].protocol = variant->protocol;
		if (variant->protocol == CSF_PROTOCOL_ETE)
			rec->cpu[i].config.trcdevarch = 0x47715a13;
		/* of an ETE that is known without a word in the file */
		if (variant->version == 1 && variant->protocol == CSF_PROTOCOL_ETE)
			rec->cpu[i].time = PERF_CS_TIME_VIRTUAL;
	}
	ASSERT_EQ(0, recording_make(rec));
	ASSERT_EQ(0, perf_file_open_memory(&self->file, rec->bytes, rec->n));
	ASSERT_EQ(0, perf_aux_new(&self->aux, self->file));
	ASSERT_EQ(0, perf_cs_open(&self->cs, self->file, NULL));
	ASSERT_EQ(0, self->file->problems.total) TH_LOG("%s", self->file->problems.list[0].text);
}

FIXTURE_TEARDOWN(write)
{
	perf_cs_free(self->cs);
	perf_aux_free(self->aux);
	perf_file_close(self->file);
	free(self->rec.bytes);
}

TEST_F(write, events_and_features)
{
	const struct perf_file *file = self->file;
	struct perf_build_id id;
	uint64_t pos = 0;

	EXPECT_TRUE(file->usable);
	EXPECT_FALSE(file->pipe);
	ASSERT_EQ(2, file->n_evsel);
	EXPECT_STREQ("cs_etm//", file->evsel[0].name);
	EXPECT_STREQ("dummy:u", file->evsel[1].name);
	EXPECT_EQ(&file->evsel[0], file->aux_evsel);
	EXPECT_EQ(0x4000, file->evsel[0].attr.config);
	EXPECT_EQ(variant->per_thread ? 1 : variant->n_cpu, file->evsel[1].n_id);
	EXPECT_STREQ("aarch64", perf_file_string(file, PERF_FEATURE_ARCH));
	EXPECT_STREQ("6.12.0", perf_file_string(file, PERF_FEATURE_OSRELEASE));
	EXPECT_EQ(NULL, perf_file_string(file, PERF_FEATURE_HOSTNAME));
	ASSERT_TRUE(perf_file_build_id(file, &pos, &id));
	EXPECT_STREQ("/bin/sort", id.name);
	EXPECT_EQ(20, id.size);
	EXPECT_EQ(-1, id.pid);
	EXPECT_FALSE(perf_file_build_id(file, &pos, &id));
	EXPECT_EQ(40960, file->time_conv.mult);
	EXPECT_EQ(500, file->time_conv.zero);
	EXPECT_FALSE(file->time_conv.is_short);
}

TEST_F(write, metadata)
{
	const struct perf_cs *cs = self->cs;

	EXPECT_EQ(variant->version, cs->version);
	ASSERT_EQ(variant->n_cpu, cs->n_cpu);
	EXPECT_EQ(variant->version > 1 || variant->protocol == CSF_PROTOCOL_ETE, cs->virtual_time);
	for (size_t i = 0; i < cs->n_cpu; i++)
		EXPECT_TRUE(same_unit(&self->rec.cpu[i], &cs->cpu[i]));
	EXPECT_EQ(variant->hw_id != 0, cs->has_hw_id);
	ASSERT_EQ(variant->n_cpu, cs->n_id);
	for (size_t i = 0; i < cs->n_id; i++) {
		EXPECT_EQ(2 * i + 1, cs->id[i].cpu);
		EXPECT_EQ(variant->hw_id ? 0x40 + i : 0x10 + 2 * i, cs->id[i].id);
		EXPECT_EQ(variant->hw_id == 2 ? 0x12345678 : PERF_CS_NO_SINK, cs->id[i].sink);
	}
}

TEST_F(write, trace)
{
	const struct perf_aux *aux = self->aux;
	size_t n = variant->n_cpu;

	ASSERT_EQ(n, aux->n_queue);
	ASSERT_EQ(4 * n, aux->n_fragment);
	EXPECT_EQ(4 * n, aux->n_record);
	EXPECT_EQ(0, aux->n_lost);
	for (size_t i = 0; i < aux->n_fragment; i++) {
		const struct perf_fragment *fragment = &aux->fragment[i];
		size_t unit = i / 4;

		EXPECT_EQ(unit, fragment->queue);
		EXPECT_EQ(2 * unit + 1, fragment->cpu);
		EXPECT_EQ(42, fragment->tid);
		ASSERT_EQ(variant->size, fragment->size);
		EXPECT_EQ(i % 4 * variant->size, fragment->aux_offset);
		EXPECT_EQ(2000 + 100 * (i % 4 / 2) + 10 * (i % 2) + unit, fragment->time);
		EXPECT_EQ(variant->flags ? PERF_FRAGMENT_RAW : 0, fragment->flags);
		for (size_t k = 0; k < fragment->size; k++)
			ASSERT_EQ(recording_byte(unit, fragment->aux_offset + k),
				  self->file->bytes[fragment->offset + k]);
	}
}

TEST_F(write, sideband)
{
	struct perf_timeline timeline;
	struct perf_record record;
	struct perf_mmap map;
	struct perf_task task;
	struct perf_sample_id id;

	ASSERT_EQ(0, perf_timeline_init(&timeline, self->file, PERF_KINDS_SIDEBAND));
	ASSERT_LE(4, timeline.n);
	ASSERT_TRUE(perf_record_at(self->file, timeline.moment[0].offset, &record));
	ASSERT_TRUE(perf_record_task(&record, &task));
	EXPECT_STREQ("sort", task.comm);
	EXPECT_TRUE(task.exec);
	perf_record_id(self->file, &record, &id);
	EXPECT_EQ(42, id.pid);
	EXPECT_EQ(1, id.cpu);
	EXPECT_EQ(1000, id.time);
	EXPECT_EQ(&self->file->evsel[1], id.evsel);
	ASSERT_TRUE(perf_record_at(self->file, timeline.moment[1].offset, &record));
	ASSERT_TRUE(perf_record_mmap(&record, &map));
	EXPECT_EQ(0x400000, map.addr);
	EXPECT_STREQ("/bin/sort", map.name);
	ASSERT_EQ(20, map.n_build_id);
	EXPECT_EQ(0, memcmp("build-id of a binary", map.build_id, 20));
	ASSERT_TRUE(perf_record_at(self->file, timeline.moment[timeline.n - 1].offset, &record));
	ASSERT_EQ(PERF_RECORD_EXIT, record.type);
	ASSERT_TRUE(perf_record_task(&record, &task));
	EXPECT_EQ(1, task.ppid);
	for (size_t i = 1; i < timeline.n; i++)
		EXPECT_LE(timeline.moment[i - 1].time, timeline.moment[i].time);
	perf_timeline_fini(&timeline);
}

/* perf reads records in place. */
TEST_F(write, records_are_aligned)
{
	struct perf_record record;
	struct perf_records it;

	perf_records_start(&it, self->file);
	while (perf_records_next(&it, &record)) {
		EXPECT_EQ(0, record.offset % 8);
		EXPECT_EQ(0, record.trace.size % 8);
	}
}

/* Debian 12's perf is 6.1, which reads versions up to 1. */
TEST_F(write, perf_reads_it)
{
	char path[] = "/tmp/csflow-write-XXXXXX", command[128], line[512];
	int traces = 0, maps = 0, fd;
	FILE *pipe;

	if (variant->version > 1)
		return;
	if (access("/usr/bin/perf", X_OK))
		SKIP(return, "there is no perf");
	fd = mkstemp(path);
	ASSERT_LE(0, fd);
	ASSERT_EQ(self->rec.n, write(fd, self->rec.bytes, self->rec.n));
	close(fd);
	snprintf(command, sizeof(command), "/usr/bin/perf script -D -f -i %s 2>&1", path);
	pipe = popen(command, "r");
	ASSERT_NE(NULL, pipe);
	while (fgets(line, sizeof(line), pipe)) {
		traces += strstr(line, "CoreSight ETM") || strstr(line, "CoreSight ETE");
		maps += strstr(line, "PERF_RECORD_MMAP2") && strstr(line, "/bin/sort");
	}
	EXPECT_EQ(0, pclose(pipe));
	/* 6.1 does not cut the buffers of threads at AUX records that name a CPU */
	EXPECT_LE(variant->per_thread ? 2 : 4 * variant->n_cpu, traces);
	EXPECT_EQ(1, maps);
	unlink(path);
}

TEST(bytes_that_do_not_come)
{
	struct perf_auxtrace auxtrace = { .size = 100, .cpu = 1, .tid = PERF_NO_TID };
	struct perf_writer *writer;
	FILE *file = tmpfile();
	struct small_recording rec;

	recording_init(&rec, 2, 1);
	rec.setup.cpu = rec.cpu;
	ASSERT_EQ(0, perf_write_new(&writer, fileno(file), &rec.setup));
	perf_write_auxtrace(writer, &auxtrace, NULL);
	perf_write_bytes(writer, rec.cpu, 99);
	EXPECT_EQ(-EINVAL, perf_write_finish(writer));
	ASSERT_EQ(0, perf_write_new(&writer, fileno(file), &rec.setup));
	perf_write_auxtrace(writer, &auxtrace, NULL);
	perf_write_bytes(writer, rec.cpu, 101);
	EXPECT_EQ(-EINVAL, perf_write_finish(writer));
	rec.setup.version = 3;
	EXPECT_EQ(-EINVAL, perf_write_new(&writer, fileno(file), &rec.setup));
	rec.setup.version = 0;
	rec.cpu[0].protocol = CSF_PROTOCOL_ETE;
	EXPECT_EQ(-EINVAL, perf_write_new(&writer, fileno(file), &rec.setup));
	rec.setup.version = 1;
	rec.setup.n_cpu = 0;
	EXPECT_EQ(-EINVAL, perf_write_new(&writer, fileno(file), &rec.setup));
	fclose(file);
}

/* The last bytes may be none, as those of a ring that does not go round. */
TEST(bytes_in_parts)
{
	struct perf_auxtrace auxtrace = { .size = 99, .cpu = 1, .tid = PERF_NO_TID };
	struct perf_writer *writer;
	FILE *file = tmpfile();
	struct small_recording rec;
	uint64_t size;

	recording_init(&rec, 2, 1);
	rec.setup.cpu = rec.cpu;
	ASSERT_EQ(0, perf_write_new(&writer, fileno(file), &rec.setup));
	perf_write_auxtrace(writer, &auxtrace, NULL);
	perf_write_bytes(writer, rec.cpu, 60);
	perf_write_bytes(writer, rec.cpu, 39);
	size = perf_write_size(writer);
	EXPECT_EQ(0, size % 8);
	perf_write_bytes(writer, rec.cpu, 0);
	EXPECT_EQ(size, perf_write_size(writer));
	EXPECT_EQ(0, perf_write_finish(writer));
	fclose(file);
}

TEST(no_room_on_the_disk)
{
	FILE *full = fopen("/dev/full", "r+");
	struct small_recording rec;

	if (!full)
		SKIP(return, "no /dev/full");
	recording_init(&rec, 1, 2);
	EXPECT_EQ(-ENOSPC, recording_write(&rec, fileno(full)));
	fclose(full);
}

/* The rest of the file can be read: its records, its index, and each fragment of them. */
static void read_again(struct __test_metadata *_metadata, FILE *file, uint64_t limit)
{
	struct perf_file *perf;
	struct perf_aux *aux;
	uint8_t *bytes;
	size_t n;

	n = lseek(fileno(file), 0, SEEK_END);
	EXPECT_LT(n, limit + 4096);
	bytes = malloc(n);
	ASSERT_EQ((ssize_t)n, pread(fileno(file), bytes, n, 0));
	ASSERT_EQ(0, perf_file_open_memory(&perf, bytes, n));
	ASSERT_EQ(0, perf_aux_new(&aux, perf));
	/* The cut-off trace is reported, and nothing else is wrong. */
	for (size_t i = 0; i < perf->problems.n; i++) {
		const char *text = perf->problems.list[i].text;

		EXPECT_EQ(0, strncmp(text, "AUX record of 4096 bytes: ", 26));
	}
	EXPECT_LE(limit / (3 * 0x1000 + 300), aux->n_fragment / 3);
	EXPECT_GT(16 * 3, aux->n_fragment);
	/* All are complete except the last one, which is cut. */
	for (size_t i = 0; i + 1 < aux->n_fragment; i++)
		EXPECT_EQ(0x1000, aux->fragment[i].size);
	for (size_t i = 0; i < aux->n_fragment; i++)
		for (size_t k = 0; k < aux->fragment[i].size; k++)
			ASSERT_EQ(recording_byte(0, aux->fragment[i].aux_offset + k),
				  bytes[aux->fragment[i].offset + k]);
	perf_aux_free(aux);
	perf_file_close(perf);
	free(bytes);
}

TEST(file_of_limited_size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
	for (uint64_t max = 2000; max < 190000; max += 10007) {
		FILE *file = tmpfile();
		struct rlimit small = { max, limit.rlim_max };
		struct perf_write_who who = { .pid = 42, .tid = 42, .cpu = 1 };
		struct perf_writer *writer;
		struct small_recording rec;

		ASSERT_NE(NULL, file);
		recording_init(&rec, 2, 1);
		rec.setup.cpu = rec.cpu;
		rec.fragments = 3;
		rec.size = 0x1000;
		ASSERT_EQ(0, perf_write_new(&writer, fileno(file), &rec.setup));
		setrlimit(RLIMIT_FSIZE, &small);
		for (unsigned int i = 0; i < 16; i++) {
			recording_buffer(&rec, writer, 0, i);
			perf_write_comm(writer, &who, "sort", false);
		}
		EXPECT_EQ(-EFBIG, perf_write_error(writer));
		setrlimit(RLIMIT_FSIZE, &limit);
		EXPECT_EQ(-EFBIG, perf_write_finish(writer));
		read_again(_metadata, file, max);
		fclose(file);
	}
}

TEST_HARNESS_MAIN
