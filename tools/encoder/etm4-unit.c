// SPDX-License-Identifier: GPL-2.0-only
/* ETMv4 and ETE: what begins and ends trace, and exceptions. */
#include "etm4-unit.h"

#define CONFIG_CCI	(1u << 4)
#define CONFIG_CID	(1u << 6)
#define CONFIG_VMID	(1u << 7)
#define CONFIG_RS	(1u << 12)
#define IDR0_ITE	(1u << 22)

#define LATE_MAX	4	/* P0 elements between a Trace Info and an address */

static int init(struct encoder *e)
{
	struct enc_setup *setup = &e->setup;

	if (setup->likely_only) {
		e->past = past_new();
		if (!e->past)
			return CSF_ERR_MEMORY;
	}
	if (setup->config.trcconfigr & CONFIG_RS && !setup->stack)
		setup->stack = STACK_MAX;
	return 0;
}

static void fini(struct encoder *e)
{
	past_free(e->past);
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
	unit_synced(e);
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
	e->stack.n = 0;
	e->popped = false;
	e->is_late = false;
	e->owe = OWE_START;
	e->cycles = 0;
	e->first_count = true;
}

static void begin(struct encoder *e, enum enc_lost was)
{
	e->owe = OWE_START;
	if (e->need_sync || unit_sync_is_due(e))
		unit_sync(e);
	trace_on(e);
	/* The context is sent again if it changed, or else sometimes. */
	e->owe_context |= dice_once_in(&e->dice, 2);
}

/* ---------------------------------------------------------------- off */

static void pause(struct encoder *e, enum enc_lost why)
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
	e->owe = OWE_NOTHING;
}

/* Sends a part of a packet, as at the end of a full buffer. */
static void half_packet(struct encoder *e)
{
	const bool m = e->setup.config.profile == CSF_PROFILE_M;
	const size_t n = e->wire.n;
	size_t whole;

	if (dice_once_in(&e->dice, 3))
		return;
	wire_address_context(&e->wire, dice_any(&e->dice) & (m ? 0xfffffffc : ~3ull),
			     m ? ENC_T32 : ENC_A64, &e->context);
	whole = e->wire.n - n;
	e->wire.n = n + dice_below(&e->dice, whole);
	e->wire.context_sent = false;
}

static void lose(struct encoder *e, enum enc_lost why, bool silent)
{
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
}

static void stop(struct encoder *e)
{
	if (e->why == ENC_KEPT) {
		unit_settle(e);
		/* A timestamp was asked for, and an exception came since. */
		unit_time_asked(e, *e->clock);
		if (e->time_wait)
			unit_time(e);
		unit_pause(e, ENC_LOST_OFF);
	}
	/* A unit that filters may still have uncommitted elements. */
	unit_commit(e, 0);
}

static void flush(struct encoder *e)
{
	if (e->why == ENC_KEPT) {
		unit_settle(e);
		if (e->time_wait)
			unit_time(e);
	}
	unit_commit(e, 0);
	wire_flush(&e->wire);
}

/* ---------------------------------------------------------------- context, blocks */

static void context(struct encoder *e)
{
	const struct enc_context *last = &e->wire.context, *now = &e->context;
	const uint32_t config = e->setup.config.trcconfigr;

	if (e->wire.context_sent && now->el == last->el &&
	    now->security == last->security && now->bits64 == last->bits64 &&
	    (!(config & CONFIG_CID) || now->contextid == last->contextid) &&
	    (!(config & CONFIG_VMID) || now->vmid == last->vmid))
		return;
	e->owe_context = true;
	e->late = 0;
}

/* A block that takes no atom: the next one continues it. */
static void plain(struct encoder *e, const struct enc_block *block)
{
	if (e->q_left)
		unit_settle(e);
}

static void ready(struct encoder *e, const struct enc_block *block)
{
	if (e->want || block->last.flags & ENC_ERET)
		e->late = 0;
	if (e->owe || e->owe_context || e->is_late)
		unit_pay(e);
	if (e->q_left && block->last.flags & (ENC_ERET | ENC_FRET) && e->wire.version < 0x50)
		unit_settle(e);
	e->popped = false;
}

/* ---------------------------------------------------------------- exceptions */

static bool is_chain(const struct encoder *e, uint64_t ret)
{
	return e->setup.config.profile == CSF_PROFILE_M && ret == ENC_CHAIN;
}

/* Can the exception tell that the previous branch went to @ret, which was not yet sent? */
static bool says_target(struct encoder *e, uint64_t ret)
{
	const struct ret_stack *s = &e->stack;

	if (e->ran || ret != e->at || e->is_late || e->setup.target_first)
		return false;
	if (e->popped)
		return dice_once_in(&e->dice, 2);
	/* Not if it would be a false match of the return stack, as for an exception return. */
	return (e->owe == OWE_TARGET || e->owe == OWE_BROADCAST) &&
	       !(s->n && s->addr[s->n - 1] == ret && s->isa[s->n - 1] == e->at_isa);
}

static void exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	const bool chain = is_chain(e, ret);
	bool target;

	unit_settle(e);
	/* There is nothing at the place to which a tail chain did not return. */
	if (chain)
		e->owe = OWE_NOTHING;
	target = !chain && says_target(e, ret);
	if (!target && !chain &&
	    (e->owe || e->is_late || e->setup.target_first ||
	     (e->owe_context && dice_once_in(&e->dice, 2))))
		unit_pay_all(e);
	wire_exception(&e->wire, type, target, ret, e->at_isa, e->owe_context ? &e->context : NULL);
	unit_count(e);
	e->p0++;
	e->owe_context = false;
	e->owe = OWE_HANDLER;
	e->popped = false;
}

static void handler(struct encoder *e)
{
	e->owe = OWE_HANDLER;
	e->popped = false;
}

static void reset(struct encoder *e)
{
	unit_settle(e);
	unit_pay_all(e);
	if (e->wire.version >= 0x50 && dice_once_in(&e->dice, 2))
		wire_exception_unknown(&e->wire, ENC_EXC_RESET);
	else
		wire_exception(&e->wire, ENC_EXC_RESET, false, e->at, e->at_isa, NULL);
	unit_count(e);
}

/* ---------------------------------------------------------------- other things */

static void event(struct encoder *e, unsigned int events)
{
	const struct csf_packet packet = { .type = CSF_PKT_EVENT, .val = events };

	unit_settle(e);
	wire_packet(&e->wire, &packet);
}

static void time_now(struct encoder *e)
{
	unit_settle(e);
	unit_pay_all(e);
	unit_time_asked(e, *e->clock);
}

const struct unit_protocol etm4_unit = {
	.init = init,
	.fini = fini,
	.sync = unit_sync,
	.begin = begin,
	.pause = pause,
	.lose = lose,
	.context = context,
	.plain = plain,
	.ready = ready,
	.p0 = unit_p0,
	.between = unit_between,
	.exception = exception,
	.handler = handler,
	.reset = reset,
	.stop = stop,
	.flush = flush,
	.event = event,
	.time_now = time_now,
};

/* ---------------------------------------------------------------- calls for ETE alone */

bool enc_ite(struct encoder *e, unsigned int el, uint64_t value)
{
	const struct csf_packet packet = { .type = CSF_PKT_ITE, .val = value, .n = el & 3 };

	if (e->why != ENC_KEPT || !(e->setup.config.trcidr0 & IDR0_ITE))
		return false;
	unit_settle(e);
	wire_packet(&e->wire, &packet);
	return true;
}

bool enc_tm_start(struct encoder *e)
{
	if (e->why != ENC_KEPT || e->wire.version < 0x50 || e->tm_left || e->tm_own)
		return false;
	unit_tm_start(e);
	e->tm_own = true;
	return true;
}

bool enc_tm_commit(struct encoder *e)
{
	if (e->why != ENC_KEPT || !e->tm_own)
		return false;
	unit_tm_end(e, false);
	e->tm_own = false;
	return true;
}

bool enc_tm_fail(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	if (e->why != ENC_KEPT || !e->tm_own)
		return false;
	unit_tm_end(e, true);
	e->tm_own = false;
	unit_go(e, pc, isa);
	e->popped = false;
	return true;
}
