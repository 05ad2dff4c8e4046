// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3's packets of the encoder: bytes, and random packets as the decoder's reader sees them. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/etm3-wire.h"
#include "../lib/encoder-bytes.h"

#define ORIGINAL	0x4104f230
#define ALT		0x4114f240
#define V30		0x4104f200

#define CR_VALUES	BIT(2)
#define CR_ADDRESSES	BIT(3)
#define CR_DATA		(CR_VALUES | CR_ADDRESSES)
#define CR_CYCLES	BIT(12)
#define CR_CID(n)	((n) << 14)
#define CR_DATA_ONLY	BIT(20)
#define CCER_HYP	BIT(26)
#define CCER_BINARY	BIT(28)
#define CCER_TS64	BIT(29)

static struct csf_config config_of(uint32_t idr, uint32_t cr, uint32_t ccer)
{
	return (struct csf_config){
		.size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_ETM3,
		.etmidr = idr, .etmcr = cr, .etmccer = ccer,
	};
}

/* ---------------------------------------------------------------- option strings */

static char problem[ENC_PROBLEM_MAX];

static const struct {
	const char *words;
	uint32_t etmidr, etmcr, etmccer;
} good[] = {
	{ "etm3=3.0", 0x410cf200, 0, 0x30400000 },
	{ "etm3=3.4,alt,halves", 0x4118f240, 0, 0x30400000 },
	{ "etm3=3.5,cid,ts=9,bb,cc", 0x410cf250, 0x1000d100, 0x34400000 },
	{ "cid=8,vmid,etm3=3.5,ts=9,gray,tsbits=48", 0x410cf250, 0x50004000, 0x04400000 },
	{ "etm3=3.3,data,late=9", 0x410cf230, 0x0000000c, 0x30400000 },
	{ "etm3=3.3,data=values,cprt,cid=16", 0x410cf230, 0x00008006, 0x30400000 },
	{ "etm3=3.3,data=addresses", 0x410cf230, 0x00000008, 0x30400000 },
	{ "etm3=3.5,m,cprt,suppress=9", 0x410cf250, 0x00000002, 0x30400000 },
};

TEST(words)
{
	struct enc_setup s;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(enc_setup_parse(&s, good[i].words, problem), 0)
			TH_LOG("%s", problem);
		EXPECT_EQ(csf_config_problem(&s.config), NULL);
		EXPECT_EQ(csf_config_protocol(&s.config), CSF_PROTOCOL_ETM3);
		EXPECT_EQ(s.config.etmidr, good[i].etmidr)
			TH_LOG("%s: %x", good[i].words, s.config.etmidr);
		EXPECT_EQ(s.config.etmcr, good[i].etmcr)
			TH_LOG("%s: %x", good[i].words, s.config.etmcr);
		EXPECT_EQ(s.config.etmccer, good[i].etmccer)
			TH_LOG("%s: %x", good[i].words, s.config.etmccer);
		EXPECT_EQ(s.config.trcidr0 | s.config.trcconfigr | s.config.trcidr1, 0);
	}
}

static const char *const bad[][2] = {
	{ "etm3=3.6", "etm3=3.6: want 3.0 to 3.5" },
	{ "etm3=3.5,cc=4", "cc: ETMv3 counts all cycles: want no number" },
	{ "etm3=3.5,bb=0-8", "bb: ETMv3 has it everywhere: want no range" },
	{ "etm3=3.4,vmid", "vmid: from ETMv3.5 on, and not with m" },
	{ "etm3=3.5,m,vmid", "vmid: from ETMv3.5 on, and not with m" },
	{ "etm3=3.5,vmid=16", "vmid: ETMv3 has 8 bits" },
	{ "etm3=3.5,m,cid", "cid: M profile has none" },
	{ "etm3=3.3,alt", "alt: from ETMv3.4 on" },
	{ "etm3=3.3,m", "m: from ETMv3.4 on" },
	{ "etm3=3.5,cprt,data=addresses", "cprt: not with data=addresses" },
	{ "etm3=3.5,data=both", "data=both: want values or addresses" },
	{ "etm3=3.5,gray", "gray, tsbits: of timestamps, so say ts=N too" },
	{ "etm3=3.5,suppress=9", "suppress: of data, so say data or cprt too" },
	{ "etm3=3.5,cprt,late=9", "late, untraced: of data, so say data too" },
	{ "etm3=3.5,rs", "rs: ETMv3 does not have it" },
	{ "etm3=3.5,discard=9", "discard: ETMv3 does not have it" },
	{ "ete=1.1,data", "data: ETE does not have it" },
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

/* A block ends with the first instruction that may fail its condition. */
TEST(blocks)
{
	static const uint32_t a32[] = { 0xe1a00000, 0x10810002, 0xe1a00000, 0xea000000 };
	static const uint16_t t32[] = { 0xbf00, 0xbf08, 0x1840, 0x1840, 0x4770 };
	struct enc_block block = { .pc = 0x8000, .isa = ENC_A32 };
	struct enc_setup s;

	ASSERT_EQ(enc_setup_parse(&s, "etm3=3.5", problem), 0);
	enc_scan(&s, &block, a32, sizeof(a32));
	EXPECT_EQ(2, block.n_insn);
	EXPECT_EQ(ENC_COND, block.last.flags);
	enc_scan(&s, &block, a32 + 2, 8);
	EXPECT_EQ(2, block.n_insn);
	EXPECT_EQ(ENC_DIRECT, block.last.class);
	block = (struct enc_block){ .pc = 0x8000, .isa = ENC_T32 };
	enc_scan(&s, &block, t32, sizeof(t32));
	EXPECT_EQ(3, block.n_insn);
	EXPECT_EQ(ENC_COND, block.last.flags);
	EXPECT_EQ(0, block.it);
	enc_scan(&s, &block, t32 + 3, 4);
	EXPECT_EQ(2, block.n_insn);
	EXPECT_EQ(ENC_INDIRECT, block.last.class);
}

/* ---------------------------------------------------------------- bytes */

static struct wire out;

static void begin(struct etm3_wire *w, uint32_t idr, uint32_t cr, uint32_t ccer)
{
	const struct csf_config config = config_of(idr, cr, ccer);

	if (wire_init(&out, &config))
		abort();
	etm3_wire_init(w, &out, 0);
}

/* Letters as csflow dump has them: W for a cycle. */
static void send_atoms(struct etm3_wire *w, const char *letters)
{
	uint32_t cycles = 0;

	for (; *letters; letters++) {
		if (*letters == 'W') {
			cycles++;
			continue;
		}
		etm3_wire_atom(w, *letters == 'E', cycles);
		cycles = 0;
	}
	etm3_wire_flush(w);
}

TEST(atoms)
{
	static const struct {
		uint32_t cr;
		const char *letters, *bytes;
	} rows[] = {
		{ 0, "E", "84" }, { 0, "EEN", "c8" }, { 0, "NE", "8a" }, { 0, "EE", "88" },
		{ 0, "NN", "8e" }, { 0, "N", "c0" }, { 0, "EEEEEEEEEEEEEEE", "bc" },
		{ 0, "EEEEEEEEEEEEEEEEN", "bc c4" }, { 0, "EN", "c4" }, { 0, "NEE", "8a 84" },
		{ CR_CYCLES, "WE", "84" }, { CR_CYCLES, "WEWN", "c4" },
		{ CR_CYCLES, "WEWE", "88" }, { CR_CYCLES, "WEE", "82" },
		{ CR_CYCLES, "WNE", "8a" }, { CR_CYCLES, "WEN", "86" },
		{ CR_CYCLES, "E", "92" }, { CR_CYCLES, "N", "96" },
		{ CR_CYCLES, "WWWWWWWWE", "fc" }, { CR_CYCLES, "WWWWWWWWWE", "bc e0" },
		{ CR_CYCLES, "WWN", "a0 c0" }, { CR_CYCLES, "WEWEE", "88 92" },
		{ CR_CYCLES, "WEWEWEWEWEWEWEWE", "9c 84" },
		{ CR_CYCLES, "WEWEWEWEWEWEWEWN", "dc" },
	};
	struct etm3_wire w;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&w, ORIGINAL, rows[i].cr, 0);
		send_atoms(&w, rows[i].letters);
		EXPECT_BYTES(&out, rows[i].bytes);
		wire_fini(&out);
	}
}

TEST(branches)
{
	struct etm3_wire_state state = { .addr = 0x18, .ns = true };
	const struct etm3_wire_exception irq = { .number = 14, .cancel = true };
	struct etm3_wire w;

	begin(&w, ORIGINAL, 0, 0);
	etm3_wire_branch(&w, 0x02345678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 e8 08");
	etm3_wire_branch(&w, 0x12345678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 e8 48");
	etm3_wire_branch(&w, 0x22345678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 e8 88 09");
	w.addr = 0xf2345678;
	etm3_wire_branch(&w, 0x12345678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 e8 c8 08");
	etm3_wire_branch(&w, 0x12345608, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "05");
	etm3_wire_branch(&w, 0x12305678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 60");
	etm3_wire_branch(&w, 0x12345678, ETM3_WIRE_T32);
	EXPECT_BYTES(&out, "f9 ac d1 91 11");
	etm3_wire_branch(&w, 0x12345678, ETM3_WIRE_JAZELLE);
	EXPECT_BYTES(&out, "f1 d9 a2 a3 22");
	etm3_wire_exception(&w, &state, &irq);
	EXPECT_BYTES(&out, "8d 80 80 80 48 3d");
	wire_fini(&out);

	begin(&w, ALT, 0, 0);
	w.addr = 0x8000;
	state.addr = 0x8018;
	etm3_wire_exception(&w, &state, &irq);
	EXPECT_BYTES(&out, "8d 40 3d");
	etm3_wire_branch(&w, 0x02345678, ETM3_WIRE_A32);
	EXPECT_BYTES(&out, "bd d6 e8 08");
	w.addr = 0x8000;
	w.isa = ETM3_WIRE_T32;
	state = (struct etm3_wire_state){ .addr = 0x8100, .isa = ETM3_WIRE_T32 };
	etm3_wire_exception(&w, &state, &(struct etm3_wire_exception){ .number = 8 });
	EXPECT_BYTES(&out, "81 42 10");
	etm3_wire_exception(&w, &state,
			    &(struct etm3_wire_exception){ .number = 24, .resume = 3 });
	EXPECT_BYTES(&out, "81 42 90 81 43");
	wire_fini(&out);

	begin(&w, V30, 0, 0);
	state = (struct etm3_wire_state){ .addr = 0x80000018 };
	etm3_wire_exception(&w, &state, &(struct etm3_wire_exception){
			    .number = 5, .cancel = true, .old = true });
	EXPECT_BYTES(&out, "8d 80 80 80 ec");
	wire_fini(&out);
}

TEST(syncs)
{
	struct etm3_wire_isync isync = { .why = ETM3_WIRE_ON };
	struct etm3_wire_state state = { .addr = 0x8000, .isa = ETM3_WIRE_T32, .ns = true,
					 .hyp = true };
	struct etm3_wire w;

	begin(&w, ORIGINAL, CR_CID(2), CCER_HYP);
	etm3_wire_async(&w, true);
	EXPECT_BYTES(&out, "00 00 00 00 00 80");
	state.contextid = 0x1234;
	etm3_wire_isync(&w, &state, &isync);
	EXPECT_BYTES(&out, "08 34 12 2b 01 80 00 00");
	isync = (struct etm3_wire_isync){ .why = ETM3_WIRE_OVERFLOW, .has_cycles = true,
					  .cycles = 133 };
	state = (struct etm3_wire_state){ .addr = 0xa000, .contextid = 1 };
	etm3_wire_isync(&w, &state, &isync);
	EXPECT_BYTES(&out, "70 85 01 01 00 41 00 a0 00 00");
	wire_fini(&out);

	begin(&w, ALT, 0, 0);
	isync = (struct etm3_wire_isync){ .lsip = true, .multiple = 0x8000 };
	state = (struct etm3_wire_state){ .addr = 0x8110, .isa = ETM3_WIRE_T32 };
	etm3_wire_isync(&w, &state, &isync);
	EXPECT_BYTES(&out, "08 81 01 80 00 00 91 02");
	wire_fini(&out);
}

TEST(times)
{
	struct etm3_wire w;

	begin(&w, ORIGINAL, 0, CCER_BINARY);
	etm3_wire_time(&w, 5, true, false);
	EXPECT_BYTES(&out, "46 05");
	etm3_wire_time(&w, 0x81, false, false);
	EXPECT_BYTES(&out, "42 81 01");
	etm3_wire_time(&w, 0xffffffffffff, false, false);
	EXPECT_BYTES(&out, "42 ff ff ff ff ff ff 3f");
	etm3_wire_time(&w, 0, false, true);
	EXPECT_BYTES(&out, "42 80 80 80 80 80 80 00");
	wire_fini(&out);

	begin(&w, ORIGINAL, 0, CCER_TS64);
	etm3_wire_time(&w, 2, false, false);		/* 3 in Gray code */
	EXPECT_BYTES(&out, "42 03");
	etm3_wire_time(&w, UINT64_MAX, false, false);	/* only the top bit is 1 */
	EXPECT_BYTES(&out, "42 80 80 80 80 80 80 80 80 80");
	wire_fini(&out);
}

TEST(data)
{
	struct etm3_wire_data data = { .addr = 0x80000000, .value = 0x04030201, .big = true };
	struct etm3_wire w;

	begin(&w, ORIGINAL, CR_DATA, 0);
	etm3_wire_data(&w, &data);
	EXPECT_BYTES(&out, "2e 80 80 80 80 18 01 02 03 04");
	data = (struct etm3_wire_data){ .addr = 0x80000084, .value = 0x1234, .big = true };
	etm3_wire_data(&w, &data);
	EXPECT_BYTES(&out, "2a 84 01 34 12");
	data.value = 0;
	data.where = ETM3_WIRE_NEXT;
	etm3_wire_data(&w, &data);
	EXPECT_BYTES(&out, "02");
	data = (struct etm3_wire_data){ .addr = 0x80000090, .big = true };
	etm3_wire_place(&w, &data, 2);
	EXPECT_BYTES(&out, "78 10");
	etm3_wire_late(&w, 0x1234, 3);
	EXPECT_BYTES(&out, "68 34 12");
	data.addr++;
	etm3_wire_untraced(&w, &data);
	EXPECT_BYTES(&out, "7a 11");
	data.where = ETM3_WIRE_NEXT;
	etm3_wire_untraced(&w, &data);
	EXPECT_BYTES(&out, "6a");
	etm3_wire_failed(&w);
	EXPECT_BYTES(&out, "50");
	etm3_wire_lost(&w);
	EXPECT_BYTES(&out, "62");
	wire_fini(&out);

	/* Values of coprocessors alone; addresses alone */
	begin(&w, ORIGINAL, CR_VALUES, 0);
	etm3_wire_data(&w, &(struct etm3_wire_data){ .value = 0x7f, .where = ETM3_WIRE_NOWHERE });
	EXPECT_BYTES(&out, "06 7f");
	wire_fini(&out);
	begin(&w, ORIGINAL, CR_ADDRESSES, 0);
	etm3_wire_data(&w, &(struct etm3_wire_data){ .value = 0x7f, .addr = 4 });
	EXPECT_BYTES(&out, "22 84 80 80 80 00");
	etm3_wire_data(&w, &(struct etm3_wire_data){ .value = 0x7f, .addr = 8 });
	EXPECT_BYTES(&out, "22 08");
	wire_fini(&out);
}

/* ---------------------------------------------------------------- random packets */

/**
 * struct reader - completes what the decoder's reader gives
 * @addr, @isa, @data, @big, @time: the last ones
 */
struct reader {
	struct csf_config config;
	const uint8_t *p, *end;
	uint32_t addr, data;
	uint8_t isa;
	bool big;
	uint64_t time;
};

static struct csf_packet next(struct __test_metadata *_metadata, struct reader *r,
			      enum csf_packet_type type)
{
	struct csf_packet packet;
	int n = csf_packet_read(&r->config, r->p, r->end - r->p, &packet);

	ASSERT_EQ(type, packet.type);
	r->p += n;
	return packet;
}

static uint64_t low(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : UINT64_MAX;
}

/* Puts the @n bits of @v from bit 2 - isa on into the address. */
static void merge(struct reader *r, uint64_t v, unsigned int n, uint8_t flags, uint8_t info)
{
	if (n == 32) {
		r->isa = info & 0x10 ? ETM3_WIRE_JAZELLE : flags & CSF_PKT_IS1 ? ETM3_WIRE_T32 :
			 ETM3_WIRE_A32;
		r->addr = v;
		return;
	}
	r->addr = (r->addr & ~(low(n) << (2 - r->isa))) | v << (2 - r->isa);
}

static struct etm3_wire_state random_state(struct dice *dice, bool hyp)
{
	struct etm3_wire_state s = {
		.isa = dice_below(dice, 3), .ns = dice_below(dice, 2), .alt = dice_below(dice, 2),
		.hyp = hyp && dice_below(dice, 2), .contextid = dice_any(dice),
	};

	s.addr = dice_once_in(dice, 3) ? dice_any(dice) : 0x8000 + dice_below(dice, 1 << 12);
	s.addr &= ~((1u << (2 - s.isa)) - 1);
	return s;
}

#define SELF	struct __test_metadata *_metadata, struct reader *r, struct etm3_wire *w, \
		struct dice *dice

static void check_place(struct __test_metadata *_metadata, const struct reader *r,
			const struct etm3_wire_state *s)
{
	EXPECT_EQ(s->addr, r->addr);
	EXPECT_EQ(s->isa, r->isa);
}

static void try_branch(SELF)
{
	struct etm3_wire_state s = random_state(dice, false);
	struct csf_packet packet;

	etm3_wire_branch(w, s.addr, s.isa);
	r->end = w->out->p + w->out->n;
	packet = next(_metadata, r, CSF_PKT_BRANCH);
	merge(r, packet.val, packet.n, packet.flags, packet.info);
	check_place(_metadata, r, &s);
	EXPECT_EQ(0, packet.flags & CSF_PKT_CTXT);
}

static void try_exception(SELF)
{
	struct etm3_wire_state s = random_state(dice, w->hyp);
	struct etm3_wire_exception x = {
		.number = dice_below(dice, dice_once_in(dice, 2) ? 16 : 512),
		.cancel = dice_below(dice, 2),
		.resume = dice_once_in(dice, 3) ? dice_below(dice, 16) : 0,
	};
	const bool hyp_was = w->said_hyp;
	struct csf_packet packet;

	etm3_wire_exception(w, &s, &x);
	r->end = w->out->p + w->out->n;
	packet = next(_metadata, r, CSF_PKT_BRANCH);
	merge(r, packet.val, packet.n, packet.flags, packet.info);
	check_place(_metadata, r, &s);
	EXPECT_EQ(CSF_PKT_CTXT, packet.flags & CSF_PKT_CTXT);
	EXPECT_EQ(x.number, packet.exception);
	EXPECT_EQ(x.cancel, !!(packet.info & 0x20));
	EXPECT_EQ(s.ns, !!(packet.info & 0x08));
	EXPECT_EQ(s.alt, !!(packet.info & 0x04));
	EXPECT_EQ(s.hyp, packet.info & 0x01 ? !!(packet.info & 0x02) : hyp_was);
	EXPECT_EQ(x.resume, packet.info & 0x40 ? packet.count : 0);
}

static void try_old_exception(SELF)
{
	struct etm3_wire_state s = random_state(dice, false);
	const struct etm3_wire_exception x = { .number = dice_below(dice, 8), .old = true,
					       .cancel = dice_below(dice, 2) };
	struct csf_packet packet;

	s.isa = ETM3_WIRE_A32;
	s.addr &= ~3u;
	etm3_wire_exception(w, &s, &x);
	r->end = w->out->p + w->out->n;
	packet = next(_metadata, r, CSF_PKT_BRANCH);
	merge(r, packet.val, packet.n, packet.flags, packet.info);
	check_place(_metadata, r, &s);
	EXPECT_EQ(0x80, packet.info & 0x80);
	EXPECT_EQ(x.number, packet.exception);
	EXPECT_EQ(x.cancel, !!(packet.info & 0x20));
}

static void try_isync(SELF)
{
	struct etm3_wire_state s = random_state(dice, w->hyp), first = s;
	struct etm3_wire_isync i = {
		.why = dice_below(dice, 4), .has_cycles = dice_below(dice, 2),
		.cycles = dice_any(dice) >> dice_below(dice, 32),
		.lsip = dice_once_in(dice, 3), .multiple = s.addr,
	};
	struct csf_packet packet;

	if (i.lsip)
		s.addr = dice_once_in(dice, 2) ? s.addr + 4 :
			 dice_any(dice) & ~((1u << (2 - s.isa)) - 1);
	etm3_wire_isync(w, &s, &i);
	r->end = w->out->p + w->out->n;
	packet = next(_metadata, r, CSF_PKT_ISYNC);
	EXPECT_EQ(i.why, packet.info >> 5 & 3);
	EXPECT_EQ(s.ns, !!(packet.info & 0x08));
	EXPECT_EQ(s.alt, !!(packet.info & 0x04));
	EXPECT_EQ(s.hyp, !!(packet.info & 0x02));
	EXPECT_EQ(s.contextid & low(8 * w->cid_size), packet.contextid);
	EXPECT_EQ(i.has_cycles, !!(packet.flags & CSF_PKT_COUNT));
	if (i.has_cycles)
		EXPECT_EQ(i.cycles, packet.count);
	EXPECT_EQ(w->no_insn ? 0 : 32, packet.n);
	if (w->no_insn)
		return;
	merge(r, packet.val, packet.n, packet.flags, packet.info);
	check_place(_metadata, r, &first);
	EXPECT_EQ(i.lsip, !!(packet.info & 0x80));
	if (i.lsip)
		merge(r, packet.val2, packet.commit, packet.flags, packet.info);
	check_place(_metadata, r, &s);
}

static void try_numbers(SELF)
{
	const uint32_t v = dice_any(dice) >> dice_below(dice, 32);

	etm3_wire_cycles(w, v);
	etm3_wire_contextid(w, v);
	etm3_wire_vmid(w, v);
	r->end = w->out->p + w->out->n;
	EXPECT_EQ(v, next(_metadata, r, CSF_PKT_CYCLES).count);
	EXPECT_EQ(v & low(8 * w->cid_size), next(_metadata, r, CSF_PKT_CTXTID).contextid);
	EXPECT_EQ(v & 0xff, next(_metadata, r, CSF_PKT_VMID).vmid);
}

static void try_headers(SELF)
{
	etm3_wire_async(w, false);
	etm3_wire_trigger(w);
	etm3_wire_ignore(w);
	etm3_wire_eret(w);
	etm3_wire_stacking(w);
	etm3_wire_failed(w);
	etm3_wire_lost(w);
	r->end = w->out->p + w->out->n;
	next(_metadata, r, CSF_PKT_ASYNC);
	next(_metadata, r, CSF_PKT_TRIGGER);
	next(_metadata, r, CSF_PKT_IGNORE);
	next(_metadata, r, CSF_PKT_ERET);
	next(_metadata, r, CSF_PKT_EXC_ENTRY);
	next(_metadata, r, CSF_PKT_DATA_FAILED);
	next(_metadata, r, CSF_PKT_DATA_LOST);
}

static void try_time(SELF)
{
	const uint64_t all = w->ts_bits == 64 ? UINT64_MAX : low(48);
	const bool change = dice_below(dice, 2);
	const uint64_t time = dice_once_in(dice, 4) ? dice_any(dice) :
			      r->time + dice_below(dice, 1 << 20);
	struct csf_packet packet;
	uint64_t v;

	etm3_wire_time(w, time, change, dice_once_in(dice, 8));
	r->end = w->out->p + w->out->n;
	packet = next(_metadata, r, CSF_PKT_TIME);
	EXPECT_EQ(change, packet.info);
	v = packet.val | (packet.n < 64 ? (w->gray ? r->time ^ r->time >> 1 : r->time) &
			  ~low(packet.n) : 0);
	if (w->gray)
		for (unsigned int shift = 1; shift < 64; shift *= 2)
			v ^= v >> shift;
	r->time = v & all;
	EXPECT_EQ(time & all, r->time);
}

static void check_data(struct __test_metadata *_metadata, struct reader *r,
		       const struct etm3_wire *w, const struct csf_packet *packet,
		       const struct etm3_wire_data *data, bool has_value)
{
	const bool has = w->addresses && data->where <= ETM3_WIRE_AT_ALL;

	EXPECT_EQ(has, !!(packet->flags & CSF_PKT_ADDR));
	if (has) {
		r->data = (r->data & ~low(packet->commit)) | packet->val2;
		if (packet->commit == 32)
			r->big = packet->info & 0x02;
		EXPECT_EQ(data->addr, r->data);
		EXPECT_EQ(data->big, r->big);
		if (data->where == ETM3_WIRE_AT_ALL)
			EXPECT_EQ(32, packet->commit);
	}
	if (has_value)
		EXPECT_EQ(w->values ? data->value : 0, packet->val);
}

static void try_data(SELF)
{
	const struct etm3_wire_data data = {
		.addr = dice_once_in(dice, 3) ? dice_any(dice) : r->data + dice_below(dice, 300),
		.value = dice_any(dice) >> dice_below(dice, 33),
		.where = dice_below(dice, 4), .big = dice_once_in(dice, 5),
	};
	const uint8_t tag = 1 + dice_below(dice, 3);
	struct csf_packet packet;

	switch (dice_below(dice, 4)) {
	case 0:
		etm3_wire_data(w, &data);
		r->end = w->out->p + w->out->n;
		packet = next(_metadata, r, CSF_PKT_DATA);
		check_data(_metadata, r, w, &packet, &data, true);
		break;
	case 1:
		etm3_wire_place(w, &data, tag);
		r->end = w->out->p + w->out->n;
		packet = next(_metadata, r, CSF_PKT_DATA_PLACE);
		check_data(_metadata, r, w, &packet, &data, false);
		EXPECT_EQ(tag, packet.info >> 4 & 3);
		break;
	case 2:
		etm3_wire_late(w, data.value, tag);
		r->end = w->out->p + w->out->n;
		packet = next(_metadata, r, CSF_PKT_DATA_LATE);
		EXPECT_EQ(tag, packet.info >> 4 & 3);
		EXPECT_EQ(w->values ? data.value : 0, packet.val);
		break;
	default:
		etm3_wire_untraced(w, &data);
		r->end = w->out->p + w->out->n;
		packet = next(_metadata, r, CSF_PKT_DATA_UNTRACED);
		check_data(_metadata, r, w, &packet, &data, false);
	}
}

/* Random atoms give the same letters again. */
static void try_atoms(SELF)
{
	uint8_t executed[64], got = 0;
	uint32_t cycles[64], left = 0;
	const unsigned int n = 1 + dice_below(dice, ARRAY_SIZE(executed));
	struct csf_packet packet;

	for (unsigned int i = 0; i < n; i++) {
		executed[i] = !dice_once_in(dice, 4);
		cycles[i] = dice_once_in(dice, 2) ? 1 : dice_below(dice, 20);
		etm3_wire_atom(w, executed[i], cycles[i]);
	}
	etm3_wire_flush(w);
	r->end = w->out->p + w->out->n;
	while (r->p < r->end) {
		packet = next(_metadata, r, CSF_PKT_ATOM);
		if (!w->cycles)
			EXPECT_EQ(0, packet.count);
		for (unsigned int i = 0; i < packet.n; i++) {
			const uint32_t here = packet.n == 1 ? packet.count : packet.count > 0;

			packet.count -= here;
			left += here;
			ASSERT_LT(got, n);
			EXPECT_EQ(executed[got], packet.val >> i & 1);
			if (w->cycles)
				EXPECT_EQ(cycles[got], left);
			left = 0;
			got++;
		}
		left += packet.count;
	}
	EXPECT_EQ(n, got);
	EXPECT_EQ(0, left);
}

static void one_unit(struct __test_metadata *_metadata, uint64_t seed)
{
	static const uint32_t idrs[] = { ORIGINAL, ALT, V30, 0x4114f250, 0x4104f250 };
	struct dice dice;
	struct reader r = { .config = { 0 } };
	struct etm3_wire w;

	dice_seed(&dice, seed);
	r.config = config_of(idrs[dice_below(&dice, ARRAY_SIZE(idrs))],
			     CR_CID(dice_below(&dice, 4)) | CR_VALUES * dice_below(&dice, 4) |
			     CR_CYCLES * dice_below(&dice, 2) |
			     (dice_once_in(&dice, 9) ? CR_DATA_ONLY : 0),
			     CCER_BINARY * dice_below(&dice, 4) | CCER_HYP * dice_below(&dice, 2));
	ASSERT_EQ(0, wire_init(&out, &r.config));
	etm3_wire_init(&w, &out, dice_once_in(&dice, 4) ? 0 : seed);
	for (unsigned int i = 0; i < 200; i++) {
		void (*const tries[])(SELF) = {
			try_atoms, try_branch, try_exception, try_isync, try_numbers, try_time,
			r.config.etmcr & CR_DATA ? try_headers : try_time,
			r.config.etmcr & CR_DATA ? try_data : try_branch,
			!w.alt ? try_old_exception : try_exception,
		};

		out.n = 0;
		r.p = out.p;
		tries[dice_below(&dice, ARRAY_SIZE(tries))](_metadata, &r, &w, &dice);
		ASSERT_EQ(r.end, r.p)
			TH_LOG("seed %llu, packet %u", (unsigned long long)seed, i);
	}
	wire_fini(&out);
}

TEST(random_packets)
{
	for (uint64_t seed = 1; seed <= 2000 && _metadata->exit_code == KSFT_PASS; seed++)
		one_unit(_metadata, seed);
}

TEST_HARNESS_MAIN
