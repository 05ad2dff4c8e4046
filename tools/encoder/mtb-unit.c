// SPDX-License-Identifier: GPL-2.0-only
/*
 * MTB.  A branch that was taken is a P0 element, and its packet has both its ends.
 *
 * The unit sends packets without end; the caller keeps the newest, as the memory of an MTB does.
 */
#include <stdlib.h>

#include "encode-unit.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define A_BIT	1	/* of the source: an exception, or its return */
#define S_BIT	1	/* of the destination: tracing begins */

#define FNC_RETURN	0xfefffffe

/**
 * struct mtb_unit - of an MTB
 * @owe: the packet of an exception was not sent, because its handler is not known; @source: of it
 * @chain: where a return went that an exception came in place of: EXC_RETURN
 */
struct mtb_unit {
	bool owe;
	uint32_t source;
	uint32_t chain;
};

static int init(struct encoder *e)
{
	e->own = calloc(1, sizeof(struct mtb_unit));
	return e->own ? 0 : CSF_ERR_MEMORY;
}

static void fini(struct encoder *e)
{
	free(e->own);
}

static void word(struct encoder *e, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		wire_byte(&e->wire, value >> 8 * i);
}

/* Each with its bit 0. */
static void packet(struct encoder *e, uint32_t source, uint32_t destination)
{
	if (!wire_room(&e->wire))
		return;
	word(e, source);
	word(e, destination);
}

/* ---------------------------------------------------------------- begin and end */

static void sync(struct encoder *e)
{
}

/* As if a branch that led here had started the trace; any instruction may have been it. */
static void begin(struct encoder *e, enum enc_lost was)
{
	packet(e, e->at - 2, e->at | S_BIT);
	unit_synced(e);
}

/* Tracing stops at a place that is known, or after an exception without a handler. */
static void pause(struct encoder *e, enum enc_lost why)
{
	struct mtb_unit *m = e->own;

	m->owe = false;
}

static void lose(struct encoder *e, enum enc_lost why, bool silent)
{
}

static void stop(struct encoder *e)
{
	if (e->why == ENC_KEPT)
		unit_pause(e, ENC_LOST_OFF);
}

static void nothing(struct encoder *e)
{
}

/* ---------------------------------------------------------------- execution */

static void plain(struct encoder *e, const struct enc_block *block)
{
}

static void ready(struct encoder *e, const struct enc_block *block)
{
}

/* Registers are not known here, so any EXC_RETURN will do. */
static uint32_t exc_return(struct encoder *e)
{
	static const uint32_t values[] = {
		0xfffffff0, 0xfffffff8, 0xfffffffc, 0xffffffe0, 0xffffffe8, 0xffffffec, 0xffffffbc,
	};

	return values[dice_below(&e->dice, ARRAY_SIZE(values))];
}

static enum enc_lost p0(struct encoder *e, const struct enc_block *block, bool taken)
{
	const uint32_t source = block->pc + block->size - block->last.size;
	const bool exception = block->last.flags & ENC_ERET;
	struct mtb_unit *m = e->own;
	uint32_t by = FNC_RETURN;

	if (!(block->last.flags & (ENC_ERET | ENC_FRET))) {
		packet(e, source, e->at);
		return ENC_KEPT;
	}
	if (exception)
		by = exc_return(e);
	packet(e, source, by);
	m->chain = by;
	if (e->at != ENC_CHAIN)
		packet(e, by | (exception ? A_BIT : 0), e->at);
	return ENC_KEPT;
}

/* A debugger that halts the processor does not change the PC. */
static void exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	struct mtb_unit *m = e->own;

	m->owe = true;
	m->source = ret == ENC_CHAIN ? m->chain : ret;
}

static void handler(struct encoder *e)
{
	struct mtb_unit *m = e->own;

	if (m->owe && e->why == ENC_KEPT)
		packet(e, m->source | A_BIT, e->at);
	m->owe = false;
}

static void event(struct encoder *e, unsigned int events)
{
}

const struct unit_protocol mtb_unit = {
	.only_taken = true,
	.init = init,
	.fini = fini,
	.sync = sync,
	.begin = begin,
	.pause = pause,
	.lose = lose,
	.context = nothing,
	.plain = plain,
	.ready = ready,
	.p0 = p0,
	.between = nothing,
	.exception = exception,
	.handler = handler,
	.reset = nothing,
	.stop = stop,
	.flush = nothing,
	.event = event,
	.time_now = nothing,
};
