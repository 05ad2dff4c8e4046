// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "branch-list.h"
#include "branch-parse.h"
#include "../input/unchecked.h"

/* Blocks of an atom run that are added before equal ones are joined. */
#define SETTLE	(1u << 20)

/* Return: 0; -ENOENT: the atom run leads no further; -ENOMEM. */
static int walk_atom(struct code_walk *code, bool taken, uint64_t count)
{
	uint64_t *stat = code->table->stat;
	struct csf_insn insn;
	struct count_block b;
	int err = code_walk_block(code, count, &b, &insn);

	if (err)
		return err;
	taken &= count_branches(&b);
	b.taken = taken ? count : 0;
	b.passed = taken ? 0 : count;
	code_walk_target(code, &insn, &b);
	stat[COUNT_BLOCKS] = count_sum(stat[COUNT_BLOCKS], count);
	stat[COUNT_INSNS] = count_sum(stat[COUNT_INSNS], count_times(count, b.n_insn));
	err = count_block_add(&code->table->dso[code->dso], &b);
	if (err || !taken)
		return err;
	if (insn.kind == CSF_INSN_INDIRECT)
		code->elf = NULL;
	code->addr = insn.target;
	code->isa = insn.target_isa;
	return 0;
}

int branch_list_walk(const struct code_walk *start, const struct branch_list_run *run)
{
	struct code_walk code = *start;
	struct count_table *table = code.table;
	uint64_t done = 0, *lost;
	int err = 0;

	code.addr = run->addr & ~1ull;
	/* for A64 bit 0 is not part of an address */
	if (code.isa != CSF_A64)
		code.isa = run->addr & 1 ? CSF_T32 : CSF_A32;
	for (; done < run->n && code.elf && !err; done++) {
		err = walk_atom(&code, run->bits[done / 8] >> (done & 7) & 1, run->count);
		if (err)
			break;
	}
	if (done < run->n) {
		const uint64_t n = count_times(run->n - done, run->count);

		lost = &table->stat[COUNT_LOST + CSF_GAP_IMAGE];
		*lost = count_sum(*lost, n);
		lost = &table->dso[code.dso].lost;
		*lost = count_sum(*lost, n);
	}
	return err == -ENOENT ? 0 : err;
}

int branch_list_open(struct code_walk *code, struct dso_table *dsos,
		     const struct branch_list_file *file)
{
	struct dso *dso;
	long number = count_dso_add(code->table, &file->key);

	code->elf = NULL;
	code->kind = file->key.kind;
	if (number < 0)
		return number;
	code->dso = number;
	if (code->kind == DSO_MODULE || file->moved)
		return 0;
	number = dso_add(dsos, &file->key);
	if (number < 0)
		return number;
	dso = dsos->dso[number];
	if (!dso_load(dsos, dso) || !dso->elf->is_elf || dso->elf->is_module)
		return 0;
	code->elf = dso->elf;
	code->isa = code_walk_isa(code->elf);
	return 0;
}

/* ---------------------------------------------------------------- a list */

/* A walk through the code of a list's files. */
struct walk {
	struct code_walk code;
	struct dso_table *dsos;
};

static int open_file(void *owner, const struct branch_list_file *file)
{
	struct walk *w = owner;

	return branch_list_open(&w->code, w->dsos, file);
}

static int walk_run(void *owner, const struct branch_list_run *run)
{
	struct code_walk *code = &((struct walk *)owner)->code;
	int err = branch_list_walk(code, run);

	if (!err && code->table->dso[code->dso].n_block > SETTLE)
		err = count_table_settle(code->table);
	return err;
}

int branch_list_read(struct count_table *table, const struct branch_list *list,
		     const struct dso_options *options, struct branch_list_problem *problem)
{
	struct dso_table dsos = { 0 };
	struct branch_stream stream = { .max = 0 };
	struct walk w = { .code.table = table, .dsos = &dsos };
	const struct branch_parse take = { .file = open_file, .run = walk_run, .owner = &w };
	int err = dso_table_init(&dsos, options);

	*problem = (struct branch_list_problem){ .why = NULL };
	if (err)
		return -ENOMEM;
	table->stat[COUNT_RECORDINGS] = count_sum(table->stat[COUNT_RECORDINGS], 1);
	err = branch_parse(&stream, list, &take, problem);
	branch_stream_fini(&stream);
	unchecked_tell(&dsos);
	dso_table_fini(&dsos);
	return err;
}
