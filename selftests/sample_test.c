// SPDX-License-Identifier: GPL-2.0-only
/* Runs to samples: what each kind of branch is called, and what joins two pieces of trace. */
#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"
#undef ARRAY_SIZE

#include "../perf-plugin/perf-sample.h"

#define USER	0x400000ull
#define KERNEL	0xffff800000000000ull
#define SYNC	"async; info; on; "

static const uint32_t user[] = {
	0x94000004,	/* 00 bl 10 */
	0xd4000001,	/* 04 svc #0 */
	0x54000040,	/* 08 b.eq 10 */
	0xd61f0200,	/* 0c br x16 */
	0x14000002,	/* 10 b 18 */
	0xd4000002,	/* 14 hvc #0 */
	0xd65f03c0,	/* 18 ret */
	0xd63f0000,	/* 1c blr x0 */
	0xd503201f,	/* 20 nop */
	0x14000000,	/* 24 b 24 */
};

static const uint32_t kernel[] = {
	0xd503201f,	/* 0 nop */
	0xd69f03e0,	/* 4 eret */
};

FIXTURE(trace)
{
	struct csf_config config;
	struct csf_image *image;
	struct csf_decoder *dec;
	struct cs_samples it;
	struct cs_sample_state state;
	char text[4096];
	bool times;
	uint64_t input_time;
	struct cs_sample last, call;
	/* the same, branches in short where they are */
	struct cs_samples short_it;
	struct cs_sample_state short_state;
	char short_text[4096];
};

FIXTURE_SETUP(trace)
{
	int u, k;

	self->config = (struct csf_config){
		.size = sizeof(self->config), .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f422,
		.trcidr2 = 0x20001088, .trcconfigr = 0x40,
	};
	ASSERT_EQ(0, csf_image_new(&self->image));
	u = csf_section_bytes(self->image, user, sizeof(user));
	k = csf_section_bytes(self->image, kernel, sizeof(kernel));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, USER, sizeof(user), u, 0));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, KERNEL, sizeof(kernel), k, 0));
	self->dec = NULL;
	self->state = (struct cs_sample_state){ 0 };
	self->text[0] = 0;
	self->times = false;
	self->input_time = 0;
	memset(&self->it, 0, sizeof(self->it));
	self->short_state = self->state;
	self->short_text[0] = 0;
	self->short_it = self->it;
}

FIXTURE_TEARDOWN(trace)
{
	cs_samples_fini(&self->it);
	cs_samples_fini(&self->short_it);
	csf_free(self->dec);
	csf_image_free(self->image);
}

/* Packets in words, with ";" between them, to bytes. */
static size_t assemble(const struct csf_config *config, const char *text, uint8_t *out)
{
	char word[128];
	size_t n = 0;

	while (*text) {
		size_t len = strcspn(text, ";");
		struct csf_packet packet;
		const char *where;

		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (csf_packet_parse(config, word, &packet, &where)) {
			printf("# '%s' at '%s'\n", word, where);
			return 0;
		}
		n += csf_packet_write(config, out + n, &packet);
		text += len;
		text += strspn(text, "; ");
	}
	return n;
}

/* A line of what the sample is, with the fields that the test asks for. */
static void note(struct _test_data_trace *self, char *text, const struct cs_sample *s)
{
	static const char *const kind[] = { "", "insn ", "cycles ", "tx ", "error " };
	char line[160], *p = line, flags[24];

	p += sprintf(p, "%s%s%s %llx", s->wanted ? "" : "(", kind[s->kind],
		     s->kind == CS_SAMPLE_ERROR ? csf_gap_name(s->code) :
		     cs_sample_flags(s->flags, flags), (unsigned long long)s->ip);
	if (s->kind == CS_SAMPLE_BRANCH)
		p += sprintf(p, " %llx", (unsigned long long)s->addr);
	if (s->kind == CS_SAMPLE_INSN || s->kind == CS_SAMPLE_CYCLES)
		p += sprintf(p, " x%llu", (unsigned long long)s->period);
	if (s->kind == CS_SAMPLE_ERROR)
		p += sprintf(p, " lost %llu", (unsigned long long)s->lost);
	if (self->times)
		p += sprintf(p, " @%llu", (unsigned long long)s->time);
	if (s->cyc_cnt)
		p += sprintf(p, " %llu/%llu", (unsigned long long)s->insn_cnt,
			     (unsigned long long)s->cyc_cnt);
	sprintf(p, "%s\n", s->wanted ? "" : ")");
	if (strlen(text) + strlen(line) < sizeof(self->text))
		strcat(text, line);
	self->last = *s;
	if (s->flags & CS_FLAG_CALL && !(s->flags & CS_FLAG_TRACE_END))
		self->call = *s;
}

static void play_in_short(struct _test_data_trace *self, const struct cs_samples_input *in)
{
	struct cs_sample sample;
	struct cs_edge edge[3];

	if (cs_samples_run(&self->short_it, &self->short_state, in))
		return;
	for (;;) {
		size_t n = cs_samples_edges(&self->short_it, edge, 1 + in->run->seq % 3);

		for (size_t i = 0; i < n; i++)
			if (cs_samples_edge(&self->short_it, &edge[i], &sample))
				note(self, self->short_text, &sample);
		if (n)
			continue;
		if (!cs_samples_next(&self->short_it, &sample))
			return;
		note(self, self->short_text, &sample);
	}
}

/* One fragment: decodes @text and puts the samples into self->text, a line each. */
static void trace_play(struct _test_data_trace *self, const char *text)
{
	uint8_t bytes[512];
	size_t n = assemble(&self->config, text, bytes);
	struct cs_samples_input in = {
		.starts = true, .pid = 7, .tid = 8, .time = self->input_time,
	};
	struct cs_sample sample;
	struct csf_run run;

	if (!self->dec && csf_new(&self->dec, &self->config, self->image))
		return;
	csf_feed(self->dec, bytes, n);
	csf_end(self->dec);
	in.dec = self->dec;
	in.run = &run;
	while (csf_next(self->dec, &run) > 0) {
		if (cs_samples_run(&self->it, &self->state, &in))
			return;
		play_in_short(self, &in);
		while (cs_samples_next(&self->it, &sample))
			note(self, self->text, &sample);
		in.starts = false;
		in.tid++;
	}
	if (strcmp(self->text, self->short_text))
		strcat(strcpy(self->text, "in short it is "), self->short_text);
}

static void want(struct _test_data_trace *self, const struct cs_samples_options *options)
{
	cs_samples_fini(&self->it);
	cs_samples_fini(&self->short_it);
	cs_samples_init(&self->it, options, self->image);
	cs_samples_init(&self->short_it, options, self->image);
	self->state = (struct cs_sample_state){ 0 };
	self->short_state = self->state;
	self->text[0] = 0;
	self->short_text[0] = 0;
}

static void branches(struct _test_data_trace *self)
{
	const struct cs_samples_options options = { .branches = true };

	want(self, &options);
}

TEST_F(trace, names_of_branches)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x40001c; atom E;"
		   "addr 0x40000c; atom E; addr 0x400008; atom NE; addr 0x400024; atom E");
	EXPECT_STREQ("tr strt 0 400000\n"
		     "call 400000 400010\n"
		     "jmp 400010 400018\n"
		     "return 400018 40001c\n"
		     "call 40001c 40000c\n"
		     "jmp 40000c 400008\n"
		     "jmp 40000c 400024\n"
		     "tr end 400024 0\n", self->text);
}

TEST_F(trace, conditional_taken)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400008 el0 ns 64; atom EE");
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jcc 400008 400010\n"
		     "tr end 400010 0\n", self->text);
}

/* An exception takes the way out of the step before it, and its name. */
TEST_F(trace, system_call)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400004 el0 ns 64; exception call addr;"
		   "addr 0x400008; addr.ctx 0xffff800000000000 el1 ns 64; atom E; eret;"
		   "addr.ctx 0x400008 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400004\n"
		     "syscall 400004 ffff800000000000\n"
		     "sysret ffff800000000004 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
}

TEST_F(trace, interrupt)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400020 el0 ns 64; exception irq addr;"
		   "addr 0x400024; addr.ctx 0xffff800000000000 el1 ns 64; atom E; eret;"
		   "addr.ctx 0x400024 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400020\n"
		     "hw int 400020 ffff800000000000\n"
		     "iret ffff800000000004 400024\n"
		     "tr end 400024 0\n", self->text);
}

TEST_F(trace, hypercall_is_no_system_call)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400014 el1 ns 64; exception call addr;"
		   "addr 0x400018; addr.ctx 0xffff800000000000 el2 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400014\n"
		     "int 400014 ffff800000000000\n"
		     "tr end  iret ffff800000000004 0\n", self->text);
}

/* The same exceptions on ETE, which perf does not classify there. */
TEST_F(trace, system_call_of_ete)
{
	self->config.trcdevarch = 0x47715a13;
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400004 el0 ns 64; exception call addr;"
		   "addr 0x400008; addr.ctx 0xffff800000000000 el1 ns 64; atom E;"
		   "addr.ctx 0x400008 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400004\n"
		     "syscall 400004 ffff800000000000\n"
		     "sysret ffff800000000004 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
}

/* Trace that was off in between joins nothing. */
TEST_F(trace, off_and_on)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on;"
		   "addr.ctx 0x400024 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 0\n"
		     "tr strt 0 400024\n"
		     "tr end 400024 0\n", self->text);
}

/* A branch to code that is missing is whole; it is not joined to what comes later. */
TEST_F(trace, missing_code)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400018 el0 ns 64; atom E; addr 0x500000; atom E;"
		   "addr 0x400024; atom E");
	EXPECT_STREQ("tr strt 0 400018\n"
		     "return 400018 500000\n"
		     "tr strt 0 400024\n"
		     "tr end 400024 0\n", self->text);
}

/* A fragment joins nothing even if no packet says that trace went on. */
TEST_F(trace, no_trace_on)
{
	branches(self);
	trace_play(self, "async; info; addr.ctx 0x400010 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 0\n", self->text);
}

TEST_F(trace, fragments)
{
	const char *text = SYNC "addr.ctx 0x400010 el0 ns 64; atom E";

	branches(self);
	trace_play(self, text);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 0\n"
		     "tr strt 0 400010\n"
		     "tr end 400010 0\n", self->text);
}

/* Every third instruction, counted across branches; flags are its own. */
TEST_F(trace, instructions)
{
	const struct cs_samples_options options = { .insns = true, .period = 3 };

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400020; atom EE");
	EXPECT_STREQ("insn return 400018 x3\n"
		     "insn jmp 400024 x3\n", self->text);
}

/* ---------------------------------------------------------------- what is wanted */

static const char calls[] = SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400004;"
	"exception irq addr; addr 0x400004; addr.ctx 0xffff800000000000 el1 ns 64; atom E; eret;"
	"addr.ctx 0x400010 el0 ns 64; atom EE";

TEST_F(trace, only_calls)
{
	const struct cs_samples_options options = { .calls = true };

	want(self, &options);
	trace_play(self, calls);
	EXPECT_STREQ("call 400000 400010\n"
		     "hw int 400004 ffff800000000000\n"
		     "tr end  return 400018 0\n", self->text);
	EXPECT_EQ(0, self->last.ret);
}

TEST_F(trace, only_returns)
{
	const struct cs_samples_options options = { .returns = true };

	want(self, &options);
	trace_play(self, calls);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "return 400018 400004\n"
		     "iret ffff800000000004 400010\n"
		     "tr end  return 400018 0\n", self->text);
}

TEST_F(trace, calls_and_returns)
{
	const struct cs_samples_options options = { .calls = true, .returns = true };

	want(self, &options);
	trace_play(self, calls);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "call 400000 400010\n"
		     "return 400018 400004\n"
		     "hw int 400004 ffff800000000000\n"
		     "iret ffff800000000004 400010\n"
		     "tr end  return 400018 0\n", self->text);
}

/* The first four of all kinds are left out. */
TEST_F(trace, skip)
{
	const struct cs_samples_options options = {
		.branches = true, .insns = true, .period = 1, .skip = 4,
	};

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400010 el0 ns 64; atom EE");
	EXPECT_STREQ("tr end  return 400018 0\n", self->text);
}

TEST_F(trace, quick)
{
	const struct cs_samples_options options = {
		.branches = true, .insns = true, .period = 1, .quick = 1,
	};

	want(self, &options);
	trace_play(self, calls);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "insn  400000 x1\n"
		     "return 400018 400004\n"
		     "hw int 400004 ffff800000000000\n"
		     "insn  ffff800000000000 x1\n"
		     "iret ffff800000000004 400010\n"
		     "insn  400010 x1\n"
		     "tr end  return 400018 0\n", self->text);
}

TEST_F(trace, quicker)
{
	const struct cs_samples_options options = { .branches = true, .quick = 2 };

	want(self, &options);
	trace_play(self, calls);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "hw int 400004 ffff800000000000\n"
		     "iret ffff800000000004 400010\n"
		     "tr end  return 400018 0\n", self->text);
}

/* Each branch is told of between the instructions on its two sides. */
TEST_F(trace, moves)
{
	const struct cs_samples_options options = { .insns = true, .period = 1, .moves = true };

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EE");
	EXPECT_STREQ("(tr strt 0 400000)\n"
		     "insn call 400000 x1\n"
		     "(call 400000 400010)\n"
		     "insn jmp 400010 x1\n"
		     "(tr end 400010 0)\n", self->text);
}

TEST_F(trace, moves_that_are_samples)
{
	const struct cs_samples_options options = { .returns = true, .moves = true };

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400010; atom E");
	EXPECT_STREQ("tr strt 0 400000\n"
		     "(call 400000 400010)\n"
		     "(jmp 400010 400018)\n"
		     "return 400018 400010\n"
		     "(tr end 400010 0)\n", self->text);
}

/* ---------------------------------------------------------------- what is in a sample */

TEST_F(trace, where_a_call_returns_to)
{
	const struct cs_samples_options options = { .calls = true };

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x40001c el0 ns 64; atom E; addr 0x400000; atom EE");
	EXPECT_EQ(0x400000, self->call.ip);
	EXPECT_EQ(0x400004, self->call.ret);
	trace_play(self, SYNC "addr.ctx 0x400004 el0 ns 64; exception call addr; addr 0x400008;"
		   "addr.ctx 0xffff800000000000 el1 ns 64; atom N");
	EXPECT_EQ(0x400004, self->call.ip);
	EXPECT_EQ(0x400008, self->call.ret);
	trace_play(self, SYNC "addr.ctx 0x400020 el0 ns 64; atom E; exception irq addr;"
		   "addr 0x400024; addr.ctx 0xffff800000000000 el1 ns 64; atom N");
	EXPECT_EQ(0x400024, self->call.ip);
	EXPECT_EQ(0x400024, self->call.ret);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom E; addr.ctx 0x400010 el1 ns 64;"
		   "atom N");
	EXPECT_EQ(0x400000, self->call.ip);
	EXPECT_EQ(0x400004, self->call.ret);
}

/* Behind itself, however long it is: BLX of a register has two bytes. */
TEST_F(trace, where_a_call_of_t32_returns_to)
{
	static const uint8_t thumb[] = { 0x98, 0x47, 0xfe, 0xe7 };	/* blx r3, b . */
	const struct cs_samples_options options = { .calls = true };
	int section = csf_section_bytes(self->image, thumb, sizeof(thumb));

	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, 0x600000, sizeof(thumb), section, 0));
	want(self, &options);
	trace_play(self, SYNC "addr.ctx.is1 0x600000 el0 ns 32; atom E; addr.is1 0x600002; atom E");
	EXPECT_EQ(0x600000, self->call.ip);
	EXPECT_EQ(0x600002, self->call.addr);
	EXPECT_EQ(0x600002, self->call.ret);
}

/* Of both ends of a system call: each has its own context and thread. */
TEST_F(trace, places)
{
	const struct cs_samples_options options = { .calls = true };
	struct csf_context *context = &self->call.from.context;

	self->config.trcconfigr |= 0x40;
	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400004 el0 ns 64 cid=0x11; exception call addr;"
		   "addr 0x400008; addr.ctx 0xffff800000000000 el1 ns 64 cid=0x12; atom N");
	EXPECT_EQ(0, context->el);
	EXPECT_EQ(0x11, context->contextid);
	EXPECT_EQ(7, self->call.from.pid);
	EXPECT_EQ(10, self->call.from.tid);		/* run by run */
	context = &self->call.to.context;
	EXPECT_EQ(1, context->el);
	EXPECT_EQ(0x12, context->contextid);
	EXPECT_EQ(12, self->call.to.tid);
}

/* An interrupt where a branch goes to: the branch was taken. */
TEST_F(trace, interrupt_at_target)
{
	const char *text = SYNC "addr.ctx 0x400000 el0 ns 64; atom E; exception irq addr;"
		"addr 0x400010; addr.ctx 0xffff800000000000 el1 ns 64; atom E";

	branches(self);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "call 400000 400010\n"
		     "hw int 400010 ffff800000000000\n"
		     "tr end  iret ffff800000000004 0\n", self->text);
	EXPECT_EQ(0, self->call.insn_len);
	want(self, &(struct cs_samples_options){ .branches = true, .compat = true });
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "hw int 400000 ffff800000000000\n"
		     "tr end  iret ffff800000000004 0\n", self->text);
}

TEST_F(trace, transaction)
{
	const struct cs_samples_options options = { .branches = true, .transactions = true };

	self->config.trcdevarch = 0x47735a13;
	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400010 el0 ns 64; atom E; tm.start; addr 0x400018; atom E;"
		   "addr 0x400010; atom E; tm.commit; atom E; addr 0x400010; tm.start; atom E;"
		   "exception trans.fail unknown; addr 0x400024; atom E");
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tx x 400010\n"
		     "jmp 400010 400018\n"
		     "return            (x) 400018 400010\n"
		     "tx  400010\n"
		     "jmp               (x) 400010 400018\n"
		     "tx x 400018\n"
		     "return 400018 400010\n"
		     "tx tx abrt 400010\n"
		     "tx abrt 400010 400024\n"
		     "tr end 400024 0\n", self->text);
}

/* Bytes of instructions in the middle of a block, and of T32. */
TEST_F(trace, bytes)
{
	static const uint8_t thumb[] = { 0x00, 0xbf, 0x00, 0xf0, 0x00, 0xb8, 0xfe, 0xe7 };
	const struct cs_samples_options options = {
		.insns = true, .period = 1, .insn_bytes = true,
	};
	int section = csf_section_bytes(self->image, thumb, sizeof(thumb));

	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, 0x600000, sizeof(thumb), section, 0));
	want(self, &options);
	trace_play(self, SYNC "addr.ctx.is1 0x600000 el0 ns 32; atom E");
	EXPECT_STREQ("insn  600000 x1\n"
		     "insn jmp 600002 x1\n", self->text);
	EXPECT_EQ(4, self->last.insn_len);
	EXPECT_EQ(0, memcmp(self->last.insn, thumb + 2, 4));
	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x40001c el0 ns 64; atom E");
	EXPECT_EQ(0, memcmp(self->last.insn, &user[7], 4));
}

/* ---------------------------------------------------------------- errors */

static const char holes[] = SYNC "addr.ctx 0x400010 el0 ns 64; atom E; overflow;"
	"async; info; on; addr.ctx 0x400010 el0 ns 64; atom E; addr 0x500000; atom EE; atom E;"
	"addr 0x400024; atom E";

TEST_F(trace, errors)
{
	const struct cs_samples_options options = { .errors = true };

	want(self, &options);
	trace_play(self, holes);
	EXPECT_STREQ("error overflow 400018 lost 0\n"
		     "error image 500000 lost 3\n", self->text);
}

TEST_F(trace, errors_but_not_overflow)
{
	const struct cs_samples_options options = {
		.errors = true, .errors_not = CS_ERROR_OVERFLOW,
	};
	char text[64];

	want(self, &options);
	trace_play(self, holes);
	EXPECT_STREQ("error image 500000 lost 3\n", self->text);
	cs_sample_error_text(&self->last, text, sizeof(text));
	EXPECT_STREQ("no code, lost 3: get file: --symfs, -k, kcore", text);
	self->last.lost = UINT32_MAX;
	for (self->last.code = 0; self->last.code < CSF_GAP_NR; self->last.code++) {
		cs_sample_error_text(&self->last, text, sizeof(text));
		EXPECT_GT(63, strlen(text));
	}
}

/* A loss parts trace; that it was off does not. */
TEST_F(trace, losses_are_counted)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on; addr 0x400010; atom E");
	EXPECT_EQ(0, self->last.trace_nr);
	trace_play(self, holes);
	EXPECT_EQ(2, self->last.trace_nr);
}

/* ---------------------------------------------------------------- as perf with OpenCSD */

TEST_F(trace, compat_names)
{
	const struct cs_samples_options options = {
		.branches = true, .calls = true, .insns = true, .period = 2, .compat = true,
	};

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x40000c el0 ns 64; atom E; addr 0x400020; atom E");
	EXPECT_STREQ("tr strt 0 40000c\n"
		     "insn return 400020 x2\n"
		     "return 40000c 400020\n"
		     "tr end 400024 0\n", self->text);
}

TEST_F(trace, compat_flush)
{
	const struct cs_samples_options options = {
		.insns = true, .period = 100, .last_branch = true, .compat = true,
	};
	const char *text = SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on; addr 0x400020; atom E";

	want(self, &options);
	trace_play(self, text);
	EXPECT_STREQ("insn tr end 400010 x1\n"
		     "insn jmp 400024 x2\n"
		     "insn tr end 400024 x0\n", self->text);
}

/* ---------------------------------------------------------------- time */

#define TIMED	SYNC "addr.ctx 0x400000 el0 ns 64; time 1000; "

/* Ten instructions a round of 400000, 400010, 400018 and 40001c; here: 1 + 1 + 1 + 1 = 4. */
static const char round_[] = "atom EEE; addr 0x40001c; atom E; addr 0x400000; ";

static uint64_t twice(const void *context, uint64_t timestamp)
{
	return 2 * timestamp;
}

TEST_F(trace, time_between_timestamps)
{
	const struct cs_samples_options options = { .branches = true, .clock = twice };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; %s", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @2000\n"
		     "call 400000 400010 @2020\n"
		     "jmp 400010 400018 @2040\n"
		     "return 400018 40001c @2060\n"
		     "call 40001c 400000 @2080\n"
		     "call 400000 400010 @2100\n"
		     "jmp 400010 400018 @2120\n"
		     "return 400018 40001c @2140\n"
		     "tr end  call 40001c 0 @2160\n", self->text);
}

/* Of branches that are not shown the time is not asked for, so it does not wait for them. */
TEST_F(trace, time_of_calls)
{
	const struct cs_samples_options options = { .calls = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; atom EEE; addr 0x400010; atom EE;"
		 "addr 0x400010; atom EE; addr 0x400000; addr.ctx 0x400000 el1 ns 64; time 1050;"
		 "atom EEE", round_);
	trace_play(self, text);
	EXPECT_STREQ("call 400000 400010 @1010\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @1050\n"
		     "call 400000 400010 @1051\n"
		     "tr end  return 400018 0 @1054\n", self->text);
}

/* A timestamp behind a step that is not left by a branch */
TEST_F(trace, time_behind_no_branch)
{
	branches(self);
	self->times = true;
	trace_play(self, TIMED "atom EEE; addr 0x400008; atom N; time 1100; atom E; addr 0x400010;"
		   "atom EE; addr 0x400010; atom E; time 1180; atom E");
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1025\n"
		     "jmp 400010 400018 @1050\n"
		     "return 400018 400008 @1075\n"
		     "jmp 40000c 400010 @1120\n"
		     "jmp 400010 400018 @1140\n"
		     "return 400018 400010 @1160\n"
		     "jmp 400010 400018 @1180\n"
		     "tr end  return 400018 0 @1200\n", self->text);
}

/* The trace goes on faster than before: time waits where it had got to. */
TEST_F(trace, time_never_goes_back)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 1040; atom E; addr.ctx 0x400010 el1 ns 64;"
		 "atom EE; addr.ctx 0x400010 el0 ns 64; atom E; time 1044; atom E", round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "call 40001c 400000 @1040\n"
		     "call 400000 400010 @1050\n"
		     "jmp 400010 400018 @1060\n"
		     "return 400018 400010 @1060\n"
		     "jmp 400010 400018 @1060\n"
		     "tr end  return 400018 0 @1060\n", self->text);
}

/* A timestamp that goes back is none: the line goes on to the next. */
TEST_F(trace, timestamp_that_goes_back)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%stime 900; %stime 1080", round_, round_);
	trace_play(self, text);
	EXPECT_NE(NULL, strstr(self->text, "call 40001c 400000 @1040\n"
			       "call 400000 400010 @1050\n"
			       "jmp 400010 400018 @1060\n"
			       "return 400018 40001c @1070\n"
			       "tr end  call 40001c 0 @1080\n"));
}

/* Before the first timestamp it is as fast as behind it; behind a hole as before. */
TEST_F(trace, time_behind_a_hole)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400010 el0 ns 64; atom E; time 900; atom E;"
		 "addr 0x400010; time 910; on; addr 0x400000; %stime 2000; on", round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010 @890\n"
		     "jmp 400010 400018 @900\n"
		     "tr end  return 400018 0 @910\n"
		     "tr strt 0 400000 @1960\n"
		     "call 400000 400010 @1970\n"
		     "jmp 400010 400018 @1980\n"
		     "return 400018 40001c @1990\n"
		     "tr end  call 40001c 0 @2000\n", self->text);
}

TEST_F(trace, no_time)
{
	const struct cs_samples_options options = { .branches = true, .timeless = true };

	want(self, &options);
	self->times = true;
	trace_play(self, TIMED "atom E; time 1010");
	EXPECT_STREQ("tr strt 0 400000 @0\n"
		     "tr end  call 400000 0 @0\n", self->text);
	want(self, &options);
	self->input_time = 77;
	trace_play(self, TIMED "atom E; time 1010");
	EXPECT_STREQ("tr strt 0 400000 @77\n"
		     "tr end  call 400000 0 @77\n", self->text);
}

/* Trace that breaks off before the first timestamp: not later than the input says. */
TEST_F(trace, time_before_all_timestamps)
{
	const struct cs_samples_options options = { .branches = true };
	char text[512];

	want(self, &options);
	self->times = true;
	self->input_time = 990;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on;"
		 "addr 0x400000; %stime 1000; %stime 1040", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010 @990\n"
		     "tr end 400010 0 @990\n"
		     "tr strt 0 400000 @990\n"
		     "call 400000 400010 @992\n"
		     "jmp 400010 400018 @995\n"
		     "return 400018 40001c @997\n"
		     "call 40001c 400000 @1000\n"
		     "call 400000 400010 @1010\n"
		     "jmp 400010 400018 @1020\n"
		     "return 400018 40001c @1030\n"
		     "tr end  call 40001c 0 @1040\n", self->text);
}

/* Where clocks begin. */
TEST_F(trace, time_zero)
{
	const struct cs_samples_options options = { .branches = true };
	const struct cs_samples_options compat = { .insns = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	self->input_time = 20;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %stime 20; %stime 60",
		 round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400000 @0\n"
		     "call 400000 400010 @5\n"
		     "jmp 400010 400018 @10\n"
		     "return 400018 40001c @15\n"
		     "call 40001c 400000 @20\n"
		     "call 400000 400010 @30\n"
		     "jmp 400010 400018 @40\n"
		     "return 400018 40001c @50\n"
		     "tr end  call 40001c 0 @60\n", self->text);
	want(self, &compat);
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %s%s%stime 1; on;"
		 "addr 0x400010; atom E; on", round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(0, self->last.time);
}

/* Every 15 units; the time between is known from both ends. */
TEST_F(trace, period_in_time)
{
	const struct cs_samples_options options = {
		.insns = true, .period = 15, .period_unit = CS_PERIOD_TIME,
	};
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), TIMED "%s%stime 1080", round_, round_);
	trace_play(self, text);
	EXPECT_STREQ("insn jmp 400010 x2 @1020\n"
		     "insn return 400018 x1 @1030\n"
		     "insn call 400000 x2 @1050\n"
		     "insn jmp 400010 x1 @1060\n"
		     "insn call 40001c x2 @1080\n", self->text);
}

/* Without timestamps an instruction takes one unit. */
TEST_F(trace, period_in_time_without_time)
{
	const struct cs_samples_options options = {
		.insns = true, .period = 3, .period_unit = CS_PERIOD_TIME,
	};

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400010; atom E");
	EXPECT_STREQ("insn return 400018 x3\n", self->text);
}

/* As perf with OpenCSD: the timestamp before the last and 1 unit for 10 instructions. */
TEST_F(trace, compat_time)
{
	const struct cs_samples_options options = { .branches = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; %s%s%stime 1000; %stime 1100;"
		 "%s%s%s%s", round_, round_, round_, round_, round_, round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(1002, self->last.time);	/* 4 and 16 instructions */
	EXPECT_EQ(0, strncmp("tr strt 0 400000 @999\n", self->text, 22));
}

/* A timestamp that goes back, as in damaged trace: time stays. */
TEST_F(trace, compat_time_never_goes_back)
{
	const struct cs_samples_options options = { .branches = true, .compat = true };
	char text[512];

	want(self, &options);
	self->times = true;
	snprintf(text, sizeof(text), SYNC "addr.ctx 0x400000 el0 ns 64; time 1000; %stime 1100;"
		 "%stime 500; %s", round_, round_, round_);
	trace_play(self, text);
	EXPECT_EQ(1000, self->last.time);
}

/* ---------------------------------------------------------------- cycles */

#define COUNTED	SYNC "addr.ctx 0x400000 el0 ns 64; cc3 count=0; atom EE; cc3 count=1;" \
	"atom E; addr 0x40001c; atom E; addr 0x400000; cc3 count=3; atom EE"

static void count_cycles(struct csf_config *config)
{
	config->trcdevarch = 0x47705a13;
	config->trcconfigr |= 0x10;
}

TEST_F(trace, ipc)
{
	const struct cs_samples_options exact = { .branches = true, .ipc = true };
	const struct cs_samples_options rough = {
		.insns = true, .period = 3, .ipc = true, .approx_ipc = true,
	};
	const struct cs_samples_options every = { .insns = true, .period = 1, .ipc = true };

	count_cycles(&self->config);
	want(self, &exact);
	trace_play(self, COUNTED);
	EXPECT_STREQ("tr strt 0 400000\n"
		     "call 400000 400010\n"
		     "jmp 400010 400018 2/1\n"
		     "return 400018 40001c\n"
		     "call 40001c 400000 2/3\n"
		     "call 400000 400010\n"
		     "tr end 400010 0\n", self->text);
	want(self, &rough);
	trace_play(self, COUNTED);
	EXPECT_STREQ("insn return 400018 x3 3/1\n"
		     "insn jmp 400010 x3 3/3\n", self->text);
	want(self, &every);
	trace_play(self, COUNTED);
	EXPECT_STREQ("insn call 400000 x1\n"
		     "insn jmp 400010 x1 2/1\n"
		     "insn return 400018 x1\n"
		     "insn call 40001c x1 2/3\n"
		     "insn call 400000 x1\n"
		     "insn jmp 400010 x1\n", self->text);
}

/* A count where nothing branches is of no branch. */
TEST_F(trace, ipc_between_branches)
{
	const char *text = SYNC "addr.ctx 0x400008 el0 ns 64; cc3 count=0; atom N; cc3 count=2;"
		"atom E; addr 0x400008; atom N";
	struct cs_samples_options options = { .branches = true, .ipc = true };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
	options.approx_ipc = true;
	want(self, &options);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008 2/2\n"
		     "tr end  jcc 400008 0\n", self->text);
}

/* A count that is not known says nothing of those before it. */
TEST_F(trace, ipc_unknown)
{
	const struct cs_samples_options options = { .branches = true, .ipc = true };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400008 el0 ns 64; cc3 count=0; atom N; cc3 count=2;"
		   "atom E; cc1 unknown; addr 0x400008; atom N");
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jmp 40000c 400008\n"
		     "tr end  jcc 400008 0\n", self->text);
}

TEST_F(trace, cycles)
{
	const struct cs_samples_options options = { .cycles = true, .period = 2 };

	count_cycles(&self->config);
	want(self, &options);
	trace_play(self, COUNTED);
	EXPECT_STREQ("cycles jmp 400010 x1\n"
		     "cycles call 40001c x3\n", self->text);
}

TEST_HARNESS_MAIN
