// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The meaning of packets of ITM and DWT. */
#include "parts.h"

#define PORTS		32	/* of a page */
#define GLOBAL_LOW	26	/* bits of a CSF_PKT_GLOBAL_TIME1 */
#define PAGE_SURE	32	/* packets that confirm a page */

/* Packets that are lost may have replaced what was learned from others. */
static void lose(struct itm *itm)
{
	memset(itm->addr_size, 0, sizeof(itm->addr_size));
	itm->known = 0;
	itm->time_lost = true;
}

void itm_reset_messages(struct csf_messages *m, bool broken)
{
	struct itm *itm = &m->packets.itm;
	const uint64_t time = broken ? itm->time : 0;

	*itm = (struct itm){ .time = time };
	if (broken)
		lose(itm);
}

/* They were written up to now. */
static void complete(struct csf_messages *m, uint16_t flags)
{
	const struct itm *itm = &m->packets.itm;

	flags |= CSF_MESSAGE_HAS_TIME | (itm->time_lost ? CSF_MESSAGE_TIME_LOST : 0);
	for (unsigned int i = m->ready; i < m->n; i++) {
		m->held[i].time = itm->time;
		m->held[i].flags |= flags;
	}
	m->ready = m->n;
}

static void local_time(struct csf_messages *m, struct csf_message *msg,
		       const struct csf_packet *pkt)
{
	msg->kind = CSF_MESSAGE_TIME;
	msg->value = pkt->val << m->config.itm.prescale;
	msg->size = sizeof(uint32_t);
	m->packets.itm.time += msg->value;
	messages_add(m, msg);
	complete(m, (pkt->info & 1 ? CSF_MESSAGE_TIME_LATE : 0) |
		    (pkt->info & 2 ? CSF_MESSAGE_LATE : 0));
}

/* Replaces bits @lo and up of the global time. */
static void global_time(struct csf_messages *m, struct csf_message *msg,
			const struct csf_packet *pkt, unsigned int lo)
{
	const uint64_t mask = low_bits(pkt->n) << lo, high = ~low_bits(GLOBAL_LOW);
	struct itm *itm = &m->packets.itm;

	itm->global = (itm->global & ~mask) | pkt->val << lo;
	itm->known |= mask;
	if (lo) {
		itm->global &= low_bits(pkt->n + lo);
		itm->known |= high;
	} else if (pkt->info) {
		itm->known &= ~high;	/* until a CSF_PKT_GLOBAL_TIME2 says them */
	}
	msg->kind = CSF_MESSAGE_GLOBAL_TIME;
	msg->value = itm->global & itm->known;
	msg->size = sizeof(uint64_t);
	if (~itm->known)
		msg->flags |= CSF_MESSAGE_PARTIAL;
	if (!lo && pkt->info & ITM_CLOCK)
		msg->flags |= CSF_MESSAGE_CLOCK;
	messages_add(m, msg);
}

/*
 * The kind of a hardware packet, by its number and size; where there is none, it is reserved.
 * Number 01cc0: instruction of an access, or match; 01cc1: address; 10ccw: value.
 */
#define NONE		CSF_MESSAGE_DATA	/* no hardware packet is one */
#define ACCESS		{ CSF_MESSAGE_MATCH, NONE, CSF_MESSAGE_ACCESS_PC }
#define ALL(kind)	{ kind, kind, kind }
#define ADDR		ALL(CSF_MESSAGE_ACCESS_ADDR)
#define READ		ALL(CSF_MESSAGE_READ)
#define WRITE		ALL(CSF_MESSAGE_WRITE)
#define ACCESSES	8	/* numbers from here on have a comparator */

static const uint8_t hardware_kind[32][3] = {
	{ CSF_MESSAGE_COUNTERS }, { NONE, CSF_MESSAGE_EXCEPTION },
	{ CSF_MESSAGE_NO_PC, NONE, CSF_MESSAGE_PC }, { CSF_MESSAGE_PMU },
	{ NONE }, { NONE }, { NONE }, { NONE },
	ACCESS, ADDR, ACCESS, ADDR, ACCESS, ADDR, ACCESS, ADDR,
	READ, WRITE, READ, WRITE, READ, WRITE, READ, WRITE,
};

/* The packet may have the low bytes only, of which the rest is that of the last one. */
static void access_addr(struct itm *itm, struct csf_message *msg)
{
	const unsigned int cmp = msg->channel;
	const uint32_t mask = low_bits(8 * msg->size);

	itm->addr[cmp] = (itm->addr[cmp] & ~mask) | msg->value;
	if (itm->addr_size[cmp] < msg->size)
		itm->addr_size[cmp] = msg->size;
	msg->size = itm->addr_size[cmp];
	msg->value = itm->addr[cmp] & low_bits(8 * msg->size);
}

static void other(struct csf_message *msg, unsigned int channel, uint8_t info)
{
	msg->kind = CSF_MESSAGE_OTHER;
	msg->channel = channel;
	msg->info = info;
}

/*
 * Few programs have more than one page.  Near damage any byte may be taken for a packet that sets
 * it, and it would stay.  So one that has a reserved packet shortly before or after it is not
 * believed.
 */
static void set_page(struct csf_messages *m, uint8_t page)
{
	struct itm *itm = &m->packets.itm;

	if (m->stats.packets < itm->page_from)
		return;
	if (m->stats.packets - itm->page_since >= PAGE_SURE)
		itm->page_before = itm->page;
	itm->page = page;
	itm->page_since = m->stats.packets;
}

static void doubt_page(struct csf_messages *m)
{
	struct itm *itm = &m->packets.itm;

	if (m->stats.packets - itm->page_since < PAGE_SURE)
		itm->page = itm->page_before;
	itm->page_from = m->stats.packets + PAGE_SURE;
}

/* The page of the ports is the one extension that has a meaning, and is no message. */
static void extension(struct csf_messages *m, struct csf_message *msg,
		      const struct csf_packet *pkt)
{
	if (pkt->n == 3 && !pkt->info) {
		set_page(m, pkt->val);
		return;
	}
	doubt_page(m);
	other(msg, 0, 2 + pkt->info);
	msg->size = sizeof(uint32_t);
	messages_add(m, msg);
}

static void hardware(struct csf_messages *m, struct csf_message *msg, unsigned int number)
{
	msg->kind = hardware_kind[number][msg->size >> 1];
	if (number >= ACCESSES)
		msg->channel = number >> 1 & 3;
	switch (msg->kind) {
	case NONE:
		doubt_page(m);
		other(msg, number, 1);
		break;
	case CSF_MESSAGE_EXCEPTION:
		msg->info = msg->value >> 12 & 3;
		msg->value &= low_bits(9);
		break;
	case CSF_MESSAGE_ACCESS_ADDR:
		access_addr(&m->packets.itm, msg);
		break;
	}
}

/*
 * What software wrote, or the hardware saw.  @n: bytes of @value; @number: of the port or packet.
 */
static inline void source(struct csf_messages *m, uint32_t value, unsigned int n,
			  unsigned int number, bool is_hardware, uint64_t offset)
{
	const struct itm *itm = &m->packets.itm;
	struct csf_message *msg = &m->held[m->n++];

	*msg = (struct csf_message){
		.offset = offset, .value = value, .size = n,
		.flags = itm->synced ? 0 : CSF_MESSAGE_UNSYNCED,
	};
	if (is_hardware)
		hardware(m, msg, number);
	else
		msg->channel = PORTS * itm->page + number;
	m->stats.messages++;
}

static void bad(struct csf_messages *m, const struct csf_packet *pkt, uint64_t offset)
{
	lose(&m->packets.itm);
	doubt_page(m);
	m->packets.itm.synced = false;
	messages_gap(m, offset, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, pkt->size);
}

static void overflow(struct csf_messages *m, struct csf_message *msg)
{
	lose(&m->packets.itm);
	msg->kind = CSF_MESSAGE_OVERFLOW;
	messages_add(m, msg);
	m->ready = m->n;
}

static void take(struct csf_messages *m, const struct csf_packet *pkt, uint64_t offset)
{
	struct itm *itm = &m->packets.itm;
	struct csf_message msg = {
		.offset = offset, .value = pkt->val, .size = pkt->n,
		.flags = itm->synced ? 0 : CSF_MESSAGE_UNSYNCED,
	};

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_STIMULUS:
	case CSF_PKT_HARDWARE:
		source(m, pkt->val, pkt->n, pkt->info, pkt->type == CSF_PKT_HARDWARE, offset);
		break;
	case CSF_PKT_LOCAL_TIME:
		local_time(m, &msg, pkt);
		break;
	case CSF_PKT_GLOBAL_TIME1:
		global_time(m, &msg, pkt, 0);
		break;
	case CSF_PKT_GLOBAL_TIME2:
		global_time(m, &msg, pkt, GLOBAL_LOW);
		break;
	case CSF_PKT_EXTENSION:
		extension(m, &msg, pkt);
		break;
	case CSF_PKT_OVERFLOW:
		overflow(m, &msg);
		break;
	case CSF_PKT_ASYNC:
		itm->synced = true;
		m->stats.syncs++;
		break;
	default:
		bad(m, pkt, offset);
	}
	m->stats.packets += pkt->type != CSF_PKT_BAD;
}

/* Nearly all packets: what software wrote, or the hardware saw, with no sync near. */
static void read_sources(struct csf_messages *m)
{
	struct window *win = &m->win;
	const uint8_t *p = win->pos, *safe = win->safe;
	unsigned int n;

	for (; p < safe && *p & 3 && messages_room(m); p += 1 + n) {
		n = 1 << ((*p & 3) - 1);
		source(m, get_le32(p + 1) & low_bits(8 * n), n, *p >> 3, *p & 4,
		       window_offset(win, p));
		m->stats.packets++;
	}
	win->pos = p;
}

void itm_read_messages(struct csf_messages *m)
{
	struct window *win = &m->win;

	while (messages_room(m) && win->pos < win->limit) {
		const uint64_t offset = window_offset(win, win->pos);
		struct csf_packet pkt;

		if (*win->pos & 3 && win->pos < win->safe) {
			read_sources(m);
		} else {
			window_take(win, itm_read(win, &pkt));
			take(m, &pkt, offset);
		}
		if (m->config.itm.no_times)
			m->ready = m->n;
	}
	/* No timestamp comes soon. */
	if (!m->ready && !messages_room(m))
		m->ready = m->n;
}
