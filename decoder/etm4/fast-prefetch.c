// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop where there are many blocks: more than a near cache has.
 *
 * Then nearly all time goes into waiting for cache lines: of what is known of an address, then of
 * the block there.  But addresses stand in the trace.  So many are read ahead, and what they
 * need is asked for at once; and no step waits to hear where it leads to if an address comes
 * next, for then that does not matter.
 */
#include "fast.h"

#define AHEAD		64	/* addresses that are looked up at once */
#define ROOM_MIN	64	/* with room for fewer packets it is not worth the while */

/**
 * struct address - one that was read ahead
 * @packet: what says it; @behind: what follows
 * @entry: where a block map says which block is there; NULL: the cache would
 * @block: that which was there before; 0: none is known
 */
struct address {
	const uint8_t *packet, *behind;
	const uint32_t *entry;
	uint32_t block;
};

/**
 * struct prefetch - the loop
 * @s: as in the other loops; but if @last is not 0, it is the last step, and @s.cur is not known
 * @pos: of the next packet
 * @base: what makes an offset of it
 * @payload: bytes of addresses that are no headers
 * @unseen: execution is at an address where a block map knows of no block
 */
struct prefetch {
	struct steps s;
	uint64_t last;
	const uint8_t *pos;
	uint64_t base, payload;
	bool unseen;
};

/**
 * struct near - the mapping that most addresses are in
 * @first, @size: it has so many bytes from there on
 * @number: its block map
 * @code: those bytes, if they are in memory
 */
struct near {
	uint64_t first, size;
	const uint32_t *number;
	const uint8_t *code;
};

/**
 * struct horizon - what was read ahead
 * @address: the oldest last; from @first on
 * @at: these addresses; behind them the three that came before
 * @end: how far it was read
 */
struct horizon {
	struct address address[AHEAD];
	uint64_t at[AHEAD + 3];
	unsigned int first;
	const uint8_t *end;
};

/* The first packet from @pos on that has no atoms; or @bound. */
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

/* Another mapping that has a block map, and @at in it.  Returns whether there is one. */
static noinline bool change_mapping(const struct csf_decoder *d, struct near *near, uint64_t at)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(d->seen); i++) {
		const struct mapping_seen *seen = &d->seen[i].seen;

		if (at - seen->first > seen->last - seen->first ||
		    !exec_has_block_map(d, &d->seen[i]))
			continue;
		*near = (struct near){
			.first = seen->first, .size = seen->last - seen->first + 1,
			.number = seen->block_map.number, .code = seen->code,
		};
		return true;
	}
	return false;
}

/* Where a block map says which block is @at an address.  NULL: none does. */
static __always_inline const uint32_t *entry_at(const struct csf_decoder *d, struct near *near,
						uint64_t at)
{
	if (unlikely(at % 4 || !d->ctx.bits64))
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

/* The block at the address @i, if one is known; else 0. */
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

/* Where the last step led to, if nobody has asked yet; and where execution goes @on, or not yet. */
static __always_inline void arrive(struct csf_decoder *d, struct prefetch *f, bool on)
{
	const uint64_t last = f->last;

	if (!last)
		return;
	f->last = 0;
	f->s.cur = load_link(&f->s.succ[last]);
	if (unlikely((int32_t)f->s.cur <= 0))
		f->s.cur = leave(d, last, f->s.cur, false, on);
}

/* As steps_found(). */
static __always_inline bool found(struct csf_decoder *d, struct prefetch *f, uint64_t offset,
				  uint32_t atoms, uint32_t n)
{
	if (likely(!f->unseen))
		return steps_found(d, &f->s, offset, atoms, n);
	f->unseen = false;
	f->s.cur = fast_locate(d, offset, atoms, n);
	if (likely(f->s.cur))
		return true;
	f->s.cur = d->exec.cur;
	return false;
}

/* As step_atoms(); but of a step, only the next one asks where it leads to. */
static __always_inline uint32_t step_on(struct csf_decoder *d, struct prefetch *f, uint64_t offset,
					uint32_t atoms, uint32_t n)
{
	for (; n; n--) {
		arrive(d, f, true);
		if (unlikely(!found(d, f, offset, atoms, n)))
			break;
		f->last = 2 * f->s.cur + (atoms & 1);
		atoms >>= 1;
		*f->s.out++ = f->last;
	}
	return n;
}

/* Takes the atoms up to @end.  Returns false if the loop has to be left before. */
static __always_inline bool take_atoms(struct csf_decoder *d, struct prefetch *f,
				       const uint8_t *end)
{
	while (f->pos < end) {
		const uint64_t offset = f->base + (uintptr_t)f->pos;
		const struct packet_atoms atoms = packet_atom[*f->pos++];
		const uint32_t left = step_on(d, f, offset, atoms.bits, atoms.n);

		if (likely(!left))
			continue;
		d->stats.atoms += left;
		if (d->ended | d->el_ready)
			return false;
	}
	return true;
}

/* Execution goes on at the address @i. */
static __always_inline void take_address(struct csf_decoder *d, struct prefetch *f,
					 const struct horizon *h, unsigned int i)
{
	const struct address *a = &h->address[i];

	f->last = 0;
	f->s.cur = likely(a->block) ? a->block : known_at(d, h, i, f->s.gen);
	f->unseen = !f->s.cur && a->entry;
	d->exec.returns = false;
	if (likely(f->s.cur)) {		/* some only by now */
		d->exec.at = h->at[i] & ~1ull;
		d->exec.anchor = f->s.cur;
	} else {
		d->exec.from = 0;
		d->exec.is1 = h->at[i] & 1;
		d->exec.pc = h->at[i] & ~1ull;
	}
	f->payload += a->behind - a->packet - 1;
	f->pos = a->behind;
}

/* Takes what it can below @bound, and no more than is read ahead.  Returns as take_atoms(). */
static __always_inline bool take(struct csf_decoder *d, struct prefetch *f, struct horizon *h,
				 struct near *near, const uint8_t *bound)
{
	unsigned int i = AHEAD;
	bool more = true;

	read_addresses(d, h, near, f->pos, bound);
	look_up_ahead(d, h, near, &f->s);
	while (more && i > h->first) {
		more = take_atoms(d, f, h->address[i - 1].packet);
		if (more)
			take_address(d, f, h, --i);
	}
	if (more)
		more = take_atoms(d, f, h->end);
	memcpy(d->etm4.expand.addr, h->at + i, sizeof(d->etm4.expand.addr));
	return more && (h->end >= bound || !h->first);
}

void flow_fast_prefetch(struct csf_decoder *d)
{
	const uint8_t *const first = d->win.pos, *const safe = etm4_near(&d->win);
	const uint32_t *const full = d->step + d->config.run_max - d->n_more;
	const uint64_t atoms_before = d->stats.atoms;
	const uint32_t steps_before = d->n_step;
	struct near near = { 0 };
	struct horizon h;
	struct prefetch f;
	bool more = settled(d);
	size_t room;

	f.s = steps_begin(d, false);
	f.last = 0;
	f.pos = first;
	f.base = window_offset(&d->win, first) - (uintptr_t)first;
	f.payload = 0;
	f.unseen = false;
	d->prefetch = true;
	exec_see_block_maps(d);
	while (more && f.pos < safe && (room = (full - f.s.out) / ATOMS_MAX) >= ROOM_MIN)
		more = take(d, &f, &h, &near, (size_t)(safe - f.pos) > room ? f.pos + room : safe);

	arrive(d, &f, false);
	steps_put_back(d, &f.s);
	d->win.pos = f.pos;
	d->stats.packets += (f.pos - first) - f.payload;
	d->stats.atoms += d->n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}
