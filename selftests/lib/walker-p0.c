// SPDX-License-Identifier: GPL-2.0-only
/* The walker's P0 elements: what moves the program counter. */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

#define CUT_MAX		256	/* cut blocks in a row before an atom */
#define WALK_MAX	1024	/* steps to an address that a packet names */

static void step(struct walker *w, const struct piece *p, bool cut, bool taken)
{
	struct flow_event event = {
		.kind = FLOW_STEP, .addr = p->addr, .n_insn = p->n, .cut = cut, .taken = taken,
	};

	if (!p->n)
		return;
	walker_send(w, &event);
	w->seq++;
	w->fresh = false;
}

/* ---------------------------------------------------------------- where execution is */

/* From here on the place of execution is unknown, until an address tells it. */
static void lose_pc(struct walker *w, struct csf_run *gap)
{
	gap->end = CSF_END_GAP;
	walker_end(w, gap);
	w->pc_known = false;
	w->pending = false;
	w->gap = gap->value;
}

/* A P0 element, and @rest atoms of its packet, whose place is unknown. */
static void lose_p0(struct walker *w, unsigned int n_rest)
{
	struct csf_run gap = { .value = CSF_GAP_ADDRESS, .lost = 1 + n_rest };

	if (w->gap >= 0) {
		w->more++;
		return;
	}
	lose_pc(w, &gap);
	w->counted = n_rest;
}

static void push(struct walker *w, uint64_t addr)
{
	if (!w->retstack || w->no_push)
		return;
	if (w->n_stack == WALKER_STACK)
		memmove(w->stack, w->stack + 1, --w->n_stack * sizeof(*w->stack));
	w->stack[w->n_stack++] = (struct walker_addr){ addr, code_isa(w, w->is1) == CSF_T32 };
}

/* No address came: the branch went where the return stack says.  @gap: if it cannot. */
static void resolve_or(struct walker *w, struct csf_run *gap)
{
	bool has = w->is_saved ? w->has_saved : w->n_stack > 0;

	if (!w->pending)
		return;
	if (!has) {
		w->is_saved = false;
		w->missed_at[w->ctx.el] |= gap->value == CSF_GAP_IMAGE;
		lose_pc(w, gap);
		return;
	}
	if (!w->is_saved)
		w->saved = w->stack[--w->n_stack];
	w->pc = w->saved.addr;
	w->is1 = w->saved.is1;
	w->pc_known = true;
	w->pending = false;
	w->is_saved = false;
}

static void resolve(struct walker *w, uint64_t lost)
{
	struct csf_run gap = {
		.value = w->retstack ? CSF_GAP_STACK : CSF_GAP_ADDRESS, .lost = lost,
	};

	if (w->retstack && w->missed) {
		gap.value = CSF_GAP_IMAGE;
		gap.flags = CSF_GAP_RETURN;
	}
	resolve_or(w, &gap);
}

static void follow(struct walker *w, const struct piece *p, bool taken, bool initial)
{
	bool link = p->last.flags & CSF_FLAG_LINK;

	if (link && initial)
		push(w, p->next);
	w->pc = p->next;
	if (code_isa(w, w->is1) == CSF_A64)	/* should a context make it AArch32: not T32 */
		w->is1 = false;
	if (!taken)
		return;

	switch (p->last.kind) {
	case CSF_INSN_BRANCH:
		w->pc = code_wrap(w, p->last.target);
		w->is1 = p->last.target_isa == CSF_T32;
		break;
	case CSF_INSN_INDIRECT:
		w->pc_known = false;
		w->pending = true;
		if (p->last.flags & CSF_FLAG_THUMBEE)
			w->n_stack = 0;
		w->is_saved = false;
		break;
	default:
		break;
	}
}

static void hole(struct walker *w, uint64_t addr, uint64_t lost)
{
	struct csf_run gap = { .value = CSF_GAP_IMAGE, .addr = addr, .lost = lost };

	w->missed = true;
	w->missed_at[w->ctx.el] = true;
	lose_pc(w, &gap);
}

static void no_way(struct walker *w, uint64_t addr, uint64_t from, uint64_t lost)
{
	struct csf_run gap = {
		.value = CSF_GAP_WALK, .addr = addr, .from = from, .lost = lost,
	};

	lose_pc(w, &gap);
}

/* Must trace and code agree?  An ETMv3 and an MTB say all that they know by addresses. */
static bool checks(const struct walker *w)
{
	const uint32_t protocol = w->config.protocol;

	return !w->config.unchecked && protocol != CSF_PROTOCOL_ETM3 &&
	       protocol != CSF_PROTOCOL_MTB;
}

/*
 * Is the last instruction of @p, a P0 instruction, always taken?  In T32 an IT instruction, which
 * may be before @p, makes up to four conditional.  A branch to the next one may have either atom.
 */
static bool always(struct walker *w, const struct piece *p)
{
	unsigned int it = 4;

	if (p->last.flags & CSF_FLAG_COND || w->rule & CSF_RULE_EACH)
		return false;
	if (p->last.kind == CSF_INSN_BRANCH && code_wrap(w, p->last.target) == p->next)
		return false;
	return code_isa(w, w->is1) != CSF_T32 || (p->n > 4 && !walker_mtb_passes(w, p, &it));
}

/* ---------------------------------------------------------------- P0 elements */

void walker_atom(struct walker *w, const struct elem *e)
{
	const struct bounds any = { .n_max = UINT64_MAX };
	uint64_t lost = 1 + e->rest;
	struct piece p;

	if (w->counted) {
		w->counted--;
		return;
	}
	if (w->pending) {
		resolve(w, lost);
		if (!w->pc_known) {
			w->counted = e->rest;
			return;
		}
	}
	if (!w->pc_known || !w->ctx.known) {
		lose_p0(w, e->rest);
		return;
	}

	w->pc = code_wrap(w, w->pc);
	for (int cuts = 0; cuts < CUT_MAX; cuts++) {
		enum stop stop = code_walk(w, w->pc, &any, &p);

		if (stop == STOP_P0 && !e->taken && checks(w) && always(w, &p)) {
			struct csf_run gap = {
				.value = CSF_GAP_WALK, .flags = CSF_GAP_NOT_TAKEN,
				.addr = p.last_addr, .from = p.addr, .lost = lost,
			};

			w->counted = e->rest;
			lose_pc(w, &gap);
			return;
		}
		step(w, &p, stop != STOP_P0, e->taken);
		if (stop == STOP_P0) {
			follow(w, &p, e->taken, e->initial);
			return;
		}
		w->pc = p.next;
		if (stop == STOP_HOLE) {
			w->counted = e->rest;
			hole(w, p.next, lost);
			return;
		}
	}
	w->counted = e->rest;
	no_way(w, w->pc, w->pc, lost);
}

/*
 * Missing code was called by a pointer, and that call is on the unit's stack: entries below it are
 * of no use.
 */
static void back(struct walker *w, const struct csf_context *ctx)
{
	if (w->missed_at[ctx->el])
		w->n_stack = 0;
	w->missed_at[ctx->el] = false;
}

void walker_agree(struct walker *w, uint64_t addr)
{
	const uint64_t pc = code_wrap(w, w->pc), to = code_wrap(w, addr);

	if (!checks(w))
		return;
	/* what was executed at the last address may have been cancelled: it is replaced then */
	if (w->max_spec && w->fresh)
		return;
	if (w->pc_known && !w->pending && w->ctx.known && pc != to)
		no_way(w, to, pc, 0);
}

void walker_address(struct walker *w, const struct elem *e, uint64_t addr)
{
	back(w, e->has_ctx ? &e->ctx : &w->ctx);
	walker_more(w);
	w->gap = -1;
	w->pc = addr;
	w->is1 = e->is1;
	w->pc_known = true;
	w->fresh = true;
	w->pending = false;
	w->is_saved = false;
	w->no_push = false;
}

void walker_context(struct walker *w, const struct csf_context *ctx)
{
	struct csf_run end = { .end = CSF_END_CONTEXT, .to = *ctx };

	walker_end(w, &end);
	w->ctx = *ctx;
}

struct pieces {
	struct piece *piece;
	size_t n, max;
};

static void pieces_add(struct pieces *ps, const struct piece *p)
{
	if (ps->n == ps->max) {
		ps->max = 2 * ps->max + 16;
		ps->piece = realloc(ps->piece, ps->max * sizeof(*ps->piece));
		if (!ps->piece)
			abort();
	}
	ps->piece[ps->n++] = *p;
}

/* All of them but the last in which a P0 instruction was passed were not taken. */
static void steps(struct walker *w, const struct pieces *ps, bool taken)
{
	for (size_t i = 0; i < ps->n; i++) {
		const struct piece *p = &ps->piece[i];

		step(w, p, !(p->last.flags & CSF_FLAG_P0), i + 1 == ps->n && taken);
	}
}

/* Can execution go on after @p without a branch that is taken? */
static bool passes(struct walker *w, const struct piece *p, enum stop why, unsigned int *it)
{
	if (w->strict)
		return walker_mtb_passes(w, p, it);
	return why != STOP_P0 || p->last.flags & CSF_FLAG_COND;
}

/*
 * To an exception's return address: what is conditional on the way was not
 * taken; at the first branch that must be taken the way ends.
 */
static void walk_to(struct walker *w, uint64_t to, uint16_t *flags)
{
	const struct bounds bounds = { .until = to, .has_until = true, .n_max = UINT64_MAX };
	struct csf_mark mark = { .kind = CSF_MARK_WALK, .value = to };
	struct pieces ps = { 0 };
	enum stop stop = STOP_FULL;
	struct piece p = { .next = w->pc };
	unsigned int it = w->it;
	bool passed = false;

	for (int i = 0; i < WALK_MAX && p.next < to && stop != STOP_HOLE; i++) {
		stop = code_walk(w, p.next, &bounds, &p);
		if (stop == STOP_P0 && p.next > to) {	/* it only counts as executed */
			p.last.flags = 0;
			stop = STOP_UNTIL;
		}
		if (!passes(w, &p, stop, &it)) {
			p.next = p.last_addr;
			p.last.flags = 0;
			p.n--;
			if (p.n)
				pieces_add(&ps, &p);
			break;
		}
		passed |= stop == STOP_P0;
		if (p.n)
			pieces_add(&ps, &p);
	}
	mark.count = ps.n;
	if (passed || ps.n > 1)
		walker_mark(w, &mark);
	steps(w, &ps, false);
	free(ps.piece);

	if (ps.n && p.next > to && code_isa(w, w->is1) == CSF_T32)
		*flags |= CSF_EXC_INSIDE;
	else if (p.next < to && stop == STOP_HOLE)
		hole(w, p.next, 0);
	else if (p.next < to)
		no_way(w, to, p.next, 0);
}

void walker_return(struct walker *w)
{
	if (w->pending && (w->is_saved ? w->has_saved : w->n_stack > 0))
		resolve(w, 0);
}

/* Execution is at @to, wherever it came from. */
static void begin(struct walker *w, uint64_t to)
{
	const struct elem e = { .type = ELEM_ADDRESS, .is1 = w->hist[0].is1 };

	walker_address(w, &e, to);
}

void walker_reach(struct walker *w, uint64_t offset, uint64_t to, bool past)
{
	const bool thumbee = w->alt && w->hist[0].is1;
	const bool may_begin = past && !w->jazelle && !thumbee && w->ctx.known;
	const struct bounds bounds = {
		.until = past ? to + 1 : to, .has_until = true, .n_max = UINT64_MAX,
	};
	struct piece p = { .next = w->pc };
	int cuts;

	w->here = offset;
	walker_mark(w, &(struct csf_mark){ .kind = CSF_MARK_PACKET });
	walker_return(w);
	if (!w->pc_known || w->pending || !w->ctx.known) {
		if (!may_begin)
			return;
		begin(w, to);
	}
	w->pc = code_wrap(w, w->pc);
	for (cuts = 0; cuts < CUT_MAX && w->pc <= to && (past || w->pc < to); cuts++) {
		enum stop stop = code_walk(w, w->pc, &bounds, &p);

		if ((stop == STOP_P0 && !past) || (!past && p.next > to) ||
		    (stop == STOP_P0 && p.next <= to))
			break;
		step(w, &p, true, false);
		w->pc = p.next;
		if (stop == STOP_HOLE) {
			hole(w, p.next, 0);
			if (p.next == to || !may_begin)
				return;
			begin(w, to);
			cuts = -1;
		} else if (p.next >= bounds.until) {
			return;
		}
	}
	if (w->pc != to || past)
		no_way(w, to, w->pc, 0);
}

static bool is_reset(const struct walker *w, uint32_t type)
{
	return type == (w->config.profile == CSF_PROFILE_M ? 1 : 0);
}

static uint16_t exception_flags(const struct walker *w, const struct elem *e)
{
	bool m = w->config.profile == CSF_PROFILE_M;
	uint16_t flags = 0;

	if (!e->has_addr || is_reset(w, e->value) || (m && (uint32_t)e->addr == 0xfffffffe))
		flags |= CSF_EXC_NO_ADDR;
	else if (e->target)
		flags |= CSF_EXC_TARGET;
	if (m ? e->value == 0x18 : e->value == 1 || e->value == 4)
		flags |= CSF_EXC_UNRELIABLE;
	if (e->fault)
		flags |= CSF_EXC_FAULT_PENDING;
	return flags;
}

/*
 * Only trace of an A or R profile without speculation is sure of its addresses: execution then goes
 * forward to the return address.
 */
static bool is_sure(const struct walker *w, uint16_t flags)
{
	return checks(w) && w->config.protocol != CSF_PROTOCOL_PTM &&
	       w->config.profile != CSF_PROFILE_M && !w->max_spec && !(flags & CSF_EXC_UNRELIABLE);
}

/* E1:E0 is 10: the address is the target of the branch before; it may have come off the stack. */
static void pop_target(struct walker *w, uint64_t to, bool is1)
{
	bool t32 = code_isa(w, is1) == CSF_T32;

	if (w->pending && !w->is_saved && w->n_stack) {
		const struct walker_addr *top = &w->stack[w->n_stack - 1];

		if (code_wrap(w, top->addr) == to && top->is1 == t32)
			w->n_stack--;
	}
	w->pending = false;
}

void walker_exception(struct walker *w, const struct elem *e)
{
	struct csf_run end = { .end = CSF_END_EXCEPTION, .value = e->value };
	struct csf_insn insn;
	uint64_t to;

	if (e->has_ctx)
		walker_context(w, &e->ctx);
	to = code_wrap(w, e->addr);
	end.flags = exception_flags(w, e);
	if (end.flags & CSF_EXC_NO_ADDR) {
		w->pending = false;
	} else if (end.flags & CSF_EXC_TARGET) {
		end.addr = to;
		pop_target(w, to, e->is1);
	} else {
		end.addr = to;
		resolve(w, 0);
		w->pc = code_wrap(w, w->pc);
		if (w->pc_known && w->ctx.known && to < w->pc && is_sure(w, end.flags) &&
		    code_fetch(w, w->pc, w->is1, &insn))
			no_way(w, to, w->pc, 0);
		else if (w->pc_known && w->ctx.known)
			walk_to(w, to, &end.flags);
	}
	walker_end(w, &end);
	w->pc_known = false;
	w->gap = -1;
}

/*
 * Do these instructions lead to the place where Q says that execution went on?  Says whether the
 * last was taken.
 */
static bool agrees(const struct piece *p, bool t32, uint64_t to, bool *taken)
{
	*taken = true;
	if (!(p->last.flags & CSF_FLAG_P0))
		return p->next == to;
	if (p->last.kind == CSF_INSN_INDIRECT)
		return true;
	if (p->last.kind == CSF_INSN_BRANCH && p->last.target == to)
		return true;
	if (p->last.kind == CSF_INSN_BRANCH) {
		*taken = false;
		/* In T32 it may be in an IT block. */
		return (t32 || p->last.flags & CSF_FLAG_COND) && p->next == to;
	}
	return p->next == to;
}

static bool q_exact(struct walker *w, const struct elem *e)
{
	struct csf_mark mark = { .kind = CSF_MARK_Q, .value = e->count };
	uint64_t left = e->count, to = e->has_ctx ? e->addr : code_wrap(w, e->addr);
	struct pieces ps = { 0 };
	struct piece p = { .next = w->pc };
	enum stop stop = STOP_FULL;
	const bool t32 = code_isa(w, w->is1) == CSF_T32;
	struct csf_insn first;
	bool ok, taken = false;

	while (left && (stop == STOP_FULL || stop == STOP_SECTION) && ps.n < WALK_MAX) {
		const struct bounds bounds = { .n_max = left };

		stop = code_walk(w, p.next, &bounds, &p);
		left -= p.n;
		pieces_add(&ps, &p);
	}
	ok = !left && code_fetch(w, w->pc, w->is1, &first) && agrees(&p, t32, to, &taken);
	if (ok) {
		mark.count = ps.n;
		walker_mark(w, &mark);
		steps(w, &ps, taken);
	}
	free(ps.piece);
	return ok;
}

void walker_q(struct walker *w, const struct elem *e)
{
	struct csf_run end = {
		.end = CSF_END_Q, .value = e->has_count ? e->count : 0, .addr = e->addr,
	};
	bool had = w->pending;

	resolve(w, 1);
	w->pc = code_wrap(w, w->pc);
	end.from = w->pc;
	end.addr = code_wrap(w, e->addr);
	if (!w->pc_known || !w->ctx.known) {
		if (!had || w->pc_known)
			lose_p0(w, 0);
	} else if (!e->has_count || !q_exact(w, e)) {
		walker_end(w, &end);
	}
	/* With a context it may go to AArch64. */
	walker_address(w, e, e->has_ctx ? e->addr : end.addr);
	if (e->has_ctx)
		walker_context(w, &e->ctx);
}

/* From @p, which ends at @to, on to the P0 instruction there. */
static bool path_end(struct walker *w, uint64_t to, struct piece *p, struct pieces *ps)
{
	const struct bounds on = { .n_max = p->n + 1 };

	for (;;) {
		uint64_t addr = p->addr;
		enum stop stop = code_walk(w, addr, &on, p);

		if (p->n)
			pieces_add(ps, p);
		if (stop == STOP_P0)
			return p->last_addr == to;
		if (addr == to || p->next != to)
			return false;
		p->addr = to;
	}
}

/* The path from @w->pc to the instruction at @to; says if there is one. */
static bool path(struct walker *w, uint64_t to, struct pieces *ps)
{
	const struct bounds bounds = { .until = to, .has_until = true, .n_max = UINT64_MAX };
	struct piece p = { .addr = w->pc, .next = w->pc };
	enum stop stop = STOP_UNTIL;
	unsigned int it = w->it;

	while (ps->n < WALK_MAX && p.next < to && stop != STOP_HOLE) {
		stop = code_walk(w, p.next, &bounds, &p);
		if (stop == STOP_UNTIL)
			break;
		if (w->strict && !passes(w, &p, stop, &it))
			return false;
		if (stop == STOP_P0 && checks(w) && always(w, &p))
			return false;
		if (p.n)
			pieces_add(ps, &p);
	}
	if (p.next != to || ps->n == WALK_MAX)
		return false;
	if (stop != STOP_UNTIL)
		p = (struct piece){ .addr = to };
	return path_end(w, to, &p, ps);
}

/* Only the instruction at @to; says if that is possible. */
static bool alone(struct walker *w, uint64_t to, bool is1, struct pieces *ps)
{
	const struct bounds one = { .n_max = 1 };
	struct piece p;

	ps->n = 0;
	walker_more(w);
	back(w, &w->ctx);
	w->is1 = is1;
	if (code_walk(w, to, &one, &p) == STOP_HOLE) {
		hole(w, to, 1);
		return false;
	}
	if (!(p.last.flags & CSF_FLAG_P0)) {
		no_way(w, to, to, 1);
		return false;
	}
	pieces_add(ps, &p);
	w->gap = -1;
	return true;
}

/* Everything up to the address and the branch there, which was taken. */
void walker_source(struct walker *w, const struct elem *e)
{
	struct csf_mark mark = { .kind = CSF_MARK_SOURCE, .value = code_wrap(w, e->addr) };
	struct csf_run lost = { .value = CSF_GAP_ADDRESS, .lost = 1 };
	uint64_t to = mark.value;
	struct pieces ps = { 0 };
	bool ok = false;

	resolve(w, 0);
	w->pc = code_wrap(w, w->pc);
	if (!w->ctx.known) {
		lose_pc(w, &lost);
		return;
	}
	if (w->pc_known && to >= w->pc) {
		ok = path(w, to, &ps);
		if (!ok)
			no_way(w, to, w->pc, 0);
	} else if (w->pc_known && checks(w)) {
		no_way(w, to, w->pc, 0);
	}
	if (ok || alone(w, to, e->is1, &ps)) {
		w->pc_known = true;
		mark.count = ps.n;
		if (ps.n > 1)
			walker_mark(w, &mark);
		steps(w, &ps, true);
		follow(w, &ps.piece[ps.n - 1], true, true);
	}
	free(ps.piece);
}
