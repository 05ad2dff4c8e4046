// SPDX-License-Identifier: GPL-2.0-only
/* Source: DWARF 5, 6.2.  Files, columns and the like are passed over. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "line-table.h"

#define OPCODES	256

/**
 * struct program - that makes the rows, at work
 * @least: bytes of the shortest instruction
 * @args: of each of the standard opcodes, which are less than @base
 * @now: the next row
 */
struct program {
	struct line_table *table;
	struct section code;
	uint8_t least, range, base, args[OPCODES];
	int8_t first;
	struct line_row now;
};

/* ---------------------------------------------------------------- head */

static bool read_head(struct program *p, struct section s)
{
	uint64_t length = section_number(&s, 4);
	const int wide = length == 0xffffffff ? 8 : 4;
	struct section unit, head;
	unsigned int version;

	if (wide == 8)
		length = section_number(&s, 8);
	unit = section_part(&s, length);
	version = section_number(&unit, 2);
	if (version < 2 || version > 5)
		return false;
	/* of an address, and of a segment */
	if (version == 5)
		section_number(&unit, 2);
	head = section_part(&unit, section_number(&unit, wide));
	p->code = unit;
	p->least = section_byte(&head);
	/* operations an instruction, for VLIW; whether rows are statements */
	section_number(&head, version >= 4 ? 2 : 1);
	p->first = section_byte(&head);
	p->range = section_byte(&head);
	p->base = section_byte(&head);
	for (int i = 1; i < p->base; i++)
		p->args[i] = section_byte(&head);
	return !s.bad && !unit.bad && !head.bad && p->range && p->base;
}

/* ---------------------------------------------------------------- program */

static void begin(struct program *p)
{
	p->now = (struct line_row){ .line = 1 };
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
	p->now.addr += n * p->least;
}

static bool special(struct program *p, uint8_t opcode)
{
	opcode -= p->base;
	advance(p, opcode / p->range);
	p->now.line += p->first + opcode % p->range;
	return put(p);
}

static bool extended(struct program *p)
{
	struct section s = section_part(&p->code, section_leb(&p->code, false));

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
	p->code.bad |= s.bad;
	return true;
}

static bool standard(struct program *p, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return put(p);
	case DW_LNS_advance_pc:
		advance(p, section_leb(&p->code, false));
		break;
	case DW_LNS_advance_line:
		p->now.line += section_leb(&p->code, true);
		break;
	case DW_LNS_const_add_pc:
		advance(p, (255 - p->base) / p->range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->now.addr += section_number(&p->code, 2);
		break;
	default:
		for (int i = 0; i < p->args[opcode]; i++)
			section_leb(&p->code, false);
	}
	return true;
}

/* At one address an end is that of the code before. */
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
	section_part(&section, offset);
	if (section.bad || !read_head(&p, section))
		return -EBADMSG;
	begin(&p);
	while (p.code.at < p.code.end && good) {
		uint8_t opcode = section_byte(&p.code);

		good = opcode >= p.base ? special(&p, opcode) :
		       opcode ? standard(&p, opcode) : extended(&p);
	}
	if (!good)
		return -ENOMEM;
	if (table->n)
		qsort(table->row, table->n, sizeof(*table->row), by_addr);
	return p.code.bad ? -EBADMSG : 0;
}

void line_table_fini(struct line_table *table)
{
	free(table->row);
	*table = (struct line_table){ 0 };
}

const struct line_row *line_table_find(const struct line_table *table, uint64_t addr)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->row[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && !table->row[low - 1].end ? &table->row[low - 1] : NULL;
}
