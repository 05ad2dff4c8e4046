// SPDX-License-Identifier: GPL-2.0-only
/* Atom runs of a stream, one after another, and their sections and offsets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "quick-parts.h"

/* Exceptions: a reset has no address; that of the others is not reliable. */
#define TYPE_RESET		0
#define TYPE_DEBUG_HALT		1
#define TYPE_SYSTEM_ERROR	4

#define PAGE_BITS	12

/* ---------------------------------------------------------------- sections and offsets */

void atom_run_forget(struct quick_stream *s)
{
	for (size_t i = 0; i < QUICK_PAGES; i++)
		s->page[i].page = UINT64_MAX;
	memset(s->hit, 0, sizeof(s->hit));
}

/* The distance of a symbol from the beginning of a map of the kernel. */
static uint64_t symbol_of(const struct quick_fill *fill, const struct code_place *place,
			  uint64_t addr)
{
	uint64_t at;

	if (place->dso->kind != DSO_KERNEL || !perf_tasks_kernel(fill->replay->tasks, addr, &at))
		return 0;
	return at - addr;
}

/*
 * The number in the table of a section of the image.  Code that was made at run time is nowhere,
 * because it is not available later, and so are sections without room.  Return: -ENOMEM.
 */
static long number_of(struct quick_fill *fill, const struct code_place *place, uint64_t addr)
{
	const struct code_section *section = fill->replay->tasks->code.section[place->section];
	const struct dso_key key = { .name = place->dso->name, .kind = place->dso->kind,
				     .build_id = place->dso->build_id,
				     .n_build_id = place->dso->n_build_id,
				     .program = place->dso->program };
	const uint64_t base = addr - place->offset;
	const struct quick_section range = { .offset = section->offset, .n = section->n,
					     .addr = base,
					     .symbol = symbol_of(fill, place, base) };
	const size_t size = 2 * (size_t)place->section + 64;
	long number;

	if (key.kind == DSO_NONE)
		return QUICK_NOWHERE;
	if ((size_t)place->section >= fill->n_number) {
		if (!array_zeros(&fill->number, fill->n_number, size, sizeof(*fill->number)))
			return -ENOMEM;
		fill->n_number = size;
	}
	if (!fill->number[place->section]) {
		number = quick_section(fill->quick, &key, &range);
		if (number == -ENOMEM)
			return number;
		fill->number[place->section] = (number < 0 ? QUICK_NOWHERE : number) + 1;
	}
	return fill->number[place->section] - 1;
}

/* Finds what is mapped at @addr, or the next map. */
static int find_page(struct quick_fill *fill, struct quick_stream *s, uint64_t addr,
		     struct quick_page *page)
{
	struct code_place place;
	long number;
	int found = perf_replay_find(fill->replay, &s->whose, &s->who, s->time, addr, &place);

	*page = (struct quick_page){ .page = addr >> PAGE_BITS };
	if (found <= 0)
		return found;
	number = number_of(fill, &place, addr);
	page->section = number;
	page->base = number ? addr - place.offset : 0;
	return number < 0 ? number : 0;
}

/* Return: 0 or -ENOMEM. */
static int find(struct quick_fill *fill, struct quick_stream *s, uint64_t addr, uint32_t *section,
		uint64_t *offset)
{
	struct quick_page *page = &s->page[(addr >> PAGE_BITS) % QUICK_PAGES];
	int err = 0;

	if (page->page != addr >> PAGE_BITS)
		err = find_page(fill, s, addr, page);
	*section = page->section;
	*offset = addr - page->base;
	return err;
}

static uint64_t wrapped(const struct quick_stream *s, uint64_t addr)
{
	return s->whose.context.bits64 ? addr : (uint32_t)addr;
}

/* ---------------------------------------------------------------- atom runs */

static uint8_t isa_of(const struct quick_stream *s, uint64_t addr)
{
	if (s->whose.context.bits64)
		return CSF_A64;
	return addr & 1 ? CSF_T32 : CSF_A32;
}

/* Is there no code, whatever the file has?  It is damage, or the cause of an exception. */
static bool is_odd(const struct quick_stream *s)
{
	return s->whose.context.bits64 && s->addr & 2;
}

/* Locates the current atom run, which was executed, by the current maps.  Return: 0 or -ENOMEM. */
int atom_run_locate(struct quick_fill *fill, struct quick_stream *s)
{
	struct atom_run *now = &s->now;
	uint64_t addr = wrapped(s, s->addr & ~1ull);

	if (s->located)
		return 0;
	s->located = true;
	now->flags = isa_of(s, s->addr);
	if (!s->going)
		now->flags |= QUICK_FRESH;
	s->going = true;
	return find(fill, s, addr, &now->section, &now->from);
}

/* Return: its index in the table; UINT32_MAX: there was no room. */
static uint32_t count(struct quick_fill *fill, struct quick_stream *s, struct atom_run *atom_run,
		      uint8_t half)
{
	struct quick *quick = fill->quick;
	const uint32_t parent = atom_run->parent;
	uint32_t number;

	if (parent) {
		/* only the first part has the offset */
		atom_run->from = 0;
		atom_run->section = 0;
		atom_run->flags &= QUICK_TO_T32;
	}
	s->n_atom_run++;
	s->n_atom += atom_run->n;
	number = quick_part(quick, atom_run);
	if (number != UINT32_MAX)
		quick->atom_run[number].count[half]++;
	else
		quick->full += atom_run->n + (parent ? quick_atoms(quick, parent - 1) : 0);
	return number;
}

/* Locates the raw previous atom run by the current maps.  Return: 0 or -ENOMEM. */
int atom_run_settle(struct quick_fill *fill, struct quick_stream *s)
{
	const struct quick_hit *raw = &s->raw;
	struct atom_run *before = &s->before;
	int err;

	if (!raw->n)
		return 0;
	*before = (struct atom_run){ .atoms = raw->atoms, .n = raw->n, .unit = s->unit,
					 .flags = isa_of(s, raw->addr) };
	err = find(fill, s, wrapped(s, raw->addr & ~1ull), &before->section, &before->from);
	s->has_before = true;
	s->half_before = s->half;
	s->raw.n = 0;
	return err;
}

/* Counts the previous atom run, which was settled.  Return: as count(). */
uint32_t atom_run_count_before(struct quick_fill *fill, struct quick_stream *s, enum quick_end end,
			       const struct atom_run *to)
{
	struct atom_run *before = &s->before;

	if (!s->has_before)
		return UINT32_MAX;
	if (end == QUICK_NEXT && is_odd(s))
		end = QUICK_LED;
	before->end = end;
	if (end == QUICK_NEXT || end == QUICK_LED) {
		before->to = to->from;
		before->to_section = to->section;
		before->flags |= s->kind == QUICK_PTM && s->addr & 1 ? QUICK_TO_T32 : 0;
	}
	s->has_before = false;
	return count(fill, s, before, s->half_before);
}

/* There is no room for the current atom run: its atoms, and later ones, are lost. */
static void give_up(struct quick_fill *fill, struct quick_stream *s)
{
	fill->quick->full += s->now.n;
	if (s->now.parent)
		fill->quick->full += quick_atoms(fill->quick, s->now.parent - 1);
	s->known = false;
	s->deaf = true;
	s->hot = false;
	s->going = false;
}

/* Ends the part of the current, located atom run: continues with a new one. */
static int end_part(struct quick_fill *fill, struct quick_stream *s)
{
	struct atom_run part = s->now;
	uint32_t number;

	if (part.parent) {
		part.from = 0;
		part.section = 0;
		part.flags &= QUICK_TO_T32;
	}
	number = ++s->deep < QUICK_DEEP ? quick_part(fill->quick, &part) : UINT32_MAX;
	if (number == UINT32_MAX) {
		atom_run_count_before(fill, s, QUICK_NEXT, &s->now);
		give_up(fill, s);
		return 0;
	}
	s->now.parent = number + 1;
	s->now.atoms = 0;
	s->now.n = 0;
	s->n_atom += part.n;
	return 0;
}

/* The part is full. */
static int full_part(struct quick_fill *fill, struct quick_stream *s)
{
	return atom_run_locate(fill, s) ?: end_part(fill, s);
}

int atom_run_reach(struct quick_fill *fill, struct quick_stream *s, uint64_t addr,
		   enum quick_end end)
{
	struct atom_run *now = &s->now;
	int err = atom_run_locate(fill, s);

	err = err ?: find(fill, s, wrapped(s, addr & ~1ull), &now->to_section, &now->to);
	now->end = end;
	now->flags |= addr & 1 ? QUICK_TO_T32 : 0;
	err = err ?: end_part(fill, s);
	now->end = QUICK_PART;
	now->to = 0;
	now->to_section = QUICK_NOWHERE;
	now->flags &= ~QUICK_TO_T32;
	return err;
}

int atom_run_add(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p)
{
	struct atom_run *now = &s->now;
	unsigned int n = p->n, room = QUICK_ATOMS - now->n;
	int err;

	if (n <= room && room) {
		now->atoms |= p->val << now->n;
		now->n += n;
		return 0;
	}
	if (room)
		now->atoms |= p->val << now->n;
	now->n = QUICK_ATOMS;
	err = full_part(fill, s);
	if (err || s->deaf) {
		fill->quick->full += s->deaf ? n - room : 0;
		return err;
	}
	now->atoms = p->val >> room;
	now->n = n - room;
	return 0;
}

/* Execution is at @addr from here on, but nothing has run there yet. */
int atom_run_begin(struct quick_fill *fill, struct quick_stream *s, uint64_t addr)
{
	/* by maps that may have changed since */
	const bool located = s->located;
	int err = 0;

	if (atom_run_executed(s)) {
		err = atom_run_locate(fill, s);
		atom_run_count_before(fill, s, QUICK_NEXT, &s->now);
		if (located || s->now.parent || s->now.flags & QUICK_FRESH) {
			s->before = s->now;
			s->half_before = s->half;
			s->has_before = true;
		} else {
			s->raw = (struct quick_hit){ .addr = s->addr, .atoms = s->now.atoms,
						     .n = s->now.n };
		}
	}
	s->now = (struct atom_run){ .unit = s->unit };
	s->addr = addr;
	s->located = false;
	s->deep = 0;
	s->known = true;
	s->deaf = false;
	return err;
}

/* It is unknown where execution goes on; but the previous atom run led to the current address. */
int atom_run_stop(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why)
{
	int err = 0;

	if (atom_run_executed(s)) {
		err = atom_run_locate(fill, s);
		atom_run_count_before(fill, s, QUICK_NEXT, &s->now);
		s->now.end = QUICK_STOP;
		count(fill, s, &s->now, s->half);
	} else if (s->has_before && s->known && s->addr && s->whose.context.known) {
		/* instructions of Jazelle have bytes */
		const uint64_t bit = s->older.isa != QUICK_JAZELLE;

		err = find(fill, s, wrapped(s, s->addr & ~bit), &s->now.section, &s->now.from);
		atom_run_count_before(fill, s, QUICK_LED, &s->now);
	}
	atom_run_count_before(fill, s, QUICK_STOP, NULL);
	s->known = false;
	s->deaf = false;
	s->hot = false;
	s->going = false;
	s->why = why;
	return err;
}

int atom_run_reset(struct quick_fill *fill, struct quick_stream *s)
{
	if (!atom_run_executed(s))
		atom_run_count_before(fill, s, QUICK_STOP, NULL);
	return atom_run_stop(fill, s, CSF_GAP_ADDRESS);
}

/*
 * The thread, or the @width of addresses, changed in the middle of the current atom run.  It goes
 * on if its code is at the same place, as in a kernel.  Else only code tells how far it came.
 */
int atom_run_move(struct quick_fill *fill, struct quick_stream *s, bool width)
{
	uint64_t offset;
	uint32_t section;
	int err = find(fill, s, wrapped(s, s->addr & ~1ull), &section, &offset);

	if (err || (!width && section == s->now.section && offset == s->now.from))
		return err;
	return atom_run_stop(fill, s, section ? CSF_GAP_ADDRESS : CSF_GAP_IMAGE);
}

/*
 * The instruction at @addr and its target were executed, but only code tells the way there.
 * The loss is that of the decoder where the way does not lead there.
 */
int atom_run_source(struct quick_fill *fill, struct quick_stream *s, uint64_t addr)
{
	const bool known = s->whose.context.known;
	uint64_t offset;
	uint32_t section = QUICK_NOWHERE;
	int err = atom_run_stop(fill, s, CSF_GAP_ADDRESS);

	addr = wrapped(s, addr & ~1ull);
	err = err ?: find(fill, s, addr, &section, &offset);
	if (known)
		s->why = section && !(s->whose.context.bits64 && addr & 2) ? CSF_GAP_WALK :
			 CSF_GAP_IMAGE;
	return err;
}

/* The current atom run ends with an exception, with what it has as the place of it. */
static int end_by_exception(struct quick_fill *fill, struct quick_stream *s, enum quick_end end)
{
	int err = atom_run_locate(fill, s);

	atom_run_count_before(fill, s, QUICK_NEXT, &s->now);
	s->now.end = end;
	count(fill, s, &s->now, s->half);
	s->known = false;
	return err ?: atom_run_stop(fill, s, CSF_GAP_ADDRESS);
}

int atom_run_interrupt_here(struct quick_fill *fill, struct quick_stream *s)
{
	if (!atom_run_executed(s))
		return atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	return end_by_exception(fill, s, QUICK_EXCEPTION);
}

/* An exception at @addr, which execution had come to or was about to go to. */
int atom_run_interrupt(struct quick_fill *fill, struct quick_stream *s, uint64_t addr)
{
	const bool near = s->exception.exception == TYPE_DEBUG_HALT ||
			  s->exception.exception == TYPE_SYSTEM_ERROR;
	const bool target = s->exception.n == 2, ran = atom_run_executed(s);
	struct atom_run to = { 0 };
	enum quick_end end;
	int err;

	if (s->exception.exception == TYPE_RESET)
		return atom_run_reset(fill, s);
	if (!s->known)
		return atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	err = find(fill, s, wrapped(s, addr & ~1ull), &to.section, &to.from);
	if (!ran && (target || wrapped(s, addr & ~1ull) <= wrapped(s, s->addr & ~1ull))) {
		/* nothing has run since the address: it only led here */
		if (!near)
			atom_run_count_before(fill, s, QUICK_LED, &to);
		return err ?: atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	}
	end = target && near ? QUICK_STOP : target ? QUICK_LED : near ? QUICK_NEAR :
	      QUICK_EXCEPTION;
	s->now.to = end == QUICK_STOP ? 0 : to.from;
	s->now.to_section = end == QUICK_STOP ? QUICK_NOWHERE : to.section;
	return err ?: end_by_exception(fill, s, end);
}
