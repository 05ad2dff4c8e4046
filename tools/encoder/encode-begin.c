// SPDX-License-Identifier: GPL-2.0-only
/* Decides what is traced: where tracing begins and ends, and where a decoder may join. */
#include "encode-unit.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

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

bool unit_wanted(struct encoder *e, enum enc_rate rate)
{
	if (!(e->want & 1u << rate))
		return false;
	e->want &= ~(1u << rate);
	e->stats.injected[rate]++;
	return true;
}

/* ---------------------------------------------------------------- on and off */

void unit_synced(struct encoder *e)
{
	e->sync_at = e->setup.sync ? e->wire.taken + e->wire.n + e->setup.sync : UINT64_MAX;
	e->need_sync = false;
}

void unit_pause(struct encoder *e, enum enc_lost why)
{
	e->protocol->pause(e, why);
	e->why = why;
}

static void lose(struct encoder *e, enum enc_lost why)
{
	/* Where no decoder is in sync, there is nothing to send. */
	const bool silent = e->need_sync;

	unit_pause(e, why);
	e->protocol->lose(e, why, silent);
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

void enc_gate(struct encoder *e, bool open)
{
	e->closed = !open;
	e->watch |= e->closed;
}

/* Applies address ranges, the gate and strobing to a block. */
static enum enc_lost chosen(struct encoder *e, uint64_t pc)
{
	const struct enc_setup *s = &e->setup;

	if (e->closed || (s->include.n && !unit_in(&s->include, pc)) || unit_in(&s->exclude, pc))
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
		if (unit_wanted(e, losses[i].rate))
			return losses[i].why;
	}
	return ENC_KEPT;
}

/* Begins tracing, or resumes it, at @pc. */
static void begin(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	const enum enc_lost was = e->why;

	e->why = ENC_KEPT;
	e->at = pc;
	e->at_isa = isa;
	e->ran = 0;
	e->protocol->begin(e, was);
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
	if (unit_sync_is_due(e))
		e->protocol->sync(e);
	return ENC_KEPT;
}
