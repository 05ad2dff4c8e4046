// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * take_leg() is the hot loop; the rest is for a way that is not known, for what is taken back, and
 * for exceptions, contexts and marks.
 */
#include <assert.h>

#include "lead-calls.h"
#include "lead-marks.h"

/* The others stay as they are, and in registers. */
static __always_inline void copy_changed(struct lead *to, const struct lead *from)
{
	to->sure = from->sure;
	to->lost = from->lost;
	to->out = from->out;
	to->next = from->next;
	to->cancelled = from->cancelled;
	to->cur = from->cur;
}

/* -------- the steps */

/* What place_leave() and find_address() change of d->place. */
struct kept {
	uint64_t pc, at;
	uint32_t anchor, cur, from;
	bool is1;
};

/* Where the youngest step leads that has no link, if that was found before; else 0. */
static uint32_t find_next(struct csf_decoder *d, struct lead *l, uint64_t at, uint32_t anchor)
{
	const uint32_t made = l->step[l->out - 1];
	struct place *p = &d->place;
	const struct kept was = {
		.pc = p->pc, .at = p->at, .anchor = p->anchor, .cur = p->cur, .from = p->from,
		.is1 = p->is1,
	};
	uint32_t next;

	p->at = at;
	p->anchor = anchor;
	place_leave(d, made >> 1, made & 1);
	next = p->cur;
	if (!next)
		next = place_foresee(d, made);
	if (!next) {
		next = find_address(d);
		if (next)
			*l->next++ = (struct packet){ .at = p->at, .step = l->out, .kind = HOP };
	}
	p->pc = was.pc;
	p->at = was.at;
	p->anchor = was.anchor;
	p->cur = was.cur;
	p->from = was.from;
	p->is1 = was.is1;
	return next;
}

/* Execution is where the youngest step or address led: which block is that?  0: not known. */
static uint32_t hop(struct csf_decoder *d, struct lead *l)
{
	const struct packet *last = l->next;

	if (l->out > l->lost || l->next >= l->packet + PACKETS)
		return 0;
	while (last > l->packet && last[-1].kind == ATOMS)
		last--;
	if (last > l->packet && last[-1].step == l->out)
		return last[-1].kind == ADDRESS ? place_foresee_at(d, last[-1].at) : 0;
	if (l->out == l->first)
		return l->stack && d->place.returns ? lead_return(d, l) : 0;
	if (load_link(&l->succ[l->step[l->out - 1]]) & SUCC_AWAY)
		return l->stack ? lead_return(d, l) : 0;
	if (last == l->packet)
		return find_next(d, l, d->place.at, d->place.anchor);
	last--;
	if (!(l->step[last->step] >> 1))
		return 0;
	return find_next(d, l, last->at & ~1ull, anchor_of(l, last));
}

noinline void lead_make_slowly(struct csf_decoder *d, struct lead *l, uint32_t atoms, uint32_t n)
{
	for (; n; n--) {
		uint32_t made, next;

		if (!l->cur)
			l->cur = hop(d, l);
		if (!l->cur && l->lost > l->out)
			l->lost = l->out;
		made = 2 * l->cur + (atoms & 1);
		atoms >>= 1;
		next = load_link(&l->succ[made]);
		l->cur = next & SUCC_BLOCK;
		l->step[l->out++] = made;
		if (l->stack && next & SUCC_PUSH)
			lead_push(d, l);
	}
}

/*
 * No more are unsure than may be, and those neither that a Commit packet at @pos commits, if
 * there is one: that cannot be foretold, so there is no jump.  @behind: behind it, if it was
 * taken.  Returns whether all that is sure is known, and nothing else is wrong.
 */
static __always_inline bool commit(struct lead *l, const uint8_t *pos, const uint8_t **behind)
{
	const uint32_t is = *pos == 0x2d, n = pos[1] & -is;
	int64_t sure = l->out - l->max;

	if (sure < l->sure)
		sure = l->sure;
	l->sure = sure;
	*behind = pos;
	if (unlikely(n > l->out - sure) || unlikely(n >= 0x80))
		return false;
	l->sure = sure + n;
	*behind = pos + 2 * is;
	if (likely(l->sure <= l->lost))
		return true;
	if (sure > l->lost) {	/* a gap says what was lost before the Commit */
		l->sure = sure;
		*behind = pos;
	}
	return false;
}

/* -------- exceptions and contexts */

void lead_put_odd(struct lead *l, const struct element *el)
{
	struct packet *pkt = l->next;
	const uint32_t number = l->n_odd++;
	int64_t lost = l->out - 1;

	l->odd[number] = *el;
	pkt->offset = el->offset;
	pkt->at = number;
	pkt->step = l->out;
	pkt->kind = CONTEXT;
	l->next++;
	if (el->type == EL_EXCEPTION) {
		pkt->kind = EXCEPTION;
		lost = l->out;
		l->step[l->out++] = 2 * l->cur;
	}
	if (el->type != EL_CONTEXT)
		l->cur = 0;
	if (l->lost > lost)
		l->lost = lost;
}

/* -------- packets */

/* Goes back to before step @to, and forgets what came behind; its packet too, or only its way. */
static void go_back(struct csf_decoder *d, struct lead *l, int64_t to, bool all)
{
	const int64_t last = to + !all;

	l->out = to;
	l->cur = l->step[to] >> 1;
	if (l->lost >= to)
		l->lost = INT64_MAX;
	if (l->stack && lead_undo(d, l, to))
		l->cur = 0;
	for (; l->next > l->packet; l->next--) {
		if (l->next[-1].step + ((all && l->next[-1].kind <= EXCEPTION) ||
					l->next[-1].kind == RETURN) <= to)
			break;
		if (has_odd(&l->next[-1]))
			l->n_odd = l->next[-1].at;
	}
	/* marks stay, before what comes next */
	for (uint32_t i = l->n_mark; i && l->mark[i - 1].step > last; i--)
		l->mark[i - 1].step = last;
}

/* Is the youngest step before step @to an atom's? */
static bool ends_in_atom(const struct lead *l, int64_t to)
{
	const struct packet *pkt = l->next;

	while (pkt > l->packet && (pkt[-1].kind > EXCEPTION || pkt[-1].step >= to))
		pkt--;
	return pkt == l->packet || pkt[-1].kind == ATOMS;
}

/* May step @i be a call, whichever way it goes?  The way thought at first is what pushes. */
static bool may_call(const struct lead *l, int64_t i)
{
	return i >= l->lost || load_link(&l->succ[l->step[i] | 1]) & SUCC_PUSH;
}

/*
 * A Cancel or Mispredict packet.  Returns its size, or 0: it is not for here, and nothing is
 * changed, for then it is read once more.
 */
static int take_back(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	const struct packet_back *back = &packet_back[*pos - PACKET_BACK];
	const bool has_count = *pos < PACKET_BACK + 2;
	const uint32_t n = has_count ? pos[1] : back->cancel;
	const int64_t end = l->out + back->n, to = end - n;
	int64_t depth = end - l->sure;

	if (depth > l->max)
		depth = l->max;
	if (n + back->wrong > depth || back->n > depth || (has_count && (!n || n >= 0x80)) ||
	    end - depth > l->lost)
		return 0;
	if (back->wrong && n >= back->n && !ends_in_atom(l, to))
		return 0;
	/* what is taken back at once need not be there at all */
	if (back->n > n)
		step(d, l, window_offset(&d->win, pos), back->atoms, back->n);
	if (l->stack && back->wrong && may_call(l, to - 1)) {
		if (back->n > n)
			go_back(d, l, end - back->n, true);
		return 0;
	}
	l->sure = end - depth;
	l->cancelled += n;
	if (back->wrong) {
		uint32_t atom = ~l->step[to - 1] & 1;

		go_back(d, l, to - 1, false);
		make(d, l, atom, 1);
	} else if (l->out > to) {
		go_back(d, l, to, true);
	}
	return 1 + has_count;
}

/*
 * An exception of the most frequent form: a type of five bits, and an address without a context
 * right behind.  Returns as take_back().
 */
static int take_exception(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	const uint32_t type = pos[1] >> 1 & 0x1f;
	int64_t sure = l->out + 1 - l->max;
	unsigned int size;
	uint64_t at;

	if (pos[1] & 0x80 || type == TYPE_PE_RESET || type == TYPE_TRANSACTION_FAILURE ||
	    pos + 2 >= d->win.safe)
		return 0;
	size = packet_address_at(pos + 2, d->expand.addr, &at);
	if (sure < l->sure)
		sure = l->sure;
	if (!size || l->n_odd == ODD_MAX || sure > l->lost)
		return 0;
	l->sure = sure;
	lead_put_odd(l, &(struct element){
		.type = EL_EXCEPTION, .exception = type, .offset = window_offset(&d->win, pos),
		.addr = at & ~1ull, .is1 = at & 1,
		.flags = EL_ADDR | ((pos[1] & 0x41) == 0x40 ? EL_TARGET : 0),
	});
	packet_keep_address(d->expand.addr, at);
	d->stats.packets++;
	d->stats.atoms--;	/* lead_run() takes all steps for atoms */
	return 2 + size;
}

/*
 * An exception with its address, or a context, with an address or without, if that waits for
 * something.  Returns as take_back().
 */
static int take_odd(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	const uint64_t offset = window_offset(&d->win, pos);
	enum expanded is = EXPAND_NONE;
	struct expand x = d->expand;
	const uint8_t *p = pos;
	struct csf_packet pkt;
	struct element el;
	int64_t sure = l->out + 1 - l->max;
	unsigned int n = 0;

	for (; is == EXPAND_NONE && p < d->win.safe; n++) {
		p += packet_read(&d->config, p, &pkt);
		if (pkt.type == CSF_PKT_BAD)
			return 0;
		is = expand_packet(&x, &d->config, &pkt, offset, &el);
	}
	if (is != EXPAND_ELEMENT || !is_odd(&el) || l->n_odd == ODD_MAX)
		return 0;
	if (el.type == EL_EXCEPTION && sure > l->sure)
		l->sure = sure;
	if (l->sure > l->lost || (el.type != EL_EXCEPTION && l->sure == l->out))
		return 0;
	lead_put_odd(l, &el);
	d->expand = x;
	d->stats.packets += n - 1;
	d->stats.atoms -= el.type == EL_EXCEPTION;	/* lead_run() takes all steps for atoms */
	return p - pos;
}

/* A cycle count of one byte or two.  Returns as take_back(). */
static int take_cycles(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	const struct short_cycles c = short_cycles(&d->config, pos);

	if (c.commit > l->out - l->sure || l->sure + c.commit > l->lost ||
	    l->n_mark >= l->max_mark)
		return 0;
	l->sure += c.commit;
	put_cycles(d, l, window_offset(&d->win, pos), c.count, l->out, l->sure);
	return c.size;
}

/* What is neither atoms, nor an address, nor a Commit.  Returns as take_back(). */
static noinline int take_other(struct csf_decoder *d, struct lead *l, const uint8_t *pos)
{
	if (is_short_cycles(*pos))
		return take_cycles(d, l, pos);
	if (*pos >= PACKET_BACK && *pos <= 0x3f)
		return take_back(d, l, pos);
	if (*pos == 0x06)
		return take_exception(d, l, pos) ?: take_odd(d, l, pos);
	if ((*pos & 0xf8) == 0x80)
		return take_odd(d, l, pos);
	if (*pos == 0x02 || *pos == 0x03)
		return lead_take_time(d, l, pos);
	if (*pos == 0x0e || *pos == 0x0f)
		return lead_take_cycles(d, l, pos);
	return 0;
}

#define AT_ONCE	128	/* a span has not so many steps, with what comes behind it */

/*
 * How far packets can be taken without asking for room, up to step l->full; a Commit behind the
 * last one, too.
 */
static const uint8_t *with_room(struct csf_decoder *d, struct lead *l)
{
	const uint8_t *pos = d->win.pos, *safe = d->win.safe - 1;
	size_t packets = (d->config.run_max - l->out) / ATOMS_MAX;
	size_t left = PACKETS - (l->next - l->packet);

	l->full = (int64_t)d->config.run_max - AT_ONCE;
	if (l->out < l->full)
		packets = left;
	else
		l->full = d->config.run_max;

	if (pos >= safe && !d->win.flush) {
		window_look(&d->win, &d->config);
		/* behind the last one before an A-sync there is no Commit */
		safe = d->win.safe - (d->win.safe != d->win.cut);
	}
	if (pos >= safe || l->next >= l->packet + PACKETS)
		return pos;
	if (packets > left)
		packets = left;
	return (size_t)(safe - pos) > packets ? pos + packets : safe;
}

/**
 * struct span - atom packets that were read, and not stepped through yet
 * @first: their bytes, with Commit packets between
 * @pos: behind them
 * @atoms: oldest in bit 0
 * @n: so many
 * @unsure: steps that are not sure behind them
 * @payload: bytes that begin no packet
 */
struct span {
	const uint8_t *first;
	const uint8_t *pos;
	uint64_t atoms;
	uint64_t n;
	int64_t unsure;
	uint64_t payload;
};

#define SPAN_MAX	(64 - ATOMS_MAX)	/* it has no room for one more packet */
#define SPAN_UNSURE	64	/* if more steps may be unsure, each packet is taken by itself */

/*
 * Atom packets at @pos up to the next one that is none, and what is committed behind each: as
 * commit().  With @cycles those between short cycle counts, too, which wait: @lead->mark.
 * Returns whether nothing is wrong with that.
 */
static __always_inline bool read_span(const struct csf_decoder *d, struct lead *lead,
				      const struct lead *l, struct span *s, const uint8_t *pos,
				      const uint8_t *bound, int64_t unsure, bool cycles)
{
	int64_t wrong = SPAN_UNSURE - l->max;
	const uint8_t *const first = pos;
	uint64_t bits = 0, n = 0, payload = 0;

again:
	do {
		const struct packet_atoms *atoms = &packet_atom[*pos];
		const uint64_t is = pos[1] == 0x2d;
		const uint64_t committed = pos[2] * is;

		bits |= (uint64_t)atoms->bits << n;
		n += atoms->n;
		unsure += atoms->n;
		if (unsure > l->max)
			unsure = l->max;
		unsure -= committed;
		wrong |= unsure;
		payload += is;
		pos += 1 + 2 * is;
	} while (*pos >= 0xc0 && pos < bound && n <= SPAN_MAX);
	if (cycles && is_short_cycles(*pos) && pos < bound && n <= SPAN_MAX &&
	    lead->n_mark < lead->max_mark) {
		const struct short_cycles c = short_cycles(&d->config, pos);

		unsure -= c.commit;
		wrong |= unsure;
		put_cycles(d, lead, window_offset(&d->win, pos), c.count, l->out + n,
			   l->out + n - unsure);
		payload += c.size - 1;
		pos += c.size;
		if (*pos >= 0xc0 && pos < bound)
			goto again;
	}
	*s = (struct span){ .first = first, .pos = pos, .atoms = bits, .n = n, .unsure = unsure,
			    .payload = payload };
	return wrong >= 0;
}

/* Atom packets from @first on, before their steps. */
static __always_inline void put_span(struct lead *l, const uint8_t *first)
{
	struct packet *pkt = l->next++;

	pkt->at = (uintptr_t)first;
	pkt->step = l->out;
	pkt->kind = ATOMS;
}

/*
 * Steps through all of them, four at a time, for how many there are is foretold badly; what is too
 * much is overwritten.  Returns false if they are to be taken one by one: behind a step that has
 * no link there are none.
 */
static __always_inline bool step_span(struct lead *l, const struct span *s, uint32_t least)
{
	const uint32_t *const succ = l->succ;
	uint32_t *out = l->step + l->out;
	uint64_t cur = l->cur, atoms = s->atoms, made;
	const int64_t end = l->out + s->n;
	int64_t left = s->n;

#define STEP(i) do {						\
	made = 2 * cur + (atoms >> (i) & 1);			\
	cur = load_link(&succ[made]) & SUCC_BLOCK;		\
	out[i] = made;						\
} while (0)
	do {
		STEP(0);
		STEP(1);
		STEP(2);
		STEP(3);
		atoms >>= 4;
		out += 4;
		left -= 4;
	} while (left > 0);
#undef STEP
	made = l->step[end - 1];
	if (unlikely(made < least))
		return false;
	put_span(l, s->first);
	l->out = end;
	l->cur = load_link(&succ[made]) & SUCC_BLOCK;
	return true;
}

/*
 * Behind step_span() that returned false: may these @n steps stand all the same, with @unsure that
 * are not sure behind them?  So it is while something is lost, if the queue is to have none of
 * them, and none could be looked up.
 */
static noinline bool keep_span(struct lead *l, const uint8_t *first, uint64_t n, int64_t unsure)
{
	const int64_t end = l->out + n;
	const uint32_t made = l->step[end - 1];

	if (end - unsure > l->lost || (l->cur ? made < 2 : l->out <= l->lost))
		return false;
	put_span(l, first);
	l->out = end;
	l->sure = end - unsure;
	l->cur = load_link(&l->succ[made]) & SUCC_BLOCK;
	return true;
}

/* All that is not sure can be undone: each step may be both a call and behind a return. */
static_assert(UNDO_MAX > 2 * (LEAD_STACK_MAX + SPAN_MAX + ATOMS_MAX), "no room to undo");

/*
 * As step_span(), where calls are to be noticed, and returns.  Returns false, and nothing is
 * changed, if that is not known or something is lost.
 */
static noinline bool step_calls(struct csf_decoder *d, struct lead *l, const struct span *s)
{
	const int64_t first = l->out;
	const uint32_t *const succ = l->succ, start = l->cur;
	struct packet *const pkt = l->next;
	uint64_t cur = start, atoms = s->atoms, n = s->n, made, next;
	struct calls calls;

	if (unlikely(l->lost != INT64_MAX))
		return false;
	put_span(l, s->first);
	if (!cur)
		cur = hop(d, l);
	calls = calls_of(d, l);
	while (likely(cur)) {
		uint32_t *out = l->step + l->out;

		do {
			made = 2 * cur + (atoms & 1);
			atoms >>= 1;
			next = load_link(&succ[made]);
			*out++ = made;
			cur = next;
		} while (--n && likely((int32_t)next > 0));
		l->out = out - l->step;
		cur = next & SUCC_BLOCK;
		if (next & SUCC_PUSH)
			calls_push(d, l, &calls);
		if (!n)
			break;
		if (next & SUCC_AWAY) {
			cur = calls_return(d, l, &calls);
		} else if (!cur) {
			cur = hop(d, l);
			/* by now another thread may have found that it returns */
			calls = calls_of(d, l);
		}
	}
	if (unlikely(n)) {
		go_back(d, l, first, true);
		l->next = pkt;
		l->cur = start;
		return false;
	}
	l->cur = cur;
	return true;
}

/*
 * As read_span(), if the packet at @pos has one atom or two and there are no more behind it: so
 * have most where branches are broadcast.  A Commit of 128 or more is of more than can be unsure.
 */
static __always_inline bool read_few(const struct lead *l, struct span *s, const uint8_t *pos,
				     int64_t unsure)
{
	const struct packet_atoms *atoms = &packet_atom[*pos];
	const uint32_t n = atoms->n;
	const uint64_t is = pos[1] == 0x2d;
	const uint8_t *const behind = pos + 1 + 2 * is;
	const uint64_t committed = pos[2] * is;

	unsure += n;
	if (unsure > l->max)
		unsure = l->max;
	unsure -= committed;
	*s = (struct span){ .first = pos, .pos = behind, .atoms = atoms->bits, .n = n,
			    .unsure = unsure, .payload = is };
	return *behind < 0xc0 && n <= 2 && unsure >= 0;
}

/* As step_span(), behind read_few(). */
static __always_inline bool step_few(struct lead *l, const struct span *s, uint32_t least)
{
	uint32_t *const out = l->step + l->out;
	uint32_t made = 2 * l->cur + (s->atoms & 1);
	uint32_t next = load_link(&l->succ[made]) & SUCC_BLOCK;

	out[0] = made;
	if (s->n > 1) {
		made = 2 * next + (s->atoms >> 1);
		next = load_link(&l->succ[made]) & SUCC_BLOCK;
		out[1] = made;
	}
	if (unlikely(made < least))
		return false;
	put_span(l, s->first);
	l->out += s->n;
	l->cur = next;
	return true;
}

/* As step_calls(), behind read_few(); but between two atoms there may be no call and no return. */
static __always_inline bool step_few_calls(struct csf_decoder *d, struct lead *l,
					   const struct span *s, uint32_t least)
{
	uint32_t *const out = l->step + l->out;
	uint32_t made = 2 * l->cur + (s->atoms & 1), next = load_link(&l->succ[made]);

	if (unlikely(made < least))
		return false;
	out[0] = made;
	if (s->n > 1) {
		if ((int32_t)next <= 0)
			return false;
		made = 2 * next + (s->atoms >> 1);
		out[1] = made;
		next = load_link(&l->succ[made]);
	}
	put_span(l, s->first);
	l->out += s->n;
	l->cur = next & SUCC_BLOCK;
	if (next & SUCC_PUSH)
		lead_push(d, l);
	return true;
}

/* What packets are like: LEG_FEW: most have few atoms; LEG_CALLS: there is a return stack. */
enum leg_kind { LEG_MANY, LEG_CYCLES, LEG_FEW, LEG_CALLS, LEG_FEW_CALLS };

/**
 * struct hand - what the loop has of a lead in another form
 * @unsure: steps that are not sure: lead.out - lead.sure
 * @least: steps below this have no block; while some are lost, none is for step_span()
 */
struct hand {
	int64_t unsure;
	uint32_t least;
};

static __always_inline struct hand hand_of(const struct lead *l)
{
	const bool lost = l->lost != INT64_MAX;

	return (struct hand){
		.unsure = l->out - l->sure, .least = lost ? UINT32_MAX : 2,
	};
}

/* @lead is as it would be without the loop: for others, who change it. */
static __always_inline void put_down(struct lead *lead, struct lead *l, const struct hand *h)
{
	l->sure = l->out - h->unsure;
	copy_changed(lead, l);
}

static __always_inline void take_up(struct lead *l, const struct lead *lead, struct hand *h)
{
	copy_changed(l, lead);
	*h = hand_of(l);
}

/*
 * The atom packets at @pos.  Returns false if they are for take_slowly(), up to @s->pos.  @s->n: 0
 * if what they commit makes no sense.
 */
static __always_inline bool take_span(struct csf_decoder *d, struct lead *lead, struct lead *l,
				      struct span *s, const uint8_t *pos, const uint8_t *bound,
				      const struct hand *h, enum leg_kind kind)
{
	if (kind == LEG_FEW && read_few(l, s, pos, h->unsure) && step_few(l, s, h->least))
		return true;
	if (kind == LEG_FEW_CALLS && likely(read_few(l, s, pos, h->unsure)) &&
	    likely(step_few_calls(d, l, s, h->least)))
		return true;
	if (likely(read_span(d, lead, l, s, pos, bound, h->unsure, kind == LEG_CYCLES)))
		return kind >= LEG_CALLS ? step_calls(d, l, s) : likely(step_span(l, s, h->least));
	s->n = 0;
	return false;
}

/* Atom packets up to @end, one by one, and what is committed behind each.  Returns as leg(). */
static bool take_atoms(struct csf_decoder *d, struct lead *l, const uint8_t *end)
{
	const uint8_t *pos = d->win.pos, *behind;
	bool more;

	do {
		const struct packet_atoms *atoms = &packet_atom[*pos];

		step(d, l, window_offset(&d->win, pos), atoms->bits, atoms->n);
		more = commit(l, ++pos, &behind);
		d->stats.packets -= (behind - pos) >> 1;
		pos = behind;
	} while (more && pos < end && *pos >= 0xc0);
	d->win.pos = pos;
	return more;
}

/*
 * The packets of a span up to @end, with @n atoms, or 0, as read_span() has it.  Returns as leg().
 */
static noinline bool take_slowly(struct csf_decoder *d, struct lead *l, const uint8_t *end,
				 uint64_t n, int64_t unsure, uint64_t payload)
{
	const uint64_t offset = window_offset(&d->win, d->win.pos);

	if (n && !l->stack && keep_span(l, d->win.pos, n, unsure)) {
		d->win.pos = end;
		d->stats.packets -= payload;
		return true;
	}
	while (l->n_mark && l->mark[l->n_mark - 1].offset > offset)
		l->n_mark--;
	return take_atoms(d, l, end);
}

/*
 * Packets up to @bound.  Returns false if the one at hand is not for here.  @l: what is in hand: a
 * copy of @lead, most of it in registers; or @lead itself, where a call needs it in memory all the
 * time.  @kind: a constant, for code is compiled apart for each.
 */
static __always_inline bool take_leg(struct csf_decoder *d, struct lead *lead, struct lead *l,
				     const uint8_t *bound, uint64_t *n_payload, enum leg_kind kind)
{
	const uint8_t *pos = d->win.pos, *behind;
	const uint64_t base = window_offset(&d->win, pos) - (uintptr_t)pos;
	uint64_t *const last = d->expand.addr;
	bool more = true;
	uint64_t at = 0, payload = 0;
	struct hand h = hand_of(l);
	unsigned int size;

	do {
		struct span s;

		if (likely(*pos >= 0xc0)) {
			if (likely(take_span(d, lead, l, &s, pos, bound, &h, kind))) {
				payload += s.payload;
				h.unsure = s.unsure;
				pos = s.pos;
			} else {
				put_down(lead, l, &h);
				d->win.pos = pos;
				more = take_slowly(d, lead, s.pos, s.n, s.unsure, s.payload);
				pos = d->win.pos;
				take_up(l, lead, &h);
				if (!more)
					break;
			}
			if (pos >= bound)
				break;
		}
		size = packet_address_at(pos, last, &at);
		if (likely(size)) {
			go_to(d, l, base + (uintptr_t)pos, at);
			packet_keep_address(last, at);
			pos += size;
			payload += size - 1;
		} else if (*pos == 0x2d) {
			l->sure = l->out - h.unsure;
			more = commit(l, pos, &behind);
			h.unsure = l->out - l->sure;
			if (pos == behind)
				break;
			pos = behind;
			payload++;
		} else if (*pos < 0xc0) {
			put_down(lead, l, &h);
			size = take_other(d, lead, pos);
			more = size;
			if (!more)
				break;
			take_up(l, lead, &h);
			pos += size;
			payload += size - 1;
		}
	} while (likely(more) && pos < bound && likely(l->out < l->full));
	put_down(lead, l, &h);
	*n_payload += payload;
	d->win.pos = pos;
	return more;
}

static noinline bool leg(struct csf_decoder *d, struct lead *lead, const uint8_t *bound,
			 uint64_t *n_payload)
{
	struct lead l = *lead;

	return take_leg(d, lead, &l, bound, n_payload, LEG_MANY);
}

static noinline bool cycles_leg(struct csf_decoder *d, struct lead *lead, const uint8_t *bound,
				uint64_t *n_payload)
{
	struct lead l = *lead;

	return take_leg(d, lead, &l, bound, n_payload, LEG_CYCLES);
}

static noinline bool broadcast_leg(struct csf_decoder *d, struct lead *lead, const uint8_t *bound,
				   uint64_t *n_payload)
{
	struct lead l = *lead;

	return take_leg(d, lead, &l, bound, n_payload, LEG_FEW);
}

static noinline bool call_leg(struct csf_decoder *d, struct lead *lead, const uint8_t *bound,
			      uint64_t *n_payload)
{
	return take_leg(d, lead, lead, bound, n_payload, LEG_CALLS);
}

static noinline bool broadcast_call_leg(struct csf_decoder *d, struct lead *lead,
					const uint8_t *bound, uint64_t *n_payload)
{
	return take_leg(d, lead, lead, bound, n_payload, LEG_FEW_CALLS);
}

static inline bool any_leg(struct csf_decoder *d, struct lead *lead, const uint8_t *bound,
			   uint64_t *n_payload)
{
	const bool few = d->config.bb && lead->max <= SPAN_UNSURE;

	if (lead->stack)
		return few ? broadcast_call_leg(d, lead, bound, n_payload) :
			     call_leg(d, lead, bound, n_payload);
	if (few)
		return broadcast_leg(d, lead, bound, n_payload);
	return d->config.cycles ? cycles_leg(d, lead, bound, n_payload) :
				  leg(d, lead, bound, n_payload);
}

/* An A-sync.  Returns as leg(). */
static noinline bool take_sync(struct csf_decoder *d, struct lead *l, uint64_t *n_payload)
{
	const uint8_t *const pos = d->win.pos;
	const uint32_t n = lead_take_sync(d, l);

	*n_payload += d->win.pos - pos - n;
	return n;
}

/* Where it lies in its cache lines is a twentieth of its speed: not for the linker to say. */
__attribute__((aligned(64)))
bool lead_run(struct csf_decoder *d)
{
	const uint8_t *const first = d->win.pos, *bound;
	struct packet packet[2 * PACKETS];
	struct lead_undo undo[UNDO_MAX];
	struct element odd[ODD_MAX];
	struct lead_mark mark[WAIT_MAX];
	struct lead l = {
		.succ = d->image->blocks.succ, .step = d->step, .first = d->n_step,
		.sure = d->n_step, .lost = INT64_MAX, .out = d->n_step,
		.max = d->config.max_spec, .tag = place_tag(d),
		.packet = packet, .next = packet, .odd = odd,
		.mark = mark, .max_mark = lead_max_mark(d),
		.undo = undo, .stack = d->config.retstack,
	};
	uint64_t payload = 0;
	int64_t from;

	if (first >= d->win.safe)
		return false;
	if (!lead_take_over(d, &l))
		return true;
	from = l.out;
	do {
		if (l.next > packet + PACKETS / 2)
			lead_retire(d, &l);
		l.max_mark = lead_max_mark(d);
		bound = with_room(d, &l);
	} while (bound > d->win.pos ? any_leg(d, &l, bound, &payload) :
				      take_sync(d, &l, &payload));
	lead_put_back(d, &l);
	d->stats.packets += (d->win.pos - first) - payload;
	d->stats.atoms += l.out - from + l.cancelled;
	d->stats.p0 += l.out - from + l.cancelled;
	return d->win.pos == first;
}
