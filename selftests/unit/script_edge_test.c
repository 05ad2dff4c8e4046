// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branches that are copied from text that was printed before, against all of them printed one by
 * one: many processes, each with the same code elsewhere, and names, times and CPUs that change.
 */
#include <stdio.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-write.h"
#include "../../tools/script/script-batch.h"
#include "../lib/recording.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PROCESSES	100	/* more than there are worlds in a cache */
#define ROUNDS		3
#define LONG_COMM	37	/* a process whose name is too long to be kept */
#define TRACE_MAX	8192
#define TEXT_MAX	(1 << 24)

static const uint32_t code[] = {
	0xd503201f,	/* 0 nop */
	0xd503201f,	/* 4 nop */
	0x14000002,	/* 8 b 10 */
	0xd65f03c0,	/* c ret */
	0xd503201f,	/* 10 nop */
	0x97fffffe,	/* 14 bl c */
	0x54ffff40,	/* 18 b.eq 0 */
};

FIXTURE(two)
{
	struct perf_cs_cpu cpu[2];
	FILE *out;
	struct perf_writer *writer;
	char dir[32];
	char *plain, *quick;
	size_t copied;
};

FIXTURE_SETUP(two)
{
	struct small_recording rec;
	char path[64];
	FILE *f;

	(void)recording_make;
	recording_init(&rec, 2, 2);
	for (int i = 0; i < 2; i++) {
		self->cpu[i] = rec.cpu[i];
		self->cpu[i].config.trcconfigr = 0x840;
	}
	rec.setup.cpu = self->cpu;
	rec.setup.time_conv.mult = 1;
	rec.setup.exclude_kernel = true;
	strcpy(self->dir, "/tmp/edge-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(path, sizeof(path), "%s/code", self->dir);
	f = fopen(path, "w");
	ASSERT_NE(NULL, f);
	ASSERT_EQ(1, fwrite(code, sizeof(code), 1, f));
	ASSERT_EQ(0, fclose(f));
	self->out = tmpfile();
	ASSERT_NE(NULL, self->out);
	ASSERT_EQ(0, perf_write_new(&self->writer, fileno(self->out), &rec.setup));
	self->plain = calloc(1, TEXT_MAX);
	self->quick = calloc(1, TEXT_MAX);
}

FIXTURE_TEARDOWN(two)
{
	char command[64];

	free(self->plain);
	free(self->quick);
	if (self->out)
		fclose(self->out);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	if (system(command))
		printf("# %s stays\n", self->dir);
}

/* ---------------------------------------------------------------- the recording */

static uint64_t base_of(unsigned int process)
{
	return 0x400000 + 0x10000 * (uint64_t)process;
}

static uint32_t pid_of(unsigned int process)
{
	return 1000 + 31 * process;
}

static void write_processes(struct _test_data_two *self)
{
	for (unsigned int i = 0; i < PROCESSES; i++) {
		const uint32_t pid = pid_of(i);
		const struct perf_write_who who = { .time = 10, .pid = pid, .tid = pid, .cpu = 1 };
		const struct perf_mmap map = { .addr = base_of(i), .len = 0x1000, .prot = 5,
					       .flags = 2, .name = "/code" };
		const struct perf_write_field fields[] = { { 4, pid }, { 4, pid }, { 0 } };
		char comm[512];
		const struct perf_write_record named = {
			.type = PERF_RECORD_COMM, .field = fields, .text = comm,
		};

		snprintf(comm, sizeof(comm), "%0*u", i == LONG_COMM ? 500 : 1 + (int)(i % 15), i);
		perf_write_record(self->writer, &who, &named);
		perf_write_mmap(self->writer, &who, &map);
	}
}

/* Adds packets in words, with ";" between them. */
static size_t add(const struct csf_config *config, uint8_t *out, size_t n, const char *words)
{
	char word[128];

	while (*words) {
		size_t len = strcspn(words, ";");
		struct csf_packet packet;
		const char *where;

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		if (csf_packet_parse(config, word, &packet, &where) || n + 64 > TRACE_MAX)
			return 0;
		n += csf_packet_write(config, out + n, &packet);
		words += len;
		words += strspn(words, "; ");
	}
	return n;
}

/* A few rounds of a process through the code: two branches, a call and a return in each. */
static size_t add_process(const struct csf_config *config, uint8_t *out, size_t n,
			  unsigned int process, uint64_t *time)
{
	const unsigned long long base = base_of(process);
	char words[256];

	snprintf(words, sizeof(words), "addr.ctx %#llx el0 ns 64 cid=%u; time %llu", base,
		 pid_of(process), (unsigned long long)*time);
	n = add(config, out, n, words);
	for (unsigned int i = 0; i < 3 + process % 3 && n; i++) {
		*time += 40 + 700 * (process % 5) + (process == 50 ? 1500000000 : 0);
		snprintf(words, sizeof(words), "atom EE; atom E; addr %#llx; time %llu; atom E",
			 base + 24, (unsigned long long)*time);
		n = add(config, out, n, words);
	}
	return n;
}

static void write_fragment(struct _test_data_two *self, unsigned int cpu, uint64_t at,
			   const uint8_t *bytes, size_t n, uint64_t time)
{
	const struct perf_write_who who = { .time = time, .cpu = self->cpu[cpu].cpu };
	const struct perf_aux_record aux = { .offset = at, .size = n, .flags = 0x100 };
	const struct perf_auxtrace auxtrace = { .offset = at, .size = n, .cpu = who.cpu,
						.tid = PERF_NO_TID };

	perf_write_aux(self->writer, &who, &aux);
	perf_write_auxtrace(self->writer, &auxtrace, bytes);
}

/* Return: the recording is there. */
static bool record(struct _test_data_two *self)
{
	uint64_t time = 100, at[2] = { 0 };

	write_processes(self);
	for (unsigned int i = 0; i < ROUNDS * PROCESSES / 10; i++) {
		const struct csf_config *config = &self->cpu[i % 2].config;
		uint8_t bytes[TRACE_MAX];
		size_t n = add(config, bytes, 0, "async; info; on");

		for (unsigned int k = 0; k < 10 && n; k++)
			n = add_process(config, bytes, n, (7 * i + 3 * k) % PROCESSES, &time);
		if (!n)
			return false;
		write_fragment(self, i % 2, at[i % 2], bytes, n, time);
		at[i % 2] += n;
	}
	return !perf_write_finish(self->writer);
}

/* ---------------------------------------------------------------- printed */

/**
 * struct way - how it is printed
 * @fields: as after -F
 * @no_branches: only instructions, every one; with @period less of them
 * @last: with so many last branches
 * @deep: with call stacks
 * @steps: branches come as steps, if time is not asked for
 */
struct way {
	const char *fields;
	bool ns, timeless, calls, insns, no_branches;
	bool deep, steps;
	unsigned int last, period;
	uint64_t skip, from, until;
};

struct printer {
	struct call_stacks stacks;
	struct script_print print;
	struct script_edges edges;
	struct script_batches batches;
	struct time_spans spans;
	struct cs_samples samples;
	struct cs_sample_state state[2];
	struct out out;
	size_t copied;
};

static uint64_t clock_of(const void *replay, uint64_t timestamp)
{
	return perf_replay_time(replay, timestamp);
}

static bool some_steps(struct printer *p, size_t n)
{
	const struct edge_context c = script_edges_here(&p->edges);
	struct cs_steps steps;
	uint64_t shown = 0;

	if (!cs_samples_steps(&p->samples, &steps, n))
		return false;
	p->copied += steps.n;
	if (p->batches.threads)
		script_batches_add_steps(&p->batches, &steps);
	else
		script_steps_print(&p->edges, &c, &steps, 0, true, &shown);
	return true;
}

static bool some_branches(struct printer *p, const struct way *way)
{
	const struct edge_context c = script_edges_here(&p->edges);
	struct cs_edge own[3], *edge = own;
	uint64_t shown = 0;
	size_t n = 3;

	if (p->batches.threads)
		edge = script_batches_room(&p->batches, &n);
	if (way->steps)
		return some_steps(p, n > p->copied % 3 ? 1 + p->copied % 3 : n);
	n = cs_samples_edges(&p->samples, edge, n > p->copied % 3 ? 1 + p->copied % 3 : n);
	p->copied += n;
	if (n && p->batches.threads)
		script_batches_add(&p->batches, n);
	else
		script_edges_print(&p->edges, &c, edge, n, true, &shown);
	return n;
}

static void one_run(struct printer *p, const struct perf_run *run, const struct way *way,
		    bool quick)
{
	const struct cs_samples_input in = {
		.dec = run->stream->dec, .run = &run->run, .starts = run->starts,
		.pid = run->who.pid, .tid = run->who.tid,
		.time = run->time ? run->time : run->fragment->time,
	};
	struct cs_sample_state *state = &p->state[run->stream->number & 1];
	struct call_stack *stack = call_stacks_of(&p->stacks, run->who.tid);
	struct cs_sample sample;

	if (!stack)
		return;
	p->print.stack = way->last || way->deep ? stack : NULL;
	cs_samples_run(&p->samples, state, &in);
	quick = quick && script_edges_run(&p->edges, run);
	script_batches_run(&p->batches);
	for (;;) {
		if (quick && way->last)
			script_moves(&p->edges, stack, run, cs_samples_trace_nr(state));
		if (quick)
			p->copied += script_blocks_print(&p->edges, run, true);
		if (quick && some_branches(p, way))
			continue;
		if (!cs_samples_next(&p->samples, &sample))
			return;
		if (sample.moves && call_stack_move(stack, &sample, run->stream->number))
			return;
		if (!sample.wanted)
			continue;
		if (sample.time < way->from || sample.time > way->until)
			continue;
		if (quick)
			script_edges_sample(&p->edges, run, &sample);
		else
			script_print(&p->print, run, &sample);
	}
}

static void print_all(struct perf_replay *replay, const struct way *way, bool quick,
		      struct printer *p)
{
	const struct cs_samples_options options = {
		.branches = !way->no_branches, .insn_bytes = true, .timeless = way->timeless,
		.insns = way->insns, .period = way->period ? way->period : way->insns,
		.moves = way->last || way->deep,
		.calls = way->calls, .skip = way->skip, .clock = clock_of,
		.clock_context = replay,
	};
	struct perf_run run;

	p->print.replay = replay;
	p->print.ns = way->ns;
	p->print.out = &p->out;
	p->print.kinds = !way->no_branches << CS_SAMPLE_BRANCH | way->insns << CS_SAMPLE_INSN;
	script_fields_parse(&p->print.fields, way->fields);
	script_print_init(&p->print);
	p->edges.print = &p->print;
	p->edges.samples = &p->samples;
	p->spans = (struct time_spans){ .from = way->from, .until = way->until };
	p->spans.n = way->from || way->until != UINT64_MAX;
	p->edges.spans = &p->spans;
	if (script_edges_init(&p->edges))
		return;
	if (!quick)
		p->print.known = NULL;
	if (replay->threads && !p->print.known)
		script_batches_init(&p->batches, replay->threads, &p->edges);
	call_stacks_init(&p->stacks, way->last);
	cs_samples_init(&p->samples, &options, replay->image);
	while (perf_replay_next(replay, &run) > 0)
		one_run(p, &run, way, quick);
	out_flush(&p->out);
	if (p->batches.failed)
		p->copied = 0;
	script_batches_fini(&p->batches);
	script_edges_fini(&p->edges);
	cs_samples_fini(&p->samples);
	call_stacks_fini(&p->stacks);
}

/* Return: number of branches that went the short way; -1: the output failed. */
static long play(struct _test_data_two *self, const struct way *way, bool quick, uint32_t threads,
		 char *text)
{
	const struct perf_replay_options open = {
		.dso.symfs = self->dir, .marks = CS_SAMPLES_MARKS, .n_threads = threads,
	};
	struct printer *p = calloc(1, sizeof(*p));
	struct perf_replay *replay;
	char path[64];
	long copied;

	memset(text, 0, TEXT_MAX);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(self->out));
	if (!p || perf_replay_new(&replay, path, &open)) {
		free(p);
		return -1;
	}
	p->out.file = fmemopen(text, TEXT_MAX, "w");
	print_all(replay, way, quick, p);
	copied = p->copied;
	fclose(p->out.file);
	perf_replay_free(replay);
	free(p);
	return copied;
}

static void compare(struct __test_metadata *_metadata, struct _test_data_two *self,
		    const struct way *way, long lines_min, long copied_min)
{
	long lines = 0;

	ASSERT_EQ(0, play(self, way, false, 1, self->plain));
	for (uint32_t threads = 1; threads <= 4; threads += 3) {
		EXPECT_LT(copied_min, play(self, way, true, threads, self->quick));
		EXPECT_STREQ(self->plain, self->quick);
	}
	for (const char *p = self->plain; *p; p++)
		lines += *p == '\n';
	EXPECT_LT(lines_min, lines);
}

TEST_F(two, printers)
{
	static const char *const fields[] = {
		"ip", "ip,addr", "ip,sym,addr", "comm,ip,sym,symoff,dso,addr,flags,insn,insnlen",
		"comm,pid,tid,cpu,time,event,period,ip,addr", "tid,ip,addr", "cpu,time,addr",
	};

	ASSERT_TRUE(record(self));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct way way = { .fields = fields[i], .until = UINT64_MAX };

		compare(_metadata, self, &way, 4400, 4000);
	}
}

TEST_F(two, printers_of_some)
{
	static const struct way ways[] = {
		{ .fields = "tid,time,ip,addr", .ns = true, .until = UINT64_MAX },
		{ .fields = "comm,tid,time,ip", .timeless = true, .until = UINT64_MAX },
		{ .fields = "tid,ip,addr,flags", .timeless = true, .calls = true,
		  .until = UINT64_MAX },
		{ .fields = "comm,tid,time,ip", .timeless = true, .steps = true,
		  .until = UINT64_MAX },
		{ .fields = "tid,ip,addr,flags", .timeless = true, .calls = true, .steps = true,
		  .until = UINT64_MAX },
		{ .fields = "tid,ip,addr", .timeless = true, .skip = 1000, .steps = true,
		  .until = UINT64_MAX },
		{ .fields = "tid,ip,addr", .skip = 1000, .until = UINT64_MAX },
		{ .fields = "ip,addr", .from = 100000, .until = 2000000000 },
	};

	ASSERT_TRUE(record(self));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		compare(_metadata, self, &ways[i], 500, 3000);
}

/* A cache cannot tell which branches are shown, and when they were executed. */
TEST_F(two, calls_with_times)
{
	const struct way way = { .fields = "time,ip,addr", .calls = true, .until = UINT64_MAX };

	ASSERT_TRUE(record(self));
	compare(_metadata, self, &way, 500, -1);
}

/* Instructions, between their branches: lines that are copied, and names in others. */
TEST_F(two, instructions)
{
	static const struct way ways[] = {
		{ .fields = "comm,tid,cpu,time,event,period,ip,sym,symoff,dso,addr,flags,insn",
		  .insns = true, .ns = true, .until = UINT64_MAX },
		{ .fields = "ip,flags,insnlen", .insns = true, .timeless = true,
		  .until = UINT64_MAX },
		{ .fields = "time,ip,sym,srcline", .insns = true, .from = 100000,
		  .until = 2000000000 },
	};

	ASSERT_TRUE(record(self));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		compare(_metadata, self, &ways[i], 1000, -1);
}

/* Instructions alone: blocks as a whole. */
TEST_F(two, blocks)
{
	static const struct way ways[] = {
		{ .fields = "comm,tid,cpu,time,event,period,ip,sym,symoff,dso,flags,insn",
		  .insns = true, .no_branches = true, .ns = true, .until = UINT64_MAX },
		{ .fields = "tid,time,ip", .insns = true, .no_branches = true,
		  .until = UINT64_MAX },
		{ .fields = "ip,flags,insnlen", .insns = true, .no_branches = true,
		  .timeless = true, .until = UINT64_MAX },
		{ .fields = "time,ip,sym,srcline", .insns = true, .no_branches = true,
		  .from = 100000, .until = 2000000000 },
		{ .fields = "tid,ip", .insns = true, .no_branches = true, .skip = 1000,
		  .until = UINT64_MAX },
	};

	ASSERT_TRUE(record(self));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		compare(_metadata, self, &ways[i], 1000, 1000);
}

/* Last branches, of threads whose code is elsewhere; branches that are indented. */
TEST_F(two, stacks)
{
	static const struct way ways[] = {
		{ .fields = "comm,time,ip,brstack", .insns = true, .no_branches = true,
		  .last = 64, .period = 3, .until = UINT64_MAX },
		{ .fields = "ip,brstacksym,dso", .insns = true, .no_branches = true,
		  .last = 3, .period = 1, .until = UINT64_MAX },
		{ .fields = "ip,brstack,dso", .insns = true, .no_branches = true,
		  .last = 2, .period = 7, .timeless = true, .until = UINT64_MAX },
		{ .fields = "comm,tid,time,dso,flags,callindent", .deep = true, .ns = true,
		  .until = UINT64_MAX },
	};

	ASSERT_TRUE(record(self));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		compare(_metadata, self, &ways[i], 1000, -1);
}

/* ---------------------------------------------------------------- the cache */

static const char *found(const struct line_cache *cache, uint32_t from, uint32_t to, uint32_t world)
{
	static char buf[LINE_MAX + 1];
	const struct line_text *t = line_cache_find(cache, from, to, world);

	if (!t)
		return NULL;
	memcpy(buf, t->text, t->n);
	buf[t->n] = 0;
	return buf;
}

static void keep(struct line_cache *cache, uint32_t from, uint32_t to, uint32_t world,
		 const char *text)
{
	const struct line_slot key = { .from = from, .to = to, .world = world };

	line_cache_add(cache, &key, text, strlen(text));
}

TEST(cache_tells_apart)
{
	struct line_cache cache;

	ASSERT_EQ(0, line_cache_init(&cache));
	EXPECT_EQ(NULL, found(&cache, 1, 2, 0));
	keep(&cache, 1, 2, 0, "one");
	keep(&cache, 2, 1, 0, "two");
	keep(&cache, 1, 2, 1, "three");
	keep(&cache, 1, 1u << 20 | 2, 0, "four");
	keep(&cache, 0, 0, 0, "");
	EXPECT_STREQ("one", found(&cache, 1, 2, 0));
	EXPECT_STREQ("two", found(&cache, 2, 1, 0));
	EXPECT_STREQ("three", found(&cache, 1, 2, 1));
	EXPECT_STREQ("four", found(&cache, 1, 1u << 20 | 2, 0));
	EXPECT_STREQ("", found(&cache, 0, 0, 0));
	EXPECT_EQ(NULL, found(&cache, 1, 1, 0));
	line_cache_fini(&cache);
}

TEST(cache_of_worlds)
{
	struct line_world world = { .space = 1 };
	struct line_cache cache;

	ASSERT_EQ(0, line_cache_init(&cache));
	EXPECT_EQ(0, line_cache_world(&cache, &world));
	keep(&cache, 1, 2, 0, "one");
	world.until = 5;
	EXPECT_EQ(1, line_cache_world(&cache, &world));
	world.in_transaction = true;
	EXPECT_EQ(2, line_cache_world(&cache, &world));
	world = (struct line_world){ .space = 1 };
	EXPECT_EQ(0, line_cache_world(&cache, &world));
	EXPECT_STREQ("one", found(&cache, 1, 2, 0));
	/* one too many; the knowledge of the first one is not taken for its own */
	for (world.space = 2; world.space < LINE_WORLDS; world.space++)
		EXPECT_EQ(world.space + 1 < LINE_WORLDS ? world.space + 1 : 0,
			  line_cache_world(&cache, &world));
	EXPECT_EQ(NULL, found(&cache, 1, 2, 0));
	line_cache_fini(&cache);
}

/* However many are added, it stays within bounds, and knows the one added last. */
static void fill(struct __test_metadata *_metadata, size_t n)
{
	static char text[LINE_MAX + 1];
	struct line_cache cache;

	memset(text, 'x', n);
	text[n] = 0;
	ASSERT_EQ(0, line_cache_init(&cache));
	for (uint32_t i = 0; i < 300000; i++) {
		if (n >= sizeof(i))
			memcpy(text, &(uint32_t){ i | 0x80808080 }, sizeof(i));
		keep(&cache, i, i + 1, i % LINE_WORLDS, text);
		if (i % 1000 && i)
			continue;
		ASSERT_STREQ(text, found(&cache, i, i + 1, i % LINE_WORLDS));
		ASSERT_LE(cache.size_text, 16u << 20);
		ASSERT_LE(64 - cache.shift, 18);
		ASSERT_LE(cache.n_text + LINE_PIECE, cache.size_text);
	}
	line_cache_fini(&cache);
}

TEST(cache_is_bounded)
{
	fill(_metadata, 0);
	fill(_metadata, 60);
	fill(_metadata, LINE_MAX);
}

TEST_HARNESS_MAIN
