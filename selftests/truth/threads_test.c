// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads make of a stream what one decoder makes of it, with any number of threads, any
 * size of segments, and whatever the caller does between two runs.  The traces are those of random
 * programs, whole and damaged.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/read-ahead.h"
#include "../../tools/lib/frame-write.h"
#include "../lib/encoder-trial.h"
#include "../lib/spread.h"

#define SPACES		3
#define PERIODS		32
#define TRACE_ID	0x10
#define BOTH		2	/* sections for each area: of even and of odd spaces or periods */

/* What the caller does. */
#define BY_CONTEXT	0x01	/* address spaces, one for each context ID */
#define BY_COUNT	0x02	/* one after the other: what was guessed is wrong */
#define BY_TIME		0x04	/* maps change, and runs end, at times */
#define ASKS		0x08	/* code is mapped when it is asked for */
#define LOOKS_AHEAD		0x10
#define CHANGES		0x20	/* forgets code now and then, and maps other code */
#define BREAKS		0x40
#define COMMITS		0x80
#define HOLES		0x100	/* some code is not there */
#define PATHS		0x200	/* with threads; alone there are none */
#define CALM		0x400	/* nothing ends runs but that they are full, soon */

/* Sums over all that runs say; of one that was full, where that was. */
struct sum {
	uint64_t sum, steps, marks, ends;
	struct csf_stats stats;
	struct csf_frame_stats frames;
};

/**
 * struct host - whoever decodes
 * @what: of the above
 * @chunk: bytes that are fed at a time; 0: all
 * @threads: NULL: it does so by itself
 * @framed: what is fed is a capture, of @frames; else it is the stream
 * @without: csf_config.without
 * @read_ahead: they are told what comes next; wrong now and then
 * @shares: there is @other, too, at another time and in another space, of the same trace and with
 *          the same threads, which goes on by a run now and then; it has @fed_other bytes
 * @contexts, @runs, @n_fed, @n_drained: so far
 */
struct host {
	const struct trial *t;
	const uint8_t *bytes;
	size_t n, fed;
	unsigned int what;
	uint64_t without;
	size_t chunk;
	struct csf_threads *threads;
	struct csf_frames *frames;
	bool framed, read_ahead, shares;
	struct csf_decoder *other;
	size_t fed_other;
	pthread_t self;
	struct csf_image *image;
	int section[4][BOTH];
	struct csf_decoder *dec;
	uint64_t contexts, runs, period, n_fed, n_drained;
	uint64_t taken, refused, again;
	struct spread spread;
	struct sum sum;
};

/* ---------------------------------------------------------------- sums */

static void add(uint64_t *sum, uint64_t v)
{
	*sum = (*sum ^ v) * 0x9e3779b97f4a7c15ull;
	*sum ^= *sum >> 31;
}

/* Blocks have other numbers every time: their addresses count, and their sections. */
static void add_steps(struct host *h, const struct csf_run *run)
{
	struct csf_block block;

	for (size_t i = 0; i < run->n; i++) {
		csf_block(h->image, run->step[i] >> 1, &block);
		add(&h->sum.sum, csf_block_addr(h->dec, run, run->step[i] >> 1) << 1 |
		    (run->step[i] & 1));
		add(&h->sum.sum, (uint64_t)block.section << 32 | block.size);
	}
	h->sum.steps += run->n;
}

static void add_marks(struct sum *s, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n_mark; i++) {
		const struct csf_mark *m = &run->mark[i];

		add(&s->marks, s->ends);
		add(&s->marks, m->seq);
		add(&s->marks, m->offset);
		add(&s->marks, m->value);
		add(&s->marks, m->at);
		add(&s->marks, (uint64_t)m->count << 32 | m->kind << 16 | m->flags);
	}
}

static void add_run(struct host *h, const struct csf_run *run)
{
	struct sum *s = &h->sum;

	if (s->steps != run->seq)
		add(&s->sum, ~0ull);
	add_steps(h, run);
	add_marks(s, run);
	if (run->end == CSF_END_FULL) {
		add(&s->marks, run->n << 32 | run->n_mark);
		return;
	}
	s->ends++;
	add(&s->sum, run->end | run->flags << 8 | run->context.el << 24 |
	    run->in_transaction << 28 | (uint64_t)run->space << 32);
	add(&s->sum, run->value);
	add(&s->sum, run->addr);
	add(&s->sum, run->from);
	add(&s->sum, run->lost);
	add(&s->sum, run->bytes);
	add(&s->sum, run->offset);
	if (h->frames)
		add(&s->sum, csf_frames_offset(h->frames, TRACE_ID, run->offset));
	add(&s->sum, run->time);
	add(&s->sum, (uint64_t)run->to.contextid << 32 | run->to.vmid);
}

/* ---------------------------------------------------------------- code */

struct code {
	const struct host *host;
	const struct area *area;
};

/* Nothing of the caller's is called by another thread. */
static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	const struct code *code = context;

	if (!pthread_equal(pthread_self(), code->host->self))
		abort();
	memcpy(buf, code->area->code + offset, n);
	return n;
}

static size_t whole_code(void *context, const void **bytes)
{
	const struct code *code = context;

	if (!pthread_equal(pthread_self(), code->host->self))
		abort();
	*bytes = code->area->code;
	return code->area->n;
}

/* In times when the period is even one section is there, else the other. */
static int map_periods(struct host *h, const struct area *a, const int *section)
{
	int err = 0;

	for (uint64_t k = 0; k < PERIODS && !err; k++)
		err = csf_map_span(h->image, CSF_SPACE_ALL, a->addr, a->n, section[k & 1], 0,
				   k * h->period, k + 1 == PERIODS ? UINT64_MAX :
								    (k + 1) * h->period);
	return err;
}

static int map_area(struct host *h, unsigned int i)
{
	const struct area *a = &h->t->program.area[i];
	int err = 0;

	if (h->what & HOLES && i == 1)
		return 0;
	if (h->what & BY_TIME)
		return map_periods(h, a, h->section[i]);
	for (int space = 0; space < SPACES && !err; space++)
		err = csf_map(h->image, space, a->addr, a->n, h->section[i][space & 1], 0);
	return err;
}

static void make_image(struct host *h, struct code *code)
{
	const struct program *p = &h->t->program;
	int err = csf_image_new(&h->image);

	for (int space = 1; space < SPACES && !err; space++)
		err = csf_space_new(h->image) != space;
	for (unsigned int i = 0; i < p->n_area && !err; i++) {
		code[i] = (struct code){ h, &p->area[i] };
		h->section[i][0] = csf_section_read(h->image, p->area[i].n, read_code, &code[i]);
		if (i + 1 == p->n_area)
			csf_section_whole(h->image, h->section[i][0], whole_code);
		h->section[i][1] = csf_section_bytes(h->image, p->area[i].code, p->area[i].n);
		if (!(h->what & ASKS))
			err = map_area(h, i);
	}
	if (err)
		abort();
}

/* Code is wanted at @addr: it is mapped then. */
static void find_code(struct host *h, uint64_t addr)
{
	for (unsigned int i = 0; i < h->t->program.n_area; i++) {
		const struct area *a = &h->t->program.area[i];

		if (addr - a->addr < a->n && map_area(h, i))
			abort();
	}
}

/* ---------------------------------------------------------------- decoding */

/* The arrays of the last run stay what they are, although other threads may go on by now. */
static void look_ahead(struct host *h)
{
	uint64_t last, above;

	add(&h->sum.sum, csf_next_time(h->dec, 1000, &last, &above));
	add(&h->sum.sum, last);
	add(&h->sum.sum, above);
	if (h->threads)
		sched_yield();
}

/* What a caller may do after a run. */
static void react(struct host *h, const struct csf_run *run)
{
	const uint64_t half = (h->period + 1) / 2;

	h->runs++;
	h->contexts += run->end == CSF_END_CONTEXT;
	if (h->what & BY_CONTEXT && run->end == CSF_END_CONTEXT)
		csf_set_space(h->dec, 1 + run->to.contextid % (SPACES - 1));
	if (h->what & BY_COUNT && run->end == CSF_END_CONTEXT)
		csf_set_space(h->dec, h->contexts / 5 % SPACES);
	if (run->end == CSF_END_CODE)
		find_code(h, run->addr);
	if (run->end == CSF_END_TIME && h->what & BY_TIME) {
		const uint64_t time = run->mark[run->n_mark - 1].value;

		/* twice in each: the first time nothing becomes other */
		csf_set_time(h->dec, time, time - time % half + half);
	}
	if (h->what & CHANGES && h->runs % 97 == 0)
		csf_section_stale(h->image, h->section[0][h->runs & 1]);
	if (h->what & CHANGES && h->runs % 89 == 0)
		csf_map(h->image, h->runs % SPACES, h->t->program.area[0].addr,
			h->t->program.area[0].n, h->section[0][h->runs / 89 & 1], 0);
}

/* What the other one knows is not for @h, who parts from it for a while. */
static void disturb(struct host *h)
{
	struct csf_run run;
	int got;

	if (h->other && (h->runs == 100 || h->runs == 200) &&
	    csf_set_threads(h->dec, h->runs == 100 ? NULL : h->threads))
		abort();
	if (!h->other || h->runs % 3)
		return;
	csf_set_space(h->other, h->runs / 7 % SPACES);
	if (h->what & BY_TIME)
		csf_set_time(h->other, h->runs / 11 % PERIODS * h->period, 0);
	got = csf_next(h->other, &run);
	if (!got && h->fed_other < h->n) {
		const size_t left = h->n - h->fed_other, n = left < 3000 ? left : 3000;

		got = csf_feed(h->other, h->bytes + h->fed_other, n);
		h->fed_other += n;
	}
	if (got < 0)
		abort();
}

static int drain_once(struct host *h)
{
	struct csf_run run;
	int got;

	while ((got = csf_next(h->dec, &run)) > 0) {
		if (h->what & LOOKS_AHEAD)
			look_ahead(h);
		spread_run(&h->spread, h->image, &run);
		add_run(h, &run);
		react(h, &run);
		disturb(h);
		/* of what is taken over afterwards nothing may be left to look at */
		if (h->dec->read_ahead) {
			h->taken = h->dec->read_ahead->n_taken;
			h->refused = h->dec->read_ahead->n_refused;
			h->again = h->dec->read_ahead->n_again;
		}
	}
	return got;
}

/* What is not committed is, now and then: returns whether there was any.  Not in the middle. */
static bool commits(struct host *h)
{
	long n;

	if (!(h->what & COMMITS) || h->n_drained++ % 3)
		return false;
	n = csf_commit(h->dec);
	if (n < 0)
		abort();
	add(&h->sum.sum, n);
	return n;
}

static void drain(struct host *h)
{
	int got;

	do {
		got = drain_once(h);
	} while (!got && commits(h));
	if (got < 0)
		abort();
}

/* Bytes that are fed next. */
static size_t next_bytes(const struct host *h)
{
	const size_t left = h->n - h->fed;

	return h->chunk && h->chunk < left ? h->chunk : left;
}

static void tell(struct host *h, size_t at, size_t n)
{
	if (h->frames)
		csf_frames_ahead(h->frames, h->bytes + at, n);
	else
		csf_feed_ahead(h->dec, h->bytes + at, n);
}

/* Now and then it is not true. */
static void tell_next(struct host *h, size_t n)
{
	const unsigned int what = h->n_fed++ % 4;

	tell(h, h->fed, n);
	if (what == 1)
		tell(h, h->fed, n / 2);
	if (what == 2)
		tell(h, h->fed / 2, n);
}

/* Return: bytes taken of the @n. */
static size_t give(struct host *h, size_t n)
{
	long taken = n;

	if (h->frames)
		taken = csf_frames_feed(h->frames, h->bytes + h->fed, n);
	else if (csf_feed(h->dec, h->bytes + h->fed, n))
		taken = -1;
	if (taken < 0)
		abort();
	return taken;
}

/* No more follows, or something else. */
static void end(struct host *h, bool last)
{
	if (!h->frames)
		last ? csf_end(h->dec) : csf_break(h->dec);
	else if (last)
		csf_frames_end(h->frames);
	else
		csf_frames_break(h->frames, 0);
}

/* The next bytes.  Returns whether there were any. */
static bool feed(struct host *h)
{
	const size_t n = give(h, next_bytes(h));

	/* what is not used up yet can not be committed */
	if (h->what & COMMITS && n > 1000 && csf_commit(h->dec) != CSF_ERR_ARG)
		abort();
	h->fed += n;
	if (h->read_ahead)
		tell_next(h, next_bytes(h));
	if (h->fed < h->n && !(h->what & BREAKS && h->fed / h->chunk % 3 == 0))
		return n;
	end(h, h->fed == h->n || h->fed / h->chunk % 2);
	/* what follows is another trace, but may be known, too */
	if (h->read_ahead)
		tell_next(h, next_bytes(h));
	return n;
}

static uint32_t run_max(unsigned int what)
{
	if (what & CALM)
		return what & PATHS ? 200 : 50;
	return what & PATHS ? 400 : what & LOOKS_AHEAD ? 100 : 0;
}

static void decode(struct host *h)
{
	struct csf_config config = h->t->setup.config;
	struct code code[4];

	config.marks = CSF_MARK_DEFAULT | CSF_MARK_INFO;
	config.run_max = run_max(h->what);
	config.without = h->without;
	h->self = pthread_self();
	make_image(h, code);
	if (csf_new(&h->dec, &config, h->image) || csf_set_threads(h->dec, h->threads))
		abort();
	if (h->shares && (csf_new(&h->other, &config, h->image) ||
			  csf_set_threads(h->other, h->threads)))
		abort();
	/* other instructions take atoms */
	if (h->shares && h->t->seed & 1)
		h->other->config.rule ^= CSF_RULE_LOAD;
	if (h->framed && (csf_frames_new(&h->frames, CSF_FRAMES_MEMORY,
					 h->without & CSF_WITHOUT_FRAMES) ||
			  csf_attach(h->frames, TRACE_ID, h->dec)))
		abort();
	csf_ask_code(h->dec, h->what & ASKS);
	if (h->what & PATHS && h->threads && csf_ask_paths(h->dec, true))
		abort();
	if (h->what & BY_TIME)
		csf_set_time(h->dec, 0, h->period);
	while (feed(h))
		drain(h);
	h->sum.stats.size = sizeof(h->sum.stats);
	csf_stats(h->dec, &h->sum.stats);
	h->sum.frames.size = sizeof(h->sum.frames);
	if (h->frames)
		csf_frames_stats(h->frames, &h->sum.frames);
	csf_free(h->dec);
	csf_free(h->other);
	csf_frames_free(h->frames);
	csf_image_free(h->image);
	free(h->spread.step);
}

/* ---------------------------------------------------------------- comparing */

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
	decode(h);
	csf_threads_free(h->threads);
	if (!memcmp(got, want, sizeof(*got)))
		return 0;
	printf("# %u threads, segments of %zu, fed %zu: steps %llu, %llu, ends %llu, %llu, sums %d %d\n",
	       way->threads, way->segment, way->chunk, (unsigned long long)got->steps,
	       (unsigned long long)want->steps, (unsigned long long)got->ends,
	       (unsigned long long)want->ends, got->sum == want->sum, got->marks == want->marks);
	return 1;
}

/* Alone, segments that are not taken are the fault of nobody else. */
static int count_taken(const struct unit *u, const struct host *h)
{
	const uint64_t all = h->taken + h->refused;

	printf("# %s: %llu of %llu segments taken, %llu decoded again\n", u->words,
	       (unsigned long long)h->taken, (unsigned long long)all,
	       (unsigned long long)h->again);
	/* at another time nothing is known any more */
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

/* One way, and what comes of it without threads. */
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
	decode(&alone);
	err = compare(&h, &alone.sum, way);
	return !err && count ? count_taken(u, &h) : err;
}

/* @bytes: the trace of @t, or what became of it. */
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
	/* by other seeds it is fewer */
	const bool counts = !damage && !getenv("CSFLOW_SEED");
	struct trial t = { .seed = seed, .n = blocks ? atoi(blocks) : 12000, .kind = seed % 3 };
	char problem[ENC_PROBLEM_MAX];
	uint8_t *bytes;
	int err;

	if (enc_setup_parse(&t.setup, u->words, problem)) {
		printf("# %s: %s\n", u->words, problem);
		return -1;
	}
	if (csf_config_protocol(&t.setup.config) == CSF_PROTOCOL_ETE)
		t.flags |= PROGRAM_TSTART;
	if (u->what & CALM)
		t.flags = PROGRAM_CALM;
	trial_execute(&t);
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

TEST_F(threads, damaged)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		EXPECT_EQ(0, try_unit(&units[i], self->seed + 100 + i, 2000));
		EXPECT_EQ(0, try_unit(&units[i], self->seed + 200 + i, 300));
	}
}

/* What somebody did; @sum is nobody's but his, one at a time. */
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

/* One is done while the next is made, in their order, whoever does it; without threads, too. */
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
 * Nobody starts before there is something to do.  A signal that the caller does not want now waits
 * for him: no thread of ours takes it.
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
