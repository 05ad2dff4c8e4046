// SPDX-License-Identifier: GPL-2.0-only
/* The styles fm and es, which have every record. */
#include "tarmac-plain.h"
#include "tarmac-put.h"
#include "tarmac-write.h"

const char *const tarmac_style_name[] = { "fm", "matcher", "es", "gem5", NULL };

static void security(struct out *o, uint8_t sec)
{
	if (sec != TARMAC_SEC_NONE)
		put_word(o, sec == TARMAC_SEC_NS ? "_NS" : "_S");
}

static void addr(struct out *o, const struct tarmac_addr *a)
{
	put_va(o, a->va);
	if (!a->n_pa)
		return;
	put_letter(o, ':');
	put_hex(o, a->pa, 12);
	security(o, a->sec);
	if (a->n_pa == 1)
		return;
	put_letter(o, ',');
	put_hex(o, a->pa2, 12);
	security(o, a->sec2);
}

/* ---------------------------------------------------------------- the beginning of a line */

static void stamp(struct out *o, const struct tarmac_record *r)
{
	if (!r->has_time && !r->unit && !r->time)
		return;
	put_dec(o, r->time);
	if (r->fraction.n) {
		put_letter(o, '.');
		put_text(o, r->fraction);
	}
	put_letter(o, ' ');
	if (r->unit) {
		put_word(o, tarmac_unit_name[r->unit]);
		put_letter(o, ' ');
	}
}

static void begin(struct out *o, const struct tarmac_record *r, const char *cpu, uint32_t number)
{
	stamp(o, r);
	put_cpu(o, cpu, number);
	put_letter(o, ' ');
}

/* ---------------------------------------------------------------- instructions and flow */

/* Writes from the instruction set on. */
static void tail(struct out *o, const struct tarmac_inst *i, const char *colon)
{
	if (i->isa) {
		put_letter(o, ' ');
		put_word(o, tarmac_isa_name[i->isa]);
	}
	put_more(o, i->mode);
	if (i->security.n) {
		put_letter(o, '_');
		put_text(o, i->security);
	}
	put_word(o, colon);
}

static void es(struct out *o, const struct tarmac_inst *i)
{
	put_word(o, "ES (");
	put_va(o, i->addr.va);
	put_letter(o, ':');
	put_opcode(o, i);
	put_letter(o, ')');
	tail(o, i, ":");
	if (i->skipped)
		put_word(o, " CCFAIL");
	put_more(o, i->disasm);
}

static void id(struct out *o, const struct tarmac_inst *i)
{
	put_letter(o, '(');
	if (i->has_base) {
		put_hex(o, i->base, 8);
		put_letter(o, ':');
	}
	if (i->hex_id)
		put_hex(o, i->id, 1);
	else
		put_dec(o, i->id);
	put_word(o, ") ");
}

static void inst(struct out *o, const struct tarmac_inst *i)
{
	if (i->how == TARMAC_ES && !i->has_id && !i->addr.n_pa) {
		es(o, i);
		return;
	}
	put_word(o, tarmac_how_name[i->how]);
	put_letter(o, ' ');
	if (i->has_id)
		id(o, i);
	addr(o, &i->addr);
	put_letter(o, ' ');
	put_opcode(o, i);
	tail(o, i, " :");
	if (i->how == TARMAC_ES && i->skipped)
		put_word(o, " CCFAIL");
	put_more(o, i->disasm);
}

static void flow(struct out *o, const struct tarmac_flow *f)
{
	put_letter(o, 'F');
	put_letter(o, f->how);
	put_letter(o, ' ');
	if (f->has_id) {
		put_letter(o, '(');
		put_dec(o, f->id);
		put_word(o, ") ");
	}
	addr(o, &f->from);
	put_letter(o, ' ');
	addr(o, &f->to);
	put_letter(o, ' ');
	put_word(o, tarmac_isa_name[f->isa]);
}

/* ---------------------------------------------------------------- registers and memory */

static void reg(struct out *o, const struct tarmac_reg *g)
{
	put_letter(o, 'R');
	put_more(o, g->sysop);
	put_more(o, g->name);
	if (g->extra.n) {
		put_word(o, " (");
		put_text(o, g->extra);
		put_letter(o, ')');
	}
	if (g->has_range) {
		put_word(o, " <");
		put_dec(o, g->hi);
		put_letter(o, ':');
		put_dec(o, g->lo);
		put_letter(o, '>');
	}
	if (g->value.digits) {
		put_letter(o, ' ');
		put_value(o, &g->value, g->value.digits > 16 ? 8 : 0);
	}
	put_more(o, g->rest);
}

static void mem_tag(struct out *o, const struct tarmac_mem *m)
{
	if (m->tag.n) {
		put_text(o, m->tag);
		if (m->exclusive && !memchr(m->tag.p, 'X', m->tag.n))
			put_word(o, " X");
		return;
	}
	put_letter(o, 'M');
	put_letter(o, m->write ? 'W' : 'R');
	put_dec(o, m->size);
	if (m->exclusive)
		put_letter(o, 'X');
	if (m->unprivileged)
		put_letter(o, 'T');
	if (m->locked)
		put_letter(o, 'L');
}

static void mem(struct out *o, const struct tarmac_mem *m)
{
	mem_tag(o, m);
	if (m->extra.p) {
		put_word(o, " (");
		put_text(o, m->extra);
		put_letter(o, ')');
	}
	put_letter(o, ' ');
	if (m->transfer) {
		put_word(o, "TRANSFER");
		put_more(o, m->rest);
		return;
	}
	addr(o, &m->addr);
	put_letter(o, ' ');
	if (m->no_data)
		put_word(o, "(ABORTED)");
	else
		put_value(o, &m->data, 8);
}

static void update(struct out *o, const struct tarmac_update *u)
{
	put_word(o, "MU");
	put_dec(o, u->size);
	put_letter(o, '_');
	put_text(o, u->op);
	put_letter(o, ' ');
	addr(o, &u->addr);
	put_letter(o, ' ');
	put_value(o, &u->data, 8);
}

static void diagram(struct out *o, const struct tarmac_diagram *d)
{
	put_word(o, d->store ? "ST " : "LD ");
	addr(o, &d->addr);
	for (int i = 15; i >= 0; i--) {
		if (i % 4 == 3)
			put_letter(o, ' ');
		if (d->state[i] == TARMAC_BYTE)
			put_hex(o, d->byte[i], 2);
		else
			put_word(o, d->state[i] == TARMAC_BYTE_HIDDEN ? "##" : "..");
	}
	put_more(o, d->rest);
}

static void bus(struct out *o, const struct tarmac_bus *b)
{
	put_letter(o, 'B');
	put_letter(o, b->write ? 'W' : 'R');
	put_dec(o, b->size);
	put_letter(o, b->fetch ? 'I' : 'D');
	put_letter(o, b->lock);
	put_letter(o, b->privileged ? 'P' : '_');
	put_letter(o, b->nonsecure ? 'N' : 'S');
	put_word(o, " I");
	put_text(o, b->inner);
	put_word(o, " O");
	put_text(o, b->outer);
	put_more(o, b->master);
	put_letter(o, ' ');
	put_hex(o, b->addr, 8);
	put_letter(o, ' ');
	put_value(o, &b->data, 0);
}

/* ---------------------------------------------------------------- the system */

static void event(struct out *o, const struct tarmac_event *e)
{
	put_letter(o, 'E');
	if (e->numbered) {
		put_letter(o, ' ');
		addr(o, &e->value);
		put_more(o, e->mode);
		if (e->has_value1) {
			put_letter(o, ' ');
			put_hex(o, e->value1, e->value1_digits);
		}
		put_letter(o, ' ');
		put_hex(o, e->number, 8);
	}
	put_more(o, e->desc);
	put_more(o, e->rest);
}

static void maintenance(struct out *o, const struct tarmac_maintenance *m)
{
	put_word(o, "CACHE MAINTENANCE ");
	put_text(o, m->what);
	put_letter(o, ' ');
	addr(o, &m->data);
	put_more(o, m->size);
	put_more(o, m->memtype);
}

static void line(struct out *o, const struct tarmac_line *l)
{
	put_word(o, "CACHE ");
	put_text(o, l->cache);
	put_word(o, " LINE ");
	put_hex(o, l->line, l->line_digits);
	put_more(o, l->op);
	put_word(o, " 0x");
	put_hex(o, l->pa, 12);
	security(o, l->sec);
}

static void walk(struct out *o, const struct tarmac_walk *w)
{
	put_word(o, w->update ? "TTU" : "TTW");
	put_more(o, w->side);
	put_more(o, w->format);
	put_letter(o, ' ');
	put_dec(o, w->stage);
	put_letter(o, ':');
	put_dec(o, w->level);
	put_letter(o, ' ');
	put_hex(o, w->addr, 12);
	put_letter(o, ' ');
	put_value(o, &w->data, 0);
	put_word(o, " :");
	put_more(o, w->result);
	put_more(o, w->attr);
}

static void tlb(struct out *o, const struct tarmac_tlb *t)
{
	put_word(o, t->walk ? "WALKCACHE" : "TLB");
	put_word(o, t->evict ? " EVICT" : " FILL");
	put_more(o, t->cache);
	put_more(o, t->size);
	put_word(o, " 0x");
	put_va(o, t->base);
	security(o, t->sec);
	put_more(o, t->regime);
	if (t->has_vmid) {
		put_word(o, " vmid=");
		put_dec(o, t->vmid);
	}
	if (t->nonglobal) {
		put_word(o, ", nG asid=");
		put_dec(o, t->asid);
	}
	if (t->evict)
		return;
	put_word(o, ":0x");
	put_hex(o, t->pa, 10);
	security(o, t->pa_sec);
	put_more(o, t->memtype);
	put_more(o, t->attr);
}

static void signal(struct out *o, const struct tarmac_signal *s)
{
	put_word(o, "SIGNAL:");
	if (!s->name.n) {
		put_more(o, s->text);
		return;
	}
	put_word(o, " SIGNAL=");
	put_text(o, s->name);
	put_word(o, " STATE=");
	put_letter(o, s->state);
}

static void exception(struct out *o, const struct tarmac_exception *e)
{
	if (e->inst) {
		put_word(o, tarmac_how_name[e->how]);
		put_letter(o, ' ');
	}
	put_word(o, e->reset ? "Reset" : "EXC");
	put_more(o, e->text);
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
		put_word(o, "Tarmac Text Rev ");
		put_text(o, r->text);
	} else if (r->kind == TARMAC_TEXT) {
		put_text(o, r->text);
	} else if (r->kind == TARMAC_NOTE) {
		if (r->has_cpu)
			begin(o, r, cpu, number);
		else if (r->has_time)
			stamp(o, r);
		put_text(o, r->note.name);
		if (r->note.colon)
			put_letter(o, ':');
		if (r->note.continued)
			put_word(o, "   ");
		put_more(o, r->note.text);
	} else {
		return false;
	}
	return true;
}

bool tarmac_write(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number)
{
	if (style == TARMAC_STYLE_MATCHER || style == TARMAC_STYLE_GEM5) {
		if (!tarmac_plain(o, r, style, cpu, number))
			return false;
	} else if (!bare(o, r, cpu, number)) {
		begin(o, r, cpu, number);
		if (r->kind == TARMAC_INST && style == TARMAC_STYLE_ES)
			es(o, &r->inst);
		else
			fm(o, r);
	}
	put_letter(o, '\n');
	return true;
}
