// SPDX-License-Identifier: GPL-2.0-only
/* The calls of encoder.h, by which the caller reports the actions of a processor. */
#include <stdlib.h>

#include "encode-unit.h"

#define CONFIG_CID	(1u << 6)
#define CONFIG_VMID	(1u << 7)
#define CONFIG_RS	(1u << 12)
#define IDR0_ITE	(1u << 22)

#define LOSSES	(1u << ENC_RATE_OVERFLOW | 1u << ENC_RATE_DISCARD | 1u << ENC_RATE_TRUNCATE)

const char *enc_lost_name(enum enc_lost why)
{
	static const char *const names[ENC_LOST_NR] = {
		[ENC_KEPT] = "kept",
		[ENC_LOST_OFF] = "off",
		[ENC_LOST_FILTER] = "filter",
		[ENC_LOST_STROBE] = "strobe",
		[ENC_LOST_OVERFLOW] = "overflow",
		[ENC_LOST_DISCARD] = "discard",
		[ENC_LOST_TRUNCATED] = "truncated",
		[ENC_LOST_SIGNAL] = "signal",
		[ENC_LOST_Q] = "q",
	};

	return why < ENC_LOST_NR ? names[why] : "?";
}

int enc_new(struct encoder **encoder, const struct enc_setup *setup, const uint64_t *clock)
{
	struct encoder *e = calloc(1, sizeof(*e));
	int err;

	*encoder = NULL;
	if (!e)
		return CSF_ERR_MEMORY;
	err = wire_init(&e->wire, &setup->config);
	if (err) {
		enc_free(e);
		return err;
	}
	if (setup->likely_only) {
		e->past = past_new();
		if (!e->past) {
			enc_free(e);
			return CSF_ERR_MEMORY;
		}
	}
	e->setup = *setup;
	if (e->setup.stack > STACK_MAX || (setup->config.trcconfigr & CONFIG_RS && !setup->stack))
		e->setup.stack = STACK_MAX;
	if (!e->setup.lose)
		e->setup.lose = 1;
	e->clock = clock ? clock : &e->stats.insns;
	e->why = ENC_LOST_OFF;
	e->need_sync = true;
	e->pc = NOWHERE;
	e->watch = setup->include.n || setup->exclude.n || setup->strobe_on;
	dice_seed(&e->dice, setup->seed);
	*encoder = e;
	return 0;
}

void enc_free(struct encoder *e)
{
	if (!e)
		return;
	wire_fini(&e->wire);
	past_free(e->past);
	free(e);
}

/* ---------------------------------------------------------------- on and off */

static void go(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	e->at = pc;
	e->at_isa = isa;
	e->pc = pc;
	e->isa = isa;
	e->ran = 0;
	e->popped = false;
}

void enc_start(struct encoder *e, uint64_t pc, enum enc_isa isa, const struct enc_context *context)
{
	enc_stop(e);
	e->on = true;
	go(e, pc, isa);
	enc_context(e, context);
	if (!e->time_asked)
		e->time_due = *e->clock + e->setup.time_period;
}

uint32_t enc_stop(struct encoder *e)
{
	const uint32_t ran = e->why == ENC_KEPT ? e->ran : 0;

	if (!e->on)
		return 0;
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
	e->lose_left = 0;
	e->held = false;
	e->on = false;
	e->why = ENC_LOST_OFF;
	e->pc = NOWHERE;
	return ran;
}

void enc_context(struct encoder *e, const struct enc_context *context)
{
	const struct enc_context *last = &e->wire.context;
	const uint32_t config = e->setup.config.trcconfigr;

	e->context = *context;
	if (e->wire.context_sent && context->el == last->el &&
	    context->security == last->security && context->bits64 == last->bits64 &&
	    (!(config & CONFIG_CID) || context->contextid == last->contextid) &&
	    (!(config & CONFIG_VMID) || context->vmid == last->vmid))
		return;
	e->owe_context = true;
	e->late = 0;
}

/* ---------------------------------------------------------------- blocks */

static bool takes_atom(const struct encoder *e, const struct enc_insn *insn)
{
	switch ((enum enc_class)insn->class) {
	case ENC_PLAIN:
	case ENC_CALL:
	case ENC_TRCIT:
		return false;
	case ENC_WFX:
		return e->setup.wfx;
	case ENC_DIRECT:
	case ENC_INDIRECT:
	case ENC_ISB:
	case ENC_TSTART:
		return true;
	}
	return false;
}

static bool is_taken(const struct enc_block *block, uint64_t next_pc, enum enc_isa next_isa)
{
	const struct enc_insn *last = &block->last;
	const uint64_t end = block->pc + block->size;

	/* A branch to the next instruction leads there either way. */
	if (last->class == ENC_DIRECT)
		return next_pc == last->target && next_isa == last->target_isa &&
		       !(last->flags & ENC_FAILED && next_pc == end && next_isa == block->isa);
	if (last->class != ENC_INDIRECT)
		return !(last->flags & ENC_FAILED);
	if (last->flags & ENC_FAILED)
		return false;
	/* A branch to the next instruction is the same as an untaken one. */
	return !(last->flags & ENC_COND) || next_isa != block->isa ||
	       (uint32_t)next_pc != (uint32_t)end;
}

/* Will the next instruction, at @pc, be in the trace? */
static inline enum enc_lost before(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	if (pc != e->pc || isa != e->isa) {
		if (e->why == ENC_KEPT)
			unit_pause(e, ENC_LOST_FILTER);
		go(e, pc, isa);
	}
	if (e->p0 >= e->next_due)
		unit_roll(e);
	if (e->why || e->watch || e->want & LOSSES || e->wire.taken + e->wire.n >= e->sync_at)
		return unit_begin(e, pc, isa);
	return ENC_KEPT;
}

/* A block that takes no atom: the next one continues it. */
static void without_p0(struct encoder *e, uint32_t n_insn)
{
	if (e->q_left)
		unit_settle(e);
	e->ran += n_insn;
}

enum enc_lost enc_block(struct encoder *e, const struct enc_block *block, uint64_t next_pc,
			enum enc_isa next_isa)
{
	enum enc_lost why = before(e, block->pc, block->isa);
	bool taken;

	e->stats.insns += block->n_insn;
	e->pc = next_pc;
	e->isa = next_isa;
	if (why != ENC_KEPT) {
		e->stats.lost[why]++;
		return why;
	}
	/* One instruction per cycle, and a few extra cycles. */
	e->cycles += block->n_insn + ((block->pc >> 4 ^ block->n_insn) & 3);
	if (!takes_atom(e, &block->last)) {
		without_p0(e, block->n_insn);
		e->stats.blocks++;
		return ENC_KEPT;
	}

	if (e->want || block->last.flags & ENC_ERET)
		e->late = 0;
	if (e->owe || e->owe_context || e->is_late)
		unit_pay(e);
	if (e->q_left && block->last.flags & (ENC_ERET | ENC_FRET) && e->wire.version < 0x50)
		unit_settle(e);
	e->p0++;
	e->from = e->at;
	e->from_isa = e->at_isa;
	e->at = next_pc;
	e->at_isa = next_isa;
	e->popped = false;
	taken = is_taken(block, next_pc, next_isa);
	/* Neither to the target nor to the next instruction: tracing must begin anew. */
	if (!taken && (uint32_t)next_pc != (uint32_t)(block->pc + block->size))
		e->pc = NOWHERE;
	why = unit_p0(e, block, taken);
	e->ran = 0;
	e->stats.blocks += why == ENC_KEPT;
	e->stats.lost[why]++;
	unit_between(e);
	return why;
}

enum enc_lost enc_part(struct encoder *e, const struct enc_block *block, uint32_t n_insn)
{
	enum enc_lost why = before(e, block->pc, block->isa);

	e->stats.insns += n_insn;
	e->pc = NOWHERE;
	if (why != ENC_KEPT)
		return why;
	without_p0(e, n_insn);
	e->cycles += n_insn;
	return ENC_KEPT;
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

enum enc_lost enc_exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	const bool chain = is_chain(e, ret);
	enum enc_lost why = e->why;
	bool target;

	/* Trace may begin with an exception, or be lost before one, but not resume there. */
	if (why == ENC_KEPT ? !e->ran : why == ENC_LOST_OFF && e->on)
		why = unit_begin(e, e->at, e->at_isa);
	e->pc = NOWHERE;
	if (why != ENC_KEPT)
		return why;

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
	e->ran = 0;
	e->popped = false;
	return ENC_KEPT;
}

void enc_handler(struct encoder *e, uint64_t pc, enum enc_isa isa,
		 const struct enc_context *context)
{
	go(e, pc, isa);
	enc_context(e, context);
	e->owe = OWE_HANDLER;
}

enum enc_lost enc_reset(struct encoder *e)
{
	e->pc = NOWHERE;
	if (e->why != ENC_KEPT)
		return e->why;
	unit_settle(e);
	unit_pay_all(e);
	if (e->wire.version >= 0x50 && dice_once_in(&e->dice, 2))
		wire_exception_unknown(&e->wire, ENC_EXC_RESET);
	else
		wire_exception(&e->wire, ENC_EXC_RESET, false, e->at, e->at_isa, NULL);
	unit_count(e);
	/* The unit was reset, too. */
	unit_pause(e, ENC_LOST_OFF);
	e->need_sync = true;
	return ENC_KEPT;
}

/* ---------------------------------------------------------------- other things */

bool enc_event(struct encoder *e, unsigned int events)
{
	const struct csf_packet packet = { .type = CSF_PKT_EVENT, .val = events & 0xf };

	if (e->why != ENC_KEPT || !packet.val)
		return false;
	unit_settle(e);
	wire_packet(&e->wire, &packet);
	return true;
}

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
	go(e, pc, isa);
	return true;
}

void enc_time(struct encoder *e)
{
	e->time_due = 0;
	e->time_asked = true;
	e->time_asked_at = *e->clock;
	e->time_asked_p0 = e->p0;
}

void enc_time_now(struct encoder *e)
{
	enc_time(e);
	if (!e->on || e->why != ENC_KEPT || e->ran)
		return;
	unit_settle(e);
	unit_pay_all(e);
	unit_time_asked(e, *e->clock);
}

void enc_flush(struct encoder *e)
{
	if (e->why == ENC_KEPT) {
		unit_settle(e);
		if (e->time_wait)
			unit_time(e);
	}
	unit_commit(e, 0);
	wire_flush(&e->wire);
}

long enc_take(struct encoder *e, const uint8_t **bytes)
{
	const size_t n = e->wire.n;

	if (e->wire.failed) {
		e->wire.failed = false;
		e->wire.n = 0;
		return CSF_ERR_MEMORY;
	}
	if (e->wire.refused)
		return CSF_ERR_CONFIG;
	*bytes = e->wire.p;
	e->wire.taken += n;
	e->wire.n = 0;
	return n;
}

size_t enc_pending(const struct encoder *e)
{
	return e->wire.n;
}

unsigned int enc_notes(struct encoder *e)
{
	const unsigned int notes = e->notes;

	e->notes = 0;
	return notes;
}

void enc_stats(const struct encoder *e, struct enc_stats *stats)
{
	*stats = e->stats;
	stats->bytes = e->wire.taken + e->wire.n;
	stats->syncs = e->wire.syncs;
	stats->lost[ENC_KEPT] = 0;
}
