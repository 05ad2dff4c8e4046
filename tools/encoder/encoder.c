// SPDX-License-Identifier: GPL-2.0-only
/* The calls of encoder.h, by which the caller reports the actions of a processor. */
#include <stdlib.h>

#include "encode-unit.h"

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

/* NULL: no unit sends this protocol. */
static const struct unit_protocol *protocol_of(const struct enc_setup *setup)
{
	switch (csf_config_protocol(&setup->config)) {
	case CSF_PROTOCOL_ETM4:
	case CSF_PROTOCOL_ETE:
		return &etm4_unit;
	case CSF_PROTOCOL_PTM:
		return &ptm_unit;
	case CSF_PROTOCOL_MTB:
		return &mtb_unit;
	case CSF_PROTOCOL_ETM3:
		return &etm3_unit;
	default:
		return NULL;
	}
}

int enc_new(struct encoder **encoder, const struct enc_setup *setup, const uint64_t *clock)
{
	const struct unit_protocol *protocol = protocol_of(setup);
	struct encoder *e;
	int err;

	*encoder = NULL;
	if (!protocol)
		return CSF_ERR_CONFIG;
	e = calloc(1, sizeof(*e));
	if (!e)
		return CSF_ERR_MEMORY;
	e->setup = *setup;
	e->protocol = protocol;
	e->clock = clock ? clock : &e->stats.insns;
	e->why = ENC_LOST_OFF;
	e->need_sync = true;
	e->pc = NOWHERE;
	e->watch = setup->include.n || setup->exclude.n || setup->strobe_on;
	dice_seed(&e->dice, setup->seed);
	if (e->setup.stack > STACK_MAX)
		e->setup.stack = STACK_MAX;
	if (!e->setup.lose)
		e->setup.lose = 1;
	err = wire_init(&e->wire, &setup->config);
	if (!err)
		err = e->protocol->init(e);
	if (err) {
		enc_free(e);
		return err;
	}
	*encoder = e;
	return 0;
}

void enc_free(struct encoder *e)
{
	if (!e)
		return;
	wire_fini(&e->wire);
	if (e->protocol->fini)
		e->protocol->fini(e);
	free(e->data);
	free(e);
}

/* ---------------------------------------------------------------- on and off */

void unit_go(struct encoder *e, uint64_t pc, enum enc_isa isa)
{
	e->at = pc;
	e->at_isa = isa;
	e->pc = pc;
	e->isa = isa;
	e->ran = 0;
}

void enc_start(struct encoder *e, uint64_t pc, enum enc_isa isa, const struct enc_context *context)
{
	enc_stop(e);
	e->on = true;
	unit_go(e, pc, isa);
	enc_context(e, context);
	if (!e->time_asked)
		e->time_due = *e->clock + e->setup.time_period;
}

uint32_t enc_stop(struct encoder *e)
{
	uint32_t ran;

	if (!e->on)
		return 0;
	ran = e->why == ENC_KEPT ? e->ran : 0;
	e->protocol->stop(e);
	e->lose_left = 0;
	e->held = false;
	e->on = false;
	e->why = ENC_LOST_OFF;
	e->pc = NOWHERE;
	return ran;
}

void enc_context(struct encoder *e, const struct enc_context *context)
{
	e->context = *context;
	e->protocol->context(e);
}

/* ---------------------------------------------------------------- blocks */

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
		unit_go(e, pc, isa);
	}
	if (e->p0 >= e->next_due)
		unit_roll(e);
	if (e->why || e->watch || e->want & LOSSES || unit_sync_is_due(e))
		return unit_begin(e, pc, isa);
	return ENC_KEPT;
}

/* The next block continues this one, or an exception follows. */
static void without_p0(struct encoder *e, const struct enc_block *block)
{
	e->ran += block->n_insn;
	e->protocol->plain(e, block);
}

static bool is_p0(const struct encoder *e, const struct enc_insn *last, bool taken)
{
	if (e->protocol->only_taken)
		return taken && (last->class == ENC_DIRECT || last->class == ENC_INDIRECT);
	return unit_takes_atom(&e->setup, last);
}

static enum enc_lost take_block(struct encoder *e, const struct enc_block *block, uint64_t next_pc,
				enum enc_isa next_isa)
{
	enum enc_lost why = before(e, block->pc, block->isa);
	const bool taken = is_taken(block, next_pc, next_isa);

	e->stats.insns += block->n_insn;
	e->pc = next_pc;
	e->isa = next_isa;
	if (why != ENC_KEPT) {
		e->stats.lost[why]++;
		return why;
	}
	/* One instruction per cycle, and a few extra cycles. */
	e->cycles += block->n_insn + ((block->pc >> 4 ^ block->n_insn) & 3);
	if (!is_p0(e, &block->last, taken)) {
		without_p0(e, block);
		e->stats.blocks++;
		return ENC_KEPT;
	}

	e->protocol->ready(e, block);
	e->p0++;
	e->from = e->at;
	e->from_isa = e->at_isa;
	e->at = next_pc;
	e->at_isa = next_isa;
	/* Neither to the target nor to the next instruction: tracing must begin anew. */
	if (!taken && (uint32_t)next_pc != (uint32_t)(block->pc + block->size))
		e->pc = NOWHERE;
	why = e->protocol->p0(e, block, taken);
	e->ran = 0;
	e->stats.blocks += why == ENC_KEPT;
	e->stats.lost[why]++;
	e->protocol->between(e);
	return why;
}

enum enc_lost enc_block(struct encoder *e, const struct enc_block *block, uint64_t next_pc,
			enum enc_isa next_isa)
{
	const enum enc_lost why = take_block(e, block, next_pc, next_isa);

	e->n_data = 0;
	return why;
}

enum enc_lost enc_part(struct encoder *e, const struct enc_block *block)
{
	enum enc_lost why = before(e, block->pc, block->isa);

	e->n_data = 0;
	e->stats.insns += block->n_insn;
	e->pc = NOWHERE;
	if (why != ENC_KEPT)
		return why;
	if (block->n_insn)
		without_p0(e, block);
	e->cycles += block->n_insn;
	return ENC_KEPT;
}

void enc_data(struct encoder *e, const struct enc_data *data)
{
	const size_t max = e->max_data ? 2 * e->max_data : 32;
	struct enc_data *grown;

	if (!e->protocol->entry)
		return;
	if (data->flags & ENC_DATA_ENTRY) {
		e->protocol->entry(e, data);
		return;
	}
	if (e->n_data == e->max_data) {
		grown = realloc(e->data, max * sizeof(*grown));
		if (!grown) {
			e->wire.failed = true;
			return;
		}
		e->data = grown;
		e->max_data = max;
	}
	e->data[e->n_data++] = *data;
}

/* ---------------------------------------------------------------- exceptions */

enum enc_lost enc_exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	enum enc_lost why = e->why;

	/* Trace may begin with an exception, or be lost before one, but not resume there. */
	if (why == ENC_KEPT ? !e->ran : why == ENC_LOST_OFF && e->on)
		why = unit_begin(e, e->at, e->at_isa);
	e->pc = NOWHERE;
	if (why != ENC_KEPT)
		return why;
	e->protocol->exception(e, type, ret);
	e->ran = 0;
	return ENC_KEPT;
}

uint32_t enc_exception_number(const struct encoder *e, uint32_t type)
{
	return e->protocol->number ? e->protocol->number(e, type) : type;
}

void enc_handler(struct encoder *e, uint64_t pc, enum enc_isa isa,
		 const struct enc_context *context)
{
	unit_go(e, pc, isa);
	enc_context(e, context);
	e->protocol->handler(e);
}

enum enc_lost enc_reset(struct encoder *e)
{
	e->pc = NOWHERE;
	if (e->why != ENC_KEPT)
		return e->why;
	e->protocol->reset(e);
	/* The unit was reset, too. */
	unit_pause(e, ENC_LOST_OFF);
	e->need_sync = true;
	return ENC_KEPT;
}

/* ---------------------------------------------------------------- other things */

bool enc_event(struct encoder *e, unsigned int events)
{
	if (e->why != ENC_KEPT || !(events & 0xf))
		return false;
	e->protocol->event(e, events & 0xf);
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
	if (e->on && e->why == ENC_KEPT && !e->ran)
		e->protocol->time_now(e);
}

void enc_flush(struct encoder *e)
{
	e->protocol->flush(e);
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
