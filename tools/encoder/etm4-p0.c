// SPDX-License-Identifier: GPL-2.0-only
/* P0 elements, and the addresses and contexts before them. */
#include "etm4-unit.h"

#define CONFIG_BB	(1u << 3)
#define CONFIG_RS	(1u << 12)
#define CONFIG_Q_EITHER	(3u << 13)

#define Q_BLOCKS	8
#define PASSED_MAX	8

/* ---------------------------------------------------------------- owed packets */

void unit_pay(struct encoder *e)
{
	bool starts;

	if (e->owe == OWE_NOTHING && e->is_late && e->late) {
		e->late--;
		return;
	}
	unit_settle(e);
	if (e->owe == OWE_NOTHING && !e->is_late && !(e->setup.target_first && e->at_isa))
		wire_context(&e->wire, &e->context, true);
	else if (e->owe_context)
		wire_address_context(&e->wire, e->at, e->at_isa, &e->context);
	else
		wire_address(&e->wire, e->at, e->at_isa);
	starts = e->owe == OWE_START;
	e->owe = OWE_NOTHING;
	e->owe_context = false;
	e->is_late = false;
	/* Only before anything is executed: otherwise the next P0 element is early enough. */
	if (starts && e->p0 == e->time_asked_p0)
		unit_time_asked(e, e->time_asked_at);
}

/* ---------------------------------------------------------------- return stack */

bool unit_broadcasts(const struct encoder *e, const struct enc_block *block)
{
	return e->setup.config.trcconfigr & CONFIG_BB &&
	       (!e->setup.broadcast.n || unit_in(&e->setup.broadcast, block->pc));
}

/*
 * A branch leaves its return address.  In a branch broadcast range a unit does
 * not push, but a decoder cannot know that, and does.  Older entries are useless
 * then.  Nothing is pushed before a joining decoder knows where it is, either.
 */
static void link_address(struct encoder *e, const struct enc_block *block)
{
	if (!(e->setup.config.trcconfigr & CONFIG_RS) || e->is_late)
		return;
	if (unit_broadcasts(e, block)) {
		e->stack.n = 0;
		return;
	}
	unit_push(e, block->isa == ENC_A64 ? block->pc + block->size :
		(uint32_t)(block->pc + block->size), block->isa);
}

/* ---------------------------------------------------------------- after the element */

/* The packet of a return; on M profile it is a P0 element of its own. */
static void returns(struct encoder *e, bool function)
{
	const bool m = e->setup.config.profile == CSF_PROFILE_M;

	if (e->wire.version >= 0x50)
		return;
	/* Before ETMv4.2, and v8-M, there was no such packet. */
	if (function && e->wire.version < 0x42)
		return;
	/* Whether it also comes before a tail chain is not known. */
	if (m && e->at == ENC_CHAIN && dice_once_in(&e->dice, 2))
		return;
	wire_type(&e->wire, function ? CSF_PKT_RETURN : CSF_PKT_ERET);
	if (!m)
		return;
	unit_count(e);
	e->p0++;
}

/* The target is known; which address must be sent for it? */
static void follow(struct encoder *e, const struct enc_block *block, bool taken)
{
	const struct enc_insn *last = &block->last;

	if (!taken)
		return;
	if (last->class == ENC_DIRECT && unit_broadcasts(e, block))
		e->owe = OWE_BROADCAST;
	if (last->class != ENC_INDIRECT)
		return;
	e->owe = OWE_TARGET;
	/* An exception return always sends its target. */
	if (last->flags & (ENC_ERET | ENC_FRET)) {
		returns(e, last->flags & ENC_FRET);
	} else if (e->setup.config.trcconfigr & CONFIG_RS && !e->is_late &&
		   !unit_broadcasts(e, block) && unit_pop(e, e->at, e->at_isa)) {
		e->popped = true;
		e->owe = OWE_NOTHING;
	}
}

/* ---------------------------------------------------------------- Q elements */

static void end_q(struct encoder *e)
{
	bool with_count = true, apart = dice_once_in(&e->dice, 4);

	/*
	 * One block and its number of instructions tell its path.  If that was not
	 * intended, the number must not be sent.
	 */
	if (e->q_left && e->q_blocks == 1)
		with_count = false;
	else if ((e->setup.config.trcconfigr & CONFIG_Q_EITHER) == CONFIG_Q_EITHER &&
		 e->q_blocks > 1)
		with_count = !dice_once_in(&e->dice, 3);
	e->q_left = 0;
	e->owe = OWE_NOTHING;
	wire_q(&e->wire, with_count ? e->q_count : 0, apart, e->at, e->at_isa);
	e->q_blocks = 0;
	e->q_count = 0;
	unit_count(e);
}

/* A Q element can end only where this block does, or with a later block. */
static enum enc_lost q_block(struct encoder *e, const struct enc_block *block)
{
	const bool lost = e->q_left > 1 || e->q_blocks;

	e->q_left--;
	e->q_blocks++;
	e->q_count += block->n_insn;
	/* The last block of a Q element, so that the next block is separate. */
	if (e->q_left && (block->last.flags & ENC_ERET || block->last.class == ENC_ISB)) {
		end_q(e);
		return ENC_LOST_Q;
	}
	if (!e->q_left)
		end_q(e);
	return lost ? ENC_LOST_Q : ENC_KEPT;
}

static bool begin_q(struct encoder *e, const struct enc_block *block)
{
	const bool either = (e->setup.config.trcconfigr & CONFIG_Q_EITHER) == CONFIG_Q_EITHER;

	if (!(e->want & 1u << ENC_RATE_Q) || e->ran)
		return false;
	/* ETMv4 has a packet for exception returns, which a Q element cannot replace. */
	if (block->last.flags & (ENC_ERET | ENC_FRET) && e->wire.version < 0x50)
		return false;
	e->want &= ~(1u << ENC_RATE_Q);
	e->stats.injected[ENC_RATE_Q]++;
	unit_settle(e);
	wire_flush(&e->wire);
	e->q_left = either ? 1 + dice_below(&e->dice, Q_BLOCKS) : 1;
	return true;
}

/* ---------------------------------------------------------------- source addresses */

/* Return: the element is, or will be, a source address. */
static bool source(struct encoder *e, const struct enc_block *block, bool taken)
{
	if (!e->passing) {
		if (!(e->want & 1u << ENC_RATE_SOURCE))
			return false;
		e->want &= ~(1u << ENC_RATE_SOURCE);
		e->stats.injected[ENC_RATE_SOURCE]++;
		e->passing = true;
	}
	if (!taken) {
		e->passed++;
		if (e->passed == PASSED_MAX)
			unit_settle(e);
		return true;
	}
	/* It also stands for the passed elements. */
	e->passed = 0;
	e->passing = false;
	wire_source(&e->wire, block->pc + block->size - block->last.size, block->isa);
	unit_count(e);
	return true;
}

void unit_settle(struct encoder *e)
{
	if (e->q_left)
		end_q(e);
	for (; e->passed; e->passed--) {
		wire_atom(&e->wire, false);
		unit_count(e);
	}
	e->passing = false;
}

/* ---------------------------------------------------------------- the element */

static void atom(struct encoder *e, const struct enc_block *block, bool taken)
{
	const bool wrong = unit_may_mispredict(e, block, taken);

	/* The first, mispredicted outcome decides about the return stack. */
	if (block->last.flags & ENC_LINK && taken != wrong)
		link_address(e, block);
	if (wrong) {
		unit_mispredict(e, block, taken);
		return;
	}
	wire_atom(&e->wire, taken);
	unit_count(e);
}

static void remember(struct encoder *e, bool taken)
{
	const struct past_p0 p0 = {
		.from = e->from, .from_isa = e->from_isa, .to = e->at, .to_isa = e->at_isa,
		.taken = taken, .told = e->owe || e->popped,
	};

	past_add(e->past, &p0);
}

enum enc_lost unit_p0(struct encoder *e, const struct enc_block *block, bool taken)
{
	if (e->want | e->q_left | e->passing) {
		if (e->q_left || begin_q(e, block))
			return q_block(e, block);
		if (source(e, block, taken)) {
			if (taken && block->last.flags & ENC_LINK)
				link_address(e, block);
			follow(e, block, taken);
			return ENC_KEPT;
		}
	}
	atom(e, block, taken);
	follow(e, block, taken);
	if (e->past && !(block->last.flags & ENC_ERET))
		remember(e, taken);
	return ENC_KEPT;
}
