// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of ETMv3 and PTM: the decoder's rules, as far as they need no code: see decoder/classic,
 * decoder/etm3 and decoder/ptm.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "quick-parts.h"

/* ETMCR: size of a context ID; data alone is traced.  ETMCCER: virtualization; binary timestamps */
#define CR_IDS			(3u << 14)
#define CR_DATA_ONLY		(1u << 20)
#define CCER_VIRTUAL		(1u << 26)
#define CCER_BINARY		(1u << 28)
#define IDR_MINOR(idr)		((idr) >> 4 & 15)

/* struct csf_packet.info: see csflow-packet.h */
#define INFO_HYP		0x02
#define INFO_ALT		0x04
#define INFO_NS			0x08
#define INFO_JAZELLE		0x10
#define INFO_REASON(info)	((info) >> 5 & 3)
#define BRANCH_LONG		0x01
#define BRANCH_CANCEL		0x20
#define BRANCH_OLD		0x80

enum { REASON_PERIODIC, REASON_ON, REASON_OVERFLOW, REASON_DEBUG };

/* Exceptions: a reset, and that of M profile and of the older form; a debug halt of PTM. */
#define EXC_RESET		8
#define EXC_RESET_M		17
#define EXC_RESET_OLD		0
#define EXC_HALT		1

/* struct csf_packet.flags: its instruction was cancelled, or it came before an I-sync */
#define VOID			0x80

/* With more packets than this held back, none waits any more. */
#define HELD_MAX		4096

void quick_older_init(struct quick_stream *s)
{
	const struct csf_config *c = &s->config;
	struct quick_older *o = &s->older;

	if (!quick_is_older(c))
		return;
	s->kind = c->protocol == CSF_PROTOCOL_PTM ? QUICK_PTM : QUICK_ETM3;
	o->ids = c->etmcr & CR_IDS;
	o->gray = !(c->etmccer & CCER_BINARY);
	/* PFT 1.0 has no such bit: it is natural binary */
	if (s->kind == QUICK_PTM && c->etmidr && !IDR_MINOR(c->etmidr))
		o->gray = false;
	o->virtual = s->kind == QUICK_ETM3 && c->etmccer & CCER_VIRTUAL;
	o->no_insn = s->kind == QUICK_ETM3 && c->etmcr & CR_DATA_ONLY;
}

/* ---------------------------------------------------------------- contexts, addresses */

static unsigned int isa_of(const struct csf_packet *p)
{
	if (p->info & INFO_JAZELLE)
		return QUICK_JAZELLE;
	return p->flags & CSF_PKT_IS1 ? QUICK_T32 : QUICK_A32;
}

static void take_address(struct quick_stream *s, uint64_t val, unsigned int n, unsigned int isa)
{
	if (n == 32) {
		s->older.isa = isa;
		s->history[0] = val | (isa == QUICK_T32);
		return;
	}
	s->history[0] = quick_older_address(s->history[0], val, n, s->older.isa);
}

/* Can the instructions be followed?  Else execution is lost until another state. */
static bool follows(const struct quick_older *o)
{
	return o->isa == QUICK_A32 || (o->isa == QUICK_T32 && !o->alt);
}

/* EL0 and EL1 look the same.  Return: it is another state. */
static bool take_state(struct quick_older *o, uint8_t info, bool hyp)
{
	struct csf_context *context = &o->context;
	const struct csf_context was = *context;

	context->known = true;
	context->el = hyp ? 2 : 1;
	context->no_el = !hyp;
	context->security = info & INFO_NS ? CSF_NONSECURE : CSF_SECURE;
	o->alt = info & INFO_ALT;
	return was.el != context->el || was.security != context->security;
}

/* Return: it is another ID. */
static bool take_id(struct quick_older *o, uint32_t id)
{
	struct csf_context *context = &o->context;
	const bool other = !context->has_contextid || context->contextid != id;

	if (!o->ids)
		return false;
	context->has_contextid = true;
	context->contextid = id;
	return other;
}

static bool take_vmid(struct quick_older *o, uint32_t vmid)
{
	struct csf_context *context = &o->context;
	const bool other = !context->has_vmid || context->vmid != vmid;

	context->has_vmid = true;
	context->vmid = vmid;
	return other;
}

static bool same_context(const struct csf_context *a, const struct csf_context *b)
{
	return a->known == b->known && a->el == b->el && a->security == b->security &&
	       a->has_contextid == b->has_contextid && a->contextid == b->contextid &&
	       a->has_vmid == b->has_vmid && a->vmid == b->vmid;
}

/* If what is executed from here on cannot be followed, it is lost. */
static int check_state(struct quick_fill *fill, struct quick_stream *s)
{
	int err = 0;

	if (!follows(&s->older)) {
		err = atom_run_settle(fill, s);
		err = err ?: atom_run_stop(fill, s, CSF_GAP_ADDRESS);
		quick_fill_half(s);
	}
	quick_fill_warm_up(s);
	return err;
}

/* Execution goes on at the last address; @other: in another context. */
static int go(struct quick_fill *fill, struct quick_stream *s, bool other)
{
	int err = atom_run_begin(fill, s, s->history[0]);

	if (other)
		err = err ?: quick_fill_enter(fill, s, &s->older.context);
	return err ?: check_state(fill, s);
}

static int context(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	struct quick_older *o = &s->older;
	const bool other = p->type == CSF_PKT_VMID ? take_vmid(o, p->vmid) :
						     take_id(o, p->contextid);
	int err;

	if (!other || p->flags & VOID || s->sync != QUICK_IN_SYNC)
		return 0;
	err = quick_fill_enter(fill, s, &o->context);
	quick_fill_warm_up(s);
	return err;
}

/* ---------------------------------------------------------------- I-syncs */

/* Trace begins here, after a time without. */
static int begin_anew(struct quick_fill *fill, struct quick_stream *s, bool overflow)
{
	uint64_t *holes = &fill->quick->table.stat[COUNT_HOLES];
	int err = atom_run_stop(fill, s, overflow ? CSF_GAP_OVERFLOW : CSF_GAP_ADDRESS);

	if (overflow) {
		*holes = count_sum(*holes, 1);
		s->whose.context.known = false;
	}
	quick_fill_half(s);
	return err;
}

/*
 * Execution should have come to the last address.  If nothing has run since the address before, an
 * ETMv3 cannot have come elsewhere, nor a PTM back.
 */
static int come_to(struct quick_fill *fill, struct quick_stream *s)
{
	const uint64_t addr = s->history[0];
	const bool ran = atom_run_executed(s);

	/* perhaps in the other instruction set */
	if (!ran && (s->addr ^ addr) < 2)
		return 0;
	if (ran || (s->kind == QUICK_PTM && s->addr < addr))
		return atom_run_reach(fill, s, addr, QUICK_REACH);
	return atom_run_stop(fill, s, CSF_GAP_WALK);
}

/* A periodic one names the place where execution is by then; any other begins anew there. */
static int isync(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	const unsigned int reason = INFO_REASON(p->info);
	const bool here = s->sync == QUICK_IN_SYNC && reason == REASON_PERIODIC && s->known &&
			  s->whose.context.known;
	struct quick_older *o = &s->older;
	int err = 0;

	if (reason != REASON_PERIODIC)
		err = begin_anew(fill, s, reason == REASON_OVERFLOW);
	s->sync = QUICK_IN_SYNC;
	take_state(o, p->info, p->info & INFO_HYP);
	take_id(o, p->contextid);
	if (o->no_insn)
		return err ?: quick_fill_enter(fill, s, &o->context);
	take_address(s, p->val, 32, isa_of(p));
	/* that of the next instruction, if a load or store multiple is in progress */
	if (p->commit)
		take_address(s, p->val2, p->commit, o->isa);
	if (err || p->flags & VOID)
		return err;
	if (here)
		err = come_to(fill, s);
	return err ?: go(fill, s, true);
}

/* ---------------------------------------------------------------- branches */

static bool is_exception(const struct csf_packet *p)
{
	return p->exception || p->info & BRANCH_OLD;
}

static bool is_reset(const struct quick_stream *s, const struct csf_packet *p)
{
	if (s->kind == QUICK_ETM3 && p->info & BRANCH_OLD)
		return p->exception == EXC_RESET_OLD;
	return p->exception == (s->config.profile == CSF_PROFILE_M ? EXC_RESET_M : EXC_RESET);
}

/* The trace does not say where it hit: that is where execution had come to. */
static int exception(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err = is_reset(s, p) ? atom_run_reset(fill, s) : atom_run_interrupt_here(fill, s);

	quick_fill_half(s);
	return err;
}

/* Without the byte that says so, Hyp mode of an ETMv3 is as it was. */
static bool hyp_after(const struct quick_stream *s, const struct csf_packet *p)
{
	if (s->kind == QUICK_ETM3 && !(p->info & BRANCH_LONG))
		return s->older.virtual && s->older.context.el == 2;
	return p->info & INFO_HYP;
}

/* A branch of PTM is an atom, and the address after it; after a debug halt there is none. */
static int branch(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	static const struct csf_packet taken = { .type = CSF_PKT_ATOM, .n = 1, .val = 1 };
	struct quick_older *o = &s->older;
	bool other = false;
	int err = 0;

	if (is_exception(p))
		err = exception(fill, s, p);
	else if (s->kind == QUICK_PTM)
		err = quick_fill_atoms(fill, s, &taken);
	if (s->kind == QUICK_PTM && p->exception == EXC_HALT)
		return err;
	if (p->flags & CSF_PKT_CTXT)
		other = take_state(o, p->info, hyp_after(s, p));
	take_address(s, p->val, p->n, isa_of(p));
	if (err || p->flags & VOID)
		return err;
	/* of ETMv3 all addresses tell the context */
	if (s->kind == QUICK_ETM3)
		other = !same_context(&o->context, &s->whose.context);
	return go(fill, s, other);
}

/* Where no code is known, nothing leads to a waypoint: execution begins there. */
static int leave_unknown(struct quick_fill *fill, struct quick_stream *s)
{
	int err = atom_run_locate(fill, s);

	if (err || s->now.section)
		return err;
	return atom_run_stop(fill, s, CSF_GAP_IMAGE);
}

/* Execution came to the last address, and over the instruction there; or it begins there. */
static int waypoint(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err = 0;

	if (p->flags & CSF_PKT_CTXT)
		s->older.alt = p->info & INFO_ALT;
	take_address(s, p->val, p->n, isa_of(p));
	/* there is no way back */
	if (s->known && !atom_run_executed(s) && (s->history[0] | 1) < s->addr)
		return atom_run_stop(fill, s, CSF_GAP_WALK);
	if (s->known)
		err = leave_unknown(fill, s);
	if (!err && !s->known) {
		if (!s->whose.context.known || !follows(&s->older))
			return 0;
		err = atom_run_begin(fill, s, s->history[0]);
	}
	err = err ?: atom_run_reach(fill, s, s->history[0], QUICK_OVER);
	quick_fill_warm_up(s);
	return err;
}

/* ---------------------------------------------------------------- packets */

/* Forgets what the next I-sync tells again. */
static void reset(struct quick_stream *s)
{
	struct quick_older *o = &s->older;

	o->context = (struct csf_context){ 0 };
	o->isa = QUICK_A32;
	o->alt = false;
	s->timestamp = 0;
}

static int bad(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	reset(s);
	quick_fill_skip(fill, p->size);
	return quick_fill_lose_sync(fill, s, p->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET);
}

static int synced(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err = atom_run_settle(fill, s);

	if (err)
		return err;
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
		return p->n ? quick_fill_atoms(fill, s, p) : 0;
	case CSF_PKT_BRANCH:
		return branch(fill, s, p);
	case CSF_PKT_ISYNC:
		return isync(fill, s, p);
	case CSF_PKT_WAYPOINT:
		return waypoint(fill, s, p);
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
		return context(fill, s, p);
	case CSF_PKT_TIME:
		return quick_fill_timestamp(fill, s, p);
	case CSF_PKT_BAD:
		return bad(fill, s, p);
	default:		/* cycles, data, and what only aligns */
		return 0;
	}
}

/* It is not known what happened between an A-sync and its I-sync. */
static int unsynced(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	const bool waits = s->sync == QUICK_WAITS_INFO;

	s->hot = false;
	if (p->type == CSF_PKT_ASYNC || p->type == CSF_PKT_BAD)
		s->sync = p->type == CSF_PKT_ASYNC ? QUICK_WAITS_INFO : QUICK_NO_SYNC;
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ISYNC:
		if (waits)
			return isync(fill, s, p);
		break;
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
		if (waits)
			return context(fill, s, p);
		break;
	case CSF_PKT_TIME:
		if (waits)
			return quick_fill_timestamp(fill, s, p);
		break;
	case CSF_PKT_ATOM:
		if (waits && !p->n)
			return 0;
		break;
	case CSF_PKT_CYCLES:
	case CSF_PKT_TRIGGER:
	case CSF_PKT_IGNORE:
		if (waits)
			return 0;
		break;
	case CSF_PKT_ASYNC:
		return 0;
	default:
		break;
	}
	quick_fill_skip(fill, p->size);
	/* else it is the previous gap */
	if (s->why == CSF_GAP_ADDRESS)
		s->why = CSF_GAP_START;
	return 0;
}

int quick_older_packet(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	return s->sync == QUICK_IN_SYNC ? synced(fill, s, p) : unsynced(fill, s, p);
}

/* ---------------------------------------------------------------- what may be cancelled */

/* Has it an instruction that a later exception may cancel? */
static bool may_be_cancelled(const struct quick_stream *s, const struct csf_packet *p)
{
	if (p->flags & VOID)
		return false;
	return (p->type == CSF_PKT_ATOM && p->n) ||
	       (p->type == CSF_PKT_ERET && s->config.profile == CSF_PROFILE_M);
}

/* Does it make all before it sure? */
static bool makes_sure(const struct csf_packet *p)
{
	if (p->type == CSF_PKT_ISYNC)
		return INFO_REASON(p->info) != REASON_PERIODIC;
	return p->type == CSF_PKT_BAD || (p->type == CSF_PKT_BRANCH &&
					  (is_exception(p) || p->info & BRANCH_CANCEL));
}

/* The youngest of the first @n that may be cancelled.  Return: -1: there is none. */
static long youngest(const struct quick_stream *s, size_t n)
{
	while (n-- && !makes_sure(&s->older.held[n]))
		if (may_be_cancelled(s, &s->older.held[n]))
			return n;
	return -1;
}

/* Packet @n cancels the last instruction, and what is only of it. */
static void cancel(struct quick_stream *s, size_t n)
{
	const long i = youngest(s, n);
	struct csf_packet *p;

	if (i < 0)
		return;
	p = &s->older.held[i];
	if (p->type == CSF_PKT_ATOM)
		p->val &= ~(1ull << --p->n);
	else
		p->flags |= VOID;
	for (size_t k = i + 1; k < n; k++)
		s->older.held[k].flags |= VOID;
}

/* Adds a packet to those that are held. */
static void hold(struct quick_stream *s, const struct csf_packet *p)
{
	struct quick_older *o = &s->older;

	o->held[o->n_held] = *p;
	if (p->type == CSF_PKT_ISYNC || p->type == CSF_PKT_BAD)
		o->synced = p->type == CSF_PKT_ISYNC;
	if (!o->synced)
		o->held[o->n_held].flags |= VOID;
	else if (p->type == CSF_PKT_BRANCH && p->info & BRANCH_CANCEL)
		cancel(s, o->n_held);
	o->n_held++;
}

/* Handles the first @n. */
static int let_go(struct quick_fill *fill, struct quick_stream *s, size_t n)
{
	struct quick_older *o = &s->older;
	int err = quick_fill_sure(fill, s, o->held, n);

	o->n_held -= n;
	if (o->n_held)
		memmove(o->held, o->held + n, o->n_held * sizeof(*o->held));
	return err;
}

int quick_older_hold(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		     size_t n)
{
	struct quick_older *o = &s->older;
	long sure;

	for (size_t i = 0; i < n; i++) {
		if (!array_room(&o->held, o->n_held, &o->size_held, sizeof(*o->held)))
			return -ENOMEM;
		hold(s, &p[i]);
	}
	sure = youngest(s, o->n_held);
	if (sure < 0 || o->n_held - sure > HELD_MAX)
		sure = o->n_held;
	return let_go(fill, s, sure);
}

int quick_older_end(struct quick_fill *fill, struct quick_stream *s)
{
	int err = let_go(fill, s, s->older.n_held);

	s->older.synced = false;
	reset(s);
	return err;
}
