// SPDX-License-Identifier: GPL-2.0-only
/* Decides what is traced: where tracing begins and ends, and where a decoder may join. */
#include "encode-unit.h"

#define CONFIG_CCI	(1u << 4)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define LATE_MAX	4	/* P0 elements between a Trace Info and an address */

bool unit_in(const struct enc_ranges *ranges, uint64_t addr)
{
	for (unsigned int i = 0; i < ranges->n; i++)
		if (addr >= ranges->range[i].from && addr < ranges->range[i].to)
			return true;
	return false;
}

/* ---------------------------------------------------------------- dice */

void unit_roll(struct encoder *e)
{
	e->next_due = UINT64_MAX;
	for (int r = 0; r < ENC_RATES; r++) {
		if (!e->setup.rate[r])
			continue;
		if (e->due[r] <= e->p0) {
			/* An event that is due for the first time does not happen yet. */
			if (e->due[r])
				e->want |= 1u << r;
			e->due[r] = e->p0 + 1 + dice_below(&e->dice, 2 * e->setup.rate[r]);
		}
		if (e->due[r] < e->next_due)
			e->next_due = e->due[r];
	}
}

/* ---------------------------------------------------------------- synchronisation */

void unit_sync(struct encoder *e)
{
	struct wire_trace_info info = {
		.cycles = e->setup.config.trcconfigr & CONFIG_CCI,
		.threshold = e->setup.threshold,
		.transaction = e->tm_left || e->tm_own,
	};
	const bool changes = e->owe_context;

	unit_settle(e);
	/* Includes what was just settled. */
	info.uncommitted = e->depth;
	wire_sync(&e->wire, &info);
	e->sync_at = e->setup.sync ? e->wire.taken + e->wire.n + e->setup.sync : UINT64_MAX;
	e->need_sync = false;
	e->stack.n = 0;
	e->owe_context = true;
	if (e->owe)
		return;
	/* A running decoder knows where execution is; one that joins has to wait. */
	e->is_late = true;
	e->late = e->setup.target_first || changes ? 0 : dice_below(&e->dice, LATE_MAX);
}

/* Trace On and what goes with it. */
static void trace_on(struct encoder *e)
{
	wire_type(&e->wire, CSF_PKT_ON);
	e->need_on = false;
	e->stack.n = 0;
	e->popped = false;
	e->is_late = false;
	e->owe = OWE_START;
	e->cycles = 0;
	e->first_count = true;
}

/* ---------------------------------------------------------------- on and off */

void unit_pause(struct encoder *e, enum enc_lost why)
{
	unit_settle(e);
	/* Overflow and discard imply it; trace that was cut off cannot report it. */
	if (why <= ENC_LOST_STROBE && (e->tm_left || e->tm_own)) {
		unit_tm_end(e, true);
		e->tm_left = 0;
		e->tm_own = false;
		e->notes |= ENC_NOTE_TM_FAIL;
	}
	/* A unit that is switched off has sent everything; one that only filters goes on. */
	if (why != ENC_LOST_FILTER && why != ENC_LOST_STROBE) {
		unit_commit(e, 0);
		e->need_sync |= why != ENC_LOST_OFF;
	}
	wire_flush(&e->wire);
	e->why = why;
	e->need_on = true;
	e->owe = OWE_NOTHING;
}

/* Sends a part of a packet, as at the end of a full buffer. */
static void half_packet(struct encoder *e)
{
	const size_t n = e->wire.n;
	size_t whole;

	if (dice_once_in(&e->dice, 3))
		return;
	wire_address_context(&e->wire, dice_any(&e->dice) & ~3ull, ENC_A64, &e->context);
	whole = e->wire.n - n;
	e->wire.n = n + dice_below(&e->dice, whole);
	e->wire.context_sent = false;
}

static void lose(struct encoder *e, enum enc_lost why)
{
	/* Where no decoder is in sync, there is nothing to send. */
	const bool silent = e->need_sync;

	unit_pause(e, why);
	if (!silent && why == ENC_LOST_TRUNCATED)
		half_packet(e);
	else if (!silent)
		wire_type(&e->wire, why == ENC_LOST_DISCARD ? CSF_PKT_DISCARD : CSF_PKT_OVERFLOW);
	e->time_wait = 0;
	/* An open transaction failed, or its outcome will never be known. */
	if (e->tm_left || e->tm_own)
		e->notes |= ENC_NOTE_TM_FAIL;
	e->tm_left = 0;
	e->tm_own = false;
	e->lose_left = dice_below(&e->dice, e->setup.lose);
}

void enc_lose(struct encoder *e, enum enc_lost why)
{
	if (!e->on || e->held)
		return;
	if (e->why == ENC_KEPT || e->why == ENC_LOST_FILTER || e->why == ENC_LOST_STROBE)
		lose(e, why);
	e->held = true;
	e->why = why;
	e->lose_left = 0;
}

void enc_resume(struct encoder *e)
{
	e->held = false;
}

/* ---------------------------------------------------------------- block by block */

/* Applies address ranges and strobing to a block. */
static enum enc_lost chosen(struct encoder *e, uint64_t pc)
{
	const struct enc_setup *s = &e->setup;

	if ((s->include.n && !unit_in(&s->include, pc)) || unit_in(&s->exclude, pc))
		return ENC_LOST_FILTER;
	if (s->strobe_on && *e->clock % (s->strobe_on + s->strobe_off) >= s->strobe_on)
		return ENC_LOST_STROBE;
	return ENC_KEPT;
}

static enum enc_lost wanted_loss(struct encoder *e)
{
	static const struct {
		enum enc_rate rate;
		enum enc_lost why;
	} losses[] = {
		{ ENC_RATE_OVERFLOW, ENC_LOST_OVERFLOW },
		{ ENC_RATE_DISCARD, ENC_LOST_DISCARD },
		{ ENC_RATE_TRUNCATE, ENC_LOST_TRUNCATED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (!(e->want & 1u << losses[i].rate))
			continue;
		e->want &= ~(1u << losses[i].rate);
		e->stats.injected[losses[i].rate]++;
		return losses[i].why;
	}
	return ENC_KEPT;
}

/* Begins tracing, or resumes it, at @pc. */
static void begin(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	e->why = ENC_KEPT;
	e->at = pc;
	e->at_isa = isa;
	e->ran = 0;
	e->owe = OWE_START;
	if (e->need_sync || e->wire.taken + e->wire.n >= e->sync_at)
		unit_sync(e);
	trace_on(e);
	/* The context is sent again if it changed, or else sometimes. */
	e->owe_context |= dice_once_in(&e->dice, 2);
}

enum enc_lost unit_begin(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	enum enc_lost why;

	if (!e->on)
		return ENC_LOST_OFF;
	if (e->held)
		return e->why;
	if (e->lose_left) {
		e->lose_left--;
		return e->why;
	}
	/* A block is traced if its part before was traced. */
	if (e->why == ENC_KEPT && e->ran)
		return ENC_KEPT;

	why = chosen(e, pc);
	if (why != ENC_KEPT) {
		if (e->why == ENC_KEPT)
			unit_pause(e, why);
		e->why = why;
		return why;
	}
	if (e->why != ENC_KEPT) {
		begin(e, pc, isa);
		return ENC_KEPT;
	}
	why = wanted_loss(e);
	if (why != ENC_KEPT) {
		lose(e, why);
		return why;
	}
	if (e->wire.taken + e->wire.n >= e->sync_at)
		unit_sync(e);
	return ENC_KEPT;
}
