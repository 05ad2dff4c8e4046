// SPDX-License-Identifier: GPL-2.0-only
#include "tarmac-plain.h"
#include "tarmac-put.h"

/* Times are whole numbers. */
static void stamp(struct out *o, const struct tarmac_record *r)
{
	if (!r->has_time && !r->unit && !r->time)
		return;
	put_dec(o, r->time);
	put_letter(o, ' ');
	if (r->unit) {
		put_word(o, tarmac_unit_name[r->unit]);
		put_letter(o, ' ');
	}
}

/* Writes from the word on: what both styles have. */
static void inst(struct out *o, const struct tarmac_inst *i, enum tarmac_style style)
{
	const bool gem5 = style == TARMAC_STYLE_GEM5;
	const bool thumb = i->isa == TARMAC_T16 || i->isa == TARMAC_T32;

	put_word(o, i->skipped ? "IS (" : "IT (");
	put_dec(o, i->id);
	put_word(o, ") ");
	put_va(o, i->addr.va);
	if (gem5 && i->addr.n_pa) {
		put_letter(o, ':');
		put_hex(o, i->addr.pa, 12);
	}
	put_letter(o, ' ');
	put_opcode(o, i);
	put_letter(o, ' ');
	put_word(o, !i->isa ? "A" : gem5 && thumb ? "T" : tarmac_isa_name[i->isa]);
	put_more(o, i->mode);
	if (i->security.n)
		put_word(o, tarmac_text_is(i->security, "s") ? "_s" : "_ns");
	put_word(o, " :");
	put_more(o, i->disasm);
}

static void small_letters(struct out *o, struct tarmac_text name)
{
	for (size_t i = 0; i < name.n; i++)
		put_letter(o, name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] | 0x20 : name.p[i]);
}

static void reg(struct out *o, const struct tarmac_reg *g, enum tarmac_style style)
{
	const bool gem5 = style == TARMAC_STYLE_GEM5;

	put_word(o, "R ");
	if (gem5)
		put_text(o, g->name);
	else
		small_letters(o, g->name);
	put_letter(o, ' ');
	put_value(o, &g->value, gem5 && g->value.digits > 16 ? 8 : 0);
}

/* From the highest byte to the lowest, also if it was in the order of memory. */
static void data(struct out *o, const struct tarmac_mem *m)
{
	char digit[2 * UINT8_MAX + 2];
	size_t n;

	if (!m->memory_order) {
		put_value(o, &m->data, 0);
		return;
	}
	n = tarmac_value_digits(&m->data, digit, sizeof(digit));
	for (; n > 1; n -= 2) {
		put_letter(o, digit[n - 2]);
		put_letter(o, digit[n - 1]);
	}
	if (n)
		put_letter(o, digit[0]);
}

static void mem(struct out *o, const struct tarmac_mem *m, enum tarmac_style style)
{
	const bool gem5 = style == TARMAC_STYLE_GEM5;

	put_word(o, m->write ? "MW" : "MR");
	put_dec(o, m->size ? m->size : (m->data.digits + 1) / 2);
	if (m->exclusive && !gem5)
		put_letter(o, 'X');
	if (m->unprivileged && !gem5)
		put_letter(o, 'T');
	put_letter(o, ' ');
	put_va(o, m->addr.va);
	if (gem5 && m->addr.n_pa) {
		put_letter(o, ':');
		put_hex(o, m->addr.pa, 12);
	}
	put_letter(o, ' ');
	data(o, m);
}

static bool has(const struct tarmac_record *r)
{
	return r->kind == TARMAC_INST || (r->kind == TARMAC_REG && !r->reg.sysop.n) ||
	       (r->kind == TARMAC_MEM && !r->mem.no_data);
}

bool tarmac_plain(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number)
{
	if (!has(r))
		return false;
	if (style == TARMAC_STYLE_GEM5) {
		put_dec(o, r->time);
		put_word(o, " clk ");
		put_cpu(o, cpu, number);
		put_letter(o, ' ');
	} else {
		stamp(o, r);
	}
	if (style == TARMAC_STYLE_MATCHER && r->kind == TARMAC_INST) {
		put_dec(o, number);
		put_letter(o, ' ');
	}
	if (r->kind == TARMAC_INST)
		inst(o, &r->inst, style);
	else if (r->kind == TARMAC_REG)
		reg(o, &r->reg, style);
	else
		mem(o, &r->mem, style);
	return true;
}
