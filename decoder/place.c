// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where execution is.
 *
 * A block is looked up when an element needs it, not when its address becomes
 * known: between the two the caller may choose another address space.
 */
#include "flow.h"

/* Addresses of AArch32 are modulo 2^32. */
static uint64_t wrap(enum csf_isa isa, uint64_t addr)
{
	return isa == CSF_A64 ? addr : (uint32_t)addr;
}

enum csf_isa place_isa(const struct csf_decoder *d)
{
	if (d->place.cur)
		return flow_block(d, d->place.cur)->pub.isa;
	if (d->ctx.bits64)
		return CSF_A64;
	return d->place.is1 ? CSF_T32 : CSF_A32;
}

uint64_t place_pc(const struct csf_decoder *d)
{
	const struct place *p = &d->place;

	if (!p->cur)
		return wrap(place_isa(d), p->pc);
	return wrap(place_isa(d), p->base + flow_block(d, p->cur)->pub.offset);
}

void place_go(struct csf_decoder *d, uint64_t addr, bool is1)
{
	struct place *p = &d->place;

	p->cur = 0;
	p->from = 0;
	p->pc = addr;
	p->is1 = is1;
	p->known = true;
	p->returns = false;
	p->popped = false;
	p->no_push = false;
	p->cuts = 0;
}

void place_lose(struct csf_decoder *d)
{
	struct place *p = &d->place;

	p->cur = 0;
	p->from = 0;
	p->known = false;
	p->returns = false;
	p->popped = false;
	p->cuts = 0;
}

static bool pop(struct retstack *rs, struct call *call)
{
	if (!rs->n)
		return false;
	*call = rs->call[rs->top];
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
	return true;
}

#define NO_CALL	0xff	/* struct call.isa: the stack was empty */

void place_info(struct csf_decoder *d)
{
	struct place *p = &d->place;

	if (p->returns && !p->popped) {
		p->popped = true;
		if (!pop(&p->retstack, &p->pending))
			p->pending.isa = NO_CALL;
	}
	p->retstack.n = 0;
	p->no_push = true;
}

void place_push(struct csf_decoder *d, uint32_t number)
{
	const struct csf_block *b = &flow_block(d, number)->pub;
	struct retstack *rs = &d->place.retstack;

	if (!d->config.retstack || d->place.no_push)
		return;
	rs->top = (rs->top + 1) & (RETSTACK_MAX - 1);
	rs->call[rs->top] = (struct call){
		.addr = wrap(b->isa, d->place.base + b->offset + b->size),
		.base = d->place.base,
		.epoch = d->epoch,
		.block = number,
		.isa = b->isa,
	};
	rs->n += rs->n < RETSTACK_MAX;
}

void place_match(struct csf_decoder *d, uint64_t addr, bool is1)
{
	struct retstack *rs = &d->place.retstack;
	const struct call *top = &rs->call[rs->top];
	bool t32 = top->isa == CSF_T32;

	if (!rs->n || top->addr != addr || t32 != (is1 && !d->ctx.bits64))
		return;
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
}

void place_leave(struct csf_decoder *d, uint32_t number, bool taken)
{
	const struct block *b = flow_block(d, number);
	bool branch = taken && b->pub.kind == CSF_INSN_BRANCH;
	enum csf_isa isa = branch ? b->pub.target_isa : b->pub.isa;
	struct place *p = &d->place;

	p->cur = __atomic_load_n(&d->image->blocks.succ[number << 1 | taken], __ATOMIC_RELAXED);
	if (p->cur)
		return;
	p->from = number << 1 | taken;
	p->pc = wrap(isa, p->base + (branch ? b->pub.target :
				     b->pub.offset + (int64_t)b->pub.size));
	p->is1 = isa == CSF_T32;
}

/* Tries the view that execution was in.  A link is made, and holds as long as the section. */
static int64_t find_in_view(struct csf_decoder *d)
{
	struct place *p = &d->place;
	struct block_key key = {
		.view = d->image->blocks.key[p->from >> 1].view,
		.isa = place_isa(d),
		.rule = d->config.rule,
		.offset = wrap(place_isa(d), p->pc) - p->base,
	};
	int64_t number;

	if (key.isa != CSF_A64)
		key.offset = (uint32_t)key.offset;
	number = block_at(d->image, &key);
	if (number > 0 && !(flow_block(d, number)->odd & BLOCK_CUT))
		__atomic_store_n(&d->image->blocks.succ[p->from], number, __ATOMIC_RELAXED);
	return number;
}

static struct place_cache *cache_slot(struct csf_decoder *d, uint64_t pc)
{
	return &d->cache[(pc >> 1 ^ pc >> 13) & (CACHE_SIZE - 1)];
}

/* What the image has mapped at pc. */
static int64_t find_in_image(struct csf_decoder *d, uint64_t pc, enum csf_isa isa)
{
	struct place *p = &d->place;
	const struct view_place at = {
		.addr = pc, .top = isa == CSF_A64 ? UINT64_MAX : UINT32_MAX,
		.time = d->time, .space = d->space,
	};
	struct block_key key = { .isa = isa, .rule = d->config.rule };
	int64_t view;

	if (pc & (isa == CSF_T32 ? 1 : 3))
		return 0;
	view = view_find(d->image, &at, &p->base);
	if (view <= 0)
		return view;
	key.view = view;
	key.offset = pc - p->base;
	if (isa != CSF_A64)
		key.offset = (uint32_t)key.offset;
	return block_at(d->image, &key);
}

static enum located look_up(struct csf_decoder *d)
{
	enum csf_isa isa = place_isa(d);
	struct place *p = &d->place;
	uint64_t pc = wrap(isa, p->pc);
	struct place_cache *c = cache_slot(d, pc);
	int64_t number = 0;

	if (c->pc == pc && c->epoch == d->epoch && c->isa == isa) {
		if (!c->block)
			return PLACE_NO_CODE;
		p->cur = c->block;
		p->base = c->base;
		p->from = 0;
		return PLACE_FOUND;
	}
	if (p->from)
		number = find_in_view(d);
	if (!number)
		number = find_in_image(d, pc, isa);
	if (number < 0) {
		d->err = number;
		return PLACE_ERROR;
	}
	*c = (struct place_cache){ pc, p->base, d->epoch, number, isa };
	if (!number)
		return PLACE_NO_CODE;
	p->cur = number;
	p->from = 0;
	return PLACE_FOUND;
}

/* Goes where the youngest call came from. */
static bool go_back(struct csf_decoder *d)
{
	struct place *p = &d->place;
	struct call call = p->pending;
	bool wide;

	if (p->popped ? call.isa == NO_CALL : !pop(&p->retstack, &call))
		return false;
	wide = call.isa == CSF_A64;
	p->returns = false;
	p->popped = false;
	p->cur = 0;
	p->from = 0;
	p->pc = call.addr;
	p->is1 = call.isa == CSF_T32;
	/* Of another width than the call: nothing links the two. */
	if (call.epoch == d->epoch && wide == d->ctx.bits64) {
		p->base = call.base;
		place_leave(d, call.block, false);
	}
	return true;
}

enum located place_locate(struct csf_decoder *d)
{
	struct place *p = &d->place;

	if (!p->known || !d->ctx.known)
		return PLACE_UNKNOWN;
	if (p->returns && !go_back(d))
		return PLACE_EMPTY;
	if (p->cur)
		return PLACE_FOUND;
	return look_up(d);
}

void place_check(struct csf_decoder *d)
{
	struct place *p = &d->place;
	uint32_t generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);
	uint64_t epoch;
	bool wide;

	if (generation != d->generation)
		d->era++;
	d->generation = generation;
	epoch = (uint64_t)d->era << 32 | (uint32_t)d->space;
	/* Another width, and no address for it: nothing links the two. */
	if (p->from && (flow_block(d, p->from >> 1)->pub.isa == CSF_A64) != d->ctx.bits64)
		p->from = 0;
	if (epoch == d->epoch && !p->cur)
		return;
	if (p->cur && p->known && !p->returns) {
		wide = flow_block(d, p->cur)->pub.isa == CSF_A64;
		if (epoch == d->epoch)
			return;
		p->pc = place_pc(d);
		p->is1 = flow_block(d, p->cur)->pub.isa == CSF_T32;
	}
	p->cur = 0;
	p->from = 0;
	d->epoch = epoch;
}

static uint32_t part(struct csf_decoder *d, uint32_t number, uint16_t n)
{
	const struct csf_block *b = &flow_block(d, number)->pub;
	struct block_key key = {
		.offset = b->offset, .view = d->image->blocks.key[number].view, .isa = b->isa,
		.cut = n,
	};
	int64_t cut;

	cut = block_at(d->image, &key);
	if (cut <= 0)
		d->err = CSF_ERR_MEMORY;
	return cut > 0 ? cut : 0;
}

uint32_t place_first(struct csf_decoder *d, uint32_t number, uint16_t n)
{
	return part(d, number, n);
}

uint32_t place_part(struct csf_decoder *d, uint32_t number, uint32_t bytes, bool *inside)
{
	const struct csf_block *b = &flow_block(d, number)->pub;
	uint32_t size = 0;
	uint16_t n = 0;

	if (b->isa != CSF_T32) {
		*inside = false;
		return part(d, number, (bytes + 3) / 4);
	}
	for (; size < bytes; n++)
		size += block_insn_size(d->image, b, size);
	*inside = size != bytes;
	return part(d, number, n);
}
