// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "tarmac-loss.h"

#define BIT_OF(loss)	(1u << TARMAC_LOSS_##loss)
/* The record as a whole. */
#define WHOLE		(BIT_OF(KIND) | BIT_OF(SYSOP) | BIT_OF(NO_DATA))

static bool has_capital(struct tarmac_text name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] >= 'A' && name.p[i] <= 'Z')
			return true;
	return false;
}

/* "cpu12", "12", or no name */
static bool is_numbered(const char *cpu)
{
	if (!cpu)
		return true;
	if (!strncmp(cpu, "cpu", 3))
		cpu += 3;
	return !cpu[strspn(cpu, "0123456789")];
}

/* ES has neither number nor physical address. */
static uint32_t of_es(const struct tarmac_record *r)
{
	const struct tarmac_inst *i = &r->inst;

	if (r->kind != TARMAC_INST)
		return 0;
	return (i->how != TARMAC_ES ? BIT_OF(WORD) : 0) | (i->has_id ? BIT_OF(ID) : 0) |
	       (i->addr.n_pa ? BIT_OF(PA) : 0);
}

/* The loss of a physical address in the styles of the Trace Matcher and gem5. */
static uint32_t of_address(const struct tarmac_addr *a, enum tarmac_style style)
{
	if (!a->n_pa)
		return 0;
	if (style == TARMAC_STYLE_MATCHER)
		return BIT_OF(PA);
	return a->n_pa > 1 || a->sec != TARMAC_SEC_NONE ? BIT_OF(PA_MORE) : 0;
}

static uint32_t of_inst(const struct tarmac_inst *i, enum tarmac_style style)
{
	uint32_t lost = of_address(&i->addr, style);

	if (i->how == TARMAC_ES || i->how == TARMAC_IF)
		lost |= BIT_OF(WORD);
	if (!i->has_id)
		lost |= BIT_OF(NO_ID);
	if (i->has_base || i->hex_id)
		lost |= BIT_OF(ID_FORM);
	if (!i->isa)
		lost |= BIT_OF(NO_ISA);
	if (style == TARMAC_STYLE_GEM5 && (i->isa == TARMAC_T16 || i->isa == TARMAC_T32))
		lost |= BIT_OF(ISA);
	if (i->security.n && !tarmac_text_is(i->security, "s") &&
	    !tarmac_text_is(i->security, "ns"))
		lost |= BIT_OF(SECURITY);
	return lost;
}

static uint32_t of_reg(const struct tarmac_reg *g, enum tarmac_style style)
{
	uint32_t lost = 0;

	if (g->sysop.n)
		return BIT_OF(SYSOP);
	if (style == TARMAC_STYLE_MATCHER && has_capital(g->name))
		lost |= BIT_OF(CASE);
	if (g->extra.n || g->has_range || g->rest.n)
		lost |= BIT_OF(REG_MORE);
	return lost;
}

/* Has it letters or texts but R or W, a size and those of the style? */
static bool has_more(const struct tarmac_mem *m, enum tarmac_style style)
{
	const char *p = m->tag.p, *end = p + m->tag.n;

	if (m->extra.p || m->locked)
		return true;
	if (style == TARMAC_STYLE_GEM5 && (m->exclusive || m->unprivileged))
		return true;
	if (!m->tag.n)
		return false;
	if (m->exclusive && !memchr(p, 'X', m->tag.n))	/* "MW4 X", not "MW4X" */
		return true;
	if (m->tag.n < 3 || *p != 'M' || p[1] != (m->write ? 'W' : 'R') || p[2] == '0')
		return true;
	for (p += 2; p < end && *p >= '0' && *p <= '9'; p++)
		;
	p += p < end && *p == 'X';
	p += p < end && *p == 'T';
	return p < end || !m->size;
}

static uint32_t of_mem(const struct tarmac_mem *m, enum tarmac_style style)
{
	if (m->no_data)
		return BIT_OF(NO_DATA);
	return of_address(&m->addr, style) | (has_more(m, style) ? BIT_OF(MEM_MORE) : 0);
}

/* Of time and processor. */
static uint32_t of_head(const struct tarmac_record *r, enum tarmac_style style, const char *cpu)
{
	uint32_t lost = r->fraction.n ? BIT_OF(FRACTION) : 0;

	if (style == TARMAC_STYLE_MATCHER)
		return lost | (is_numbered(cpu) ? 0 : BIT_OF(CPU_NAME));
	if (!r->has_time && !r->unit && !r->time)
		return lost | BIT_OF(NO_TIME);
	return lost | (r->unit == TARMAC_CLK ? 0 : BIT_OF(UNIT));
}

uint32_t tarmac_lost(const struct tarmac_record *r, enum tarmac_style style, const char *cpu)
{
	uint32_t lost;

	if (style == TARMAC_STYLE_FM)
		return 0;
	if (style == TARMAC_STYLE_ES)
		return of_es(r);
	if (r->kind == TARMAC_INST)
		lost = of_inst(&r->inst, style);
	else if (r->kind == TARMAC_REG)
		lost = of_reg(&r->reg, style);
	else if (r->kind == TARMAC_MEM)
		lost = of_mem(&r->mem, style);
	else
		lost = BIT_OF(KIND);
	return lost & WHOLE ? lost : lost | of_head(r, style, cpu);
}

void tarmac_losses_add(struct tarmac_losses *losses, const struct tarmac_record *r,
		       enum tarmac_style style, const char *cpu)
{
	uint32_t lost = tarmac_lost(r, style, cpu);

	if (r->kind == TARMAC_INST)
		losses->last = r->cpu + 1;
	else if (style == TARMAC_STYLE_MATCHER && !(lost & WHOLE) && r->cpu + 1 != losses->last &&
		 (losses->last || r->cpu))
		lost |= BIT_OF(CPU);
	if (lost & BIT_OF(KIND))
		losses->kinds[r->kind]++;
	for (int i = 0; i < TARMAC_LOSS_NR; i++)
		losses->n[i] += lost >> i & 1;
}

/* ---------------------------------------------------------------- words */

static const char *const words[TARMAC_LOSS_NR] = {
	[TARMAC_LOSS_SYSOP] = "system operations",
	[TARMAC_LOSS_NO_DATA] = "accesses without data",
	[TARMAC_LOSS_WORD] = "IF and ES (they become IT or IS)",
	[TARMAC_LOSS_ID] = "numbers of instructions",
	[TARMAC_LOSS_ID_FORM] = "hexadecimal or two-part numbers of instructions",
	[TARMAC_LOSS_NO_ID] = "that an instruction has no number (it becomes 0)",
	[TARMAC_LOSS_ISA] = "T16 and T32 (they become T)",
	[TARMAC_LOSS_NO_ISA] = "that an instruction has no instruction set (it becomes A)",
	[TARMAC_LOSS_SECURITY] = "security states other than s and ns (they become ns)",
	[TARMAC_LOSS_PA] = "physical addresses",
	[TARMAC_LOSS_PA_MORE] = "security states and second pages of physical addresses",
	[TARMAC_LOSS_CPU] = "another processor than that of the instruction before",
	[TARMAC_LOSS_CPU_NAME] = "names of processors (they become numbers)",
	[TARMAC_LOSS_CASE] = "capital letters in names of registers",
	[TARMAC_LOSS_REG_MORE] = "ranges of bits and texts of registers",
	[TARMAC_LOSS_MEM_MORE] = "letters and texts of accesses",
	[TARMAC_LOSS_UNIT] = "units of time other than clk",
	[TARMAC_LOSS_FRACTION] = "fractions of a time",
	[TARMAC_LOSS_NO_TIME] = "that a record has no time (it becomes 0)",
};

/* How many records lose what number @i names: first the kinds, then the other losses. */
static uint64_t count(const struct tarmac_losses *losses, size_t i)
{
	return i < TARMAC_NR ? losses->kinds[i] : losses->n[i - TARMAC_NR + 1];
}

const char *tarmac_losses_words(const struct tarmac_losses *losses, enum tarmac_style style,
				size_t *at, char *buf, size_t n)
{
	const size_t end = TARMAC_NR + TARMAC_LOSS_NR - 1;
	size_t i = *at, loss;
	const char *what;
	uint64_t lost;

	while (i < end && !count(losses, i))
		i++;
	*at = i + 1;
	if (i >= end)
		return NULL;
	lost = count(losses, i);
	loss = i < TARMAC_NR ? TARMAC_LOSS_KIND : i - TARMAC_NR + 1;
	what = words[loss];
	if (loss == TARMAC_LOSS_WORD && style == TARMAC_STYLE_ES)
		what = "IT, IS and IF (they become ES)";
	if (loss == TARMAC_LOSS_KIND)
		snprintf(buf, n, "records of kind %s: %" PRIu64 " left out", tarmac_kind_name(i),
			 lost);
	else if (1u << loss & WHOLE)
		snprintf(buf, n, "%s: %" PRIu64 " left out", what, lost);
	else
		snprintf(buf, n, "%s: lost in %" PRIu64 " record%s", what, lost,
			 lost == 1 ? "" : "s");
	return buf;
}
