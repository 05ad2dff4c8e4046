// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Elements that depend on the place where execution is. */
#include "../state.h"
#include "parts.h"

static bool is_known(const struct csf_decoder *d)
{
	return d->exec.known && !d->exec.returns && d->flow.ctx.known;
}

/* A periodic I-sync names the place where execution is.  If that is another, something is lost. */
static void check(struct csf_decoder *d)
{
	const struct element gap = {
		.type = EL_GAP, .exception = CSF_GAP_WALK, .offset = d->el.offset,
		.addr = d->el.addr, .flags = EL_IN_SYNC | EL_ADDR,
	};

	d->el.val = 0;
	if (!is_known(d) || exec_pc(d) == d->el.addr)
		return;
	d->etm3.after = d->el;
	d->etm3.has_after = true;
	d->el = gap;
	if (etm3_data_asked(d))
		etm3_data_lose(d);
}

/* The trace does not say where the exception returns to: to the next instruction. */
static void exception(struct csf_decoder *d)
{
	if (!is_known(d))
		return;
	d->el.flags |= EL_ADDR;
	d->el.addr = exec_pc(d);
	d->el.is1 = exec_isa(d) == CSF_T32;
}

/* Is the next instruction one of 32 bits whose halves have an atom each? */
static bool has_halves(struct csf_decoder *d)
{
	const struct csf_block *b;

	if (exec_locate(d) != EXEC_FOUND)
		return false;
	b = &flow_block(d, d->exec.cur)->pub;
	return b->isa == CSF_T32 && b->kind == CSF_INSN_BRANCH && b->flags & CSF_FLAG_LINK &&
	       b->last_size == 4;
}

/* The first half's atom says nothing that the second's does not. */
static void atoms(struct csf_decoder *d)
{
	d->etm3.half = d->config.etm3.halves && !d->etm3.half && has_halves(d);
	d->etm3.unsure = d->missed;
	d->el_ready = !d->etm3.half;
	if (etm3_data_asked(d) && d->el_ready)
		etm3_data_atoms(d);
}

void etm3_place(struct csf_decoder *d)
{
	struct element *el = &d->el;

	switch ((enum element_type)el->type) {
	case EL_ATOMS:
		if (d->config.etm3.watched)
			atoms(d);
		return;
	case EL_DATA:
	case EL_DATA_REST:
		etm3_data_place(d);
		return;
	case EL_CYCLES:
		classic_place_cycles(d);
		return;
	case EL_GAP:
	case EL_ON:
		d->etm3.half = false;
		if (etm3_data_asked(d))
			etm3_data_lose(d);
		return;
	case EL_EXCEPTION:
		d->etm3.half = false;
		exception(d);
		if (etm3_data_asked(d))
			etm3_data_lose(d);
		return;
	case EL_ADDRESS:
		d->etm3.half = false;
		/* an I-sync always tells the context */
		if (!el->val && state_same_context(&el->ctx, &d->flow.ctx))
			el->flags &= ~EL_CTX;
		if (el->val == ETM3_EXPECTED)
			check(d);
		return;
	default:
		return;
	}
}
