// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop where there are many blocks: more than fit a near cache.
 *
 * Then nearly all time goes into waiting for cache lines: for what is known of an address, then for
 * the block there.  But the addresses are in the trace.  So many are read ahead, and what they need
 * is prefetched at once.  And if an address comes next, no step waits for its target, as that does
 * not matter then.
 */
#include "fast.h"

#define AHEAD		64	/* addresses that are looked up together */
#define ROOM_MIN	64	/* with room for fewer packets it is not worthwhile */

/**
 * struct address - an address that was read ahead
 * @packet: its packet; @behind: its end
 * @entry: entry of a block map for the block there; NULL: the cache has it
 * @block: the block that was there before; 0: none is known
 */
struct address {
	const uint8_t *packet, *behind;
	const uint32_t *entry;
	uint32_t block;
};

/**
 * struct prefetch - the loop
 * @s: as in the other loops; but while @last is not 0, it is the last step, and @s.cur is not known
 * @pos: the next packet
 * @base: number to add to @pos for its offset
 * @payload: bytes of addresses other than headers
 * @unseen: execution is at an address where the block map has no block
 */
struct prefetch {
	struct steps s;
	uint64_t last;
	const uint8_t *pos;
	uint64_t base, payload;
	bool unseen;
};

/**
 * struct near - the mapping with most addresses
 * @first, @size: its first address, and its size in bytes
 * @number: its block map
 * @code: its bytes, if they are in memory
 */
struct near {
	uint64_t first, size;
	const uint32_t *number;
	const uint8_t *code;
};

/**
 * struct horizon - what was read ahead
 * @address: the addresses, newest first, from index @first on
 * @at: their values; the three addresses before them follow
 * @end: the end of what was read
 */
struct horizon {
	struct address address[AHEAD];
	uint64_t at[AHEAD + 3];
	unsigned int first;
	const uint8_t *end;
};

/* The first packet from @pos on that has no atoms, or @bound. */
static __always_inline const uint8_t *behind_atoms(const uint8_t *pos, const uint8_t *bound)
{
	for (; pos < bound; pos += 8) {
		const uint64_t bytes = get_le64(pos);
		const uint64_t others = ~(bytes & bytes << 1) & 0x8080808080808080ull;

		if (likely(others)) {
			pos += (unsigned int)__builtin_ctzll(others) / 8;
			break;
		}
	}
	return pos < bound ? pos : bound;
}

/* Looks for another mapping with a block map, with @at in it.  Returns true if there is one. */
static noinline bool change_mapping(const struct csf_decoder *d, struct near *near, uint64_t at)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(d->addr.seen); i++) {
		const struct mapping_seen *seen = &d->addr.seen[i].seen;

		if (at - seen->first > seen->last - seen->first ||
		    !exec_has_block_map(d, &d->addr.seen[i]))
			continue;
		*near = (struct near){
			.first = seen->first, .size = seen->last - seen->first + 1,
			.number = seen->block_map.number, .code = seen->code,
		};
		return true;
	}
	return false;
}

/* The entry of a block map for the address @at.  NULL: there is none. */
static __always_inline const uint32_t *entry_at(const struct csf_decoder *d, struct near *near,
						uint64_t at)
{
	if (unlikely(at % 4 || !d->flow.ctx.bits64))
		return NULL;
	if (unlikely(at - near->first >= near->size) && !change_mapping(d, near, at))
		return NULL;
	return &near->number[(at - near->first) / 4];
}

/* Reads addresses from @pos on, up to a packet of another kind, or to @bound. */
static __always_inline void read_addresses(struct csf_decoder *d, struct horizon *h,
					   struct near *near, const uint8_t *pos,
					   const uint8_t *bound)
{
	unsigned int i = AHEAD;

	memcpy(h->at + AHEAD, d->etm4.expand.addr, sizeof(d->etm4.expand.addr));
	while (i && (pos = behind_atoms(pos, bound)) < bound) {
		const unsigned int size = packet_address_at(pos, h->at + i, &h->at[i - 1]);

		if (unlikely(!size))
			break;
		i--;
		h->address[i].packet = pos;
		pos += size;
		h->address[i].behind = pos;
		h->address[i].entry = entry_at(d, near, h->at[i]);
		if (likely(h->address[i].entry))
			__builtin_prefetch(h->address[i].entry);
		else
			__builtin_prefetch(address_slot(d, h->at[i]));
	}
	h->first = i;
	h->end = pos;
}

/* The block at address number @i, if one is known; otherwise 0. */
static __always_inline uint32_t known_at(struct csf_decoder *d, const struct horizon *h,
					 unsigned int i, uint32_t gen)
{
	uint32_t block;

	if (unlikely(!h->address[i].entry))
		return address_find(d, h->at[i], gen);
	block = load_link(h->address[i].entry);
	return (int32_t)block > 0 ? block : 0;
}

static __always_inline void look_up_ahead(struct csf_decoder *d, struct horizon *h,
					  const struct near *near, const struct steps *s)
{
	for (unsigned int i = AHEAD; i-- > h->first;) {
		const uint64_t offset = h->at[i] - near->first;

		h->address[i].block = known_at(d, h, i, s->gen);
		if (likely(h->address[i].block))
			__builtin_prefetch(&s->succ[2 * h->address[i].block]);
		else if (near->code && offset < near->size)
			__builtin_prefetch(near->code + offset);
	}
}

/*
 * Finds the target of the last step, if that was not done yet.  @on: execution goes on there now.
 * Returns false, and takes the step back, if it is not possible.
 */
static __always_inline bool arrive(struct csf_decoder *d, struct prefetch *f, bool on)
{
	const uint64_t last = f->last;
	bool never;

	if (!last)
		return true;
	f->last = 0;
	f->s.cur = load_link(&f->s.succ[last]);
	if (likely((int32_t)f->s.cur > 0))
		return true;
	f->s.cur = leave(d, last, f->s.cur, false, on, &never);
	if (likely(!never))
		return true;
	f->s.out = again(f->s.out) - 1;
	f->s.cur = *f->s.out >> 1;
	return false;
}

/*
 * As arrive(), before the packet at f->pos.  What is taken back was the last atom of the packet
 * before it, which has one byte, and is left to the slow path.
 */
static __always_inline bool arrive_between(struct csf_decoder *d, struct prefetch *f, bool on)
{
	if (likely(arrive(d, f, on)))
		return true;
	steps_refuse(d, f->base + (uintptr_t)f->pos - 1, 0, 1);
	d->stats.atoms++;
	return false;
}

/* As steps_found(). */
static __always_inline bool found(struct csf_decoder *d, struct prefetch *f, uint64_t offset,
				  uint32_t atoms, uint32_t n)
{
	if (likely(!f->unseen))
		return steps_found(d, &f->s, offset, atoms, n);
	f->unseen = false;
	f->s.cur = steps_locate(d, offset, atoms, n);
	if (likely(f->s.cur))
		return true;
	f->s.cur = d->exec.cur;
	return false;
}

/*
 * As step_atoms(); but the target of a step is only looked up by the next step.  That of the last
 * step before must be known.
 */
static __always_inline uint32_t step_on(struct csf_decoder *d, struct prefetch *f, uint64_t offset,
					uint32_t atoms, uint32_t n)
{
	for (;;) {
		if (unlikely(!found(d, f, offset, atoms, n)))
			return n;
		f->last = 2 * f->s.cur + (atoms & 1);
		atoms >>= 1;
		*f->s.out++ = f->last;
		if (!--n)
			return 0;
		if (unlikely(!arrive(d, f, true))) {
			steps_refuse(d, offset, again(atoms) << 1, again(n) + 1);
			return again(n) + 1;
		}
	}
}

/* Takes the atoms up to @end.  Returns false if the loop must end before. */
static __always_inline bool take_atoms(struct csf_decoder *d, struct prefetch *f,
				       const uint8_t *end)
{
	while (f->pos < end) {
		const uint64_t offset = f->base + (uintptr_t)f->pos;
		struct packet_atoms atoms;
		uint32_t left;

		if (unlikely(!arrive_between(d, f, true)))
			return false;
		atoms = packet_atom[*f->pos++];
		left = step_on(d, f, offset, atoms.bits, atoms.n);
		if (likely(!left))
			continue;
		d->stats.atoms += left;
		if (d->out.ended | d->el_ready)
			return false;
	}
	return true;
}

/*
 * Can the address @at come?  That the last step waits for one is not enough to know: there may be
 * none.
 */
static noinline bool can_come(struct csf_decoder *d, struct prefetch *f, uint64_t at)
{
	const bool ok = arrive_between(d, f, false) &&
			(d->exec.returns || steps_agree(d, f->s.cur, at));

	if (ok)
		d->exec.returns = false;
	return ok;
}

/*
 * Execution goes on at address number @i.  Returns false if that contradicts the code: the slow
 * path must take the packet, or what @d->el has.
 */
static __always_inline bool take_address(struct csf_decoder *d, struct prefetch *f,
					 const struct horizon *h, unsigned int i)
{
	const struct address *a = &h->address[i];

	/* of a step that waits for it, d->exec knows nothing; step 0 is none */
	if (unlikely(load_link(&f->s.succ[f->last]) < SUCC_WAITS) && !can_come(d, f, h->at[i]))
		return false;
	f->last = 0;
	f->s.cur = likely(a->block) ? a->block : known_at(d, h, i, f->s.gen);
	f->unseen = !f->s.cur && a->entry;
	if (likely(f->s.cur)) {		/* for some it is known only by now */
		d->exec.at = h->at[i] & ~1ull;
		d->exec.anchor = f->s.cur;
	} else {
		d->exec.from = 0;
		d->exec.is1 = h->at[i] & 1;
		d->exec.pc = h->at[i] & ~1ull;
	}
	f->payload += a->behind - a->packet - 1;
	f->pos = a->behind;
	return true;
}

/* Takes what it can below @bound, but no more than is read ahead.  Returns as take_atoms(). */
static __always_inline bool take(struct csf_decoder *d, struct prefetch *f, struct horizon *h,
				 struct near *near, const uint8_t *bound)
{
	unsigned int i = AHEAD;
	bool more = true;

	read_addresses(d, h, near, f->pos, bound);
	look_up_ahead(d, h, near, &f->s);
	while (more && i > h->first) {
		more = take_atoms(d, f, h->address[i - 1].packet) && take_address(d, f, h, i - 1);
		i -= more;
	}
	if (more)
		more = take_atoms(d, f, h->end);
	memcpy(d->etm4.expand.addr, h->at + i, sizeof(d->etm4.expand.addr));
	return more && (h->end >= bound || !h->first);
}

void flow_fast_prefetch(struct csf_decoder *d)
{
	const uint8_t *const first = d->in.win.pos, *const safe = etm4_near(&d->in.win);
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	const uint64_t atoms_before = d->stats.atoms;
	const uint32_t steps_before = d->out.n_step;
	struct near near = { 0 };
	struct horizon h;
	struct prefetch f;
	bool more = settled(d);
	size_t room;

	f.s = steps_begin(d, false);
	f.last = 0;
	f.pos = first;
	f.base = window_offset(&d->in.win, first) - (uintptr_t)first;
	f.payload = 0;
	f.unseen = false;
	d->prefetch = true;
	exec_see_block_maps(d);
	while (more && f.pos < safe && (room = (full - f.s.out) / ATOMS_MAX) >= ROOM_MIN)
		more = take(d, &f, &h, &near, (size_t)(safe - f.pos) > room ? f.pos + room : safe);

	arrive_between(d, &f, false);
	steps_put_back(d, &f.s);
	d->in.win.pos = f.pos;
	d->stats.packets += (f.pos - first) - f.payload;
	d->stats.atoms += d->out.n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}
