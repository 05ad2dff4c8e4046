// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blocks of a recording as perf gets them, against those that the command gets: the same, in
 * the same order, however far each call goes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-replay.h"
#include "../../perf-plugin/plugin.h"

#define DEMO		"selftests/data/demo"
#define RECORDING	DEMO "/perf.data"

/*
 * perf's place is taken by perf-map: processes and maps of the file.
 * @asked: how often; @fail: what to say in place of an answer
 */
struct world {
	struct perf_tasks *tasks;
	unsigned int asked;
	int fail;
};

static int space_of(void *context, const struct plugin_who *who)
{
	struct world *world = context;
	struct perf_who answer;

	world->asked++;
	if (world->fail)
		return world->fail;
	return perf_tasks_who(world->tasks, who->tid, who->time ? who->time : PERF_TASKS_LAST,
			      &answer) ?
		       -ENOMEM :
		       answer.space;
}

FIXTURE(host)
{
	const struct dso_options *dso;
	struct perf_file *file;
	struct world world;
	struct plugin_host host;
	struct plugin_options options;
	struct plugin *plugin;
};

FIXTURE_SETUP(host)
{
	static const struct dso_options dso = { .symfs = DEMO };

	self->dso = &dso;
	self->host = (struct plugin_host){ .context = &self->world, .space = space_of };
	self->options = (struct plugin_options){ .marks = CSF_MARK_TIME, .trust = true };
	ASSERT_EQ(0, perf_file_open(&self->file, RECORDING));
}

FIXTURE_TEARDOWN(host)
{
	perf_tasks_free(self->world.tasks);
	plugin_close(self->plugin);
	perf_file_close(self->file);
}

static int fill_image(struct _test_data_host *self)
{
	int err = perf_tasks_new(&self->world.tasks, plugin_image(self->plugin), self->dso);

	return err ? err : perf_tasks_open(self->world.tasks, self->file);
}

/* A line for each step, and for the end of the run. */
static void print_run(FILE *out, struct csf_decoder *dec, const struct csf_run *run,
		      uint32_t stream, uint32_t cpu)
{
	for (size_t i = 0; i < run->n; i++)
		fprintf(out, "%u %u %#" PRIx64 " %u\n", stream, cpu,
			csf_block_addr(dec, run, run->step[i] >> 1), run->step[i] & 1);
	if (run->end != CSF_END_TIME)
		fprintf(out, "%u end %d %#" PRIx64 "\n", stream, run->end, run->addr);
}

/* Of one stream, or of all in the order in which they come. */
static char *print_plugin(struct plugin *plugin, const uint64_t *until, size_t n, size_t *runs)
{
	struct plugin_run run;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*runs = 0;
	for (size_t i = 0; out && i < n; i++)
		while (plugin_next(plugin, until[i], &run) > 0) {
			print_run(out, run.dec, run.run, run.stream, run.cpu);
			*runs += run.time > until[i] ? 1u << 20 : 1;
		}
	if (out)
		fclose(out);
	return text;
}

static char *print_replay(const struct dso_options *dso, bool timeless)
{
	const struct perf_replay_options options = {
		.dso = *dso, .marks = CSF_MARK_TIME, .timeless = timeless, .trust = true,
	};
	struct perf_replay *replay;
	struct perf_run run;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (perf_replay_new(&replay, RECORDING, &options))
		return text;
	while (perf_replay_next(replay, &run) > 0)
		print_run(out, run.stream->dec, &run.run, run.stream->number, run.stream->cpu);
	fclose(out);
	perf_replay_free(replay);
	return text;
}

TEST_F(host, sees_what_the_command_sees)
{
	const uint64_t all = UINT64_MAX;
	char *want, *got;
	uint64_t done, total, unknown, cut;
	size_t runs;

	for (int timeless = 0; timeless < 2; timeless++) {
		self->options.timeless = timeless;
		ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
		ASSERT_EQ(0, fill_image(self));
		EXPECT_EQ(!timeless, plugin_timed(self->plugin));
		want = print_replay(self->dso, timeless);
		got = print_plugin(self->plugin, &all, 1, &runs);
		EXPECT_LT(1000, strlen(want));
		EXPECT_STREQ(want, got);
		EXPECT_LT(1, self->world.asked);
		plugin_progress(self->plugin, &done, &total);
		EXPECT_EQ(total, done);
		EXPECT_LT(500, total);
		plugin_unread(self->plugin, &unknown, &cut);
		EXPECT_EQ(0, unknown);
		EXPECT_EQ(0, cut);
		free(want);
		free(got);
		perf_tasks_free(self->world.tasks);
		plugin_close(self->plugin);
		self->world.tasks = NULL;
		self->plugin = NULL;
	}
}

/*
 * In the way of perf: the time of each record.  No younger sample comes out, and in the end all
 * have.
 */
TEST_F(host, goes_as_far_as_it_is_asked)
{
	struct perf_timeline line;
	const uint64_t all = UINT64_MAX;
	uint64_t *until;
	char *want, *got;
	size_t runs;

	for (int timeless = 0; timeless < 2; timeless++) {
		self->options.timeless = timeless;
		ASSERT_EQ(0, perf_timeline_init(&line, self->file, PERF_KINDS_SIDEBAND));
		until = calloc(line.n + 1, sizeof(*until));
		for (size_t i = 0; i < line.n; i++)
			until[i] = line.moment[i].time;
		until[line.n] = all;
		ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
		ASSERT_EQ(0, fill_image(self));
		got = print_plugin(self->plugin, until, line.n, &runs);
		EXPECT_GT(1u << 20, runs);
		EXPECT_LT(0, runs);
		want = print_replay(self->dso, timeless);
		EXPECT_EQ(0, strncmp(want, got, strlen(got)));
		EXPECT_LT(0, strlen(got));
		free(got);
		perf_tasks_free(self->world.tasks);
		plugin_close(self->plugin);
		ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
		ASSERT_EQ(0, fill_image(self));
		got = print_plugin(self->plugin, until, line.n + 1, &runs);
		EXPECT_STREQ(want, got);
		free(got);
		free(want);
		free(until);
		perf_timeline_fini(&line);
		perf_tasks_free(self->world.tasks);
		plugin_close(self->plugin);
		self->world.tasks = NULL;
		self->plugin = NULL;
	}
}

/* PERF_RECORD_HEADER_ATTR, from an event of the file. */
static int feed_attr(struct plugin *plugin, const struct perf_evsel *evsel)
{
	uint64_t buf[64] = { 0 };
	uint8_t *p = (uint8_t *)buf;
	uint16_t size = 8 + PERF_ATTR_SIZE_VER7 + 8 * evsel->n_id;

	buf[0] = 64 | (uint64_t)size << 48;
	memcpy(p + 8, &evsel->attr, PERF_ATTR_SIZE_VER7);
	((struct perf_event_attr *)(p + 8))->size = PERF_ATTR_SIZE_VER7;
	memcpy(p + 8 + PERF_ATTR_SIZE_VER7, evsel->id, 8 * evsel->n_id);
	return plugin_feed(plugin, buf, size);
}

TEST_F(host, reads_a_pipe)
{
	const uint64_t all = UINT64_MAX;
	struct perf_record record;
	struct perf_records it;
	char *want, *got;
	size_t runs;

	ASSERT_EQ(0, plugin_open_pipe(&self->plugin, &self->options, &self->host));
	for (size_t i = 0; i < self->file->n_evsel; i++)
		ASSERT_EQ(0, feed_attr(self->plugin, &self->file->evsel[i]));
	perf_records_start(&it, self->file);
	while (perf_records_next(&it, &record)) {
		ASSERT_EQ(0, plugin_feed(self->plugin, record.bytes, record.size));
		if (record.trace.size)
			ASSERT_EQ(0, plugin_feed(self->plugin, record.trace.bytes,
						 record.trace.size));
	}
	ASSERT_EQ(0, plugin_ready(self->plugin));
	ASSERT_EQ(0, fill_image(self));
	want = print_replay(self->dso, false);
	got = print_plugin(self->plugin, &all, 1, &runs);
	EXPECT_STREQ(want, got);
	free(want);
	free(got);
}

TEST_F(host, hands_on_what_goes_wrong)
{
	struct plugin_run run;
	bool damage;

	EXPECT_EQ(-ENOENT, plugin_open(&self->plugin, DEMO "/none", &self->options, &self->host));
	EXPECT_EQ(NULL, self->plugin);
	ASSERT_EQ(0, plugin_open(&self->plugin, DEMO "/demo-sort.c", &self->options, &self->host));
	EXPECT_EQ(0, plugin_next(self->plugin, UINT64_MAX, &run));
	ASSERT_NE(NULL, plugin_problem(self->plugin, 0, &damage));
	EXPECT_TRUE(damage);
	plugin_close(self->plugin);
	ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
	EXPECT_EQ(NULL, plugin_problem(self->plugin, 0, &damage));
	self->world.fail = -EIO;
	EXPECT_EQ(-EIO, plugin_next(self->plugin, UINT64_MAX, &run));
}

/* Only requested trace is decoded. */
TEST_F(host, leaves_out_other_cpus_and_times)
{
	const struct plugin_range cpu = { 1, 1 };
	uint64_t first = 0, all = 0, some = 0;
	struct plugin_run run;

	ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
	ASSERT_EQ(0, fill_image(self));
	while (plugin_next(self->plugin, UINT64_MAX, &run) > 0) {
		all += run.run->n;
		first = first ? first : run.aux_time;
	}
	perf_tasks_free(self->world.tasks);
	plugin_close(self->plugin);
	self->options.cpu = &cpu;
	self->options.n_cpu = 1;
	self->options.from = first + 1;
	ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
	ASSERT_EQ(0, fill_image(self));
	while (plugin_next(self->plugin, UINT64_MAX, &run) > 0) {
		EXPECT_EQ(1, run.cpu);
		EXPECT_LE(self->options.from, run.aux_time);
		some += run.run->n;
	}
	EXPECT_LT(some, all);
	EXPECT_LT(0, some);
}

/* For a dump: each fragment once, where it lies, and how to read it. */
TEST_F(host, shows_the_pieces)
{
	struct csf_config config;
	struct plugin_piece piece, other;
	uint64_t bytes = 0, done, total, last = 0;
	size_t n = 0;

	ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
	plugin_progress(self->plugin, &done, &total);
	for (size_t i = 0; i < self->file->n_auxtrace; i++) {
		const struct perf_auxtrace_at *auxtrace = &self->file->auxtrace[i];
		/* the record itself has 48 bytes */
		const uint64_t from = auxtrace->offset + 48;

		for (size_t k = 0; plugin_piece(self->plugin, from, auxtrace->size, k, &piece);
		     k++) {
			EXPECT_LE(from, piece.offset);
			EXPECT_GE(from + auxtrace->size, piece.offset + piece.size);
			EXPECT_LT(last, piece.offset);
			EXPECT_EQ(0, memcmp(piece.bytes, self->file->bytes + piece.offset, 16));
			last = piece.offset;
			bytes += piece.size;
			n++;
		}
	}
	EXPECT_EQ(total, bytes);
	EXPECT_LT(2, n);
	/* one that begins where the part of the file ends is not in it */
	EXPECT_FALSE(plugin_piece(self->plugin, piece.offset - 8, 8, 0, &other));
	EXPECT_EQ(0, plugin_config(self->plugin, &piece, 0x10 + 2 * piece.cpu, &config));
	EXPECT_LT(0, csf_config_version(&config));
	EXPECT_EQ(-ENOENT, plugin_config(self->plugin, &piece, 0x6f, &config));
}

/* Where a run ended counts from the begin of its fragment, in which it ended. */
TEST_F(host, says_where_a_run_ended)
{
	uint64_t base[2] = { 0 }, fragment[2] = { 0 };
	unsigned int fragments = 0;
	struct plugin_piece piece;
	struct plugin_run run;

	ASSERT_EQ(0, plugin_open(&self->plugin, RECORDING, &self->options, &self->host));
	ASSERT_EQ(0, fill_image(self));
	while (plugin_next(self->plugin, UINT64_MAX, &run) > 0) {
		const uint32_t i = run.stream;

		ASSERT_GT(2, i);
		ASSERT_TRUE(plugin_piece(self->plugin, run.offset, 1, 0, &piece));
		EXPECT_EQ(run.offset, piece.offset);
		EXPECT_GE(piece.size, run.at);
		EXPECT_EQ(fragment[i] != run.offset, run.starts);
		if (fragment[i] != run.offset) {
			EXPECT_LE(base[i], run.run->offset - run.at);
			base[i] = run.run->offset - run.at;
			fragment[i] = run.offset;
			fragments++;
		}
		EXPECT_EQ(base[i], run.run->offset - run.at);
	}
	EXPECT_LT(2, fragments);
}

TEST_HARNESS_MAIN
