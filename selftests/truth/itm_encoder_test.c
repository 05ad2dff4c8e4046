// SPDX-License-Identifier: GPL-2.0-only
/*
 * ITM and DWT by the encoder: random events of every kind, with the messages that they are, to
 * bytes that are cut anywhere, and back; and damaged.
 *
 * 10^5 events and 2,000 damaged traces, or 10^7 and 10^5 with $CSFLOW_LONG.
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../lib/random-itm.h"

static bool equal(const struct csf_message *a, const struct csf_message *b)
{
	return a->offset == b->offset && a->value == b->value && a->time == b->time &&
	       a->channel == b->channel && a->flags == b->flags && a->kind == b->kind &&
	       a->info == b->info && a->size == b->size;
}

static const char *text(const struct csf_message *m)
{
	static char buf[2][160];
	static int i;

	i = !i;
	snprintf(buf[i], sizeof(buf[i]), "%llu %s #%u %llx/%u info %u flags %x at %llu",
		 (unsigned long long)m->offset, csf_message_name(m->kind), m->channel,
		 (unsigned long long)m->value, m->size, m->info, m->flags,
		 (unsigned long long)m->time);
	return buf[i];
}

/* Compares what is handed out.  Return: all is as it should be. */
static bool drain(struct __test_metadata *_metadata, struct random_itm *u,
		  struct csf_messages *messages)
{
	struct csf_message m;
	size_t i = 0;

	while (csf_messages_next(messages, &m) > 0) {
		EXPECT_LT(i, u->n_want);
		if (i == u->n_want)
			return false;
		if (!equal(&m, &u->want[i])) {
			EXPECT_STREQ(text(&u->want[i]), text(&m));
			return false;
		}
		i++;
	}
	u->n_want -= i;
	memmove(u->want, u->want + i, u->n_want * sizeof(*u->want));
	return true;
}

/* A batch of events, in pieces. */
static bool send_batch(struct __test_metadata *_metadata, struct random_itm *u,
		       struct csf_messages *messages)
{
	bool good = true;

	random_itm_batch(u);
	for (size_t at = 0, n; at < u->n && good; at += n) {
		n = 1 + random_itm_dice(u, random_itm_dice(u, 4) ? 40 : 3000);
		n = n < u->n - at ? n : u->n - at;
		EXPECT_EQ(0, csf_messages_feed(messages, u->bytes + at, n));
		good = drain(_metadata, u, messages);
	}
	return good;
}

static void round_trip(struct __test_metadata *_metadata, uint64_t seed, int batches,
		       uint64_t *kinds)
{
	struct csf_message_stats stats = { .size = sizeof(stats) };
	struct random_itm *u = malloc(sizeof(*u));
	struct csf_messages *messages;
	struct csf_config config;
	bool good = true;

	random_itm_begin(u, seed);
	config = random_itm_config(u);
	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	for (int i = 0; i < batches && good; i++)
		good = send_batch(_metadata, u, messages);
	EXPECT_EQ(0, csf_messages_end(messages));
	EXPECT_TRUE(good && drain(_metadata, u, messages))
		TH_LOG("seed %llu", (unsigned long long)seed);
	EXPECT_EQ(0, u->n_want);
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(u->fed + u->n, stats.bytes);
	EXPECT_EQ(0, stats.skipped);
	for (int i = 0; i < CSF_MESSAGE_NR; i++)
		kinds[i] += u->kinds[i];
	csf_messages_free(messages);
	free(u);
}

TEST(every_kind_there_and_back)
{
	const int rounds = getenv("CSFLOW_LONG") ? 1000 : 10;
	uint64_t kinds[CSF_MESSAGE_NR] = { 0 };

	for (int i = 0; i < rounds; i++)
		round_trip(_metadata, 1 + i, 10, kinds);
	for (int i = 0; i <= CSF_MESSAGE_OVERFLOW; i++) {
		EXPECT_GT(kinds[i], 5 * rounds)
			TH_LOG("%s", csf_message_name(i));
	}
	EXPECT_GT(kinds[CSF_MESSAGE_OTHER], 30 * rounds);
}

/* ---------------------------------------------------------------- damage */

enum { FLIPPED, REPLACED, DROPPED, ADDED, BURST, ZEROS, CUT, DAMAGES };

static const char *const damage_name[DAMAGES] = {
	"a bit flipped", "a byte replaced", "bytes dropped", "bytes added", "a burst", "zeros",
	"cut off",
};

/**
 * struct damaged - a trace with one fault
 * @bytes: @n bytes, which are those of the trace up to @at; those from @again on are those from
 *         @again - @shift on of the trace
 */
struct damaged {
	uint8_t bytes[sizeof(((struct random_itm *)0)->bytes) + 16];
	size_t n, at, again;
	long shift;
};

static void damage(struct random_itm *u, struct damaged *d, int kind)
{
	const size_t n = kind == FLIPPED || kind == REPLACED ? 1 : 1 + random_itm_dice(u, 8);
	uint8_t *p;

	d->at = random_itm_dice(u, u->n - 16);
	d->shift = kind == ADDED ? (long)n : kind == DROPPED ? -(long)n : 0;
	d->n = kind == CUT ? d->at : u->n + d->shift;
	d->again = kind == DROPPED ? d->at : d->at + n;
	memcpy(d->bytes, u->bytes, d->at);
	if (kind != CUT)
		memcpy(d->bytes + d->again, u->bytes + d->again - d->shift, d->n - d->again);
	p = d->bytes + d->at;
	if (kind == FLIPPED)
		*p = u->bytes[d->at] ^ 1 << random_itm_dice(u, 8);
	for (size_t i = 0; kind != FLIPPED && kind != DROPPED && kind != CUT && i < n; i++)
		p[i] = kind == ZEROS ? 0 : random_itm_dice(u, 256);
}

/* Is it the same, but for what it takes from earlier messages? */
static bool similar(const struct csf_message *a, const struct csf_message *b)
{
	return a->kind == b->kind && a->info == b->info &&
	       (a->kind == CSF_MESSAGE_ACCESS_ADDR || a->kind == CSF_MESSAGE_GLOBAL_TIME ||
		(a->value == b->value && a->size == b->size &&
		 a->channel == b->channel));
}

/*
 * How many of the messages that the fault has not touched are there: none before it may be missing.
 */
static size_t kept(struct __test_metadata *_metadata, struct random_itm *u, struct damaged *d,
		   size_t *of)
{
	const struct csf_config config = random_itm_config(u);
	struct csf_message_stats stats = { .size = sizeof(stats) };
	struct csf_messages *messages;
	struct csf_message m;
	size_t next = 0, n = 0;

	*of = 0;
	for (size_t i = 0; i < u->n_want; i++)
		*of += d->n > d->again || u->want[i].offset < d->at;
	csf_messages_new(&messages, &config);
	csf_messages_feed(messages, d->bytes, d->n);
	csf_messages_end(messages);
	while (csf_messages_next(messages, &m) > 0) {
		if (m.offset >= d->again)
			m.offset -= d->shift;
		while (next < u->n_want && u->want[next].offset < m.offset)
			next++;
		/* Each counts once: bytes that were added may be the same message again. */
		if (next < u->n_want && u->want[next].offset == m.offset &&
		    similar(&u->want[next], &m)) {
			next++;
			n++;
		}
	}
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(d->n, stats.bytes);
	csf_messages_free(messages);
	return n;
}

/* A fault costs the messages up to where packets are found again; bounds: what was seen. */
TEST(damaged)
{
	static const unsigned int most[DAMAGES] = { 2, 3, 5, 5, 5, 5, 2 };
	const int trials = getenv("CSFLOW_LONG") ? 100000 : 2000;
	struct random_itm *u = malloc(sizeof(*u));
	uint64_t lost[DAMAGES] = { 0 };
	struct damaged *d = malloc(sizeof(*d));

	for (int i = 0; i < trials; i++) {
		size_t of, n;

		if (i % 50 == 0) {
			random_itm_begin(u, 1 + i);
			random_itm_batch(u);
		}
		damage(u, d, i % DAMAGES);
		n = kept(_metadata, u, d, &of);
		EXPECT_LE(n, of)
			TH_LOG("trial %d: %s", i, damage_name[i % DAMAGES]);
		lost[i % DAMAGES] += of - n;
	}
	for (int k = 0; k < DAMAGES; k++) {
		TH_LOG("%s: %.2f messages", damage_name[k], (double)lost[k] * DAMAGES / trials);
		EXPECT_LE(lost[k] * DAMAGES, (uint64_t)most[k] * trials);
	}
	free(d);
	free(u);
}

TEST_HARNESS_MAIN
