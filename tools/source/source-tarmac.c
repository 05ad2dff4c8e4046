// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Tarmac log as a source.  Its processors are known after it was read to
 * its end; each is a pass over the file, so nothing has to wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source-private.h"
#include "../tarmac/tarmac-context.h"
#include "../tarmac/tarmac-read.h"

/* Digits of the longest register. */
#define DIGITS	1024

/**
 * struct tarmac_source - source.own
 * @numbers: of the processors that were seen
 * @of: the number of each that the parser knows, plus 1; 0: not seen yet
 * @number: of the stream
 * @reading: @reader is open; @told: errors in lines were reported
 */
struct tarmac_source {
	struct tarmac_reader reader;
	struct source_numbers numbers;
	uint64_t of[TARMAC_CPU_MAX + 1];
	uint32_t number;
	bool reading, told;
	char digits[DIGITS];
};

/* The first pass reports errors in lines. */
static void tell(struct source *s)
{
	struct tarmac_source *t = s->own;

	if (!t->told) {
		problems_take(&s->problems, &t->reader.problems);
		s->damaged |= t->reader.n_wrong > 0;
	}
	t->told = true;
}

static void stop(struct source *s)
{
	struct tarmac_source *t = s->own;

	if (!t->reading)
		return;
	tell(s);
	tarmac_close(&t->reader);
	t->reading = false;
}

static void tarmac_source_close(struct source *s)
{
	struct tarmac_source *t = s->own;

	if (!t)
		return;
	stop(s);
	source_numbers_fini(&t->numbers);
	free(t);
}

static int begin(struct source *s)
{
	struct tarmac_source *t = s->own;
	int err;

	stop(s);
	memset(&t->reader, 0, sizeof(t->reader));
	memset(t->of, 0, sizeof(t->of));
	t->reader.path = s->real;
	t->reader.parser.implicit_thumb = s->options.snapshot.implicit_thumb;
	err = tarmac_open(&t->reader);
	t->reading = true;
	return err;
}

/* Two names may end in the same number, as cluster0.cpu1 and cluster1.cpu1 do. */
static uint32_t new_number(const struct tarmac_source *t, uint32_t cpu)
{
	uint32_t number = tarmac_cpu_number(&t->reader.parser, cpu);

	for (uint32_t i = 0; i < TARMAC_CPU_MAX; i++)
		if (t->of[i] == (uint64_t)number + 1)
			return (cpu + 1) << 16 | (number & 0xffff);
	return number;
}

/* The number of the processor of @r.  Return: 0 or -ENOMEM. */
static int note_cpu(struct tarmac_source *t, const struct tarmac_record *r, uint32_t *number)
{
	uint32_t cpu = r->cpu < TARMAC_CPU_MAX ? r->cpu : TARMAC_CPU_MAX;

	if (t->of[cpu]) {
		*number = t->of[cpu] - 1;
		return 0;
	}
	*number = new_number(t, r->cpu);
	t->of[cpu] = (uint64_t)*number + 1;
	return source_number(&t->numbers, *number);
}

/* Looks for the first instruction, so that there is a first stream. */
static int tarmac_source_open(struct source *s)
{
	struct tarmac_source *t = calloc(1, sizeof(*t));
	struct tarmac_record r;
	uint32_t number;
	int err;

	s->own = t;
	if (!t)
		return -ENOMEM;
	s->by = SOURCE_CPU;
	err = begin(s);
	while (!err && (err = tarmac_next(&t->reader, &r)) > 0) {
		err = 0;
		if (r.kind == TARMAC_TEXT || r.kind == TARMAC_HEADER)
			continue;
		err = note_cpu(t, &r, &number);
		if (r.kind == TARMAC_INST)
			break;
	}
	t->told = err >= 0;
	stop(s);
	t->told = false;
	if (!err && !t->numbers.n) {
		problems_error(&s->problems, s->path, 0,
			       "neither perf.data nor truth log, and no line of it is Tarmac; csflow tarmac and encode read raw trace with --raw=UNIT");
		return -EINVAL;
	}
	return err;
}

static bool tarmac_source_stream(struct source *s, size_t n, struct source_stream *stream)
{
	const struct tarmac_source *t = s->own;

	if (n < t->numbers.n)
		stream->number = t->numbers.v[n];
	return n < t->numbers.n;
}

static int tarmac_source_start(struct source *s, const struct source_stream *stream)
{
	struct tarmac_source *t = s->own;

	t->number = stream->number;
	return begin(s);
}

/* ---------------------------------------------------------------- items */

static uint8_t isa_of(uint8_t isa)
{
	switch ((enum tarmac_isa)isa) {
	case TARMAC_A:
		return CSF_A32;
	case TARMAC_O:
		return CSF_A64;
	case TARMAC_T:
	case TARMAC_T16:
	case TARMAC_T32:
	case TARMAC_X:
		return CSF_T32;
	case TARMAC_NO_ISA:
	case TARMAC_ISA_NR:
		break;
	}
	return SOURCE_NO_ISA;
}

/* Stores the opcode as it is in memory. */
static void opcode(struct source_item *item, const struct tarmac_inst *inst)
{
	uint64_t v = inst->opcode;

	item->size = (inst->digits + 1) / 2;
	if (!inst->digits) {
		item->no_code = true;
		item->size = inst->isa == TARMAC_T || inst->isa == TARMAC_T16 ? 2 : 4;
		return;
	}
	if (item->size > sizeof(item->opcode))
		item->size = sizeof(item->opcode);
	if (item->isa == CSF_T32 && item->size == 4)
		v = v >> 16 | (v & 0xffff) << 16;
	for (uint32_t i = 0; i < item->size; i++)
		item->opcode[i] = v >> 8 * i;
}

static void insn(struct source_item *item, const struct tarmac_inst *inst)
{
	item->isa = isa_of(inst->isa);
	item->how = inst->skipped ? SOURCE_SKIPPED : SOURCE_DONE;
	item->n_insn = 1;
	item->id = inst->has_id ? inst->id : 0;
	item->mode = inst->mode;
	tarmac_context(inst, &item->context);
	item->disasm = inst->disasm;
	opcode(item, inst);
}

static void address(struct source_item *item, const struct tarmac_addr *addr)
{
	item->has_addr = true;
	item->addr = addr->va;
	item->has_pa = addr->n_pa != 0;
	item->pa = addr->pa;
}

static void value(struct tarmac_source *t, struct source_item *item, const struct tarmac_value *v)
{
	item->digits.p = t->digits;
	item->digits.n = tarmac_value_digits(v, t->digits, sizeof(t->digits));
}

static void reg(struct tarmac_source *t, struct source_item *item, const struct tarmac_reg *r)
{
	item->name = r->name;
	value(t, item, &r->value);
}

/* From the lowest address first to the highest first, like a register. */
static void reverse_bytes(char *digit, size_t n)
{
	for (size_t i = 0, j = n & ~(size_t)1; i + 2 < j; i += 2) {
		char byte[2];

		j -= 2;
		memcpy(byte, digit + i, 2);
		memcpy(digit + i, digit + j, 2);
		memcpy(digit + j, byte, 2);
	}
}

static void mem(struct tarmac_source *t, struct source_item *item, const struct tarmac_mem *m)
{
	address(item, &m->addr);
	item->n = m->size;
	item->write = m->write;
	value(t, item, &m->data);
	if (m->memory_order)
		reverse_bytes(t->digits, item->digits.n);
}

static void update(struct tarmac_source *t, struct source_item *item,
		   const struct tarmac_update *u)
{
	address(item, &u->addr);
	item->n = u->size;
	item->write = true;
	item->name = u->op;
	value(t, item, &u->data);
}

/* Sixteen bytes, the highest address first, like a register. */
static void diagram(struct tarmac_source *t, struct source_item *item,
		    const struct tarmac_diagram *d)
{
	static const char digit[] = "0123456789abcdef";

	address(item, &d->addr);
	item->n = 16;
	item->write = d->store;
	item->digits.p = t->digits;
	item->digits.n = 32;
	for (int i = 0; i < 16; i++) {
		char *p = t->digits + 2 * (15 - i);

		p[0] = '-';
		p[1] = '-';
		if (d->state[i] == TARMAC_BYTE_HIDDEN) {
			p[0] = 'x';
			p[1] = 'x';
		} else if (d->state[i] == TARMAC_BYTE) {
			p[0] = digit[d->byte[i] >> 4];
			p[1] = digit[d->byte[i] & 15];
		}
	}
}

static void event(struct source_item *item, const struct tarmac_event *e)
{
	address(item, &e->value);
	item->value = e->number;
	item->name = e->mode;
}

static const uint8_t kinds[TARMAC_NR] = {
	[TARMAC_INST] = SOURCE_INSN,
	[TARMAC_REG] = SOURCE_REG,
	[TARMAC_MEM] = SOURCE_MEM,
	[TARMAC_UPDATE] = SOURCE_MEM,
	[TARMAC_DIAGRAM] = SOURCE_MEM,
	[TARMAC_EVENT] = SOURCE_EVENT,
	[TARMAC_TEXT] = SOURCE_OTHER,
	[TARMAC_FLOW] = SOURCE_OTHER,
	[TARMAC_BUS] = SOURCE_OTHER,
	[TARMAC_MAINTENANCE] = SOURCE_OTHER,
	[TARMAC_LINE] = SOURCE_OTHER,
	[TARMAC_WALK] = SOURCE_OTHER,
	[TARMAC_TLB] = SOURCE_OTHER,
	[TARMAC_SIGNAL] = SOURCE_OTHER,
	[TARMAC_EXCEPTION] = SOURCE_OTHER,
	[TARMAC_NOTE] = SOURCE_OTHER,
	[TARMAC_HEADER] = SOURCE_OTHER,
};

static void convert(struct tarmac_source *t, struct source_item *item,
		    const struct tarmac_record *r)
{
	source_item(item, kinds[r->kind]);
	item->line = t->reader.line;
	item->offset = t->reader.offset;
	item->time = r->time;
	item->has_time = r->has_time || r->time;
	if (r->kind == TARMAC_INST) {
		address(item, &r->inst.addr);
		insn(item, &r->inst);
	} else if (r->kind == TARMAC_REG && !r->reg.sysop.n) {
		reg(t, item, &r->reg);
	} else if (r->kind == TARMAC_MEM && !r->mem.no_data) {
		mem(t, item, &r->mem);
	} else if (r->kind == TARMAC_UPDATE) {
		update(t, item, &r->update);
	} else if (r->kind == TARMAC_DIAGRAM) {
		diagram(t, item, &r->diagram);
	} else if (r->kind == TARMAC_EVENT && r->event.numbered) {
		event(item, &r->event);
	} else {
		item->kind = SOURCE_OTHER;
		item->name = r->text;
	}
}

static int tarmac_source_next(struct source *s, struct source_item *item)
{
	struct tarmac_source *t = s->own;
	struct tarmac_record r;
	uint32_t number;
	int got;

	if (!t->reading)
		return 0;
	while ((got = tarmac_next(&t->reader, &r)) > 0) {
		s->done = t->reader.offset;
		if (r.kind == TARMAC_HEADER)
			continue;
		got = note_cpu(t, &r, &number);
		if (got)
			return got;
		if (number != t->number)
			continue;
		convert(t, item, &r);
		return 1;
	}
	if (!got)
		tell(s);
	return got;
}

/* Reads the line again from the file. */
static size_t tarmac_source_line(struct source *s, const struct source_item *item, char *buf,
				 size_t n)
{
	const struct tarmac_source *t = s->own;
	ssize_t got;
	char *end;

	if (!t->reading || !item->line)
		return 0;
	got = pread(t->reader.fd, buf, n - 1, item->offset);
	if (got <= 0)
		return 0;
	end = memchr(buf, '\n', got);
	if (end)
		got = end - buf;
	while (got && (buf[got - 1] == '\r' || buf[got - 1] == ' '))
		got--;
	buf[got] = '\0';
	return got;
}

const struct source_ops source_tarmac_ops = {
	.name = "Tarmac",
	.open = tarmac_source_open,
	.close = tarmac_source_close,
	.stream = tarmac_source_stream,
	.start = tarmac_source_start,
	.next = tarmac_source_next,
	.line = tarmac_source_line,
};
