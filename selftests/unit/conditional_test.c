// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditional instruction trace of random programs: a small trace unit of this test's own executes
 * blocks of A32 or T32, gives each traced conditional instruction a key, and sends instructions and
 * results in any format that can say them.  The decoder and csflow dump's search in the code must
 * name the same instructions, with the same results.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/code/conditional.h"
#include "../../tools/code/it-block.h"

#define CODE		0x8000u
#define BLOCKS		12
#define ROUNDS		4
#define INSNS		14	/* of a block, about */
#define LOG		(BLOCKS * ROUNDS * (INSNS + 4))
#define NO_RESULT	-1
#define UNKNOWN		-2

enum kind { MOVE, LOAD, STORE };

/* A traced conditional instruction that was executed, @number in its block, at step @at. */
struct executed {
	uint64_t at;
	uint32_t addr, number;
	uint8_t condition;
	int result;		/* flags, or 0 and 1, or NO_RESULT, UNKNOWN */
	uint32_t key;
	bool waits, seen;
};

struct trial {
	bool t32;
	uint32_t mode, counted, special;
	uint8_t code[8192];
	uint32_t n_code;
	uint32_t block[BLOCKS + 1];	/* offsets */
	struct { uint32_t addr; uint8_t condition; } insn[BLOCKS][INSNS + 4];
	uint32_t n_insn[BLOCKS];
	struct executed log[LOG];
	size_t n_log;
	uint32_t c_key, r_key;
	struct csf_config config;
	uint8_t trace[1 << 16];
	size_t n_trace;
};

static uint32_t roll(uint32_t n)
{
	return rand() % n;
}

/* ---------------------------------------------------------------- code */

static void put_code(struct trial *t, uint32_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		t->code[t->n_code++] = v >> 8 * i;
}

static void put_half(struct trial *t, uint32_t opcode)
{
	if (opcode >> 16)
		put_code(t, opcode >> 16, 2);
	put_code(t, opcode & 0xffff, 2);
}

static bool is_traced(const struct trial *t, enum kind kind)
{
	return t->mode == 7 || (kind == LOAD && t->mode & 1) || (kind == STORE && t->mode & 2);
}

/* An instruction; @condition 14: always. */
static void put_insn(struct trial *t, uint32_t block, uint32_t condition)
{
	static const uint32_t a32[] = { 0x01a00000, 0x05901000, 0x05801000 };
	static const uint32_t t16[] = { 0x46c0, 0x6801, 0x6001 };
	static const uint32_t t32[] = { 0xea4f0000, 0xf8d01000, 0xf8c01000 };
	enum kind kind = roll(3);

	if (condition < 14 && is_traced(t, kind)) {
		t->insn[block][t->n_insn[block]].addr = CODE + t->n_code;
		t->insn[block][t->n_insn[block]++].condition = condition;
	}
	if (t->t32)
		put_half(t, roll(2) ? t16[kind] : t32[kind]);
	else
		put_code(t, condition << 28 | a32[kind], 4);
}

/* IT and the instructions that it makes conditional: 1 to 4. */
static uint32_t put_it(struct trial *t, uint32_t block)
{
	uint32_t first = roll(14), n = 1 + roll(4), mask = 1u << (4 - n), other = roll(8);

	for (uint32_t i = 1; i < n; i++)
		mask |= ((first ^ (other >> i)) & 1) << (4 - i);
	put_half(t, 0xbf00 | first << 4 | mask);
	put_insn(t, block, first);
	for (uint32_t i = 1; i < n; i++)
		put_insn(t, block, first ^ (other >> i & 1));
	return n;
}

static void put_block(struct trial *t, uint32_t block)
{
	uint32_t n = roll(INSNS);

	t->block[block] = t->n_code;
	while (n) {
		uint32_t some = 1;

		if (t->t32 && roll(2))
			some = put_it(t, block);
		else
			put_insn(t, block, t->t32 || roll(2) ? 14 : roll(14));
		n -= some < n ? some : n;
	}
	if (block == BLOCKS - 1) {
		int32_t back = -(int32_t)t->n_code;

		put_code(t, t->t32 ? 0xe000 | ((back - 4) >> 1 & 0x7ff) :
			 0xea000000 | ((back - 8) >> 2 & 0xffffff), t->t32 ? 2 : 4);
	} else {	/* to the next instruction */
		put_code(t, t->t32 ? 0xe7ff : 0xeaffffff, t->t32 ? 2 : 4);
	}
}

/* ---------------------------------------------------------------- packets */

static void put(struct trial *t, const struct csf_packet *pkt)
{
	int n = csf_packet_write(&t->config, t->trace + t->n_trace, pkt);

	if (n <= 0 || t->n_trace + n + CSF_PACKET_MAX > sizeof(t->trace))
		abort();
	t->n_trace += n;
}

static void put_value(struct trial *t, enum csf_packet_type type, uint64_t val)
{
	put(t, &(struct csf_packet){ .type = type, .val = val });
}

static uint32_t after(const struct trial *t, uint32_t key, uint32_t n)
{
	return (key + n) % t->counted;
}

/* Those that have a key wait until their result is sent. */
static bool is_free(const struct trial *t, uint32_t key)
{
	for (size_t i = 0; i < t->n_log; i++)
		if (t->log[i].waits && t->log[i].key == key)
			return false;
	return true;
}

static bool are_free(const struct trial *t, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++)
		if (n >= t->counted || !is_free(t, after(t, t->c_key, i)))
			return false;
	return true;
}

static int any_result(const struct trial *t)
{
	return t->config.trcidr0 >> 12 & 1 ? (int)roll(16) : (int)roll(2);
}

static void give_key(struct trial *t, struct executed *e, uint32_t key)
{
	e->key = key;
	e->waits = true;
	t->n_log = e + 1 - t->log;
}

static void count_keys(struct trial *t, struct executed *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		t->c_key = after(t, t->c_key, 1);
		give_key(t, &e[i], t->c_key);
	}
}

/* The result for all with this key was sent. */
static void settle(struct trial *t, uint32_t key, int result)
{
	for (size_t i = 0; i < t->n_log; i++) {
		if (!t->log[i].waits || t->log[i].key != key)
			continue;
		t->log[i].waits = false;
		t->log[i].result = result;
	}
}

static void put_result_1(struct trial *t, uint32_t key, bool implies)
{
	int result = any_result(t);
	struct csf_packet pkt = {
		.type = CSF_PKT_COND_R1, .n = 1, .info = implies,
		.val = (uint64_t)key << 4 | result,
	};

	put(t, &pkt);
	t->r_key = key < t->counted ? key : after(t, t->r_key, 1);
	settle(t, key, result);
}

/* The results that tokens can say, and the tokens; of four bits from 3 on. */
static const struct { int flags; uint8_t token, bits; } tokens[2][6] = {
	{ { 0, 0, 2 }, { 1, 1, 2 }, { UNKNOWN, 2, 2 } },
	{ { 2, 0, 2 }, { 8, 1, 2 }, { 6, 2, 2 }, { 10, 3, 4 }, { 0, 7, 4 }, { 4, 11, 4 } },
};

static void put_token(struct trial *t, enum csf_packet_type type, uint32_t key, uint32_t bits)
{
	const bool flags = t->config.trcidr0 >> 12 & 1;
	const uint32_t i = roll(3);

	put_value(t, type, tokens[flags][i].token | bits);
	t->r_key = key;
	settle(t, key, tokens[flags][i].flags);
}

/* Consecutive keys, as many as there are, and as there is room for. */
static void put_result_3(struct trial *t)
{
	const bool flags = t->config.trcidr0 >> 12 & 1;
	uint32_t bits = 0, n = 0;

	for (;;) {
		const uint32_t key = after(t, t->r_key, 1), i = roll(flags ? 6 : 3);

		if (is_free(t, key) || n + tokens[flags][i].bits > 12)
			break;
		bits |= (uint32_t)tokens[flags][i].token << n;
		n += tokens[flags][i].bits;
		settle(t, key, tokens[flags][i].flags);
		t->r_key = key;
	}
	put_value(t, CSF_PKT_COND_R3, (bits | ~0u << n) & 0xfff);
}

/* A result, in a format that can say it, of an instruction that waits. */
static void put_some_result(struct trial *t)
{
	const struct executed *e = &t->log[roll(t->n_log)];
	const uint32_t before = after(t, t->r_key, t->counted - 1), next = after(t, t->r_key, 1);

	if (!e->waits)
		return;
	if (e->key == before && roll(2))
		put_token(t, CSF_PKT_COND_R4, before, 0);
	else if (e->key == next && roll(2))
		put_result_3(t);
	else if (e->key == next && t->c_key == next)
		put_token(t, CSF_PKT_COND_R2, next, 0);
	else
		put_result_1(t, e->key, false);
}

static void put_flush(struct trial *t)
{
	put_value(t, CSF_PKT_COND_FLUSH, 0);
	t->r_key = t->c_key;
	for (size_t i = 0; i < t->n_log; i++)
		t->log[i].waits = false;
}

/* Tells of some of the @n next instructions, @e.  Returns how many: 0: keys are all in use. */
static uint32_t put_instructions(struct trial *t, struct executed *e, uint32_t n, bool has_one)
{
	const uint32_t some = 1 + roll(n < 4 ? n : 4), key = roll(t->counted + t->special);
	const uint32_t two = n > 1 ? 1 + roll(2) : 1;

	switch (roll(8)) {
	case 0:
		if (!is_free(t, key))
			return 0;
		put_value(t, CSF_PKT_COND_I1, key);
		give_key(t, e, key);
		t->c_key = key < t->counted ? key : after(t, t->c_key, 1);
		return 1;
	case 1:
		if (!are_free(t, 1))
			return 0;
		put_value(t, CSF_PKT_COND_I2, two == 2 ? 2 : 0);
		count_keys(t, e, 1);
		if (two == 2)
			give_key(t, &e[1], t->c_key);
		return two;
	case 2:		/* as the one before it, in the same block or another */
		if (!has_one || e == t->log || !e[-1].waits || e[-1].key != t->c_key)
			return 0;
		put_value(t, CSF_PKT_COND_I2, 1);
		give_key(t, e, t->c_key);
		return 1;
	case 3:
		if (!are_free(t, some))
			return 0;
		put_value(t, CSF_PKT_COND_I3, some);
		count_keys(t, e, some);
		return some;
	case 4:
		if (!are_free(t, some))
			return 0;
		count_keys(t, e, some);
		put_result_1(t, t->c_key, true);
		return some;
	case 5:		/* a special key stands for the last of them */
		if (!t->special || !is_free(t, t->counted) || !are_free(t, 1) ||
		    after(t, t->r_key, 1) != after(t, t->c_key, 1))
			return 0;
		give_key(t, e, t->counted);
		t->c_key = after(t, t->c_key, 1);
		put_result_1(t, t->counted, true);
		return 1;
	default:
		if (t->r_key != t->c_key || !are_free(t, two))
			return 0;
		count_keys(t, e, two);
		put_token(t, CSF_PKT_COND_R2, t->c_key, (two - 1) << 2);
		return two;
	}
}

/* ---------------------------------------------------------------- execution */

static void execute_block(struct trial *t, uint32_t block, uint64_t at)
{
	const uint32_t n = t->n_insn[block];
	struct executed *e = &t->log[t->n_log];
	uint32_t told = 0, tries = 0;

	for (uint32_t i = 0; i < n; i++)
		e[i] = (struct executed){
			.at = at, .addr = t->insn[block][i].addr, .number = i,
			.condition = t->insn[block][i].condition, .result = NO_RESULT,
		};
	while (told < n) {
		const uint32_t some = put_instructions(t, e + told, n - told, told);

		told += some;
		if (!some && ++tries % 8 == 0)
			put_flush(t);
		while (t->n_log && !roll(3))
			put_some_result(t);
	}
	put(t, &(struct csf_packet){ .type = CSF_PKT_ATOM, .n = 1, .val = 1 });
	for (uint32_t i = roll(4); t->n_log && i--; )
		put_some_result(t);
	if (!roll(25))
		put_flush(t);
}

static void execute(struct trial *t)
{
	struct csf_packet start = {
		.type = CSF_PKT_ADDR_CTXT32, .n = 32, .val = CODE, .info = 0x21,
		.flags = CSF_PKT_CTXT | (t->t32 ? CSF_PKT_IS1 : 0),
	};

	put_value(t, CSF_PKT_ASYNC, 0);
	put_value(t, CSF_PKT_INFO, 0);
	put(t, &start);
	for (uint64_t at = 0; at < BLOCKS * ROUNDS; at++)
		execute_block(t, at % BLOCKS, at);
}

static void make(struct trial *t, unsigned int seed)
{
	static const uint8_t modes[] = { 1, 2, 3, 7, 7 };

	srand(seed);
	*t = (struct trial){ .t32 = roll(2), .mode = modes[roll(5)], .special = roll(3) };
	t->counted = 5 + roll(12);
	t->config = (struct csf_config){
		.size = sizeof(t->config), .trcidr0 = 0x28000ec1 | roll(2) << 12,
		.trcidr1 = 0x4100f403, .trcidr2 = 0x488, .trcidr12 = t->counted + t->special,
		.trcidr13 = t->special, .trcconfigr = t->mode << 8 | 1, .profile = CSF_PROFILE_R,
		.marks = CSF_MARK_COND,
	};
	for (uint32_t i = 0; i < BLOCKS; i++)
		put_block(t, i);
	execute(t);
}

/* ---------------------------------------------------------------- what comes out */

static struct executed *find(struct trial *t, const struct csf_mark *m)
{
	for (size_t i = 0; i < t->n_log; i++)
		if (t->log[i].at == m->at && t->log[i].number == m->count)
			return &t->log[i];
	return NULL;
}

/* The result that the mark tells, as in struct executed. */
static int result_of(const struct csf_mark *m)
{
	if (m->flags & CSF_MARK_NO_RESULT)
		return NO_RESULT;
	if (m->flags & CSF_MARK_APSR)
		return m->flags >> CSF_MARK_APSR_SHIFT & 15;
	return m->flags & CSF_MARK_PASSED ? 1 : m->flags & CSF_MARK_FAILED ? 0 : UNKNOWN;
}

static bool is_same(struct trial *t, const struct conditional_code *code,
		    const struct csf_mark *m)
{
	struct executed *e = find(t, m);
	struct conditional found;

	if (!e || e->seen || result_of(m) != e->result)
		return false;
	e->seen = true;
	return conditional_find(code, m->value, m->count, &found) && found.addr == e->addr &&
	       found.condition == e->condition;
}

static int try_seed(struct trial *t, unsigned int seed, size_t chunk)
{
	struct conditional_code code = { 0 };
	struct csf_decoder *dec;
	struct csf_run run;
	int section, bad = 0;
	size_t n = 0;

	make(t, seed);
	if (csf_image_new(&code.image))
		abort();
	section = csf_section_bytes(code.image, t->code, t->n_code);
	if (csf_map(code.image, CSF_SPACE_ALL, CODE, t->n_code, section, 0) ||
	    csf_new(&dec, &t->config, code.image))
		abort();
	conditional_configure(&code, &t->config);
	for (size_t at = 0; at <= t->n_trace; at += chunk) {
		const size_t left = t->n_trace - at;

		if (csf_feed(dec, t->trace + at, left < chunk ? left : chunk))
			abort();
		if (left <= chunk && csf_end(dec))
			abort();
		while (csf_next(dec, &run) > 0)
			for (size_t i = 0; i < run.n_mark; i++, n++)
				bad += !is_same(t, &code, &run.mark[i]);
	}
	if (bad || n != t->n_log)
		printf("# seed %u: %d of %zu marks are wrong, want %zu\n", seed, bad, n, t->n_log);
	csf_free(dec);
	csf_image_free(code.image);
	return bad || n != t->n_log;
}

TEST(random_programs)
{
	struct trial *t = malloc(sizeof(*t));
	int failed = 0;

	for (unsigned int seed = 1; seed <= 400 && failed < 5; seed++)
		failed += try_seed(t, seed, seed % 3 ? 1 << 16 : 7);
	EXPECT_EQ(0, failed);
	free(t);
}

/* More elements than any queue has, none of them committed: a loss, and decode goes on. */
TEST(flood)
{
	static const uint8_t start[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0x82, 0, 0x20, 0, 0, 0x21, 0xf7,
	};
	struct csf_config config = {
		.size = sizeof(config), .trcidr0 = 0x28000ec1, .trcidr1 = 0x4100f403,
		.trcidr2 = 0x488, .trcidr8 = 8, .trcidr12 = 8, .trcconfigr = 0x701,
		.profile = CSF_PROFILE_R, .marks = CSF_MARK_COND,
	};
	uint8_t *trace = malloc(100000 + 2 * sizeof(start));
	struct csf_decoder *dec;
	struct csf_image *image;
	struct csf_run run;
	int got, gaps = 0;

	memcpy(trace, start, sizeof(start));
	memset(trace + sizeof(start), 0x40, 100000);
	memcpy(trace + sizeof(start) + 100000, start, sizeof(start));
	ASSERT_EQ(0, csf_image_new(&image));
	ASSERT_EQ(0, csf_new(&dec, &config, image));
	ASSERT_EQ(0, csf_feed(dec, trace, 100000 + 2 * sizeof(start)));
	ASSERT_EQ(0, csf_end(dec));
	while ((got = csf_next(dec, &run)) > 0)
		gaps += run.end == CSF_END_GAP && run.value == CSF_GAP_SPECULATION &&
			!(run.flags & CSF_GAP_MORE);
	EXPECT_EQ(0, got);
	EXPECT_EQ(2, gaps);	/* and the last atom is not committed */
	csf_free(dec);
	csf_image_free(image);
	free(trace);
}

/* Source: ARM DDI 0487, pseudocode ConditionHolds(). */
TEST(conditions)
{
	for (unsigned int flags = 0; flags < 16; flags++) {
		const bool n = flags & 8, z = flags & 4, c = flags & 2, v = flags & 1;
		const bool want[16] = {
			z, !z, c, !c, n, !n, v, !v, c && !z, !c || z, n == v, n != v,
			!z && n == v, z || n != v, true, true,
		};

		for (unsigned int i = 0; i < 16; i++)
			EXPECT_EQ(want[i], condition_holds(i, flags));
	}
}

/* ---------------------------------------------------------------- IT */

static uint8_t it_of(bool whole, size_t n, const uint16_t *half)
{
	uint8_t code[64];

	for (size_t i = 0; i < n; i++) {
		code[2 * i] = half[i];
		code[2 * i + 1] = half[i] >> 8;
	}
	return it_block_after(code, 2 * n, whole);
}

#define AFTER(whole, ...) \
	it_of(whole, sizeof((uint16_t[]){ __VA_ARGS__ }) / 2, (uint16_t[]){ __VA_ARGS__ })

/* ITTE EQ is bf06, LDR.W r11, [r0, #0xf06] is f8d0 bf06, ADDS r0, r0, #0 is 1c00. */
TEST(it_state)
{
	EXPECT_EQ(0, it_of(true, 0, NULL));
	EXPECT_EQ(0x06, AFTER(true, 0xbf06));
	EXPECT_EQ(0x0c, AFTER(true, 0xbf06, 0x1c00));
	EXPECT_EQ(0x18, AFTER(true, 0xbf06, 0x1c00, 0xf8d0, 0xbf06));
	EXPECT_EQ(0, AFTER(true, 0xbf06, 0x1c00, 0xf8d0, 0xbf06, 0x1c00));
	EXPECT_EQ(0, AFTER(true, 0xf8d0, 0xbf06));
	/* an instruction that has only begun */
	EXPECT_EQ(0, AFTER(true, 0xbf06, 0xf8d0));
}

/* The first half may be the second one of an instruction. */
TEST(it_state_in_the_middle)
{
	EXPECT_EQ(0, AFTER(false, 0xbf06));
	EXPECT_EQ(0, AFTER(false, 0xbf06, 0x1c00));
	EXPECT_EQ(0, AFTER(false, 0xf8d0, 0xbf06));
	EXPECT_EQ(0x06, AFTER(false, 0x1c00, 0xbf06));
	EXPECT_EQ(0x06, AFTER(false, 0xf8d0, 0xbf06, 0xbf06));
	EXPECT_EQ(0x0c, AFTER(false, 0x1c00, 0xbf06, 0xf8d0, 0xbf06));
}

TEST_HARNESS_MAIN
