// SPDX-License-Identifier: GPL-2.0-only
/* A processor that executes a random program as the dice fall, and tells the encoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder-trial.h"

#define CALLS_MAX	64
#define SAVED_MAX	8

/* What an exception saves. */
struct saved {
	uint64_t pc;
	enum enc_isa isa;
	struct enc_context context;
};

struct processor {
	struct trial *t;
	struct encoder *e;
	struct dice dice;
	uint64_t pc;
	enum enc_isa isa;
	struct enc_context context;
	uint64_t calls[CALLS_MAX];
	enum enc_isa call_isa[CALLS_MAX];
	unsigned int n_calls;
	struct saved saved[SAVED_MAX];
	unsigned int n_saved;
	uint64_t clock;
	bool in_transaction;
	bool failed;		/* the last instruction was a barrier whose condition failed */
	bool between;		/* the last instruction took an atom, or an exception was taken */
	uint32_t data;		/* last address of data */
	bool big;		/* big-endian */
};

static void add(struct processor *c, struct item item)
{
	struct items *l = &c->t->executed;

	if (l->n == l->max) {
		l->max = l->max ? 2 * l->max : 4096;
		l->p = realloc(l->p, l->max * sizeof(*l->p));
		if (!l->p)
			abort();
	}
	item.clock = c->clock;
	l->p[l->n++] = item;
}

static void take(struct processor *c)
{
	struct trial *t = c->t;
	const uint8_t *bytes;
	const long n = enc_take(c->e, &bytes);

	if (n < 0 || t->n_trace + n >= t->max_trace) {
		t->max_trace = 2 * (t->n_trace + (n > 0 ? n : 0)) + 4096;
		t->trace = realloc(t->trace, t->max_trace);
		if (!t->trace || n < 0)
			abort();
	}
	memcpy(t->trace + t->n_trace, bytes, n);
	t->n_trace += n;
}

/* Items that the encoder itself invented. */
static void notes(struct processor *c)
{
	const unsigned int n = enc_notes(c->e);

	if (n & ENC_NOTE_TM_COMMIT)
		add(c, (struct item){ .kind = ITEM_TRANSACTION, .value = CSF_TRANS_COMMIT });
	if (n & ENC_NOTE_TM_FAIL)
		add(c, (struct item){ .kind = ITEM_TRANSACTION, .value = CSF_TRANS_FAIL });
	if (n & ENC_NOTE_TM_START)
		add(c, (struct item){ .kind = ITEM_TRANSACTION, .value = CSF_TRANS_START });
	if (n & ENC_NOTE_TM_FAIL)
		c->in_transaction = false;
}

/* @n instructions from @pc on were executed; the clock has counted them already. */
static void ran(struct processor *c, uint64_t pc, unsigned int n, enum enc_lost why)
{
	const struct program *p = &c->t->program;

	for (unsigned int i = 0; i < n; i++) {
		const struct op *op = program_op(p, pc);

		if (why == ENC_KEPT)
			add(c, (struct item){
				.kind = ITEM_INSN, .addr = pc, .isa = c->isa,
				.el = c->context.el, .security = c->context.security,
				.contextid = c->context.contextid, .vmid = c->context.vmid,
				.value = c->failed && i == n - 1,
			});
		pc += op->size;
	}
	notes(c);
}

/* ---------------------------------------------------------------- exceptions */

static void start(struct processor *c)
{
	enc_start(c->e, c->pc, c->isa, &c->context);
	c->between = true;
}

static void to_user(struct processor *c)
{
	c->context.el = 0;
	c->context.bits64 = c->t->kind == PROGRAM_A64;
	c->isa = c->context.bits64 ? ENC_A64 : ENC_A32;
	c->pc = program_target(&c->t->program, c->isa, false, &c->isa);
}

static void to_kernel(struct processor *c)
{
	c->context.el = 1;
	c->context.bits64 = c->t->kind != PROGRAM_A32;
	c->isa = c->context.bits64 ? ENC_A64 : ENC_A32;
	c->pc = program_target(&c->t->program, c->isa, true, &c->isa);
	if (c->t->flags & PROGRAM_M)
		c->context.el = 3;
	if (c->t->flags & PROGRAM_M || !(c->t->flags & PROGRAM_STATES))
		return;
	c->context.el = dice_once_in(&c->dice, 4) ? 2 : 1;
	c->context.security = dice_once_in(&c->dice, 3) ? CSF_SECURE : CSF_NONSECURE;
}

/* The entry of an exception writes eight registers. */
static void stack(struct processor *c)
{
	const uint32_t sp = 0x20000000 + (dice_below(&c->dice, 1 << 14) & ~7u);

	for (unsigned int i = 0; i < 8; i++) {
		const struct enc_data data = {
			.addr = sp + 4 * i, .value = dice_any(&c->dice), .size = 4,
			.flags = ENC_DATA_STORE | ENC_DATA_ENTRY,
		};

		enc_data(c->e, &data);
		if (enc_data_kept(c->e))
			add(c, (struct item){
				.kind = ITEM_DATA, .addr = data.addr, .value = data.value,
				.flags = data.flags, .size = data.size,
			});
	}
}

/* The exception itself is reported already.  @resume: where execution comes back to. */
static void enter(struct processor *c, uint64_t resume)
{
	struct saved s = { resume, c->isa, c->context };

	c->between = true;
	if (c->t->user_only || c->n_saved == SAVED_MAX) {
		enc_stop(c->e);
		notes(c);
		c->clock += dice_below(&c->dice, 100);
		/* Most come back; some go to another thread. */
		c->pc = resume;
		if (dice_once_in(&c->dice, 4))
			to_user(c);
		if (dice_once_in(&c->dice, 3))
			c->context.contextid = dice_below(&c->dice, 4) * 0x01010101;
		start(c);
		return;
	}
	c->saved[c->n_saved++] = s;
	to_kernel(c);
	enc_handler(c->e, c->pc, c->isa, &c->context);
	if (c->t->flags & PROGRAM_M)
		stack(c);
}

/* As the exceptions of A profile, of M profile; interrupts have any number. */
static uint32_t type_m(struct processor *c, uint32_t type)
{
	static const uint8_t numbers[] = {
		[ENC_EXC_CALL] = 11, [ENC_EXC_TRAP] = 6, [ENC_EXC_DATA_FAULT] = 4,
		[ENC_EXC_INST_DEBUG] = 3, [ENC_EXC_FIQ] = 15,
	};

	if (type == ENC_EXC_IRQ && dice_once_in(&c->dice, 6))
		return 14;
	if (type == ENC_EXC_IRQ)
		return enc_exception_m(16 + dice_below(&c->dice,
						       dice_once_in(&c->dice, 3) ? 480 : 20));
	if (type == ENC_EXC_DATA_FAULT && dice_once_in(&c->dice, 2))
		return 5;
	return numbers[type];
}

static void exception(struct processor *c, uint32_t type, uint64_t ret, uint64_t resume)
{
	const bool m = c->t->flags & PROGRAM_M, chain = m && ret == ENC_CHAIN;
	const uint32_t took = m ? type_m(c, type) : type;
	const enum enc_lost why = enc_exception(c->e, took, ret);
	/* In ETMv3 a breakpoint is a prefetch abort. */
	const uint32_t seen = trial_is_etm3(c->t) && !m && type == ENC_EXC_INST_DEBUG ?
			      ENC_EXC_INST_FAULT : took;

	notes(c);
	if (why == ENC_KEPT)
		add(c, (struct item){
			.kind = ITEM_EXCEPTION, .addr = chain ? 0 : ret, .value = seen,
		});
	enter(c, resume);
}

/* A debugger stops the processor, and lets it go on. */
static void halt(struct processor *c)
{
	const enum enc_lost why = enc_exception(c->e, ENC_EXC_DEBUG_HALT, c->pc);

	if (why == ENC_KEPT)
		add(c, (struct item){
			.kind = ITEM_EXCEPTION, .addr = c->pc, .value = ENC_EXC_DEBUG_HALT,
		});
	enc_stop(c->e);
	notes(c);
	start(c);
}

static void reset(struct processor *c)
{
	if (enc_reset(c->e) == ENC_KEPT)
		add(c, (struct item){
			.kind = ITEM_EXCEPTION,
			.value = c->t->flags & PROGRAM_M ? 1 : ENC_EXC_RESET,
		});
	notes(c);
	c->n_saved = 0;
	c->n_calls = 0;
	to_kernel(c);
	enc_handler(c->e, c->pc, c->isa, &c->context);
}

/* ---------------------------------------------------------------- blocks */

static bool takes_atom(const struct processor *c, const struct op *op)
{
	if (trial_is_etm3(c->t))
		return true;
	switch ((enum op_kind)op->kind) {
	case OP_BRANCH:
	case OP_JUMP:
	case OP_RETURN:
	case OP_ISB:
	case OP_TSTART:
	case OP_ERET:
		return true;
	case OP_WFX:
		return c->t->setup.wfx;
	case OP_BARRIER:
		return c->t->setup.barriers;
	case OP_NONE:
	case OP_PLAIN:
	case OP_IT:
	case OP_SVC:
	case OP_BREAK:
		return false;
	}
	return false;
}

static bool is_branch(const struct op *op)
{
	return op->kind == OP_BRANCH || op->kind == OP_JUMP || op->kind == OP_RETURN ||
	       op->kind == OP_ERET;
}

/* ETMv3: whether the instruction was executed, and its data, are reported with a block. */
static bool ends_block(const struct processor *c, const struct op *op)
{
	if (trial_is_etm3(c->t))
		return (op->kind != OP_PLAIN && op->kind != OP_IT) || op->conditional || op->data;
	return takes_atom(c, op) || op->kind == OP_SVC || op->kind == OP_BREAK;
}

/* From pc to the end of the block.  Return: instructions; *@last: the last one. */
static unsigned int measure(const struct processor *c, uint64_t *last)
{
	const struct op *op;
	uint64_t pc = c->pc;
	unsigned int n = 0;

	for (;;) {
		op = program_op(&c->t->program, pc);
		n++;
		*last = pc;
		if (ends_block(c, op))
			return n;
		pc += op->size;
	}
}

static uint64_t skip(const struct processor *c, uint64_t pc, unsigned int n)
{
	while (n--)
		pc += program_op(&c->t->program, pc)->size;
	return pc;
}

/* The block at @pc as the encoder scans it, from @bytes of code at most. */
static struct enc_block scan(const struct processor *c, uint64_t pc, uint64_t bytes)
{
	const struct area *a = program_area(&c->t->program, pc);
	struct enc_block block = {
		.pc = pc, .isa = c->isa, .it = program_op(&c->t->program, pc)->it,
	};

	if (bytes > a->addr + a->n - pc)
		bytes = a->addr + a->n - pc;
	enc_scan(&c->t->setup, &block, a->code + (pc - a->addr), bytes);
	return block;
}

/* The target of an indirect branch. */
static uint64_t jump(struct processor *c, const struct op *op, uint64_t after, enum enc_isa *isa)
{
	const bool kernel = c->context.el;
	uint64_t to;

	if (op->kind == OP_RETURN && c->n_calls && !dice_once_in(&c->dice, 6)) {
		c->n_calls--;
		*isa = c->call_isa[c->n_calls];
		to = c->calls[c->n_calls];
		if (c->isa == ENC_A64 ? *isa == ENC_A64 : *isa != ENC_A64 && to != after)
			return to;
	}
	do {
		to = program_target(&c->t->program, c->isa, kernel, isa);
	} while (to == after);
	return to;
}

static void leave(struct processor *c, uint64_t *next, enum enc_isa *isa)
{
	struct processor after = *c;

	if (c->n_saved) {
		const struct saved *s = &c->saved[--c->n_saved];

		*next = s->pc;
		*isa = s->isa;
		c->context = s->context;
		if (dice_once_in(&c->dice, 4))
			c->context.contextid = dice_below(&c->dice, 4) * 0x01010101;
		return;
	}
	to_user(&after);
	*next = after.pc;
	*isa = after.isa;
	c->context = after.context;
}

/* Executes the last instruction of a block.  Return: it did what it does; a condition may fail. */
static bool outcome(struct processor *c, const struct op *op, uint64_t *next, enum enc_isa *isa)
{
	const uint64_t after = *next;
	const bool yes = !op->conditional || dice_below(&c->dice, 2);

	if (!yes)
		return false;
	if (op->link && c->n_calls < CALLS_MAX) {
		c->calls[c->n_calls] = after;
		c->call_isa[c->n_calls++] = c->isa;
	}
	if (op->kind == OP_BRANCH) {
		*next = op->target;
		*isa = op->target_isa;
	} else if (op->kind == OP_JUMP || op->kind == OP_RETURN) {
		*next = jump(c, op, after, isa);
	}
	return true;
}

/* Part of a block first, as if it crossed a page. */
static unsigned int split(struct processor *c, unsigned int n)
{
	const unsigned int first = 1 + dice_below(&c->dice, n - 1);
	const uint64_t to = skip(c, c->pc, first);
	const struct enc_block block = scan(c, c->pc, to - c->pc);

	c->clock += first;
	ran(c, c->pc, first, enc_block(c->e, &block, to, c->isa));
	c->pc = to;
	c->between = false;
	return n - first;
}

static void fault(struct processor *c, unsigned int n, uint32_t type)
{
	const uint64_t to = skip(c, c->pc, n);
	const struct enc_block block = scan(c, c->pc, to - c->pc);

	c->clock += n;
	ran(c, c->pc, n, enc_part(c->e, &block));
	c->between = false;
	/* The first instruction after it comes back: the same one again, or the next. */
	exception(c, type, to, type == ENC_EXC_INST_DEBUG ? skip(c, to, 1) : to);
}

/* Words follow one another; the value is as wide as the transfer. */
static struct enc_data transfer(struct processor *c, const struct op *op, unsigned int i)
{
	struct dice *d = &c->dice;

	if (i)
		c->data += 4;
	else if (dice_once_in(d, 4))
		c->data = dice_any(d) >> dice_below(d, 20);
	else
		c->data += dice_below(d, 64) - 24;
	if (!i && !dice_once_in(d, 4))
		c->data &= -op->data_size;
	return (struct enc_data){
		.addr = op->reg ? 0 : c->data, .size = op->data_size,
		.value = (uint32_t)dice_any(d) >> (32 - 8 * op->data_size) >>
			 dice_below(d, 8 * op->data_size),
		.flags = (op->store ? ENC_DATA_STORE : 0) | (op->reg ? ENC_DATA_REGISTER : 0) |
			 (c->big ? ENC_DATA_BIG : 0) |
			 (op->exclusive && dice_once_in(d, 3) ? ENC_DATA_FAILED : 0),
	};
}

#define DATA_MAX	16

/* The transfers of the last instruction of a block.  Return: how many. */
static unsigned int transfers(struct processor *c, const struct op *op, struct enc_data *data)
{
	c->big ^= dice_once_in(&c->dice, 100);
	for (unsigned int i = 0; i < op->data; i++) {
		data[i] = transfer(c, op, i);
		enc_data(c->e, &data[i]);
	}
	return op->data;
}

static void transferred(struct processor *c, const struct enc_data *data, unsigned int n)
{
	for (unsigned int i = 0; i < n && enc_data_kept(c->e); i++)
		add(c, (struct item){
			.kind = ITEM_DATA, .addr = data[i].addr, .value = data[i].value,
			.flags = data[i].flags, .size = data[i].size,
		});
}

static void whole(struct processor *c, unsigned int n, uint64_t last)
{
	const struct op *op = program_op(&c->t->program, last);
	const bool each = trial_is_etm3(c->t);
	struct enc_block block = scan(c, c->pc, each ? last + op->size - c->pc : UINT64_MAX);
	struct enc_data data[DATA_MAX];
	unsigned int n_data = 0;
	bool chains;
	uint64_t resume;
	const struct enc_context before = c->context;
	uint64_t next = c->pc + block.size;
	enum enc_isa isa = c->isa;
	enum enc_lost why;
	struct enc_context after;
	bool yes;

	if (block.n_insn != n || next != last + op->size)
		snprintf(c->t->problem, sizeof(c->t->problem),
			 "block at %llx: %u instructions, scanned %u", (unsigned long long)c->pc, n,
			 block.n_insn);
	yes = outcome(c, op, &next, &isa);
	if (yes && op->kind == OP_ERET)
		leave(c, &next, &isa);
	chains = yes && op->kind == OP_ERET && c->t->flags & PROGRAM_M &&
		 dice_once_in(&c->dice, 4);
	if (yes && op->kind == OP_ERET && c->t->flags & PROGRAM_M)
		block.last.flags |= ENC_ERET;
	resume = next;
	if (chains)
		next = ENC_CHAIN;
	c->failed = !yes && (each ? !is_branch(op) : takes_atom(c, op) &&
			     (op->kind == OP_ISB || op->kind == OP_WFX || op->kind == OP_BARRIER));
	if (each && yes)
		n_data = transfers(c, op, data);
	if (c->failed)
		block.last.flags |= ENC_FAILED;
	after = c->context;
	c->context = before;
	c->clock += n;
	why = enc_block(c->e, &block, next, isa);
	ran(c, c->pc, n, why);
	if (why == ENC_KEPT)
		transferred(c, data, n_data);
	c->failed = false;
	c->context = after;
	c->pc = next;
	c->isa = isa;
	c->between = takes_atom(c, op);
	if (yes && op->kind == OP_SVC)
		exception(c, ENC_EXC_CALL, next, next);
	else if (chains)
		exception(c, ENC_EXC_IRQ, ENC_CHAIN, resume);
	else if (yes && op->kind == OP_ERET)
		enc_context(c->e, &c->context);
	if (op->kind == OP_TSTART && !c->in_transaction && enc_tm_start(c->e)) {
		add(c, (struct item){ .kind = ITEM_TRANSACTION, .value = CSF_TRANS_START });
		c->in_transaction = true;
	}
}

/* ---------------------------------------------------------------- between blocks */

static void end_transaction(struct processor *c)
{
	const bool fail = dice_once_in(&c->dice, 3);

	if (fail ? enc_tm_fail(c->e, c->pc, c->isa) : enc_tm_commit(c->e))
		add(c, (struct item){
			.kind = ITEM_TRANSACTION,
			.value = fail ? CSF_TRANS_FAIL : CSF_TRANS_COMMIT,
		});
	c->in_transaction = false;
}

static void events(struct processor *c)
{
	const uint64_t value = dice_any(&c->dice);
	const unsigned int event = trial_is_etm3(c->t) ? 1 : 1 + value % 15;

	if (dice_once_in(&c->dice, 50) && enc_event(c->e, event))
		add(c, (struct item){ .kind = ITEM_EVENT, .value = event });
	if (!trial_is_etm3(c->t) && dice_once_in(&c->dice, 50) &&
	    enc_ite(c->e, c->context.el, value))
		add(c, (struct item){ .kind = ITEM_ITE, .value = value });
	if (dice_once_in(&c->dice, 100))
		enc_time(c->e);
	if (dice_once_in(&c->dice, 300))
		enc_flush(c->e);
	if (dice_once_in(&c->dice, 5))
		take(c);
}

static void between(struct processor *c)
{
	static const enum enc_lost why[] = {
		ENC_LOST_OVERFLOW, ENC_LOST_SIGNAL, ENC_LOST_DISCARD, ENC_LOST_TRUNCATED,
	};
	struct dice *d = &c->dice;

	events(c);
	if (c->t->flags & PROGRAM_CALM)
		return;
	if (dice_once_in(d, 40)) {
		c->context.contextid = dice_below(d, 4) * 0x01010101;
		c->context.vmid = dice_below(d, 3);
		if (trial_is_etm3(c->t)) {
			c->context.security = dice_below(d, 2);
			c->context.el = c->context.el ? 1 + dice_below(d, 2) : 0;
		}
		enc_context(c->e, &c->context);
	}
	if (c->in_transaction && dice_once_in(d, 5))
		end_transaction(c);
	if (dice_once_in(d, 400) && !c->t->plain) {
		if (trial_is_etm3(c->t))
			enc_lose(c->e, why[dice_below(d, 2)]);
		else
			enc_lose(c->e,
				 why[dice_below(d, c->t->setup.rate[ENC_RATE_TRUNCATE] ? 4 : 3)]);
		notes(c);
	}
	if (dice_once_in(d, 4))
		enc_resume(c->e);
	if (dice_once_in(d, 1000) && !c->t->user_only && !c->t->plain)
		reset(c);
	if (c->t->flags & PROGRAM_STATES && !(c->t->flags & PROGRAM_M) && dice_once_in(d, 300))
		halt(c);
	if (dice_once_in(d, 50))
		exception(c, dice_once_in(d, 3) ? ENC_EXC_FIQ : ENC_EXC_IRQ, c->pc, c->pc);
}

static void step(struct processor *c)
{
	uint64_t last;
	unsigned int n = measure(c, &last);
	const struct op *op = program_op(&c->t->program, last);

	if (c->between)
		between(c);
	n = measure(c, &last);
	op = program_op(&c->t->program, last);
	if (c->t->flags & PROGRAM_CALM) {
		whole(c, n, last);
		return;
	}
	if (n > 1 && dice_once_in(&c->dice, 15))
		n = split(c, n);
	if (op->kind == OP_BREAK)
		fault(c, n - 1, ENC_EXC_INST_DEBUG);
	else if (dice_once_in(&c->dice, 40))
		fault(c, dice_below(&c->dice, n), ENC_EXC_DATA_FAULT);
	else
		whole(c, n, last);
}

void trial_execute(struct trial *t)
{
	struct processor c = { .t = t };

	program_make(&t->program, t->kind, t->flags, t->seed);
	dice_seed(&c.dice, t->seed + 1);
	if (enc_new(&c.e, &t->setup, &c.clock))
		abort();
	c.context.security = CSF_NONSECURE;
	to_user(&c);
	start(&c);
	for (uint64_t i = 0; i < t->n && !t->problem[0]; i++)
		step(&c);
	/* The last instructions are in the trace only if a later packet says so. */
	if (!c.between)
		exception(&c, ENC_EXC_IRQ, c.pc, c.pc);
	enc_stop(c.e);
	notes(&c);
	enc_flush(c.e);
	take(&c);
	enc_stats(c.e, &t->stats);
	enc_free(c.e);
}
