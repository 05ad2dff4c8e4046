// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "quick-sure.h"

#define RING_MIN	256
#define RING_MAX	65536	/* more than any unit's MAXSPEC: then the stream makes no sense */

/* ---------------------------------------------------------------- what a packet leaves out */

static void push(struct quick_sure *s, uint64_t addr)
{
	s->addr[2] = s->addr[1];
	s->addr[1] = s->addr[0];
	s->addr[0] = addr;
}

/* The address of @p, all of it. */
static void expand_address(struct quick_sure *s, struct csf_packet *p)
{
	const bool match = p->type == CSF_PKT_ADDR_MATCH || p->type == CSF_PKT_SRC_MATCH ||
			   p->flags & CSF_PKT_MATCH;
	/* the upper 64 - n bits of the newest */
	const uint64_t high = match ? 0 : s->addr[0] & UINT64_MAX << 1 << (p->n - 1);

	push(s, match ? s->addr[p->val] : high | p->val | !!(p->flags & CSF_PKT_IS1));
	/* an address of AArch32 has 32 bits */
	if (p->flags & CSF_PKT_CTXT && !(p->info >> 4 & 1))
		s->addr[0] = (uint32_t)s->addr[0];
	p->val = s->addr[0] & ~1ull;
	p->n = 64;
	p->flags &= ~(CSF_PKT_IS1 | CSF_PKT_MATCH);
	p->flags |= s->addr[0] & 1 ? CSF_PKT_IS1 : 0;
}

/* Info byte: C V NS SF NSE 0 EL EL.  An ID that is not there is the one before. */
static void expand_context(struct quick_sure *s, struct csf_packet *p)
{
	if (!(p->flags & CSF_PKT_CTXT))
		return;
	if (!(p->info & 0x40))
		p->vmid = s->context.vmid;
	if (!(p->info & 0x80))
		p->contextid = s->context.contextid;
	p->info |= s->context.info & 0xc0;
	s->context = *p;
}

/* Makes of an address packet one that needs no other. */
static void make_whole(struct quick_sure *s, struct csf_packet *p)
{
	expand_context(s, p);
	expand_address(s, p);
	p->type = p->flags & CSF_PKT_CTXT ? CSF_PKT_ADDR_CTXT64 : CSF_PKT_ADDR64;
}

/* What packets may leave out starts afresh. */
static void forget(struct quick_sure *s)
{
	memset(s->addr, 0, sizeof(s->addr));
	s->context = (struct csf_packet){ 0 };
	s->time = 0;
	s->waits = false;
}

bool sure_is_address(const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		return true;
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- what waits */

/* Packets that are one P0 element. */
static const uint8_t is_p0[CSF_PKT_NR] = {
	[CSF_PKT_EXCEPTION] = 1, [CSF_PKT_Q] = 1, [CSF_PKT_SRC64] = 1, [CSF_PKT_RETURN] = 1,
};

/* How many P0 elements there are in @p. */
static inline uint32_t n_p0(const struct quick_sure *s, const struct csf_packet *p)
{
	if (p->type == CSF_PKT_ATOM)
		return p->n;
	if (p->type == CSF_PKT_EXCEPTION && p->exception == TYPE_TRANSACTION_FAIL && s->fails)
		return 0;
	return is_p0[p->type] | (p->type == CSF_PKT_TM_START && s->starts);
}

/* Source: ARM IHI 0064 "Cancel element", "Mispredict element", "Discard element". */
static bool survives_cancel(const struct sure_entry *e)
{
	return e->packet.type == CSF_PKT_INFO || e->packet.type == CSF_PKT_TM_COMMIT ||
	       e->packet.type == CSF_PKT_TIME;
}

static bool survives_mispredict(const struct sure_entry *e)
{
	return e->glued || (!sure_is_address(&e->packet) && e->packet.type != CSF_PKT_CONTEXT);
}

static bool survives_discard(const struct sure_entry *e)
{
	return e->packet.type == CSF_PKT_TIME;
}

static uint64_t first_bits(unsigned int n)
{
	return n < 64 ? ~(UINT64_MAX << n) : UINT64_MAX;
}

static struct sure_entry *nth(const struct quick_sure *s, uint32_t i)
{
	return &s->entry[(s->oldest + i) & (s->size - 1)];
}

/* Of those from the @from-th on only what @survives. */
static void keep(struct quick_sure *s, uint32_t from, bool (*survives)(const struct sure_entry *e))
{
	uint32_t n = from;

	for (uint32_t i = from; i < s->n; i++)
		if (survives(nth(s, i)))
			*nth(s, n++) = *nth(s, i);
	s->n = n;
}

static int grow(struct quick_sure *s)
{
	const uint32_t size = s->size ? 2 * s->size : RING_MIN;
	struct sure_entry *entry = malloc(size * sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		entry[i] = *nth(s, i);
	free(s->entry);
	s->entry = entry;
	s->size = size;
	s->oldest = 0;
	return 0;
}

/* The first @n of these atoms are sure, the others stay. */
static int pass_some(struct quick_sure *s, struct sure_entry *atoms, uint32_t n)
{
	struct csf_packet *p = &atoms->packet;
	const uint64_t val = p->val;
	const uint32_t rest = p->n - n;
	int err;

	s->depth -= n;
	p->val = val & first_bits(n);
	p->n = n;
	err = s->pass(s->to, p, atoms->at);
	p->val = val >> n;
	p->n = rest;
	return err;
}

/* Passes what is sure: @n P0 elements, and what is before the next one. */
static int pass(struct quick_sure *s, uint32_t n)
{
	int err = 0;

	while (s->n && !err) {
		struct sure_entry *oldest = nth(s, 0);
		const uint32_t p0 = n_p0(s, &oldest->packet);

		if (p0 ? !n : s->unseen)
			break;
		if (p0 > n)
			return pass_some(s, oldest, n);
		n -= p0;
		s->depth -= p0;
		s->oldest++;
		s->n--;
		err = s->pass(s->to, &oldest->packet, oldest->at);
	}
	return err;
}

/* Nothing makes sense from here to the next A-sync. */
static int lose(struct quick_sure *s, enum csf_gap why)
{
	const uint64_t n = s->depth + s->waits;
	int err;

	keep(s, 0, survives_discard);
	s->depth = 0;
	s->unseen = 0;
	forget(s);
	err = pass(s, 0);
	return err ?: s->lose(s->to, why, n);
}

/* The oldest @n P0 elements happened. */
static int commit(struct quick_sure *s, uint32_t n)
{
	const uint32_t unseen = n < s->unseen ? n : s->unseen;

	if (n - unseen > s->depth)
		return lose(s, CSF_GAP_SPECULATION);
	s->unseen -= unseen;
	return pass(s, n - unseen);
}

/* Room for one more; NULL: no memory. */
static inline struct sure_entry *room(struct quick_sure *s)
{
	if (s->n == s->size && grow(s))
		return NULL;
	return nth(s, s->n++);
}

static inline int append(struct quick_sure *s, const struct sure_entry *e)
{
	struct sure_entry *to = room(s);

	if (!to)
		return -ENOMEM;
	*to = *e;
	s->depth += n_p0(s, &e->packet);
	return 0;
}

/* More than the unit may take back is sure. */
static int commit_rest(struct quick_sure *s)
{
	const uint32_t n = s->depth + s->unseen;

	/* behind what waits nothing is sure by itself */
	if (n <= s->max && s->n > 1)
		return 0;
	return commit(s, n > s->max ? n - s->max : 0);
}

/* Behind what waits already.  @address: or NULL. */
static int submit(struct quick_sure *s, const struct sure_entry *e,
		  const struct sure_entry *address)
{
	if (s->n + 2 > RING_MAX)
		return lose(s, CSF_GAP_SPECULATION);
	if (append(s, e) || (address && append(s, address)))
		return -ENOMEM;
	return commit_rest(s);
}

/* ---------------------------------------------------------------- what is taken back */

/* The youngest @n P0 elements, and what is behind them.  Return: there were so many. */
static bool cancel(struct quick_sure *s, uint32_t n)
{
	uint32_t i = s->n;

	if (n > s->depth && n - s->depth > s->unseen)
		return false;
	while (n && i) {
		const uint32_t p0 = n_p0(s, &nth(s, i - 1)->packet);

		if (p0 > n)
			break;
		n -= p0;
		s->depth -= p0;
		i--;
	}
	if (n && i) {		/* some atoms of a packet stay */
		struct csf_packet *atoms = &nth(s, i - 1)->packet;

		atoms->n -= n;
		atoms->val &= first_bits(atoms->n);
		s->depth -= n;
		n = 0;
	}
	s->unseen -= n;
	keep(s, i, survives_cancel);
	return true;
}

/* The youngest atom went the other way.  Return: there was one, seen or not. */
static bool mispredict(struct quick_sure *s)
{
	uint32_t i = s->n;

	while (i && nth(s, i - 1)->packet.type != CSF_PKT_ATOM)
		i--;
	if (i) {
		struct csf_packet *atoms = &nth(s, i - 1)->packet;

		atoms->val ^= 1ull << (atoms->n - 1);
	}
	keep(s, i, survives_mispredict);
	return i || s->unseen;
}

/* ---------------------------------------------------------------- packets */

/* Behind atoms that wait, if they are the youngest and there is room for more. */
static bool join_atoms(struct quick_sure *s, const struct csf_packet *p)
{
	struct csf_packet *last = s->n ? &nth(s, s->n - 1)->packet : NULL;

	if (!last || last->type != CSF_PKT_ATOM || last->n + p->n > 64)
		return false;
	last->val |= p->val << last->n;
	last->n += p->n;
	s->depth += p->n;
	return true;
}

static int put_atoms(struct quick_sure *s, const struct csf_packet *p, uint64_t at)
{
	struct sure_entry *e;

	if (!p->n)
		return 0;
	if (s->waits)
		return lose(s, CSF_GAP_PACKET);
	if (join_atoms(s, p))
		return commit_rest(s);
	if (s->n + 1 > RING_MAX)
		return lose(s, CSF_GAP_SPECULATION);
	e = room(s);
	if (!e)
		return -ENOMEM;
	*e = (struct sure_entry){ .at = at };
	e->packet.type = CSF_PKT_ATOM;
	e->packet.n = p->n;
	e->packet.val = p->val;
	s->depth += p->n;
	return commit_rest(s);
}

/* Atoms, and then something is taken back. */
static int take_back(struct quick_sure *s, const struct csf_packet *p, uint64_t at)
{
	const bool turns = p->type != CSF_PKT_CANCEL1 || p->flags & CSF_PKT_MISP;
	const uint32_t n = p->type == CSF_PKT_MISPREDICT ? 0 : p->count;
	int err = put_atoms(s, p, at);

	if (err || (cancel(s, n) && (!turns || mispredict(s))))
		return err;
	return lose(s, CSF_GAP_SPECULATION);
}

/* An exception, or a Q, has its address now, perhaps behind a context of its own. */
static int put_half(struct quick_sure *s, const struct csf_packet *p)
{
	struct sure_entry address = { .packet = *p, .at = s->half.at, .glued = true };
	struct csf_packet *whole = &address.packet;

	make_whole(s, whole);
	if (s->half.packet.flags & CSF_PKT_CTXT) {
		whole->type = CSF_PKT_ADDR_CTXT64;
		whole->flags |= CSF_PKT_CTXT;
		whole->info = s->context.info;
		whole->vmid = s->context.vmid;
		whole->contextid = s->context.contextid;
	}
	s->half.packet.flags &= ~CSF_PKT_CTXT;
	s->waits = false;
	return submit(s, &s->half, &address);
}

/* While an exception, or a Q, waits for its address. */
static int put_second(struct quick_sure *s, const struct csf_packet *packet)
{
	struct csf_packet p = *packet;

	if (sure_is_address(&p))
		return put_half(s, &p);
	if (p.type == CSF_PKT_IGNORE)
		return 0;
	if (p.type != CSF_PKT_CONTEXT)
		return lose(s, CSF_GAP_PACKET);
	expand_context(s, &p);
	s->half.packet.flags |= p.flags & CSF_PKT_CTXT;
	return 0;
}

static int put(struct quick_sure *s, const struct csf_packet *packet, uint64_t at)
{
	struct sure_entry e = { .packet = *packet, .at = at };
	struct csf_packet *p = &e.packet;

	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_EXCEPTION:
		s->waits = !(p->flags & CSF_PKT_UNKNOWN);
		s->half = e;
		if (s->waits)
			return 0;
		push(s, 0);
		break;
	case CSF_PKT_Q:
		s->waits = !(p->flags & CSF_PKT_ADDR);
		s->half = e;
		if (s->waits)
			return 0;
		expand_address(s, p);
		break;
	case CSF_PKT_SRC_MATCH:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		expand_address(s, p);
		p->type = CSF_PKT_SRC64;
		break;
	case CSF_PKT_CONTEXT:
		expand_context(s, p);
		break;
	case CSF_PKT_TIME:
		s->time = (p->n == 64 ? 0 : s->time & UINT64_MAX << p->n) | p->val;
		p->val = s->time;
		p->n = 64;
		break;
	case CSF_PKT_INFO:
		forget(s);
		break;
	case CSF_PKT_ON:
	case CSF_PKT_RETURN:
	case CSF_PKT_TM_START:
	case CSF_PKT_TM_COMMIT:
		break;
	default:
		if (!sure_is_address(p))
			return 0;
		make_whole(s, p);
	}
	return submit(s, &e, NULL);
}

bool sure_takes_nothing(const struct csf_packet *p)
{
	return p->type == CSF_PKT_BAD && p->n == CSF_BAD_SEQUENCE && p->info == CSF_PKT_CANCEL1;
}

/* Sync is lost, if it was not a mere A-sync. */
static int put_loss(struct quick_sure *s, const struct csf_packet *p, enum csf_gap why, uint64_t at)
{
	int err = 0;

	if (p->type != CSF_PKT_ASYNC || s->waits)
		err = lose(s, why);
	return err ?: s->pass(s->to, p, at);
}

/* All but atoms and commits, of which most of the trace is made. */
static __attribute__((noinline)) int put_other(struct quick_sure *s, const struct csf_packet *p,
					       uint64_t at)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ASYNC:
		return put_loss(s, p, CSF_GAP_CUT, at);
	case CSF_PKT_BAD:
		if (sure_takes_nothing(p) && !s->waits)
			return 0;
		return put_loss(s, p, p->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, at);
	case CSF_PKT_DISCARD:
		return put_loss(s, p, CSF_GAP_DISCARD, at);
	case CSF_PKT_OVERFLOW:
		return put_loss(s, p, CSF_GAP_OVERFLOW, at);
	default:
		break;
	}
	if (s->waits)
		return put_second(s, p);
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		return take_back(s, p, at);
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		if (!s->commits)
			return 0;
		/* so many less than that, modulo 2^32 */
		return commit(s, p->commit + (p->type == CSF_PKT_CC2 && p->info & 1 ? s->max : 0));
	default:
		return put(s, p, at);
	}
}

int sure_packet(struct quick_sure *s, const struct csf_packet *p, uint64_t at)
{
	if (p->type == CSF_PKT_ATOM)
		return put_atoms(s, p, at);
	if (p->type == CSF_PKT_COMMIT && !s->waits)
		return commit(s, p->count);
	return put_other(s, p, at);
}

/* ---------------------------------------------------------------- begin and end */

void sure_join(struct quick_sure *s, const struct csf_packet *info)
{
	s->n = 0;
	s->depth = 0;
	s->unseen = info->commit;
	forget(s);
}

int sure_end(struct quick_sure *s)
{
	int err = 0;

	if (s->waits)
		err = lose(s, CSF_GAP_CUT);
	else if (s->depth)
		err = lose(s, CSF_GAP_SPECULATION);
	s->n = 0;
	s->unseen = 0;
	return err;
}

void sure_fini(struct quick_sure *s)
{
	free(s->entry);
}
