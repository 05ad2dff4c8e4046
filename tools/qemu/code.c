// SPDX-License-Identifier: GPL-2.0-only
#include "code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

#define N_HASH		(1u << 16)
#define NOWHERE		UINT64_MAX

static struct {
	const struct enc_setup *setup;
	struct truth_writer *truth;
	pthread_mutex_t lock;
	struct code **hash;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

int code_init(const struct enc_setup *setup, struct truth_writer *truth)
{
	table.setup = setup;
	table.truth = truth;
	table.hash = calloc(N_HASH, sizeof(*table.hash));
	return table.hash ? 0 : -1;
}

static uint32_t slot(uint64_t pc)
{
	return (pc >> 1) * 0x9e3779b97f4a7c15ull >> 48;
}

/* ---------------------------------------------------------------- translation */

static struct code *find(uint64_t pc, const uint8_t *bytes, size_t size)
{
	struct code *c = table.hash[slot(pc)];

	while (c && (c->pc != pc || c->size != size || memcmp(c->bytes, bytes, size)))
		c = c->next;
	return c;
}

static struct code *code_new(uint64_t pc, const uint8_t *bytes, size_t size, size_t n_insn)
{
	struct code *c = calloc(1, sizeof(*c) + size);
	struct code **head = &table.hash[slot(pc)];

	if (!c)
		return NULL;
	c->pc = pc;
	c->end = pc + size;
	c->size = size;
	c->n_insn = n_insn;
	c->look = CODE_NEW | CODE_FRESH;
	c->bytes = (uint8_t *)(c + 1);
	memcpy(c->bytes, bytes, size);
	if (guest_is_handler(pc))
		c->look |= CODE_HANDLER;
	c->next = *head;
	*head = c;
	return c;
}

struct code *code_translated(const struct qemu_plugin_tb *tb)
{
	uint8_t bytes[4096];
	uint64_t pc = qemu_plugin_tb_vaddr(tb);
	size_t n = qemu_plugin_tb_n_insns(tb), size = 0, last = 0;
	struct code *c;

	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t have = qemu_plugin_insn_size(insn);

		size = qemu_plugin_insn_vaddr(insn) - pc;
		if (size + have > sizeof(bytes))
			return NULL;
		memcpy(bytes + size, qemu_plugin_insn_data(insn), have);
		last = size;
		size += have;
	}
	if (!n)
		return NULL;
	pthread_mutex_lock(&table.lock);
	c = find(pc, bytes, size);
	if (c)
		c->look |= CODE_FRESH;
	else
		c = code_new(pc, bytes, size, n);
	if (c)
		c->last = last;
	pthread_mutex_unlock(&table.lock);
	return c;
}

void code_mark_handler(uint64_t pc)
{
	pthread_mutex_lock(&table.lock);
	for (struct code *c = table.hash[slot(pc)]; c; c = c->next)
		if (c->pc == pc)
			c->look |= CODE_HANDLER;
	pthread_mutex_unlock(&table.lock);
}

/* ---------------------------------------------------------------- blocks */

static void find_successors(struct code *code)
{
	const struct enc_insn *last = &code->tail->block.last;

	code->any = last->class == ENC_INDIRECT;
	code->call = last->class == ENC_CALL;
	code->succ[0] = code->end;
	code->succ[1] = code->end;
	if (code->call && !(last->flags & ENC_COND)) {
		code->succ[0] = NOWHERE;
		code->succ[1] = NOWHERE;
	}
	if (last->class == ENC_DIRECT) {
		code->succ[0] = last->target;
		if (!(last->flags & ENC_COND))
			code->succ[1] = last->target;
	}
}

static uint32_t define(const struct code *code, const struct enc_block *block)
{
	const struct truth_block as = {
		.addr = block->pc, .code = code->bytes + (block->pc - code->pc),
		.size = block->size, .n_insn = block->n_insn,
		.isa = block->isa == ENC_A64 ? CSF_A64 : block->isa == ENC_A32 ? CSF_A32 : CSF_T32,
	};

	return table.truth ? truth_define(table.truth, &as) : 0;
}

static uint32_t halfword(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

/* T32: QEMU gives two bytes too many if it looked past the last instruction. */
static unsigned int size_of_last(const struct code *code)
{
	return enc_t32_is_wide(halfword(code->bytes + code->last)) ? 4 : 2;
}

/* BRK, UDF: for code that must not be reached, or programs that end on purpose. */
static bool is_trap(const struct code *code, enum enc_isa isa)
{
	const uint8_t *p = code->bytes + code->last;
	uint32_t op = halfword(p);

	if (isa == ENC_T32)
		return op >> 8 == 0xde;
	op |= halfword(p + 2) << 16;
	if (isa == ENC_A32)
		return (op & 0xfff000f0) == 0xe7f000f0;
	return (op & 0xffe0001f) == 0xd4200000 || !(op >> 16);
}

static bool scan(struct code *code, enum enc_isa isa, unsigned int it)
{
	struct piece *piece = NULL;
	uint64_t pc = code->pc;
	uint32_t n = 0;

	code->end = code->pc + code->size;
	if (isa == ENC_T32)
		code->end = code->pc + code->last + size_of_last(code);
	if (code->end > code->pc + code->size)
		return false;
	code->n_insn = 0;
	while (pc < code->end) {
		struct enc_block block = { .pc = pc, .isa = isa, .it = it };
		struct piece *grown = realloc(piece, (n + 1) * sizeof(*piece));

		if (!grown)
			return false;
		piece = grown;
		enc_scan(table.setup, &block, code->bytes + (pc - code->pc), code->end - pc);
		if (!block.size)
			return false;
		piece[n++] = (struct piece){ block, define(code, &block) };
		it = block.it;
		pc += block.size;
		code->n_insn += block.n_insn;
	}
	if (!n)
		return false;
	if (is_trap(code, isa))
		code->look |= CODE_TRAP;
	code->isa = isa;
	code->thumb = isa == ENC_T32;
	code->n_piece = n;
	code->tail = &piece[n - 1];
	code->piece = piece;
	find_successors(code);
	return true;
}

/*
 * Scanned again only if the same bytes were A32 before and are T32 now, or if an IT block
 * covers another number of them; the old result may be in use, and stays.
 */
bool code_scan(struct code *code, enum enc_isa isa, unsigned int it)
{
	bool done;

	pthread_mutex_lock(&table.lock);
	done = !(code->look & CODE_NEW) && code->isa == isa && code->it == it;
	if (!done) {
		done = scan(code, isa, it);
		code->it = it;
		code->look &= ~CODE_NEW;
	}
	pthread_mutex_unlock(&table.lock);
	return done;
}

unsigned int code_size_at(const struct code *code, uint64_t pc)
{
	return code->isa != ENC_T32 || enc_t32_is_wide(halfword(code->bytes + (pc - code->pc))) ?
	       4 : 2;
}

unsigned int code_before(const struct code *code, uint64_t pc)
{
	uint64_t at = code->pc;
	unsigned int n = 0;

	while (at < pc && at < code->end) {
		at += code_size_at(code, at);
		n++;
	}
	return at == pc && at < code->end ? n : UINT32_MAX;
}
