// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Cortex-A15 and its PTM, in small: executes a program as the dice fall, sends what a PTM sends,
 * and writes down what it did.  Knows nothing of how traces are decoded, nor of csf_insn().
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "random-ptm.h"

#define INSNS		60	/* in each instruction set */
#define UNIT_STACK	8	/* return addresses that the unit keeps, at most */

enum kind { PLAIN, BRANCH, BRANCH_CC, CALL, CALL_OTHER, JUMP, CALL_REG, ISB, BARRIER, SVC };

/**
 * struct insn - an instruction of the program
 * @addr: its address; @size: bytes
 * @to: BRANCH, CALL and so on: index of the target; that of CALL_OTHER is in the other set
 */
struct insn {
	enum kind kind;
	uint32_t addr;
	uint8_t size;
	uint8_t to;
};

struct ptm_program {
	struct insn insn[2][INSNS + 1];		/* A32, T32; the last is after the end */
};

/* Mnemonics, and the sizes of them in A32 and in T32. */
static const struct {
	const char *name[2];
	uint8_t size[2];
	bool branches;
} kinds[] = {
	[PLAIN] = { { "add", "add" }, { 4, 2 } },
	[BRANCH] = { { "b", "b.w" }, { 4, 4 }, true },
	[BRANCH_CC] = { { "bne", "bne.w" }, { 4, 4 }, true },
	[CALL] = { { "bl", "bl" }, { 4, 4 }, true },
	[CALL_OTHER] = { { "blx", "blx" }, { 4, 4 }, true },
	[JUMP] = { { "bx", "bx" }, { 4, 2 } },
	[CALL_REG] = { { "blxr", "blxr" }, { 4, 2 } },
	[ISB] = { { "isb", "isb" }, { 4, 4 } },
	[BARRIER] = { { "dsb", "dmb" }, { 4, 4 } },
	[SVC] = { { "svc", "svc" }, { 4, 2 } },
};

static enum kind roll_kind(struct dice *d)
{
	static const uint8_t often[] = {
		PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, BRANCH_CC, BRANCH_CC, BRANCH, CALL, CALL, JUMP,
		JUMP,
	};
	static const uint8_t seldom[] = { CALL_OTHER, CALL_REG, ISB, BARRIER, SVC };

	return roll(d, 4) ? often[roll(d, sizeof(often))] : seldom[roll(d, sizeof(seldom))];
}

static void print_insns(struct text *t, const struct insn *insn, int t32)
{
	text_add(t, "code %#x %s\n", insn->addr, t32 ? "t32" : "a32");
	for (int i = 0; i < INSNS; i++, insn++) {
		const bool other = insn->kind == CALL_OTHER;

		text_add(t, "%c%d: %s", t32 ? 't' : 'a', i, kinds[insn->kind].name[t32]);
		if (kinds[insn->kind].branches)
			text_add(t, " %c%d", t32 != other ? 't' : 'a', insn->to);
		text_add(t, "\n");
	}
}

struct ptm_program *random_ptm_program(struct dice *d, struct text *text)
{
	struct ptm_program *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	text_add(text, "config ptm1.1\n");
	for (int t32 = 0; t32 < 2; t32++) {
		struct insn *insn = p->insn[t32];

		insn->addr = t32 ? 0x12340 + 4 * roll(d, 100) : 0x8000 + 4 * roll(d, 300);
		for (int i = 0; i < INSNS; i++, insn++) {
			insn->kind = i == INSNS - 1 ? BRANCH : roll_kind(d);
			insn->to = roll(d, INSNS - 1);
			insn->size = kinds[insn->kind].size[t32];
			insn[1].addr = insn->addr + insn->size;
		}
	}
	for (int t32 = 0; t32 < 2; t32++)
		print_insns(text, p->insn[t32], t32);
	return p;
}

/* ---------------------------------------------------------------- the unit */

struct place {
	uint8_t t32, at;
};

/**
 * struct unit - the processor and its trace unit
 * @here: where execution is; @done: instructions since the last waypoint
 * @calls: where calls go back to, for the program to return there
 * @stack: of the unit, which keeps @depth addresses
 * @addr, @is_t32: last address that was sent
 * @atom: not sent yet
 */
struct unit {
	struct trace_case *c;
	struct dice *d;
	struct text *truth;
	const struct ptm_program *p;
	bool cycles, rs, bb, barriers;

	struct place here;
	unsigned int done;
	struct place calls[32], stack[UNIT_STACK];
	unsigned int n_calls, n_stack, depth;

	uint32_t addr;
	bool is_t32, ns;
	bool atom[5];
	unsigned int n_atom;
};

static const struct insn *insn_at(const struct unit *u, struct place at)
{
	return &u->p->insn[at.t32][at.at];
}

static void say_step(struct unit *u, unsigned int n, char how)
{
	struct place at = u->here;

	at.at -= n;
	text_add(u->truth, "%c%u %u %c\n", at.t32 ? 't' : 'a', at.at, n, how);
}

static void say_context(struct unit *u)
{
	text_add(u->truth, "context el1 %s 32\n", u->ns ? "ns" : "s");
}

static void send(struct unit *u, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	const int n = csf_packet_write(&u->c->config, bytes, pkt);

	if (n <= 0)
		abort();
	random_put(u->c, bytes, n);
}

static void flush(struct unit *u)
{
	struct csf_packet pkt = { .type = CSF_PKT_ATOM, .n = u->n_atom };

	for (unsigned int i = 0; i < u->n_atom; i++)
		pkt.val |= (uint64_t)u->atom[i] << i;
	if (u->n_atom)
		send(u, &pkt);
	u->n_atom = 0;
}

/* Gives the packet a cycle count, if they are counted. */
static void count_cycles(struct unit *u, struct csf_packet *pkt)
{
	if (!u->cycles)
		return;
	pkt->flags |= CSF_PKT_COUNT;
	pkt->count = roll(u->d, 1u << roll(u->d, 24));
}

static void say_cycles(struct unit *u, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_COUNT)
		text_add(u->truth, "cycles %u\n", pkt->count);
}

static void send_atom(struct unit *u, bool taken)
{
	struct csf_packet pkt = { .type = CSF_PKT_ATOM, .n = 1, .val = taken };

	if (u->cycles) {
		count_cycles(u, &pkt);
		send(u, &pkt);
		say_cycles(u, &pkt);
		return;
	}
	u->atom[u->n_atom++] = taken;
	if (u->n_atom == 5 || !roll(u->d, 6))
		flush(u);
}

/* The shortest form, or a longer one; @least: bytes. */
static void put_addr(struct unit *u, struct csf_packet *pkt, uint32_t addr, bool t32, int least)
{
	static const uint8_t bits[] = { 6, 12, 19, 26 };
	const unsigned int unit = t32 ? 1 : 2;

	pkt->n = 32;
	pkt->val = addr;
	for (int i = least - 1; i < 4 && t32 == u->is_t32; i++) {
		if ((addr ^ u->addr) >> (bits[i] + unit) || !roll(u->d, 8))
			continue;
		pkt->n = bits[i];
		pkt->val = addr >> unit & ((1u << bits[i]) - 1);
		break;
	}
	if (pkt->n == 32 && t32)
		pkt->flags |= CSF_PKT_IS1;
	u->addr = addr;
	u->is_t32 = t32;
}

static void send_isync(struct unit *u, unsigned int reason)
{
	struct csf_packet pkt = {
		.type = CSF_PKT_ISYNC, .n = 32, .val = insn_at(u, u->here)->addr,
		.flags = u->here.t32 ? CSF_PKT_IS1 : 0,
		.info = reason << 5 | (u->ns ? 0x08 : 0),
	};

	flush(u);
	if (reason)
		count_cycles(u, &pkt);
	send(u, &pkt);
	say_cycles(u, &pkt);
	say_context(u);
	u->addr = pkt.val;
	u->is_t32 = u->here.t32;
	u->n_stack = 0;
}

/* -------- execution */

static struct place somewhere(struct unit *u)
{
	return (struct place){ roll(u->d, 2), roll(u->d, INSNS - 1) };
}

static void push(struct unit *u, struct place back)
{
	if (u->n_calls == 32)
		memmove(u->calls, u->calls + 1, --u->n_calls * sizeof(back));
	u->calls[u->n_calls++] = back;
	if (!u->rs)
		return;
	if (u->n_stack == u->depth)
		memmove(u->stack, u->stack + 1, --u->n_stack * sizeof(back));
	u->stack[u->n_stack++] = back;
}

/* The branch packet for a branch to @to. */
static void send_branch(struct unit *u, struct place to)
{
	struct csf_packet pkt = { .type = CSF_PKT_BRANCH };

	flush(u);
	put_addr(u, &pkt, insn_at(u, to)->addr, to.t32, 1);
	count_cycles(u, &pkt);
	send(u, &pkt);
	say_cycles(u, &pkt);
}

/* Is it the address on top of the unit's stack? */
static bool is_top(const struct unit *u, struct place to)
{
	const struct place *end = u->stack + u->n_stack;

	return u->n_stack && end[-1].t32 == to.t32 && end[-1].at == to.at;
}

/* Returns to a caller, or goes anywhere. */
static struct place jump(struct unit *u)
{
	struct place to = somewhere(u);

	if (u->n_calls && roll(u->d, 4))
		to = u->calls[--u->n_calls];
	if (is_top(u, to)) {
		u->n_stack--;
		send_atom(u, true);
	} else {
		send_branch(u, to);
	}
	return to;
}

static struct place target_of(const struct unit *u, const struct insn *insn)
{
	const bool t32 = u->here.t32 != (insn->kind == CALL_OTHER);

	return (struct place){ t32, insn->to };
}

/* Executes the waypoint that is the last of @u->done instructions. */
static void waypoint(struct unit *u, const struct insn *insn)
{
	const bool taken = insn->kind != BRANCH_CC || roll(u->d, 2);
	const struct place next = u->here;
	struct place to = next;

	say_step(u, u->done, taken ? 'E' : 'N');
	u->done = 0;
	switch (insn->kind) {
	case CALL:
	case CALL_OTHER:
	case BRANCH:
	case BRANCH_CC:
		if (taken)
			to = target_of(u, insn);
		if (insn->kind == CALL || insn->kind == CALL_OTHER)
			push(u, next);
		if (taken && u->bb && roll(u->d, 2))
			send_branch(u, to);
		else
			send_atom(u, taken);
		break;
	case CALL_REG:
		push(u, next);
		u->n_calls--;		/* or it would go back at once */
		to = jump(u);
		if (u->n_calls < 32)
			u->calls[u->n_calls++] = next;
		break;
	case JUMP:
		to = jump(u);
		break;
	default:
		send_atom(u, true);
		break;
	}
	u->here = to;
}

/* An exception before the instruction at @u->here. */
static void exception(struct unit *u, unsigned int number)
{
	const struct place to = somewhere(u);
	struct csf_packet pkt = {
		.type = CSF_PKT_BRANCH, .flags = CSF_PKT_CTXT, .exception = number,
	};
	const bool was = u->ns;

	if (u->done) {
		struct csf_packet update = { .type = CSF_PKT_WAYPOINT };

		flush(u);
		put_addr(u, &update, insn_at(u, u->here)[-1].addr, u->here.t32, 1);
		send(u, &update);
		say_step(u, u->done, '-');
	}
	u->done = 0;
	flush(u);
	text_add(u->truth, "exception 0x%02x %c%u\n", number, u->here.t32 ? 't' : 'a',
		 u->here.at);
	put_addr(u, &pkt, insn_at(u, to)->addr, to.t32, 2);
	u->ns = !roll(u->d, 4);
	pkt.info |= u->ns ? 0x08 : 0;
	count_cycles(u, &pkt);
	send(u, &pkt);
	say_cycles(u, &pkt);
	if (u->ns != was)
		say_context(u);
	u->here = to;
}

static bool is_waypoint(const struct unit *u, enum kind kind)
{
	return kind == BARRIER ? u->barriers : kind != PLAIN && kind != SVC;
}

/* One instruction, or an exception in its place. */
static void execute(struct unit *u)
{
	const struct insn *insn = insn_at(u, u->here);

	if (!roll(u->d, 25)) {
		exception(u, roll(u->d, 2) ? 14 : 15);
		return;
	}
	u->here.at++;
	u->done++;
	if (is_waypoint(u, insn->kind))
		waypoint(u, insn);
	else if (insn->kind == SVC)
		exception(u, 10);
}

/* -------- what comes in between */

static void timestamp(struct unit *u)
{
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = 49, .val = 1 + roll(u->d, 1u << 30) };

	flush(u);
	count_cycles(u, &pkt);
	send(u, &pkt);
	text_add(u->truth, "time %#" PRIx64, pkt.val);
	if (u->cycles)
		text_add(u->truth, " cycles %u", pkt.count);
	text_add(u->truth, "\n");
}

/* Tracing stops at a waypoint, and goes on elsewhere. */
static void turn_on(struct unit *u, bool overflow)
{
	flush(u);
	u->here = somewhere(u);
	text_add(u->truth, overflow ? "gap overflow\n" : "gap off\n");
	send_isync(u, overflow ? 2 : 1);
}

static void between(struct unit *u)
{
	switch (roll(u->d, 40)) {
	case 0:
		flush(u);
		send(u, &(struct csf_packet){ .type = CSF_PKT_ASYNC });
		send_isync(u, 0);
		break;
	case 1:
		send_isync(u, 0);
		break;
	case 2:
		turn_on(u, !roll(u->d, 3));
		break;
	case 3 ... 5:
		timestamp(u);
		break;
	case 6:
		flush(u);
		send(u, &(struct csf_packet){ .type = CSF_PKT_IGNORE });
		break;
	default:
		break;
	}
}

void random_ptm_execution(struct trace_case *c, struct dice *d, const struct ptm_program *p, int n,
			  struct text *truth)
{
	struct unit u = {
		.c = c, .d = d, .truth = truth, .p = p,
		.cycles = c->config.etmcr >> 12 & 1, .bb = c->config.etmcr >> 8 & 1,
		.rs = c->config.etmcr >> 29 & c->config.etmccer >> 23 & 1,
		.barriers = c->config.etmccer >> 24 & 1,
		.depth = 1 + roll(d, UNIT_STACK),
	};

	send(&u, &(struct csf_packet){ .type = CSF_PKT_ASYNC });
	u.here = somewhere(&u);
	send_isync(&u, 0);
	while (n--) {
		execute(&u);
		if (!u.done)
			between(&u);
	}
	flush(&u);
	text_add(truth, "end\n");
}
