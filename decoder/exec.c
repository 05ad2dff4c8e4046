// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where execution is.
 *
 * A block is looked up when an element needs it, not when its address becomes known: between the
 * two, the caller may choose another address space.
 */
#include <stdlib.h>

#include "block-map.h"
#include "flow.h"
#include "table.h"

enum csf_isa exec_isa(const struct csf_decoder *d)
{
	if (d->exec.cur)
		return flow_block(d, d->exec.cur)->pub.isa;
	if (d->flow.ctx.bits64)
		return CSF_A64;
	return d->exec.is1 ? CSF_T32 : CSF_A32;
}

uint32_t exec_new_gen(struct csf_decoder *d, uint64_t now)
{
	struct gens *t = &d->addr.gens;
	uint32_t number;

	/* Numbers start again: no remembered entry may be mistaken for a new one. */
	if (t->last == CACHE_CUT - 1) {
		memset(d->addr.cache, 0, (d->addr.cache_mask + 1ul) * sizeof(*d->addr.cache));
		*t = (struct gens){ .last = 0 };
		if (d->addr.memo)
			path_memo_clear(d->addr.memo);
	}
	number = t->last < GEN_MAX ? 1 : t->last - GEN_MAX + 1;
	while (number <= t->last && t->meant[number % GEN_MAX] != now)
		number++;
	if (number > t->last) {
		t->last = number;
		t->meant[number % GEN_MAX] = now;
	}
	t->now = now;
	t->number = number;
	return number;
}

uint64_t exec_pc(const struct csf_decoder *d)
{
	const struct exec *p = &d->exec;

	if (!p->cur)
		return exec_wrap(exec_isa(d), p->pc);
	return exec_wrap(exec_isa(d), exec_base(d) + flow_block(d, p->cur)->pub.offset);
}

void exec_lose(struct csf_decoder *d)
{
	struct exec *p = &d->exec;

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

void exec_info(struct csf_decoder *d)
{
	struct exec *p = &d->exec;

	if (p->returns && !p->popped) {
		p->popped = true;
		if (!pop(&p->retstack, &p->pending))
			p->pending.block = 0;
	}
	p->retstack.n = 0;
	/* a branch that waits for its target may still be a return to code that was missing */
	p->missed &= p->returns;
	p->unsure = 0;
	p->no_push = true;
}

/* The address after the block that called. */
static uint64_t return_address(const struct csf_decoder *d, const struct call *call)
{
	const struct csf_block *b = &flow_block(d, call->block)->pub;

	return exec_wrap(b->isa, call->at - flow_block(d, call->anchor)->pub.offset + b->offset +
				  b->size);
}

bool exec_agrees(const struct csf_decoder *d, uint64_t addr)
{
	const struct exec *p = &d->exec;

	if (!p->known || p->returns || !d->flow.ctx.known || (p->fresh && d->config.max_spec))
		return true;
	return exec_pc(d) == exec_wrap(exec_isa(d), addr);
}

uint64_t exec_next_pc(const struct csf_decoder *d)
{
	const struct exec *p = &d->exec;
	const struct call *top = p->popped ? &p->pending : &p->retstack.call[p->retstack.top];

	if (!p->known || !d->flow.ctx.known)
		return 0;
	if (!p->returns)
		return exec_pc(d) | (exec_isa(d) == CSF_T32);
	if (p->popped ? !top->block : !p->retstack.n)
		return 0;
	return return_address(d, top) | (flow_block(d, top->block)->pub.isa == CSF_T32);
}

void exec_match(struct csf_decoder *d, uint64_t addr, bool is1)
{
	struct retstack *rs = &d->exec.retstack;
	const struct call *top = &rs->call[rs->top];
	bool t32 = flow_block(d, top->block)->pub.isa == CSF_T32;

	if (!rs->n || return_address(d, top) != addr || t32 != (is1 && !d->flow.ctx.bits64))
		return;
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
}

void exec_leave(struct csf_decoder *d, uint32_t number, bool taken)
{
	const struct block *b = flow_block(d, number);
	bool branch = taken && b->pub.kind == CSF_INSN_BRANCH;
	enum csf_isa isa = branch ? b->pub.target_isa : b->pub.isa;
	struct exec *p = &d->exec;

	p->cur = load_link(&d->image->blocks.succ[number << 1 | taken]) & SUCC_BLOCK;
	if (p->cur)
		return;
	p->from = number << 1 | taken;
	p->pc = exec_wrap(isa, exec_base(d) + (branch ? b->pub.target :
				     b->pub.offset + (int64_t)b->pub.size));
	p->is1 = isa == CSF_T32;
}

void exec_unlock(struct csf_decoder *d)
{
	d->locked = false;
	lock_release(&d->image->lock);
}

static __always_inline void unlock(struct csf_decoder *d)
{
	if (!d->keep_lock)
		exec_unlock(d);
}

static __always_inline int64_t get_block(struct csf_decoder *d, const struct block_key *key)
{
	int64_t number;

	exec_lock(d);
	d->image->quiet = d->quiet;
	d->image->missed = false;
	number = block_at(d->image, key);
	d->missed |= d->image->missed;
	d->image->quiet = false;
	unlock(d);
	return number;
}

/*
 * The entry of a block map for @pc.  NULL: there is none.  For loops that look far ahead; others
 * have it in nearer places.
 */
static noinline const uint32_t *entry_at(const struct csf_decoder *d, uint64_t pc)
{
	if (!d->flow.ctx.bits64 || pc % 4)
		return NULL;
	for (unsigned int i = 0; i < ARRAY_SIZE(d->addr.seen); i++) {
		const struct mapping_seen *seen = &d->addr.seen[i].seen;

		if (pc - seen->first <= seen->last - seen->first &&
		    exec_has_block_map(d, &d->addr.seen[i]))
			return &seen->block_map.number[(pc - seen->first) / 4];
	}
	return NULL;
}

/* Likewise, the number of the block of @key, in its mapping. */
static noinline int64_t block_in_map(const struct csf_decoder *d, const struct block_key *key)
{
	if (key->isa != CSF_A64 || key->offset % 4)
		return 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(d->addr.seen); i++) {
		const struct mapping_seen *seen = &d->addr.seen[i].seen;
		const uint64_t at = key->offset - (seen->first - seen->base);

		if (key->mapping == seen->mapping && at <= seen->last - seen->first &&
		    exec_has_block_map(d, &d->addr.seen[i]))
			return (int32_t)load_link(&seen->block_map.number[at / 4]);
	}
	return 0;
}

/*
 * The key of the block after @step inside its mapping; without a branch, which would be
 * mispredicted.
 */
static __always_inline struct block_key key_behind(const struct csf_decoder *d, uint32_t step)
{
	const struct block *b = flow_block(d, step >> 1);
	const uint64_t branch = -(uint64_t)(step & (b->pub.kind == CSF_INSN_BRANCH));
	const uint64_t behind = b->pub.offset + b->pub.size;
	const uint64_t offset = behind ^ ((behind ^ b->pub.target) & branch);
	const enum csf_isa isa = b->pub.isa ^ ((b->pub.isa ^ b->pub.target_isa) & branch);

	return (struct block_key){
		.mapping = b->mapping, .isa = isa, .rule = d->config.rule,
		.offset = isa == CSF_A64 ? offset : (uint32_t)offset,
	};
}

/*
 * Tries the mapping that execution was in before @step.  Makes a link, which is valid as long as
 * the section is; but none if *cut.
 */
static __always_inline int64_t find_in_mapping(struct csf_decoder *d, uint32_t step, bool *cut)
{
	const struct block_key key = key_behind(d, step);
	int64_t number = unlikely(d->prefetch) ? block_in_map(d, &key) : 0;
	uint32_t *link = &d->image->blocks.succ[step];

	*cut = false;
	if (number <= 0) {
		number = get_block(d, &key);
		*cut = number > 0 && flow_block(d, number)->slow & BLOCK_CUT;
	}
	/* The flags of the step are there from the beginning. */
	if (number > 0 && !*cut && !(d->config.without & CSF_WITHOUT_LINKS))
		__atomic_store_n(link, number | (load_link(link) & ~SUCC_BLOCK), __ATOMIC_RELEASE);
	return number;
}

/* As link_of(), if that takes more than block_behind(). */
static noinline uint32_t link_of_slow(struct csf_decoder *d, uint32_t step)
{
	int64_t number;
	bool cut;

	if (d->config.without & CSF_WITHOUT_LINKS)
		return 0;
	number = find_in_mapping(d, step, &cut);
	return number > 0 && !cut ? number : 0;
}

/* The block after @step, which does not leave the mapping. */
static __always_inline uint32_t link_of(struct csf_decoder *d, uint32_t step)
{
	uint32_t number;

	if (unlikely(d->prefetch || d->config.without & CSF_WITHOUT_LINKS))
		return link_of_slow(d, step);
	exec_lock(d);
	number = block_behind(d->image, step, d->config.rule);
	unlock(d);
	return likely(number) ? number : link_of_slow(d, step);
}

uint32_t exec_link(struct csf_decoder *d)
{
	struct exec *p = &d->exec;
	uint32_t number;

	if (load_link(&d->image->blocks.succ[p->from]) & SUCC_OUT)
		return 0;
	number = link_of(d, p->from);
	if (!number)
		return 0;
	p->cur = number;
	p->from = 0;
	return number;
}

/* The block that the link of @step leads to in its mapping.  0: there is no such link. */
static uint32_t find_link(struct csf_decoder *d, uint32_t step)
{
	uint32_t number;

	if (d->prefetch || d->config.without & CSF_WITHOUT_LINKS ||
	    load_link(&d->image->blocks.succ[step]) & SUCC_OUT)
		return 0;
	exec_lock(d);
	number = block_behind(d->image, step, d->config.rule);
	unlock(d);
	return number;
}

uint32_t exec_follow(struct csf_decoder *d, uint32_t number, bool taken, bool on)
{
	const uint32_t step = number << 1 | taken;
	uint32_t next = 0;

	if (on && !(load_link(&d->image->blocks.succ[step]) & SUCC_OUT))
		next = link_of(d, step);
	else if (d->config.bb)	/* an address always comes before the link is needed */
		next = find_link(d, step);
	if (next)
		return next;
	exec_leave(d, number, taken);
	return d->exec.cur;
}

uint32_t exec_go_on(struct csf_decoder *d, uint32_t step)
{
	uint32_t next = 0;

	if (likely(!d->prefetch && !(d->config.without & CSF_WITHOUT_LINKS))) {
		exec_lock(d);
		next = block_behind(d->image, step, d->config.rule);
	}
	if (likely(next))
		return next;
	return exec_follow(d, step >> 1, step & 1, true);
}

/* The mapping at @pc, which was not seen lately.  NULL: none, or d->flow.err. */
static noinline const struct mapping_seen *see_more(struct csf_decoder *d, uint64_t pc,
						    uint64_t top)
{
	const struct mapping_query at = {
		.addr = pc, .top = top, .time = d->addr.time, .space = d->flow.space,
	};
	struct mapping_cache *c, new = { .gen_key = d->flow.gen_key };
	int found;

	exec_let_go(d);
	found = mapping_find(d->image, &at, &new.seen);
	if (!found && d->image->page && d->quiet)
		d->missed = true;
	else if (!found && d->image->page &&
		 d->image->page(d->image->page_context, d->flow.space, pc))
		found = mapping_find(d->image, &at, &new.seen);
	if (found < 0)
		d->flow.err = found;
	if (found <= 0)
		return NULL;
	new.top = flow_remembers(d) ? top : 0;
	c = &d->addr.seen[d->addr.next_seen++ % ARRAY_SIZE(d->addr.seen)];
	*c = new;
	return &c->seen;
}

/* The mapping at @pc, if it was seen lately.  NULL: it was not. */
static const struct mapping_seen *seen_lately(const struct csf_decoder *d, uint64_t pc,
					      uint64_t top)
{
	const struct mapping_cache *c = d->addr.seen;

	for (unsigned int i = 0; i < ARRAY_SIZE(d->addr.seen); i++, c++)
		if (pc - c->seen.first <= c->seen.last - c->seen.first &&
		    c->gen_key == d->flow.gen_key && c->top == top)
			return &c->seen;
	return NULL;
}

/* The mapping at @pc.  NULL: none, or d->flow.err. */
static const struct mapping_seen *see(struct csf_decoder *d, uint64_t pc, enum csf_isa isa)
{
	const uint64_t top = isa == CSF_A64 ? UINT64_MAX : UINT32_MAX;

	return seen_lately(d, pc, top) ?: see_more(d, pc, top);
}

/* The block that the image has at pc. */
static int64_t find_in_image(struct csf_decoder *d, uint64_t pc, enum csf_isa isa)
{
	struct block_key key = { .isa = isa, .rule = d->config.rule };
	const struct mapping_seen *seen;

	if (pc & (isa == CSF_T32 ? 1 : 3))
		return 0;
	seen = see(d, pc, isa);
	if (!seen)
		return d->flow.err;
	key.mapping = seen->mapping;
	key.offset = pc - seen->base;
	if (isa != CSF_A64)
		key.offset = (uint32_t)key.offset;
	return get_block(d, &key);
}

/*
 * Doubles the cache when as many addresses were stored as it has room for.  It starts small,
 * because most traces are short and a large table costs a fault for each page.  But addresses that
 * displace each other are no reason to make it much larger than the number of blocks.
 */
static void grow_cache(struct csf_decoder *d)
{
	const uint32_t n = d->addr.cache_mask + 1;
	const size_t size = table_larger(n * sizeof(*d->addr.cache));
	struct address_entry *old = d->addr.cache, *cache = table_new(size);

	d->addr.cache_stored = 0;
	if (!cache)
		return;
	d->addr.cache = cache;
	d->addr.cache_mask = size / sizeof(*cache) - 1;
	for (uint32_t i = 0; i < n; i++)
		*address_slot(d, old[i].key) = old[i];
	table_free(old, n * sizeof(*old));
}

/* Remembers what is at @pc: block @number, or no code. */
static void remember(struct csf_decoder *d, uint64_t pc, enum csf_isa isa, uint32_t number)
{
	/* other threads may be making blocks */
	const uint32_t n = __atomic_load_n(&d->image->blocks.n, __ATOMIC_RELAXED);

	if (!flow_remembers(d))
		return;
	if (d->addr.cache_stored++ >= d->addr.cache_mask && d->addr.cache_mask < CACHE_MAX - 1 &&
	    (d->addr.cache_mask < CACHE_LARGE - 1 || d->addr.cache_mask < 4 * n))
		grow_cache(d);
	*address_slot(d, pc) = (struct address_entry){
		.key = pc | (isa == CSF_T32), .block = number,
		.gen = exec_gen(d) | (flow_block(d, number)->slow & BLOCK_CUT ? CACHE_CUT : 0),
	};
}

void exec_see_block_maps(struct csf_decoder *d)
{
	const uint32_t n = __atomic_load_n(&d->image->block_maps.n, __ATOMIC_ACQUIRE);

	if (n == d->addr.n_block_maps)
		return;
	d->addr.n_block_maps = n;
	for (unsigned int i = 0; i < ARRAY_SIZE(d->addr.seen); i++)
		if (d->addr.seen[i].seen.mapping && d->addr.seen[i].gen_key == d->flow.gen_key)
			mapping_block_map(d->image, &d->addr.seen[i].seen);
}

/* The block at @pc, which is remembered from now on; 0: no code. */
static int64_t find_at(struct csf_decoder *d, uint64_t pc, enum csf_isa isa)
{
	const uint64_t key = pc | (isa == CSF_T32);
	const uint32_t *entry = unlikely(d->prefetch) ? entry_at(d, pc) : NULL;
	const struct address_entry *c;
	int64_t number;

	number = entry ? load_link(entry) & ~BLOCK_MAP_CUT : 0;
	if (number)
		return number;
	if (!entry) {
		c = address_slot(d, key);
		if (c->key == key && (c->gen & ~CACHE_CUT) == exec_gen(d))
			return c->block;
	}
	number = find_in_image(d, pc, isa);
	if (number >= 0 && !d->missed && !entry)
		remember(d, pc, isa, number);
	return number;
}

static enum located look_up(struct csf_decoder *d)
{
	enum csf_isa isa = exec_isa(d);
	struct exec *p = &d->exec;
	uint64_t pc = exec_wrap(isa, p->pc);
	bool linked = false, cut;
	int64_t number = 0;

	/* The link comes first: a step that has one is never looked up again. */
	if (p->from) {
		number = find_in_mapping(d, p->from, &cut);
		linked = number > 0;
	}
	if (!number && d->missed)
		return EXEC_NO_CODE;
	if (!number)
		number = find_at(d, pc, isa);
	if (number < 0) {
		d->flow.err = number;
		return EXEC_ERROR;
	}
	if (!number)
		return EXEC_NO_CODE;
	p->cur = number;
	p->from = 0;
	if (!linked) {
		p->at = pc;
		p->anchor = number;
	}
	return EXEC_FOUND;
}

/* Goes to the return address of the youngest call. */
static bool go_back(struct csf_decoder *d)
{
	struct exec *p = &d->exec;
	struct call call = p->pending;

	if (p->popped ? !call.block : !pop(&p->retstack, &call))
		return false;
	p->returns = false;
	p->popped = false;
	p->cur = 0;
	p->from = 0;
	p->pc = return_address(d, &call);
	p->is1 = flow_block(d, call.block)->pub.isa == CSF_T32;
	/* In another register width than the call, the two are not related. */
	if (call.gen_key == d->flow.gen_key && call.wide == d->flow.ctx.bits64) {
		p->at = call.at;
		p->anchor = call.anchor;
		exec_leave(d, call.block, false);
	}
	return true;
}

enum located exec_locate(struct csf_decoder *d)
{
	struct exec *p = &d->exec;

	if (!p->known || !d->flow.ctx.known)
		return EXEC_UNKNOWN;
	if (p->returns && !go_back(d))
		return EXEC_EMPTY;
	if (p->cur)
		return EXEC_FOUND;
	return look_up(d);
}

void exec_check(struct csf_decoder *d)
{
	struct exec *p = &d->exec;
	uint32_t image_generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);
	uint64_t gen_key;
	bool wide;

	if (image_generation != d->addr.image_generation)
		d->addr.generation++;
	d->addr.image_generation = image_generation;
	gen_key = (uint64_t)d->addr.generation << 32 | (uint32_t)d->flow.space;
	/* In another register width and without an address for it, the place is not known. */
	if (p->from && (flow_block(d, p->from >> 1)->pub.isa == CSF_A64) != d->flow.ctx.bits64)
		p->from = 0;
	if (gen_key == d->flow.gen_key && !p->cur)
		return;
	if (p->cur && p->known && !p->returns) {
		wide = flow_block(d, p->cur)->pub.isa == CSF_A64;
		if (gen_key == d->flow.gen_key && wide == d->flow.ctx.bits64)
			return;
		p->pc = exec_pc(d);
		p->is1 = flow_block(d, p->cur)->pub.isa == CSF_T32;
	}
	p->cur = 0;
	p->from = 0;
	d->flow.gen_key = gen_key;
}

static uint32_t part(struct csf_decoder *d, uint32_t number, uint16_t n)
{
	const struct csf_block *b = &flow_block(d, number)->pub;
	struct block_key key = {
		.offset = b->offset, .mapping = flow_block(d, number)->mapping, .isa = b->isa,
		.cut = n,
	};
	int64_t cut;

	cut = get_block(d, &key);
	if (cut <= 0)
		d->flow.err = CSF_ERR_MEMORY;
	return cut > 0 ? cut : 0;
}

uint32_t exec_first(struct csf_decoder *d, uint32_t number, uint16_t n)
{
	return part(d, number, n);
}

uint32_t exec_part(struct csf_decoder *d, uint32_t number, uint32_t bytes, bool *inside)
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
