// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speculation: elements that a unit sends before they are certain, and how it cancels them.
 * A wrong path is never longer than the speculation depth, or its first
 * elements would be committed by the following ones.
 *
 * There are two kinds: any path that trace can express, for tests; and likely paths, which a
 * processor would have executed.
 */
#include "etm4-unit.h"

#define WRONG_MAX	6	/* P0 elements on a wrong path */

void unit_commit(struct encoder *e, uint32_t n)
{
	if (!n || n > e->depth)
		n = e->depth;
	if (!n)
		return;
	wire_commit(&e->wire, n);
	e->depth -= n;
}

static uint64_t somewhere(struct encoder *e)
{
	const uint64_t addr = e->at + 4 * (uint64_t)dice_below(&e->dice, 64);

	return e->at_isa == ENC_A64 ? addr : (uint32_t)addr;
}

/* Packets between P0 elements; a Cancel keeps the event, and drops the others. */
static void wrong_between(struct encoder *e)
{
	struct enc_context context = e->context;
	struct csf_packet event = { .type = CSF_PKT_EVENT, .val = 1 };

	if (dice_once_in(&e->dice, 3))
		wire_address(&e->wire, somewhere(e), e->at_isa);
	if (dice_once_in(&e->dice, 8)) {
		context.el ^= 1;
		wire_context(&e->wire, &context, false);
		e->wire.context_sent = false;
	}
	if (e->setup.rate[ENC_RATE_EVENT] && dice_once_in(&e->dice, 8))
		wire_packet(&e->wire, &event);
}

static void wrong_p0(struct encoder *e)
{
	const uint32_t kind = dice_below(&e->dice, 8);

	if (kind == 0 && e->setup.rate[ENC_RATE_SOURCE])
		wire_source(&e->wire, somewhere(e), e->at_isa);
	else if (kind == 1)
		wire_exception(&e->wire, ENC_EXC_IRQ, false, somewhere(e), e->at_isa, NULL);
	else
		wire_atom(&e->wire, kind & 2);
	unit_count(e);
	wrong_between(e);
}

/* A decoder may join on a wrong path; its state from there is cancelled, too. */
static void wrong_sync(struct encoder *e)
{
	unit_sync(e);
	wire_address_context(&e->wire, somewhere(e), e->at_isa, &e->context);
	e->wire.context_sent = false;
	e->owe = OWE_START;
	e->owe_context = true;
	e->is_late = false;
}

static void wrong_p0s(struct encoder *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		wrong_p0(e);
		if (i == 0 && n > 1 && e->setup.sync && !e->setup.target_first &&
		    dice_once_in(&e->dice, 8))
			wrong_sync(e);
	}
}

static void cancelled(struct encoder *e, uint32_t n)
{
	e->depth -= n;
}

static uint32_t wrong_length(struct encoder *e, uint32_t most)
{
	return 1 + dice_below(&e->dice, most < WRONG_MAX ? most : WRONG_MAX);
}

/* ---------------------------------------------------------------- mispredicts */

/* @n atoms, oldest in bit 0, that the packet adds before its own effect */
static void with_atoms(struct encoder *e, enum csf_packet_type type, uint32_t atoms, uint32_t n)
{
	const bool cancels = type == CSF_PKT_CANCEL2;
	const struct csf_packet packet = {
		.type = type,
		.val = atoms,
		.n = n,
		.count = cancels ? 1 : 0,
		.flags = cancels ? CSF_PKT_MISP : 0,
	};

	wire_packet(&e->wire, &packet);
}

/* Sends the atom, then the packet that inverts it; older ones may be committed in between. */
static void after_atom(struct encoder *e, bool first)
{
	wire_atom(&e->wire, first);
	unit_count(e);
	if (dice_once_in(&e->dice, 3))
		wire_address(&e->wire, somewhere(e), e->at_isa);
	if (e->depth > 1 && dice_once_in(&e->dice, 3))
		unit_commit(e, 1 + dice_below(&e->dice, e->depth - 1));
	wire_type(&e->wire, CSF_PKT_MISPREDICT);
}

/* The packet itself brings the atom. */
static void in_packet(struct encoder *e, bool first)
{
	struct wire *w = &e->wire;

	if (first && w->n_atom && w->atom >> (w->n_atom - 1) & 1) {
		/* The one before is E too: both of them. */
		w->n_atom--;
		w->atom &= (1u << w->n_atom) - 1;
		with_atoms(e, CSF_PKT_MISPREDICT, 3, 2);
	} else {
		with_atoms(e, CSF_PKT_MISPREDICT, first, 1);
	}
	unit_count(e);
}

/* Sends a path after it, then a Cancel that also inverts it, or a Cancel and a Mispredict. */
static void with_path(struct encoder *e, bool first)
{
	const uint32_t n = wrong_length(e, e->setup.spec_depth - 1);
	const bool both = dice_once_in(&e->dice, 2);

	wire_atom(&e->wire, first);
	unit_count(e);
	wrong_p0s(e, n);
	wire_cancel(&e->wire, n, both);
	cancelled(e, n);
	if (!both)
		wire_type(&e->wire, CSF_PKT_MISPREDICT);
}

/* The short form for one: E, N or nothing is added, cancelled, and the one before inverted. */
static void cancel_one(struct encoder *e, bool first)
{
	const uint32_t a = dice_below(&e->dice, first ? 4 : 3);

	if (a < 3) {
		wire_atom(&e->wire, first);
		unit_count(e);
	}
	if (a == 0)
		wrong_p0(e);
	else
		unit_count(e);
	if (a == 0)
		with_atoms(e, CSF_PKT_CANCEL2, 0, 0);
	else if (a < 3)
		with_atoms(e, CSF_PKT_CANCEL2, a - 1, 1);
	else
		with_atoms(e, CSF_PKT_CANCEL2, 3, 2);
	if (a == 3)
		unit_count(e);
	cancelled(e, 1);
}

/* The short form for two to five. */
static void cancel_some(struct encoder *e, bool first)
{
	const uint32_t most = e->setup.spec_depth - 2 < 4 ? e->setup.spec_depth - 2 : 4;
	struct csf_packet packet = {
		.type = CSF_PKT_CANCEL3,
		.count = 2 + dice_below(&e->dice, most),
		.n = dice_below(&e->dice, 2),
		.flags = CSF_PKT_MISP,
	};

	packet.val = packet.n;
	wire_atom(&e->wire, first);
	unit_count(e);
	wrong_p0s(e, packet.count - packet.n);
	if (packet.n)
		unit_count(e);
	wire_packet(&e->wire, &packet);
	cancelled(e, packet.count);
}

/* ---------------------------------------------------------------- likely ones */

/* Sends past execution from @p0 on, at most @most P0 elements.  Return: how many. */
static uint32_t likely_p0s(struct encoder *e, const struct past_p0 *p0, uint32_t most)
{
	uint32_t n = 0;

	for (; p0 && n < most; n++, p0 = past_next(e->past, p0)) {
		wire_atom(&e->wire, p0->taken);
		unit_count(e);
		if (p0->told)
			wire_address(&e->wire, p0->to, p0->to_isa);
	}
	return n;
}

/* Commits some of the elements before the last @n. */
static void retire(struct encoder *e, uint32_t n)
{
	if (e->depth > n && dice_once_in(&e->dice, 2))
		unit_commit(e, 1 + dice_below(&e->dice, e->depth - n));
}

/* Cancels the last @n, and inverts the one before, in the fewest bytes for that alone. */
static void turn(struct encoder *e, uint32_t n)
{
	const struct csf_packet packet = {
		.type = CSF_PKT_CANCEL3, .count = n, .flags = CSF_PKT_MISP,
	};

	if (!n)
		wire_type(&e->wire, CSF_PKT_MISPREDICT);
	else if (n == 1)
		with_atoms(e, CSF_PKT_CANCEL2, 0, 0);
	else if (n <= 5)
		wire_packet(&e->wire, &packet);
	else
		wire_cancel(&e->wire, n, true);
	cancelled(e, n);
}

/* The target of the branch at the end of @block when it last went the other way. */
static const struct past_p0 *likely_other(const struct encoder *e, const struct enc_block *block,
					  bool taken)
{
	const struct enc_insn *last = &block->last;
	const uint64_t other = taken ? block->pc + block->size : last->target;
	const uint8_t isa = taken ? block->isa : last->target_isa;

	return past_from(e->past, isa == ENC_A64 ? other : (uint32_t)other, isa);
}

/* Sends a mispredicted branch with the likely wrong path. */
static void likely_mispredict(struct encoder *e, const struct enc_block *block, bool taken)
{
	const struct past_p0 *p0 = likely_other(e, block, taken);
	uint32_t n;

	wire_atom(&e->wire, !taken);
	unit_count(e);
	if (!taken && unit_broadcasts(e, block))
		wire_address(&e->wire, p0->from, p0->from_isa);
	n = likely_p0s(e, p0, dice_below(&e->dice, e->setup.spec_depth));
	retire(e, n + 1);
	turn(e, n);
}

/* The last other target of the previous indirect branch. */
static const struct past_p0 *likely_target(const struct encoder *e)
{
	const struct past_p0 *p0 = past_from(e->past, e->from, e->from_isa);

	p0 = p0 && e->owe == OWE_TARGET ? past_before(e->past, p0) : NULL;
	if (!p0 || (p0->to == e->at && p0->to_isa == e->at_isa))
		return NULL;
	return past_from(e->past, p0->to, p0->to_isa);
}

static void likely_wrong_path(struct encoder *e, uint32_t most)
{
	const struct past_p0 *p0 = likely_target(e);
	uint32_t n;

	if (!p0)
		return;
	e->want &= ~(1u << ENC_RATE_SPEC);
	e->stats.injected[ENC_RATE_SPEC]++;
	wire_address(&e->wire, p0->from, p0->from_isa);
	n = likely_p0s(e, p0, most);
	retire(e, n);
	wire_cancel(&e->wire, n, false);
	cancelled(e, n);
}

/* ---------------------------------------------------------------- either */

bool unit_may_mispredict(const struct encoder *e, const struct enc_block *block, bool taken)
{
	return e->want & 1u << ENC_RATE_SPEC && block->last.class == ENC_DIRECT &&
	       block->last.flags & ENC_COND && (!e->past || likely_other(e, block, taken));
}

void unit_mispredict(struct encoder *e, const struct enc_block *block, bool taken)
{
	const uint32_t depth = e->setup.spec_depth;

	e->want &= ~(1u << ENC_RATE_SPEC);
	e->stats.injected[ENC_RATE_SPEC]++;
	if (e->past) {
		likely_mispredict(e, block, taken);
		return;
	}
	switch (dice_below(&e->dice, depth > 2 ? 5 : depth > 1 ? 4 : 2)) {
	case 0:
		after_atom(e, !taken);
		break;
	case 1:
		in_packet(e, !taken);
		break;
	case 2:
		with_path(e, !taken);
		break;
	case 3:
		cancel_one(e, !taken);
		break;
	case 4:
		cancel_some(e, !taken);
		break;
	}
}

void unit_wrong_path(struct encoder *e)
{
	uint32_t n = wrong_length(e, e->setup.spec_depth);

	if (e->past) {
		likely_wrong_path(e, n);
		return;
	}
	e->want &= ~(1u << ENC_RATE_SPEC);
	e->stats.injected[ENC_RATE_SPEC]++;
	/* The target of an indirect branch may be mispredicted, too. */
	if (e->owe == OWE_TARGET && dice_once_in(&e->dice, 2))
		wire_address(&e->wire, somewhere(e), e->at_isa);
	wrong_p0s(e, n);
	wire_cancel(&e->wire, n, false);
	cancelled(e, n);
}
