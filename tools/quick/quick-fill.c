// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder's rules, as far as they need no code: see decoder/decoder.c and decoder/flow.c.
 * Everything that needs code is lost here, and counted.  quick-older.c has the packets of ETMv3
 * and PTM.
 */
#include <errno.h>
#include <string.h>

#include "quick-parts.h"

/* ---------------------------------------------------------------- time and context */

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

int quick_fill_timestamp(struct quick_fill *fill, struct quick_stream *s,
			 const struct csf_packet *p)
{
	const uint64_t low = p->n == 64 ? 0 : UINT64_MAX << p->n;

	s->timestamp = (s->timestamp & low) | p->val;
	if (!fill->replay->timed || !s->timestamp)
		return 0;
	return quick_fill_time(fill, s, s->older.gray ? from_gray(s->timestamp) : s->timestamp);
}

void quick_fill_half(struct quick_stream *s)
{
	if (!s->half)
		s->half = s->whose.fragment > s->last ||
			  (s->whose.fragment == s->last && s->at - s->begin >= s->middle);
}

/* Code at EL1 of a machine whose kernel is at EL2 is a guest's; see perf-plugin/queue-guest.c. */
static bool is_guest(const struct quick_stream *s, const struct csf_context *to, uint32_t tid)
{
	const struct csf_context *from = &s->whose.context;

	if (s->whose.unit->pid != PERF_CS_PID_VMID || to->el > 1)
		return false;
	return to->el == 1 ||
	       (from->known && from->el < 2 && s->whose.guest && tid == s->whose.tid);
}

int quick_fill_enter(struct quick_fill *fill, struct quick_stream *s, const struct csf_context *to)
{
	int err = atom_run_settle(fill, s);
	bool other, wide, ran;
	uint32_t tid;

	tid = perf_cs_tid(s->whose.unit, to);
	if (tid == PERF_NO_TID)
		tid = fill->replay->aux->queue[s->whose.queue].tid;
	other = tid != s->whose.tid || is_guest(s, to, tid) != s->whose.guest;
	wide = to->bits64 != s->whose.context.bits64;
	ran = (other || wide) && atom_run_executed(s);
	if (ran)
		err = err ?: atom_run_locate(fill, s);
	s->whose.guest = is_guest(s, to, tid);
	s->whose.tid = tid;
	s->whose.context = *to;
	if (other)
		err = err ?: quick_fill_ask_who(fill, s);
	if (ran)
		err = err ?: atom_run_move(fill, s, wide);
	quick_fill_half(s);
	return err;
}

/* Info byte: C V NS SF NSE 0 EL EL.  A missing ID is the previous one. */
static int enter(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	struct csf_context to = s->whose.context;

	to.known = true;
	to.el = p->info & 3;
	to.bits64 = p->info >> 4 & 1;
	if (p->info & 0x40) {
		to.has_vmid = true;
		to.vmid = p->vmid;
	}
	if (p->info & 0x80) {
		to.has_contextid = true;
		to.contextid = p->contextid;
	}
	return quick_fill_enter(fill, s, &to);
}

/* ---------------------------------------------------------------- packets */

void quick_fill_lose(struct quick_fill *fill, enum csf_gap why, uint64_t n)
{
	uint64_t *lost = &fill->quick->table.stat[COUNT_LOST + why];

	*lost = count_sum(*lost, n);
}

void quick_fill_skip(struct quick_fill *fill, uint64_t bytes)
{
	fill->quick->table.stat[COUNT_SKIPPED] += bytes;
}

int quick_fill_lose_sync(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why)
{
	int err = atom_run_stop(fill, s, why);

	quick_fill_lose(fill, why, s->waits);
	s->waits = false;
	s->in_transaction = false;
	s->sync = QUICK_NO_SYNC;
	s->timestamp = 0;
	memset(s->history, 0, sizeof(s->history));
	s->whose.context.known = false;
	quick_fill_half(s);
	return err;
}

int quick_fill_atoms(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	if (s->in_transaction)
		quick_fill_lose(fill, CSF_GAP_SPECULATION, p->n);
	if (s->in_transaction)
		fill->transactions += p->n;
	else if (s->deaf)
		fill->quick->full += p->n;
	else if (!s->known || !s->whose.context.known)
		quick_fill_lose(fill, s->why, p->n);
	else
		return atom_run_add(fill, s, p);
	return 0;
}

/* The address of a packet; its missing part comes from the newest in @history. */
static inline uint64_t address_of(const uint64_t history[3], const struct csf_packet *p)
{
	if (p->type == CSF_PKT_ADDR_MATCH)
		return history[p->val];
	/* the upper 64 - n bits of the newest */
	return (history[0] & UINT64_MAX << 1 << (p->n - 1)) | p->val | (p->flags & CSF_PKT_IS1);
}

static void push_address(struct quick_stream *s, const struct csf_packet *p)
{
	uint64_t addr;

	if (p->type == CSF_PKT_SRC_MATCH || p->flags & CSF_PKT_MATCH)
		addr = s->history[p->val];
	else
		addr = address_of(s->history, p);
	s->history[2] = s->history[1];
	s->history[1] = s->history[0];
	s->history[0] = addr;
}

/*
 * A Q has its address: execution goes on there.  Atoms do not tell the path to it, but none are
 * lost if its beginning is known.
 */
static int end_q(struct quick_fill *fill, struct quick_stream *s)
{
	int err;

	fill->lost_q++;
	if (!s->known || !s->whose.context.known)
		quick_fill_lose(fill, s->why, 1);
	err = atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	quick_fill_half(s);
	if (!s->in_transaction)
		err = err ?: atom_run_begin(fill, s, s->history[0]);
	return err;
}

/* An address, perhaps with a context; an exception, or a Q, may have waited for it. */
static int address(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	const bool context = p->flags & CSF_PKT_CTXT;
	int err = 0;

	push_address(s, p);
	/* an address of AArch32 has 32 bits */
	if (context && !(p->info >> 4 & 1))
		s->history[0] = (uint32_t)s->history[0];
	if (s->waits && !s->waits_q) {
		s->waits = false;
		if (context)
			err = enter(fill, s, p);
		err = err ?: atom_run_interrupt(fill, s, s->history[0]);
		quick_fill_half(s);
		return err;
	}
	if (s->waits) {
		s->waits = false;
		err = end_q(fill, s);
	} else if (!s->in_transaction) {
		err = atom_run_begin(fill, s, s->history[0]);
	}
	if (context)
		err = err ?: enter(fill, s, p);
	quick_fill_warm_up(s);
	return err;
}

#define TYPE_TRANSACTION_FAIL	0x18	/* of ETE, an exception */

static int exception(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err = 0;

	if (p->exception == TYPE_TRANSACTION_FAIL &&
	    csf_config_protocol(&s->config) == CSF_PROTOCOL_ETE) {
		s->in_transaction = false;
		err = atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	}
	s->exception = *p;
	s->waits = !(p->flags & CSF_PKT_UNKNOWN);
	s->waits_q = false;
	s->hot = false;
	if (s->waits)
		return err;
	s->history[2] = s->history[1];
	s->history[1] = s->history[0];
	s->history[0] = 0;
	err = err ?: atom_run_reset(fill, s);
	quick_fill_half(s);
	return err;
}

static int q(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err;

	s->waits = !(p->flags & CSF_PKT_ADDR);
	s->waits_q = true;
	s->hot = false;
	if (s->waits)
		return 0;
	push_address(s, p);
	err = end_q(fill, s);
	quick_fill_warm_up(s);
	return err;
}

/* Only code tells its target, and what was executed before. */
static int source(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	int err;

	push_address(s, p);
	err = atom_run_source(fill, s, s->history[0]);
	fill->lost_q++;
	quick_fill_lose(fill, s->why, 1);
	quick_fill_half(s);
	return err;
}

/* A transaction may have failed, so its atoms are not counted. */
static int transaction(struct quick_fill *fill, struct quick_stream *s, bool starts)
{
	s->in_transaction = starts;
	return atom_run_stop(fill, s, CSF_GAP_ADDRESS);
}

/* Resets the parts that packets may leave out. */
static int info(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	struct csf_context *context = &s->whose.context;
	const bool joins = s->sync != QUICK_IN_SYNC;

	s->sync = QUICK_IN_SYNC;
	s->timestamp = 0;
	memset(s->history, 0, sizeof(s->history));
	context->has_contextid = false;
	context->has_vmid = false;
	context->contextid = 0;
	context->vmid = 0;
	quick_fill_warm_up(s);
	return joins && p->val & 0x40 ? transaction(fill, s, true) : 0;
}

static inline bool is_address(const struct csf_packet *p)
{
	return p->type >= CSF_PKT_ADDR_MATCH && p->type <= CSF_PKT_ADDR64;
}

/* Of where execution went, maybe with a context. */
static bool is_any_address(const struct csf_packet *p)
{
	return is_address(p) || p->type == CSF_PKT_ADDR_CTXT32 || p->type == CSF_PKT_ADDR_CTXT64;
}

/* A Cancel of no P0 elements cannot be right, but what comes after it need not be wrong. */
static bool takes_nothing(const struct csf_packet *p)
{
	return p->type == CSF_PKT_BAD && p->n == CSF_BAD_SEQUENCE && p->info == CSF_PKT_CANCEL1;
}

/* While an exception waits for its address few packets are allowed; others are read anyway. */
static int lose_exception(struct quick_fill *fill, struct quick_stream *s,
			  const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ASYNC:
		return quick_fill_lose_sync(fill, s, CSF_GAP_CUT);
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_IGNORE:
	case CSF_PKT_CONTEXT:
		return 0;
	default:
		if (is_any_address(p) || (p->type == CSF_PKT_BAD && !takes_nothing(p)))
			return 0;
		s->waits = false;
		quick_fill_lose(fill, CSF_GAP_PACKET, 1);
		return atom_run_stop(fill, s, CSF_GAP_PACKET);
	}
}

/* Long because it is one flat switch over the types of packets. */
static int synced(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	uint64_t *holes = &fill->quick->table.stat[COUNT_HOLES];
	int err = atom_run_settle(fill, s);

	if (!err && s->waits)
		err = lose_exception(fill, s, p);
	if (err)
		return err;
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		return quick_fill_atoms(fill, s, p);
	case CSF_PKT_ASYNC:
		if (s->sync != QUICK_IN_SYNC)
			s->sync = QUICK_WAITS_INFO;
		return 0;
	case CSF_PKT_INFO:
		return info(fill, s, p);
	case CSF_PKT_TIME:
		return quick_fill_timestamp(fill, s, p);
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		return address(fill, s, p);
	case CSF_PKT_CONTEXT:
		if (p->flags & CSF_PKT_CTXT)
			err = enter(fill, s, p);
		quick_fill_warm_up(s);
		return err;
	case CSF_PKT_EXCEPTION:
		return exception(fill, s, p);
	case CSF_PKT_ON:
		err = atom_run_stop(fill, s, CSF_GAP_ADDRESS);
		quick_fill_half(s);
		return err;
	case CSF_PKT_Q:
		return q(fill, s, p);
	case CSF_PKT_SRC_MATCH:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		return source(fill, s, p);
	case CSF_PKT_TM_START:
		return transaction(fill, s, true);
	case CSF_PKT_TM_COMMIT:
		return transaction(fill, s, false);
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_DISCARD:
		*holes = count_sum(*holes, 1);
		return quick_fill_lose_sync(fill, s, p->type == CSF_PKT_OVERFLOW ?
					    CSF_GAP_OVERFLOW : CSF_GAP_DISCARD);
	case CSF_PKT_BAD:
		if (takes_nothing(p) && s->sync == QUICK_IN_SYNC)
			return 0;
		quick_fill_skip(fill, p->size);
		return quick_fill_lose_sync(fill, s, p->n == CSF_BAD_CUT ? CSF_GAP_CUT :
					    CSF_GAP_PACKET);
	default:
		return 0;
	}
}

/* Skips to a Trace Info after an A-sync. */
static int unsynced(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	const bool waits = s->sync == QUICK_WAITS_INFO;

	s->hot = false;
	if (p->type == CSF_PKT_INFO && waits)
		return info(fill, s, p);
	if (p->type == CSF_PKT_ASYNC)
		s->sync = QUICK_WAITS_INFO;
	if (p->type == CSF_PKT_ASYNC ||
	    (waits && (p->type == CSF_PKT_EVENT || p->type == CSF_PKT_IGNORE)))
		return 0;
	quick_fill_skip(fill, p->size);
	/* else it is the previous gap */
	if (s->why == CSF_GAP_ADDRESS)
		s->why = CSF_GAP_START;
	return 0;
}

static inline struct quick_hit *hit_of(struct quick_stream *s, uint64_t to)
{
	uint64_t h = s->raw.addr * 0x9e3779b97f4a7c15ull + to * 0xc2b2ae3d27d4eb4full +
		     s->raw.atoms * 0xd6e8feb86659fd93ull;

	return &s->hit[h >> 52 & (QUICK_HITS - 1)];
}

static inline bool is_wide(const struct quick_fill *fill, const struct quick_hit *hit)
{
	return (fill->quick->atom_run[hit->atom_run].flags & QUICK_ISA) == CSF_A64;
}

/* The previous atom run is new, or was not seen for a while. */
static int miss(struct quick_fill *fill, struct quick_stream *s, struct quick_hit *hit)
{
	struct quick_hit is = s->raw;
	int err = atom_run_settle(fill, s);

	err = err ?: atom_run_locate(fill, s);
	is.to = s->addr;
	is.atom_run = atom_run_count_before(fill, s, QUICK_NEXT, &s->now);
	if (!err && is.atom_run != UINT32_MAX)
		*hit = is;
	return err;
}

/*
 * The current atom run has atoms, no parts, and an event after which it ran: it ends here, and
 * becomes the previous atom run.
 */
static inline int pass(struct quick_fill *fill, struct quick_stream *s)
{
	struct quick_hit *raw = &s->raw, *hit = hit_of(s, s->addr);
	int err = 0;

	if (raw->n && hit->addr == raw->addr && hit->to == s->addr && hit->atoms == raw->atoms &&
	    hit->n == raw->n && is_wide(fill, hit) == s->whose.context.bits64) {
		fill->quick->atom_run[hit->atom_run].count[s->half]++;
		s->n_atom_run++;
		s->n_atom += raw->n;
	} else if (raw->n) {
		err = miss(fill, s, hit);
	}
	raw->addr = s->addr;
	raw->atoms = s->now.atoms;
	raw->n = s->now.n;
	return err;
}

/* A constant argument makes another function of each. */
#define COMPILED_IN	static inline __attribute__((always_inline))

/* Is it an address, of a branch without an exception? */
COMPILED_IN bool is_target(const struct csf_packet *p, enum quick_kind kind)
{
	if (kind == QUICK_ETM4)
		return is_address(p);
	return p->type == CSF_PKT_BRANCH && !p->info &&
	       !(p->flags & ~(CSF_PKT_IS1 | CSF_PKT_COUNT));
}

/* The address of a packet, after the ones before. */
COMPILED_IN uint64_t target_of(const uint64_t history[3], const struct csf_packet *p,
			       enum quick_kind kind)
{
	if (kind == QUICK_ETM4)
		return address_of(history, p);
	if (p->n == 32)
		return p->val | (p->flags & CSF_PKT_IS1);
	return quick_older_address(history[0], p->val, p->n, history[0] & 1);
}

/*
 * Handles atoms and addresses as long as nothing else comes; nearly all packets are such.  State
 * that changes with each packet is kept out of memory.
 *
 * Return: the end of the handled packets; NULL: no memory.
 */
COMPILED_IN const struct csf_packet *pass_all(struct quick_fill *fill, struct quick_stream *s,
					      const struct csf_packet *p,
					      const struct csf_packet *end,
					      enum quick_kind kind)
{
	uint64_t at = s->at, atoms = s->now.atoms, addr = s->addr, history[3];
	unsigned int n = s->now.n;
	bool located = s->located;

	memcpy(history, s->history, sizeof(history));
	for (; p < end; at += p++->size) {
		if (p->type == CSF_PKT_ATOM) {
			if (n + p->n > QUICK_ATOMS)
				break;
			/* cycles alone */
			if (kind == QUICK_ETM3 && !p->n)
				continue;
			atoms |= p->val << n;
			n += p->n;
			continue;
		}
		if (!is_target(p, kind))
			break;
		/* of PTM it is an atom, too; of ETMv3, execution may have come here without */
		if (kind == QUICK_PTM ? n == QUICK_ATOMS : kind == QUICK_ETM3 && located)
			break;
		if (n || kind == QUICK_PTM) {
			if (located || s->has_before || !s->going)
				break;
			if (kind == QUICK_PTM)
				atoms |= 1ull << n++;
			s->addr = addr;
			s->now.atoms = atoms;
			s->now.n = n;
			s->located = located;
			if (pass(fill, s))
				return NULL;
			atoms = 0;
			n = 0;
		}
		addr = target_of(history, p, kind);
		history[2] = history[1];
		history[1] = history[0];
		history[0] = addr;
		located = false;
	}
	if (kind != QUICK_ETM4)
		s->older.isa = history[0] & 1;
	memcpy(s->history, history, sizeof(history));
	s->at = at;
	s->addr = addr;
	s->located = located;
	s->now.atoms = atoms;
	s->now.n = n;
	return p;
}

/* ---------------------------------------------------------------- speculative trace */

static int lost(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	uint64_t *holes = &fill->quick->table.stat[COUNT_HOLES];
	int err;

	quick_fill_skip(fill, p->val);
	if (p->info == CSF_GAP_START) {
		/* else it is the gap that was there before */
		if (s->why == CSF_GAP_ADDRESS)
			s->why = CSF_GAP_START;
		return 0;
	}
	if (p->info == CSF_GAP_OVERFLOW || p->info == CSF_GAP_DISCARD)
		*holes = count_sum(*holes, 1);
	err = atom_run_settle(fill, s);
	quick_fill_lose(fill, p->info, p->count);
	return err ?: quick_fill_lose_sync(fill, s, p->info);
}

static int committed(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	if (p->type == CSF_PKT_BAD && p->n == CSF_BAD_LOST)
		return lost(fill, s, p);
	if (s->hot && p->type == CSF_PKT_ATOM && s->now.n + p->n <= QUICK_ATOMS) {
		s->now.atoms |= p->val << s->now.n;
		s->now.n += p->n;
		return 0;
	}
	if (s->hot) {
		const uint64_t at = s->at;
		const struct csf_packet *next = pass_all(fill, s, p, p + 1, QUICK_ETM4);

		s->at = at;
		if (next != p)
			return next ? 0 : -ENOMEM;
	}
	return synced(fill, s, p);
}

int quick_fill_committed(struct quick_fill *fill, struct quick_stream *s,
			 const struct csf_packet *p, const uint64_t *offset, size_t n,
			 uint64_t used)
{
	const uint64_t before = s->at;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		s->at = offset[i];
		err = committed(fill, s, &p[i]);
	}
	s->at = used;
	fill->quick->table.stat[COUNT_BYTES] += used - before;
	return err;
}

COMPILED_IN int one(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		    enum quick_kind kind)
{
	if (kind != QUICK_ETM4)
		return quick_older_packet(fill, s, p);
	return s->sync == QUICK_IN_SYNC ? synced(fill, s, p) : unsynced(fill, s, p);
}

COMPILED_IN int handle(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		       size_t n, enum quick_kind kind)
{
	const struct csf_packet *end = p + n;
	const uint64_t before = s->at;
	int err = 0;

	while (p < end && !err) {
		if (s->hot) {
			p = pass_all(fill, s, p, end, kind);
			if (!p)
				return -ENOMEM;
			if (p == end)
				break;
		}
		err = one(fill, s, p, kind);
		s->at += p++->size;
	}
	fill->quick->table.stat[COUNT_BYTES] += s->at - before;
	return err;
}

int quick_fill_sure(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		    size_t n)
{
	switch ((enum quick_kind)s->kind) {
	case QUICK_PTM:
		return handle(fill, s, p, n, QUICK_PTM);
	case QUICK_ETM3:
		return handle(fill, s, p, n, QUICK_ETM3);
	default:
		return handle(fill, s, p, n, QUICK_ETM4);
	}
}

int quick_fill_packets(struct quick_fill *fill, struct quick_stream *s,
		       const struct csf_packet *p, size_t n)
{
	if (s->kind == QUICK_ETM3)
		return quick_older_hold(fill, s, p, n);
	return quick_fill_sure(fill, s, p, n);
}
