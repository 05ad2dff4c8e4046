// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTM.  A waypoint is a P0 element: an atom, or a branch packet if its target must be told.
 *
 * The packet of an exception has the address of the handler, and that of an exception return has
 * the state there: both are owed until that is known.
 */
#include <stdlib.h>

#include "encode-unit.h"
#include "ptm-wire.h"

#define CR_BROADCAST	(1u << 8)
#define CR_CYCLES	(1u << 12)
#define CR_CID(cr)	((cr) >> 14 & 3)
#define CR_STACK	(1u << 29)
#define CR_VMID		(1u << 30)
#define CCER_BINARY	(1u << 28)
#define CCER_64		(1u << 29)

#define FAR		4096	/* bytes without a waypoint, until an update */
#define OFF_MAX		2000	/* most cycles while tracing was off */
#define CHANGE_RATE	16	/* timestamps until the clock changes */

/**
 * struct ptm - of a unit of PTM
 * @wire: packets
 * @broadcast, @stack, @vmid: settings
 * @owe: the packet of the last P0 element was not sent; it has the exception @exception, or none
 * @returns: that element returned from an exception
 * @count: cycles in it
 * @last, @last_isa: with e->ran, the last instruction, and its enum enc_isa
 * @call: it was SVC, HVC or SMC: the flags of its struct enc_insn
 * @halted: tracing stopped because of a debug halt
 */
struct ptm {
	struct pft_wire wire;
	bool broadcast, stack, vmid;
	bool owe, returns;
	uint32_t exception;
	uint32_t count;
	uint32_t last;
	enum enc_isa last_isa;
	uint8_t call;
	bool halted;
};

static int init(struct encoder *e)
{
	static const uint8_t cid_size[] = { 0, 1, 2, 4 };
	const struct csf_config *c = &e->setup.config;
	struct ptm *p = calloc(1, sizeof(*p));

	if (!p)
		return CSF_ERR_MEMORY;
	p->wire = (struct pft_wire){
		.out = &e->wire,
		.cycles = c->etmcr & CR_CYCLES,
		.cid_size = cid_size[CR_CID(c->etmcr)],
		.time_bits = c->etmccer & CCER_64 ? 64 : 48,
		/* PFT 1.0 does not tell, and has natural binary. */
		.gray = (c->etmidr >> 4 & 0xf) && !(c->etmccer & CCER_BINARY),
	};
	p->broadcast = c->etmcr & CR_BROADCAST;
	p->stack = c->etmcr & CR_STACK;
	p->vmid = c->etmcr & CR_VMID;
	if (p->stack && !e->setup.stack)
		e->setup.stack = STACK_MAX;
	e->own = p;
	return 0;
}

static void fini(struct encoder *e)
{
	free(e->own);
}

/* ---------------------------------------------------------------- contexts, cycles */

static struct pft_state state_of(const struct encoder *e)
{
	return (struct pft_state){
		.ns = e->context.security != CSF_SECURE,
		.hyp = e->context.el == 2,
	};
}

static uint32_t cid_of(const struct encoder *e)
{
	const struct ptm *p = e->own;

	return p->wire.cid_size == 4 ? e->context.contextid :
	       e->context.contextid & ((1u << 8 * p->wire.cid_size) - 1);
}

static uint32_t take_cycles(struct encoder *e)
{
	const uint32_t n = e->cycles < UINT32_MAX ? e->cycles : UINT32_MAX;

	e->cycles = 0;
	return n;
}

static void tell_vmid(struct encoder *e)
{
	struct ptm *p = e->own;

	if (p->vmid && (!p->wire.vmid_sent || (e->context.vmid & 0xff) != p->wire.vmid))
		pft_vmid(&p->wire, e->context.vmid & 0xff);
}

/* ---------------------------------------------------------------- synchronisation */

static void isync(struct encoder *e, enum pft_reason reason)
{
	struct ptm *p = e->own;
	const struct pft_isync s = {
		.addr = e->at, .isa = e->at_isa, .reason = reason, .state = state_of(e),
		.cid = cid_of(e),
		/* Not 0: with a context ID of 0 it could look like a part of an A-sync. */
		.count = 1 + dice_below(&e->dice, OFF_MAX),
		.mark = dice_once_in(&e->dice, 2),
	};

	pft_isync(&p->wire, &s);
	e->stack.n = 0;
	tell_vmid(e);
}

/* ---------------------------------------------------------------- what is owed */

/* Where Linux has the handler, if it is not told. */
static uint32_t vector_of(uint32_t exception)
{
	static const uint8_t at[16] = {
		[PFT_SMC] = 0x08, [PFT_HYP] = 0x14, [PFT_ASYNC_ABORT] = 0x10, [PFT_UNDEF] = 0x04,
		[PFT_SVC] = 0x08, [PFT_PREFETCH_ABORT] = 0x0c, [PFT_DATA_ABORT] = 0x10,
		[PFT_GENERIC] = 0x14, [PFT_IRQ] = 0x18, [PFT_FIQ] = 0x1c,
	};

	return 0xffff0000 | at[exception];
}

/* Sends the packet of the last P0 element, which went to @addr. */
static void pay_branch(struct encoder *e, uint32_t addr, enum enc_isa isa)
{
	struct ptm *p = e->own;
	const struct pft_branch b = {
		.addr = addr, .isa = isa, .exception = p->exception, .state = state_of(e),
		.count = p->count,
	};

	pft_branch(&p->wire, &b);
	p->owe = false;
	/* A Cortex-A15 sends it after the branch. */
	if (p->returns && e->wire.version > 0x30)
		pft_header(&p->wire, PFT_ERET);
	p->returns = false;
}

/* Sends all that is known.  After an exception without a handler that is nothing. */
static void pay(struct encoder *e)
{
	const struct pft_state state = state_of(e);
	struct ptm *p = e->own;

	if (p->owe && p->exception)
		return;
	if (p->owe)
		pay_branch(e, e->at, e->at_isa);
	else if (state.ns != p->wire.state.ns || state.hyp != p->wire.state.hyp)
		isync(e, PFT_PERIODIC);
	if (p->wire.cid_size && cid_of(e) != p->wire.cid)
		pft_context_id(&p->wire, cid_of(e));
	tell_vmid(e);
}

/* Tracing ends: the handler of an exception, if any, is not traced. */
static void pay_rest(struct encoder *e)
{
	struct ptm *p = e->own;

	if (!p->owe || !p->exception)
		pay(e);
	else if (p->exception == PFT_HALT)
		pay_branch(e, 0, p->wire.isa);
	else
		pay_branch(e, vector_of(p->exception), ENC_A32);
}

/* ---------------------------------------------------------------- time */

static void tell_time(struct encoder *e, uint64_t value)
{
	struct ptm *p = e->own;

	pft_time(&p->wire, value, dice_once_in(&e->dice, CHANGE_RATE), take_cycles(e));
	e->time_due = *e->clock + e->setup.time_period;
	e->time_asked = false;
}

static void tell_time_asked(struct encoder *e, uint64_t value)
{
	if (e->setup.time_period && e->time_asked)
		tell_time(e, value);
}

static void time_now(struct encoder *e)
{
	pay(e);
	tell_time_asked(e, *e->clock);
}

/* ---------------------------------------------------------------- begin and end */

static void join(struct encoder *e, enum pft_reason reason)
{
	struct ptm *p = e->own;

	pft_async(&p->wire);
	isync(e, reason);
	unit_synced(e);
}

static void sync(struct encoder *e)
{
	pay(e);
	join(e, PFT_PERIODIC);
	if (e->setup.time_period && !e->time_asked)
		tell_time(e, *e->clock);
}

static void begin(struct encoder *e, enum enc_lost was)
{
	struct ptm *p = e->own;
	enum pft_reason reason = p->halted ? PFT_AFTER_HALT : PFT_ON;

	if (was == ENC_LOST_OVERFLOW || was == ENC_LOST_SIGNAL)
		reason = PFT_AFTER_OVERFLOW;
	p->halted = false;
	if (e->need_sync || unit_sync_is_due(e))
		join(e, reason);
	else
		isync(e, reason);
	e->cycles = 0;
	/* Only before anything is executed: otherwise the next P0 element is early enough. */
	if (e->p0 == e->time_asked_p0)
		tell_time_asked(e, e->time_asked_at);
}

static void pause(struct encoder *e, enum enc_lost why)
{
	struct ptm *p = e->own;

	/* A unit that filters has told all. */
	if (e->why == ENC_KEPT)
		pay_rest(e);
	pft_flush(&p->wire);
	/* Decoders can go on after an overflow; the unit may help others to join. */
	e->need_sync |= why == ENC_LOST_TRUNCATED ||
			(why == ENC_LOST_OVERFLOW && dice_once_in(&e->dice, 2));
}

/* Sends the beginning of an I-sync, as at the end of a full buffer. */
static void half_packet(struct encoder *e)
{
	const size_t n = e->wire.n;

	isync(e, PFT_PERIODIC);
	e->wire.n = n + dice_below(&e->dice, 6);
}

static void lose(struct encoder *e, enum enc_lost why, bool silent)
{
	/* An overflow is told when trace begins anew. */
	if (why == ENC_LOST_TRUNCATED && !silent)
		half_packet(e);
}

static void stop(struct encoder *e)
{
	if (e->why != ENC_KEPT)
		return;
	pay_rest(e);
	tell_time_asked(e, *e->clock);
	unit_pause(e, ENC_LOST_OFF);
}

static void flush(struct encoder *e)
{
	struct ptm *p = e->own;

	if (e->why == ENC_KEPT)
		pay(e);
	pft_flush(&p->wire);
}

/* ---------------------------------------------------------------- execution */

/* The next P0 element has the context. */
static void context(struct encoder *e)
{
}

/* Execution came to the end of @block, and the trace says so. */
static void reached(struct encoder *e, const struct enc_block *block)
{
	e->at = block->pc + block->size;
	e->at_isa = block->isa;
	e->ran = 0;
}

/* A unit may also synchronise, or say how far execution came, between two waypoints. */
static void plain(struct encoder *e, const struct enc_block *block)
{
	struct ptm *p = e->own;

	p->last = block->pc + block->size - block->last.size;
	p->last_isa = block->isa;
	p->call = block->last.class == ENC_CALL ? block->last.flags : 0;
	if (block->pc + block->size - e->at > FAR) {
		pay(e);
		pft_waypoint(&p->wire, p->last, p->last_isa);
		reached(e, block);
	}
	if (unit_sync_is_due(e) && !e->setup.target_first) {
		pay(e);
		reached(e, block);
		join(e, PFT_PERIODIC);
	}
}

static void ready(struct encoder *e, const struct enc_block *block)
{
	pay(e);
}

/* Is the target of the taken branch not known to a decoder? */
static bool is_told(struct encoder *e, const struct enc_insn *last)
{
	const struct ptm *p = e->own;

	if (last->class == ENC_DIRECT)
		return p->broadcast;
	if (last->class != ENC_INDIRECT)
		return false;
	/* A branch that leaves a return address is never a return. */
	return p->broadcast || !p->stack || last->flags & (ENC_ERET | ENC_LINK) ||
	       !unit_pop(e, e->at, e->at_isa);
}

static enum enc_lost p0(struct encoder *e, const struct enc_block *block, bool taken)
{
	const struct enc_insn *last = &block->last;
	struct ptm *p = e->own;

	if (!taken || !is_told(e, last)) {
		pft_atom(&p->wire, taken, take_cycles(e));
	} else {
		p->owe = true;
		p->returns = last->flags & ENC_ERET;
		p->exception = PFT_NONE;
		p->count = take_cycles(e);
		/* Only an exception return changes the state, which the caller tells next. */
		if (!(last->flags & ENC_ERET))
			pay_branch(e, e->at, e->at_isa);
	}
	if (taken && last->flags & ENC_LINK && p->stack)
		unit_push(e, (uint32_t)(block->pc + block->size), block->isa);
	return ENC_KEPT;
}

static void between(struct encoder *e)
{
	struct ptm *p = e->own;

	if (p->owe)
		return;
	if (e->setup.time_period && *e->clock >= e->time_due)
		tell_time(e, *e->clock);
	if (!e->want)
		return;
	if (unit_wanted(e, ENC_RATE_EVENT))
		pft_header(&p->wire, PFT_TRIGGER);
	if (unit_wanted(e, ENC_RATE_IGNORE))
		pft_header(&p->wire, PFT_IGNORE);
}

/* ---------------------------------------------------------------- exceptions */

static uint32_t number(const struct encoder *e, uint32_t type)
{
	static const uint8_t numbers[] = {
		[ENC_EXC_RESET] = PFT_RESET, [ENC_EXC_DEBUG_HALT] = PFT_HALT,
		[ENC_EXC_CALL] = PFT_SVC, [ENC_EXC_TRAP] = PFT_UNDEF,
		[ENC_EXC_SERROR] = PFT_ASYNC_ABORT, [ENC_EXC_INST_DEBUG] = PFT_PREFETCH_ABORT,
		[ENC_EXC_DATA_DEBUG] = PFT_DATA_ABORT, [ENC_EXC_ALIGNMENT] = PFT_DATA_ABORT,
		[ENC_EXC_INST_FAULT] = PFT_PREFETCH_ABORT, [ENC_EXC_DATA_FAULT] = PFT_DATA_ABORT,
		[ENC_EXC_IRQ] = PFT_IRQ, [ENC_EXC_FIQ] = PFT_FIQ,
	};
	const struct ptm *p = e->own;

	if (type == ENC_EXC_CALL && p->call & ENC_SMC)
		return PFT_SMC;
	if (type == ENC_EXC_CALL && p->call & ENC_HVC)
		return PFT_HYP;
	return type <= ENC_EXC_FIQ && numbers[type] ? numbers[type] : PFT_GENERIC;
}

/*
 * The packet has no return address: execution is where the last waypoint led, unless an update says
 * how far it came from there.
 */
static void exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	struct ptm *p = e->own;

	pay(e);
	if (e->ran)
		pft_waypoint(&p->wire, p->last, p->last_isa);
	p->owe = true;
	p->exception = number(e, type);
	p->count = take_cycles(e);
	p->halted = p->exception == PFT_HALT;
	e->p0++;
}

static void handler(struct encoder *e)
{
	struct ptm *p = e->own;

	if (p->owe)
		pay_branch(e, e->at, e->at_isa);
}

/* Where execution was is not known, so there is no update. */
static void reset(struct encoder *e)
{
	struct ptm *p = e->own;

	pay(e);
	p->exception = PFT_RESET;
	p->count = take_cycles(e);
	pay_branch(e, 0, ENC_A32);
}

static void event(struct encoder *e, unsigned int events)
{
	struct ptm *p = e->own;

	pay(e);
	pft_header(&p->wire, PFT_TRIGGER);
}

const struct unit_protocol ptm_unit = {
	.init = init,
	.fini = fini,
	.sync = sync,
	.begin = begin,
	.pause = pause,
	.lose = lose,
	.context = context,
	.plain = plain,
	.ready = ready,
	.p0 = p0,
	.between = between,
	.exception = exception,
	.number = number,
	.handler = handler,
	.reset = reset,
	.stop = stop,
	.flush = flush,
	.event = event,
	.time_now = time_now,
};
