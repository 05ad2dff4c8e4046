// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every writer makes its own room: a text may be as long as a line.
 */
#include "tarmac-lex.h"
#include "tarmac-write.h"

/* More than a number with its surroundings. */
#define SMALL	64

static void text(struct out *o, struct tarmac_text t)
{
	out_room(o, t.n);
	if (t.n)
		memcpy(o->buf + o->n, t.p, t.n);
	o->n += t.n;
}

static void word(struct out *o, const char *w)
{
	out_room(o, SMALL);
	out_text(o, w);
}

static void letter(struct out *o, char c)
{
	out_room(o, 1);
	out_char(o, c);
}

static void dec(struct out *o, uint64_t v)
{
	out_room(o, SMALL);
	out_dec(o, v);
}

static void hex(struct out *o, uint64_t v, int width)
{
	out_room(o, SMALL);
	out_hex_wide(o, v, width);
}

/* Writes a blank and the text, if there is one. */
static void more(struct out *o, struct tarmac_text t)
{
	if (!t.n)
		return;
	letter(o, ' ');
	text(o, t);
}

static void security(struct out *o, uint8_t sec)
{
	if (sec != TARMAC_SEC_NONE)
		word(o, sec == TARMAC_SEC_NS ? "_NS" : "_S");
}

static void plain_addr(struct out *o, uint64_t v)
{
	hex(o, v, v >> 32 ? 16 : 8);
}

static void addr(struct out *o, const struct tarmac_addr *a)
{
	plain_addr(o, a->va);
	if (!a->n_pa)
		return;
	letter(o, ':');
	hex(o, a->pa, 12);
	security(o, a->sec);
	if (a->n_pa == 1)
		return;
	letter(o, ',');
	hex(o, a->pa2, 12);
	security(o, a->sec2);
}

/* With @group digits between bars; 0: without. */
static void value(struct out *o, const struct tarmac_value *v, uint32_t group)
{
	uint32_t left = v->digits;
	char digit;

	for (size_t i = 0; i < v->text.n; i++) {
		struct tarmac_value one = { .text = { v->text.p + i, 1 } };

		if (!tarmac_value_digits(&one, &digit, 1))
			continue;
		out_room(o, 2);
		if (group && left != v->digits && left % group == 0)
			out_char(o, '_');
		out_char(o, digit);
		left--;
	}
}

/* ---------------------------------------------------------------- the beginning of a line */

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

static void stamp(struct out *o, const struct tarmac_record *r)
{
	if (!r->has_time && !r->unit && !r->time)
		return;
	dec(o, r->time);
	if (r->fraction.n) {
		letter(o, '.');
		text(o, r->fraction);
	}
	letter(o, ' ');
	if (r->unit) {
		word(o, tarmac_unit_name[r->unit]);
		letter(o, ' ');
	}
}

static void begin(struct out *o, const struct tarmac_record *r, const char *cpu, uint32_t number)
{
	stamp(o, r);
	if (cpu && *cpu && !is_number(cpu)) {
		text(o, (struct tarmac_text){ cpu, strlen(cpu) });
	} else {
		word(o, "cpu");
		dec(o, number);
	}
	letter(o, ' ');
}

/* ---------------------------------------------------------------- instructions and flow */

static void opcode(struct out *o, const struct tarmac_inst *i)
{
	if (i->digits)
		hex(o, i->opcode, i->digits);
	else
		word(o, "--------");
}

/* Writes from the instruction set on. */
static void tail(struct out *o, const struct tarmac_inst *i, const char *colon)
{
	if (i->isa) {
		letter(o, ' ');
		word(o, tarmac_isa_name[i->isa]);
	}
	more(o, i->mode);
	if (i->security.n) {
		letter(o, '_');
		text(o, i->security);
	}
	word(o, colon);
}

static void es(struct out *o, const struct tarmac_inst *i)
{
	word(o, "ES (");
	plain_addr(o, i->addr.va);
	letter(o, ':');
	opcode(o, i);
	letter(o, ')');
	tail(o, i, ":");
	if (i->skipped)
		word(o, " CCFAIL");
	more(o, i->disasm);
}

static void id(struct out *o, const struct tarmac_inst *i)
{
	letter(o, '(');
	if (i->has_base) {
		hex(o, i->base, 8);
		letter(o, ':');
	}
	if (i->hex_id)
		hex(o, i->id, 1);
	else
		dec(o, i->id);
	word(o, ") ");
}

static void inst(struct out *o, const struct tarmac_inst *i)
{
	if (i->how == TARMAC_ES && !i->has_id && !i->addr.n_pa) {
		es(o, i);
		return;
	}
	word(o, tarmac_how_name[i->how]);
	letter(o, ' ');
	if (i->has_id)
		id(o, i);
	addr(o, &i->addr);
	letter(o, ' ');
	opcode(o, i);
	tail(o, i, " :");
	if (i->how == TARMAC_ES && i->skipped)
		word(o, " CCFAIL");
	more(o, i->disasm);
}

static void flow(struct out *o, const struct tarmac_flow *f)
{
	letter(o, 'F');
	letter(o, f->how);
	letter(o, ' ');
	if (f->has_id) {
		letter(o, '(');
		dec(o, f->id);
		word(o, ") ");
	}
	addr(o, &f->from);
	letter(o, ' ');
	addr(o, &f->to);
	letter(o, ' ');
	word(o, tarmac_isa_name[f->isa]);
}

/* ---------------------------------------------------------------- registers and memory */

static void reg(struct out *o, const struct tarmac_reg *g)
{
	letter(o, 'R');
	more(o, g->sysop);
	more(o, g->name);
	if (g->extra.n) {
		word(o, " (");
		text(o, g->extra);
		letter(o, ')');
	}
	if (g->has_range) {
		word(o, " <");
		dec(o, g->hi);
		letter(o, ':');
		dec(o, g->lo);
		letter(o, '>');
	}
	if (g->value.digits) {
		letter(o, ' ');
		value(o, &g->value, g->value.digits > 16 ? 8 : 0);
	}
	more(o, g->rest);
}

static void mem_tag(struct out *o, const struct tarmac_mem *m)
{
	if (m->tag.n) {
		text(o, m->tag);
		if (m->exclusive && !memchr(m->tag.p, 'X', m->tag.n))
			word(o, " X");
		return;
	}
	letter(o, 'M');
	letter(o, m->write ? 'W' : 'R');
	dec(o, m->size);
	if (m->exclusive)
		letter(o, 'X');
	if (m->unprivileged)
		letter(o, 'T');
	if (m->locked)
		letter(o, 'L');
}

static void mem(struct out *o, const struct tarmac_mem *m)
{
	mem_tag(o, m);
	if (m->extra.p) {
		word(o, " (");
		text(o, m->extra);
		letter(o, ')');
	}
	letter(o, ' ');
	if (m->transfer) {
		word(o, "TRANSFER");
		more(o, m->rest);
		return;
	}
	addr(o, &m->addr);
	letter(o, ' ');
	if (m->no_data)
		word(o, "(ABORTED)");
	else
		value(o, &m->data, 8);
}

static void update(struct out *o, const struct tarmac_update *u)
{
	word(o, "MU");
	dec(o, u->size);
	letter(o, '_');
	text(o, u->op);
	letter(o, ' ');
	addr(o, &u->addr);
	letter(o, ' ');
	value(o, &u->data, 8);
}

static void diagram(struct out *o, const struct tarmac_diagram *d)
{
	word(o, d->store ? "ST " : "LD ");
	addr(o, &d->addr);
	for (int i = 15; i >= 0; i--) {
		if (i % 4 == 3)
			letter(o, ' ');
		if (d->state[i] == TARMAC_BYTE)
			hex(o, d->byte[i], 2);
		else
			word(o, d->state[i] == TARMAC_BYTE_HIDDEN ? "##" : "..");
	}
	more(o, d->rest);
}

static void bus(struct out *o, const struct tarmac_bus *b)
{
	letter(o, 'B');
	letter(o, b->write ? 'W' : 'R');
	dec(o, b->size);
	letter(o, b->fetch ? 'I' : 'D');
	letter(o, b->lock);
	letter(o, b->privileged ? 'P' : '_');
	letter(o, b->nonsecure ? 'N' : 'S');
	word(o, " I");
	text(o, b->inner);
	word(o, " O");
	text(o, b->outer);
	more(o, b->master);
	letter(o, ' ');
	hex(o, b->addr, 8);
	letter(o, ' ');
	value(o, &b->data, 0);
}

/* ---------------------------------------------------------------- the system */

static void event(struct out *o, const struct tarmac_event *e)
{
	letter(o, 'E');
	if (e->numbered) {
		letter(o, ' ');
		addr(o, &e->value);
		more(o, e->mode);
		if (e->has_value1) {
			letter(o, ' ');
			hex(o, e->value1, e->value1_digits);
		}
		letter(o, ' ');
		hex(o, e->number, 8);
	}
	more(o, e->desc);
	more(o, e->rest);
}

static void maintenance(struct out *o, const struct tarmac_maintenance *m)
{
	word(o, "CACHE MAINTENANCE ");
	text(o, m->what);
	letter(o, ' ');
	addr(o, &m->data);
	more(o, m->size);
	more(o, m->memtype);
}

static void line(struct out *o, const struct tarmac_line *l)
{
	word(o, "CACHE ");
	text(o, l->cache);
	word(o, " LINE ");
	hex(o, l->line, l->line_digits);
	more(o, l->op);
	word(o, " 0x");
	hex(o, l->pa, 12);
	security(o, l->sec);
}

static void walk(struct out *o, const struct tarmac_walk *w)
{
	word(o, w->update ? "TTU" : "TTW");
	more(o, w->side);
	more(o, w->format);
	letter(o, ' ');
	dec(o, w->stage);
	letter(o, ':');
	dec(o, w->level);
	letter(o, ' ');
	hex(o, w->addr, 12);
	letter(o, ' ');
	value(o, &w->data, 0);
	word(o, " :");
	more(o, w->result);
	more(o, w->attr);
}

static void tlb(struct out *o, const struct tarmac_tlb *t)
{
	word(o, t->walk ? "WALKCACHE" : "TLB");
	word(o, t->evict ? " EVICT" : " FILL");
	more(o, t->cache);
	more(o, t->size);
	word(o, " 0x");
	plain_addr(o, t->base);
	security(o, t->sec);
	more(o, t->regime);
	if (t->has_vmid) {
		word(o, " vmid=");
		dec(o, t->vmid);
	}
	if (t->nonglobal) {
		word(o, ", nG asid=");
		dec(o, t->asid);
	}
	if (t->evict)
		return;
	word(o, ":0x");
	hex(o, t->pa, 10);
	security(o, t->pa_sec);
	more(o, t->memtype);
	more(o, t->attr);
}

static void signal(struct out *o, const struct tarmac_signal *s)
{
	word(o, "SIGNAL:");
	if (!s->name.n) {
		more(o, s->text);
		return;
	}
	word(o, " SIGNAL=");
	text(o, s->name);
	word(o, " STATE=");
	letter(o, s->state);
}

static void exception(struct out *o, const struct tarmac_exception *e)
{
	if (e->inst) {
		word(o, tarmac_how_name[e->how]);
		letter(o, ' ');
	}
	word(o, e->reset ? "Reset" : "EXC");
	more(o, e->text);
}

/* ---------------------------------------------------------------- whole lines */

static void fm(struct out *o, const struct tarmac_record *r)
{
	switch (r->kind) {
	case TARMAC_INST:
		inst(o, &r->inst);
		break;
	case TARMAC_FLOW:
		flow(o, &r->flow);
		break;
	case TARMAC_REG:
		reg(o, &r->reg);
		break;
	case TARMAC_MEM:
		mem(o, &r->mem);
		break;
	case TARMAC_UPDATE:
		update(o, &r->update);
		break;
	case TARMAC_DIAGRAM:
		diagram(o, &r->diagram);
		break;
	case TARMAC_BUS:
		bus(o, &r->bus);
		break;
	case TARMAC_EVENT:
		event(o, &r->event);
		break;
	case TARMAC_MAINTENANCE:
		maintenance(o, &r->maintenance);
		break;
	case TARMAC_LINE:
		line(o, &r->line);
		break;
	case TARMAC_WALK:
		walk(o, &r->walk);
		break;
	case TARMAC_TLB:
		tlb(o, &r->tlb);
		break;
	case TARMAC_SIGNAL:
		signal(o, &r->signal);
		break;
	case TARMAC_EXCEPTION:
		exception(o, &r->exception);
		break;
	case TARMAC_HEADER:
	case TARMAC_TEXT:
	case TARMAC_NOTE:
	case TARMAC_NR:
		break;
	}
}

/* Writes records without stamp and processor, except messages that have them. */
static bool bare(struct out *o, const struct tarmac_record *r, const char *cpu, uint32_t number)
{
	if (r->kind == TARMAC_HEADER) {
		word(o, "Tarmac Text Rev ");
		text(o, r->text);
	} else if (r->kind == TARMAC_TEXT) {
		text(o, r->text);
	} else if (r->kind == TARMAC_NOTE) {
		if (r->has_cpu)
			begin(o, r, cpu, number);
		else if (r->has_time)
			stamp(o, r);
		text(o, r->note.name);
		if (r->note.colon)
			letter(o, ':');
		if (r->note.continued)
			word(o, "   ");
		more(o, r->note.text);
	} else {
		return false;
	}
	return true;
}

static void matcher_inst(struct out *o, const struct tarmac_inst *i, uint32_t number)
{
	dec(o, number);
	word(o, i->skipped ? " IS (" : " IT (");
	dec(o, i->id);
	word(o, ") ");
	plain_addr(o, i->addr.va);
	letter(o, ' ');
	opcode(o, i);
	letter(o, ' ');
	word(o, i->isa ? tarmac_isa_name[i->isa] : "A");
	more(o, i->mode);
	if (i->security.n)
		word(o, tarmac_text_is(i->security, "s") ? "_s" : "_ns");
	word(o, " :");
	more(o, i->disasm);
}

static void small_letters(struct out *o, struct tarmac_text name)
{
	for (size_t i = 0; i < name.n; i++)
		letter(o, name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] | 0x20 : name.p[i]);
}

static void matcher_mem(struct out *o, const struct tarmac_mem *m)
{
	word(o, m->write ? "MW" : "MR");
	dec(o, m->size);
	if (m->exclusive)
		letter(o, 'X');
	if (m->unprivileged)
		letter(o, 'T');
	letter(o, ' ');
	plain_addr(o, m->addr.va);
	letter(o, ' ');
	value(o, &m->data, 0);
}

static bool matcher(struct out *o, const struct tarmac_record *r, uint32_t number)
{
	if (r->kind == TARMAC_INST) {
		stamp(o, r);
		matcher_inst(o, &r->inst, number);
	} else if (r->kind == TARMAC_REG && !r->reg.sysop.n) {
		stamp(o, r);
		word(o, "R ");
		small_letters(o, r->reg.name);
		letter(o, ' ');
		value(o, &r->reg.value, 0);
	} else if (r->kind == TARMAC_MEM && !r->mem.no_data) {
		stamp(o, r);
		matcher_mem(o, &r->mem);
	} else {
		return false;
	}
	return true;
}

bool tarmac_write(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number)
{
	if (style == TARMAC_STYLE_MATCHER) {
		if (!matcher(o, r, number))
			return false;
	} else if (!bare(o, r, cpu, number)) {
		begin(o, r, cpu, number);
		if (r->kind == TARMAC_INST && style == TARMAC_STYLE_ES)
			es(o, &r->inst);
		else
			fm(o, r);
	}
	letter(o, '\n');
	return true;
}
