// SPDX-License-Identifier: GPL-2.0-only
/*
 * STM by the encoder: random packets of every kind, in every form, are read as they were meant.
 *
 * 10^5 packets, or 10^7 with $CSFLOW_LONG.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"
#include "../../tools/encoder/stp-wire.h"

#define PACKETS		100	/* of a stream */
#define NIBBLES		8192	/* of a stream, at most */

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t rnd64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1d;
}

static uint64_t rnd(uint64_t n)
{
	return (rnd64() >> 11) % n;
}

/* A number of up to @n nibbles; rows of F, which may look like a sync, are frequent. */
static uint64_t number(unsigned int n)
{
	const uint64_t v = rnd(3) ? rnd64() : ~0ull << 4 * rnd(5);

	return v & low_bits(4 * n);
}

/**
 * struct stream - what was sent, and what is to be read
 * @start: place of each packet, in nibbles
 * @time, @timed: the timestamp of the next packet, and whether it has one
 */
struct stream {
	uint8_t bytes[NIBBLES / 2];
	struct stp_wire wire;
	size_t start[PACKETS + 2];
	unsigned int n_start, syncs;
	struct csf_message want[PACKETS + 2];
	unsigned int n_want;
	uint16_t master, channel;
	bool has_master, timed;
	uint64_t time;
};

static void want(struct stream *s, uint8_t kind, uint64_t value, uint8_t size)
{
	const bool has_time = s->timed && s->wire.times >= STP_DELTA;

	s->want[s->n_want++] = (struct csf_message){
		.kind = kind, .value = value, .size = size, .channel = s->channel,
		.master = s->master, .offset = s->start[s->n_start - 1] / 2,
		.time = has_time ? s->time : 0,
		.flags = (has_time ? CSF_MESSAGE_HAS_TIME : 0) |
			 (s->has_master ? CSF_MESSAGE_HAS_MASTER : 0),
	};
}

static void forget(struct stream *s)
{
	s->master = 0;
	s->channel = 0;
	s->has_master = false;
}

static void send_version(struct stream *s)
{
	stp_version(&s->wire, 1 + rnd(4), 1 + rnd(4), rnd(2));
	forget(s);
}

static void send_master(struct stream *s)
{
	const bool wide = rnd(2);
	const uint16_t v = number(wide ? 4 : 2);

	stp_master(&s->wire, v, wide);
	s->master = wide ? v : (s->master & 0xff00) | v;
	s->channel = 0;
	s->has_master = true;
}

static void send_channel(struct stream *s)
{
	const bool wide = rnd(2);
	const uint16_t v = number(wide ? 4 : 2);

	stp_channel(&s->wire, v, wide);
	s->channel = wide ? v : (s->channel & 0xff00) | v;
}

static void send_error(struct stream *s)
{
	const enum stp_error error = rnd(3);
	const uint8_t v = number(2);

	stp_error(&s->wire, error, v);
	if (error == STP_GLOBAL_ERROR)
		forget(s);
	if (error == STP_MASTER_ERROR)
		s->channel = 0;
	want(s, CSF_MESSAGE_ERROR, v, 1);
	s->want[s->n_want - 1].info = 1 + error;
}

static void send_data(struct stream *s, const uint64_t *time)
{
	const unsigned int size = 1 << rnd(5);
	const uint64_t v = number(size);
	const bool marked = rnd(2);
	struct csf_message *m;

	stp_data(&s->wire, v, size, marked, time);
	want(s, CSF_MESSAGE_DATA, v, (size + 1) / 2);
	m = &s->want[s->n_want - 1];
	m->info = size == 1 ? 4 : 0;
	m->flags |= marked ? CSF_MESSAGE_MARKED : 0;
}

static void send_timed(struct stream *s, unsigned int which, const uint64_t *time)
{
	const uint64_t before = s->wire.time;
	unsigned int size = 1 + rnd(16);
	uint64_t v = number(size);
	const bool wide = rnd(2);

	switch (which) {
	case 0:
		stp_flag(&s->wire, time);
		want(s, CSF_MESSAGE_FLAG, 0, 0);
		break;
	case 1:
		stp_user(&s->wire, v, size, time);
		want(s, CSF_MESSAGE_USER, v, (size + 1) / 2);
		break;
	case 2:
		stp_trigger(&s->wire, v, time);
		want(s, CSF_MESSAGE_TRIGGER, v & 0xff, 1);
		break;
	case 3:
		stp_cross_sync(&s->wire, v, time);
		want(s, CSF_MESSAGE_CROSS_SYNC, v & 0xff, 1);
		break;
	case 4:
		v &= low_bits(wide ? 40 : 32);
		stp_frequency(&s->wire, v, wide, time);
		want(s, CSF_MESSAGE_FREQUENCY, v, wide ? 5 : 4);
		break;
	case 5:
		stp_null(&s->wire, time);
		if (time)
			want(s, CSF_MESSAGE_TIME, s->wire.times < STP_DELTA ? 0 : *time - before,
			     8);
		break;
	default:
		send_data(s, time);
	}
}

static void send_packet(struct stream *s)
{
	const unsigned int which = rnd(20);

	s->start[s->n_start++] = s->wire.n;
	s->timed = false;
	s->wire.spare = rnd(4) ? 0 : rnd(17);
	switch (which) {
	case 0:
		stp_sync(&s->wire);
		s->syncs++;
		break;
	case 1:
		send_version(s);
		break;
	case 2:
		send_master(s);
		break;
	case 3:
		send_channel(s);
		break;
	case 4:
		send_error(s);
		break;
	case 5:
		stp_progress(&s->wire);
		break;
	default:
		s->timed = rnd(2);
		s->time = rnd(3) ? s->wire.time + rnd(1000) : rnd64();
		send_timed(s, which - 6, s->timed ? &s->time : NULL);
	}
}

/* Some nibbles that are lost, a sync and a VERSION, and then anything. */
static void send_stream(struct stream *s, bool high_first)
{
	const unsigned int lost = rnd(8);

	*s = (struct stream){
		.wire = { .bytes = s->bytes, .max = NIBBLES, .high_first = high_first },
	};
	for (unsigned int i = 0; i < lost; i++)
		stp_nibble(&s->wire, rnd(2) ? 0xf : rnd(16));
	if (lost)
		s->want[s->n_want++] = (struct csf_message){
			.kind = CSF_MESSAGE_GAP, .info = CSF_GAP_START, .value = (lost + 1) / 2,
		};
	s->start[s->n_start++] = s->wire.n;
	stp_sync(&s->wire);
	s->syncs++;
	s->start[s->n_start++] = s->wire.n;
	send_version(s);
	while (s->n_start < PACKETS)
		send_packet(s);
	s->start[s->n_start++] = s->wire.n;
	if (s->wire.n & 1)
		stp_nibble(&s->wire, 0);
}

static bool equal(const struct csf_message *a, const struct csf_message *b)
{
	return a->offset == b->offset && a->value == b->value && a->time == b->time &&
	       a->channel == b->channel && a->master == b->master && a->flags == b->flags &&
	       a->kind == b->kind && a->info == b->info && a->size == b->size;
}

static void say(const char *what, const struct csf_message *m)
{
	printf("# %s %s %llx at byte %llu, time %llx, by %x:%x, size %u info %u flags %x\n", what,
	       csf_message_name(m->kind), (unsigned long long)m->value,
	       (unsigned long long)m->offset, (unsigned long long)m->time, m->master, m->channel,
	       m->size, m->info, m->flags);
}

/* Fed in pieces of random sizes.  Return: number of messages as wanted, up to the first other. */
static unsigned int read_stream(const struct stream *s, uint32_t order)
{
	const struct csf_config config = {
		.size = sizeof(config), .protocol = CSF_PROTOCOL_STM, .stp_order = order,
	};
	const size_t n = (s->wire.n + 1) / 2, most = 1 + rnd(rnd(2) ? 8 : 300);
	struct csf_messages *messages;
	unsigned int got = 0;
	struct csf_message m;
	size_t at = 0;

	if (csf_messages_new(&messages, &config))
		return 0;
	while (at <= n) {
		const size_t some = 1 + rnd(most), take = some < n - at ? some : n - at;

		csf_messages_feed(messages, s->bytes + at, take);
		at += take;
		if (at == n)
			csf_messages_end(messages);
		while (csf_messages_next(messages, &m) > 0) {
			if (got >= s->n_want || !equal(&m, &s->want[got])) {
				say("got", &m);
				say("want", &s->want[got]);
				goto out;
			}
			got++;
		}
		if (at == n)
			break;
	}
out:
	csf_messages_free(messages);
	return got;
}

/* Each packet alone.  Return: number of packets that begin and end where they should. */
static unsigned int read_packets(const struct stream *s)
{
	struct csf_stp_format format = { .high_first = s->wire.high_first };
	struct csf_stp_packet pkt;
	unsigned int i;

	for (i = 0; i + 1 < s->n_start; i++) {
		const int n = csf_stp_read(&format, s->bytes, (s->wire.n + 1) / 2, s->start[i],
					   &pkt);

		if (n != (int)(s->start[i + 1] - s->start[i]))
			break;
		if (pkt.kind == CSF_STP_VERSION)
			csf_stp_version(&format, &pkt);
	}
	return i;
}

TEST(round_trips)
{
	const unsigned int rounds = (getenv("CSFLOW_LONG") ? 10000000 : 100000) / PACKETS;
	static struct stream s;

	for (unsigned int i = 0; i < rounds; i++) {
		const bool high = rnd(2);
		const uint32_t order = rnd(2) ? CSF_STP_DETECT :
				       high ? CSF_STP_HIGH_FIRST : CSF_STP_LOW_FIRST;

		send_stream(&s, high);
		ASSERT_LE(s.wire.n, NIBBLES);
		ASSERT_EQ(s.n_want, read_stream(&s, order))
			TH_LOG("stream %u", i);
		ASSERT_EQ(s.n_start - 1, read_packets(&s))
			TH_LOG("stream %u", i);
	}
}

/* A sync at any place in any stream: no message after it is lost, and none before it but one. */
TEST(cut_by_sync)
{
	static struct stream s, all;
	unsigned int lost = 0;

	for (unsigned int i = 0; i < 2000; i++) {
		struct csf_stp_format format = { .high_first = i & 1 };
		struct csf_stp_packet pkt;
		size_t at, cut;

		send_stream(&all, i & 1);
		send_stream(&s, i & 1);
		cut = rnd(s.wire.n);
		s.wire.n = cut & ~(size_t)1;
		stp_sync(&s.wire);
		at = csf_stp_find_sync(&format, s.bytes, s.wire.n / 2, s.wire.n - 22);
		ASSERT_EQ(at, s.wire.n - 22);
		ASSERT_EQ(csf_stp_read(&format, s.bytes, s.wire.n / 2, at, &pkt), 22);
		EXPECT_EQ(pkt.kind, CSF_STP_SYNC);
		for (unsigned int j = 0; j + 1 < s.n_start; j++) {
			if (s.start[j] >= at || s.start[j + 1] <= at)
				continue;
			/* the format does not matter: the end of the packet is not looked at */
			csf_stp_read(&format, s.bytes, s.wire.n / 2, s.start[j], &pkt);
			lost += pkt.kind == CSF_STP_CUT;
		}
	}
	EXPECT_GT(lost, 100);
}

TEST_HARNESS_MAIN
