// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records between two instructions: registers, memory, events; and, with a
 * truth log, whether the decoder lost what the trace unit lost.
 */
#include <stdlib.h>
#include <string.h>

#include "match.h"

#define GAP(x)	(1u << CSF_GAP_##x)

/* The gaps that a decoder may have for each reason of a loss. */
static const uint32_t allowed[TRUTH_LOST_NR] = {
	[TRUTH_LOST_FILTER] = GAP(OFF),
	[TRUTH_LOST_STROBE] = GAP(OFF),
	[TRUTH_LOST_OFF] = GAP(OFF),
	[TRUTH_LOST_OVERFLOW] = GAP(OFF) | GAP(OVERFLOW),
	[TRUTH_LOST_SIGNAL] = GAP(OFF) | GAP(OVERFLOW),
	[TRUTH_LOST_DISCARD] = GAP(OFF) | GAP(DISCARD),
	[TRUTH_LOST_TRUNCATED] = GAP(OFF) | GAP(OVERFLOW) | GAP(START) | GAP(CUT) | GAP(BREAK) |
				 GAP(PACKET) | GAP(SPECULATION) | GAP(ADDRESS),
};

/* ---------------------------------------------------------------- gathering */

static void keep(struct match *m, int i)
{
	struct match_set *set = m->set[i];
	struct match_kept *kept = &set->kept[set->n];

	m->error = match_keep(kept, &m->side[i].item);
	if (m->error)
		return;
	memcpy(kept->name, m->side[i].name, sizeof(kept->name));
	kept->half = m->side[i].half;
	set->n++;
}

static void lost(struct match *m, struct match_set *set, uint64_t reason)
{
	m->lost = reason < TRUTH_LOST_NR ? reason : TRUTH_LOST_OFF;
	set->reasons |= 1u << m->lost;
	m->count.losses[m->lost]++;
}

/* Instructions that were executed while the trace unit lost them. */
static void lost_insn(struct match *m, struct match_set *set, uint32_t n)
{
	set->by[m->lost] += n;
	set->lost += n;
	m->count.lost[m->lost] += n;
	m->lost_insns += n;
}

void match_pass(struct match *m, int i, const struct source_item *item)
{
	struct match_set *set = m->set[i];

	switch ((enum source_kind)item->kind) {
	case SOURCE_INSN:
		lost_insn(m, set, item->n_insn);
		break;
	case SOURCE_LOST:
		lost(m, set, item->value);
		break;
	case SOURCE_FOUND:
		m->lost = 0;
		break;
	case SOURCE_TASK:
		set->task = true;
		m->pid[i] = item->pid;
		m->tid[i] = item->tid;
		break;
	case SOURCE_CONTEXT:
		m->context[i] = item->context;
		break;
	case SOURCE_EXCEPTION:
		set->exception = true;
		break;
	case SOURCE_GAP:
		m->gap[i] = m->side[i].insns + 1;
		break;
	default:
		break;
	}
}

/* Records that the trace cannot have are not compared. */
static void gather_one(struct match *m, int i, const struct source_item *item)
{
	const uint32_t passing = 1u << SOURCE_INSN | 1u << SOURCE_LOST | 1u << SOURCE_FOUND |
				 1u << SOURCE_TASK | 1u << SOURCE_CONTEXT;

	match_pass(m, i, item);
	if (!(passing >> item->kind & 1) && !(i == m->truth && m->lost))
		keep(m, i);
}

/* Up to the next instruction that is in the trace. */
static void gather(struct match *m, int i)
{
	struct match_set *set = m->set[i];
	struct source_item *item;

	set->n = 0;
	set->lost = 0;
	set->reasons = 0;
	set->exception = false;
	set->task = false;
	memset(set->by, 0, sizeof(set->by));
	if (i == m->truth && m->lost)
		set->reasons = 1u << m->lost;
	while (set->n < MATCH_SET && !m->error && (item = match_side_next(&m->side[i]))) {
		if (item->kind == SOURCE_INSN && !(i == m->truth && m->lost))
			break;
		gather_one(m, i, item);
		match_side_take(&m->side[i], item->n_insn);
	}
}

/* ---------------------------------------------------------------- losses */

static void one(struct match *m, enum match_kind kind, const char *why, int i,
		const struct source_item *item)
{
	match_report_begin(m, kind, why);
	match_report_pair(m, kind, i ? NULL : item, i ? item : NULL, 0);
	match_report_end(m);
}

/* Is a gap of the decoder one that the unit logged? */
static bool explained(const struct match *m, const struct match_set *truth, uint64_t gap)
{
	if (gap == CSF_GAP_OFF && (!m->begun || truth->exception || truth->task))
		return true;
	for (int reason = 1; reason < TRUTH_LOST_NR; reason++)
		if (truth->reasons >> reason & 1 && allowed[reason] >> gap & 1)
			return true;
	return false;
}

struct gaps {
	uint64_t n, n_q, insns;
	bool uncounted;
};

static struct gaps look_at_gaps(struct match *m, const struct match_set *truth,
				const struct match_set *trace)
{
	struct gaps gaps = { 0 };

	for (size_t i = 0; i < trace->n && !m->stop; i++) {
		const struct source_item *item = &trace->kept[i].item;

		if (item->kind == SOURCE_CUT || item->kind == SOURCE_GAP)
			gaps.n++;
		if (item->kind == SOURCE_GAP && !explained(m, truth, item->value))
			one(m, MATCH_GAP, "a gap that the trace unit did not log", !m->truth,
			    item);
		if (item->kind != SOURCE_Q)
			continue;
		gaps.n_q++;
		gaps.insns += item->value;
		gaps.uncounted |= !item->value;
		if (!(truth->reasons >> TRUTH_LOST_Q & 1))
			one(m, MATCH_GAP, "a Q element that the trace unit did not log", !m->truth,
			    item);
	}
	return gaps;
}

static void judge(struct match *m)
{
	const struct match_set *truth = m->set[m->truth];
	const uint64_t q = truth->by[TRUTH_LOST_Q];
	struct gaps gaps = look_at_gaps(m, truth, m->set[!m->truth]);
	bool over = !match_side_next(&m->side[!m->truth]);
	struct source_item item;

	source_item(&item, SOURCE_LOST);
	for (item.value = 1; !(truth->reasons >> item.value & 1) && item.value < TRUTH_LOST_Q;)
		item.value++;
	if (m->stop || over || !m->begun)
		return;
	if (truth->lost > q && !gaps.n)
		one(m, MATCH_NO_GAP, "instructions are lost, and no gap says so", m->truth, &item);
	item.value = TRUTH_LOST_Q;
	if (q && !gaps.n_q)
		one(m, MATCH_NO_GAP, "a Q element of the unit is not in the trace", m->truth,
		    &item);
	else if (q && !gaps.uncounted && q != gaps.insns)
		one(m, MATCH_Q, "a Q element with another number of instructions", m->truth,
		    &item);
}

bool match_context_same(const struct csf_context *a, const struct csf_context *b)
{
	if (!a->known || !b->known)
		return true;
	if (a->el != b->el || a->security != b->security || a->bits64 != b->bits64)
		return false;
	if (a->has_contextid && b->has_contextid && a->contextid != b->contextid)
		return false;
	return !a->has_vmid || !b->has_vmid || a->vmid == b->vmid;
}

static void report_context(struct match *m, const char *why, const struct source_item *item)
{
	match_report_begin(m, MATCH_CONTEXT, why);
	match_report_pair(m, MATCH_CONTEXT, &item[0], &item[1], 0);
	match_report_end(m);
}

static void contexts(struct match *m)
{
	struct source_item item[2];
	bool same = match_context_same(&m->context[0], &m->context[1]);

	if (!same && !m->told_context) {
		for (int i = 0; i < 2; i++) {
			source_item(&item[i], SOURCE_CONTEXT);
			item[i].context = m->context[i];
		}
		report_context(m, "executed as something else", item);
	}
	m->told_context = !same;
}

static bool compares_contexts(const struct match *m)
{
	return m->options->rules.keep & 1u << SOURCE_CONTEXT;
}

static void tasks(struct match *m)
{
	struct source_item item[2];
	bool same = m->tid[0] == m->tid[1] || m->tid[0] == PERF_NO_TID || m->tid[1] == PERF_NO_TID;

	if (!same && !m->told_task && compares_contexts(m)) {
		for (int i = 0; i < 2; i++) {
			source_item(&item[i], SOURCE_TASK);
			item[i].pid = m->pid[i];
			item[i].tid = m->tid[i];
		}
		report_context(m, "executed by another thread", item);
	}
	m->told_task = !same;
}

/* Only where both go on: one may have the context before a loss, the other after it. */
static void environment(struct match *m)
{
	const struct source_item *a = match_side_next(&m->side[0]);
	const struct source_item *b = match_side_next(&m->side[1]);

	if (!a || !b || a->kind != SOURCE_INSN || b->kind != SOURCE_INSN)
		return;
	contexts(m);
	if (!m->stop)
		tasks(m);
}

/* ---------------------------------------------------------------- records */

static bool structure(const struct match_kept *kept)
{
	return kept->item.kind >= SOURCE_GAP;
}

/* Only records are left. */
static void drop_structure(struct match_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct match_kept swap = set->kept[n];

		if (structure(&set->kept[i]))
			continue;
		set->kept[n++] = set->kept[i];
		if (n - 1 != i)
			set->kept[i] = swap;
	}
	set->n = n;
}

/**
 * struct pairs - what the records of one side have on the other
 * @of: the partner: its index + 1; 0: none
 * @same: none, but the other side accesses the same bytes of memory
 */
struct pairs {
	uint16_t of[2][MATCH_SET];
	bool same[2][MATCH_SET];
};

/* Pairs the rest by the same key and, if @exact, the same value. */
static void pair(struct match *m, struct pairs *p, bool exact)
{
	const struct match_set *a = m->set[0], *b = m->set[1];

	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n && !p->same[0][i] && !p->of[0][i]; j++)
			if (!p->same[1][j] && !p->of[1][j] &&
			    match_record_key(&a->kept[i], &b->kept[j]) &&
			    (!exact || !match_record_fields(m, &a->kept[i], &b->kept[j]))) {
				p->of[0][i] = j + 1;
				p->of[1][j] = i + 1;
			}
}

/*
 * The records that are out of order: those that are not in the longest sequence that
 * ascends in both.  @way: the length of the longest one that ends at each record of A.
 */
static void out_of_order(struct match *m, const struct pairs *p, bool *moved)
{
	const size_t n = m->set[0]->n;
	uint16_t way[MATCH_SET];
	size_t best = 0, left, last = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		way[i] = !!p->of[0][i];
		for (size_t j = 0; j < i && way[i]; j++)
			if (p->of[0][j] && p->of[0][j] < p->of[0][i] && way[j] >= way[i])
				way[i] = way[j] + 1;
		moved[i] = way[i];
		if (way[i] > best)
			best = way[i];
	}
	left = best;
	for (size_t i = n; i-- && left;)
		if (way[i] == left && p->of[0][i] < last) {
			moved[i] = false;
			last = p->of[0][i];
			left--;
		}
}

/* The first records, as many as are the same on both sides. */
static size_t same_so_far(struct match *m)
{
	const struct match_set *a = m->set[0], *b = m->set[1];
	size_t n = 0;

	while (n < a->n && n < b->n && match_record_key(&a->kept[n], &b->kept[n]) &&
	       !match_record_fields(m, &a->kept[n], &b->kept[n]))
		n++;
	return n;
}

static void report_a(struct match *m, const struct pairs *p, size_t i, bool moved)
{
	const struct match_kept *a = &m->set[0]->kept[i];
	const struct match_kept *b = p->of[0][i] ? &m->set[1]->kept[p->of[0][i] - 1] : NULL;
	uint32_t fields = b ? match_record_fields(m, a, b) : 0;

	if (p->same[0][i]) {
		match_report_same(m, &a->item, NULL);
		m->count.records++;
	} else if (!b) {
		match_report_pair(m, MATCH_MISSING, &a->item, NULL, 0);
	} else if (fields) {
		match_report_pair(m, MATCH_CHANGED, &a->item, &b->item, fields);
	} else if (moved) {
		match_report_pair(m, MATCH_ORDER, &a->item, &b->item, 0);
	} else {
		match_report_same(m, &a->item, &b->item);
		m->count.records++;
	}
}

static void report_b(struct match *m, const struct pairs *p, size_t j)
{
	const struct source_item *b = &m->set[1]->kept[j].item;

	if (p->same[1][j])
		match_report_same(m, NULL, b);
	else if (!p->of[1][j])
		match_report_pair(m, MATCH_EXTRA, NULL, b, 0);
}

/* After exact pairs: has each record its partner, in order, or the same bytes of memory? */
static bool all_same(const struct match *m, const struct pairs *p, const bool *moved)
{
	for (size_t i = 0; i < m->set[0]->n; i++)
		if (!p->same[0][i] && (!p->of[0][i] || moved[i]))
			return false;
	for (size_t j = 0; j < m->set[1]->n; j++)
		if (!p->same[1][j] && !p->of[1][j])
			return false;
	return true;
}

static void report(struct match *m, const struct pairs *p, const bool *moved)
{
	const size_t n = m->set[1]->n;
	size_t j = 0;

	match_report_begin(m, MATCH_CHANGED, "records of an instruction differ");
	for (size_t i = 0; i < m->set[0]->n; i++) {
		report_a(m, p, i, moved[i]);
		for (; j < n && (!p->of[1][j] || p->of[1][j] <= i + 1); j++)
			report_b(m, p, j);
	}
	for (; j < n; j++)
		report_b(m, p, j);
	match_report_end(m);
}

static void compare(struct match *m)
{
	const struct match_set *a = m->set[0], *b = m->set[1];
	size_t n = same_so_far(m);
	struct pairs p = { 0 };
	bool moved[MATCH_SET];

	if (n == a->n && n == b->n) {
		m->count.records += n;
		return;
	}
	pair(m, &p, true);
	m->error = match_memory(m, (const uint16_t *const []){ p.of[0], p.of[1] },
				(bool *const []){ p.same[0], p.same[1] });
	if (m->error)
		return;
	out_of_order(m, &p, moved);
	if (all_same(m, &p, moved)) {
		m->count.records += a->n;
		return;
	}
	pair(m, &p, false);
	out_of_order(m, &p, moved);
	report(m, &p, moved);
}

void match_sets(struct match *m)
{
	gather(m, 0);
	gather(m, 1);
	if (m->error || m->side[0].error || m->side[1].error)
		return;
	if (m->truth >= 0)
		judge(m);
	for (int i = 0; i < 2; i++)
		drop_structure(m->set[i]);
	if (!m->stop && (m->set[0]->n || m->set[1]->n))
		compare(m);
	if (!m->stop)
		environment(m);
}
