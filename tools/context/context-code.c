// SPDX-License-Identifier: GPL-2.0-only
/* Code for call stacks: the function of each block, and how its steps leave it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "context-parts.h"

void context_code_fini(struct context_code *code)
{
	free(code->info);
	free(code->block);
	free(code->file);
	free(code->known);
	free(code->by_inlined.slot);
}

/* ---------------------------------------------------------------- places */

/* The number of a section's file.  Return: -ENOMEM. */
static long file_of(struct context_code *code, const struct code_section *s)
{
	const struct dso_key key = {
		.name = s->dso->name, .kind = s->dso->kind,
		.build_id = s->dso->build_id, .n_build_id = s->dso->n_build_id,
	};
	const size_t number = s->number;
	long file;

	if (number >= code->n_file) {
		if (!array_zeros(&code->file, code->n_file, 2 * number + 8, sizeof(*code->file)))
			return -ENOMEM;
		code->n_file = 2 * number + 8;
	}
	if (!code->file[number]) {
		file = count_dso_find(&code->contexts->files, &key);
		if (file < 0)
			return file;
		code->file[number] = file + 1;
	}
	return code->file[number] - 1;
}

/* The symbol at @place, and the distance from its beginning. */
static bool symbol_of(struct perf_code *code, struct code_place *place, struct elf_symbol *symbol,
		      uint64_t *distance)
{
	if (!perf_code_symbol(code, place, symbol))
		return false;
	/* the file may have been opened just now, and have addresses */
	if (!place->has_addr && perf_code_place(code, place->section, place->offset, place) &&
	    !perf_code_symbol(code, place, symbol))
		return false;
	*distance = (place->has_addr ? place->addr : 0) - symbol->addr;
	return true;
}

/*
 * The part of a function that compilers move away, "name.cold", belongs to that function.  Return:
 * how far before the symbol the function begins; 0: it is not such a part.
 */
static uint64_t from_cold(const struct code_place *place, const struct elf_symbol *symbol)
{
	const char *cold = symbol->raw ? strstr(symbol->raw, ".cold") : NULL;
	uint64_t addr, distance = 0;
	char *name;

	if (!cold || cold == symbol->raw || !place->dso->elf || !place->has_addr)
		return 0;
	name = strndup(symbol->raw, cold - symbol->raw);
	if (name && elf_file_address(place->dso->elf, name, &addr))
		distance = symbol->addr - addr;
	free(name);
	return distance;
}

/* Also finds the extent of its symbol, if there is one: @span[0] up to @span[1]. */
static int look(struct context_code *code, int section, uint64_t offset,
		struct context_place *place, uint64_t span[2])
{
	struct perf_code *pc = &code->replay->tasks->code;
	const struct code_section *s;
	struct code_place at;
	struct elf_symbol symbol;
	uint64_t distance, cold;
	bool found;
	long file;

	*place = (struct context_place){ .dso = CONTEXT_NOWHERE, .offset = offset };
	if (!perf_code_place(pc, section, offset, &at)) {
		/* in no file: sections distinguish places */
		place->offset ^= (uint64_t)section << 40;
		return 0;
	}
	s = pc->section[section];
	file = file_of(code, s);
	if (file < 0)
		return file;
	place->dso = file;
	place->offset = s->offset + offset;
	found = symbol_of(pc, &at, &symbol, &distance);
	place->is_entry = at.has_addr && at.dso->elf && at.addr == at.dso->elf->entry && at.addr;
	if (!found)
		return 0;
	span[0] = place->offset - distance;
	span[1] = span[0] + symbol.size;
	cold = from_cold(&at, &symbol);
	if (cold) {
		symbol.addr -= cold;
		symbol.name = elf_file_symbol(at.dso->elf, symbol.addr, &symbol) ? symbol.name : "";
	}
	place->function = context_function(code->contexts, file, span[0] - cold, symbol.name);
	return place->function ? 0 : -ENOMEM;
}

int context_code_find(struct context_code *code, const struct perf_run *run,
		      struct context_place *place)
{
	uint64_t span[2];
	struct code_place at;

	if (perf_code_find(&code->replay->tasks->code, run->run.space, run->time, run->run.addr,
			   &at))
		return look(code, at.section, at.offset, place, span);
	*place = (struct context_place){ .dso = CONTEXT_NOWHERE, .offset = run->run.addr };
	return 0;
}

/* ---------------------------------------------------------------- blocks */

/* @span: extent of its function; both 0: none. */
static enum context_step taken(const struct csf_block *b, const struct context_block *block,
			       const uint64_t span[2])
{
	const uint64_t target = block->at.offset + (b->target - b->offset);

	if (b->flags & (CSF_FLAG_RET | CSF_FLAG_ERET))
		return STEP_RETURN;
	if (b->flags & CSF_FLAG_LINK)
		return STEP_CALL;
	if (b->kind == CSF_INSN_INDIRECT)
		return STEP_JUMP;
	return target >= span[0] && target < span[1] ? STEP_ON : STEP_GOTO;
}

static int learn(struct context_code *code, uint32_t number)
{
	struct context_block *block = &code->block[number];
	uint64_t span[2] = { 0, 0 };
	enum context_step on = STEP_ON, off;
	struct csf_block b;
	int err, inlined = 0;

	csf_block(code->replay->image, number, &b);
	err = look(code, b.section, b.offset, &block->at, span);
	if (err)
		return err;
	block->size = b.size;
	block->last = b.size - b.last_size;
	/* code may run over into the next function */
	if (span[1] && block->at.offset + b.size >= span[1])
		on = STEP_GOTO;
	off = on;
	if (!(b.flags & CSF_FLAG_CUT) &&
	    (b.kind == CSF_INSN_BRANCH || b.kind == CSF_INSN_INDIRECT))
		off = taken(&b, block, span);
	if (code->contexts->inlines)
		inlined = context_inline_learn(code, &b, block);
	if (inlined < 0)
		return inlined;
	code->info[2 * number] = b.n_insn | inlined * STEP_INLINED | on << STEP_SHIFT;
	code->info[2 * number + 1] = b.n_insn | inlined * STEP_INLINED | off << STEP_SHIFT;
	return 0;
}

int context_code_grow(struct context_code *code)
{
	size_t n = (size_t)csf_block_count(code->replay->image) + 1;
	int err = 0;

	if (n > code->size) {
		const size_t was = code->size, size = 2 * n + 1024;

		if (!array_zeros(&code->info, 2 * was, 2 * size, sizeof(*code->info)) ||
		    !array_zeros(&code->block, was, size, sizeof(*code->block)))
			return -ENOMEM;
		code->size = size;
	}
	/* number 0 is not used */
	if (!code->n)
		code->n = 1;
	for (; code->n < n && !err; code->n++)
		err = learn(code, code->n);
	return err;
}
