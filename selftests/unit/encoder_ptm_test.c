// SPDX-License-Identifier: GPL-2.0-only
/* The packets of a unit of PTM in bytes, and short traces that are written by hand. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/encode-unit.h"
#include "../../tools/encoder/ptm-wire.h"
#include "../lib/encoder-bytes.h"

static char problem[ENC_PROBLEM_MAX];

/* ---------------------------------------------------------------- option strings */

static const struct {
	const char *words;
	uint32_t etmidr, etmcr, etmccer;
} good[] = {
	{ "ptm=1.0", 0x4100f301, 0, 0x00800000 },
	{ "ptm=1.1", 0x4100f311, 0, 0x34c00000 },
	{ "ptm=1.1,rs,cid,ts=9", 0x4100f311, 0x3000c000, 0x34c00000 },
	{ "cid=8,bb,cc,ptm=1.1", 0x4100f311, 0x00005100, 0x34c00000 },
	{ "ptm=1.1,cid=16,vmid,barriers", 0x4100f311, 0x40008000, 0x35c00000 },
	{ "ptm=1.1,ts=9,gray,tsbits=48", 0x4100f311, 0x10000000, 0x04c00000 },
};

TEST(words)
{
	struct enc_setup s;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(enc_setup_parse(&s, good[i].words, problem), 0)
			TH_LOG("%s", problem);
		EXPECT_EQ(csf_config_problem(&s.config), NULL);
		EXPECT_EQ(csf_config_protocol(&s.config), CSF_PROTOCOL_PTM);
		EXPECT_EQ(s.config.etmidr, good[i].etmidr);
		EXPECT_EQ(s.config.etmcr, good[i].etmcr)
			TH_LOG("%s: %x", good[i].words, s.config.etmcr);
		EXPECT_EQ(s.config.etmccer, good[i].etmccer)
			TH_LOG("%s: %x", good[i].words, s.config.etmccer);
		EXPECT_EQ(s.config.trcidr0 | s.config.trcconfigr | s.config.trcidr1, 0);
	}
}

static const char *const bad[][2] = {
	{ "ptm=1.2", "ptm=1.2: want 1.0 to 1.1" },
	{ "ptm", "ptm: want 1.0 to 1.1" },
	{ "ptm=1.1,cc=4", "cc: PTM counts all cycles: want no number" },
	{ "ptm=1.1,bb=0-8", "bb: PTM has it everywhere: want no range" },
	{ "ptm=1.1,vmid=16", "vmid: PTM has 8 bits" },
	{ "ptm=1.0,vmid", "vmid: from PFT 1.1 on" },
	{ "ptm=1.0,ts=4,gray", "gray, tsbits=64: from PFT 1.1 on" },
	{ "ptm=1.1,gray", "gray, tsbits: of timestamps, so say ts=N too" },
	{ "ptm=1.1,ts=4,tsbits=50", "tsbits=50: want 48 or 64" },
	{ "q=4,ptm=1.1", "q: PTM does not have it" },
	{ "ptm=1.1,spec=4", "spec: PTM does not have it" },
	{ "ptm=1.1,m", "m: PTM does not have it" },
	{ "gray", "gray: ETE does not have it" },
	{ "cc", "cc: want a number" },
};

TEST(bad_words)
{
	struct enc_setup s;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(enc_setup_parse(&s, bad[i][0], problem), CSF_ERR_ARG)
			TH_LOG("%s", bad[i][0]);
		EXPECT_STREQ(problem, bad[i][1]);
	}
}

/* ---------------------------------------------------------------- packets */

FIXTURE(wire) {
	struct wire out;
	struct pft_wire w;
};

FIXTURE_SETUP(wire)
{
	struct enc_setup s;

	ASSERT_EQ(enc_setup_parse(&s, "ptm=1.1", problem), 0);
	ASSERT_EQ(wire_init(&self->out, &s.config), 0);
	self->w = (struct pft_wire){ .out = &self->out, .time_bits = 64, .isa = ENC_A32 };
}

FIXTURE_TEARDOWN(wire)
{
	wire_fini(&self->out);
}

TEST_F(wire, isyncs)
{
	struct pft_isync s = { .addr = 0x8000, .isa = ENC_A32, .reason = PFT_ON };

	pft_async(&self->w);
	EXPECT_BYTES(&self->out, "00 00 00 00 00 80");
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 00 80 00 00 21");
	s.isa = ENC_T32;
	s.state = (struct pft_state){ .ns = true, .hyp = true };
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 01 80 00 00 2b");

	self->w.cycles = true;
	self->w.cid_size = 4;
	s = (struct pft_isync){ .addr = 0x8000, .isa = ENC_A32, .reason = PFT_ON, .count = 5,
				.cid = 0x12345678 };
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 00 80 00 00 21 14 78 56 34 12");
	self->w.cid_size = 0;
	s.reason = PFT_AFTER_OVERFLOW;
	s.count = 2079;
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 00 80 00 00 41 7c 81 01");
	s.reason = PFT_PERIODIC;
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 00 80 00 00 01");
	s.reason = PFT_AFTER_HALT;
	s.count = 51;
	s.mark = true;
	pft_isync(&self->w, &s);
	EXPECT_BYTES(&self->out, "08 00 80 00 00 61 cc 03");
}

TEST_F(wire, atoms)
{
	static const struct {
		const char *atoms, *bytes;
	} rows[] = {
		{ "E", "84" }, { "N", "86" }, { "EE", "88" }, { "EN", "8a" }, { "NE", "8c" },
		{ "NN", "8e" }, { "EEE", "90" }, { "EEN", "92" }, { "NEE", "98" },
		{ "EEEE", "a0" }, { "EEEN", "a2" }, { "NEEE", "b0" }, { "EEEEE", "c0" },
		{ "EEEEN", "c2" }, { "NEEEE", "e0" }, { "NNNNN", "fe" },
		{ "EEEEEN", "c0 86" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (const char *a = rows[i].atoms; *a; a++)
			pft_atom(&self->w, *a == 'E', 7);
		pft_flush(&self->w);
		EXPECT_BYTES(&self->out, rows[i].bytes);
	}
}

TEST_F(wire, counted_atoms)
{
	static const struct {
		bool taken;
		uint32_t count;
		const char *bytes;
	} rows[] = {
		{ true, UINT32_MAX, "fc ff ff ff 7f" }, { true, 1, "84" }, { true, 15, "bc" },
		{ true, 16, "c0 01" }, { true, 522, "e8 20" }, { false, 23, "de 01" },
		{ true, 0, "80" },
	};

	self->w.cycles = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pft_atom(&self->w, rows[i].taken, rows[i].count);
		EXPECT_BYTES(&self->out, rows[i].bytes);
	}
}

/* Each packet goes on from the address of the one before. */
TEST_F(wire, branches)
{
	static const struct {
		struct pft_branch b;
		const char *bytes;
	} rows[] = {
		{ { .addr = 0x12345678, .isa = ENC_A32 }, "bd d6 e8 c8 08" },
		{ { .addr = 0x12345678, .isa = ENC_T32 }, "f9 ac d1 91 11" },
		{ { .addr = 0x1234567a, .isa = ENC_T32 }, "7b" },
		{ { .addr = 0x00000018, .isa = ENC_A32, .exception = PFT_IRQ },
		  "8d 80 80 80 48 1c" },
		{ { .addr = 0x00000008, .isa = ENC_A32 }, "05" },
		{ { .addr = 0x00008000, .isa = ENC_A32 }, "81 80 01" },
		{ { .addr = 0x00008018, .isa = ENC_A32, .exception = PFT_FIQ }, "8d 40 1e" },
		/* The state alone */
		{ { .addr = 0x0000801c, .isa = ENC_A32, .state = { .ns = true } }, "8f 40 01" },
		{ { .addr = 0x0000801c, .isa = ENC_A32, .state = { .ns = true, .hyp = true } },
		  "8f 40 81 20" },
		{ { .addr = 0x00008014, .isa = ENC_A32, .exception = PFT_HYP,
		    .state = { .ns = true } }, "8b 40 87 00" },
		{ { .addr = 0x02348000, .isa = ENC_A32, .state = { .ns = true } },
		  "81 80 e9 08" },
	};

	const struct pft_branch counted = {
		.addr = 0x02348004, .isa = ENC_A32, .state = { .ns = true }, .count = 20,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pft_branch(&self->w, &rows[i].b);
		EXPECT_BYTES(&self->out, rows[i].bytes);
	}
	self->w.cycles = true;
	pft_branch(&self->w, &counted);
	EXPECT_BYTES(&self->out, "03 50 01");
}

/* The lowest bit that an address with so many bytes does not have. */
TEST_F(wire, branches_reach)
{
	static const struct {
		uint32_t changed;
		size_t n;
	} rows[] = {
		{ 1u << 7, 1 }, { 1u << 8, 2 }, { 1u << 13, 2 }, { 1u << 14, 3 }, { 1u << 20, 3 },
		{ 1u << 21, 4 }, { 1u << 27, 4 }, { 1u << 28, 5 }, { 1u << 31, 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int t32 = 0; t32 < 2; t32++) {
			const enum enc_isa isa = t32 ? ENC_T32 : ENC_A32;
			const struct pft_branch b = { rows[i].changed >> t32, isa };

			self->w.addr = 0;
			self->w.isa = isa;
			pft_branch(&self->w, &b);
			EXPECT_EQ(self->out.n, rows[i].n)
				TH_LOG("%x", b.addr);
			self->out.n = 0;
		}
}

TEST_F(wire, waypoints)
{
	pft_waypoint(&self->w, 0x20, ENC_A32);
	EXPECT_BYTES(&self->out, "72 10");
	pft_waypoint(&self->w, 0x8020, ENC_A32);
	EXPECT_BYTES(&self->out, "72 90 80 01");
	pft_waypoint(&self->w, 0x8022, ENC_T32);
	EXPECT_BYTES(&self->out, "72 a2 80 82 80 10");
}

TEST_F(wire, times)
{
	struct pft_wire *w = &self->w;

	pft_time(w, 5, false, 0);
	EXPECT_BYTES(&self->out, "42 05");
	pft_time(w, 0x81, true, 0);
	EXPECT_BYTES(&self->out, "46 81 01");
	w->time_full = true;
	pft_time(w, 0x82, false, 0);
	EXPECT_BYTES(&self->out, "42 82 81 80 80 80 80 80 80 00");
	pft_time(w, UINT64_MAX, false, 0);
	EXPECT_BYTES(&self->out, "42 ff ff ff ff ff ff ff ff ff");
	w->time_bits = 48;
	w->time = 0;
	pft_time(w, UINT64_MAX, false, 0);
	EXPECT_BYTES(&self->out, "42 ff ff ff ff ff ff 3f");
	w->gray = true;
	w->time = 0;
	pft_time(w, 2, false, 0);
	EXPECT_BYTES(&self->out, "42 03");
	w->cycles = true;
	pft_time(w, 3, false, 17);
	EXPECT_BYTES(&self->out, "42 02 44 01");
}

TEST_F(wire, others)
{
	pft_vmid(&self->w, 4);
	EXPECT_BYTES(&self->out, "3c 04");
	self->w.cid_size = 2;
	pft_context_id(&self->w, 0x1234);
	EXPECT_BYTES(&self->out, "6e 34 12");
	/* The atoms before it come first. */
	pft_atom(&self->w, true, 0);
	pft_header(&self->w, PFT_TRIGGER);
	pft_header(&self->w, PFT_IGNORE);
	pft_header(&self->w, PFT_ERET);
	EXPECT_BYTES(&self->out, "84 0c 66 76");
}

/* ---------------------------------------------------------------- traces */

#define NOP	0xe1a00000
#define B	0xea000000	/* to 8 after it */
#define BL	0xeb000000
#define BX_LR	0xe12fff1e
#define BLX_R0	0xe12fff30
#define SVC	0xef000000
#define DSB	0xf57ff04f
#define ERET	0xe160006e

FIXTURE(unit) {
	struct encoder *e;
};

FIXTURE_SETUP(unit)
{
}

FIXTURE_TEARDOWN(unit)
{
	enc_free(self->e);
}

static struct encoder *begin(const char *words)
{
	const struct enc_context user = { .security = CSF_NONSECURE };
	struct enc_setup setup;
	struct encoder *e;

	if (enc_setup_parse(&setup, words, problem) || enc_new(&e, &setup, NULL))
		abort();
	enc_start(e, 0x1000, ENC_A32, &user);
	return e;
}

/* The block of the opcodes given, up to 0, and where it goes. */
static enum enc_lost block(struct encoder *e, uint64_t pc, uint32_t a, uint32_t b, uint64_t next)
{
	const uint32_t code[] = { a, b };
	struct enc_block block = { .pc = pc, .isa = ENC_A32 };

	enc_scan(&e->setup, &block, code, b ? 8 : 4);
	return enc_block(e, &block, next, ENC_A32);
}

/* Drops the A-sync and the I-sync. */
static void from_start(struct encoder *e)
{
	if (e->wire.n < 12 || memcmp(e->wire.p, "\0\0\0\0\0\x80\x08\0\x10\0\0\x29", 12))
		abort();
	e->wire.n -= 12;
	memmove(e->wire.p, e->wire.p + 12, e->wire.n);
}

TEST_F(unit, return_stack)
{
	struct encoder *e = self->e = begin("ptm=1.1,rs");

	block(e, 0x1000, NOP, BL, 0x100c);
	block(e, 0x100c, BX_LR, 0, 0x1008);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "88");
}

/* Elsewhere than to where the call came from; then the entry is still there. */
TEST_F(unit, no_match)
{
	struct encoder *e = self->e = begin("ptm=1.1,rs");

	block(e, 0x1000, NOP, BL, 0x100c);
	block(e, 0x100c, BX_LR, 0, 0x1040);
	block(e, 0x1040, BX_LR, 0, 0x1008);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "84 21 84");
}

/* An exception return goes where the last call would return to, and is told all the same. */
TEST_F(unit, return_is_told)
{
	struct encoder *e = self->e = begin("ptm=1.1,rs");

	block(e, 0x1000, NOP, BL, 0x100c);
	block(e, 0x100c, ERET, 0, 0x1008);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "84 05 76");
}

/* So is a call that goes there. */
TEST_F(unit, call_is_told)
{
	struct encoder *e = self->e = begin("ptm=1.1,rs");

	block(e, 0x1000, NOP, BL, 0x100c);
	block(e, 0x100c, BLX_R0, 0, 0x1008);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "84 05");
}

/* After an overflow the I-sync says so; a decoder need not join anew, but may. */
TEST_F(unit, overflow)
{
	struct encoder *e = self->e = begin("ptm=1.1,lose=1");

	block(e, 0x1000, NOP, BL, 0x100c);
	enc_lose(e, ENC_LOST_OVERFLOW);
	EXPECT_EQ(block(e, 0x100c, NOP, BX_LR, 0x1008), ENC_LOST_OVERFLOW);
	enc_resume(e);
	EXPECT_EQ(block(e, 0x1008, NOP, BX_LR, 0x1040), ENC_KEPT);
	from_start(e);
	if (e->wire.n > 8) {
		EXPECT_EQ(memcmp(e->wire.p + 1, "\0\0\0\0\0\x80", 6), 0);
		e->wire.n -= 6;
		memmove(e->wire.p + 1, e->wire.p + 7, e->wire.n - 1);
	}
	EXPECT_BYTES(&e->wire, "84 08 08 10 00 00 49 21");
}

TEST_F(unit, broadcast)
{
	struct encoder *e = self->e = begin("ptm=1.1,bb");

	block(e, 0x1000, NOP, B, 0x100c);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "07");
}

/* A call is told where it was executed; at the target of a branch nothing is told. */
TEST_F(unit, exceptions)
{
	const struct enc_context kernel = { .el = 1, .security = CSF_NONSECURE };
	const uint32_t code[] = { NOP, SVC };
	struct enc_block part = { .pc = 0x1000, .isa = ENC_A32 };
	struct encoder *e = self->e = begin("ptm=1.1");

	enc_scan(&e->setup, &part, code, sizeof(code));
	EXPECT_EQ(part.n_insn, 2);
	EXPECT_EQ(enc_part(e, &part), ENC_KEPT);
	EXPECT_EQ(enc_exception(e, ENC_EXC_CALL, 0x1008), ENC_KEPT);
	EXPECT_EQ(enc_exception_number(e, ENC_EXC_CALL), PFT_SVC);
	enc_handler(e, 0xffff0008, ENC_A32, &kernel);
	EXPECT_EQ(enc_exception(e, ENC_EXC_IRQ, 0xffff0008), ENC_KEPT);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "72 02 85 80 fe ff 4f 15 8d 40 1d");
}

/* The state after it is told by the branch, which waits for it; the return comes after that. */
TEST_F(unit, exception_returns)
{
	static const char *const want[][2] = {
		{ "ptm=1.1,rs", "87 50 00 76" }, { "ptm=1.0,rs", "87 50 00" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct enc_context secure = { .security = CSF_SECURE };
		struct encoder *e = self->e = begin(want[i][0]);

		block(e, 0x1000, ERET, 0, 0x100c);
		enc_context(e, &secure);
		enc_stop(e);
		from_start(e);
		EXPECT_BYTES(&e->wire, want[i][1]);
		enc_free(e);
		self->e = NULL;
	}
}

/* Code without waypoints for more than 4096 bytes, and barriers that are waypoints. */
TEST_F(unit, far)
{
	struct enc_block plain = { .pc = 0x1000, .isa = ENC_A32 };
	static uint32_t code[1030];
	struct encoder *e = self->e = begin("ptm=1.1,barriers");

	for (size_t i = 0; i < ARRAY_SIZE(code); i++)
		code[i] = NOP;
	enc_scan(&e->setup, &plain, code, sizeof(code));
	EXPECT_EQ(plain.n_insn, ARRAY_SIZE(code));
	enc_block(e, &plain, 0x1000 + sizeof(code), ENC_A32);
	block(e, 0x1000 + sizeof(code), DSB, 0, 0x1000 + sizeof(code) + 4);
	enc_stop(e);
	from_start(e);
	EXPECT_BYTES(&e->wire, "72 8a 20 84");
}

TEST_HARNESS_MAIN
