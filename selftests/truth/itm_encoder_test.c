// SPDX-License-Identifier: GPL-2.0-only
/*
 * ITM and DWT by the encoder: random events of every kind, with the messages that they are, to bytes
 * that are cut anywhere, and back.
 *
 * 10^5 events, or 10^7 with $CSFLOW_LONG.  $CSFLOW_SAVE=FILE: the first 10^4 go there; with
 * $CSFLOW_PLAIN only those that the peer of itm_peer_test.sh knows.
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"
#include "../../tools/encoder/itm-wire.h"

#define SWOENA		0x13	/* with ITMENA and TSENA */
#define BATCH		1000	/* events */
#define HELD		64	/* messages without a time, at most */

static uint64_t random_state;

static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

/* Of any number of bits, so small ones are as frequent as large ones. */
static uint32_t rnd_value(unsigned int bits)
{
	return rnd(1ull << rnd(bits + 1));
}

/**
 * struct unit - an ITM, and what a reader of its trace knows
 * @wire: its packets
 * @bytes: a batch, @n bytes
 * @want: the messages that have not been compared, @n_want of them; the last @waiting have no time yet
 * @fed: bytes of earlier batches
 * @ticks: local time; @prescale: of its timestamps, as a shift
 * @known: bits of the global time that a reader knows
 * @addr: by comparator; @addr_size: bytes that a reader knows
 * @kinds: messages by kind
 * @synced, @lost: since the last sync; since the start
 */
struct unit {
	struct itm_wire wire;
	uint8_t bytes[BATCH * 2 * ITM_WIRE_MAX];
	size_t n;
	struct csf_message want[2 * BATCH + 2 * HELD];
	size_t n_want, waiting;
	uint64_t fed;
	uint64_t ticks;
	unsigned int prescale;
	uint64_t known;
	uint32_t addr[4];
	uint8_t addr_size[4];
	uint64_t kinds[CSF_MESSAGE_NR];
	bool synced, lost;
};

static void expect(struct unit *u, struct csf_message m, size_t size)
{
	m.offset = u->fed + u->n - size;
	if (!u->synced)
		m.flags |= CSF_MESSAGE_UNSYNCED;
	u->want[u->n_want++] = m;
	u->kinds[m.kind]++;
	u->waiting++;
	if (u->waiting == HELD || m.kind == CSF_MESSAGE_OVERFLOW)
		u->waiting = 0;
}

static void complete(struct unit *u, uint16_t flags)
{
	for (size_t i = u->n_want - u->waiting; i < u->n_want; i++) {
		u->want[i].time = u->ticks;
		u->want[i].flags |= CSF_MESSAGE_HAS_TIME | flags |
				    (u->lost ? CSF_MESSAGE_TIME_LOST : 0);
	}
	u->waiting = 0;
}

#define PUT(u, call)	((u)->n += size = (call))
#define AT(u)		((u)->bytes + (u)->n)

static void send_stimulus(struct unit *u)
{
	const unsigned int size = 1 << rnd(3), port = rnd(rnd(4) ? 32 : 256);
	const uint32_t value = rnd_value(8 * size);

	u->n += itm_wire_stimulus(&u->wire, AT(u), port, size, value);
	/* the offset is that of the packet after the page */
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_DATA, .channel = port, .size = size,
					.value = value }, 1 + size);
}

static void send_event(struct unit *u)
{
	const uint32_t mask = rnd(64), pmu = rnd(256), number = rnd(512), how = 1 + rnd(3);
	struct csf_message m = { .size = 1 };
	const bool prohibited = rnd(2);
	size_t size;

	switch (rnd(4)) {
	case 0:
		m.kind = CSF_MESSAGE_COUNTERS;
		m.value = mask;
		PUT(u, itm_wire_counters(AT(u), mask));
		break;
	case 1:
		m = (struct csf_message){
			.kind = CSF_MESSAGE_EXCEPTION, .size = 2, .value = number, .info = how,
		};
		PUT(u, itm_wire_exception(AT(u), number, how));
		break;
	case 2:
		m.kind = CSF_MESSAGE_PMU;
		m.value = pmu;
		PUT(u, itm_wire_pmu(AT(u), pmu));
		break;
	default:
		m.kind = CSF_MESSAGE_NO_PC;
		m.value = prohibited ? 0xff : 0;
		PUT(u, itm_wire_no_pc(AT(u), prohibited));
		break;
	}
	expect(u, m, size);
}

static void send_pc(struct unit *u)
{
	const uint32_t addr = rnd_value(32);
	size_t size;

	PUT(u, itm_wire_pc(AT(u), addr));
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_PC, .size = 4, .value = addr }, size);
}

static uint32_t low_bytes(uint32_t value, unsigned int n)
{
	return n < 4 ? value & ((1u << 8 * n) - 1) : value;
}

static void send_address(struct unit *u, unsigned int cmp)
{
	const unsigned int bytes = 1 << rnd(3);
	const uint32_t addr = rnd_value(32);
	size_t size;

	u->addr[cmp] = u->addr[cmp] - low_bytes(u->addr[cmp], bytes) + low_bytes(addr, bytes);
	if (u->addr_size[cmp] < bytes)
		u->addr_size[cmp] = bytes;
	PUT(u, itm_wire_access_addr(AT(u), cmp, bytes, addr));
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_ACCESS_ADDR, .channel = cmp,
					.size = u->addr_size[cmp],
					.value = low_bytes(u->addr[cmp], u->addr_size[cmp]) }, size);
}

static void send_access(struct unit *u)
{
	const unsigned int cmp = rnd(4), bytes = 1 << rnd(3), kind = rnd(4);
	struct csf_message m = { .channel = cmp, .size = bytes, .value = rnd_value(8 * bytes) };
	size_t size;

	if (kind == 0) {
		m = (struct csf_message){
			.kind = CSF_MESSAGE_ACCESS_PC, .channel = cmp, .size = 4, .value = rnd_value(32),
		};
		PUT(u, itm_wire_access_pc(AT(u), cmp, m.value));
	} else if (kind == 1) {
		send_address(u, cmp);
		return;
	} else if (kind == 2 && !rnd(3)) {
		m = (struct csf_message){
			.kind = CSF_MESSAGE_MATCH, .channel = cmp, .size = 1, .value = 1,
		};
		PUT(u, itm_wire_match(AT(u), cmp));
	} else {
		m.kind = kind == 2 ? CSF_MESSAGE_READ : CSF_MESSAGE_WRITE;
		PUT(u, itm_wire_data(AT(u), cmp, kind == 3, bytes, m.value));
	}
	expect(u, m, size);
}

static void send_local(struct unit *u)
{
	const uint32_t ticks = rnd(3) ? rnd_value(28) : 1 + rnd(6);
	const unsigned int late = rnd(3) ? 0 : rnd(4);
	size_t size;

	PUT(u, itm_wire_local(AT(u), ticks, late, rnd(4) ? 0 : rnd(5)));
	u->ticks += (uint64_t)ticks << u->prescale;
	/* it is a message of its own, and no others wait then */
	if (u->waiting == HELD)
		u->waiting = 0;
	u->waiting++;
	u->want[u->n_want++] = (struct csf_message){
		.kind = CSF_MESSAGE_TIME, .offset = u->fed + u->n - size, .size = 4,
		.value = (uint64_t)ticks << u->prescale,
		.flags = u->synced ? 0 : CSF_MESSAGE_UNSYNCED,
	};
	u->kinds[CSF_MESSAGE_TIME]++;
	complete(u, (late & 1 ? CSF_MESSAGE_TIME_LATE : 0) | (late & 2 ? CSF_MESSAGE_LATE : 0));
}

static void expect_global(struct unit *u, uint16_t flags, size_t size)
{
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_GLOBAL_TIME, .size = 8,
					.value = u->wire.global & u->known,
					.flags = flags | (~u->known ? CSF_MESSAGE_PARTIAL : 0) }, size);
}

static void send_global(struct unit *u)
{
	const uint64_t before = u->wire.global, step = rnd(1ull << rnd(u->wire.wide ? 63 : 47));
	const uint64_t low = (1u << 26) - 1;
	const bool changed = !rnd(20);
	uint64_t time = before + step;
	size_t size;

	if (!u->wire.wide)
		time &= (1ull << 48) - 1;
	PUT(u, itm_wire_global(&u->wire, AT(u), time, changed));
	u->known |= size == 5 ? low : (1u << 7 * (size - 1)) - 1;
	if (changed || (size == 5 && u->bytes[u->n - 1] & 0x40))
		u->known &= low;
	expect_global(u, changed ? CSF_MESSAGE_CLOCK : 0, size);
	if (~u->known && !rnd(3)) {
		send_pc(u);
		PUT(u, itm_wire_global_high(&u->wire, AT(u)));
		u->known |= ~low;
		expect_global(u, 0, size);
	}
}

static void send_other(struct unit *u)
{
	static const unsigned int bits[] = { 10, 17, 24, 32 };
	static const uint8_t unused[] = { 4, 5, 6, 7, 24, 28, 31 };
	const unsigned int number = unused[rnd(ARRAY_SIZE(unused))], bytes = 1 << rnd(3);
	const unsigned int wide = bits[rnd(4)];
	const bool hardware = rnd(2);
	const uint32_t value = rnd(2) ? rnd(1ull << wide) : rnd_value(wide);
	const uint32_t data = rnd_value(8 * bytes);
	size_t size;

	if (rnd(2)) {
		PUT(u, itm_wire_extension(AT(u), hardware, wide, value));
		expect(u, (struct csf_message){ .kind = CSF_MESSAGE_OTHER, .info = 2 + hardware,
						.size = 4, .value = value }, size);
		return;
	}
	PUT(u, itm_wire_hardware(AT(u), number, bytes, data));
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_OTHER, .info = 1, .channel = number,
					.size = bytes, .value = data }, size);
}

/* The reader cannot know what was replaced in packets that are lost. */
static void send_overflow(struct unit *u)
{
	size_t size;

	u->known = 0;
	memset(u->addr_size, 0, sizeof(u->addr_size));
	memset(u->addr, 0, sizeof(u->addr));
	PUT(u, itm_wire_overflow(AT(u)));
	/* what came before has its place, but no time */
	u->lost = true;
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_OVERFLOW }, size);
}

/* No page, PMU, number that is reserved, global timestamp or address of another size than two. */
static void send_plain(struct unit *u)
{
	const uint32_t value = rnd_value(32), cmp = rnd(4), number = rnd(512);
	struct csf_message m = { .size = 2, .channel = cmp, .value = value & 0xffff };
	size_t size;

	switch (rnd(8)) {
	case 0:
		m = (struct csf_message){ .kind = CSF_MESSAGE_EXCEPTION, .size = 2, .value = number,
					  .info = 1 + rnd(3) };
		PUT(u, itm_wire_exception(AT(u), number, m.info));
		break;
	case 1:
		send_pc(u);
		return;
	case 2:
		m.kind = CSF_MESSAGE_ACCESS_ADDR;
		PUT(u, itm_wire_access_addr(AT(u), cmp, 2, value));
		break;
	case 3:
		m = (struct csf_message){ .kind = CSF_MESSAGE_ACCESS_PC, .channel = cmp, .size = 4,
					  .value = value };
		PUT(u, itm_wire_access_pc(AT(u), cmp, value));
		break;
	case 4:
		m.kind = number & 1 ? CSF_MESSAGE_WRITE : CSF_MESSAGE_READ;
		PUT(u, itm_wire_data(AT(u), cmp, number & 1, 2, m.value));
		break;
	case 5:
		send_local(u);
		return;
	default:
		m = (struct csf_message){ .kind = CSF_MESSAGE_DATA, .channel = number % 32,
					  .size = 2 << rnd(2) };
		m.value = low_bytes(value, m.size);
		PUT(u, itm_wire_stimulus(&u->wire, AT(u), m.channel, m.size, m.value));
		break;
	}
	expect(u, m, size);
}

static void send_one(struct unit *u)
{
	const unsigned int what = rnd(100);
	size_t size;

	if (getenv("CSFLOW_PLAIN"))
		send_plain(u);
	else if (what < 30)
		send_stimulus(u);
	else if (what < 45)
		send_event(u);
	else if (what < 55)
		send_pc(u);
	else if (what < 70)
		send_access(u);
	else if (what < 85)
		send_local(u);
	else if (what < 93)
		send_global(u);
	else if (what < 97)
		send_other(u);
	else if (what < 99)
		PUT(u, itm_wire_sync(AT(u), 5 + (rnd(4) ? 0 : rnd(8)))), u->synced = true;
	else if (!rnd(10))
		send_overflow(u);
}

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
static bool drain(struct __test_metadata *_metadata, struct unit *u, struct csf_messages *messages)
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

static void save(const struct unit *u, uint64_t seed)
{
	const char *path = getenv("CSFLOW_SAVE");
	FILE *f = path && seed == 1 ? fopen(path, u->fed ? "ab" : "wb") : NULL;

	if (!f)
		return;
	fwrite(u->bytes, 1, u->n, f);
	fclose(f);
}

/* A batch of events, in pieces. */
static bool send_batch(struct __test_metadata *_metadata, struct unit *u, uint64_t seed,
		       struct csf_messages *messages)
{
	bool good = true;

	u->n = 0;
	for (int i = 0; i < BATCH; i++)
		send_one(u);
	save(u, seed);
	for (size_t at = 0, n; at < u->n && good; at += n) {
		n = 1 + rnd(rnd(4) ? 40 : 3000);
		n = n < u->n - at ? n : u->n - at;
		EXPECT_EQ(0, csf_messages_feed(messages, u->bytes + at, n));
		good = drain(_metadata, u, messages);
	}
	u->fed += u->n;
	return good;
}

static void round_trip(struct __test_metadata *_metadata, uint64_t seed, int batches,
		       uint64_t *kinds)
{
	struct unit *u = calloc(1, sizeof(*u));
	struct csf_messages *messages;
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	struct csf_message_stats stats = { .size = sizeof(stats) };
	bool good = true;

	random_state = seed * 0x9e3779b97f4a7c15ull + 1;
	u->prescale = seed % 4 * 2;
	u->wire.wide = seed & 4;
	config.itmtcr = SWOENA | seed % 4 << 8;
	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	for (int i = 0; i < batches && good; i++)
		good = send_batch(_metadata, u, seed, messages);
	EXPECT_EQ(0, csf_messages_end(messages));
	EXPECT_TRUE(good && drain(_metadata, u, messages))
		TH_LOG("seed %llu", (unsigned long long)seed);
	EXPECT_EQ(0, u->n_want);
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(u->fed, stats.bytes);
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
	for (int i = 0; i <= CSF_MESSAGE_OVERFLOW && !getenv("CSFLOW_PLAIN"); i++) {
		EXPECT_GT(kinds[i], 5 * rounds)
			TH_LOG("%s", csf_message_name(i));
	}
	EXPECT_GT(kinds[CSF_MESSAGE_OTHER], getenv("CSFLOW_PLAIN") ? -1 : 100 * rounds);
}

TEST_HARNESS_MAIN
