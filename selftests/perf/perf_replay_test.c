// SPDX-License-Identifier: GPL-2.0-only
/*
 * One trace, recorded in every way: the result is always the same.
 *
 * The trace is that of the demo, whose branches an emulator logged.  It is taken out of its file,
 * written again by perf-write.h, and decoded by perf-replay.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-sample.h"
#include "../../perf-plugin/perf-replay.h"
#include "../../perf-plugin/perf-write.h"
#include "../../tools/lib/frame-write.h"

#define DEMO		"selftests/data/demo"
#define RAW		0x100	/* PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW */
#define FRAGMENTS_MAX	64
#define TEXT_MAX	65536

/* HW_ID records: the packing's version, and whose IDs they tell. */
enum ids {
	METADATA,	/* there are none */
	HW_0_0,		/* an ID for all sinks; the metadata has them the other way round */
	HW_0_1,		/* likewise, in one sink */
	HW_0_1_SINKS,	/* a sink for each CPU, and in each the same ID */
};

/**
 * struct way - a way to record
 * @version: of the metadata
 * @ids: enum ids
 * @per_thread: one ring for the thread, else one for each CPU
 * @raw: packets as they are, else frames
 */
struct way {
	uint32_t version;
	enum ids ids;
	bool per_thread;
	bool raw;
};

/* Trace of one AUX record, out of its frames. */
struct piece {
	uint8_t bytes[4096];
	size_t n;
	uint64_t time;
	uint32_t cpu;
};

/* What the demo's file has */
FIXTURE(recorded)
{
	struct perf_file *file;
	struct perf_cs *cs;
	struct piece piece[FRAGMENTS_MAX];	/* by time */
	size_t n;
	struct perf_mmap map;
	char *want;
};

static int by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Takes a fragment out of its frames; they hold one ID each. */
static void unframe(struct piece *piece, const struct perf_file *file,
		    const struct perf_fragment *fragment)
{
	struct csf_frames *frames;
	struct csf_frame frame;

	*piece = (struct piece){ .time = fragment->time, .cpu = fragment->cpu };
	if (csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0))
		return;
	csf_frames_watch(frames, file->bytes + fragment->offset, fragment->size, true);
	while (csf_frames_next(frames, &frame) > 0) {
		if (frame.kind != CSF_FRAME_DATA || !frame.id ||
		    piece->n + frame.n > sizeof(piece->bytes))
			continue;
		memcpy(piece->bytes + piece->n, frame.data, frame.n);
		piece->n += frame.n;
	}
	csf_frames_free(frames);
}

static char *read_text(const char *path)
{
	char *text = calloc(1, TEXT_MAX);
	FILE *file = fopen(path, "r");

	if (file) {
		if (fread(text, 1, TEXT_MAX - 1, file) == TEXT_MAX - 1)
			printf("# %s is too long\n", path);
		fclose(file);
	}
	return text;
}

FIXTURE_SETUP(recorded)
{
	struct perf_records it;
	struct perf_record record;
	struct perf_aux *aux;

	ASSERT_EQ(0, perf_file_open(&self->file, DEMO "/perf.data"));
	ASSERT_EQ(0, perf_cs_open(&self->cs, self->file, NULL));
	ASSERT_EQ(2, self->cs->n_cpu);
	ASSERT_EQ(0, perf_aux_new(&aux, self->file));
	ASSERT_LE(2, aux->n_fragment);
	ASSERT_GE(FRAGMENTS_MAX, aux->n_fragment);
	self->n = aux->n_fragment;
	for (size_t i = 0; i < self->n; i++)
		unframe(&self->piece[i], self->file, &aux->fragment[i]);
	perf_aux_free(aux);
	qsort(self->piece, self->n, sizeof(self->piece[0]), by_time);
	self->map.name = NULL;
	perf_records_start(&it, self->file);
	while (!self->map.name && perf_records_next(&it, &record))
		if (!perf_record_mmap(&record, &self->map))
			self->map.name = NULL;
	ASSERT_NE(NULL, self->map.name);
	self->want = read_text(DEMO "/branches");
	ASSERT_LT(100, strlen(self->want));
}

FIXTURE_TEARDOWN(recorded)
{
	free(self->want);
	perf_cs_free(self->cs);
	perf_file_close(self->file);
}

/* ---------------------------------------------------------------- written */

static size_t unit_of(const struct _test_data_recorded *self, uint32_t cpu)
{
	return self->cs->cpu[0].cpu == cpu ? 0 : 1;
}

/* The trace ID of a CPU.  If HW_ID records tell it, the metadata has that of the other CPU. */
static uint8_t id_of(const struct _test_data_recorded *self, const struct way *way, uint32_t cpu)
{
	const size_t unit = unit_of(self, cpu);

	if (way->ids == HW_0_1_SINKS)
		return 0x35;
	return self->cs->cpu[way->ids == METADATA ? unit : !unit].id;
}

static void write_head(const struct _test_data_recorded *self, struct perf_writer *writer,
		       const struct way *way)
{
	struct perf_write_who who = { .time = 1, .pid = self->map.pid, .tid = self->map.tid };

	perf_write_comm(writer, &who, "demo-sort", true);
	perf_write_mmap(writer, &who, &self->map);
	perf_write_itrace_start(writer, &who);
	for (size_t i = 0; way->ids && i < 2; i++) {
		who.cpu = self->cs->cpu[i].cpu;
		perf_write_hw_id(writer, &who, id_of(self, way, who.cpu),
				 way->ids == HW_0_0 ? PERF_CS_NO_SINK :
				 way->ids == HW_0_1 ? 0x1234 : 0x1234 + i);
	}
}

/* Returns the number of bytes of the ring that it takes. */
static size_t write_piece(const struct _test_data_recorded *self, struct perf_writer *writer,
			  const struct way *way, const struct piece *piece, uint64_t at)
{
	const struct perf_write_who who = {
		.time = piece->time, .pid = self->map.pid, .tid = self->map.tid, .cpu = piece->cpu,
	};
	struct perf_aux_record aux = { .offset = at, .size = piece->n, .flags = RAW };
	struct perf_auxtrace auxtrace = {
		.offset = at, .cpu = piece->cpu, .idx = piece->cpu, .tid = PERF_NO_TID,
	};
	const uint8_t *bytes = piece->bytes;
	struct frame_writer frames = { 0 };

	if (!way->raw) {
		frame_write(&frames, id_of(self, way, piece->cpu), bytes, piece->n);
		frame_write_end(&frames);
		aux.size = frames.n;
		aux.flags = 0;
		bytes = frames.data;
	}
	if (way->per_thread) {
		auxtrace.cpu = PERF_NO_CPU;
		auxtrace.idx = 0;
		auxtrace.tid = self->map.tid;
	}
	auxtrace.size = aux.size;
	perf_write_aux(writer, &who, &aux);
	perf_write_auxtrace(writer, &auxtrace, bytes);
	free(frames.data);
	return aux.size;
}

static int record(const struct _test_data_recorded *self, const struct way *way, int fd)
{
	const struct perf_write_setup setup = {
		.version = way->version, .per_thread = way->per_thread, .exclude_kernel = true,
		.cpu = self->cs->cpu, .n_cpu = 2, .time_conv = self->file->time_conv,
	};
	uint64_t at[2] = { 0 };
	struct perf_writer *writer;
	int err = perf_write_new(&writer, fd, &setup);

	if (err)
		return err;
	write_head(self, writer, way);
	for (size_t i = 0; i < self->n; i++) {
		const struct piece *piece = &self->piece[i];
		uint64_t *head = &at[way->per_thread ? 0 : unit_of(self, piece->cpu)];

		*head += write_piece(self, writer, way, piece, *head);
	}
	perf_write_round(writer);
	return perf_write_finish(writer);
}

/* ---------------------------------------------------------------- read */

/* Adds "FROM TO" for each branch of a run between two places that are known. */
static void list(char *text, struct cs_samples *it)
{
	struct cs_sample s;
	size_t n = strlen(text);

	while (cs_samples_next(it, &s))
		if (s.ip && s.addr)
			n += snprintf(text + n, TEXT_MAX - n, "%" PRIx64 " %" PRIx64 "\n", s.ip,
				      s.addr);
}

static void print_way(const struct way *way)
{
	printf("# version %u, IDs %u, per %s, %s\n", way->version, way->ids,
	       way->per_thread ? "thread" : "CPU", way->raw ? "raw" : "frames");
}

/* All branches of the file, of both CPUs, in order. */
static char *branches(struct __test_metadata *const _metadata,
		      const struct _test_data_recorded *self, const struct way *way,
		      const char *path)
{
	const struct perf_replay_options options = { .dso = { .symfs = DEMO } };
	const struct cs_samples_options only_branches = { .branches = true };
	struct cs_sample_state state[4] = { 0 };
	struct perf_replay *replay;
	struct cs_samples it;
	struct perf_run run;
	char *text = calloc(1, TEXT_MAX);

	EXPECT_EQ(0, perf_replay_new(&replay, path, &options));
	EXPECT_EQ(0, replay->file->problems.total)
		TH_LOG("%s", replay->file->problems.list[0].text);
	EXPECT_EQ(way->version, replay->cs->version);
	EXPECT_EQ(way->per_thread ? 1 : 2, replay->aux->n_queue);
	cs_samples_init(&it, &only_branches, replay->image);
	while (perf_replay_next(replay, &run) > 0) {
		struct perf_stream *stream = run.stream;
		const struct cs_samples_input in = {
			.dec = stream->dec, .run = &run.run, .starts = run.starts,
		};

		/*
		 * Any ID may come in the ring of a thread; an ID that does not come has only an
		 * end.
		 */
		EXPECT_TRUE(!run.run.n || run.fragment->cpu == stream->cpu) {
			print_way(way);
		}
		EXPECT_EQ(way->raw ? 0 : id_of(self, way, stream->cpu), stream->id) {
			print_way(way);
		}
		if (stream->number < 4) {
			EXPECT_EQ(0, cs_samples_run(&it, &state[stream->number], &in));
			list(text, &it);
		}
	}
	EXPECT_EQ(0, replay->queues->no_unit);
	EXPECT_EQ(2, replay->queues->n_stream);
	cs_samples_fini(&it);
	perf_replay_free(replay);
	return text;
}

static void check(struct __test_metadata *const _metadata, const struct _test_data_recorded *self,
		  const struct way *way)
{
	char path[] = "/tmp/csflow-replay-XXXXXX", *text;
	int fd = mkstemp(path);

	EXPECT_LE(0, fd);
	EXPECT_EQ(0, record(self, way, fd));
	close(fd);
	text = branches(_metadata, self, way, path);
	EXPECT_STREQ(self->want, text) {
		print_way(way);
	}
	free(text);
	unlink(path);
}

TEST_F(recorded, in_every_way)
{
	for (unsigned int i = 0; i < 32; i++) {
		const struct way way = {
			.version = 1 + i / 16, .ids = i / 4 % 4, .per_thread = i / 2 % 2,
			.raw = i % 2,
		};

		check(_metadata, self, &way);
	}
}

TEST_HARNESS_MAIN
