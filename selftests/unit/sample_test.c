// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs to samples: the names of all kinds of branches, and the joints between two pieces of trace.
 */
#include "sample-trace.h"

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
		     "tr end 400024 400024\n", self->text);
}

TEST_F(trace, conditional_taken)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400008 el0 ns 64; atom EE");
	EXPECT_STREQ("tr strt 0 400008\n"
		     "jcc 400008 400010\n"
		     "tr end 400010 400018\n", self->text);
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
		     "tr end  jcc 400008 400010\n", self->text);
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
		     "tr end 400024 400024\n", self->text);
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
		     "tr end  jcc 400008 400010\n", self->text);
}

/* Trace that was off in between joins nothing. */
TEST_F(trace, off_and_on)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400010 el0 ns 64; atom E; on;"
		   "addr.ctx 0x400024 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 400018\n"
		     "tr strt 0 400024\n"
		     "tr end 400024 400024\n", self->text);
}

/* The target of an exception, or of a branch, was not traced: the trace still names it. */
TEST_F(trace, untraced)
{
	const char *const text = SYNC "addr.ctx 0x400020 el0 ns 64; exception irq addr;"
		"addr 0x400024; addr.ctx 0xffff800010011480 el1 ns 64; on;"
		"addr.ctx 0x400018 el0 ns 64; atom E; addr 0x500000; on;"
		"addr.ctx 0x400018 el0 ns 64; atom E; on;"
		"addr.ctx 0x400000 el0 ns 64; atom E; overflow; async; info; on;"
		"addr.ctx 0x400020 el0 ns 64; exception irq addr; addr 0x400024;"
		"addr.ctx 0xffff800010011480 el1 ns 64";

	branches(self);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400020\n"
		     "tr end  hw int 400020 ffff800010011480\n"
		     "tr strt 0 400018\n"
		     "tr end  return 400018 500000\n"
		     "tr strt 0 400018\n"
		     "tr end  return 400018 0\n"
		     "tr strt 0 400000\n"
		     "tr end  call 400000 400010\n"
		     "tr strt 0 400020\n"
		     "tr end  hw int 400020 ffff800010011480\n", self->text);
	want(self, &(struct cs_samples_options){ .branches = true, .compat = true });
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400020\n"
		     "tr end  hw int 400020 0\n"
		     "tr strt 0 400018\n"
		     "tr end  return 400018 0\n"
		     "tr strt 0 400018\n"
		     "tr end  return 400018 0\n"
		     "tr strt 0 400000\n"
		     "tr end  call 400000 0\n"
		     "tr strt 0 400020\n"
		     "tr end  hw int 400020 0\n", self->text);
}

/* After a branch execution took a path that the trace does not tell. */
TEST_F(trace, q_after_a_branch)
{
	self->config.trcidr0 |= 0x18000;
	self->config.trcconfigr |= 0x6000;
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400018 el0 ns 64; atom E; addr 0x400020; q 9;"
		   "addr 0x400000; atom E; addr 0x400018; atom E; q; addr 0x400000; atom E");
	EXPECT_STREQ("tr strt 0 400018\n"
		     "tr end  return 400018 400020\n"
		     "tr strt 0 400000\n"
		     "call 400000 400018\n"
		     "tr end  return 400018 0\n"
		     "tr strt 0 400000\n"
		     "tr end  call 400000 400010\n", self->text);
}

/* A branch to missing code is whole; it is not joined to later code. */
TEST_F(trace, missing_code)
{
	branches(self);
	trace_play(self, SYNC "addr.ctx 0x400018 el0 ns 64; atom E; addr 0x500000; atom E;"
		   "addr 0x400024; atom E");
	EXPECT_STREQ("tr strt 0 400018\n"
		     "return 400018 500000\n"
		     "tr strt 0 400024\n"
		     "tr end 400024 400024\n", self->text);
}

/* A fragment joins nothing even if no packet says that trace went on. */
TEST_F(trace, no_trace_on)
{
	branches(self);
	trace_play(self, "async; info; addr.ctx 0x400010 el0 ns 64; atom E");
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 400018\n", self->text);
}

TEST_F(trace, fragments)
{
	const char *text = SYNC "addr.ctx 0x400010 el0 ns 64; atom E";

	branches(self);
	trace_play(self, text);
	trace_play(self, text);
	EXPECT_STREQ("tr strt 0 400010\n"
		     "tr end 400010 400018\n"
		     "tr strt 0 400010\n"
		     "tr end 400010 400018\n", self->text);
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

/* Each branch comes between the instructions on its two sides. */
TEST_F(trace, moves)
{
	const struct cs_samples_options options = { .insns = true, .period = 1, .moves = true };

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EE");
	EXPECT_STREQ("(tr strt 0 400000)\n"
		     "insn call 400000 x1\n"
		     "(call 400000 400010)\n"
		     "insn jmp 400010 x1\n"
		     "(tr end 400010 400018)\n", self->text);
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
		     "(tr end 400010 400018)\n", self->text);
}

TEST_F(trace, moves_of_calls)
{
	const struct cs_samples_options options = {
		.returns = true, .moves = true, .only_calls = true,
	};

	want(self, &options);
	trace_play(self, SYNC "addr.ctx 0x400000 el0 ns 64; atom EEE; addr 0x400010; atom E");
	EXPECT_STREQ("tr strt 0 400000\n"
		     "(call 400000 400010)\n"
		     "return 400018 400010\n"
		     "(tr end 400010 400018)\n", self->text);
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

/* After the instruction, however long it is: BLX of a register has two bytes. */
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

/* For both ends of a system call: each has its own context and thread. */
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
		     "tr end 400024 400024\n", self->text);
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

/* A loss parts trace; a time when it was off does not. */
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

TEST_HARNESS_MAIN
