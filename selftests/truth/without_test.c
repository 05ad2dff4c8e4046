// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each layer that a decoder is told to do without is really off, and the others are on; and the
 * result is the same.  The linker has calls of a layer's function go through here: see
 * ../../Makefile.
 */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../tools/lib/frame-write.h"
#include "../lib/encoder-trial.h"
#include "../lib/spread.h"
#include "without.h"

#define TRACE_ID	0x10
#define CHUNK		6000
#define SPEC		(CSF_WITHOUT_FAST | CSF_WITHOUT_SPECULATION)

/* The visible parts of a layer, and the layers without which they are not there. */
enum sign {
	FLOW_FAST, FAST_SPEC, FAST_DRAIN, FAST_PATHS, FAST_PREFETCH, ADDRESSES, VIEWS, BASES, LINKS,
	SEGMENTS, SEGMENTS_NEXT, FRAMES_NEXT, FRAME_RUN, SIGNS
};

static const struct {
	const char *name;
	uint64_t layers;
} signs[SIGNS] = {
	[FLOW_FAST] = { "flow_fast()", CSF_WITHOUT_FAST },
	[FAST_SPEC] = { "flow_fast_spec()", SPEC },
	[FAST_DRAIN] = { "flow_fast_drain()", SPEC },
	[FAST_PATHS] = { "flow_fast_paths()", CSF_WITHOUT_FAST | CSF_WITHOUT_PATHS },
	[FAST_PREFETCH] = { "flow_fast_far()", CSF_WITHOUT_FAST | CSF_WITHOUT_PREFETCH },
	[ADDRESSES] = { "addresses remembered", CSF_WITHOUT_ADDRESSES },
	[VIEWS] = { "what is seen remembered", CSF_WITHOUT_ADDRESSES },
	[BASES] = { "places of sections remembered", CSF_WITHOUT_ADDRESSES },
	[LINKS] = { "links between blocks", CSF_WITHOUT_LINKS },
	[SEGMENTS] = { "piece_decode()", CSF_WITHOUT_THREADS },
	[SEGMENTS_NEXT] = { "ahead_next_feed()", CSF_WITHOUT_THREADS | CSF_WITHOUT_AHEAD },
	[FRAMES_NEXT] = { "frames taken apart ahead", CSF_WITHOUT_THREADS | CSF_WITHOUT_AHEAD },
	[FRAME_RUN] = { "frame_run()", CSF_WITHOUT_FRAMES },
};

static uint64_t seen[SIGNS];

/*
 * Segments decoded by what another kind of decoder had left in the thread's memory; and believed.
 */
static uint64_t lent, believed;

static void see(enum sign sign, uint64_t n)
{
	__atomic_fetch_add(&seen[sign], n, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- calls that come through here */

void __wrap_flow_fast(struct csf_decoder *d)
{
	see(FLOW_FAST, 1);
	__real_flow_fast(d);
}

void __wrap_flow_fast_spec(struct csf_decoder *d)
{
	see(FAST_SPEC, 1);
	__real_flow_fast_spec(d);
}

void __wrap_flow_fast_drain(struct csf_decoder *d)
{
	see(FAST_DRAIN, 1);
	__real_flow_fast_drain(d);
}

void __wrap_flow_fast_paths(struct csf_decoder *d)
{
	see(FAST_PATHS, 1);
	__real_flow_fast_paths(d);
}

void __wrap_flow_fast_prefetch(struct csf_decoder *d)
{
	see(FAST_PREFETCH, 1);
	__real_flow_fast_prefetch(d);
}

void __wrap_segment_decode(struct segment *segment, struct address_cache *address_cache)
{
	const bool other =
		address_cache->image && address_cache->without != segment->dec->config.without;
	const uint32_t generation = address_cache->addr.generation;

	see(SEGMENTS, 1);
	__real_segment_decode(segment, address_cache);
	__atomic_fetch_add(&lent, other, __ATOMIC_RELAXED);
	__atomic_fetch_add(&believed, other && address_cache->addr.generation == generation,
			   __ATOMIC_RELAXED);
}

void __wrap_read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n)
{
	see(SEGMENTS_NEXT, n);
	__real_read_ahead_next_feed(d, bytes, n);
}

size_t __wrap_frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at,
			bool port)
{
	see(FRAME_RUN, 1);
	return __real_frame_run(demux, p, n, at, port);
}

/* ---------------------------------------------------------------- what is remembered */

static void see_addresses(const struct csf_decoder *d)
{
	for (uint32_t i = 0; i <= d->addr.cache_mask && d->addr.cache; i++)
		see(ADDRESSES, d->addr.cache[i].gen);
	for (size_t i = 0; i < ARRAY_SIZE(d->addr.seen); i++)
		see(VIEWS, !!d->addr.seen[i].top);
	for (size_t i = 0; i < BASE_MAX; i++)
		see(BASES, d->base[i].section);
}

static void see_links(const struct csf_image *image)
{
	for (uint32_t i = 0; i < 2 * block_table_n(&image->blocks); i++)
		see(LINKS, image->blocks.succ[i] & SUCC_BLOCK);
}

/* ---------------------------------------------------------------- decoding */

/**
 * struct unit - whose trace it is
 * @far: as if there were many blocks, and without paths, which come first
 */
struct unit {
	const char *words;
	bool far;
};

/**
 * struct job - a trace that is decoded
 * @sum: of all steps, by address
 */
struct job {
	struct trial t;
	struct frame_writer capture;
	struct csf_image *image;
	struct csf_decoder *dec;
	struct spread spread;
	uint64_t sum, steps;
	bool far;
};

static void make_image(struct job *j)
{
	if (csf_image_new(&j->image))
		abort();
	for (unsigned int i = 0; i < j->t.program.n_area; i++) {
		const struct area *a = &j->t.program.area[i];
		const int section = csf_section_bytes(j->image, a->code, a->n);

		if (section < 0 || csf_map(j->image, CSF_SPACE_ALL, a->addr, a->n, section, 0))
			abort();
	}
}

static void drain(struct job *j)
{
	struct csf_run run;

	while (csf_next(j->dec, &run) > 0) {
		spread_run(&j->spread, j->image, &run);
		for (size_t i = 0; i < run.n; i++) {
			const uint64_t addr = csf_block_addr(j->dec, &run, run.step[i] >> 1);

			j->sum = (j->sum ^ (addr << 1 | (run.step[i] & 1))) * 0x9e3779b97f4a7c15ull;
		}
		j->steps += run.n;
	}
}

static void feed_all(struct job *j, struct csf_frames *frames)
{
	const uint8_t *bytes = j->capture.data;
	const size_t n = j->capture.n;

	for (size_t at = 0; at < n; ) {
		const size_t left = n - at;
		const long took = csf_frames_feed(frames, bytes + at, left < CHUNK ? left : CHUNK);

		if (took <= 0)
			abort();
		at += took;
		if (csf_frames_ahead(frames, bytes + at, n - at < CHUNK ? n - at : CHUNK))
			abort();
		drain(j);
	}
	csf_frames_end(frames);
	drain(j);
}

/* The stream itself, half and half. */
static void feed_stream(struct job *j)
{
	const size_t half = j->t.n_trace / 2, rest = j->t.n_trace - half;

	csf_reset(j->dec);
	if (csf_feed(j->dec, j->t.trace, half))
		abort();
	csf_feed_ahead(j->dec, j->t.trace + half, rest);
	drain(j);
	if (csf_feed(j->dec, j->t.trace + half, rest) || csf_end(j->dec))
		abort();
	drain(j);
}

/* As many segments as can be. */
static struct csf_threads *threads_new(void)
{
	struct csf_threads *threads;

	if (csf_threads_new(&threads, 2))
		abort();
	threads->segment = 1;
	return threads;
}

static void make_decoder(struct job *j, const struct csf_config *config,
			 struct csf_threads *threads)
{
	if (csf_new(&j->dec, config, j->image))
		abort();
	if (j->far)
		j->dec->config.many = 0;
	if (csf_set_threads(j->dec, threads) || csf_ask_paths(j->dec, !j->far))
		abort();
}

/* With all there is: frames, threads that are told what comes next, paths. */
static void decode(struct job *j, uint64_t without)
{
	struct csf_config config = j->t.setup.config;
	struct csf_threads *threads = threads_new();
	struct csf_frames *frames;

	config.without = without;
	make_image(j);
	make_decoder(j, &config, threads);
	if (csf_frames_new(&frames, CSF_FRAMES_MEMORY, without & CSF_WITHOUT_FRAMES) ||
	    csf_attach(frames, TRACE_ID, j->dec))
		abort();
	j->sum = 0;
	j->steps = 0;
	feed_all(j, frames);
	see(FRAMES_NEXT, !!frames->read_ahead);
	csf_frames_free(frames);
	feed_stream(j);
	see_addresses(j->dec);
	see_links(j->image);
	csf_free(j->dec);
	csf_threads_free(threads);
	csf_image_free(j->image);
}

static void job_new(struct job *j, const struct unit *unit)
{
	char problem[ENC_PROBLEM_MAX];

	*j = (struct job){ .t = { .seed = 3, .n = 12000 }, .far = unit->far };
	if (enc_setup_parse(&j->t.setup, unit->words, problem))
		abort();
	trial_execute(&j->t);
	frame_write(&j->capture, TRACE_ID, j->t.trace, j->t.n_trace);
	frame_write_end(&j->capture);
}

static void job_free(struct job *j)
{
	free(j->spread.step);
	free(j->capture.data);
	trial_free(&j->t);
}

/* ---------------------------------------------------------------- tests */

/* Together they go through all layers: one has speculation, and so no paths. */
static const struct unit units[] = {
	{ "etm4=4.3,sync=1000" }, { "etm4=4.3,spec=9,sync=1000" },
	{ "etm4=4.3,sync=1000", .far = true },
};

/* And the results with all layers. */
struct jobs {
	struct job job[ARRAY_SIZE(units)];
	uint64_t sum[ARRAY_SIZE(units)], steps[ARRAY_SIZE(units)];
};

FIXTURE(without) {
	struct jobs all;
};

FIXTURE_SETUP(without)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		job_new(&self->all.job[i], &units[i]);
		decode(&self->all.job[i], 0);
		self->all.sum[i] = self->all.job[i].sum;
		self->all.steps[i] = self->all.job[i].steps;
		ASSERT_GT(self->all.steps[i], 10000);
	}
}

FIXTURE_TEARDOWN(without)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		job_free(&self->all.job[i]);
}

/* All of @without is away and nothing else, and nothing else changes. */
static void expect(struct __test_metadata *_metadata, struct jobs *all, uint64_t without)
{
	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		decode(&all->job[i], without);
		EXPECT_EQ(all->steps[i], all->job[i].steps);
		EXPECT_EQ(all->sum[i], all->job[i].sum);
	}
	/* the caller may be done before another thread has begun */
	for (int i = 0; i < 100 && !(without & CSF_WITHOUT_THREADS) && !seen[SEGMENTS]; i++)
		decode(&all->job[0], without);
	for (size_t i = 0; i < SIGNS; i++) {
		EXPECT_EQ(!(without & signs[i].layers), seen[i] > 0)
			TH_LOG("without %llx: %s: %llu", (unsigned long long)without,
			       signs[i].name, (unsigned long long)seen[i]);
	}
}

TEST_F(without, none)
{
	expect(_metadata, &self->all, 0);
}

TEST_F(without, each)
{
	for (uint64_t layer = 1; layer < CSF_WITHOUT_ALL; layer <<= 1)
		expect(_metadata, &self->all, layer);
}

TEST_F(without, all)
{
	expect(_metadata, &self->all, CSF_WITHOUT_ALL);
}

/* Decoders with and without memory, of one image, by the same threads. */
static void share(struct __test_metadata *_metadata, struct job *j, struct csf_threads *threads)
{
	static const uint64_t without[] = { 0, CSF_WITHOUT_ADDRESSES, 0 };
	struct csf_decoder *dec[ARRAY_SIZE(without)];
	struct csf_config config = j->t.setup.config;

	make_image(j);
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		config.without = without[i];
		ASSERT_EQ(0, csf_new(&dec[i], &config, j->image));
		ASSERT_EQ(0, csf_set_threads(dec[i], threads));
	}
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		j->dec = dec[i];
		feed_stream(j);
	}
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		csf_free(dec[i]);
	csf_image_free(j->image);
}

TEST_F(without, shared)
{
	struct csf_threads *threads = threads_new();

	/* a busy machine may give each thread a decoder of its own, and nothing is shared then */
	for (int i = 0; i < 100 && !lent; i++)
		share(_metadata, &self->all.job[0], threads);
	EXPECT_GT(lent, 0);
	EXPECT_EQ(0, believed);
	csf_threads_free(threads);
}

TEST_HARNESS_MAIN
