// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "tarmac-dump.h"

static void text(FILE *f, const char *name, struct tarmac_text t)
{
	if (t.n)
		fprintf(f, " %s=%.*s", name, (int)t.n, t.p);
}

static void hex(FILE *f, const char *name, uint64_t v)
{
	fprintf(f, " %s=%" PRIx64, name, v);
}

static void dec(FILE *f, const char *name, uint64_t v)
{
	fprintf(f, " %s=%" PRIu64, name, v);
}

static void flag(FILE *f, const char *name, bool set)
{
	if (set)
		fprintf(f, " %s", name);
}

static void pa(FILE *f, const char *name, uint64_t v, uint8_t sec)
{
	hex(f, name, v);
	if (sec)
		fprintf(f, "_%s", sec == TARMAC_SEC_S ? "S" : "NS");
}

static void addr(FILE *f, const char *name, const struct tarmac_addr *a)
{
	hex(f, name, a->va);
	if (a->n_pa > 0)
		pa(f, "pa", a->pa, a->sec);
	if (a->n_pa > 1)
		pa(f, "pa2", a->pa2, a->sec2);
}

static void value(FILE *f, const char *name, const struct tarmac_value *v)
{
	uint64_t mask = v->digits < 16 ? (1ull << 4 * v->digits) - 1 : UINT64_MAX;
	char digits[300];

	if (!v->digits)
		return;
	fprintf(f, " %s=%.*s", name, (int)tarmac_value_digits(v, digits, sizeof(digits)), digits);
	hex(f, "low", v->low);
	if (v->known != mask)
		hex(f, "known", v->known);
	if (v->kept)
		hex(f, "kept", v->kept);
}

static void inst(FILE *f, const struct tarmac_inst *i)
{
	fprintf(f, " %s", tarmac_how_name[i->how]);
	flag(f, "skipped", i->skipped);
	if (i->has_base)
		hex(f, "base", i->base);
	if (i->has_id && i->hex_id)
		hex(f, "idx", i->id);
	else if (i->has_id)
		dec(f, "id", i->id);
	addr(f, "va", &i->addr);
	fprintf(f, " op=%0*" PRIx64 "/%u", i->digits, i->opcode, i->digits);
	fprintf(f, " isa=%s", tarmac_isa_name[i->isa]);
	text(f, "mode", i->mode);
	text(f, "sec", i->security);
	text(f, "asm", i->disasm);
}

static void reg(FILE *f, const struct tarmac_reg *g)
{
	text(f, "sysop", g->sysop);
	text(f, "name", g->name);
	text(f, "extra", g->extra);
	if (g->has_range)
		fprintf(f, " <%u:%u>", g->hi, g->lo);
	value(f, "value", &g->value);
	text(f, "rest", g->rest);
}

static void mem(FILE *f, const struct tarmac_mem *m)
{
	text(f, "tag", m->tag);
	text(f, "extra", m->extra);
	dec(f, "size", m->size);
	flag(f, "write", m->write);
	flag(f, "exclusive", m->exclusive);
	flag(f, "unprivileged", m->unprivileged);
	flag(f, "locked", m->locked);
	flag(f, "memory_order", m->memory_order);
	flag(f, "transfer", m->transfer);
	flag(f, "no_data", m->no_data);
	if (!m->transfer)
		addr(f, "va", &m->addr);
	value(f, "data", &m->data);
	text(f, "rest", m->rest);
}

static void diagram(FILE *f, const struct tarmac_diagram *d)
{
	flag(f, "store", d->store);
	addr(f, "va", &d->addr);
	fprintf(f, " bytes=");
	for (int i = 0; i < 16; i++) {
		if (d->state[i] == TARMAC_BYTE)
			fprintf(f, "%02x", d->byte[i]);
		else
			fprintf(f, d->state[i] == TARMAC_BYTE_HIDDEN ? "##" : "..");
	}
	text(f, "rest", d->rest);
}

static void bus(FILE *f, const struct tarmac_bus *b)
{
	dec(f, "size", b->size);
	flag(f, "write", b->write);
	flag(f, "fetch", b->fetch);
	fprintf(f, " lock=%c", b->lock);
	flag(f, "privileged", b->privileged);
	flag(f, "nonsecure", b->nonsecure);
	text(f, "inner", b->inner);
	text(f, "outer", b->outer);
	text(f, "master", b->master);
	hex(f, "addr", b->addr);
	value(f, "data", &b->data);
}

static void event(FILE *f, const struct tarmac_event *e)
{
	if (e->numbered) {
		addr(f, "value", &e->value);
		text(f, "mode", e->mode);
		if (e->has_value1)
			hex(f, "value1", e->value1);
		hex(f, "number", e->number);
	}
	text(f, "desc", e->desc);
	text(f, "rest", e->rest);
}

static void tlb(FILE *f, const struct tarmac_tlb *t)
{
	flag(f, "walk", t->walk);
	flag(f, "evict", t->evict);
	text(f, "cache", t->cache);
	text(f, "size", t->size);
	pa(f, "base", t->base, t->sec);
	text(f, "regime", t->regime);
	if (t->has_vmid)
		dec(f, "vmid", t->vmid);
	if (t->nonglobal)
		dec(f, "asid", t->asid);
	if (t->evict)
		return;
	pa(f, "pa", t->pa, t->pa_sec);
	text(f, "memtype", t->memtype);
	text(f, "attr", t->attr);
}

static void walk(FILE *f, const struct tarmac_walk *w)
{
	flag(f, "update", w->update);
	text(f, "side", w->side);
	text(f, "format", w->format);
	dec(f, "stage", w->stage);
	dec(f, "level", w->level);
	hex(f, "addr", w->addr);
	value(f, "data", &w->data);
	text(f, "result", w->result);
	text(f, "attr", w->attr);
}

static void cache(FILE *f, const struct tarmac_record *r)
{
	const struct tarmac_maintenance *m = &r->maintenance;
	const struct tarmac_line *l = &r->line;

	if (r->kind == TARMAC_MAINTENANCE) {
		text(f, "what", m->what);
		addr(f, "data", &m->data);
		text(f, "size", m->size);
		text(f, "memtype", m->memtype);
		return;
	}
	text(f, "cache", l->cache);
	fprintf(f, " line=%0*" PRIx64, l->line_digits, l->line);
	text(f, "op", l->op);
	pa(f, "pa", l->pa, l->sec);
}

static void flow(FILE *f, const struct tarmac_flow *w)
{
	fprintf(f, " how=%c", w->how);
	if (w->has_id)
		dec(f, "id", w->id);
	addr(f, "from", &w->from);
	addr(f, "to", &w->to);
	fprintf(f, " isa=%s", tarmac_isa_name[w->isa]);
}

static void update(FILE *f, const struct tarmac_update *u)
{
	dec(f, "size", u->size);
	text(f, "op", u->op);
	addr(f, "va", &u->addr);
	value(f, "data", &u->data);
}

static void few(FILE *f, const struct tarmac_record *r)
{
	if (r->kind == TARMAC_SIGNAL) {
		text(f, "name", r->signal.name);
		if (r->signal.state)
			fprintf(f, " state=%c", r->signal.state);
		else
			text(f, "text", r->signal.text);
	} else if (r->kind == TARMAC_EXCEPTION) {
		flag(f, "reset", r->exception.reset);
		if (r->exception.inst)
			fprintf(f, " %s", tarmac_how_name[r->exception.how]);
		text(f, "text", r->exception.text);
	} else if (r->kind == TARMAC_NOTE) {
		text(f, "name", r->note.name);
		flag(f, "colon", r->note.colon);
		flag(f, "continued", r->note.continued);
		text(f, "text", r->note.text);
	} else {
		text(f, "text", r->text);
	}
}

static void fields(FILE *f, const struct tarmac_record *r)
{
	switch (r->kind) {
	case TARMAC_INST:
		inst(f, &r->inst);
		break;
	case TARMAC_FLOW:
		flow(f, &r->flow);
		break;
	case TARMAC_REG:
		reg(f, &r->reg);
		break;
	case TARMAC_MEM:
		mem(f, &r->mem);
		break;
	case TARMAC_UPDATE:
		update(f, &r->update);
		break;
	case TARMAC_DIAGRAM:
		diagram(f, &r->diagram);
		break;
	case TARMAC_BUS:
		bus(f, &r->bus);
		break;
	case TARMAC_EVENT:
		event(f, &r->event);
		break;
	case TARMAC_MAINTENANCE:
	case TARMAC_LINE:
		cache(f, r);
		break;
	case TARMAC_WALK:
		walk(f, &r->walk);
		break;
	case TARMAC_TLB:
		tlb(f, &r->tlb);
		break;
	default:
		few(f, r);
	}
}

void tarmac_dump(FILE *f, const struct tarmac_record *r)
{
	fprintf(f, "%s", tarmac_kind_name(r->kind));
	if (r->kind != TARMAC_HEADER && r->kind != TARMAC_TEXT && r->kind != TARMAC_NOTE) {
		dec(f, "time", r->time);
		if (r->fraction.n)
			fprintf(f, ".%.*s", (int)r->fraction.n, r->fraction.p);
		if (r->unit)
			fprintf(f, "%s", tarmac_unit_name[r->unit]);
	}
	fields(f, r);
	if (r->wrong)
		fprintf(f, " wrong=%s", r->wrong);
}
