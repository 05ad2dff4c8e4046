// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small processor and its trace unit: executes a program at random, sends what a trace unit
 * sends, and writes down what it did.  It knows nothing of how traces are decoded.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case-asm.h"
#include "random-case.h"

#define UNIT_STACK	15	/* return addresses that a trace unit keeps */

struct unit {
	struct trace_case *c;
	struct dice *d;
	struct text *truth;
	const struct case_section *s;
	bool rs;
	uint32_t max_spec;

	uint64_t pc;
	uint32_t atom[24];		/* not sent yet */
	unsigned int n_atom;
	uint64_t hist[3];
	uint64_t stack[UNIT_STACK];
	unsigned int n_stack;
	bool popped;			/* the last branch matched: no address may follow */
	uint32_t depth;			/* P0 elements that are not committed */
};

static void send(struct unit *u, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	int n = csf_packet_write(&u->c->config, bytes, pkt);

	if (n <= 0)
		abort();
	random_put(u->c, bytes, n);
}

/* Sends all atoms, each packet as long as it can be. */
static void flush(struct unit *u)
{
	unsigned int at = 0;

	while (at < u->n_atom) {
		struct csf_packet pkt = { .type = CSF_PKT_ATOM };
		uint8_t bytes[CSF_PACKET_MAX];
		int size = 0;

		for (pkt.n = u->n_atom - at; pkt.n; pkt.n--) {
			pkt.val = 0;
			for (unsigned int i = 0; i < pkt.n; i++)
				pkt.val |= (uint64_t)u->atom[at + i] << i;
			size = csf_packet_write(&u->c->config, bytes, &pkt);
			if (size > 0)
				break;
		}
		random_put(u->c, bytes, size);
		at += pkt.n;
	}
	u->n_atom = 0;
}

/* No more than MAXSPEC may be uncommitted: the unit counts as the decoder does. */
static void p0(struct unit *u)
{
	u->depth++;
	if (u->depth > u->max_spec)
		u->depth = u->max_spec;
}

static void atom(struct unit *u, bool taken)
{
	u->atom[u->n_atom++] = taken;
	p0(u);
	if (u->n_atom == 24 || !roll(u->d, 6))
		flush(u);
}

static void remember(struct unit *u, uint64_t addr)
{
	u->hist[2] = u->hist[1];
	u->hist[1] = u->hist[0];
	u->hist[0] = addr;
}

/* The low @bits of an address, if the last one has the others. */
static bool fits(const struct unit *u, uint64_t addr, unsigned int bits)
{
	return bits == 64 || !((addr ^ u->hist[0]) >> bits);
}

/* In the shortest form, or a longer one. */
static void address(struct unit *u, uint64_t addr, bool source)
{
	static const uint8_t type[4][2] = {
		{ CSF_PKT_ADDR_SHORT, CSF_PKT_SRC_SHORT },
		{ CSF_PKT_ADDR_SHORT, CSF_PKT_SRC_SHORT },
		{ CSF_PKT_ADDR32, CSF_PKT_SRC32 },
		{ CSF_PKT_ADDR64, CSF_PKT_SRC64 },
	};
	static const uint8_t bits[4] = { 9, 17, 32, 64 };
	struct csf_packet pkt = { 0 };

	flush(u);
	for (pkt.val = 0; pkt.val < 3; pkt.val++)
		if (u->hist[pkt.val] == addr && roll(u->d, 4)) {
			pkt.type = source ? CSF_PKT_SRC_MATCH : CSF_PKT_ADDR_MATCH;
			break;
		}
	for (int i = 0; !pkt.type; i++)
		if (i == 3 || (fits(u, addr, bits[i]) && roll(u->d, 4))) {
			pkt.type = type[i][source];
			pkt.n = bits[i];
			pkt.val = pkt.n < 64 ? addr & ((1ull << pkt.n) - 1) : addr;
		}
	send(u, &pkt);
	remember(u, addr);
}

static void context(struct unit *u, unsigned int el)
{
	struct csf_packet pkt = {
		.type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 | el,
	};

	flush(u);
	send(u, &pkt);
}

static void step(struct unit *u, uint64_t addr, unsigned int n, char how)
{
	const struct labels labels = { u->c->label, u->c->n_label };
	char name[64];

	text_add(u->truth, "%s %u %c\n", labels_name(&labels, addr, name), n, how);
}

static uint32_t opcode(const struct unit *u, uint64_t addr)
{
	uint32_t op;

	memcpy(&op, u->s->code + (addr - u->s->addr), sizeof(op));
	return op;
}

/* From @addr to the next P0 instruction: how many instructions, the last of them in @insn. */
static unsigned int block(const struct unit *u, uint64_t addr, struct csf_insn *insn)
{
	unsigned int n = 0;

	do {
		csf_insn(insn, opcode(u, addr), addr, CSF_A64, CSF_RULE_WFX);
		addr += 4;
		n++;
	} while (!(insn->flags & CSF_FLAG_P0));
	return n;
}

static uint64_t anywhere(struct unit *u)
{
	return u->s->addr + 4 * roll(u->d, u->s->n / 4 - 2);
}

static void push(struct unit *u, uint64_t addr)
{
	if (!u->rs)
		return;
	if (u->n_stack == UNIT_STACK)
		memmove(u->stack, u->stack + 1, --u->n_stack * sizeof(*u->stack));
	u->stack[u->n_stack++] = addr;
}

static void interrupt(struct unit *u, uint64_t to, unsigned int e)
{
	const struct labels labels = { u->c->label, u->c->n_label };
	struct csf_packet pkt = { .type = CSF_PKT_EXCEPTION, .exception = 0x0e, .n = e };
	char name[64];

	flush(u);
	send(u, &pkt);
	address(u, to, false);
	p0(u);
	text_add(u->truth, "exception 0x0e %s%s\n", labels_name(&labels, to, name),
		 e == 2 ? " target" : "");
	u->pc = anywhere(u);
	u->popped = false;
	if (roll(u->d, 2))
		context(u, roll(u->d, 3));
	address(u, u->pc, false);
}

/* A taken indirect branch: the unit's return stack matches, or there is an address. */
static void go(struct unit *u)
{
	uint64_t to = u->n_stack && roll(u->d, 3) ? u->stack[u->n_stack - 1] : anywhere(u);

	u->pc = to;
	if (u->n_stack && u->stack[u->n_stack - 1] == to) {
		u->n_stack--;
		u->popped = true;
		if (!roll(u->d, 12))
			interrupt(u, to, 1 + roll(u->d, 2));
	} else if (!roll(u->d, 12)) {
		interrupt(u, to, 2);
	} else {
		address(u, to, false);
	}
}

/* Takes the P0 instruction @insn that ends the block of @n instructions at u->pc. */
static void take(struct unit *u, unsigned int n, const struct csf_insn *insn, bool taken)
{
	uint64_t addr = u->pc, next = addr + 4 * n;

	step(u, addr, n, taken ? 'E' : 'N');
	u->popped = false;
	u->pc = next;
	if (!taken)
		return;
	if (insn->flags & CSF_FLAG_LINK)
		push(u, next);
	if (insn->kind == CSF_INSN_BRANCH)
		u->pc = insn->target;
	else if (insn->kind == CSF_INSN_INDIRECT)
		go(u);
}

/* Atoms on the wrong path, then taken back. */
static void speculate(struct unit *u)
{
	struct csf_packet pkt = { .type = CSF_PKT_CANCEL1 };
	uint64_t pc = u->pc;
	unsigned int n;

	flush(u);
	n = 1 + roll(u->d, u->max_spec - u->depth);
	for (pkt.count = 0; pkt.count < n; pkt.count++) {
		u->atom[u->n_atom++] = roll(u->d, 2);
		if (!roll(u->d, 3))
			address(u, anywhere(u), false);
	}
	flush(u);
	if (!roll(u->d, 3))
		send(u, &(struct csf_packet){ .type = CSF_PKT_EVENT, .val = 1 });
	send(u, &pkt);
	u->pc = pc;
	if (!u->popped)
		address(u, pc, false);
}

static void commit(struct unit *u)
{
	struct csf_packet pkt = { .type = CSF_PKT_COMMIT };

	flush(u);
	if (!u->depth)
		return;
	pkt.count = 1 + roll(u->d, u->depth);
	u->depth -= pkt.count;
	send(u, &pkt);
}

/* An A-sync, Trace Info, and where execution is. */
static void sync(struct unit *u)
{
	struct csf_packet info = { .type = CSF_PKT_INFO, .info = u->depth ? 4 : 0 };
	struct csf_packet pkt = {
		.type = CSF_PKT_ADDR_CTXT64, .n = 64, .flags = CSF_PKT_CTXT, .info = 0x31,
	};

	flush(u);
	info.commit = u->depth;
	send(u, &(struct csf_packet){ .type = CSF_PKT_ASYNC });
	send(u, &info);
	memset(u->hist, 0, sizeof(u->hist));
	u->n_stack = 0;
	pkt.val = u->pc;
	send(u, &pkt);
	remember(u, u->pc);
}

/* An interrupt before the next P0 instruction. */
static void interrupt_here(struct unit *u)
{
	struct csf_insn insn;
	unsigned int n = roll(u->d, block(u, u->pc, &insn));

	if (n)
		step(u, u->pc, n, '-');
	interrupt(u, u->pc + 4 * n, 1);
}

/* The branches passed were not taken, the last one was: one packet says so. */
static void source(struct unit *u)
{
	struct csf_insn insn;
	unsigned int n;

	flush(u);
	for (;;) {
		n = block(u, u->pc, &insn);
		if (!(insn.flags & CSF_FLAG_COND) || roll(u->d, 2))
			break;
		take(u, n, &insn, false);
	}
	address(u, u->pc + 4 * (n - 1), true);
	p0(u);
	take(u, n, &insn, true);
}

static void one(struct unit *u)
{
	struct csf_insn insn;
	unsigned int n = block(u, u->pc, &insn);
	bool taken = !(insn.flags & CSF_FLAG_COND) || roll(u->d, 2);
	bool wrong = u->max_spec && insn.kind == CSF_INSN_BRANCH && !roll(u->d, 6) &&
		     !(insn.flags & CSF_FLAG_LINK);

	atom(u, taken ^ wrong);
	if (wrong) {
		flush(u);
		if (!roll(u->d, 2))
			address(u, anywhere(u), false);
		send(u, &(struct csf_packet){ .type = CSF_PKT_MISPREDICT });
	}
	take(u, n, &insn, taken);
}

static void program(struct trace_case *c, struct dice *d)
{
	static const char *const ops[] = {
		"nop", "nop", "add", "ldr", "b", "bl", "bl", "b.eq", "cbz", "tbnz", "br", "blr",
		"ret", "ret", "isb", "wfi", "svc", "tstart",
	};
	struct case_section *s = &c->section[c->n_section++];
	size_t n = 20 + roll(d, 200);

	*s = (struct case_section){
		.addr = roll(d, 2) ? 0xffff000000081000 : 0x401000, .code = calloc(n, 4),
	};
	for (; s->n < 4 * n; s->n += 4) {
		const char *op = s->n < 4 * n - 4 ? ops[roll(d, 18)] : "ret";
		uint64_t to = s->addr + 4 * roll(d, n);

		case_asm(CSF_A64, op, s->addr + s->n, to, s->code + s->n);
	}
	c->map[c->n_map++] = (struct walker_map){
		.addr = s->addr, .n = s->n, .code = s->code, .until = UINT64_MAX, .base = s->addr,
	};
	snprintf(c->label[c->n_label].name, 8, "p");
	c->label[c->n_label++].addr = s->addr;
}

void random_execution(struct trace_case *c, struct dice *d, int n, struct text *truth)
{
	struct unit u = { .c = c, .d = d, .truth = truth };

	memset(c, 0, sizeof(*c));
	snprintf(c->title, sizeof(c->title), "execution");
	case_config(&c->config);
	c->n_space = 1;
	c->n_piece = 1;
	c->config.trcconfigr |= roll(d, 2) << 12;
	c->config.trcidr8 = roll(d, 2) ? 0 : 1 + roll(d, 12);
	random_modes(&c->config);
	program(c, d);
	u.s = &c->section[0];
	u.rs = c->config.trcconfigr >> 12 & 1;
	u.max_spec = c->config.trcidr8;
	u.pc = anywhere(&u);
	sync(&u);
	while (n--) {
		switch (roll(d, 40)) {
		case 0:
			interrupt_here(&u);
			break;
		case 1:
			source(&u);
			break;
		case 2:
			if (!roll(d, 4))
				sync(&u);
			break;
		case 3:
			flush(&u);
			send(&u, &(struct csf_packet){ .type = CSF_PKT_EVENT, .val = 2 });
			break;
		case 4:
		case 5:
			if (u.max_spec > u.depth)
				speculate(&u);
			break;
		case 6:
		case 7:
			commit(&u);
			break;
		default:
			one(&u);
		}
	}
	while (u.depth)
		commit(&u);
	flush(&u);
}
