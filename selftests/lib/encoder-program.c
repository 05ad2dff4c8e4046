// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "encoder-program.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CODE_BYTES	4096

const struct area *program_area(const struct program *p, uint64_t addr)
{
	for (unsigned int i = 0; i < p->n_area; i++)
		if (addr - p->area[i].addr < p->area[i].n)
			return &p->area[i];
	return NULL;
}

const struct op *program_op(const struct program *p, uint64_t addr)
{
	const struct area *a = program_area(p, addr);

	return a ? &a->op[(addr - a->addr) / 2] : NULL;
}

/* ---------------------------------------------------------------- opcodes */

static void put(struct area *a, uint32_t at, uint32_t opcode)
{
	uint8_t *p = a->code + at;

	if (a->isa == ENC_T32 && a->op[at / 2].size == 2) {
		memcpy(p, &opcode, 2);
		return;
	}
	if (a->isa == ENC_T32)
		opcode = opcode << 16 | opcode >> 16;
	memcpy(p, &opcode, 4);
}

static bool fits(int64_t offset, unsigned int bits)
{
	return offset >= -(1ll << (bits - 1)) && offset < 1ll << (bits - 1);
}

/* A condition that can fail. */
static uint32_t condition(struct dice *d)
{
	return dice_below(d, 14);
}

/* Each returns 0 if it cannot reach so far. */
static uint32_t branch_a64(struct program *p, const struct op *op, int64_t offset)
{
	const uint32_t imm = offset / 4;
	struct dice *d = &p->dice;

	if (!op->conditional)
		return (op->link ? 0x94000000 : 0x14000000) | (imm & 0x3ffffff);
	switch (dice_below(d, p->flags & PROGRAM_OLD ? 2 : 5)) {
	case 0:
		return 0x34000000 | (imm & 0x7ffff) << 5 | dice_below(d, 2) << 31 |
		       dice_below(d, 2) << 24;
	case 1:
		return 0x36000000 | (imm & 0x3fff) << 5 | dice_below(d, 32) << 19;
	case 2:
		return !fits(offset, 11) ? 0 : 0x74000000 | (imm & 0x1ff) << 5 |
		       dice_below(d, 32) << 16;
	case 3:
		return 0x54000010 | (imm & 0x7ffff) << 5 | condition(d);
	}
	return 0x54000000 | (imm & 0x7ffff) << 5 | condition(d);
}

static uint32_t branch_a32(struct dice *d, const struct op *op, int64_t offset)
{
	const int64_t from_pc = offset - 8;

	if (op->target_isa == ENC_T32)
		return 0xfa000000 | (from_pc & 2) << 23 | (from_pc >> 2 & 0xffffff);
	return (op->conditional ? condition(d) : 0xe) << 28 | 0x0a000000 | op->link << 24 |
	       (from_pc >> 2 & 0xffffff);
}

/* The 32-bit forms of T32 scatter their offset. */
static uint32_t far_t32(int64_t offset, uint32_t opcode)
{
	const uint32_t s = offset < 0, i1 = offset >> 23 & 1, i2 = offset >> 22 & 1;

	return opcode | s << 26 | (offset >> 12 & 0x3ff) << 16 | !(i1 ^ s) << 13 |
	       !(i2 ^ s) << 11 | (offset >> 1 & 0x7ff);
}

static uint32_t branch_t32(struct dice *d, const struct op *op, uint32_t addr, int64_t offset)
{
	const int64_t from_pc = offset - 4;

	if (op->target_isa == ENC_A32)
		return far_t32(op->target - ((addr + 4) & ~3u), 0xf000c000);
	if (op->link)
		return far_t32(from_pc, 0xf000d000);
	if (op->size == 4 && op->conditional && !op->it)
		return 0xf0008000 | condition(d) << 22 | (from_pc < 0) << 26 |
		       (from_pc >> 12 & 0x3f) << 16 | (from_pc >> 18 & 1) << 13 |
		       (from_pc >> 19 & 1) << 11 | (from_pc >> 1 & 0x7ff);
	if (op->size == 4)
		return far_t32(from_pc, 0xf0009000);
	if (!op->conditional || op->it)
		return fits(from_pc, 12) ? 0xe000 | (from_pc >> 1 & 0x7ff) : 0;
	if (from_pc >= 0 && from_pc < 128 && dice_once_in(d, 2))
		return 0xb100 | dice_below(d, 2) << 11 | (from_pc >> 6 & 1) << 9 |
		       (from_pc >> 1 & 0x1f) << 3;
	return fits(from_pc, 9) ? 0xd000 | condition(d) << 8 | (from_pc >> 1 & 0xff) : 0;
}

#define STORE		0x01
#define REGISTER	0x02
#define MORE		0x04	/* only with PROGRAM_EACH */
#define EXCLUSIVE	0x08	/* a store that may fail */
#define ONLY_M		0x10	/* only with PROGRAM_M */

/**
 * struct form - an instruction
 * @data: how many transfers it has, of @data_size bytes each
 * @more: STORE and so on
 */
struct form {
	uint8_t kind;
	bool link;
	uint8_t size;
	uint32_t opcode;
	uint8_t data, data_size, more;
};

static const struct form a64_forms[] = {
	{ OP_PLAIN, 0, 4, 0xd503201f }, { OP_PLAIN, 0, 4, 0x8b010000 },
	{ OP_PLAIN, 0, 4, 0xf9400000 }, { OP_PLAIN, 0, 4, 0xd5033b9f },
	{ OP_PLAIN, 0, 4, 0xd53bd040 }, { OP_PLAIN, 0, 4, 0x1e602000 },
	{ OP_JUMP, 0, 4, 0xd61f0000 }, { OP_JUMP, 1, 4, 0xd63f0100 },
	{ OP_JUMP, 0, 4, 0xd71f0820 }, { OP_JUMP, 1, 4, 0xd73f0c20 },
	{ OP_JUMP, 1, 4, 0xd63f083f }, { OP_RETURN, 0, 4, 0xd65f03c0 },
	{ OP_RETURN, 0, 4, 0xd65f0bff }, { OP_RETURN, 0, 4, 0xd65f0fff },
	{ OP_RETURN, 0, 4, 0x5500003f }, { OP_ISB, 0, 4, 0xd5033fdf },
	{ OP_WFX, 0, 4, 0xd503205f }, { OP_WFX, 0, 4, 0xd503207f },
	{ OP_WFX, 0, 4, 0xd5031023 }, { OP_TSTART, 0, 4, 0xd5233061 },
	{ OP_SVC, 0, 4, 0xd4000001 }, { OP_SVC, 0, 4, 0xd4000202 },
	{ OP_BREAK, 0, 4, 0xd4200000 }, { OP_ERET, 0, 4, 0xd69f03e0 },
	{ OP_ERET, 0, 4, 0xd69f0bff },
};

static const struct form a32_forms[] = {
	{ OP_PLAIN, 0, 4, 0x01a00000 }, { OP_PLAIN, 0, 4, 0x00810002 },
	{ OP_PLAIN, 0, 4, 0x05910000, 1, 4 }, { OP_PLAIN, 0, 4, 0x08b50030, 2, 4 },
	{ OP_JUMP, 0, 4, 0x012fff11 }, { OP_JUMP, 1, 4, 0x012fff32 },
	{ OP_JUMP, 0, 4, 0x079ff101, 1, 4 }, { OP_JUMP, 0, 4, 0x008ff102 },
	{ OP_RETURN, 0, 4, 0x012fff1e }, { OP_RETURN, 0, 4, 0x08bd8010, 2, 4 },
	{ OP_RETURN, 0, 4, 0x01a0f00e }, { OP_RETURN, 0, 4, 0x049df004, 1, 4 },
	{ OP_ISB, 0, 4, 0x0e070f95 }, { OP_WFX, 0, 4, 0x0320f003 },
	{ OP_BARRIER, 0, 4, 0x0e070f9a }, { OP_BARRIER, 0, 4, 0x0e072fba },
	{ OP_SVC, 0, 4, 0x0f000001 }, { OP_BREAK, 0, 4, 0x07f000f0 },
	{ OP_ERET, 0, 4, 0x025ef004 }, { OP_ERET, 0, 4, 0x08fd8001, 2, 4 },
	/* LDRB, LDRH, STR, STRB, STRH, PUSH, LDRD, STRD, STREX, LDREX, VLDR, VSTR, MRC, MCR, LDM */
	{ OP_PLAIN, 0, 4, 0x05d10000, 1, 1, MORE }, { OP_PLAIN, 0, 4, 0x01d100b0, 1, 2, MORE },
	{ OP_PLAIN, 0, 4, 0x05810000, 1, 4, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x05c10000, 1, 1, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x01c100b0, 1, 2, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x092d4010, 2, 4, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x01c120d0, 2, 4, MORE },
	{ OP_PLAIN, 0, 4, 0x01c120f0, 2, 4, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x01810f92, 1, 4, MORE | STORE | EXCLUSIVE },
	{ OP_PLAIN, 0, 4, 0x01910f9f, 1, 4, MORE },
	{ OP_PLAIN, 0, 4, 0x0d910b00, 2, 4, MORE },
	{ OP_PLAIN, 0, 4, 0x0d810b00, 2, 4, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0x0e1d0f70, 1, 4, MORE | REGISTER },
	{ OP_PLAIN, 0, 4, 0x0e0d0f70, 1, 4, MORE | REGISTER | STORE },
	{ OP_PLAIN, 0, 4, 0x08b000fe, 7, 4, MORE },
};

static const struct form t32_forms[] = {
	{ OP_PLAIN, 0, 2, 0xbf00 }, { OP_PLAIN, 0, 2, 0x1840 },
	{ OP_PLAIN, 0, 4, 0xf8d10004, 1, 4 },
	{ OP_PLAIN, 0, 4, 0xeb010203 }, { OP_JUMP, 0, 2, 0x4708 }, { OP_JUMP, 1, 2, 0x4790 },
	{ OP_JUMP, 0, 2, 0x4687 }, { OP_JUMP, 0, 4, 0xe8d0f001, 1, 1 },
	{ OP_JUMP, 0, 4, 0xf8dff010, 1, 4 }, { OP_RETURN, 0, 2, 0x4770 },
	{ OP_RETURN, 0, 2, 0xbd10, 2, 4 }, { OP_RETURN, 0, 4, 0xe8bd8010, 2, 4 },
	{ OP_RETURN, 0, 2, 0x46f7 }, { OP_WFX, 0, 2, 0xbf30 }, { OP_WFX, 0, 4, 0xf3af8002 },
	{ OP_BARRIER, 0, 4, 0xf3bf8f4f }, { OP_BARRIER, 0, 4, 0xf3bf8f5b },
	{ OP_ISB, 0, 4, 0xf3bf8f6f }, { OP_SVC, 0, 2, 0xdf01 }, { OP_BREAK, 0, 2, 0xde00 },
	{ OP_ERET, 0, 2, 0x4770, 0, 0, ONLY_M }, { OP_ERET, 0, 2, 0xbd10, 2, 4, ONLY_M },
	/* LDR, STR, LDRB, STRH, PUSH, LDM, STRD, STREX, MRC */
	{ OP_PLAIN, 0, 2, 0x6808, 1, 4, MORE }, { OP_PLAIN, 0, 2, 0x6008, 1, 4, MORE | STORE },
	{ OP_PLAIN, 0, 2, 0x7808, 1, 1, MORE }, { OP_PLAIN, 0, 2, 0x8008, 1, 2, MORE | STORE },
	{ OP_PLAIN, 0, 2, 0xb510, 2, 4, MORE | STORE }, { OP_PLAIN, 0, 2, 0xc806, 2, 4, MORE },
	{ OP_PLAIN, 0, 4, 0xe9c12300, 2, 4, MORE | STORE },
	{ OP_PLAIN, 0, 4, 0xe8412000, 1, 4, MORE | STORE | EXCLUSIVE },
	{ OP_PLAIN, 0, 4, 0xee1d0f70, 1, 4, MORE | REGISTER },
};

/* Branches with pointer authentication, and WFIT */
static bool is_new(const struct form *f)
{
	return (f->opcode & 0xfe000800) == 0xd6000800 || f->opcode == 0x5500003f ||
	       f->opcode == 0xd5031023;
}

static const struct form *form(struct program *p, enum enc_isa isa, enum op_kind kind)
{
	static const struct {
		const struct form *form;
		size_t n;
	} forms[] = {
		[ENC_A64] = { a64_forms, ARRAY_SIZE(a64_forms) },
		[ENC_A32] = { a32_forms, ARRAY_SIZE(a32_forms) },
		[ENC_T32] = { t32_forms, ARRAY_SIZE(t32_forms) },
	};
	const struct form *found = NULL;
	uint32_t n = 0;

	for (size_t i = 0; i < forms[isa].n; i++)
		if (forms[isa].form[i].kind == kind &&
		    (p->flags & PROGRAM_EACH || !(forms[isa].form[i].more & MORE)) &&
		    (p->flags & PROGRAM_M || !(forms[isa].form[i].more & ONLY_M)) &&
		    !(p->flags & PROGRAM_OLD && is_new(&forms[isa].form[i])) &&
		    dice_once_in(&p->dice, ++n))
			found = &forms[isa].form[i];
	return found;
}

/* ---------------------------------------------------------------- code */

static const enum op_kind usual[] = {
	OP_PLAIN, OP_PLAIN, OP_PLAIN, OP_PLAIN, OP_PLAIN, OP_PLAIN, OP_BRANCH, OP_BRANCH, OP_BRANCH,
	OP_BRANCH, OP_BRANCH, OP_BRANCH, OP_JUMP, OP_RETURN, OP_RETURN, OP_PLAIN,
};

static enum op_kind pick(struct program *p, const struct area *a)
{
	struct dice *d = &p->dice;

	if (p->flags & PROGRAM_CALM)
		return usual[dice_below(d, ARRAY_SIZE(usual))];
	if (dice_once_in(d, 25))
		return OP_ISB;
	if (dice_once_in(d, 30))
		return OP_WFX;
	if (dice_once_in(d, 60))
		return OP_BREAK;
	if (dice_once_in(d, 30))
		return a->kernel ? OP_ERET : OP_SVC;
	if (a->kernel && dice_once_in(d, 12))
		return OP_ERET;
	if (p->flags & PROGRAM_BARRIERS && dice_once_in(d, 20))
		return OP_BARRIER;
	if (p->flags & PROGRAM_TSTART && dice_once_in(d, 25))
		return OP_TSTART;
	return usual[dice_below(d, ARRAY_SIZE(usual))];
}

/* An instruction that is not a direct branch. */
static bool put_form(struct program *p, struct area *a, uint32_t at, enum op_kind kind)
{
	struct op *op = &a->op[at / 2];
	const struct form *f = form(p, a->isa, kind);
	uint32_t opcode;

	if (!f || at + f->size > a->n)
		return false;
	op->kind = kind;
	op->link = f->link;
	op->size = f->size;
	op->data = f->data;
	op->data_size = f->data_size;
	op->store = f->more & STORE;
	op->reg = f->more & REGISTER;
	op->exclusive = f->more & EXCLUSIVE;
	opcode = f->opcode;
	if (a->isa == ENC_A32) {
		op->conditional = (kind != OP_PLAIN || p->flags & PROGRAM_EACH) &&
				  kind != OP_BREAK && dice_once_in(&p->dice, 4);
		opcode |= (op->conditional ? condition(&p->dice) : 0xe) << 28;
	}
	put(a, at, opcode);
	return true;
}

/* A direct branch: how long it is; where to and how, when all code is laid out. */
static bool plan_branch(struct program *p, struct area *a, uint32_t at)
{
	struct op *op = &a->op[at / 2];
	struct dice *d = &p->dice;

	op->size = a->isa == ENC_T32 && dice_once_in(d, 2) ? 2 : 4;
	if (at + op->size > a->n) {
		op->size = 0;
		return false;
	}
	op->kind = OP_BRANCH;
	op->link = dice_once_in(d, 4) && op->size == 4;
	op->conditional = dice_below(d, 4) && (!op->link || a->isa == ENC_A32);
	op->target_isa = a->isa;
	if (op->link && !op->conditional && a->isa != ENC_A64 && dice_once_in(d, 2))
		op->target_isa = a->isa == ENC_A32 ? ENC_T32 : ENC_A32;
	return true;
}

/* IT and one or two instructions; only the last may be a branch.  Return: bytes, 0: no room. */
static uint32_t put_it(struct program *p, struct area *a, uint32_t at)
{
	static const enum op_kind last[] = { OP_PLAIN, OP_BRANCH, OP_JUMP, OP_RETURN, OP_WFX };
	const uint32_t n = 1 + dice_below(&p->dice, 2);
	enum op_kind kind = last[dice_below(&p->dice, ARRAY_SIZE(last))];
	uint32_t from = at;
	struct op *op;

	if (at + 12 > a->n)
		return 0;
	a->op[at / 2] = (struct op){ .kind = OP_IT, .size = 2 };
	put(a, at, n == 1 ? 0xbf08 : 0xbf04);
	at += 2;
	for (uint32_t i = n; i; i--) {
		op = &a->op[at / 2];
		if (i > 1 || kind != OP_BRANCH) {
			put_form(p, a, at, i > 1 ? OP_PLAIN : kind);
		} else {
			plan_branch(p, a, at);
			if (!op->link || p->flags & PROGRAM_OLD)
				op->target_isa = a->isa;
		}
		op->conditional = op->kind != OP_PLAIN || p->flags & PROGRAM_EACH;
		op->it = i;
		at += op->size;
	}
	return at - from;
}

static void lay_out(struct program *p, struct area *a)
{
	const uint32_t plain = a->isa == ENC_T32 ? 0xbf00 : 0xe1a00000;
	uint32_t at = 0, n;

	while (at < a->n - 4) {
		enum op_kind kind = pick(p, a);

		n = a->isa == ENC_T32 && dice_once_in(&p->dice, 10) ? put_it(p, a, at) : 0;
		if (!n && (kind == OP_BRANCH ? plan_branch(p, a, at) : put_form(p, a, at, kind)))
			n = a->op[at / 2].size;
		if (!n) {
			n = a->isa == ENC_T32 ? 2 : 4;
			a->op[at / 2] = (struct op){ .kind = OP_PLAIN, .size = n };
			put(a, at, a->isa == ENC_A64 ? 0xd503201f : plain);
		}
		at += n;
	}
	/* Nothing runs out of it. */
	a->n = at + 4;
	a->op[at / 2] = (struct op){ .kind = OP_BRANCH, .size = 4, .target_isa = a->isa };
}

/* A place where an instruction begins that is not in an IT block. */
static uint64_t target_in(struct program *p, const struct area *a)
{
	uint32_t at;

	do {
		at = dice_below(&p->dice, a->n - 64) / 2;
	} while (!a->op[at].kind || a->op[at].it);
	return a->addr + 2 * at;
}

uint64_t program_target(struct program *p, enum enc_isa isa, bool kernel, enum enc_isa *to)
{
	const struct area *a;

	do {
		a = &p->area[dice_below(&p->dice, p->n_area)];
	} while (a->kernel != kernel || (a->isa == ENC_A64) != (isa == ENC_A64));
	*to = a->isa;
	return target_in(p, a);
}

static const struct area *of_isa(const struct program *p, const struct area *a, enum enc_isa isa)
{
	for (unsigned int i = 0; i < p->n_area && a->isa != isa; i++)
		if (p->area[i].isa == isa && p->area[i].kernel == a->kernel)
			return &p->area[i];
	return a;
}

static uint32_t branch(struct program *p, const struct area *a, uint64_t addr, const struct op *op)
{
	const int64_t offset = op->target - addr;

	switch (a->isa) {
	case ENC_A64:
		return branch_a64(p, op, offset);
	case ENC_A32:
		return branch_a32(&p->dice, op, offset);
	case ENC_T32:
		return branch_t32(&p->dice, op, addr, offset);
	}
	return 0;
}

/* Gives a direct branch a target that it can reach; an unlucky one becomes something else. */
static void link_branch(struct program *p, struct area *a, uint32_t at)
{
	struct op *op = &a->op[at / 2];
	const struct area *to = of_isa(p, a, op->target_isa);
	uint32_t opcode = 0;

	if (to->isa != op->target_isa)
		op->target_isa = to->isa;
	for (int i = 0; i < 100 && !opcode; i++) {
		op->target = target_in(p, to);
		opcode = branch(p, a, a->addr + at, op);
	}
	if (opcode) {
		put(a, at, opcode);
		return;
	}
	*op = (struct op){ .kind = OP_PLAIN, .size = op->size, .it = op->it };
	put(a, at, a->isa == ENC_A64 ? 0xd503201f : a->isa == ENC_A32 ? 0xe1a00000 :
		   op->size == 2 ? 0xbf00 : 0xf3af8000);
}

static void add(struct program *p, uint64_t addr, enum enc_isa isa, bool kernel)
{
	struct area *a = &p->area[p->n_area++];

	*a = (struct area){ .addr = addr, .isa = isa, .kernel = kernel, .n = CODE_BYTES - 4 };
	a->code = calloc(1, CODE_BYTES);
	a->op = calloc(CODE_BYTES / 2, sizeof(*a->op));
	if (!a->code || !a->op)
		abort();
}

static void lay_out_all(struct program *p)
{
	for (unsigned int i = 0; i < p->n_area; i++)
		lay_out(p, &p->area[i]);
	for (unsigned int i = 0; i < p->n_area; i++)
		for (uint32_t at = 0; at < p->area[i].n; at += 2)
			if (p->area[i].op[at / 2].kind == OP_BRANCH)
				link_branch(p, &p->area[i], at);
}

void program_make(struct program *p, enum program_kind kind, unsigned int flags, uint64_t seed)
{
	*p = (struct program){ .flags = flags };
	dice_seed(&p->dice, seed);
	if (flags & PROGRAM_M) {
		add(p, 0x08000000, ENC_T32, false);
		add(p, 0x08004000, ENC_T32, false);
		add(p, 0x0800c000, ENC_T32, true);
		lay_out_all(p);
		return;
	}
	if (kind != PROGRAM_A32)
		add(p, 0xffff800008080000, ENC_A64, true);
	if (kind == PROGRAM_A64) {
		add(p, 0x0000aaaac0de0000, ENC_A64, false);
		add(p, 0x0000ffff80001000, ENC_A64, false);
	} else {
		add(p, 0x00010000, ENC_A32, false);
		add(p, 0x00018000, ENC_T32, false);
	}
	if (kind == PROGRAM_A32)
		add(p, 0xc0008000, ENC_A32, true);
	lay_out_all(p);
}

void program_free(struct program *p)
{
	for (unsigned int i = 0; i < p->n_area; i++) {
		free(p->area[i].code);
		free(p->area[i].op);
	}
}
