// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/hash.h"
#include "carry-function.h"

/* Shorter functions look like many others. */
#define INSNS_LEAST	8

uint64_t carry_name_hash(const char *name)
{
	uint64_t hash = 0;

	for (const char *c = name; *c && (*c != '.' || c == name); c++)
		hash = hash_mix(hash, (unsigned char)*c);
	return hash;
}

uint32_t carry_function_at(const struct carry_function *f, uint64_t addr)
{
	const uint64_t distance = addr - f->addr;

	return distance / 4 < f->n && !(distance & 3) ? distance / 4 : CARRY_NONE;
}

static uint32_t word(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---------------------------------------------------------------- reading */

static int read_insns(struct carry_function *f, const struct elf_file *elf,
		      const struct function *function)
{
	const struct elf_segment *s = elf_segment_find(elf, function->addr);
	const uint64_t at = s ? function->addr - s->addr : 0;
	const uint8_t *code;
	uint32_t pages = 0;

	if (!s || function->addr & 3 || function->size > s->size - at ||
	    function->size / 4 > CARRY_INSNS_MAX || function->size < 4)
		return -ENOENT;
	f->addr = function->addr;
	f->n = function->size / 4;
	f->insn = calloc(f->n, sizeof(*f->insn));
	f->piece_of = calloc(f->n, sizeof(*f->piece_of));
	if (!f->insn || !f->piece_of)
		return -ENOMEM;
	code = elf->bytes + s->offset + at;
	for (uint32_t i = 0; i < f->n; i++)
		carry_insn(&f->insn[i], word(code + 4ull * i), f->addr + 4ull * i, &pages);
	return 0;
}

/* Marks where pieces begin in @begins. */
static uint32_t cut(const struct carry_function *f, bool *begins)
{
	uint32_t n = 0;

	begins[0] = true;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct carry_insn *insn = &f->insn[i];
		const uint32_t to = insn->kind == CSF_INSN_BRANCH ?
				    carry_function_at(f, insn->target) : CARRY_NONE;

		if (to != CARRY_NONE)
			begins[to] = true;
		if (insn->flags & CSF_FLAG_P0 && i + 1 < f->n)
			begins[i + 1] = true;
	}
	for (uint32_t i = 0; i < f->n; i++)
		n += begins[i];
	return n;
}

static int read_pieces(struct carry_function *f)
{
	bool *begins = calloc(f->n, sizeof(*begins));
	uint32_t n = begins ? cut(f, begins) : 0;

	f->piece = calloc(n + 1, sizeof(*f->piece));
	for (uint32_t i = 0; i < f->n && begins && f->piece; i++) {
		if (begins[i])
			f->piece[f->n_piece++].first = i;
		f->piece[f->n_piece - 1].n++;
		f->piece_of[i] = f->n_piece - 1;
	}
	free(begins);
	return n && f->piece ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- hashes */

/* Two functions with one name do the same in both builds. */
static uint64_t callee(const struct carry_function *f, const struct functions *all,
		       const struct carry_insn *insn)
{
	const struct function *to;

	if (insn->kind != CSF_INSN_BRANCH || carry_function_at(f, insn->target) != CARRY_NONE)
		return 0;
	to = functions_at(all, insn->target);
	return to ? carry_name_hash(to->name) : 1;
}

static void hash_piece(const struct carry_function *f, const struct functions *all,
		       struct carry_piece *p)
{
	const struct carry_insn *last = &f->insn[p->first + p->n - 1];
	uint32_t to = CARRY_NONE;

	for (uint32_t i = p->first; i < p->first + p->n; i++) {
		const struct carry_insn *insn = &f->insn[i];

		p->hash[CARRY_SAME] = hash_mix(p->hash[CARRY_SAME],
					       insn->same + callee(f, all, insn));
		p->hash[CARRY_LIKE] = hash_mix(p->hash[CARRY_LIKE], insn->like);
		p->hash[CARRY_FORM] = hash_mix(p->hash[CARRY_FORM],
					       insn->form + callee(f, all, insn));
	}
	if (last->kind == CSF_INSN_BRANCH)
		to = carry_function_at(f, last->target);
	p->to = to == CARRY_NONE ? CARRY_NONE : f->piece_of[to];
}

/* With the pieces before, after, and at the end of the branch.  @degree: for one piece alone. */
static uint64_t hash_around(const struct carry_function *f, uint32_t piece, enum carry_hash degree)
{
	const struct carry_piece *p = &f->piece[piece];
	uint64_t hash = p->hash[degree];

	hash = hash_mix(hash, piece ? p[-1].hash[degree] : 1);
	hash = hash_mix(hash, piece + 1 < f->n_piece ? p[1].hash[degree] : 2);
	return hash_mix(hash, p->to == CARRY_NONE ? 3 : f->piece[p->to].hash[degree]);
}

int carry_function_read(struct carry_function *f, const struct elf_file *elf,
			const struct functions *all, const struct function *function)
{
	int err;

	*f = (struct carry_function){ 0 };
	err = read_insns(f, elf, function);
	if (!err)
		err = read_pieces(f);
	for (uint32_t i = 0; i < f->n_piece && !err; i++)
		hash_piece(f, all, &f->piece[i]);
	for (uint32_t i = 0; i < f->n_piece && !err; i++) {
		f->piece[i].hash[CARRY_SAME_AROUND] = hash_around(f, i, CARRY_SAME);
		f->piece[i].hash[CARRY_LIKE_AROUND] = hash_around(f, i, CARRY_LIKE);
		f->piece[i].hash[CARRY_FORM_AROUND] = hash_around(f, i, CARRY_FORM);
	}
	return err;
}

void carry_function_fini(struct carry_function *f)
{
	free(f->insn);
	free(f->piece_of);
	free(f->piece);
	*f = (struct carry_function){ 0 };
}

uint64_t carry_function_hash(const struct carry_function *f)
{
	uint64_t hash = f->n;

	if (f->n < INSNS_LEAST)
		return 0;
	for (uint32_t i = 0; i < f->n; i++)
		hash = hash_mix(hash, f->insn[i].like);
	return hash ?: 1;
}
