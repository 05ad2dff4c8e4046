// SPDX-License-Identifier: GPL-2.0-only
/* Wrong paths that are likely: the paths that a processor would have executed, and no others. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/etm4-past.h"
#include "../../tools/encoder/encoder.h"
#include "../lib/last-address.h"

static void add(struct past *past, uint64_t from, uint64_t to)
{
	const struct past_p0 p0 = { .from = from, .to = to };

	past_add(past, &p0);
}

/* The branches that come after, and those that came before. */
TEST(remembered)
{
	struct past *past = past_new();
	const struct past_p0 *p0;

	ASSERT_NE(past, NULL);
	EXPECT_EQ(past_from(past, 0, 0), NULL);
	add(past, 0x10, 0x20);
	add(past, 0x20, 0x30);
	add(past, 0x40, 0x10);	/* an exception is before it */
	add(past, 0x10, 0x50);

	p0 = past_from(past, 0x10, 0);
	ASSERT_NE(p0, NULL);
	EXPECT_EQ(p0->to, 0x50);
	EXPECT_EQ(past_next(past, p0), NULL);
	EXPECT_EQ(past_from(past, 0x10, 1), NULL);
	p0 = past_before(past, p0);
	ASSERT_NE(p0, NULL);
	EXPECT_EQ(p0->to, 0x20);
	EXPECT_EQ(past_before(past, p0), NULL);
	p0 = past_next(past, p0);
	ASSERT_NE(p0, NULL);
	EXPECT_EQ(p0->to, 0x30);
	EXPECT_EQ(past_next(past, p0), NULL);

	/* So much later that the encoder has forgotten it. */
	for (uint64_t i = 0; i < 200000; i++)
		add(past, 0x100 + i, 0x101 + i);
	EXPECT_EQ(past_from(past, 0x10, 0), NULL);
	past_free(past);
}

/*
 * A program of four blocks: LOOP branches to FAR, or not, and NEAR is after it.  FAR goes to LOOP
 * or ELSEWHERE, which goes to LOOP, as NEAR does.  AWAY: after FAR, until an address says where.
 */
enum { LOOP, NEAR, FAR, ELSEWHERE, AWAY };

static const struct enc_block blocks[] = {
	[LOOP] = { 0x1000, 8, 2, .last = { 0x2000, ENC_DIRECT, ENC_COND, 4 } },
	[NEAR] = { 0x1008, 4, 1, .last = { 0x1000, ENC_DIRECT, 0, 4 } },
	[FAR] = { 0x2000, 4, 1, .last = { 0, ENC_INDIRECT, 0, 4 } },
	[ELSEWHERE] = { 0x3000, 4, 1, .last = { 0x1000, ENC_DIRECT, 0, 4 } },
};

#define P0S	30000

/**
 * struct walk - the packets are followed, wrong paths and all
 * @before: for each P0 element where execution was
 * @after: and after it
 * @n: of them
 * @at: where it is now
 * @last: address
 * @back: so many were taken back
 * @turned: atoms that were turned over
 * @wrong: what cannot be
 */
struct walk {
	uint8_t after[2 * P0S];
	uint8_t before[2 * P0S];
	unsigned int n;
	int at;
	struct last_address last;
	unsigned int back, turned;
	const char *wrong;
};

static int after(int at, bool taken)
{
	if (at == LOOP)
		return taken ? FAR : NEAR;
	return at == FAR ? AWAY : LOOP;
}

static void walk_atom(struct walk *w, bool taken)
{
	if (w->at == AWAY)
		w->wrong = "no address behind an indirect branch";
	if (w->at != LOOP && !taken)
		w->wrong = "a branch that is always taken was not";
	w->before[w->n] = w->at;
	w->at = after(w->at, taken);
	w->after[w->n++] = w->at;
}

/* Direct branches have no address; where an indirect one led may be said twice. */
static void walk_address(struct walk *w, uint64_t addr)
{
	if (w->n && w->after[w->n - 1] != AWAY)
		w->wrong = "an address behind a direct branch";
	if (addr != 0x1000 && addr != 0x3000)
		w->wrong = "an address where nobody ever was";
	w->at = addr == 0x3000 ? ELSEWHERE : LOOP;
}

static void walk_back(struct walk *w, const struct csf_packet *pkt)
{
	const bool turn = pkt->type == CSF_PKT_MISPREDICT || pkt->flags & CSF_PKT_MISP;
	bool taken;

	if (pkt->n)
		w->wrong = "atoms in what takes back";
	w->back += pkt->count;
	w->n -= pkt->count;
	w->at = w->after[w->n - 1];
	if (!turn)
		return;
	if (w->before[w->n - 1] != LOOP)
		w->wrong = "turned where there is no choice";
	w->turned++;
	taken = w->at == FAR;
	w->at = w->before[--w->n];
	walk_atom(w, !taken);
}

static void walk_packet(struct walk *w, const struct csf_packet *pkt)
{
	if (last_address(&w->last, pkt))
		walk_address(w, w->last.at[0]);
	switch (pkt->type) {
	case CSF_PKT_ATOM:
		for (unsigned int i = 0; i < pkt->n; i++)
			walk_atom(w, pkt->val >> i & 1);
		break;
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		walk_back(w, pkt);
		break;
	default:
		break;
	}
}

/* Executes P0S blocks; @way: those where there is a choice.  Return: how many. */
static unsigned int execute(struct encoder *e, uint8_t *way)
{
	const struct enc_context context = { .bits64 = true };
	unsigned int n = 0, random = 1;
	int at = LOOP;

	enc_start(e, blocks[at].pc, ENC_A64, &context);
	for (unsigned int i = 0; i < P0S; i++) {
		int next = at == LOOP ? NEAR : LOOP;

		random = random * 1103515245 + 12345;
		if (at == LOOP && random >> 30)
			next = FAR;
		else if (at == FAR && random >> 30 == 1)
			next = ELSEWHERE;
		way[n++] = next;
		enc_block(e, &blocks[at], blocks[next].pc, ENC_A64);
		at = next;
	}
	enc_stop(e);
	return n;
}

/* Each packet of a wrong path describes a possible execution of the program. */
TEST(could_have_been)
{
	static uint8_t way[P0S];
	static struct walk w;
	char problem[ENC_PROBLEM_MAX];
	const uint8_t *trace;
	struct enc_setup setup;
	struct csf_packet pkt;
	struct encoder *e;
	long n;

	ASSERT_EQ(enc_setup_parse(&setup, "etm4=4.4,sync=0,spec=8:5,likely", problem), 0)
		TH_LOG("%s", problem);
	ASSERT_EQ(enc_new(&e, &setup, NULL), 0);
	EXPECT_EQ(execute(e, way), P0S);
	n = enc_take(e, &trace);
	ASSERT_GT(n, P0S / 5);
	for (long pos = 0; pos < n && !w.wrong && w.n < P0S + 16; ) {
		const int size = csf_packet_read(&setup.config, trace + pos, n - pos, &pkt);

		ASSERT_GT(size, 0);
		walk_packet(&w, &pkt);
		pos += size;
		if (w.wrong)
			TH_LOG("at %ld: %s", pos, w.wrong);
	}
	EXPECT_EQ(w.wrong, NULL);
	EXPECT_EQ(w.n, P0S);
	for (unsigned int i = 0; i < w.n && i < P0S; i++)
		if (w.after[i] != AWAY)
			ASSERT_EQ(w.after[i], way[i]);
	EXPECT_GT(w.turned, 1000);
	EXPECT_GT(w.back, 2 * w.turned);
	enc_free(e);
}

TEST_HARNESS_MAIN
