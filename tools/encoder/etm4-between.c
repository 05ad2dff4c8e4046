// SPDX-License-Identifier: GPL-2.0-only
/* Packets between P0 elements without execution: cycles, time, events; and transactions. */
#include "etm4-unit.h"

#define CONFIG_CCI	(1u << 4)
#define IDR0_COMMOPT	(1u << 29)
#define CYCLES_MAX	((1u << 20) - 1)	/* TRCIDR2.CCSIZE: 20 bits */

#define TM_BLOCKS	16
#define TIME_WAIT	4

/* ---------------------------------------------------------------- commits and cycles */

static uint32_t cycles(const struct encoder *e)
{
	return e->cycles < CYCLES_MAX ? e->cycles : CYCLES_MAX;
}

/* The first count since tracing began may be unknown. */
static uint32_t above_threshold(struct encoder *e)
{
	const bool unknown = e->first_count && dice_once_in(&e->dice, 2);

	e->first_count = false;
	return unknown ? UINT32_MAX : cycles(e) - e->setup.threshold;
}

static void count_cycles(struct encoder *e)
{
	const bool counts = e->setup.config.trcconfigr & CONFIG_CCI &&
			    e->cycles >= e->setup.threshold;
	const bool commits = !(e->setup.config.trcidr0 & IDR0_COMMOPT);
	uint32_t n = 0;

	if (e->depth && dice_once_in(&e->dice, 4))
		n = 1 + dice_below(&e->dice, e->depth);
	if (counts && (!commits || n)) {
		wire_cycles(&e->wire, above_threshold(e), n);
		e->cycles = 0;
		if (commits)
			e->depth -= n;
		else if (n)
			unit_commit(e, n);
	} else if (n) {
		unit_commit(e, n);
	}
}

/* ---------------------------------------------------------------- time */

void unit_time(struct encoder *e)
{
	const bool counts = e->setup.config.trcconfigr & CONFIG_CCI;

	wire_time(&e->wire, e->time_value, counts, cycles(e));
	e->time_wait = 0;
}

void unit_time_asked(struct encoder *e, uint64_t value)
{
	if (!e->setup.time_period || !e->time_asked)
		return;
	e->time_due = *e->clock + e->setup.time_period;
	if (e->time_wait)
		unit_time(e);
	e->time_value = value;
	e->time_asked = false;
	if (e->setup.marker)
		wire_type(&e->wire, CSF_PKT_MARKER);
	unit_time(e);
}

static void tell_time(struct encoder *e)
{
	if (e->time_wait) {
		if (!--e->time_wait)
			unit_time(e);
		return;
	}
	if (*e->clock < e->time_due)
		return;
	e->time_due = *e->clock + e->setup.time_period;
	e->time_value = *e->clock;
	e->time_asked = false;
	if (e->setup.marker) {
		wire_type(&e->wire, CSF_PKT_MARKER);
		e->time_wait = dice_below(&e->dice, TIME_WAIT);
	}
	if (!e->time_wait)
		unit_time(e);
}

/* ---------------------------------------------------------------- transactions */

void unit_tm_start(struct encoder *e)
{
	unit_settle(e);
	/* It is a P0 element, unless the unit is configured otherwise. */
	if (!e->setup.tm_quiet) {
		unit_pay_all(e);
		unit_count(e);
	}
	wire_type(&e->wire, CSF_PKT_TM_START);
}

void unit_tm_end(struct encoder *e, bool fail)
{
	unit_settle(e);
	if (!fail) {
		/* Never above the speculation depth. */
		unit_commit(e, 0);
		wire_type(&e->wire, CSF_PKT_TM_COMMIT);
		return;
	}
	/* First the target of the previous branch: the next address is where the failure leads. */
	unit_pay_all(e);
	if (e->popped)
		e->stack.n = 0;
	wire_exception_unknown(&e->wire, 0x18);
	e->owe = OWE_START;
}

static void transaction(struct encoder *e)
{
	if (e->tm_left) {
		if (!--e->tm_left) {
			const bool fail = dice_once_in(&e->dice, 3);

			unit_tm_end(e, fail);
			e->notes |= fail ? ENC_NOTE_TM_FAIL : ENC_NOTE_TM_COMMIT;
		}
		return;
	}
	if (!(e->want & 1u << ENC_RATE_TM) || e->tm_own)
		return;
	e->want &= ~(1u << ENC_RATE_TM);
	e->stats.injected[ENC_RATE_TM]++;
	unit_tm_start(e);
	e->notes |= ENC_NOTE_TM_START;
	e->tm_left = 1 + dice_below(&e->dice, TM_BLOCKS);
}

/* ---------------------------------------------------------------- random events */

static void injected(struct encoder *e)
{
	struct csf_packet packet = { .type = CSF_PKT_EVENT };

	if (unit_wanted(e, ENC_RATE_EVENT)) {
		packet.val = 1 + dice_below(&e->dice, 15);
		wire_packet(&e->wire, &packet);
	}
	if (unit_wanted(e, ENC_RATE_ITE)) {
		packet = (struct csf_packet){ .type = CSF_PKT_ITE };
		packet.val = dice_any(&e->dice);
		packet.n = e->context.el;
		wire_packet(&e->wire, &packet);
	}
	if (unit_wanted(e, ENC_RATE_IGNORE))
		wire_type(&e->wire, CSF_PKT_IGNORE);
	if (e->want & 1u << ENC_RATE_SPEC && !e->is_late && dice_once_in(&e->dice, 4))
		unit_wrong_path(e);
}

void unit_between(struct encoder *e)
{
	/* Nothing can be sent before these end. */
	if (e->q_left || e->passing)
		return;
	if (e->setup.config.trcconfigr & CONFIG_CCI || e->depth)
		count_cycles(e);
	if (e->setup.time_period)
		tell_time(e);
	if (e->want)
		injected(e);
	if (e->setup.rate[ENC_RATE_TM])
		transaction(e);
}
