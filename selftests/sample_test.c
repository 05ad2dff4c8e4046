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
}

FIXTURE_TEARDOWN(trace)
{
	cs_samples_fini(&self->it);
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

static void note(struct _test_data_trace *self, const struct cs_sample *s)
{
	char flags[24];
	size_t n = strlen(self->text);

	snprintf(self->text + n, sizeof(self->text) - n, s->kind == CS_SAMPLE_BRANCH ?
		 "%s %llx %llx\n" : "insn %s %llx x%llu\n", cs_sample_flags(s->flags, flags),
		 (unsigned long long)s->ip, s->kind == CS_SAMPLE_BRANCH ?
		 (unsigned long long)s->addr : (unsigned long long)s->period);
}

/* One fragment: decodes @text and puts the samples into self->text, a line each. */
static void trace_play(struct _test_data_trace *self, const char *text)
{
	uint8_t bytes[512];
	size_t n = assemble(&self->config, text, bytes);
	struct cs_samples_input in = { .starts = true };
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
		while (cs_samples_next(&self->it, &sample))
			note(self, &sample);
		in.starts = false;
	}
}

static void branches(struct _test_data_trace *self)
{
	struct cs_samples_options options = { .branches = true };

	cs_samples_init(&self->it, &options, self->image);
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
	struct cs_samples_options options = { .insns = true, .period = 3 };

	cs_samples_init(&self->it, &options, self->image);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400020; atom EE");
	EXPECT_STREQ("insn return 400018 x3\n"
		     "insn jmp 400024 x3\n", self->text);
}

TEST_HARNESS_MAIN
