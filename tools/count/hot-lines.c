// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "hot-lines.h"
#include "../code/it-block.h"
#include "../lib/ratio.h"

/* ---------------------------------------------------------------- edges */

int hot_edges_read(struct hot_edges *edges, struct places *places, size_t dso)
{
	*edges = (struct hot_edges){ .places = places, .dso = dso };
	return count_edges(places->table, dso, &edges->edge, &edges->n);
}

void hot_edges_fini(struct hot_edges *edges)
{
	free(edges->edge);
	*edges = (struct hot_edges){ 0 };
}

const struct count_edge *hot_edges_of(const struct hot_edges *edges, uint64_t from, size_t *n)
{
	size_t first = LOWER_BOUND(edges->n, i, edges->edge[i].from < from);

	for (*n = 0; first + *n < edges->n && edges->edge[first + *n].from == from; ++*n)
		;
	return *n ? &edges->edge[first] : NULL;
}

/* ---------------------------------------------------------------- code */

/* Bytes at @addr; *@n becomes smaller if there are fewer. */
static const uint8_t *bytes_at(const struct elf_file *elf, uint64_t addr, uint64_t *n)
{
	const struct elf_segment *s = elf_segment_find(elf, addr);

	if (!s)
		return NULL;
	if (*n > s->size - (addr - s->addr))
		*n = s->size - (addr - s->addr);
	return elf->bytes + s->offset + (addr - s->addr);
}

/* Likewise at @offset of the file; of the kernel, as it was executed. */
static const uint8_t *code_at(struct places *p, size_t dso, uint64_t offset, uint64_t *n)
{
	const struct elf_file *elf = places_elf(p, dso), *core;
	uint64_t distance;
	const uint8_t *code;

	core = places_memory(p, dso, &distance);
	code = core ? bytes_at(core, offset + distance, n) : NULL;
	if (code)
		return code;
	if (!elf)
		return NULL;
	if (p->table->dso[dso].kind != DSO_KERNEL && !elf->is_module) {
		if (offset > elf->size)
			return NULL;
		if (*n > elf->size - offset)
			*n = elf->size - offset;
		return elf->bytes + offset;
	}
	return bytes_at(elf, offset, n);
}

/* Reads an instruction.  Return: its size; 0: it is incomplete. */
static unsigned int fetch(const uint8_t *code, uint64_t n, enum csf_isa isa, uint32_t *opcode)
{
	if (isa != CSF_T32) {
		if (n < 4)
			return 0;
		*opcode = code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
		return 4;
	}
	if (n < 2)
		return 0;
	*opcode = code[0] | code[1] << 8;
	if (*opcode < 0xe800)
		return 2;
	if (n < 4)
		return 0;
	*opcode = *opcode << 16 | code[2] | code[3] << 8;
	return 4;
}

uint64_t hot_insns(struct places *places, size_t dso, uint64_t offset, uint64_t n,
		   enum csf_isa isa)
{
	uint64_t room = n, count = 0;
	const uint8_t *code = isa == CSF_T32 ? code_at(places, dso, offset, &room) : NULL;
	unsigned int size;
	uint32_t opcode;

	if (!code)
		return n / 4;
	for (uint64_t at = 0; at < room; at += size, count++) {
		size = fetch(code + at, room - at, isa, &opcode);
		if (!size)
			break;
	}
	return count;
}

/* ---------------------------------------------------------------- counts */

/* The first block that may reach @offset. */
static size_t first_block(const struct count_dso *d, uint64_t offset)
{
	offset = offset > COUNT_SIZE_MAX ? offset - COUNT_SIZE_MAX : 0;
	return LOWER_BOUND(d->n_block, i, d->block[i].start < offset);
}

static struct hot_insn *insn_at(struct hot_lines *hot, size_t first, uint64_t offset)
{
	first += LOWER_BOUND(hot->n - first, i, hot->insn[first + i].offset < offset);
	return first < hot->n ? &hot->insn[first] : NULL;
}

bool hot_conditional(struct places *places, size_t dso, const struct count_block *b)
{
	uint64_t room = b->size;
	struct it_block it = { 0 };
	bool conditional = false;
	const uint8_t *code;
	unsigned int size;
	uint32_t opcode;

	if (count_conditional(b) || b->isa != CSF_T32 || !count_branches(b))
		return count_conditional(b);
	code = code_at(places, dso, b->start, &room);
	for (uint64_t at = 0; code && at < room; at += size) {
		size = fetch(code + at, room - at, CSF_T32, &opcode);
		if (!size)
			return false;
		conditional = it_block_next(&it, opcode);
	}
	return conditional;
}

/* Only trace shows instructions that are branches in M profile alone. */
static void add_branch(struct hot_insn *insn, const struct count_block *b)
{
	insn->kind = b->kind;
	insn->flags |= b->flags;
	if (count_conditional(b))
		insn->flags |= CSF_FLAG_COND;
	insn->taken = count_sum(insn->taken, b->taken);
	insn->passed = count_sum(insn->passed, b->passed);
}

/* Instructions of a block count as often as it ran; the last one is its branch. */
static void add_block(struct hot_lines *hot, size_t first, const struct count_block *b)
{
	struct hot_insn *insn = insn_at(hot, first, b->start);
	struct hot_insn *end = hot->insn + hot->n;
	uint64_t last = count_last(b);

	if (insn)
		insn->begins = true;
	for (; insn && insn < end && insn->offset - b->start < b->size; insn++) {
		insn->count = count_sum(insn->count, count_ran(b));
		if (insn->offset == last && count_branches(b))
			add_branch(insn, b);
	}
	if (insn && insn < end)
		insn->begins = true;
}

/* The instruction set at @offset: that of its block; between blocks, of the one before. */
static enum csf_isa isa_at(const struct count_dso *d, size_t *block, uint64_t offset,
			   enum csf_isa isa)
{
	for (; *block < d->n_block && d->block[*block].start <= offset; ++*block)
		if (offset - d->block[*block].start < d->block[*block].size)
			isa = d->block[*block].isa;
	return isa;
}

/* At the start of a piece: by its symbol, or by the code that ran before or after it. */
static enum csf_isa isa_first(const struct count_dso *d, const struct hot_lines *hot,
			      uint64_t start)
{
	size_t block = first_block(d, start);
	enum csf_isa isa = block < d->n_block ? d->block[block].isa : CSF_A64;

	for (; block < d->n_block && d->block[block].start < start; block++)
		isa = d->block[block].isa;
	if (isa != CSF_A64 && hot->symbol)
		isa = hot->symbol == HOT_T32 ? CSF_T32 : CSF_A32;
	return isa;
}

static int read_code(struct hot_lines *hot, const struct hot_edges *e, uint64_t start,
		     uint64_t end)
{
	const struct count_dso *d = &e->places->table->dso[e->dso];
	uint64_t n = end - start;
	const uint8_t *code = code_at(e->places, e->dso, start, &n);
	size_t block = first_block(d, start);
	enum csf_isa isa = isa_first(d, hot, start);
	struct it_block it = { 0 };
	unsigned int size;

	if (!code)
		return -ERANGE;
	for (uint64_t at = 0; at < n; at += size) {
		struct hot_insn insn = { .offset = start + at, .line = HOT_NO_LINE };
		struct csf_insn what;

		isa = isa_at(d, &block, insn.offset, isa);
		size = fetch(code + at, n - at, isa, &insn.opcode);
		if (!size)
			break;
		if (!array_room(&hot->insn, hot->n, &hot->size, sizeof(insn)))
			return -ENOMEM;
		insn.addr = places_address(e->places, e->dso, insn.offset);
		csf_insn(&what, insn.opcode, insn.addr, isa, 0);
		insn.size = size;
		insn.isa = isa;
		insn.kind = what.kind;
		insn.flags = what.flags;
		if (isa == CSF_T32 && it_block_next(&it, insn.opcode))
			insn.flags |= CSF_FLAG_COND;
		insn.edge = hot_edges_of(e, insn.offset, &insn.n_edge);
		hot->insn[hot->n++] = insn;
	}
	return 0;
}

/* ---------------------------------------------------------------- lines */

/* Finds or makes the line of @line: code switches between few lines. */
static uint32_t line_of(struct hot_lines *hot, const struct elf_line *line)
{
	for (size_t i = hot->n_line; i-- > 0;)
		if (hot->line[i].line == line->line &&
		    (hot->line[i].file == line->file || !strcmp(hot->line[i].file, line->file)))
			return i;
	if (!array_room(&hot->line, hot->n_line, &hot->size_line, sizeof(*hot->line)))
		return HOT_NO_LINE;
	hot->line[hot->n_line] = (struct hot_line){ .file = line->file, .line = line->line };
	return hot->n_line++;
}

static void read_lines(struct hot_lines *hot, const struct hot_edges *e, size_t first)
{
	for (size_t i = first; i < hot->n; i++) {
		struct hot_insn *insn = &hot->insn[i];
		struct elf_line line;
		struct hot_line *l;

		hot->insns = count_sum(hot->insns, insn->count);
		if (insn->count > hot->most)
			hot->most = insn->count;
		if (!places_line(e->places, e->dso, insn->offset, &line))
			continue;
		insn->line = line_of(hot, &line);
		if (insn->line == HOT_NO_LINE)
			continue;
		l = &hot->line[insn->line];
		l->insns = count_sum(l->insns, insn->count);
		if (insn->count > l->count)
			l->count = insn->count;
	}
}

int hot_lines_read(struct hot_lines *hot, const struct hot_edges *edges, uint64_t start,
		   uint64_t end)
{
	const struct count_dso *d = &edges->places->table->dso[edges->dso];
	size_t first = hot->n;
	int err;

	if (!places_elf(edges->places, edges->dso))
		return -ENOENT;
	if (end <= start || end - start > HOT_SIZE_MAX)
		return -ERANGE;
	err = read_code(hot, edges, start, end);
	if (err)
		return err;
	for (size_t i = first_block(d, start); i < d->n_block && d->block[i].start < end; i++)
		add_block(hot, first, &d->block[i]);
	read_lines(hot, edges, first);
	return 0;
}

/* The instructions of a block share its cycles evenly, the same for any cut. */
static void add_cycles(struct hot_lines *hot, struct places *places, const struct tally_row *row)
{
	struct hot_insn *insn = insn_at(hot, 0, row->start), *end = hot->insn + hot->n;
	uint64_t at = 0;

	if (insn && insn->offset - row->start < row->size)
		at = hot_insns(places, row->dso, row->start, insn->offset - row->start, row->isa);
	for (; insn && insn < end && insn->offset - row->start < row->size; insn++, at++) {
		struct hot_line *l = insn->line == HOT_NO_LINE ? NULL : &hot->line[insn->line];
		const uint64_t cycles = ratio_of(row->cycles, at + 1, row->n_insn) -
					ratio_of(row->cycles, at, row->n_insn);
		const uint64_t timed = ratio_of(row->timed, at + 1, row->n_insn) -
				       ratio_of(row->timed, at, row->n_insn);

		insn->cycles = count_sum(insn->cycles, cycles);
		insn->timed = count_sum(insn->timed, timed);
		hot->cycles = count_sum(hot->cycles, cycles);
		hot->timed = count_sum(hot->timed, timed);
		if (l) {
			l->cycles = count_sum(l->cycles, cycles);
			l->timed = count_sum(l->timed, timed);
		}
	}
}

void hot_lines_times(struct hot_lines *hot, struct places *places, const struct tally *tally,
		     size_t dso)
{
	for (size_t i = 0; i < tally->n_row; i++)
		if (tally->row[i].dso == dso && tally->row[i].timed)
			add_cycles(hot, places, &tally->row[i]);
}

uint64_t hot_block_cycles(const struct hot_lines *hot, size_t i, uint64_t *timed)
{
	uint64_t cycles = 0;

	*timed = 0;
	do {
		cycles = count_sum(cycles, hot->insn[i].cycles);
		*timed = count_sum(*timed, hot->insn[i].timed);
	} while (++i < hot->n && !hot->insn[i].begins);
	return cycles;
}

void hot_lines_fini(struct hot_lines *hot)
{
	free(hot->insn);
	free(hot->line);
	*hot = (struct hot_lines){ 0 };
}

static int by_count(const void *a, const void *b)
{
	const struct count_edge *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

struct count_edge *hot_targets(const struct hot_insn *insn)
{
	struct count_edge *edge = malloc((insn->n_edge + 1) * sizeof(*edge));

	if (edge && insn->n_edge) {
		memcpy(edge, insn->edge, insn->n_edge * sizeof(*edge));
		qsort(edge, insn->n_edge, sizeof(*edge), by_count);
	}
	return edge;
}
