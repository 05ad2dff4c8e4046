// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../../decoder/bytes.h"
#include "random-itm.h"

#define SWOENA	0x13	/* with ITMENA and TSENA */

#define rnd(n)	random_itm_dice(u, n)

uint64_t random_itm_dice(struct random_itm *u, uint64_t n)
{
	u->random ^= u->random << 13;
	u->random ^= u->random >> 7;
	u->random ^= u->random << 17;
	return u->random % n;
}

/* Of any number of bits, so small ones are as frequent as large ones. */
static uint32_t rnd_value(struct random_itm *u, unsigned int bits)
{
	return rnd(1ull << rnd(bits + 1));
}

static void expect(struct random_itm *u, struct csf_message m, size_t size)
{
	m.offset = u->fed + u->n - size;
	if (!u->synced)
		m.flags |= CSF_MESSAGE_UNSYNCED;
	u->want[u->n_want++] = m;
	u->kinds[m.kind]++;
	u->waiting++;
	if (u->waiting == RANDOM_ITM_HELD || m.kind == CSF_MESSAGE_OVERFLOW)
		u->waiting = 0;
}

static void complete(struct random_itm *u, uint16_t flags)
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

static void send_stimulus(struct random_itm *u)
{
	const unsigned int size = 1 << rnd(3), port = rnd(!u->pages || rnd(4) ? 32 : 256);
	const uint32_t value = rnd_value(u, 8 * size);

	u->n += itm_wire_stimulus(&u->wire, AT(u), port, size, value);
	/* the offset is that of the packet after the page */
	expect(u, (struct csf_message){
		.kind = CSF_MESSAGE_DATA, .channel = port, .size = size, .value = value,
	}, 1 + size);
}

static void send_event(struct random_itm *u)
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

static void send_pc(struct random_itm *u)
{
	const uint32_t addr = rnd_value(u, 32);
	size_t size;

	PUT(u, itm_wire_pc(AT(u), addr));
	expect(u, (struct csf_message){ .kind = CSF_MESSAGE_PC, .size = 4, .value = addr }, size);
}

static uint32_t low_bytes(uint32_t value, unsigned int n)
{
	return n < 4 ? value & ((1u << 8 * n) - 1) : value;
}

static void send_address(struct random_itm *u, unsigned int cmp)
{
	const unsigned int bytes = 1 << rnd(3);
	const uint32_t addr = rnd_value(u, 32);
	size_t size;

	u->addr[cmp] = u->addr[cmp] - low_bytes(u->addr[cmp], bytes) + low_bytes(addr, bytes);
	if (u->addr_size[cmp] < bytes)
		u->addr_size[cmp] = bytes;
	PUT(u, itm_wire_access_addr(AT(u), cmp, bytes, addr));
	expect(u,
	       (struct csf_message){ .kind = CSF_MESSAGE_ACCESS_ADDR,
				     .channel = cmp,
				     .size = u->addr_size[cmp],
				     .value = low_bytes(u->addr[cmp], u->addr_size[cmp]) },
	       size);
}

static void send_access(struct random_itm *u)
{
	const unsigned int cmp = rnd(4), bytes = 1 << rnd(3), kind = rnd(4);
	struct csf_message m = { .channel = cmp, .size = bytes, .value = rnd_value(u, 8 * bytes) };
	size_t size;

	if (kind == 0) {
		m = (struct csf_message){
			.kind = CSF_MESSAGE_ACCESS_PC,
			.channel = cmp,
			.size = 4,
			.value = rnd_value(u, 32),
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

static void send_local(struct random_itm *u)
{
	const uint32_t ticks = rnd(3) ? rnd_value(u, 28) : 1 + rnd(6);
	const unsigned int late = rnd(3) ? 0 : rnd(4);
	size_t size;

	PUT(u, itm_wire_local(AT(u), ticks, late, rnd(4) ? 0 : rnd(5)));
	u->ticks += (uint64_t)ticks << u->prescale;
	/* it is a message of its own, and no others wait then */
	if (u->waiting == RANDOM_ITM_HELD)
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

static void expect_global(struct random_itm *u, uint16_t flags, size_t size)
{
	expect(u,
	       (struct csf_message){ .kind = CSF_MESSAGE_GLOBAL_TIME,
				     .size = 8,
				     .value = u->wire.global & u->known,
				     .flags = flags | (~u->known ? CSF_MESSAGE_PARTIAL : 0) },
	       size);
}

static void send_global(struct random_itm *u)
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

static void send_other(struct random_itm *u)
{
	static const unsigned int bits[] = { 10, 17, 24, 32 };
	static const uint8_t unused[] = { 4, 5, 6, 7, 24, 28, 31 };
	const unsigned int number = unused[rnd(ARRAY_SIZE(unused))], bytes = 1 << rnd(3);
	const unsigned int wide = bits[rnd(4)];
	const bool hardware = rnd(2);
	const uint32_t value = rnd(2) ? rnd(1ull << wide) : rnd_value(u, wide);
	const uint32_t data = rnd_value(u, 8 * bytes);
	size_t size;

	if (rnd(2)) {
		PUT(u, itm_wire_extension(AT(u), hardware, wide, value));
		expect(u, (struct csf_message){
			.kind = CSF_MESSAGE_OTHER, .info = 2 + hardware, .size = 4, .value = value,
		}, size);
		return;
	}
	PUT(u, itm_wire_hardware(AT(u), number, bytes, data));
	expect(u, (struct csf_message){
		.kind = CSF_MESSAGE_OTHER, .info = 1, .channel = number, .size = bytes,
		.value = data,
	}, size);
}

/* The reader cannot know what was replaced in packets that are lost. */
static void send_overflow(struct random_itm *u)
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

static void send_plain(struct random_itm *u)
{
	const uint32_t value = rnd_value(u, 32), cmp = rnd(4), number = rnd(512);
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

static void send_one(struct random_itm *u)
{
	const unsigned int what = rnd(100);
	size_t size;

	if (u->plain)
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
	else if (what < 97 && u->pages)
		send_pc(u);
	else if (what < 97)
		send_other(u);
	else if (what < 99)
		PUT(u, itm_wire_sync(AT(u), 5 + (rnd(4) ? 0 : rnd(8)))), u->synced = true;
	else if (!rnd(10))
		send_overflow(u);
}

void random_itm_begin(struct random_itm *u, uint64_t seed)
{
	memset(u, 0, sizeof(*u));
	u->random = seed * 0x9e3779b97f4a7c15ull + 1;
	u->prescale = seed % 4 * 2;
	u->wire.wide = seed & 4;
	u->pages = seed % 3;
}

struct csf_config random_itm_config(const struct random_itm *u)
{
	return (struct csf_config){
		.size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_ITM,
		.itmtcr = SWOENA | u->prescale / 2 << 8,
	};
}

void random_itm_batch(struct random_itm *u)
{
	u->fed += u->n;
	u->n = 0;
	for (int i = 0; i < RANDOM_ITM_EVENTS; i++)
		send_one(u);
}
