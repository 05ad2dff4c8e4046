// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds where two parted traces agree again: the place with the fewest
 * skipped instructions at which a row of them has the same address and
 * opcode.  It is looked for among the next instructions of both sides, by the hash of
 * each row, so the work grows with the look-ahead and not with its square.
 *
 * In a loop a short row is soon found, but perhaps in another round.  So a
 * long row is looked for first: the traces meet there.  Short rows are used for
 * the part before it.
 *
 * One of the traces may lack more than the look-ahead, such as a long wait for a lock.  Then
 * the place is looked for farther ahead, now and then: by a row of different instructions, because
 * a row of a loop is the same in each round, and in each other execution of the loop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

/* The most items to look ahead for each instruction: records between them are included. */
#define RECORDS_MAX	64

/* An instruction ahead; the end of a trace is like one. */
struct match_anchor {
	uint64_t hash;
};

/* The first place in A with this row. */
struct match_slot {
	uint64_t hash;
	uint32_t at;		/* plus 1; 0: empty */
};

/* Instructions in a long row. */
#define LONG_ROW	64

/* Farther ahead: so many instructions at most, each time STEP times as many as before */
#define FAR		(1u << 18)
#define STEP		4

/* So many of a row must differ from each other there. */
#define DISTINCT	(LONG_ROW * 3 / 4)

#define END	0x9e3779b97f4a7c15ull

static uint64_t mix(uint64_t v)
{
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ull;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ull;
	return v ^ v >> 32;
}

static uint64_t hash_of(const struct match *m, const struct source_item *item, uint32_t n)
{
	const bool opcodes = m->options->rules.fields[SOURCE_INSN] & MATCH_OPCODE;
	uint32_t at = match_bytes(item, n), end = match_bytes(item, n + 1);
	uint64_t code = 0;

	if (opcodes && !item->no_code)
		memcpy(&code, source_code(item) + at, end - at < 8 ? end - at : 8);
	return mix(item->addr + at + mix(code + 1));
}

static uint32_t long_row(const struct match *m)
{
	return m->options->confirm > LONG_ROW ? m->options->confirm : LONG_ROW;
}

/* Collects the next instructions of side @i and, with @end, its end.  Return: how many. */
static size_t collect(struct match *m, int i, bool end)
{
	const size_t max = m->look + long_row(m);
	struct match_anchor *a = m->anchor[i];
	const struct match_kept *kept = NULL;
	bool lost = false;
	size_t n = 0;

	for (size_t at = 0; n < max && at < RECORDS_MAX * max; at++) {
		kept = match_side_ahead(&m->side[i], at);
		if (!kept)
			break;
		if (kept->item.kind == SOURCE_LOST || kept->item.kind == SOURCE_FOUND)
			lost = i == m->truth && kept->item.kind == SOURCE_LOST;
		if (kept->item.kind != SOURCE_INSN || lost)
			continue;
		for (uint32_t j = 0; j < kept->item.n_insn && n < max; j++)
			a[n++].hash = hash_of(m, &kept->item, j);
	}
	if (end && !kept && !m->side[i].error)
		for (uint32_t j = 0; j < long_row(m); j++)
			a[n++].hash = END + j;
	return n;
}

/* The row of @k that begins at @a. */
static uint64_t row(const struct match_anchor *a, uint32_t k)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < k; i++)
		hash = mix(hash + a[i].hash);
	return hash | 1;
}

static void enter(struct match *m, uint64_t hash, uint32_t at)
{
	size_t i = hash & (m->n_slot - 1);

	while (m->slot[i].at && m->slot[i].hash != hash)
		i = (i + 1) & (m->n_slot - 1);
	if (!m->slot[i].at)
		m->slot[i] = (struct match_slot){ hash, at + 1 };
}

/* Return: the place plus 1; 0: none. */
static uint32_t look_up(const struct match *m, uint64_t hash)
{
	size_t i = hash & (m->n_slot - 1);

	while (m->slot[i].at && m->slot[i].hash != hash)
		i = (i + 1) & (m->n_slot - 1);
	return m->slot[i].at;
}

/* Is the row of @k at @a one of a loop?  Of its last instructions if it is longer. */
static bool is_loop(const struct match_anchor *a, uint32_t k)
{
	uint64_t seen[4 * LONG_ROW] = { 0 };
	uint32_t distinct = 0;

	for (const struct match_anchor *p = a + k - LONG_ROW; p < a + k; p++) {
		size_t i = p->hash % (4 * LONG_ROW);

		while (seen[i] && seen[i] != p->hash)
			i = (i + 1) % (4 * LONG_ROW);
		distinct += !seen[i];
		seen[i] = p->hash;
	}
	return distinct < DISTINCT;
}

/*
 * Finds the nearest row of @k equal instructions among the next @n of each side; @far: that is not
 * one of a loop.  @skip: the number of instructions to skip on each side.
 */
static bool nearest(struct match *m, const size_t *n, uint32_t k, bool far, size_t *skip)
{
	const size_t max = m->look + m->options->confirm;
	size_t best = SIZE_MAX, apart = SIZE_MAX;

	memset(m->slot, 0, m->n_slot * sizeof(*m->slot));
	for (size_t i = 0; i + k <= n[0] && i < max; i++)
		enter(m, row(&m->anchor[0][i], k), i);
	for (size_t j = 0; j + k <= n[1] && j < max && j <= best; j++) {
		size_t i = look_up(m, row(&m->anchor[1][j], k));

		if (!i-- || (far && is_loop(&m->anchor[1][j], k)))
			continue;
		if (i + j > best || (i + j == best && (i > j ? i - j : j - i) >= apart))
			continue;
		best = i + j;
		apart = i > j ? i - j : j - i;
		skip[0] = i;
		skip[1] = j;
	}
	return best != SIZE_MAX;
}

static bool is_after_gap(const struct match *m, int i)
{
	return m->gap[i] == m->side[i].insns + 1;
}

/*
 * A side with a gap lacks instructions that the other side has.  So the first instruction after the
 * gap is looked for on the other side.  If a gap ends in the middle of a round of a loop, the
 * nearest place would often be the end of that round, and its rest would be skipped.
 */
static bool nearest_after_gap(struct match *m, const size_t *n, size_t *skip)
{
	const uint32_t k = long_row(m);
	size_t some[2] = { n[0], n[1] };
	const int i = is_after_gap(m, 1);

	if (is_after_gap(m, 0) == is_after_gap(m, 1) || n[i] < k)
		return false;
	some[i] = k;
	return nearest(m, some, k, false, skip);
}

/* Makes room to look @look instructions ahead, and does so from now on. */
static int room(struct match *m, size_t look)
{
	const size_t n = look + 2 * long_row(m);

	m->look = look;
	m->n_slot = 64;
	while (m->n_slot < 2 * n)
		m->n_slot *= 2;
	if (n <= m->size_look)
		return 0;
	m->size_look = 0;
	free(m->slot);
	m->slot = calloc(m->n_slot, sizeof(*m->slot));
	for (int i = 0; i < 2; i++) {
		free(m->anchor[i]);
		m->anchor[i] = calloc(n, sizeof(*m->anchor[i]));
	}
	if (!m->slot || !m->anchor[0] || !m->anchor[1])
		return -ENOMEM;
	m->size_look = n;
	return 0;
}

/* ---------------------------------------------------------------- passing over */

static bool anchor(const struct match *m, int i, const struct source_item *item)
{
	return item->kind == SOURCE_INSN && !(i == m->truth && m->lost);
}

static void report_one(struct match *m, int i, const struct source_item *item)
{
	const uint32_t silent = 1u << SOURCE_CUT | 1u << SOURCE_LOST | 1u << SOURCE_FOUND |
				1u << SOURCE_TASK | 1u << SOURCE_CONTEXT | 1u << SOURCE_Q;
	enum match_kind kind = i ? MATCH_EXTRA : MATCH_MISSING;

	if (item->kind == SOURCE_GAP)
		kind = MATCH_GAP;
	if (!(silent >> item->kind & 1))
		match_report_pair(m, kind, i ? NULL : item, i ? item : NULL, 0);
}

/* Skips records before the next anchor of side @i. */
static void pass_records(struct match *m, int i)
{
	struct source_item *item;

	while ((item = match_side_next(&m->side[i])) && !anchor(m, i, item)) {
		if (!(i == m->truth && m->lost))
			report_one(m, i, item);
		match_pass(m, i, item);
		match_side_take(&m->side[i], item->n_insn);
	}
}

/* Skips @n anchors, and the records between them. */
static void pass(struct match *m, int i, size_t n)
{
	struct source_item *item;

	while (n) {
		pass_records(m, i);
		item = match_side_next(&m->side[i]);
		if (!item)
			return;
		if (item->n_insn > n) {
			struct source_item part = *item;

			part.size = match_bytes(item, n);
			part.n_insn = n;
			report_one(m, i, &part);
			match_side_take(&m->side[i], n);
			return;
		}
		n -= item->n_insn;
		report_one(m, i, item);
		match_side_take(&m->side[i], item->n_insn);
	}
}

/* Skips as many on both sides, in pairs. */
static void pass_pairs(struct match *m, size_t n)
{
	while (n--) {
		struct source_item part[2];

		for (int i = 0; i < 2; i++) {
			const struct source_item *item;

			pass_records(m, i);
			item = match_side_next(&m->side[i]);
			if (!item)
				return;
			part[i] = *item;
			match_first(&part[i]);
		}
		match_report_pair(m, MATCH_CHANGED, &part[0], &part[1], 0);
		match_side_take(&m->side[0], 1);
		match_side_take(&m->side[1], 1);
	}
}

/* The number of taken instructions of side @i that are in the trace. */
static uint64_t position(const struct match *m, int i)
{
	return m->side[i].insns - (i == m->truth ? m->lost_insns : 0);
}

/* The number of instructions of side @i before the meeting place; SIZE_MAX: none is known */
static size_t to_meeting(const struct match *m, int i)
{
	return position(m, i) > m->meet[i] ? SIZE_MAX : m->meet[i] - position(m, i);
}

/* Limits the @n next instructions to those before the meeting place.  false: none is known */
static bool before_meeting(const struct match *m, size_t *n)
{
	size_t left[2] = { to_meeting(m, 0), to_meeting(m, 1) };

	if (left[0] > n[0] || left[1] > n[1] || (!left[0] && !left[1]))
		return false;
	memcpy(n, left, sizeof(left));
	return true;
}

/* They meet after @skip: there are only @n instructions on each side before that. */
static void meet(struct match *m, const size_t *skip, size_t *n)
{
	for (int i = 0; i < 2; i++) {
		m->meet[i] = position(m, i) + skip[i];
		n[i] = skip[i];
	}
}

/*
 * Looks for a meeting place farther ahead than usual: not again before half of what was looked at
 * has been passed over, so that the work for each instruction is limited.
 */
static bool far_meeting(struct match *m, size_t *n, size_t *skip)
{
	const size_t near = m->options->resync;

	if (!near || position(m, 0) < m->no_far)
		return false;
	for (size_t look = near * STEP; look <= FAR && !m->error; look *= STEP) {
		m->error = room(m, look);
		if (m->error)
			break;
		/* An end is no place to meet so far away. */
		n[0] = collect(m, 0, false);
		n[1] = collect(m, 1, false);
		if (nearest(m, n, long_row(m), true, skip)) {
			meet(m, skip, n);
			return true;
		}
		if (n[0] < look && n[1] < look)
			break;
	}
	m->no_far = position(m, 0) + FAR / 2;
	return false;
}

/* The look-ahead that reaches a meeting place which was found farther ahead than usual. */
static size_t look_ahead(const struct match *m)
{
	const size_t near = m->options->resync;
	size_t left[2] = { to_meeting(m, 0), to_meeting(m, 1) };
	size_t more = left[0] > left[1] ? left[0] : left[1];

	return more > near && more <= FAR ? more : near;
}

/* Finds how much to skip.  Return: they meet there, or later. */
static bool find(struct match *m, size_t *skip)
{
	const size_t near = m->options->resync, max = near + m->options->confirm;
	size_t n[2] = { collect(m, 0, true), collect(m, 1, true) };

	if (!before_meeting(m, n)) {
		if (nearest_after_gap(m, n, skip) || nearest(m, n, long_row(m), false, skip)) {
			meet(m, skip, n);
		} else if (nearest(m, n, m->options->confirm, false, skip)) {
			return true;
		} else if (!far_meeting(m, n, skip)) {
			m->count.unsynced++;
			skip[0] = n[0] < max ? n[0] : max;
			skip[1] = n[1] < max ? n[1] : max;
			return false;
		}
	}
	/* Far ahead, the short rows of two long parts are too much work. */
	if ((n[0] > near && n[1] > near) || !nearest(m, n, m->options->confirm, false, skip))
		memcpy(skip, n, sizeof(n));
	return true;
}

void match_sync(struct match *m)
{
	size_t skip[2] = { 0 };
	bool found;

	m->error = room(m, look_ahead(m));
	if (m->error)
		return;
	found = find(m, skip);
	if (m->error)
		return;
	match_report_begin(m, MATCH_CHANGED, found ? "the traces part" :
			   "the traces part, and do not meet within the look-ahead");
	if (skip[0] == skip[1] && found) {
		pass_pairs(m, skip[0]);
	} else {
		pass(m, 0, skip[0]);
		pass(m, 1, skip[1]);
	}
	match_report_end(m);
}
