// SPDX-License-Identifier: GPL-2.0-only
/* Decodes a trial's trace with libcsflow, and checks that the result is what was executed. */
#define _GNU_SOURCE	/* memmem */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder-trial.h"

#define JOINS		3	/* decoders that join each trace */

#define CONFIG_CID	(1u << 6)
#define CONFIG_VMID	(1u << 7)
#define ETMCR_CID	14		/* shift: size of context IDs */
#define ETMCR_VMID	(1u << 30)

static void *bigger(void *p, size_t n, size_t *max, size_t size)
{
	if (n < *max)
		return p;
	*max = *max ? 2 * *max : 4096;
	p = realloc(p, *max * size);
	if (!p)
		abort();
	return p;
}

void trial_decoded(struct trial *t, struct item item)
{
	struct items *l = &t->decoded;

	l->p = bigger(l->p, l->n, &l->max, sizeof(*l->p));
	l->p[l->n++] = item;
}

/* ---------------------------------------------------------------- runs */

struct decode {
	struct trial *t;
	struct csf_image *image;
	struct csf_decoder *dec;
	bool joins;		/* in the middle of the trace */
};

/* For barriers: no address tells whether they were executed. */
static bool failed(const struct decode *d, const struct csf_block *block, const struct op *op,
		   bool taken)
{
	if (trial_is_etm3(d->t))
		return !taken && op && op->kind != OP_BRANCH && op->kind != OP_JUMP &&
		       op->kind != OP_RETURN && op->kind != OP_ERET;
	return !taken && !(block->flags & CSF_FLAG_CUT) &&
	       (block->kind == CSF_INSN_ISB || block->kind == CSF_INSN_WFX ||
		block->kind == CSF_INSN_BARRIER);
}

static void step(struct decode *d, const struct csf_run *run, uint32_t step)
{
	struct csf_block block;
	uint64_t pc = csf_block_addr(d->dec, run, step >> 1);
	const struct op *op;

	csf_block(d->image, step >> 1, &block);
	for (unsigned int i = 0; i < block.n_insn; i++) {
		op = program_op(&d->t->program, pc);
		trial_decoded(d->t, (struct item){
			.kind = ITEM_INSN, .addr = pc, .isa = block.isa, .el = run->context.el,
			.security = run->context.security, .contextid = run->context.contextid,
			.vmid = run->context.vmid,
			.value = i == block.n_insn - 1u && failed(d, &block, op, step & 1),
		});
		if (!op || !op->size) {
			snprintf(d->t->problem, sizeof(d->t->problem),
				 "decoded: no instruction at %" PRIx64, pc);
			return;
		}
		pc += op->size;
	}
}

static void mark(struct decode *d, const struct csf_run *run, const struct csf_mark *m)
{
	struct trial *t = d->t;

	switch (m->kind) {
	case CSF_MARK_CYCLES:
		t->cycles += d->joins ? 0 : m->count;
		break;
	case CSF_MARK_DATA:
		if (!d->joins)
			trial_accessed(t, &run->access[m->value]);
		break;
	case CSF_MARK_EVENT:
		trial_decoded(t, (struct item){ .kind = ITEM_EVENT, .value = m->value });
		break;
	case CSF_MARK_ITE:
		trial_decoded(t, (struct item){ .kind = ITEM_ITE, .value = m->value });
		break;
	case CSF_MARK_TIME:
		t->times.p = bigger(t->times.p, t->times.n, &t->times.max, sizeof(*t->times.p));
		t->times.p[t->times.n++] = (struct moment){ m->value, m->at };
		break;
	}
}

/* Only what the unit itself lost may be missing. */
static bool gap_fits(const struct decode *d, enum csf_gap gap)
{
	switch (gap) {
	case CSF_GAP_OFF:
	case CSF_GAP_OVERFLOW:
	case CSF_GAP_DISCARD:
		return true;
	case CSF_GAP_CUT:
		return d->t->setup.rate[ENC_RATE_TRUNCATE];
	case CSF_GAP_ADDRESS:
		/* The address after a Trace Info may come late. */
		return d->joins;
	case CSF_GAP_START:
		/* ETMv3: atoms between an A-sync and its I-sync. */
		return d->joins && trial_is_etm3(d->t);
	case CSF_GAP_PACKET:
	case CSF_GAP_IMAGE:
	case CSF_GAP_STACK:
	case CSF_GAP_WALK:
	case CSF_GAP_SPECULATION:
	case CSF_GAP_BREAK:
	case CSF_GAP_NR:
		return false;
	}
	return false;
}

static void run(struct decode *d, const struct csf_run *run)
{
	size_t at = 0;

	for (size_t i = 0; i < run->n; i++) {
		for (; at < run->n_mark && run->mark[at].seq <= run->seq + i; at++)
			mark(d, run, &run->mark[at]);
		step(d, run, run->step[i]);
		d->t->ends = bigger(d->t->ends, d->t->n_ends, &d->t->max_ends, sizeof(size_t));
		d->t->ends[d->t->n_ends++] = d->t->decoded.n;
	}
	for (; at < run->n_mark; at++)
		mark(d, run, &run->mark[at]);
	if (run->end == CSF_END_EXCEPTION)
		trial_decoded(d->t, (struct item){
			.kind = ITEM_EXCEPTION, .value = run->value,
			.addr = run->flags & CSF_EXC_NO_ADDR ? 0 : run->addr,
		});
	if (run->end == CSF_END_GAP && !gap_fits(d, run->value))
		snprintf(d->t->problem, sizeof(d->t->problem), "gap %s at byte %" PRIu64 ", lost %"
			 PRIu64, csf_gap_name(run->value), run->offset, run->lost);
	if (run->end == CSF_END_TRANSACTION && run->value != CSF_TRANS_INIT)
		trial_decoded(d->t, (struct item){ .kind = ITEM_TRANSACTION, .value = run->value });
}

static void count_packets(struct trial *t)
{
	struct csf_monitor *mon;
	struct csf_packet packet;
	const uint8_t *bytes;
	uint64_t offset;

	if (csf_monitor_new(&mon, &t->setup.config) ||
	    csf_monitor_feed(mon, t->trace, t->n_trace) || csf_monitor_end(mon))
		abort();
	while (csf_monitor_next(mon, &packet, &offset, &bytes) > 0) {
		t->packets[packet.type]++;
		if (packet.type == CSF_PKT_BAD && packet.n != CSF_BAD_CUT)
			snprintf(t->problem, sizeof(t->problem), "bad packet (%u) at %" PRIu64,
				 packet.n, offset);
	}
	csf_monitor_free(mon);
}

/* @a was executed, @b decoded from PTM, which tells less of a context. */
static bool same_context_ptm(const struct trial *t, const struct item *a, const struct item *b)
{
	static const uint32_t cid[] = { 0, 0xff, 0xffff, 0xffffffff };
	const uint32_t mask = cid[t->setup.config.etmcr >> ETMCR_CID & 3];

	return (a->el == 2) == (b->el == 2) && a->security == b->security &&
	       (a->contextid & mask) == b->contextid &&
	       (!(t->setup.config.etmcr & ETMCR_VMID) || a->vmid == b->vmid);
}

/* The numbers that PTM has for exceptions, events, and barriers whose condition failed. */
static uint64_t value_ptm(const struct item *a)
{
	static const uint8_t number[] = {
		[ENC_EXC_RESET] = 8, [ENC_EXC_DEBUG_HALT] = 1, [ENC_EXC_CALL] = 10,
		[ENC_EXC_TRAP] = 9, [ENC_EXC_SERROR] = 4, [ENC_EXC_INST_DEBUG] = 11,
		[ENC_EXC_DATA_FAULT] = 12, [ENC_EXC_IRQ] = 14, [ENC_EXC_FIQ] = 15,
	};

	if (a->kind == ITEM_EVENT)
		return 1;
	return a->kind == ITEM_EXCEPTION && a->value < sizeof(number) ? number[a->value] : a->value;
}

/* ETMv3: the state tells nonsecure and Hyp; IDs are as wide as the registers say. */
static bool same_in_etm3(const struct trial *t, const struct item *a, const struct item *b)
{
	static const uint32_t cid[] = { 0, 0xff, 0xffff, UINT32_MAX };
	const struct csf_config *c = &t->setup.config;
	const uint32_t ids = a->contextid ^ b->contextid, vmids = a->vmid ^ b->vmid;

	return a->isa == b->isa && (a->security == b->security) &&
	       ((a->el == 2) == (b->el == 2) || !(c->etmccer & 1 << 26)) &&
	       !(ids & cid[c->etmcr >> 14 & 3]) && !(c->etmcr & 1 << 30 && vmids & 0xff);
}

static bool same(const struct trial *t, const struct item *a, const struct item *b)
{
	const uint32_t config = t->setup.config.trcconfigr;

	if (a->kind != b->kind || a->addr != b->addr)
		return false;
	if (t->setup.config.protocol == CSF_PROTOCOL_PTM)
		return a->isa == b->isa &&
		       (value_ptm(a) == b->value || (a->kind == ITEM_INSN && t->plain)) &&
		       (a->kind != ITEM_INSN || t->plain || same_context_ptm(t, a, b));
	/* A Q element does not tell whether a barrier failed; nor does the peer, here. */
	if (a->value != b->value &&
	    !(a->kind == ITEM_INSN && (t->plain || t->setup.rate[ENC_RATE_Q])))
		return false;
	if (a->kind != ITEM_INSN)
		return true;
	if (t->plain)
		return a->isa == b->isa;
	if (trial_is_etm3(t))
		return same_in_etm3(t, a, b);
	return a->isa == b->isa && a->el == b->el && a->security == b->security &&
	       (!(config & CONFIG_CID) || a->contextid == b->contextid) &&
	       (!(config & CONFIG_VMID) || a->vmid == b->vmid);
}

static int describe(char *text, size_t n, const struct item *i)
{
	static const char *const names[] = {
		"insn", "exception", "transaction", "event", "ite", "data",
	};

	if (!i)
		return snprintf(text, n, "nothing");
	return snprintf(text, n, "%s %" PRIx64 " %" PRIx64 " isa %u el %u.%u cid %x vmid %x",
			names[i->kind], i->addr, i->value, i->isa, i->el, i->security,
			i->contextid, i->vmid);
}

static void decode(struct decode *d, const uint8_t *trace, size_t n)
{
	struct csf_config config = d->t->setup.config;
	struct csf_run r;

	if (trial_is_etm3(d->t))
		config.marks = CSF_MARK_DEFAULT | CSF_MARK_DATA;
	if (csf_new(&d->dec, &config, d->image) || csf_feed(d->dec, trace, n) ||
	    csf_end(d->dec))
		abort();
	while (csf_next(d->dec, &r) > 0 && !d->t->problem[0])
		run(d, &r);
	csf_free(d->dec);
}

/* The instructions and exceptions of @joined are the end of what was executed. */
static void compare_end(struct trial *t, const struct items *joined)
{
	size_t i = t->executed.n, j = joined->n;
	int n;

	for (; j > 0; j--) {
		const struct item *a, *b = &joined->p[j - 1];

		if (b->kind != ITEM_INSN && b->kind != ITEM_EXCEPTION)
			continue;
		do {
			a = i ? &t->executed.p[--i] : NULL;
		} while (a && a->kind != ITEM_INSN && a->kind != ITEM_EXCEPTION);
		if (a && same(t, a, b))
			continue;
		n = snprintf(t->problem, sizeof(t->problem), "joined: %zu of %zu before the end: "
			     "executed ", joined->n - j, joined->n);
		n += describe(t->problem + n, sizeof(t->problem) - n, a);
		n += snprintf(t->problem + n, sizeof(t->problem) - n, "; decoded ");
		describe(t->problem + n, sizeof(t->problem) - n, b);
		return;
	}
}

/* Decodes from some A-sync on: the result is that of the first decoder from there on. */
static void join(struct decode *d)
{
	static const uint8_t zeros[12] = { [11] = 0x80 };
	struct trial *t = d->t;
	const size_t n_async = trial_is_etm3(t) || t->setup.config.protocol == CSF_PROTOCOL_PTM ?
			       6 : sizeof(zeros);
	const uint8_t *async = zeros + sizeof(zeros) - n_async;
	const struct items decoded = t->decoded;
	const struct moments times = t->times;
	const size_t n_ends = t->n_ends;
	const size_t from = dice_below(&t->program.dice, t->n_trace);
	const uint8_t *at = memmem(t->trace + from, t->n_trace - from, async, n_async);
	struct items joined;

	if (!at)
		return;
	t->decoded = (struct items){ 0 };
	t->times = (struct moments){ 0 };
	d->joins = true;
	decode(d, at, t->n_trace - (at - t->trace));
	joined = t->decoded;
	t->joined += joined.n;
	free(t->times.p);
	t->decoded = decoded;
	t->times = times;
	t->n_ends = n_ends;
	if (!t->problem[0])
		compare_end(t, &joined);
	if (t->problem[0])
		snprintf(t->problem + strlen(t->problem), 40, ", joined at byte %zu",
			 (size_t)(at - t->trace));
	free(joined.p);
}

void trial_decode(struct trial *t)
{
	struct decode d = { .t = t };

	count_packets(t);
	if (csf_image_new(&d.image))
		abort();
	for (unsigned int i = 0; i < t->program.n_area; i++) {
		const struct area *a = &t->program.area[i];
		const int section = csf_section_bytes(d.image, a->code, a->n);

		if (section < 0 || csf_map(d.image, CSF_SPACE_ALL, a->addr, a->n, section, 0))
			abort();
	}
	decode(&d, t->trace, t->n_trace);
	for (int i = 0; i < JOINS && !t->problem[0]; i++)
		join(&d);
	csf_image_free(d.image);
}

/* ---------------------------------------------------------------- comparison */

/* Leaves out items that cannot be predicted. */
static bool counts(const struct trial *t, const struct item *i)
{
	const uint32_t *rate = t->setup.rate;

	switch ((enum item_kind)i->kind) {
	case ITEM_INSN:
		return true;
	case ITEM_EXCEPTION:
		/* Of an ETMv3, the peer does not tell what was interrupted. */
		return !(t->plain && trial_is_etm3(t));
	case ITEM_TRANSACTION:
		if (t->plain)
			return false;
		/* Where trace was cut off, no packet says that a transaction failed. */
		return !rate[ENC_RATE_TRUNCATE];
	case ITEM_EVENT:
		return !rate[ENC_RATE_EVENT] && !t->plain;
	case ITEM_ITE:
		return !rate[ENC_RATE_ITE] && !t->plain;
	case ITEM_DATA:
		return false;
	}
	return false;
}

static const struct item *next(const struct trial *t, const struct items *l, size_t *at)
{
	while (*at < l->n && !counts(t, &l->p[*at]))
		++*at;
	return *at < l->n ? &l->p[*at] : NULL;
}

/*
 * A timestamp is from between the items before it and those after it. Items that do not count are
 * on either side, so instructions are counted.
 */
static void compare_times(struct trial *t)
{
	const struct items *e = &t->executed, *d = &t->decoded;
	size_t i = 0, j = 0, last = 0;

	for (size_t k = 0; k < t->times.n; k++) {
		const struct moment *m = &t->times.p[k];
		const size_t end = m->at ? t->ends[m->at - 1] : 0;

		for (; j < end; j++) {
			if (d->p[j].kind != ITEM_INSN)
				continue;
			while (e->p[i].kind != ITEM_INSN)
				i++;
			last = i++;
		}
		while (i < e->n && e->p[i].kind != ITEM_INSN)
			i++;
		if ((!end || e->p[last].clock <= m->value) &&
		    (i == e->n || e->p[i].clock >= m->value))
			continue;
		snprintf(t->problem, sizeof(t->problem), "timestamp %" PRIu64 " after step %" PRIu64
			 ": executed from %" PRIu64, m->value, m->at, end ? e->p[last].clock : 0);
		return;
	}
}

void trial_compare(struct trial *t)
{
	const struct items *e = &t->executed, *d = &t->decoded;
	int n;

	for (size_t i = 0, j = 0; !t->problem[0]; i++, j++) {
		const struct item *a = next(t, e, &i), *b = next(t, d, &j);

		if (!a && !b) {
			compare_times(t);
			if (trial_is_etm3(t) && !t->plain && t->cycles != t->stats.cycles)
				snprintf(t->problem, sizeof(t->problem), "%" PRIu64 " cycles; decoded %"
					 PRIu64, t->stats.cycles, t->cycles);
			if (!t->problem[0])
				trial_compare_data(t);
			return;
		}
		if (a && b && same(t, a, b))
			continue;
		n = snprintf(t->problem, sizeof(t->problem), "item %zu of %zu, %zu: executed ", i,
			     e->n, d->n);
		n += describe(t->problem + n, sizeof(t->problem) - n, a);
		n += snprintf(t->problem + n, sizeof(t->problem) - n, "; decoded ");
		describe(t->problem + n, sizeof(t->problem) - n, b);
	}
}

void trial_free(struct trial *t)
{
	program_free(&t->program);
	free(t->trace);
	free(t->executed.p);
	free(t->decoded.p);
	free(t->times.p);
	free(t->ends);
	free(t->accesses.p);
}
