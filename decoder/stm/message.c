// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nibbles to packets to messages.  Packets are not aligned to bytes, and a buffer that wrapped may
 * have a sync inside a packet: so nibbles are taken one by one, and each may end a sync.
 */
#include "packet.h"
#include "parts.h"

#define BITS_MASTER	0xff	/* of a STM_MASTER or STM_CHANNEL; the others stay */

/* The nibble @i after the low one at @win->pos. */
static uint8_t nibble_at(const struct window *win, size_t i)
{
	return win->pos[i / 2] >> (i & 1 ? 4 : 0) & 0xf;
}

/* The nibbles from @stm.start up to @to are lost. */
static void lose(struct csf_messages *m, uint64_t to, enum csf_gap why)
{
	const struct stm *stm = &m->packets.stm;

	if (to > stm->start)
		messages_gap(m, stm->start / 2, why, (to - stm->start + 1) / 2);
}

/* The rest of a trace that ends, or breaks off, is lost. */
void stm_reset_messages(struct csf_messages *m, bool broken)
{
	struct stm *stm = &m->packets.stm;
	const uint64_t at = 2 * window_offset(&m->win, m->win.pos) + stm->odd;

	if (!stm->synced || stm->n)
		lose(m, at, stm->synced ? CSF_GAP_CUT : stm->why);
	*stm = (struct stm){ .start = at, .why = CSF_GAP_START, .times = STM_TIMES_LOW };
}

static uint64_t value_of(const struct stm *stm, unsigned int first, unsigned int n)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < n; i++)
		v = v << 4 | stm->nibble[stm->reversed ? first + n - 1 - i : first + i];
	return v;
}

static uint64_t replace_low(uint64_t old, uint64_t v, unsigned int nibbles)
{
	return (old & ~low_bits(4 * nibbles)) | v;
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

/* Takes the timestamp, which is @n nibbles at @first.  Return: the time is known. */
static bool take_time(struct stm *stm, unsigned int first, unsigned int n)
{
	const uint64_t v = value_of(stm, first, n);

	switch (stm->times) {
	case STM_TIMES_DELTA:
		stm->time += v;
		return true;
	case STM_TIMES_LOW:
		stm->time = replace_low(stm->time, v, n);
		return true;
	case STM_TIMES_GRAY:
		stm->time = from_gray(replace_low(stm->time ^ stm->time >> 1, v, n));
		return true;
	default:
		return false;
	}
}

/* The first nibble is the kind of timestamps; with its bit 3, a byte follows, highest first. */
static void take_version(struct stm *stm, const struct stm_layout *l)
{
	const uint8_t *nibble = stm->nibble + l->opcode;

	stm->times = nibble[0] & 7;
	stm->reversed = l->payload > 1 && nibble[1] & 8;
	stm->master = 0;
	stm->channel = 0;
	stm->has_master = false;
	stm->time = 0;
}

static void take_master(struct stm *stm, uint64_t v, bool all)
{
	stm->master = all ? v : (stm->master & ~BITS_MASTER) | v;
	stm->channel = 0;
	stm->has_master = true;
}

/* GERR: the master is not known any more; MERR: its channel is not. */
static void take_error(struct stm *stm, struct csf_message *msg, const struct stm_row *row)
{
	msg->kind = CSF_MESSAGE_ERROR;
	msg->info = row->info;
	msg->size = 1;
	stm->channel = 0;
	if (row->info != 2)
		return;
	stm->master = 0;
	stm->has_master = false;
}

static void add(struct csf_messages *m, struct csf_message *msg)
{
	const struct stm *stm = &m->packets.stm;

	msg->channel = stm->channel;
	msg->master = stm->master;
	msg->flags |= stm->has_master ? CSF_MESSAGE_HAS_MASTER : 0;
	messages_add(m, msg);
	m->ready = m->n;
}

/* Return: the packet is a message. */
static bool mean(struct stm *stm, const struct stm_layout *l, struct csf_message *msg)
{
	switch ((enum stm_what)l->row->what) {
	case STM_MASTER:
	case STM_MASTER16:
		take_master(stm, msg->value, l->row->what == STM_MASTER16);
		return false;
	case STM_CHANNEL:
		stm->channel = (stm->channel & ~BITS_MASTER) | msg->value;
		return false;
	case STM_CHANNEL16:
		stm->channel = msg->value;
		return false;
	case STM_VERSION:
		take_version(stm, l);
		return false;
	case STM_DATA:
		msg->kind = CSF_MESSAGE_DATA;
		msg->size = (l->payload + 1) / 2;
		msg->info = l->payload == 1 ? 4 : 0;
		return true;
	case STM_FLAG:
		msg->kind = CSF_MESSAGE_FLAG;
		return true;
	case STM_ERROR:
		take_error(stm, msg, l->row);
		return true;
	case STM_USER:
		msg->kind = CSF_MESSAGE_USER;
		msg->value = value_of(stm, l->opcode + 1, l->payload - 1);
		msg->size = l->payload / 2;
		return true;
	case STM_TRIGGER:
		msg->kind = CSF_MESSAGE_TRIGGER;
		msg->size = 1;
		return true;
	case STM_FREQUENCY:
		msg->kind = CSF_MESSAGE_FREQUENCY;
		msg->size = l->payload / 2;
		return true;
	case STM_CROSS_SYNC:
		msg->kind = CSF_MESSAGE_CROSS_SYNC;
		msg->size = 1;
		return true;
	default:
		msg->kind = CSF_MESSAGE_TIME;
		msg->size = sizeof(uint64_t);
		return l->row->flags & STM_TS;
	}
}

static void take_packet(struct csf_messages *m, const struct stm_layout *l)
{
	struct stm *stm = &m->packets.stm;
	const uint64_t before = stm->time;
	struct csf_message msg = {
		.offset = stm->start / 2, .value = value_of(stm, l->opcode, l->payload),
		.flags = l->row->flags & STM_MARKED ? CSF_MESSAGE_MARKED : 0,
	};

	if (l->row->flags & STM_TS && take_time(stm, l->need - l->time, l->time)) {
		msg.flags |= CSF_MESSAGE_HAS_TIME;
		msg.time = stm->time;
	}
	m->stats.packets++;
	if (!mean(stm, l, &msg))
		return;
	if (msg.kind == CSF_MESSAGE_TIME)
		msg.value = stm->time - before;
	add(m, &msg);
}

/* The last nibbles were a sync, which ends before @at; before it may be part of a packet. */
static void take_sync(struct csf_messages *m, uint64_t at)
{
	struct stm *stm = &m->packets.stm;

	lose(m, at - STM_SYNC_ONES - 1, stm->synced ? CSF_GAP_CUT : stm->why);
	stm->synced = true;
	stm->start = at;
	stm->n = 0;
	m->stats.packets++;
	m->stats.syncs++;
}

/*
 * Do the nibbles F at the end of the packet belong to a sync, which goes on after it?  Then the
 * packet was cut off, and only looks whole.
 */
static bool is_cut(const struct csf_messages *m)
{
	const struct stm *stm = &m->packets.stm;
	const struct window *win = &m->win;
	const size_t first = stm->odd + 1, end = 2 * (win->end - win->pos);
	size_t i = first;

	if (!stm->ones)
		return false;
	while (i < end && i - first < STM_SYNC_ONES && nibble_at(win, i) == 0xf)
		i++;
	return i < end && i - first < STM_SYNC_ONES && !nibble_at(win, i) &&
	       stm->ones + (i - first) >= STM_SYNC_ONES;
}

static void lose_sync(struct stm *stm, enum csf_gap why)
{
	stm->synced = false;
	stm->why = why;
	stm->n = 0;
}

/* Adds a nibble to the packet, and takes the packet if it is whole; @at: after it. */
static void take_nibble(struct csf_messages *m, uint8_t nibble, uint64_t at)
{
	struct stm *stm = &m->packets.stm;
	struct stm_layout l;

	if (stm->n < STM_NIBBLES)
		stm->nibble[stm->n++] = nibble;
	l = stm_layout(stm->nibble, stm->n, stm->times < STM_TIMES_DELTA);
	if (l.row && l.row->what == STM_SYNC)
		l.bad = nibble != 0xf;
	if (l.bad) {
		lose_sync(stm, CSF_GAP_PACKET);
	} else if (stm->n >= l.need && is_cut(m)) {
		lose_sync(stm, CSF_GAP_CUT);
	} else if (stm->n >= l.need) {
		take_packet(m, &l);
		stm->start = at;
		stm->n = 0;
	}
}

void stm_read_messages(struct csf_messages *m)
{
	struct stm *stm = &m->packets.stm;
	struct window *win = &m->win;

	while (messages_room(m) && win->pos < win->limit) {
		const uint8_t nibble = nibble_at(win, stm->odd);
		const uint64_t at = 2 * window_offset(win, win->pos) + stm->odd + 1;
		const bool ends = !nibble && stm->ones >= STM_SYNC_ONES;

		stm->ones = nibble == 0xf ? stm->ones + 1 : 0;
		if (ends)
			take_sync(m, at);
		else if (stm->synced)
			take_nibble(m, nibble, at);
		stm->odd = !stm->odd;
		if (!stm->odd)
			window_take(win, 1);
	}
}
