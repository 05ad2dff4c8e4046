// SPDX-License-Identifier: GPL-2.0-only
/* Bytes: option strings to registers, and packets as the architecture has them. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/encode-unit.h"
#include "../lib/encoder-bytes.h"

static char problem[ENC_PROBLEM_MAX];

/* ---------------------------------------------------------------- option strings */

static const struct {
	const char *words;
	struct csf_config config;
} good[] = {
	{ "", { .trcdevarch = 0x47715a13, .trcidr0 = 0x2801cea1, .trcidr1 = 0x4100fff0,
		.trcidr2 = 0xd0001088, .trcconfigr = 1 } },
	{ "ete=1.0,rs,ts=100,cid,vmid", { .trcdevarch = 0x47705a13, .trcidr0 = 0x2801cea1,
		.trcidr1 = 0x4100fff0, .trcidr2 = 0xd0001088, .trcconfigr = 0x18c1 } },
	{ "ete=1.3,cc=4,marker,ts=1", { .trcdevarch = 0x47735a13, .trcidr0 = 0x28c1cea1,
		.trcidr1 = 0x4100fff0, .trcidr2 = 0xd0001088, .trcconfigr = 0x811 } },
	{ "etm4=4.2,vmid=8,bb,vmidopt", { .trcidr0 = 0x2801cea1, .trcidr1 = 0x4100f423,
		.trcidr2 = 0x50000488, .trcconfigr = 0x8089 } },
	{ "etm4=4.6,q=10:1", { .trcidr0 = 0x2800cea1, .trcidr1 = 0x4100f463,
		.trcidr2 = 0xd0001088, .trcconfigr = 0x2001 } },
	{ "q=10,spec=9:3,commopt=0,wfx=0", { .trcdevarch = 0x47715a13, .trcidr0 = 0x0801cea1,
		.trcidr1 = 0x4100fff0, .trcidr2 = 0x50001088, .trcidr8 = 9,
		.trcconfigr = 0x6001 } },
	{ "tm=5,spec=4,commtrans", { .trcdevarch = 0x47715a13, .trcidr0 = 0x6801cea1,
		.trcidr1 = 0x4100fff0, .trcidr2 = 0xd0001088, .trcidr8 = 4,
		.trcconfigr = 1 } },
};

TEST(registers)
{
	struct enc_setup s;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct csf_config want = good[i].config;

		want.size = sizeof(want);
		ASSERT_EQ(enc_setup_parse(&s, good[i].words, problem), 0)
			TH_LOG("%s: %s", good[i].words, problem);
		EXPECT_EQ(memcmp(&s.config, &want, sizeof(want)), 0)
			TH_LOG("%s: %x %x %x %x %x", good[i].words, s.config.trcidr0,
			       s.config.trcidr1, s.config.trcidr2, s.config.trcdevarch,
			       s.config.trcconfigr);
	}
}

/* An error names the wrong word. */
static const char *const bad[][2] = {
	{ "rs,xyz=3", "xyz=3: no such word" },
	{ "ete=1.4", "ete=1.4: want 1.0 to 1.3" },
	{ "ete=1.11", "ete=1.11: want 1.0 to 1.3" },
	{ "etm4=5.0", "etm4=5.0: want 4.0 to 4.6" },
	{ "ete", "ete: want 1.0 to 1.3" },
	{ "rs=16", "rs=16: out of range" },
	{ "rs=", "rs=: want a number" },
	{ "cc=1x", "cc=1x: want a number" },
	{ "cc=-1", "cc=-1: want a number" },
	{ "cc", "cc: want a number" },
	{ "ts=0", "ts=0: out of range" },
	{ "range=0x10", "range=0x10: want FROM-TO" },
	{ "range=0x20-0x10", "range=0x20-0x10: empty range" },
	{ "range=1-2,range=1-2,range=1-2,range=1-2,range=1-2,range=1-2,range=1-2,range=1-2,"
	  "range=1-3", "range=1-3: too many of these" },
	{ "strobe=5", "strobe=5: want N:N" },
	{ "strobe=0:5", "strobe=0:5: want two numbers above 0" },
	{ "q=5:2", "q=5:2: want N, N:1 or N:3" },
	{ "spec=0", "spec=0: out of range" },
	{ "spec=2000:1", "spec=2000:1: want a depth from 1 to 1000" },
	{ "vmid=12", "vmid=12: want 8, 16 or 32" },
	{ "cid=16", "cid: want 32" },
	{ "marker=1,ts=5", "marker=1: has no value" },
	{ "wfx=2", "wfx=2: want 0 or 1" },
	{ "marker", "marker: of timestamps, so say ts=N too" },
	{ "ete=1.0,marker,ts=5", "marker: ETMv4.6, or from ETE 1.1 on" },
	{ "etm4=4.4,source=5", "source: ETMv4 has no source addresses" },
	{ "etm4=4.4,tm=5", "tm: ETMv4 has no transactions" },
	{ "ite=5", "ite: from ETE 1.3 on" },
	{ "etm4=4.2,ignore=5", "ignore: from ETMv4.3 on" },
	{ "etm4=4.2,wfx=1", "wfx: from ETMv4.3 on" },
	{ "q=5,bb", "q: not with bb" },
	{ "commopt=0", "commopt=0: with spec=DEPTH only" },
	{ "commtrans", "commtrans: ETE, with spec=DEPTH" },
	{ "vmid=16", "vmid: ETE has 32 bits" },
	{ "etm4=4.0,vmid", "vmid: ETMv4.0 has vmid=8" },
	{ "rs,,cc=4", ": no such word" },
	{ "seed=1234567890123456789012345678901234567890123456789012345678901234567890",
	  "seed=1234567890123456789012345678901234567890123456789012345678: too long" },
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
	struct enc_setup setup;
	struct wire w;
};

FIXTURE_SETUP(wire)
{
	ASSERT_EQ(enc_setup_parse(&self->setup, "ete=1.3,cc=4,cid,vmid,ts=1", problem), 0);
	ASSERT_EQ(wire_init(&self->w, &self->setup.config), 0);
}

FIXTURE_TEARDOWN(wire)
{
	wire_fini(&self->w);
}

static void atoms(struct wire *w, const char *text)
{
	for (; *text; text++)
		wire_atom(w, *text == 'E');
	wire_flush(w);
}

/* Every string of atoms comes out as it went in; the packer's forms are those of the sheet. */
TEST_F(wire, atom_forms)
{
	static const char *const forms[][2] = {
		{ "E", "f7" }, { "N", "f6" }, { "NN", "d8" }, { "EN", "d9" }, { "NE", "da" },
		{ "EE", "db" }, { "NNN", "f8" }, { "ENN", "f9" }, { "NEN", "fa" },
		{ "EEN", "fb" }, { "NNE", "fc" }, { "ENE", "fd" }, { "NEE", "fe" },
		{ "EEE", "ff" }, { "NEEE", "dc" }, { "NNNN", "dd" }, { "NENE", "de" },
		{ "ENEN", "df" }, { "NEEEE", "f5" }, { "NNNNN", "d5" }, { "NENEN", "d6" },
		{ "ENENE", "d7" }, { "EEEE", "c0" }, { "EEEN", "e0" }, { "EEEEEN", "e2" },
		{ "EEEEEEEEEEEEEEEEEEEEEEEE", "d4" }, { "EEEEEEEEEEEEEEEEEEEEEEEEE", "d4 f7" },
		{ "EEEEEEEEEEEEEEEEEEEEEEEN", "f4" },
		{ "EENN", "fb f6" }, { "NEEEN", "dc f6" }, { "NNEEE", "fc db" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		atoms(&self->w, forms[i][0]);
		EXPECT_BYTES(&self->w, forms[i][1]);
	}
}

TEST_F(wire, atoms_come_back)
{
	const struct csf_config *config = &self->setup.config;
	struct csf_packet packet;
	struct dice dice;

	dice_seed(&dice, 1);
	for (int i = 0; i < 3000; i++) {
		const uint32_t n = dice_below(&dice, 80), bias = 1 + dice_below(&dice, 9);
		uint8_t want[80];
		size_t at = 0;
		uint32_t got = 0;

		for (uint32_t j = 0; j < n; j++) {
			want[j] = dice_below(&dice, 10) < bias;
			wire_atom(&self->w, want[j]);
		}
		wire_flush(&self->w);
		while (at < self->w.n) {
			at += csf_packet_read(config, self->w.p + at, self->w.n - at, &packet);
			ASSERT_EQ(packet.type, CSF_PKT_ATOM);
			for (uint32_t j = 0; j < packet.n && got < n; j++)
				ASSERT_EQ(packet.val >> j & 1, want[got++]);
		}
		ASSERT_EQ(got, n);
		self->w.n = 0;
	}
}

/* Each form where it is the shortest; the addresses sent before are known. */
TEST_F(wire, address_forms)
{
	struct wire *w = &self->w;

	wire_address(w, 0x1000, ENC_A64);
	EXPECT_BYTES(w, "95 80 08");
	wire_address(w, 0x1010, ENC_A64);
	EXPECT_BYTES(w, "95 04");
	wire_address(w, 0x1010, ENC_A64);
	EXPECT_BYTES(w, "90");
	wire_address(w, 0x1000, ENC_A64);
	EXPECT_BYTES(w, "92");
	wire_address(w, 0x1020, ENC_A64);
	EXPECT_BYTES(w, "95 08");
	wire_address(w, 0x1000, ENC_A64);
	EXPECT_BYTES(w, "91");
	wire_address(w, 0x31000, ENC_A64);
	EXPECT_BYTES(w, "9a 00 08 03 00");
	wire_address(w, 0xffff000000031234, ENC_A64);
	EXPECT_BYTES(w, "9d 0d 09 03 00 00 00 ff ff");
	wire_address(w, 0xffff000000001008, ENC_A64);
	EXPECT_BYTES(w, "9a 02 08 00 00");
	wire_address(w, 0x1008, ENC_A64);
	EXPECT_BYTES(w, "9d 02 08 00 00 00 00 00 00");
	/* The instruction set is part of it. */
	wire_address(w, 0x1008, ENC_T32);
	EXPECT_BYTES(w, "96 04");
	wire_address(w, 0x1810, ENC_T32);
	EXPECT_BYTES(w, "96 88 18");
	wire_address(w, 0x12341000, ENC_T32);
	EXPECT_BYTES(w, "9b 00 10 34 12");
	wire_address(w, 0x1234567812341002, ENC_T32);
	EXPECT_BYTES(w, "9e 01 10 34 12 78 56 34 12");
	wire_source(w, 0x1234567812341002, ENC_T32);
	EXPECT_BYTES(w, "b0");
	wire_source(w, 0x1234567812341006, ENC_T32);
	EXPECT_BYTES(w, "b5 03");
	wire_source(w, 0x1234567812342000, ENC_A32);
	EXPECT_BYTES(w, "b4 80 10");
	wire_source(w, 0x12345678fff42000, ENC_A32);
	EXPECT_BYTES(w, "b6 00 10 f4 ff");
	wire_source(w, 0, ENC_A32);
	EXPECT_BYTES(w, "b8 00 00 00 00 00 00 00 00");
	/* Of 64 bits, and the lowest of the upper half differs alone. */
	wire_address(w, 0x100000000, ENC_A64);
	EXPECT_BYTES(w, "9d 00 00 00 00 01 00 00 00");
}

/* COMMOPT is 1: no commit; threshold 4. */
TEST_F(wire, cycles_and_time)
{
	struct wire *w = &self->w;

	wire_cycles(w, 2, 0);
	EXPECT_BYTES(w, "12");
	wire_cycles(w, 1, 0);
	EXPECT_BYTES(w, "11");
	wire_cycles(w, 5, 0);
	EXPECT_BYTES(w, "0d f5");
	wire_cycles(w, 0x85, 0);
	EXPECT_BYTES(w, "0e 85 01");
	wire_cycles(w, UINT32_MAX, 0);
	EXPECT_BYTES(w, "0f");
	wire_time(w, 0x4185, false, 0);
	EXPECT_BYTES(w, "02 85 83 01");
	wire_time(w, 0x4186, false, 0);
	EXPECT_BYTES(w, "02 06");
	wire_time(w, 0x4006, false, 0);
	EXPECT_BYTES(w, "02 86 00");
	wire_time(w, 0x4006, true, 144);
	EXPECT_BYTES(w, "03 06 90 01");
	wire_time(w, 0x880e182840608080, false, 0);
	EXPECT_BYTES(w, "02 80 81 82 83 84 85 86 87 88");
}

/* COMMOPT is 0, MAXSPEC 40. */
TEST_F(wire, cycles_commit)
{
	struct wire *w = &self->w;

	w->config.trcidr0 &= ~(1u << 29);
	w->config.trcidr8 = 40;
	wire_cycles(w, 3, 4);
	EXPECT_BYTES(w, "1f");
	wire_cycles(w, 5, 2);
	EXPECT_BYTES(w, "0c 15");
	wire_cycles(w, 3, 40);
	EXPECT_BYTES(w, "0d f3");
	wire_cycles(w, 3, 25);
	EXPECT_BYTES(w, "0d 03");
	wire_cycles(w, 3, 20);
	EXPECT_BYTES(w, "0e 14 03");
	wire_cycles(w, 300, 1);
	EXPECT_BYTES(w, "0e 01 ac 02");
	wire_cycles(w, UINT32_MAX, 3);
	EXPECT_BYTES(w, "0f 03");
	wire_commit(w, 200);
	EXPECT_BYTES(w, "2d c8 01");
	wire_cancel(w, 2, false);
	EXPECT_BYTES(w, "2e 02");
	wire_cancel(w, 2, true);
	EXPECT_BYTES(w, "2f 02");
}

TEST_F(wire, exceptions_and_q)
{
	struct wire *w = &self->w;
	const struct enc_context el0 = { .security = CSF_NONSECURE, .bits64 = true };

	w->config.trcconfigr &= ~0xc0;
	wire_address(w, 0x400000, ENC_A64);
	w->n = 0;
	wire_exception(w, ENC_EXC_CALL, false, 0x400010, ENC_A64, NULL);
	EXPECT_BYTES(w, "06 05 95 04");
	wire_exception(w, ENC_EXC_IRQ, false, 0x400010, ENC_A64, NULL);
	EXPECT_BYTES(w, "06 1d 90");
	wire_exception(w, ENC_EXC_IRQ, true, 0x1000, ENC_A64, NULL);
	EXPECT_BYTES(w, "06 5c 9a 00 08 00 00");
	wire_exception(w, ENC_EXC_IRQ, false, 0x1004, ENC_A64, &el0);
	EXPECT_BYTES(w, "06 1d 81 30 95 01");
	wire_exception(w, ENC_EXC_IRQ, false, 0x401000, ENC_A64, &el0);
	EXPECT_BYTES(w, "06 1d 82 00 08 40 00 30");
	wire_exception_unknown(w, 0x18);
	EXPECT_BYTES(w, "06 31 70");
	wire_exception_unknown(w, ENC_EXC_RESET);
	EXPECT_BYTES(w, "06 01 70");
	wire_exception(w, 0x208, false, 0, ENC_A64, NULL);
	EXPECT_BYTES(w, "06 91 10 90");

	wire_q(w, 2, false, 0x8, ENC_A64);
	EXPECT_BYTES(w, "a5 02 02");
	wire_q(w, 2, false, 0x8, ENC_A64);
	EXPECT_BYTES(w, "a0 02");
	wire_q(w, 200, false, 0x1008, ENC_A64);
	EXPECT_BYTES(w, "a5 82 08 c8 01");
	wire_q(w, 2, false, 0x401008, ENC_A64);
	EXPECT_BYTES(w, "aa 02 08 40 00 02");
	wire_q(w, 6, true, 0x401018, ENC_A64);
	EXPECT_BYTES(w, "ac 06 95 06");
	wire_q(w, 0, false, 0x401018, ENC_A64);
	EXPECT_BYTES(w, "af 90");
	wire_q(w, 3, false, 0x401006, ENC_T32);
	EXPECT_BYTES(w, "a6 03 03");
	wire_q(w, 3, false, 0x11401006, ENC_T32);
	EXPECT_BYTES(w, "ab 03 10 40 11 03");
}

TEST_F(wire, contexts)
{
	const struct enc_context a = { 0x04030201, 0x44332211, 1, CSF_NONSECURE, true };
	struct enc_context b = a;
	struct wire *w = &self->w;

	wire_context(w, &a, false);
	EXPECT_BYTES(w, "81 f1 11 22 33 44 01 02 03 04");
	wire_context(w, &a, true);
	EXPECT_BYTES(w, "80");
	/* After a Trace Info it is sent in full, though it is the same. */
	wire_sync(w, &(struct wire_trace_info){ 0 });
	w->n = 0;
	wire_context(w, &a, true);
	EXPECT_BYTES(w, "81 f1 11 22 33 44 01 02 03 04");
	b.el = 0;
	wire_context(w, &b, true);
	EXPECT_BYTES(w, "81 30");
	b.security = CSF_REALM;
	b.el = 1;
	wire_context(w, &b, false);
	EXPECT_BYTES(w, "81 39");
	b.security = CSF_ROOT;
	b.el = 3;
	wire_context(w, &b, false);
	EXPECT_BYTES(w, "81 1b");
	b = (struct enc_context){ 0x04030201, 0x44332211, 0, CSF_NONSECURE, false };
	wire_address_context(w, 0x12345678, ENC_A32, &b);
	EXPECT_BYTES(w, "82 1e 2b 34 12 20");
	wire_address_context(w, 0x12345678, ENC_A32, &b);
	EXPECT_BYTES(w, "90 81 20");
	wire_address_context(w, 0x22345678, ENC_T32, &b);
	EXPECT_BYTES(w, "83 3c 56 34 22 20");
	wire_address_context(w, 0x2000000022345678, ENC_T32, &b);
	EXPECT_BYTES(w, "86 3c 56 34 22 00 00 00 20 20");
	/*
	 * An address that was sent before, in full again: its upper half is not that of the last.
	 */
	w->context_sent = false;
	wire_address_context(w, 0x22345678, ENC_T32, &b);
	EXPECT_BYTES(w, "86 3c 56 34 22 00 00 00 00 20");
	w->context_sent = false;
	wire_address_context(w, 0x22345678, ENC_T32, &b);
	EXPECT_BYTES(w, "83 3c 56 34 22 20");
}

/*
 * The example of an ETE 1.1: user program, call, handler and return, with cycles and time.  The
 * last count could as well be 0d f1, which is longer.
 */
TEST_F(wire, whole_example)
{
	const struct enc_context el0 = { .security = CSF_NONSECURE, .bits64 = true };
	const struct enc_context el1 = { .el = 1, .security = CSF_NONSECURE, .bits64 = true };
	const struct wire_trace_info info = { .cycles = true, .threshold = 4 };
	struct wire *w = &self->w;

	w->config.trcconfigr &= ~0xc0;
	wire_sync(w, &info);
	wire_type(w, CSF_PKT_ON);
	wire_address_context(w, 0x400000, ENC_A64, &el0);
	atoms(w, "EEEEEN");
	wire_cycles(w, 2, 0);
	wire_exception(w, ENC_EXC_CALL, false, 0x400010, ENC_A64, NULL);
	wire_address_context(w, 0xffff000000001400, ENC_A64, &el1);
	atoms(w, "EE");
	wire_type(w, CSF_PKT_MARKER);
	wire_time(w, 0x4185, true, 7);
	wire_address_context(w, 0x400010, ENC_A64, &el0);
	atoms(w, "N");
	wire_cycles(w, 1, 0);
	EXPECT_BYTES(w, "AS 01 09 01 04 04 85 00 00 40 00 00 00 00 00 30 e2 12 06 05 95 04 "
		     "85 00 0a 00 00 00 00 ff ff 31 db 88 03 85 83 01 07 91 81 30 f6 11");
}

TEST_HARNESS_MAIN
