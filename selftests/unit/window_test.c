// SPDX-License-Identifier: GPL-2.0-only
/* Streams of packets: A-syncs, cuts, and any split of the input. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/etm4/stream.h"

#define IDR0_ALL	(BIT(6) | 3 << 3 | BIT(7) | 3 << 15 | BIT(22) | BIT(23))
#define ETE(minor)	(0x47705a13 | (minor) << 16)

static struct config unit(void)
{
	struct csf_config config = {
		.size = sizeof(config), .trcidr0 = IDR0_ALL, .trcidr2 = 0xd0001088, .trcidr8 = 8,
		.trcdevarch = ETE(3),
	};
	struct config c;

	if (config_read(&c, &config))
		abort();
	return c;
}

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static size_t slow_find(const uint8_t *p, size_t n)
{
	static const uint8_t sync[ETM4_SYNC_SIZE] = { [11] = 0x80 };

	for (size_t i = 0; i + ETM4_SYNC_SIZE <= n; i++)
		if (!memcmp(p + i, sync, ETM4_SYNC_SIZE))
			return i;
	return n;
}

TEST(finds_every_sync)
{
	uint8_t byte[300];

	for (unsigned int i = 0; i < 100000; i++) {
		size_t n = any() % sizeof(byte), want;

		for (size_t k = 0; k < n; k++)
			byte[k] = any() % 97 ? 0 : any() % 3 ? 0x80 : any();
		want = slow_find(byte, n);
		ASSERT_EQ(want, sync_find(byte, n, ETM4_SYNC_ZEROS));
	}
}

/* Few zeros but those of an A-sync, and of what is nearly one: each begins anywhere. */
TEST(finds_a_sync_anywhere)
{
	uint8_t byte[300];

	for (unsigned int i = 0; i < 200000; i++) {
		const size_t n = ETM4_SYNC_SIZE + any() % (sizeof(byte) - ETM4_SYNC_SIZE);
		const size_t zeros = any() % 14, at = any() % n;

		for (size_t k = 0; k < n; k++)
			byte[k] = any() % 50 ? any() | 1 : 0;
		for (size_t k = at; k < n && k < at + zeros; k++)
			byte[k] = 0;
		if (at + zeros < n)
			byte[at + zeros] = 0x80;
		ASSERT_EQ(slow_find(byte, n), sync_find(byte, n, ETM4_SYNC_ZEROS));
	}
}

/* A stream of @n bytes with atoms, other bytes, zeros and A-syncs. */
static void any_stream(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned int how = any() % 16;
		size_t len = how < 8 ? 1 + any() % 40 : how < 12 ? any() % 14 : 12;

		for (size_t k = 0; k < len && i < n; k++, i++) {
			if (how < 4)
				p[i] = 0xc0 | any();
			else if (how == 4 && !(k % 3))
				p[i] = 0x90 | any() % 16;
			else if (how < 8)
				p[i] = any();
			else
				p[i] = how >= 12 && k == 11 ? 0x80 : 0;
		}
	}
}

/* Reads a stream in chunks of @chunk bytes (0: of any size) and sums up its packets. */
static uint64_t sum_up(struct __test_metadata *_metadata, const struct csf_config *config,
		       const uint8_t *p, size_t n, size_t chunk)
{
	struct csf_monitor *mon;
	uint64_t sum = 0, offset, next = 0;
	struct csf_packet pkt;
	const uint8_t *bytes;
	size_t done = 0;

	EXPECT_EQ(0, csf_monitor_new(&mon, config));
	do {
		size_t take = chunk ? chunk : 1 + any() % 100;
		uint8_t *copy;

		take = take < n - done ? take : n - done;
		copy = malloc(take + 1);
		memcpy(copy, p + done, take);
		EXPECT_EQ(0, csf_monitor_feed(mon, copy, take));
		done += take;
		if (done == n)
			csf_monitor_end(mon);
		while (csf_monitor_next(mon, &pkt, &offset, &bytes) > 0) {
			EXPECT_EQ(next, offset);
			EXPECT_EQ(0, memcmp(bytes, p + offset, pkt.size));
			next = offset + pkt.size;
			sum = (sum ^ pkt.type ^ (uint64_t)pkt.n << 8 ^ (uint64_t)pkt.size << 16 ^
			       pkt.val ^ (uint64_t)pkt.info << 24) * 0x100000001b3;
		}
		free(copy);
	} while (done < n);
	EXPECT_EQ(n, next);
	csf_monitor_free(mon);
	return sum;
}

/* The packets of a whole stream, by the rule; one for each byte at most. */
static size_t read_plainly(const struct csf_config *config, const uint8_t *p, size_t n,
			   struct csf_packet *out)
{
	bool synced = false;
	size_t i = 0, count = 0;

	while (i < n) {
		size_t cut = i + slow_find(p + i, n - i);
		struct csf_packet *pkt = &out[count++];

		if (cut == i) {
			synced = true;
			cut = n;
		}
		if (synced) {
			csf_packet_read(config, p + i, cut - i, pkt);
			/* a Cancel of nothing is no loss of sync */
			synced = pkt->type != CSF_PKT_BAD || (pkt->n == CSF_BAD_SEQUENCE &&
							      pkt->info == CSF_PKT_CANCEL1);
		} else {
			*pkt = (struct csf_packet){ .type = CSF_PKT_BAD, .n = CSF_BAD_UNSYNC };
			pkt->size = cut - i < CSF_PACKET_MAX ? cut - i : CSF_PACKET_MAX;
			for (unsigned int k = 0; k < pkt->size && k < 8; k++)
				pkt->val |= (uint64_t)p[i + k] << 8 * k;
		}
		i += pkt->size;
	}
	return count;
}

/* @max at a time, and some bytes at a time: all fields of all packets. */
static void expect_packets(struct __test_metadata *_metadata, const struct csf_config *config,
			   const uint8_t *p, size_t n, const struct csf_packet *want, size_t max)
{
	struct csf_packet got[300];
	uint64_t offset, next = 0;
	struct csf_monitor *mon;
	const uint8_t *bytes;
	size_t done = 0;
	long k;

	ASSERT_EQ(0, csf_monitor_new(&mon, config));
	while (next < n) {
		size_t take = any() % (any() % 2 ? 300 : 3000);

		take = take < n - done ? take : n - done;
		ASSERT_EQ(0, csf_monitor_feed(mon, p + done, take));
		done += take;
		if (done == n)
			csf_monitor_end(mon);
		memset(got, 0xa5, sizeof(got));
		while ((k = csf_monitor_read(mon, got, max, &offset, &bytes)) > 0) {
			ASSERT_LE(k, max);
			ASSERT_EQ(next, offset);
			for (long i = 0; i < k; i++, want++) {
				ASSERT_EQ(0, memcmp(want, &got[i],
						    offsetof(struct csf_packet, flags) + 1))
					TH_LOG("offset %llu", (unsigned long long)next);
				ASSERT_EQ(0, memcmp(p + next, bytes, got[i].size));
				next += got[i].size;
				bytes += got[i].size;
			}
			ASSERT_EQ(0xa5, k < 300 ? ((uint8_t *)&got[k])[0] : 0xa5);
			memset(got, 0xa5, sizeof(got));
		}
		ASSERT_EQ(0, k);
	}
	csf_monitor_free(mon);
}

TEST(many_at_a_time)
{
	struct csf_config config = {
		.size = sizeof(config), .trcdevarch = ETE(3), .trcidr0 = IDR0_ALL,
		.trcidr2 = 0xd0001088,
	};
	static struct csf_packet want[6000];
	static uint8_t stream[6000];

	for (unsigned int round = 0; round < 100; round++) {
		size_t n = sizeof(stream) - any() % 50;

		any_stream(stream, n);
		read_plainly(&config, stream, n, want);
		for (size_t max = 1; max < 9; max++)
			expect_packets(_metadata, &config, stream, n, want, max);
		for (unsigned int i = 0; i < 4; i++)
			expect_packets(_metadata, &config, stream, n, want, 1 + any() % 300);
	}
}

TEST(chunks_do_not_matter)
{
	struct csf_config config = {
		.size = sizeof(config), .trcdevarch = ETE(3), .trcidr0 = IDR0_ALL,
		.trcidr2 = 0xd0001088,
	};
	static uint8_t stream[4000];

	for (unsigned int round = 0; round < 20; round++) {
		size_t n = sizeof(stream) - any() % 50;
		uint64_t want;

		any_stream(stream, n);
		want = sum_up(_metadata, &config, stream, n, n);
		for (size_t chunk = 1; chunk < 100; chunk++) {
			ASSERT_EQ(want, sum_up(_metadata, &config, stream, n, chunk))
				TH_LOG("round %u chunk %zu", round, chunk);
		}
		for (unsigned int i = 0; i < 20; i++)
			ASSERT_EQ(want, sum_up(_metadata, &config, stream, n, 0));
	}
}

/* A hot loop that trusts @safe reads the same as a careful one. */
TEST(safe_is_safe)
{
	struct config c = unit();
	static uint8_t stream[4000];

	for (unsigned int round = 0; round < 200; round++) {
		struct csf_packet pkt;
		struct window win;

		any_stream(stream, sizeof(stream));
		window_reset(&win, ETM4_SYNC_ZEROS);
		ASSERT_EQ(0, window_feed(&win, stream, sizeof(stream)));
		window_end(&win);
		while (window_ready(&win)) {
			const uint8_t *pos = win.pos;

			while (pos < win.safe) {
				size_t at = window_offset(&win, pos);
				int n = packet_read(&c, pos, &pkt);

				ASSERT_LE(at + CSF_PACKET_MAX, sizeof(stream));
				ASSERT_LE(at + n, at + slow_find(pos, win.end - pos));
				pos += n;
			}
			win.pos = pos;
			window_take(&win, etm4_read(&win, &c, &pkt));
		}
		ASSERT_EQ(sizeof(stream), window_offset(&win, win.pos));
	}
}

struct expected {
	uint64_t offset;
	uint8_t type, n, info, size;
};

static void expect_stream(struct __test_metadata *_metadata, const uint8_t *p, size_t n,
			  const struct expected *want, size_t n_want)
{
	struct csf_config config = { .size = sizeof(config), .trcdevarch = ETE(0) };
	struct csf_monitor *mon;
	struct csf_packet pkt;
	uint64_t offset;

	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	ASSERT_EQ(0, csf_monitor_feed(mon, p, n));
	ASSERT_EQ(0, csf_monitor_end(mon));
	for (size_t i = 0; i < n_want; i++) {
		ASSERT_EQ(1, csf_monitor_next(mon, &pkt, &offset, NULL));
		EXPECT_EQ(want[i].offset, offset)
			TH_LOG("packet %zu", i);
		EXPECT_EQ(want[i].type, pkt.type)
			TH_LOG("packet %zu", i);
		EXPECT_EQ(want[i].n, pkt.n)
			TH_LOG("packet %zu", i);
		EXPECT_EQ(want[i].info, pkt.info)
			TH_LOG("packet %zu", i);
		EXPECT_EQ(want[i].size, pkt.size)
			TH_LOG("packet %zu", i);
	}
	EXPECT_EQ(0, csf_monitor_next(mon, &pkt, &offset, NULL));
	csf_monitor_free(mon);
}

#define SYNC	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80

/* A packet ends at an A-sync, though it should be longer; reading goes on at the A-sync. */
TEST(an_async_cuts_a_packet)
{
	static const uint8_t bytes[] = { SYNC, 1, 0, 0x9d, 1, 2, SYNC, 0xf7, 0x9d, 0, 0 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 12, CSF_PKT_INFO, 0, 0, 2 },
		{ 14, CSF_PKT_BAD, CSF_BAD_CUT, CSF_PKT_ADDR64, 3 },
		{ 17, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 29, CSF_PKT_ATOM, 1, 0, 1 },
		{ 30, CSF_PKT_BAD, CSF_BAD_CUT, CSF_PKT_ADDR64, 3 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* Payload that ends in zeros makes the run longer; the last eleven are the A-sync. */
TEST(zeros_in_front_of_an_async)
{
	static const uint8_t bytes[] = { 0, 0, 0, SYNC, 0x9d, 0, 0, 0, 0, 0, 0, 0, 0, SYNC, 0xf7 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_BAD, CSF_BAD_UNSYNC, 0, 3 },
		{ 3, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 15, CSF_PKT_ADDR64, 64, 0, 9 },
		{ 24, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 36, CSF_PKT_ATOM, 1, 0, 1 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* After a bad packet nothing is a packet until the next A-sync. */
TEST(a_bad_packet_loses_sync)
{
	static const uint8_t bytes[] = { SYNC, 0xf7, 0x84, 0xf7, 0xf7, SYNC, 4 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 12, CSF_PKT_ATOM, 1, 0, 1 },
		{ 13, CSF_PKT_BAD, CSF_BAD_RESERVED, 0, 1 },
		{ 14, CSF_PKT_BAD, CSF_BAD_UNSYNC, 0, 2 },
		{ 16, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 28, CSF_PKT_ON, 0, 0, 1 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* But not after a Cancel of nothing, not even where an exception's address should stand. */
TEST(a_cancel_of_nothing_loses_no_sync)
{
	static const uint8_t bytes[] = { SYNC, 0x2e, 0, 0xf7, 6, 2, 0x2e, 0, 0xf7 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 12, CSF_PKT_BAD, CSF_BAD_SEQUENCE, CSF_PKT_CANCEL1, 2 },
		{ 14, CSF_PKT_ATOM, 1, 0, 1 },
		{ 15, CSF_PKT_EXCEPTION, 0, 0, 2 },
		{ 17, CSF_PKT_BAD, CSF_BAD_SEQUENCE, CSF_PKT_CANCEL1, 2 },
		{ 19, CSF_PKT_ATOM, 1, 0, 1 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* Bytes out of sync come in packets of at most CSF_PACKET_MAX bytes. */
TEST(unsynced_bytes_come_in_pieces)
{
	static const uint8_t bytes[70] = { [58] = 0, [69] = 0x80, [57] = 1 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_BAD, CSF_BAD_UNSYNC, 0, 32 },
		{ 32, CSF_PKT_BAD, CSF_BAD_UNSYNC, 0, 26 },
		{ 58, CSF_PKT_ASYNC, 0, 0, 12 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* Bytes after the end are not looked at: an exception's third byte is not there. */
TEST(after_the_end_is_nothing)
{
	static const uint8_t bytes[] = { SYNC, 6, 1 };
	static const struct expected want[] = {
		{ 0, CSF_PKT_ASYNC, 0, 0, 12 },
		{ 12, CSF_PKT_EXCEPTION, 1, 0, 2 },
	};

	expect_stream(_metadata, bytes, sizeof(bytes), want, ARRAY_SIZE(want));
}

/* Skipping stops at every A-sync, whatever the chunks, and counts every byte. */
TEST(skips_to_each_sync)
{
	static uint8_t stream[2000];

	for (unsigned int round = 0; round < 300; round++) {
		size_t at = 0, done = 0;
		struct window win;

		any_stream(stream, sizeof(stream));
		window_reset(&win, ETM4_SYNC_ZEROS);
		while (done < sizeof(stream)) {
			size_t take = 1 + any() % 150;

			take = take < sizeof(stream) - done ? take : sizeof(stream) - done;
			ASSERT_EQ(0, window_feed(&win, stream + done, take));
			done += take;
			if (done == sizeof(stream))
				window_end(&win);
			while (window_ready(&win)) {
				size_t n = window_skip(&win);

				ASSERT_LE(n, slow_find(stream + at, done - at));
				at += n;
				ASSERT_EQ(at, window_offset(&win, win.pos));
				if (!window_at_sync(&win))
					continue;
				ASSERT_EQ(0, slow_find(stream + at, sizeof(stream) - at));
				window_take(&win, ETM4_SYNC_SIZE);
				at += ETM4_SYNC_SIZE;
			}
			ASSERT_EQ(done - at, window_left(&win));
			ASSERT_EQ(0, window_skip(&win));
		}
		ASSERT_EQ(sizeof(stream), at);
	}
}

/* Between the bytes held back and the next chunk nothing is used up yet. */
TEST(a_chunk_is_not_lost_at_the_seam)
{
	static const uint8_t bytes[100] = { 1 };
	struct window win;

	window_reset(&win, ETM4_SYNC_ZEROS);
	ASSERT_EQ(0, window_feed(&win, bytes, 10));
	ASSERT_FALSE(window_ready(&win));
	ASSERT_EQ(0, window_feed(&win, bytes, 100));
	window_take(&win, 10);
	EXPECT_EQ(CSF_ERR_ARG, window_feed(&win, bytes, 100));
	EXPECT_EQ(100, window_left(&win));
	EXPECT_TRUE(window_ready(&win));
	EXPECT_EQ(10, window_offset(&win, win.pos));
}

/*
 * Bytes that are fed after the end are another trace: it starts with an A-sync or is not
 * understood.
 */
TEST(a_trace_after_the_end)
{
	static const uint8_t bytes[] = { SYNC, 0xf7 };
	struct csf_config config = { .size = sizeof(config) };
	struct csf_monitor *mon;
	struct csf_packet pkt;
	uint64_t offset;

	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	for (unsigned int i = 0; i < 2; i++) {
		ASSERT_EQ(0, csf_monitor_feed(mon, bytes, sizeof(bytes)));
		ASSERT_EQ(0, csf_monitor_end(mon));
		ASSERT_EQ(1, csf_monitor_next(mon, &pkt, &offset, NULL));
		EXPECT_EQ(CSF_PKT_ASYNC, pkt.type);
		ASSERT_EQ(1, csf_monitor_next(mon, &pkt, &offset, NULL));
		EXPECT_EQ(CSF_PKT_ATOM, pkt.type);
		ASSERT_EQ(0, csf_monitor_next(mon, &pkt, &offset, NULL));
	}
	ASSERT_EQ(0, csf_monitor_feed(mon, bytes + ETM4_SYNC_SIZE, 1));
	ASSERT_EQ(0, csf_monitor_end(mon));
	ASSERT_EQ(1, csf_monitor_next(mon, &pkt, &offset, NULL));
	EXPECT_EQ(CSF_PKT_BAD, pkt.type);
	EXPECT_EQ(CSF_BAD_UNSYNC, pkt.n);
	EXPECT_EQ(26, offset);
	csf_monitor_reset(mon);
	ASSERT_EQ(0, csf_monitor_feed(mon, bytes, sizeof(bytes)));
	ASSERT_EQ(0, csf_monitor_end(mon));
	ASSERT_EQ(1, csf_monitor_next(mon, &pkt, &offset, NULL));
	EXPECT_EQ(CSF_PKT_ASYNC, pkt.type);
	EXPECT_EQ(0, offset);
	csf_monitor_free(mon);
}

TEST(monitor_checks_its_arguments)
{
	struct csf_config wrong = { .size = 1 }, config = { .size = sizeof(config) };
	struct csf_monitor *mon;
	struct csf_packet pkt;

	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_new(NULL, &config));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_monitor_new(&mon, &wrong));
	EXPECT_EQ(NULL, mon);
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_feed(NULL, "", 1));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_end(NULL));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_next(NULL, &pkt, NULL, NULL));
	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_feed(mon, NULL, 1));
	EXPECT_EQ(0, csf_monitor_feed(mon, NULL, 0));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_next(mon, NULL, NULL, NULL));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_read(mon, &pkt, 0, NULL, NULL));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_read(NULL, &pkt, 1, NULL, NULL));
	csf_monitor_reset(NULL);
	EXPECT_EQ(0, csf_monitor_next(mon, &pkt, NULL, NULL));
	csf_monitor_free(mon);
}

TEST(feeding_too_early_is_refused)
{
	struct csf_config config = { .size = sizeof(config) };
	static const uint8_t bytes[100] = { 1 };
	struct csf_monitor *mon;
	struct csf_packet pkt;

	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	EXPECT_EQ(0, csf_monitor_feed(mon, bytes, 100));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_feed(mon, bytes, 100));
	while (csf_monitor_next(mon, &pkt, NULL, NULL))
		;
	EXPECT_EQ(0, csf_monitor_feed(mon, bytes, 100));
	csf_monitor_free(mon);
	csf_monitor_free(NULL);
}

/* ---------------------------------------------------------------- out of frames */

#define FRAME	16

/* A frame of 0x10: A-sync, E, N; a barrier; a frame of it: E, and zeros. */
static const uint8_t capture[] = {
	0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xf7, 0xf6, 0x00,
	0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
	0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
	0x21, 0xf7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

TEST(monitor_of_a_trace_id)
{
	static const uint8_t types[] = { CSF_PKT_ASYNC, CSF_PKT_ATOM, CSF_PKT_ATOM };
	struct csf_config config = { .size = sizeof(config) };
	struct csf_packet pkt[16];
	struct csf_frames *frames;
	struct csf_monitor *mon;
	uint64_t offset;
	long n;

	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	ASSERT_EQ(0, csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0));
	ASSERT_EQ(0, csf_attach_monitor(frames, 0x10, mon));
	for (unsigned int round = 0; round < 2; round++) {
		n = csf_frames_feed(frames, capture, sizeof(capture));
		ASSERT_EQ(2 * FRAME, n);
		/* it is told that no bytes follow: all can be read */
		ASSERT_EQ(3, csf_monitor_read(mon, pkt, 16, &offset, NULL));
		EXPECT_EQ(0, offset);
		for (unsigned int i = 0; i < 3; i++)
			EXPECT_EQ(types[i], pkt[i].type);
		EXPECT_EQ(13, csf_frames_offset(frames, 0x10, 12));
		EXPECT_EQ(CSF_ERR_ARG, csf_monitor_feed(mon, NULL, 1));
		ASSERT_EQ(0, csf_monitor_read(mon, pkt, 16, NULL, NULL));

		ASSERT_EQ(FRAME, csf_frames_feed(frames, capture + n, sizeof(capture) - n));
		ASSERT_EQ(0, csf_monitor_read(mon, pkt, 16, NULL, NULL));
		ASSERT_EQ(0, csf_frames_end(frames));
		ASSERT_EQ(1, csf_monitor_read(mon, pkt, 16, &offset, NULL));
		EXPECT_EQ(CSF_PKT_BAD, pkt[0].type);
		EXPECT_EQ(CSF_BAD_UNSYNC, pkt[0].n);
		EXPECT_EQ(14, offset);
		EXPECT_EQ(14, pkt[0].size);
		ASSERT_EQ(0, csf_monitor_read(mon, pkt, 16, NULL, NULL));
		csf_frames_reset(frames);
	}
	csf_frames_free(frames);
	csf_monitor_free(mon);
}

TEST(one_reader_of_a_trace_id)
{
	struct csf_config config = { .size = sizeof(config) };
	struct csf_image *image;
	struct csf_decoder *dec;
	struct csf_frames *frames;
	struct csf_monitor *mon;
	struct csf_packet pkt;
	struct csf_run run;

	ASSERT_EQ(0, csf_image_new(&image));
	ASSERT_EQ(0, csf_new(&dec, &config, image));
	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	ASSERT_EQ(0, csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_monitor(NULL, 0x10, mon));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_monitor(frames, 0, mon));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_monitor(frames, 0x70, mon));
	EXPECT_EQ(0, csf_attach_monitor(frames, 0x10, mon));
	EXPECT_EQ(0, csf_attach_monitor(frames, 0x10, mon));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_monitor(frames, 0x11, mon));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach(frames, 0x10, dec));
	EXPECT_EQ(0, csf_attach(frames, 0x11, dec));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_monitor(frames, 0x11, NULL));

	/* as long as it is not used up nothing more is taken */
	ASSERT_EQ(FRAME, csf_frames_feed(frames, capture, FRAME));
	EXPECT_EQ(0, csf_frames_end(frames));
	EXPECT_EQ(CSF_ERR_ARG, csf_frames_feed(frames, capture, FRAME));
	while (csf_next(dec, &run) > 0)
		;
	EXPECT_EQ(CSF_ERR_ARG, csf_frames_feed(frames, capture, FRAME));
	while (csf_monitor_next(mon, &pkt, NULL, NULL) > 0)
		;
	EXPECT_EQ(FRAME, csf_frames_feed(frames, capture, FRAME));

	EXPECT_EQ(0, csf_attach_monitor(frames, 0x10, NULL));
	EXPECT_EQ(UINT64_MAX, csf_frames_offset(frames, 0x10, 0));
	EXPECT_EQ(FRAME, csf_frames_feed(frames, capture, FRAME));
	csf_frames_free(frames);
	csf_monitor_free(mon);
	csf_free(dec);
	csf_image_free(image);
}

TEST_HARNESS_MAIN
