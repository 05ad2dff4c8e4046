// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads decode a stream as one decoder does, with any number of threads, any size of
 * segments, and whatever the caller does between two runs.  The traces are those of random
 * programs, whole and damaged.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../tools/lib/frame-write.h"
#include "threads-host.h"

/**
 * struct unit - a trace unit, what it is decoded by, and what must come of it
 * @words: as csflow encode has them
 * @what: the caller does
 * @taken: of all segments so many in a hundred are good, at least, by the first seed
 */
struct unit {
	const char *words;
	unsigned int what;
	unsigned int taken;
};

/*
 * Segments of PTM and ETMv3 are not good if the address space of their context was not seen yet, or
 * where the caller was just asked for code; of ETMv3 also if the instruction before the I-sync may
 * still be cancelled.
 */
static const struct unit units[] = {
	{ "etm4=4.3,sync=700,cid", BY_CONTEXT, 25 },
	{ "ete=1.1,rs,cid,ts=100,sync=700", BY_CONTEXT | LOOKS_AHEAD, 20 },
	{ "ete=1.1,cc=4,ts=30,marker,sync=400", 0, 60 },
	{ "etm4=4.3,cc=20,rs=3,sync=900", CHANGES, 90 },
	{ "etm4=4.3,bb,cid,vmid,sync=2000", BY_CONTEXT | BREAKS, 50 },
	{ "etm4=4.3,spec=4,sync=900", 0, 90 },
	{ "etm4=4.3,spec=9:2,cc=4,commopt=0,ts=50,sync=900", LOOKS_AHEAD, 90 },
	{ "ete=1.3,spec=60:9,rs,cid,sync=2000", COMMITS, 90 },
	{ "ete=1.1,tm=20,source=5,event=9,sync=900", ASKS, 90 },
	{ "etm4=4.3,overflow=40,lose=5,ts=100,sync=400", BY_TIME, 90 },
	{ "etm4=4.3,ts=60,rs,sync=900", BY_TIME | LOOKS_AHEAD, 90 },
	{ "etm4=4.3,ts=20,bb,sync=900", BY_TIME | HOLES, 90 },
	{ "ete=1.1,ts=20,rs,sync=900", BY_TIME | HOLES | ASKS | LOOKS_AHEAD, 40 },
	{ "etm4=4.3,cc=9,sync=900", HOLES | ASKS, 30 },
	{ "etm4=4.3,spec=9,sync=900", HOLES, 90 },
	{ "etm4=4.3,cid,ts=200,sync=500", BY_COUNT | BY_TIME, 5 },
	{ "ete=1.1,cid,rs,q=6,sync=500", BY_COUNT | CHANGES, 5 },
	{ "etm4=4.3,sync=2000", PATHS, 90 },
	{ "etm4=4.3,cid,sync=700", BY_CONTEXT | PATHS, 25 },
	{ "ete=1.1,cc=4,ts=30,marker,sync=2000", PATHS, 20 },
	{ "etm4=4.3,ts=60,sync=900", BY_TIME | LOOKS_AHEAD | PATHS, 90 },
	{ "etm4=4.3,ts=300,sync=3000", HOLES | ASKS | PATHS, 30 },
	{ "etm4=4.3,ts=40,sync=200", CALM, 90 },
	{ "ete=1.1,ts=60,marker,cc=4,rs,sync=300", CALM, 90 },
	{ "etm4=4.3,spec=9,ts=90,sync=900", CALM, 90 },
	{ "etm4=4.3,ts=700,sync=200", CALM | PATHS, 90 },
	{ "etm4=4.3,ts=60,sync=900", CALM | BY_TIME | PATHS, 90 },
	{ "ptm=1.1,rs,sync=700", 0, 90 },
	{ "ptm=1.1,cid,bb,sync=900", BY_CONTEXT | BREAKS, 40 },
	{ "ptm=1.1,cc,ts=100,sync=400", BY_TIME | LOOKS_AHEAD, 90 },
	{ "ptm=1.0,rs,sync=700", HOLES | ASKS, 85 },
	{ "ptm=1.1,overflow=40,lose=5,sync=900", CHANGES, 90 },
	{ "etm3=3.5,alt,sync=700", 0, 90 },
	{ "etm3=3.4,cid,bb,sync=900", BY_CONTEXT | BREAKS, 25 },
	{ "etm3=3.5,cc,ts=100,halves,sync=400", BY_TIME | LOOKS_AHEAD, 80 },
	{ "etm3=3.3,halves,sync=900", HOLES | ASKS, 75 },
	{ "etm3=3.5,overflow=40,lose=5,sync=900", CHANGES, 80 },
	{ "etm3=3.4,data,late=5,sync=900", 0, 80 },
	{ "etm3=3.5,data,cprt,late=9,ts=60,sync=700", 0, 0 },
	{ "etm4=4.3,cid,rs,ts=300,sync=700", CONDITIONS | BY_CONTEXT, 0 },
	{ "etm4=4.3,spec=9:2,sync=900", CONDITIONS, 0 },
};

/* How it is decoded. */
struct way {
	unsigned int threads;
	size_t segment, chunk, step_max;
	bool read_ahead, framed;
	bool layer;		/* without one, or without all */
	bool shares;
};

static const struct way ways[] = {
	{ 0, 1, 0 }, { 1, 1, 0 }, { 1, 4096, 0 }, { 2, 1, 10000 }, { 15, 1, 0 },
	{ 3, 0, 65536 }, { 0, 1, 3000 }, { 0, 2500, 0 },
	{ .threads = 1, .chunk = 7000, .read_ahead = true },
	{ .threads = 2, .segment = 1, .chunk = 10000, .read_ahead = true, .framed = true },
	{ .segment = 1, .chunk = 3000, .read_ahead = true, .framed = true },
	{ .threads = 1, .segment = 3000, .step_max = 300 },
	{ .threads = 2, .segment = 1, .chunk = 5000, .read_ahead = true, .framed = true,
	  .layer = true },
	{ .threads = 0, .shares = true },
	{ .threads = 0, .segment = 700, .chunk = 4000, .shares = true },
	{ .threads = 2, .segment = 900, .chunk = 9000, .read_ahead = true, .shares = true },
};

/* Bytes fed at a time. */
static size_t chunk_of(const struct host *h, const struct way *way)
{
	return h->what & BREAKS && !way->chunk ? h->n / 7 + 1 : way->chunk;
}

static int compare(struct host *h, const struct sum *want, const struct way *way)
{
	const struct sum *got = &h->sum;

	h->chunk = chunk_of(h, way);
	if (csf_threads_new(&h->threads, way->threads))
		return -1;
	h->threads->segment = way->segment;
	if (way->step_max)
		h->threads->step_max = way->step_max;
	h->read_ahead = way->read_ahead;
	h->shares = way->shares;
	host_decode(h);
	csf_threads_free(h->threads);
	if (!memcmp(got, want, sizeof(*got)))
		return 0;
	printf("# %u threads, segments of %zu, fed %zu: steps %llu, %llu, ends %llu, %llu, sums %d %d\n",
	       way->threads, way->segment, way->chunk, (unsigned long long)got->steps,
	       (unsigned long long)want->steps, (unsigned long long)got->ends,
	       (unsigned long long)want->ends, got->sum == want->sum, got->marks == want->marks);
	return 1;
}

/* Alone, no other decoder can be the cause of segments that are not taken. */
static int count_taken(const struct unit *u, const struct host *h)
{
	const uint64_t all = h->taken + h->refused;

	/* Threads do not decode ahead what has data accesses. */
	if (csf_config_data(&h->t->setup.config))
		return all != 0;
	printf("# %s: %llu of %llu segments taken, %llu decoded again\n", u->words,
	       (unsigned long long)h->taken, (unsigned long long)all,
	       (unsigned long long)h->again);
	/* at another time all knowledge is void */
	if ((u->what & (PATHS | BY_TIME)) == PATHS && all >= 30 && !h->spread.paths)
		return 1;
	return !all || (all >= 30 && h->taken * 100 < all * u->taken);
}

/* The trace, and between parts of it bytes of another unit. */
static void wrap(struct frame_writer *w, const uint8_t *bytes, size_t n)
{
	for (size_t at = 0, some; at < n; at += some) {
		some = 100 + at % 900;
		some = some < n - at ? some : n - at;
		frame_write(w, TRACE_ID, bytes + at, some);
		frame_write(w, TRACE_ID + 1, bytes + at, some < at % 40 ? some : at % 40);
	}
	frame_write_end(w);
	if (w->no_memory)
		abort();
}

#define LAYERS	__builtin_popcount(CSF_WITHOUT_ALL)

/* Each once in a while. */
static uint64_t without(uint64_t seed)
{
	const unsigned int layer = (seed + seed / 100) % (LAYERS + 1);

	return layer < LAYERS ? 1ull << layer : CSF_WITHOUT_ALL;
}

/* One way, and its result without threads. */
static int same_way(const struct unit *u, const struct host *begin, const struct way *way,
		    bool count)
{
	struct host h = *begin, alone;
	int err;

	h.framed = way->framed;
	alone = h;
	if (way->layer)
		h.without = without(h.t->seed);
	/* a run is full where what was fed ends, and no look ahead goes further */
	alone.chunk = chunk_of(&alone, way);
	host_decode(&alone);
	err = compare(&h, &alone.sum, way);
	return !err && count ? count_taken(u, &h) : err;
}

/* One packet of conditional instruction trace. */
static size_t put_condition(uint8_t *to, size_t i)
{
	static const uint8_t packet[][2] = {
		{ 0x40 }, { 0x41 }, { 0x42 }, { 0x43 }, { 0x44 }, { 0x48 }, { 0x4d }, { 0x45 },
		{ 0x50, 0xf9 }, { 0x6c, 0x05 }, { 0x6d, 0x07 }, { 0x6e, 0x21 }, { 0x6f, 0x31 },
	};
	const uint8_t *p = packet[i * 7 % ARRAY_SIZE(packet)];

	memcpy(to, p, 2);
	return 1 + (p[0] >= 0x50);
}

/* An address follows these at once. */
static bool waits(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_EXCEPTION || pkt->type == CSF_PKT_Q;
}

/* @t has conditional instructions: their packets come between those that are there. */
static void add_conditions(struct trial *t)
{
	struct csf_config *config = &t->setup.config;
	uint8_t *to = malloc(3 * t->n_trace + 2);
	struct csf_packet pkt = { 0 };
	size_t n = 0, i = 0;

	config->trcidr0 |= 1 << 6;
	config->trcidr12 = 8;
	config->trcconfigr |= 7 << 8;
	for (size_t at = 0, size; at < t->n_trace; at += size, i++) {
		if (i % 3 == 2 && !waits(&pkt))
			n += put_condition(to + n, i);
		size = csf_packet_read(config, t->trace + at, t->n_trace - at, &pkt);
		memcpy(to + n, t->trace + at, size);
		n += size;
	}
	free(t->trace);
	t->trace = to;
	t->n_trace = n;
}

/* @bytes: the trace of @t, or a changed copy. */
static int same(const struct unit *u, const struct trial *t, const uint8_t *bytes, bool counts)
{
	struct host begin = { .t = t, .what = u->what, .period = 4 * t->n / PERIODS + 1 };
	struct frame_writer w = { 0 };
	int err = 0;

	wrap(&w, bytes, t->n_trace);
	for (size_t i = 0; i < ARRAY_SIZE(ways) && !err; i++) {
		begin.bytes = ways[i].framed ? w.data : bytes;
		begin.n = ways[i].framed ? w.n : t->n_trace;
		err = same_way(u, &begin, &ways[i], !i && counts);
	}
	free(w.data);
	return err;
}

static int try_unit(const struct unit *u, uint64_t seed, uint64_t damage)
{
	const char *blocks = getenv("CSFLOW_BLOCKS");
	const int usual = getenv("CSFLOW_LONG") ? 12000 : 6000;
	/* by other seeds it is fewer */
	const bool counts = !damage && !getenv("CSFLOW_SEED");
	struct trial t = { .seed = seed, .n = blocks ? atoi(blocks) : usual, .kind = seed % 3 };
	char problem[ENC_PROBLEM_MAX];
	uint8_t *bytes;
	int err;

	if (enc_setup_parse(&t.setup, u->words, problem)) {
		printf("# %s: %s\n", u->words, problem);
		return -1;
	}
	if (csf_config_protocol(&t.setup.config) == CSF_PROTOCOL_ETE)
		t.flags |= PROGRAM_TSTART;
	if (!enc_setup_a64(&t.setup))
		t.kind = PROGRAM_A32;
	if (trial_is_etm3(&t))
		t.flags = PROGRAM_EACH | PROGRAM_OLD | PROGRAM_BARRIERS | PROGRAM_STATES;
	if (u->what & CALM)
		t.flags = PROGRAM_CALM;
	trial_execute(&t);
	if (u->what & CONDITIONS)
		add_conditions(&t);
	bytes = malloc(t.n_trace + 1);
	memcpy(bytes, t.trace, t.n_trace);
	for (uint64_t i = damage / 2; damage && i < t.n_trace; i += damage + i % 97)
		bytes[i] ^= 0x15;
	err = same(u, &t, bytes, counts);
	if (err)
		printf("# %s, seed %llu, damage %llu\n", u->words, (unsigned long long)seed,
		       (unsigned long long)damage);
	free(bytes);
	trial_free(&t);
	return err;
}

FIXTURE(threads) {
	uint64_t seed;
};

FIXTURE_SETUP(threads)
{
	const char *seed = getenv("CSFLOW_SEED");

	self->seed = seed ? strtoull(seed, NULL, 0) : 1;
}

FIXTURE_TEARDOWN(threads)
{
}

TEST_F(threads, whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		EXPECT_EQ(0, try_unit(&units[i], self->seed + i, 0));
}

/* Little damage or much; CSFLOW_LONG: both for each unit. */
TEST_F(threads, damaged)
{
	const size_t more = getenv("CSFLOW_LONG") ? ARRAY_SIZE(units) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		EXPECT_EQ(0, try_unit(&units[i], self->seed + 100 + i, i % 2 ? 2000 : 300));
	for (size_t i = 0; i < more; i++)
		EXPECT_EQ(0, try_unit(&units[i], self->seed + 200 + i, i % 2 ? 300 : 2000));
}

/* The result of a piece of work; only one thread at a time writes @sum. */
struct chore {
	struct csf_work work;
	unsigned long *sum;
	unsigned long number;
};

static void do_chore(struct csf_work *work)
{
	struct chore *chore = (struct chore *)work;

	*chore->sum = *chore->sum * 31 + chore->number;
}

/*
 * One is done while the next is made, in their order, whichever thread does it; without threads,
 * too.
 */
TEST(work)
{
	for (unsigned int n = 0; n <= 8; n += 4) {
		unsigned long sum = 0, want = 0;
		struct csf_threads *threads;
		struct chore chore[2] = {
			{ .work = { .work = do_chore }, .sum = &sum },
			{ .work = { .work = do_chore }, .sum = &sum },
		};

		ASSERT_EQ(csf_threads_new(&threads, n), 0);
		for (unsigned long i = 0; i < 2000; i++) {
			chore[i % 2].number = i;
			want = want * 31 + i;
			csf_work_end(threads, &chore[!(i % 2)].work);
			csf_work_begin(threads, &chore[i % 2].work);
		}
		csf_work_end(threads, &chore[1].work);
		EXPECT_EQ(sum, want);
		csf_threads_free(threads);
	}
}

/*
 * No thread starts before there is work.  A signal that the caller blocks waits for the caller: no
 * thread of ours takes it.
 */
TEST(signals)
{
	unsigned long sum = 0;
	struct chore chore = { .work = { .work = do_chore }, .sum = &sum };
	struct csf_threads *threads;
	sigset_t set, waiting;

	ASSERT_EQ(csf_threads_new(&threads, 3), 0);
	EXPECT_EQ(threads->n_started, 0);
	csf_work_begin(threads, &chore.work);
	ASSERT_EQ(threads->n_started, 1);
	csf_work_end(threads, &chore.work);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	ASSERT_EQ(kill(getpid(), SIGUSR1), 0);
	ASSERT_EQ(sigpending(&waiting), 0);
	EXPECT_EQ(sigismember(&waiting, SIGUSR1), 1);
	csf_threads_free(threads);
	signal(SIGUSR1, SIG_IGN);
}

TEST_HARNESS_MAIN
