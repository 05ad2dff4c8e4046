// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case-asm.h"
#include "random-case.h"

/* ---------------------------------------------------------------- programs */

static const char *const ops[3][24] = {
	[CSF_A64] = {
		"nop", "nop", "add", "ldr", "str", "b", "bl", "bl", "b.eq", "b.ne", "cbz", "tbz",
		"br", "blr", "ret", "ret", "eret", "svc", "isb", "wfi", "tstart", "dsb", "cbnz",
		"nop",
	},
	[CSF_A32] = {
		"nop", "add", "ldr", "str", "b", "bl", "bl", "beq", "bne", "blne", "blx", "blxr",
		"bx", "bxne", "pop.pc", "svc", "isb", "wfi", "wfieq", "nop", "beq", "nop", "bx",
		"eret",
	},
	[CSF_T32] = {
		"nop", "nop.w", "add", "mov.w", "b", "b.w", "beq", "bne.w", "bl", "bl", "blx",
		"blxr", "bx", "bx", "pop.pc", "cbz", "tbb", "svc", "isb", "wfi", "wfe.w", "it",
		"ldr", "nop",
	},
};

/* Somewhere near, where an instruction may start. */
static uint64_t target(struct dice *d, const struct case_section *s, const char *op)
{
	int64_t unit = s->isa == CSF_T32 ? 2 : 4;
	int64_t d_units = (int64_t)roll(d, 60) - 30;

	if (!strcmp(op, "cbz") && s->isa == CSF_T32)
		d_units = 2 + roll(d, 30);
	if (!strcmp(op, "blx"))
		unit = 4;
	return (s->addr + s->n + d_units * unit) & ~(uint64_t)(unit - 1);
}

static void put_insn(struct case_section *s, const char *op, uint64_t to)
{
	uint8_t bytes[4] = { 0 };
	unsigned int n = case_asm(s->isa, op, s->addr + s->n, to, bytes);

	s->code = realloc(s->code, s->n + 4);
	if (!s->code || !n)
		abort();
	memcpy(s->code + s->n, bytes, n);
	s->n += n;
}

static void put_section(struct trace_case *c, struct dice *d, enum csf_isa isa, uint64_t addr)
{
	struct case_section *s = &c->section[c->n_section++];
	bool plain = !roll(d, 8);	/* hardly a branch in it: long blocks */
	int n = plain ? 1 + roll(d, 3000) : 1 + roll(d, 60);

	*s = (struct case_section){ .addr = addr, .isa = isa };
	snprintf(s->name, sizeof(s->name), "s%zu", c->n_section - 1);
	while (n--) {
		const char *op = ops[isa][roll(d, 24)];

		if (plain && roll(d, 500))
			op = "nop";
		put_insn(s, op, target(d, s, op));
	}
	if (s->n & 2)
		put_insn(s, "nop", 0);
}

static struct walker_map *put_map(struct trace_case *c, int section, int space)
{
	const struct case_section *s = &c->section[section];
	struct walker_map *map = &c->map[c->n_map++];

	*map = (struct walker_map){
		.addr = s->addr, .n = s->n, .code = s->code, .until = UINT64_MAX, .space = space,
		.section = section, .base = s->addr,
	};
	return map;
}

static void part_of(struct walker_map *map, struct dice *d)
{
	uint32_t from = roll(d, map->n) & ~1u;

	map->n = 1 + roll(d, map->n - from);
	map->addr += from;
	map->code += from;
}

/* Part of a map is not there, or comes twice, or has something else in front of it. */
static void put_part(struct trace_case *c, struct dice *d)
{
	struct walker_map *map = &c->map[roll(d, 7)], part = *map;

	part_of(&part, d);
	if (roll(d, 2))
		part.space = roll(d, 2);
	switch (roll(d, 4)) {
	case 0:
		*map = part;
		return;
	case 1:
		part.code = NULL;
		part.from = 0;
		part.until = UINT64_MAX;
		break;
	case 2:
		part.from = roll(d, 2) * 0x4000;
		part.until = roll(d, 2) ? 0x8000 : UINT64_MAX;
		break;
	default:
		put_section(c, d, c->section[part.section].isa, part.addr & ~3ull);
		part_of(put_map(c, c->n_section - 1, part.space), d);
		return;
	}
	c->map[c->n_map++] = part;
}

/*
 * Two sections side by side, one where another space has something else, one
 * that changes over time, one far away.
 */
static void put_code(struct trace_case *c, struct dice *d, enum csf_isa isa)
{
	const bool wide = isa == CSF_A64;
	enum csf_isa other = isa == CSF_A64 ? CSF_A64 : isa == CSF_A32 ? CSF_T32 : CSF_A32;

	c->n_space = 2;
	put_section(c, d, isa, 0x10000);
	put_section(c, d, isa, 0x10000 + c->section[0].n);
	put_section(c, d, other, 0x20000);
	put_section(c, d, isa, 0x20000);
	put_section(c, d, isa, 0x30000);
	put_section(c, d, isa, 0x30000);
	put_section(c, d, isa, wide ? 0xffff000000050000 : 0x40010000);
	put_map(c, 0, 0);
	put_map(c, 1, 0);
	put_map(c, 2, 0);
	put_map(c, 3, 1);
	put_map(c, 4, 0)->until = 0x4000;
	put_map(c, 5, 0)->from = 0x4000;
	put_map(c, 6, 0);
	if (!roll(d, 2))
		for (int n = 1 + roll(d, 4); n--; )
			put_part(c, d);
	c->rule[c->n_rule++] = (struct case_rule){ CASE_CID, 1, 1 };
}

static void put_label(struct trace_case *c, const char *name, uint64_t addr)
{
	struct label *l = &c->label[c->n_label++];

	snprintf(l->name, sizeof(l->name), "%.8s", name);
	l->addr = addr;
}

void random_program(struct trace_case *c, struct dice *d)
{
	static const char *const version[] = {
		"etmv4.0", "etmv4.3", "etmv4.5", "etmv4.6", "ete1.0", "ete1.1", "ete1.3 ite",
		"ete1.0",
	};
	static const char *const words[] = {
		"rs", "rs", "rs", "maxspec 1", "maxspec 4", "maxspec 8 nocommopt", "tsmark",
		"commtrans", "nowfx", "cidsize 0", "vmidsize 1", "instp0 loads stores",
		"profile-r", "noq", "cond", "data", "marks 0xfff", "ccsize 0",
		"cond condkeys 6 condspecial 2 marks 0x43ff", "condtype 1",
	};
	char text[128];

	memset(c, 0, sizeof(*c));
	snprintf(c->title, sizeof(c->title), "random");
	case_config(&c->config);
	snprintf(text, sizeof(text), "%s", version[roll(d, 8)]);
	case_configure(&c->config, text);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!roll(d, 6)) {
			snprintf(text, sizeof(text), "%s", words[i]);
			case_configure(&c->config, text);
		}
	c->config.unchecked = roll(d, 2);	/* what is random hardly ever agrees with code */
	if (roll(d, 3))
		put_code(c, d, CSF_A64);
	else
		put_code(c, d, roll(d, 2) ? CSF_A32 : CSF_T32);
	if (c->section[0].isa == CSF_T32 && !roll(d, 3))
		c->config.profile = CSF_PROFILE_M;
	for (size_t i = 0; i < c->n_section; i++)
		put_label(c, c->section[i].name, c->section[i].addr);
	random_modes(&c->config);
	c->n_piece = 1;
}

void random_modes(struct csf_config *config)
{
	config->trcconfigr |= (config->trcidr8 & 3) << 3;
}

/* ---------------------------------------------------------------- packets */

void random_put(struct trace_case *c, const void *bytes, size_t n)
{
	struct case_piece *p = &c->piece[c->n_piece - 1];

	p->trace = realloc(p->trace, p->n + n + 1);
	if (!p->trace)
		abort();
	memcpy(p->trace + p->n, bytes, n);
	p->n += n;
}

/* Packets that this configuration does not have are left out. */
static void put(struct trace_case *c, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	int n = csf_packet_write(&c->config, bytes, pkt);

	if (n > 0)
		random_put(c, bytes, n);
}

static void put_type(struct trace_case *c, enum csf_packet_type type)
{
	put(c, &(struct csf_packet){ .type = type });
}

static uint64_t somewhere(const struct trace_case *c, struct dice *d, bool *is1)
{
	const struct case_section *s = &c->section[roll(d, c->n_section)];
	uint64_t offset = roll(d, s->n + 8);

	if (!roll(d, 3))
		offset = roll(d, 4) * 4;
	*is1 = s->isa == CSF_T32;
	return s->addr + (offset & (*is1 ? ~1ull : ~3ull));
}

static void put_context(struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	const bool wide = c->section[0].isa == CSF_A64;

	pkt->flags |= CSF_PKT_CTXT;
	pkt->info = roll(d, 2) << 5 | (wide ^ !roll(d, 20)) << 4 | !roll(d, 6) << 3 | roll(d, 4);
	if (!roll(d, 3)) {
		pkt->info |= 0x80;
		pkt->contextid = c->config.trcidr2 & 0x3e0 ? roll(d, 3) : 0;
	}
	if (!roll(d, 3)) {
		pkt->info |= 0x40;
		pkt->vmid = (c->config.trcidr2 >> 10 & 0x1f) ? roll(d, 3) : 0;
	}
}

/* In any of the forms that an address can have; short ones are completed by the last address. */
static void put_address(struct trace_case *c, struct dice *d, bool source)
{
	struct csf_packet pkt = { 0 };
	uint64_t addr;
	bool is1;

	addr = somewhere(c, d, &is1);
	switch (roll(d, source ? 5 : 7)) {
	case 0:
		pkt.type = source ? CSF_PKT_SRC_MATCH : CSF_PKT_ADDR_MATCH;
		pkt.val = roll(d, 3);
		put(c, &pkt);
		return;
	case 1:
		pkt.type = source ? CSF_PKT_SRC_SHORT : CSF_PKT_ADDR_SHORT;
		pkt.n = (roll(d, 2) ? 9 : 17) - is1;
		break;
	case 2:
		pkt.type = source ? CSF_PKT_SRC32 : CSF_PKT_ADDR32;
		pkt.n = 32;
		break;
	case 5:
		pkt.type = CSF_PKT_ADDR_CTXT32;
		pkt.n = 32;
		put_context(c, d, &pkt);
		break;
	case 6:
		pkt.type = CSF_PKT_ADDR_CTXT64;
		pkt.n = 64;
		put_context(c, d, &pkt);
		break;
	default:
		pkt.type = source ? CSF_PKT_SRC64 : CSF_PKT_ADDR64;
		pkt.n = 64;
		break;
	}
	pkt.val = pkt.n < 64 ? addr & ((1ull << pkt.n) - 1) : addr;
	pkt.flags |= is1 ? CSF_PKT_IS1 : 0;
	put(c, &pkt);
}

static void put_exception(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_EXCEPTION, .exception = roll(d, 0x1a) };

	pkt.n = roll(d, 3) ? 1 : 2;
	if (c->config.profile == CSF_PROFILE_M && !roll(d, 3))
		pkt.exception = 0x208 + roll(d, 8);
	if (!roll(d, 8)) {
		pkt.exception = roll(d, 2) ? 0x18 : 0;
		pkt.flags = CSF_PKT_UNKNOWN;
	}
	put(c, &pkt);
	if (pkt.flags)
		return;
	if (!roll(d, 6)) {
		struct csf_packet ctx = { .type = CSF_PKT_CONTEXT };

		put_context(c, d, &ctx);
		put(c, &ctx);
	}
	if (!roll(d, 10))
		put_type(c, CSF_PKT_IGNORE);
	put_address(c, d, false);
}

static void put_q(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_Q, .flags = CSF_PKT_COUNT };
	bool is1;

	pkt.count = roll(d, 10) ? roll(d, 6) : roll(d, 5000);
	switch (roll(d, 4)) {
	case 0:
		pkt.flags |= CSF_PKT_ADDR | CSF_PKT_MATCH;
		pkt.val = roll(d, 3);
		break;
	case 1:
		pkt.flags |= CSF_PKT_ADDR;
		pkt.n = 32;
		pkt.val = (uint32_t)somewhere(c, d, &is1);
		pkt.flags |= is1 ? CSF_PKT_IS1 : 0;
		break;
	case 2:
		pkt.flags = 0;
		pkt.count = 0;
		break;
	default:
		break;
	}
	put(c, &pkt);
	if (!(pkt.flags & CSF_PKT_ADDR) && roll(d, 50))
		put_address(c, d, false);
}

static void put_time(struct trace_case *c, struct dice *d)
{
	static const uint8_t bits[] = { 7, 14, 14, 21, 64 };
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = bits[roll(d, 5)] };

	pkt.val = roll(d, 1 << 15);
	if (pkt.n < 64)
		pkt.val &= (1ull << pkt.n) - 1;
	if (!roll(d, 3)) {
		pkt.flags = CSF_PKT_COUNT;
		pkt.count = roll(d, 1 << 10);
	}
	if (roll(d, 2))
		put_type(c, CSF_PKT_MARKER);
	put(c, &pkt);
}

static void put_cycles(struct trace_case *c, struct dice *d)
{
	const bool commits = c->config.trcidr8 && !(c->config.trcidr0 & 1u << 29);
	struct csf_packet pkt = { .flags = CSF_PKT_COUNT, .count = roll(d, 4) };

	switch (roll(d, 3)) {
	case 0:
		pkt.type = CSF_PKT_CC1;
		pkt.commit = commits ? roll(d, 3) : 0;
		if (!roll(d, 3)) {
			pkt.flags = 0;
			pkt.count = 0;
		}
		break;
	case 1:
		pkt.type = CSF_PKT_CC2;
		pkt.commit = commits ? 1 + roll(d, 2) : 0;
		pkt.info = !commits || !roll(d, 3);
		if (commits && pkt.info)
			pkt.commit = roll(d, 16) - 15u;
		break;
	default:
		pkt.type = CSF_PKT_CC3;
		pkt.commit = commits ? 1 + roll(d, 2) : 0;
	}
	put(c, &pkt);
}

static void put_info(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_INFO };

	if (!roll(d, 2)) {
		pkt.info |= 1;
		pkt.val = 1 | !roll(d, 4) << 6;
		pkt.info |= 8;
		pkt.count = roll(d, 20);
	}
	if (c->config.trcidr8 && !roll(d, 3)) {
		pkt.info |= 4;
		pkt.commit = roll(d, 6);
	}
	put(c, &pkt);
}

/* A-sync and Trace Info, then perhaps packets as a trace unit sends them. */
static void put_sync(struct trace_case *c, struct dice *d)
{
	put_type(c, CSF_PKT_ASYNC);
	if (!roll(d, 6))
		put(c, &(struct csf_packet){ .type = CSF_PKT_EVENT, .val = 1 + roll(d, 15) });
	if (!roll(d, 20))
		put_type(c, CSF_PKT_ON);
	put_info(c, d);
	if (roll(d, 2))
		put_type(c, CSF_PKT_ON);
	if (roll(d, 4)) {
		struct csf_packet pkt = { .type = CSF_PKT_ADDR_CTXT64, .n = 64 };
		bool is1;

		pkt.val = somewhere(c, d, &is1);
		pkt.flags = is1 ? CSF_PKT_IS1 : 0;
		put_context(c, d, &pkt);
		put(c, &pkt);
	}
}

static void put_speculation(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .count = 1 + roll(d, 3) };

	if (!c->config.trcidr8 && roll(d, 50))
		return;
	switch (roll(d, 7)) {
	case 0:
		pkt.type = CSF_PKT_CANCEL1;
		pkt.flags = roll(d, 2) ? CSF_PKT_MISP : 0;
		break;
	case 1:
		pkt.type = CSF_PKT_CANCEL2;
		pkt.count = 1;
		pkt.n = roll(d, 3);
		pkt.val = pkt.n ? (1u << pkt.n) - 1 : 0;
		break;
	case 2:
		pkt.type = CSF_PKT_CANCEL3;
		pkt.count = 2 + roll(d, 2);
		pkt.n = roll(d, 2);
		pkt.val = pkt.n;
		break;
	case 3:
		pkt.type = CSF_PKT_MISPREDICT;
		pkt.count = 0;
		pkt.n = roll(d, 3);
		pkt.val = pkt.n ? (1u << pkt.n) - 1 : 0;
		break;
	default:
		pkt.type = CSF_PKT_COMMIT;
		break;
	}
	put(c, &pkt);
}

/* Conditional instructions and their results, with few keys. */
static void put_conditional(struct trace_case *c, struct dice *d)
{
	static const uint8_t type[] = {
		CSF_PKT_COND_I1, CSF_PKT_COND_I2, CSF_PKT_COND_I3, CSF_PKT_COND_R1,
		CSF_PKT_COND_R2, CSF_PKT_COND_R3, CSF_PKT_COND_R4, CSF_PKT_COND_FLUSH,
	};
	struct csf_packet pkt = { .type = type[roll(d, sizeof(type))] };

	if (!(c->config.marks & CSF_MARK_COND))
		return;
	switch ((enum csf_packet_type)pkt.type) {
	case CSF_PKT_COND_I3:
		pkt.val = roll(d, 3) | roll(d, 2) << 6;
		break;
	case CSF_PKT_COND_R1:
		pkt.n = 1 + roll(d, 2);
		pkt.info = roll(d, 1u << pkt.n);
		pkt.val = roll(d, 7 << 4);
		pkt.val2 = pkt.n == 2 ? roll(d, 7 << 4) : 0;
		break;
	case CSF_PKT_COND_R3:
		pkt.val = roll(d, 1 << 12);
		break;
	case CSF_PKT_COND_FLUSH:
		break;
	default:
		pkt.val = roll(d, 7);
	}
	put(c, &pkt);
}

static void put_rare(struct trace_case *c, struct dice *d)
{
	static const uint8_t type[] = {
		CSF_PKT_ON, CSF_PKT_RETURN, CSF_PKT_ERET, CSF_PKT_TM_START, CSF_PKT_TM_COMMIT,
		CSF_PKT_IGNORE, CSF_PKT_MARKER, CSF_PKT_CONTEXT, CSF_PKT_COND_FLUSH,
		CSF_PKT_DSYNC_N, CSF_PKT_BF_FLUSH,
	};
	uint8_t byte = roll(d, 256);

	switch (roll(d, 20)) {
	case 0:
		put_type(c, roll(d, 2) ? CSF_PKT_OVERFLOW : CSF_PKT_DISCARD);
		if (roll(d, 5))
			put_sync(c, d);
		break;
	case 1:
		random_put(c, &byte, 1);
		put_sync(c, d);
		break;
	case 2:
	case 3:
	case 4:
		put_sync(c, d);
		break;
	case 5:
		put(c, &(struct csf_packet){ .type = CSF_PKT_ITE, .n = roll(d, 4), .val = byte });
		break;
	case 6:
		put_info(c, d);
		break;
	default:
		put_type(c, type[roll(d, sizeof(type))]);
	}
}

static void put_any(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_CONTEXT };
	uint8_t atom = 0xc0 + roll(d, 64);

	switch (roll(d, 20)) {
	case 0:
	case 1:
	case 2:
	case 3:
		put_address(c, d, false);
		break;
	case 4:
		put_address(c, d, true);
		break;
	case 5:
	case 6:
		put_exception(c, d);
		break;
	case 7:
		put_q(c, d);
		break;
	case 8:
		put_time(c, d);
		break;
	case 9:
		put_cycles(c, d);
		break;
	case 10:
		put_context(c, d, &pkt);
		put(c, &pkt);
		break;
	case 11:
		put(c, &(struct csf_packet){ .type = CSF_PKT_EVENT, .val = 1 + roll(d, 15) });
		break;
	case 12:
		put_rare(c, d);
		break;
	case 13:
	case 14:
		put_speculation(c, d);
		break;
	case 15:
		put_conditional(c, d);
		break;
	default:
		random_put(c, &atom, 1);
	}
}

void random_packets(struct trace_case *c, struct dice *d, int n)
{
	if (!roll(d, 8))
		put_any(c, d);
	put_sync(c, d);
	while (n--) {
		put_any(c, d);
		if (c->n_piece < CASE_PIECES && !roll(d, 400)) {
			c->piece[c->n_piece - 1].end = roll(d, 3);
			c->n_piece++;
			put_sync(c, d);
		}
	}
}

void random_damage(struct trace_case *c, struct dice *d)
{
	struct case_piece *p = &c->piece[roll(d, c->n_piece)];

	for (int n = 1 + roll(d, 4); n-- && p->n; )
		p->trace[roll(d, p->n)] = roll(d, 3) ? roll(d, 256) : 0;
}

/* ---------------------------------------------------------------- text */

static void print_code(const struct case_section *s, struct text *out)
{
	static const char *const isa[] = { "a64", "a32", "t32" };

	text_add(out, "code %#" PRIx64 " %s as %s size 0\n", s->addr, isa[s->isa], s->name);
	for (size_t i = 0; i < s->n; i += 2)
		text_add(out, "\t.half %#x\n", s->code[i] | s->code[i + 1] << 8);
}

static void print_map(const struct trace_case *c, const struct walker_map *map, struct text *out)
{
	if (map->code)
		text_add(out, "map %s %#" PRIx64 " offset %#" PRIx64, c->section[map->section].name,
			 map->addr, map->addr - map->base);
	else
		text_add(out, "unmap %#" PRIx64, map->addr);
	text_add(out, " size %#" PRIx64 " space %d from %#" PRIx64 " until %#" PRIx64 "\n", map->n,
		 map->space, map->from, map->until);
}

void random_print(const struct trace_case *c, struct text *out)
{
	text_add(out, "# random\n");
	if (c->config.protocol)
		text_add(out, "etmcr %#x etmccer %#x etmidr %#x ", c->config.etmcr,
			 c->config.etmccer, c->config.etmidr);
	else
		text_add(out, "trcidr0 %#x trcidr2 %#x trcidr8 %#x trcconfigr %#x trcdevarch %#x ",
			 c->config.trcidr0, c->config.trcidr2, c->config.trcidr8,
			 c->config.trcconfigr, c->config.trcdevarch);
	text_add(out, "profile %u\n", c->config.profile);
	for (size_t i = 0; i < c->n_section; i++)
		print_code(&c->section[i], out);
	for (size_t i = 0; i < c->n_map; i++)
		print_map(c, &c->map[i], out);
	for (size_t i = 0; i < c->n_piece; i++) {
		const struct case_piece *p = &c->piece[i];

		for (size_t at = 0; at < p->n; at++)
			text_add(out, "%s%02x", at % 24 ? " " : "\n\traw ", p->trace[at]);
		text_add(out, "\n");
	}
}
