// SPDX-License-Identifier: GPL-2.0-only
/* Source: DWARF 5, 6.2.  Columns and similar fields are skipped; names are in line-names.c. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "lower-bound.h"
#include "array.h"
#include "line-table.h"

/**
 * struct program - the line program and its state
 * @now: the next row
 */
struct program {
	struct line_table *table;
	struct line_head head;
	struct line_row now;
};

/* ---------------------------------------------------------------- header */

bool line_head_read(struct line_head *h, struct section s, uint64_t offset)
{
	struct section unit, head;
	uint64_t length;

	*h = (struct line_head){ .wide = 4 };
	section_part(&s, offset);
	length = section_number(&s, 4);
	if (length == 0xffffffff) {
		h->wide = 8;
		length = section_number(&s, 8);
	}
	unit = section_part(&s, length);
	h->version = section_number(&unit, 2);
	if (h->version < 2 || h->version > 5)
		return false;
	/* size of an address, and of a segment selector */
	if (h->version == 5)
		section_number(&unit, 2);
	head = section_part(&unit, section_number(&unit, h->wide));
	h->code = unit;
	h->least = section_byte(&head);
	/* operations per instruction, for VLIW; whether rows are statements */
	section_number(&head, h->version >= 4 ? 2 : 1);
	h->first = section_byte(&head);
	h->range = section_byte(&head);
	h->base = section_byte(&head);
	for (int i = 1; i < h->base; i++)
		h->args[i] = section_byte(&head);
	h->names = head;
	return !s.bad && !unit.bad && !head.bad && h->range && h->base;
}

/* ---------------------------------------------------------------- program */

static void begin(struct program *p)
{
	p->now = (struct line_row){ .line = 1, .file = 1 };
}

static bool put(struct program *p)
{
	struct line_table *t = p->table;

	if (!array_room(&t->row, t->n, &t->size, sizeof(*t->row)))
		return false;
	p->now.number = t->n;
	t->row[t->n++] = p->now;
	p->now.discriminator = 0;
	return true;
}

static void advance(struct program *p, uint64_t n)
{
	p->now.addr += n * p->head.least;
}

static bool special(struct program *p, uint8_t opcode)
{
	opcode -= p->head.base;
	advance(p, opcode / p->head.range);
	p->now.line += p->head.first + opcode % p->head.range;
	return put(p);
}

static bool extended(struct program *p)
{
	struct section s = section_part(&p->head.code, section_leb(&p->head.code, false));

	switch (section_byte(&s)) {
	case DW_LNE_end_sequence:
		p->now.end = true;
		if (!put(p))
			return false;
		begin(p);
		break;
	case DW_LNE_set_address:
		p->now.addr = section_number(&s, s.end - s.at < 8 ? 4 : 8);
		break;
	case DW_LNE_set_discriminator:
		p->now.discriminator = section_leb(&s, false);
		break;
	}
	p->head.code.bad |= s.bad;
	return true;
}

static bool standard(struct program *p, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return put(p);
	case DW_LNS_advance_pc:
		advance(p, section_leb(&p->head.code, false));
		break;
	case DW_LNS_advance_line:
		p->now.line += section_leb(&p->head.code, true);
		break;
	case DW_LNS_set_file:
		p->now.file = section_leb(&p->head.code, false);
		break;
	case DW_LNS_const_add_pc:
		advance(p, (255 - p->head.base) / p->head.range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->now.addr += section_number(&p->head.code, 2);
		break;
	default:
		for (int i = 0; i < p->head.args[opcode]; i++)
			section_leb(&p->head.code, false);
	}
	return true;
}

/* At one address, an end belongs to the code before it. */
static int by_addr(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->end != y->end)
		return x->end ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

int line_table_read(struct line_table *table, struct section section, uint64_t offset)
{
	struct program p = { .table = table };
	bool good = true;

	*table = (struct line_table){ 0 };
	if (!line_head_read(&p.head, section, offset))
		return -EBADMSG;
	begin(&p);
	while (p.head.code.at < p.head.code.end && good) {
		uint8_t opcode = section_byte(&p.head.code);

		good = opcode >= p.head.base ? special(&p, opcode) :
		       opcode ? standard(&p, opcode) : extended(&p);
	}
	if (!good)
		return -ENOMEM;
	if (table->n)
		qsort(table->row, table->n, sizeof(*table->row), by_addr);
	return p.head.code.bad ? -EBADMSG : 0;
}

void line_table_fini(struct line_table *table)
{
	free(table->row);
	*table = (struct line_table){ 0 };
}

const struct line_row *line_table_find(const struct line_table *table, uint64_t addr)
{
	size_t next = LOWER_BOUND(table->n, i, table->row[i].addr <= addr);

	return next && !table->row[next - 1].end ? &table->row[next - 1] : NULL;
}
