// SPDX-License-Identifier: GPL-2.0-only
/* Short traces that are written by hand: the encoder's packets for executed code. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/encode-unit.h"
#include "../lib/encoder-bytes.h"

static char problem[ENC_PROBLEM_MAX];

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

static const struct enc_context user = { .security = CSF_NONSECURE, .bits64 = true };
static const struct enc_context kernel = { .el = 1, .security = CSF_NONSECURE, .bits64 = true };

static struct encoder *begin(const char *words, uint64_t pc)
{
	struct enc_setup setup;
	struct encoder *e;

	if (enc_setup_parse(&setup, words, problem) || enc_new(&e, &setup, NULL))
		abort();
	enc_start(e, pc, ENC_A64, &user);
	return e;
}

/* The block of the opcodes given, up to 0, and where it goes. */
static enum enc_lost block(struct encoder *e, uint64_t pc, uint32_t a, uint32_t b, uint64_t next)
{
	const uint32_t code[] = { a, b };
	struct enc_block block = { .pc = pc, .isa = ENC_A64 };

	enc_scan(&e->setup, &block, code, b ? 8 : 4);
	return enc_block(e, &block, next, ENC_A64);
}

#define NOP	0xd503201f
#define RET	0xd65f03c0
#define BLR	0xd63f0000
#define SVC	0xd4000001
#define ERET	0xd69f03e0
#define TSTART	0xd5233060

/* The same example, from what was executed. */
TEST_F(unit, example)
{
	struct encoder *e = begin("ete=1.1,rs", 0x400000);
	const uint32_t bl_100 = 0x9400003f, cbnz_back = 0xb5ffffe0, cbnz_8 = 0xb5000040;

	self->e = e;
	block(e, 0x400000, NOP, bl_100, 0x400100);
	block(e, 0x400100, NOP, RET, 0x400008);
	block(e, 0x400008, cbnz_back, 0, 0x400004);
	block(e, 0x400004, bl_100, 0, 0x400100);
	block(e, 0x400100, NOP, RET, 0x400008);
	block(e, 0x400008, cbnz_back, 0, 0x40000c);
	EXPECT_EQ(block(e, 0x40000c, SVC, 0, 0x400010), ENC_KEPT);
	EXPECT_EQ(enc_exception(e, ENC_EXC_CALL, 0x400010), ENC_KEPT);
	enc_handler(e, 0xffff000000001400, ENC_A64, &kernel);
	block(e, 0xffff000000001400, NOP, 0x1400003f, 0xffff000000001500);
	block(e, 0xffff000000001500, NOP, ERET, 0x400010);
	enc_context(e, &user);
	block(e, 0x400010, NOP, cbnz_8, 0x400018);
	EXPECT_EQ(enc_stop(e), 0);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 00 40 00 00 00 00 00 30 e2 06 05 95 04 "
		     "85 00 0a 00 00 00 00 ff ff 31 db 91 81 30 f6");
}

/* An interrupt at the target of a branch: E1:E0 is 10, or an address packet comes before it. */
TEST_F(unit, at_target)
{
	static const char *const words[] = { "ete=1.0", "ete=1.0,targetfirst", "ete=1.0,rs" };
	static const char *const want[] = {
		"f7 06 5c 95 80 08", "f7 95 80 08 06 1d 90", "f7 06 5c 95 80 08",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct encoder *e = begin(words[i], 0x1400);

		block(e, 0x1400, BLR, 0, 0x1000);
		enc_exception(e, ENC_EXC_IRQ, 0x1000);
		e->wire.n -= 25;
		memmove(e->wire.p, e->wire.p + 25, e->wire.n);
		EXPECT_BYTES(&e->wire, want[i]);
		enc_free(e);
	}
}

/* One that comes later and goes back there has the address before it: E1:E0 is 01. */
TEST_F(unit, back_to_target)
{
	const uint32_t code[] = { NOP, RET };
	struct enc_block block_at = { .pc = 0x1000, .isa = ENC_A64 };
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	block(e, 0x1400, BLR, 0, 0x1000);
	enc_scan(&e->setup, &block_at, code, sizeof(*code));
	EXPECT_EQ(enc_part(e, &block_at), ENC_KEPT);
	enc_exception(e, ENC_EXC_IRQ, 0x1000);
	e->wire.n -= 25;
	memmove(e->wire.p, e->wire.p + 25, e->wire.n);
	EXPECT_BYTES(&e->wire, "f7 95 80 08 06 1d 90");
}

/* A return in another instruction set than the call's is no match, so its address is sent. */
TEST_F(unit, return_in_another_set)
{
	static const struct enc_context user32 = { .security = CSF_NONSECURE };
	const uint32_t bl_100 = 0xeb00003e, bx_lr = 0xe12fff1e;
	const uint16_t t32_bx_lr = 0x4770;
	struct enc_block call = { .pc = 0x1400, .isa = ENC_A32 };
	struct enc_block back = { .pc = 0x1500, .isa = ENC_A32 };
	struct enc_block last = { .pc = 0x1404, .isa = ENC_T32 };
	struct encoder *e = begin("ete=1.0,rs", 0x1400);

	self->e = e;
	enc_scan(&e->setup, &call, &bl_100, sizeof(bl_100));
	enc_scan(&e->setup, &back, &bx_lr, sizeof(bx_lr));
	enc_scan(&e->setup, &last, &t32_bx_lr, sizeof(t32_bx_lr));
	enc_start(e, 0x1400, ENC_A32, &user32);
	EXPECT_EQ(enc_block(e, &call, 0x1500, ENC_A32), ENC_KEPT);
	EXPECT_EQ(enc_block(e, &back, 0x1404, ENC_T32), ENC_KEPT);
	EXPECT_EQ(enc_block(e, &last, 0x1600, ENC_A32), ENC_KEPT);
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 82 00 0a 00 00 20 db 96 02 f7");
}

/* A source address stands for the branches before it that were not taken: they have no atoms. */
TEST_F(unit, source_after_not_taken)
{
	const uint32_t b_eq_8 = 0x54000040, b_8 = 0x14000002;
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	block(e, 0x1400, b_8, 0, 0x1408);
	e->want = 1u << ENC_RATE_SOURCE;
	block(e, 0x1408, b_eq_8, 0, 0x140c);
	block(e, 0x140c, b_eq_8, 0, 0x1410);
	block(e, 0x1410, b_8, 0, 0x1418);
	block(e, 0x1418, b_8, 0, 0x1420);
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 0a 00 00 00 00 00 00 30 f7 b4 04 f7");
}

/*
 * An exception return to the newest return address sends it, so nothing is popped.  An exception
 * there must not take its place: it would be taken for a match.
 */
TEST_F(unit, eret_to_return_address)
{
	struct encoder *e = begin("ete=1.0,rs", 0x1400);

	self->e = e;
	block(e, 0x1400, BLR, 0, 0x1800);
	block(e, 0x1800, ERET, 0, 0x1404);
	enc_exception(e, ENC_EXC_IRQ, 0x1404);
	enc_handler(e, 0x1900, ENC_A64, &user);
	block(e, 0x1900, RET, 0, 0x1404);
	block(e, 0x1404, RET, 0, 0x1500);
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 0a 00 00 00 00 00 00 30 f7 95 80 0c f7 95 81 0a"
		     " 06 1d 90 95 c0 0c db");
}

/* The block of one opcode whose condition failed, as the caller knows. */
static void failed(struct encoder *e, uint64_t pc, enum enc_isa isa, const void *code, size_t size)
{
	struct enc_block block = { .pc = pc, .isa = isa };

	enc_scan(&e->setup, &block, code, size);
	block.last.flags |= ENC_FAILED;
	enc_block(e, &block, pc + size, isa);
}

/*
 * A branch to the next instruction leads there either way: only its condition tells whether it
 * failed.
 */
TEST_F(unit, failed_branch_to_next)
{
	const uint32_t b_eq_4 = 0x54000020;
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	failed(e, 0x1400, ENC_A64, &b_eq_4, sizeof(b_eq_4));
	block(e, 0x1404, b_eq_4, 0, 0x1408);
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 0a 00 00 00 00 00 00 30 da");
}

/* In an IT block BX has no condition of its own. */
TEST_F(unit, failed_bx)
{
	static const struct enc_context user32 = { .security = CSF_NONSECURE };
	const uint16_t bx_lr = 0x4770;
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	enc_stop(e);
	e->wire.n = 0;
	enc_start(e, 0x1400, ENC_T32, &user32);
	failed(e, 0x1400, ENC_T32, &bx_lr, sizeof(bx_lr));
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 83 00 14 00 00 20 f6");
}

/* The transactions of a program; one that is open when tracing stops has failed. */
TEST_F(unit, transactions)
{
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	block(e, 0x1400, TSTART, 0, 0x1404);
	EXPECT_TRUE(enc_tm_start(e));
	EXPECT_FALSE(enc_tm_start(e));
	block(e, 0x1404, NOP, RET, 0x1500);
	EXPECT_TRUE(enc_tm_fail(e, 0x1404, ENC_A64));
	EXPECT_FALSE(enc_tm_commit(e));
	block(e, 0x1404, NOP, RET, 0x1500);
	EXPECT_TRUE(enc_tm_start(e));
	EXPECT_TRUE(enc_tm_commit(e));
	EXPECT_TRUE(enc_tm_start(e));
	EXPECT_EQ(enc_notes(e), 0);
	enc_stop(e);
	EXPECT_EQ(enc_notes(e), ENC_NOTE_TM_FAIL);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 0a 00 00 00 00 00 00 30 f7 0a f7 95 40 06 31 70"
		     " 95 81 0a f7 92 0a 0b 0a 06 31 70");
}

/* A commit of a transaction is above no element that may be taken back. */
TEST_F(unit, transaction_commits)
{
	const uint32_t b_8 = 0x14000002;
	struct encoder *e = begin("ete=1.0,spec=9", 0x1400);

	self->e = e;
	block(e, 0x1400, TSTART, 0, 0x1404);
	EXPECT_TRUE(enc_tm_start(e));
	for (uint64_t pc = 0x1404; pc < 0x1444; pc += 8)
		block(e, pc, b_8, 0, pc + 8);
	EXPECT_GT(e->depth, 0);
	EXPECT_TRUE(enc_tm_commit(e));
	EXPECT_EQ(e->depth, 0);
}

/*
 * A branch whose target is the newest return address sends none;  BLR compares with the address
 * after itself.
 */
TEST_F(unit, blr_to_next)
{
	struct encoder *e = begin("ete=1.0,rs", 0x1400);

	self->e = e;
	block(e, 0x1400, BLR, 0, 0x1404);
	block(e, 0x1404, NOP, RET, 0x1408);
	block(e, 0x1408, NOP, RET, 0x1500);
	enc_stop(e);
	EXPECT_BYTES(&e->wire, "AS 01 00 04 85 00 0a 00 00 00 00 00 00 30 db 95 02 f7");
}

/* A block that is not where the one before it went: its caller missed something. */
TEST_F(unit, jumps)
{
	const uint32_t b_eq_8 = 0x54000040;
	struct encoder *e = begin("ete=1.0", 0x1400);

	self->e = e;
	block(e, 0x1400, b_eq_8, 0, 0x1408);
	block(e, 0x1500, b_eq_8, 0, 0x1504);
	/* Neither of the two places that there are. */
	block(e, 0x1504, b_eq_8, 0, 0x1600);
	block(e, 0x1600, b_eq_8, 0, 0x1604);
	enc_stop(e);
	e->wire.n -= 26;
	memmove(e->wire.p, e->wire.p + 26, e->wire.n);
	/* By chance the context is sent, although it has not changed. */
	EXPECT_BYTES(&e->wire, "04 95 40 81 30 d8 04 95 80 0b f6");
}

/* The cycle count among the @n bytes at @p.  Return: there is one. */
static bool find_count(const struct csf_config *config, const uint8_t *p, size_t n,
		       struct csf_packet *packet)
{
	for (size_t at = 0; at < n; at += packet->size) {
		csf_packet_read(config, p + at, n - at, packet);
		if (packet->type >= CSF_PKT_CC1 && packet->type <= CSF_PKT_CC3)
			return true;
	}
	return false;
}

/* No count is below the threshold; each has all cycles since the one before. */
TEST_F(unit, cycle_counts)
{
	static const char *const words[] = { "cc=4", "cc=9", "cc=4,spec=20,commopt=0" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct encoder *e = begin(words[i], 0x1000);
		uint64_t cycles = 0;
		unsigned int n = 0, unknown = 0;

		for (int j = 0; j < 1000; j++) {
			const uint64_t pc = 0x1000 + 16 * j;
			const size_t before = e->wire.n;
			struct csf_packet packet;

			block(e, pc, NOP, 0x54000060, pc + (j % 3 ? 16 : 8));
			cycles += 2 + ((pc >> 4 ^ 2) & 3);
			if (!(j % 3)) {
				block(e, pc + 8, NOP, 0x14000001, pc + 16);
				cycles += 2 + (((pc + 8) >> 4 ^ 2) & 3);
			}
			if (!find_count(&e->setup.config, e->wire.p + before, e->wire.n - before,
					&packet))
				continue;
			if (!(packet.flags & CSF_PKT_COUNT))
				unknown++;
			else if (j % 3)
				EXPECT_EQ(e->setup.threshold + packet.count, cycles);
			n++;
			cycles = e->cycles;
		}
		EXPECT_GT(n, 80);
		EXPECT_LE(unknown, 1);
		enc_free(e);
	}
}

/* Calls to a unit that is off, or to one that does not have what they ask for. */
TEST_F(unit, off)
{
	struct encoder *e = begin("ete=1.0", 0x1400);
	const uint8_t *bytes;

	self->e = e;
	enc_stop(e);
	EXPECT_EQ(block(e, 0x1400, NOP, RET, 0x1500), ENC_LOST_OFF);
	EXPECT_EQ(enc_exception(e, ENC_EXC_IRQ, 0x1500), ENC_LOST_OFF);
	EXPECT_EQ(enc_reset(e), ENC_LOST_OFF);
	EXPECT_FALSE(enc_event(e, 1));
	EXPECT_FALSE(enc_ite(e, 0, 1));
	EXPECT_FALSE(enc_tm_start(e));
	EXPECT_EQ(enc_take(e, &bytes), 0);
	enc_start(e, 0x1400, ENC_A64, &user);
	EXPECT_EQ(block(e, 0x1400, NOP, RET, 0x1500), ENC_KEPT);
	EXPECT_FALSE(enc_ite(e, 0, 1));
	EXPECT_FALSE(enc_event(e, 0));
	EXPECT_TRUE(enc_event(e, 3));
	/* Half a block, and then no more: the caller is told how much is missing. */
	EXPECT_EQ(block(e, 0x1500, NOP, NOP, 0x1508), ENC_KEPT);
	EXPECT_EQ(enc_stop(e), 2);
	EXPECT_EQ(enc_take(e, &bytes), 12 + 2 + 1 + 10 + 1 + 1);
	EXPECT_STREQ(enc_lost_name(ENC_LOST_Q), "q");
	EXPECT_STREQ(enc_lost_name(ENC_LOST_NR), "?");
}

TEST_HARNESS_MAIN
