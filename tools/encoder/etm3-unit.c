// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3: what begins and ends trace, atoms, and exceptions. */
#include <stdlib.h>

#include "etm3-unit.h"

#define CR_BROADCAST	(1u << 8)
#define CR_CYCLES	(1u << 12)
#define CR_VMID		(1u << 30)
#define CCER_HYP	(1u << 26)
#define IDR_WHOLE_BL	(1u << 18)

#define VECTORS		0xffff0000u	/* where exceptions go if the handler is not traced */
#define LATE_MAX	4		/* blocks between an A-sync and an I-sync */
#define DSYNC_MAX	8		/* transfers between an I-sync and an address in full */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static unsigned int minor(const struct encoder *e)
{
	return e->setup.config.etmidr >> 4 & 15;
}

static bool is_m(const struct encoder *e)
{
	return e->setup.config.profile == CSF_PROFILE_M;
}

static int init(struct encoder *e)
{
	struct etm3_unit *u = calloc(1, sizeof(*u));

	if (!u)
		return CSF_ERR_MEMORY;
	e->own = u;
	etm3_wire_init(&u->wire, &e->wire, e->setup.target_first ? 0 : e->setup.seed);
	return 0;
}

static void fini(struct encoder *e)
{
	free(e->own);
}

/* ---------------------------------------------------------------- exceptions */

/* A and R profile; 0: a generic exception, 13 */
static const uint8_t numbers[] = {
	[ENC_EXC_RESET] = 8, [ENC_EXC_DEBUG_HALT] = 1, [ENC_EXC_CALL] = 10, [ENC_EXC_TRAP] = 9,
	[ENC_EXC_SERROR] = 4, [ENC_EXC_INST_DEBUG] = 11, [ENC_EXC_INST_FAULT] = 11,
	[ENC_EXC_DATA_DEBUG] = 12, [ENC_EXC_ALIGNMENT] = 12, [ENC_EXC_DATA_FAULT] = 12,
	[ENC_EXC_IRQ] = 14, [ENC_EXC_FIQ] = 15,
};

/* M profile: IPSR to the number of the packet, which for IRQ8 and more is 16 below 512. */
static const uint8_t numbers_m[24] = {
	0, 17, 10, 19, 13, 21, 9, 0, 0, 0, 0, 11, 12, 0, 14, 15, 8, 1, 2, 3, 4, 5, 6, 7,
};

static uint32_t number(const struct encoder *e, uint32_t type)
{
	if (!is_m(e))
		return type < ARRAY_SIZE(numbers) && numbers[type] ? numbers[type] : 13;
	return type < ARRAY_SIZE(numbers_m) ? numbers_m[type] : (type - 0x200 + 16) & 0x1ff;
}

/* M profile keeps ETMv4's, which have nothing that it does not have. */
static uint32_t number_in_log(const struct encoder *e, uint32_t type)
{
	return is_m(e) ? type : number(e, type);
}

/* The numbers that ETMv3.0 had, in the address.  Return: it had one. */
static bool old_number(uint32_t type, uint16_t *number)
{
	static const uint8_t old[] = { ENC_EXC_RESET, ENC_EXC_IRQ, 0xff, 0xff, 0xff, ENC_EXC_FIQ,
				       ENC_EXC_SERROR, ENC_EXC_DEBUG_HALT };

	for (unsigned int i = 0; i < ARRAY_SIZE(old); i++) {
		if (old[i] != type)
			continue;
		*number = i;
		return true;
	}
	return false;
}

/* ---------------------------------------------------------------- state */

/* In Hyp mode: only if the packets can say so. */
static bool is_hyp(const struct encoder *e, const struct enc_context *context)
{
	return e->setup.config.etmccer & CCER_HYP && context->el == 2;
}

static struct etm3_wire_state state_at(const struct encoder *e, uint32_t addr, enum enc_isa isa)
{
	return (struct etm3_wire_state){
		.addr = addr,
		.isa = isa == ENC_T32 ? ETM3_WIRE_T32 : ETM3_WIRE_A32,
		.ns = e->context.security == CSF_NONSECURE,
		.hyp = is_hyp(e, &e->context),
		.contextid = e->context.contextid,
	};
}

/* Sends what changed of the context, but for the state that I-syncs and exceptions have. */
static void ids(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	if (u->wire.cid_size && u->context.contextid != e->context.contextid)
		etm3_wire_contextid(&u->wire, e->context.contextid);
	if (e->setup.config.etmcr & CR_VMID && u->context.vmid != e->context.vmid)
		etm3_wire_vmid(&u->wire, e->context.vmid);
	u->context = e->context;
}

/* A branch to where execution is, without an exception, tells another state. */
static void context(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);
	const struct etm3_wire_exception none = { 0 };
	const struct etm3_wire_state state = state_at(e, e->at, e->at_isa);

	if (e->why != ENC_KEPT || u->owe)
		return;
	if (u->context.security != e->context.security ||
	    is_hyp(e, &u->context) != is_hyp(e, &e->context))
		etm3_wire_exception(&u->wire, &state, &none);
	ids(e);
}

/* ---------------------------------------------------------------- synchronisation */

void etm3_isync(struct encoder *e, enum etm3_wire_why why, bool lsip)
{
	struct etm3_unit *u = etm3_of(e);
	const struct etm3_wire_state state = state_at(e, e->at, e->at_isa);
	const bool counts = u->wire.cycles && (why != ETM3_WIRE_PERIODIC ||
					       dice_once_in(&e->dice, 3));
	struct etm3_wire_isync isync = {
		.why = why, .lsip = lsip, .multiple = u->last,
		.has_cycles = counts && dice_below(&e->dice, 2),
		.cycles = dice_once_in(&e->dice, 8) ? 0 : dice_below(&e->dice, 5000),
	};

	etm3_wire_isync(&u->wire, &state, &isync);
	/* They are in it, or come after it, or are not known. */
	if (isync.has_cycles) {
		e->stats.cycles += isync.cycles;
	} else if (counts && dice_below(&e->dice, 2)) {
		etm3_wire_cycles(&u->wire, isync.cycles);
		e->stats.cycles += isync.cycles;
	}
	if (e->setup.config.etmcr & CR_VMID)
		etm3_wire_vmid(&u->wire, e->context.vmid);
	u->context = e->context;
	u->isync = false;
	u->dsync = why == ETM3_WIRE_PERIODIC ? 1 + dice_below(&e->dice, DSYNC_MAX) : 1;
}

/* A decoder that joins needs a timestamp with all bits. */
static void full_time(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	u->whole_time = true;
	if (e->setup.time_period)
		e->time_due = 0;
}

static void sync(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	etm3_wire_async(&u->wire, false);
	unit_synced(e);
	full_time(e);
	u->isync = true;
	u->isync_late = dice_below(&e->dice, LATE_MAX);
}

static void begin(struct encoder *e, enum enc_lost was)
{
	struct etm3_unit *u = etm3_of(e);
	enum etm3_wire_why why = u->halted ? ETM3_WIRE_DEBUG : ETM3_WIRE_ON;

	if (was == ENC_LOST_OVERFLOW || was == ENC_LOST_SIGNAL || was == ENC_LOST_DISCARD)
		why = ETM3_WIRE_OVERFLOW;
	if (e->need_sync || unit_sync_is_due(e)) {
		/* Part of a packet may be before it. */
		etm3_wire_async(&u->wire, e->need_sync);
		unit_synced(e);
	}
	full_time(e);
	etm3_isync(e, why, false);
	u->halted = false;
	u->suppress = 0;
}

/* ---------------------------------------------------------------- atoms */

/* Most instructions take a cycle; some take none, because of the one before, or more. */
static uint32_t cycles(struct encoder *e)
{
	uint32_t roll;

	if (!(e->setup.config.etmcr & CR_CYCLES))
		return 0;
	roll = dice_below(&e->dice, 16);
	return roll < 3 ? 0 : roll < 13 ? 1 : roll < 15 ? 2 + dice_below(&e->dice, 7) :
	       2 + dice_below(&e->dice, 40);
}

/* In units that trace 32-bit branches with link as two halves, each has an atom. */
static bool has_halves(const struct encoder *e, const struct enc_block *block)
{
	return !(e->setup.config.etmidr & IDR_WHOLE_BL) && block->isa == ENC_T32 &&
	       block->last.class == ENC_DIRECT && block->last.flags & ENC_LINK &&
	       block->last.size == 4;
}

static void atom(struct encoder *e, bool executed)
{
	const uint32_t n = cycles(e);

	etm3_wire_atom(&etm3_of(e)->wire, executed, n);
	e->stats.cycles += n;
}

/* Some cycles have no instruction. */
static void idle(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);
	const uint32_t n = 1 + dice_below(&e->dice, 20);

	if (!u->wire.cycles || !dice_once_in(&e->dice, 40))
		return;
	etm3_wire_wait(&u->wire, n);
	e->stats.cycles += n;
}

static void pay(struct encoder *e);

static void ready(struct encoder *e, const struct enc_block *block)
{
	struct etm3_unit *u = etm3_of(e);

	pay(e);
	if (u->isync && (!u->isync_late-- || e->setup.target_first))
		etm3_isync(e, ETM3_WIRE_PERIODIC, false);
	idle(e);
}

/* Did the branch go to another exception, in the place of a return? */
static bool is_chain(const struct encoder *e, uint64_t addr)
{
	return is_m(e) && addr == ENC_CHAIN;
}

static bool is_return(const struct encoder *e, const struct enc_block *block)
{
	return block->last.flags & ENC_ERET && (minor(e) >= 5 || (minor(e) == 4 && is_m(e)));
}

/* A branch whose target the code does not tell, or that is broadcast. */
static void branch(struct encoder *e, const struct enc_block *block)
{
	struct etm3_unit *u = etm3_of(e);
	const bool broadcast = e->setup.config.etmcr & CR_BROADCAST &&
			       (!e->setup.broadcast.n || unit_in(&e->setup.broadcast, block->pc));

	/* The exception of a tail chain cancels the return, or there is no packet of it. */
	u->chains = is_chain(e, e->at) && dice_below(&e->dice, 2);
	if (is_return(e, block) && (!is_chain(e, e->at) || u->chains))
		etm3_wire_eret(&u->wire);
	if (is_chain(e, e->at))
		return;
	if (block->last.class == ENC_DIRECT && !broadcast)
		return;
	etm3_wire_branch(&u->wire, e->at, e->at_isa == ENC_T32 ? ETM3_WIRE_T32 : ETM3_WIRE_A32);
}

static enum enc_lost p0(struct encoder *e, const struct enc_block *block, bool taken)
{
	struct etm3_unit *u = etm3_of(e);

	for (unsigned int i = 1; i < block->n_insn; i++)
		atom(e, true);
	if (has_halves(e, block))
		atom(e, taken);
	atom(e, taken);
	u->last = block->pc + block->size - block->last.size;
	etm3_data(e);
	if (taken && (block->last.class == ENC_DIRECT || block->last.class == ENC_INDIRECT))
		branch(e, block);
	etm3_late(e, false);
	return ENC_KEPT;
}

/* Instructions before an exception. */
static void plain(struct encoder *e, const struct enc_block *block)
{
	pay(e);
	for (unsigned int i = 0; i < block->n_insn; i++)
		atom(e, true);
	e->at = block->pc + block->size;
	e->at_isa = block->isa;
	e->ran = 0;
}

/* ---------------------------------------------------------------- exceptions */

/* Sends the exception that is owed: execution went on at @addr. */
static void say(struct encoder *e, uint32_t addr, enum enc_isa isa)
{
	struct etm3_unit *u = etm3_of(e);
	const struct etm3_wire_state state = state_at(e, addr, isa);
	uint16_t old;

	/* The oldest form does not tell the state, so that of before must hold. */
	if (!minor(e) && isa == ENC_A32 && u->context.security == e->context.security &&
	    old_number(u->type, &old) && dice_once_in(&e->dice, 2)) {
		u->exception.old = true;
		u->exception.number = old;
	}
	etm3_wire_exception(&u->wire, &state, &u->exception);
	u->owe = false;
	u->entry = false;
}

/* The handler is not traced. */
static void pay(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	if (u->owe)
		say(e, VECTORS + 4 * (u->exception.number & 7), ENC_A32);
}

/*
 * An instruction that the exception kept from completion may have an atom already, which is then
 * cancelled.
 */
static void exception(struct encoder *e, uint32_t type, uint64_t ret)
{
	struct etm3_unit *u = etm3_of(e);
	const bool halves = !(e->setup.config.etmidr & IDR_WHOLE_BL);

	pay(e);
	etm3_late(e, true);
	u->type = type;
	u->exception = (struct etm3_wire_exception){ .number = number(e, type) };
	u->owe = true;
	u->halted = !is_m(e) && type == ENC_EXC_DEBUG_HALT;
	if (is_chain(e, ret)) {
		u->exception.cancel = u->chains;
		return;
	}
	if (halves || e->setup.target_first || ret != e->at || type == ENC_EXC_CALL ||
	    !dice_once_in(&e->dice, 3))
		return;
	atom(e, dice_below(&e->dice, 2));
	u->exception.cancel = true;
	if (is_m(e) && dice_once_in(&e->dice, 4))
		u->exception.resume = 1 + dice_below(&e->dice, 15);
}

static void handler(struct encoder *e)
{
	if (!etm3_of(e)->owe)
		return;
	say(e, e->at, e->at_isa);
	ids(e);
}

static void reset(struct encoder *e)
{
	exception(e, is_m(e) ? 1 : ENC_EXC_RESET, NOWHERE);
	pay(e);
}

/* ---------------------------------------------------------------- between blocks */

static void time(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	etm3_wire_time(&u->wire, *e->clock, dice_once_in(&e->dice, 16), u->whole_time);
	u->whole_time = false;
	e->time_due = *e->clock + e->setup.time_period;
	e->time_asked = false;
}

static void between(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	if (e->setup.time_period && *e->clock >= e->time_due)
		time(e);
	if (!e->want)
		return;
	if (unit_wanted(e, ENC_RATE_EVENT))
		etm3_wire_trigger(&u->wire);
	if (unit_wanted(e, ENC_RATE_IGNORE))
		etm3_wire_ignore(&u->wire);
}

static void event(struct encoder *e, unsigned int events)
{
	pay(e);
	etm3_wire_trigger(&etm3_of(e)->wire);
}

static void time_now(struct encoder *e)
{
	pay(e);
	if (e->setup.time_period)
		time(e);
}

static void flush(struct encoder *e)
{
	if (e->why == ENC_KEPT)
		etm3_late(e, true);
	etm3_wire_flush(&etm3_of(e)->wire);
}

/* ---------------------------------------------------------------- off */

static void pause(struct encoder *e, enum enc_lost why)
{
	struct etm3_unit *u = etm3_of(e);

	pay(e);
	etm3_late(e, true);
	etm3_wire_flush(&u->wire);
	u->isync = false;
	e->need_sync |= why == ENC_LOST_TRUNCATED;
}

/* Trace that was cut off ends inside a packet, mostly.  The next I-sync tells an overflow. */
static void lose(struct encoder *e, enum enc_lost why, bool silent)
{
	struct etm3_unit *u = etm3_of(e);
	const size_t n = e->wire.n;
	const struct etm3_wire_state state = {
		.addr = dice_any(&e->dice) & ~3u, .ns = true, .contextid = dice_any(&e->dice),
	};
	const struct etm3_wire_isync isync = { .why = ETM3_WIRE_PERIODIC };

	if (silent || why != ENC_LOST_TRUNCATED || dice_once_in(&e->dice, 3))
		return;
	etm3_wire_isync(&u->wire, &state, &isync);
	e->wire.n = n + dice_below(&e->dice, e->wire.n - n);
}

static void stop(struct encoder *e)
{
	if (e->why != ENC_KEPT)
		return;
	if (e->time_asked && e->setup.time_period)
		time_now(e);
	unit_pause(e, ENC_LOST_OFF);
}

const struct unit_protocol etm3_unit = {
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
	.number = number_in_log,
	.handler = handler,
	.reset = reset,
	.stop = stop,
	.flush = flush,
	.event = event,
	.time_now = time_now,
	.entry = etm3_entry,
};
