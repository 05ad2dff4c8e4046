// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nibbles to packets to messages.  Packets are not aligned to bytes, and a buffer that wrapped may
 * have a sync inside a packet.
 */
#include "packet.h"
#include "parts.h"

#define BITS_MASTER	0xff	/* of M8 and C8; the others stay */
#define VERSION_HEAD	0xf00

/* The nibbles from @stm.lost_at up to @to are lost. */
static void lose(struct csf_messages *m, uint64_t to)
{
	struct stm *stm = &m->packets.stm;

	if (to <= stm->lost_at)
		return;
	messages_gap(m, stm->lost_at / 2, stm->why, (to - stm->lost_at + 1) / 2);
	stm->master = 0;
	stm->channel = 0;
	stm->has_master = false;
	stm->time_lost = true;
}

/* The offset in nibbles of the next one. */
static uint64_t offset_of(const struct csf_messages *m)
{
	return 2 * window_offset(&m->win, m->win.pos) + m->packets.stm.odd;
}

/* The rest of a trace that ends, or breaks off, is lost. */
void stm_reset_messages(struct csf_messages *m, bool broken)
{
	struct stm *stm = &m->packets.stm;
	const uint64_t at = offset_of(m);

	if (!stm->synced)
		lose(m, at);
	*stm = (struct stm){
		.lost_at = at, .why = CSF_GAP_START, .times = CSF_STP_TIMES_LOW,
		.ordered = m->config.stp_order != CSF_STP_DETECT,
		.format.high_first = m->config.stp_order == CSF_STP_HIGH_FIRST,
	};
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

static uint64_t replace_low(uint64_t old, uint64_t v, unsigned int nibbles)
{
	return (old & ~low_bits(4 * nibbles)) | v;
}

/* Takes a timestamp.  Return: the time is known. */
static bool take_time(struct stm *stm, const struct csf_stp_packet *pkt)
{
	switch (stm->times) {
	case CSF_STP_TIMES_DELTA:
		stm->time += pkt->time;
		return true;
	case CSF_STP_TIMES_LOW:
		stm->time = replace_low(stm->time, pkt->time, pkt->time_size);
		break;
	case CSF_STP_TIMES_GRAY:
		stm->time = from_gray(replace_low(stm->time ^ stm->time >> 1, pkt->time,
						  pkt->time_size));
		break;
	default:
		return false;
	}
	if (pkt->time_size == 16)
		stm->time_lost = false;
	return true;
}

/* GERR: the master is not known any more; MERR: its channel is not; CERR: an error of a channel. */
static void take_error(struct stm *stm, struct csf_message *msg, uint8_t info)
{
	msg->kind = CSF_MESSAGE_ERROR;
	msg->info = info;
	if (info == 3)
		return;
	stm->channel = 0;
	if (info == 1)
		return;
	stm->master = 0;
	stm->has_master = false;
}

/* After it the trace says anew what others write, and when. */
static void take_version(struct stm *stm, const struct csf_stp_packet *pkt)
{
	stm->times = csf_stp_version(&stm->format, pkt);
	stm->master = 0;
	stm->channel = 0;
	stm->has_master = false;
	stm->time = 0;
	stm->time_lost = false;
}

/* Return: the packet is a message. */
static bool mean(struct stm *stm, const struct csf_stp_packet *pkt, struct csf_message *msg)
{
	const uint64_t v = pkt->value;

	msg->size = (pkt->size + 1) / 2;
	switch ((enum csf_stp_kind)pkt->kind) {
	case CSF_STP_MASTER:
		stm->master = pkt->size > 2 ? v : (stm->master & ~BITS_MASTER) | v;
		stm->channel = 0;
		stm->has_master = true;
		return false;
	case CSF_STP_CHANNEL:
		stm->channel = pkt->size > 2 ? v : (stm->channel & ~BITS_MASTER) | v;
		return false;
	case CSF_STP_VERSION:
		take_version(stm, pkt);
		return false;
	case CSF_STP_FLAG:
		msg->kind = CSF_MESSAGE_FLAG;
		return true;
	case CSF_STP_ERROR:
		take_error(stm, msg, pkt->opcode == 0x2 ? 1 : pkt->opcode == 0xf2 ? 2 : 3);
		return true;
	case CSF_STP_USER:
		msg->kind = CSF_MESSAGE_USER;
		return true;
	case CSF_STP_TRIGGER:
		msg->kind = CSF_MESSAGE_TRIGGER;
		return true;
	case CSF_STP_FREQUENCY:
		msg->kind = CSF_MESSAGE_FREQUENCY;
		return true;
	case CSF_STP_CROSS_SYNC:
		msg->kind = CSF_MESSAGE_CROSS_SYNC;
		return true;
	default:
		msg->kind = CSF_MESSAGE_TIME;
		msg->size = sizeof(uint64_t);
		return pkt->flags & CSF_STP_TIMED;
	}
}

/* The message in the next place is complete, but for who wrote it. */
static __always_inline void add(struct csf_messages *m, struct csf_message *msg)
{
	const struct stm *stm = &m->packets.stm;

	msg->channel = stm->channel;
	msg->master = stm->master;
	msg->flags |= stm->has_master ? CSF_MESSAGE_HAS_MASTER : 0;
	m->n++;
	m->stats.messages++;
}

/* All packets that are not data. */
static noinline void take_other(struct csf_messages *m, const struct csf_stp_packet *pkt,
				struct csf_message *msg, uint64_t before)
{
	struct stm *stm = &m->packets.stm;

	m->stats.syncs += pkt->kind == CSF_STP_SYNC;
	if (!mean(stm, pkt, msg))
		return;
	if (msg->kind == CSF_MESSAGE_TIME)
		msg->value = stm->time - before;
	add(m, msg);
}

/* Makes the message of a packet, if it has one, in the next place. */
static __always_inline void take_packet(struct csf_messages *m, const struct csf_stp_packet *pkt)
{
	struct csf_message *msg = &m->held[m->n];
	struct stm *stm = &m->packets.stm;
	const uint64_t before = stm->time;

	*msg = (struct csf_message){
		.offset = window_offset(&m->win, m->win.pos), .value = pkt->value,
		.flags = pkt->flags & CSF_STP_MARKED ? CSF_MESSAGE_MARKED : 0,
	};
	if (pkt->flags & CSF_STP_TIMED && take_time(stm, pkt)) {
		msg->flags |= CSF_MESSAGE_HAS_TIME |
			      (stm->time_lost ? CSF_MESSAGE_TIME_LOST : 0);
		msg->time = stm->time;
	}
	m->stats.packets++;
	if (unlikely(pkt->kind != CSF_STP_DATA)) {
		take_other(m, pkt, msg, before);
		return;
	}
	msg->kind = CSF_MESSAGE_DATA;
	msg->size = (pkt->size + 1) / 2;
	msg->info = pkt->size == 1 ? 4 : 0;
	add(m, msg);
}

/* Takes @n nibbles. */
static __always_inline void take(struct csf_messages *m, unsigned int n)
{
	struct stm *stm = &m->packets.stm;

	n += stm->odd;
	stm->odd = n & 1;
	window_take(&m->win, n / 2);
}

static void lose_sync(struct csf_messages *m, enum csf_gap why)
{
	struct stm *stm = &m->packets.stm;

	stm->synced = false;
	stm->why = why;
	stm->lost_at = offset_of(m);
}

/* Does a sync begin at nibble @i, and a VERSION after it? */
static bool is_start(const struct window *win, size_t i, bool high_first)
{
	return stm_is_sync(win->pos, i, 2 * (win->end - win->pos), high_first) &&
	       stm_nibbles(win->pos, i + CSF_STP_SYNC_NIBBLES, high_first) >> 52 == VERSION_HEAD;
}

/*
 * Does a sync begin at nibble @i?  In the other order of nibbles, the end of a packet and a sync
 * may look like a sync: which order it is, the VERSION after it shows.
 */
static bool finds_sync(struct stm *stm, const struct window *win, size_t i)
{
	const size_t end = 2 * (win->end - win->pos);
	const bool high = stm->format.high_first;

	if (stm->ordered)
		return stm_is_sync(win->pos, i, end, high);
	if (is_start(win, i, true)) {
		stm->format.high_first = true;
		return true;
	}
	return stm_is_sync(win->pos, i, end, false) &&
	       (is_start(win, i, false) || !is_start(win, i + 1, true));
}

/* Skips up to the next sync, or to the limit of the window. */
static void skip(struct csf_messages *m)
{
	struct stm *stm = &m->packets.stm;
	struct window *win = &m->win;

	while (win->pos < win->limit) {
		size_t left = win->limit - win->pos;

		/* nine bytes F are in any sync */
		if (win->pos[9] != 0xff) {
			window_take(win, left < 9 ? left : 9);
			stm->odd = false;
			continue;
		}
		if (finds_sync(stm, win, stm->odd)) {
			lose(m, offset_of(m));
			stm->synced = true;
			stm->ordered = true;
			return;
		}
		take(m, 1);
	}
}

void stm_read_messages(struct csf_messages *m)
{
	struct stm *stm = &m->packets.stm;
	struct window *win = &m->win;

	if (!stm->synced)
		skip(m);
	while (messages_room(m) && stm->synced && win->pos < win->limit) {
		struct csf_stp_packet pkt;
		const int n = stm_read(&stm->format, win->pos, stm->odd,
				       2 * (win->end - win->pos), &pkt);

		if (unlikely(!n || pkt.kind <= CSF_STP_CUT)) {
			lose_sync(m, n && pkt.kind == CSF_STP_BAD ? CSF_GAP_PACKET : CSF_GAP_CUT);
			break;
		}
		take_packet(m, &pkt);
		take(m, n);
	}
	m->ready = m->n;
}
