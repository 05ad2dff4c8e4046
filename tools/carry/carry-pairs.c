// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/demangle.h"
#include "../lib/fnv.h"
#include "carry-hashed.h"
#include "carry-pairs.h"

/*
 * Its name; without what a compiler appends; of C++, without parameters, which may change; its
 * code, whatever its name is.
 */
enum { BY_NAME, BY_STEM, BY_BASE, BY_CODE };

static uint64_t name_hash(const char *name)
{
	return fnv_hash(FNV_START, name, strlen(name)) ?: 1;
}

static int code_hash(const struct carry_pairs *p, int side, uint32_t i, uint64_t *hash)
{
	struct carry_function f;
	int err = carry_function_read(&f, p->elf[side], &p->of[side], &p->of[side].function[i]);

	*hash = err ? 0 : carry_function_hash(&f);
	carry_function_fini(&f);
	return err == -ENOMEM ? err : 0;
}

/* Of _ZL10insertCellP7MemPage the name without parameters; 0: it has none. */
static uint64_t base_hash(const char *name)
{
	char *plain = demangle(name);
	char *bare = plain ? demangle_bare(plain) : NULL;
	const uint64_t hash = bare ? name_hash(bare) : 0;

	free(bare);
	free(plain);
	return hash;
}

static int hash_of(const struct carry_pairs *p, int how, int side, struct carry_hashed *k)
{
	const char *name = p->of[side].function[k->index].name;

	if (how == BY_CODE)
		return code_hash(p, side, k->index, &k->hash);
	k->hash = how == BY_NAME ? name_hash(name) : how == BY_STEM ? carry_name_hash(name) :
		  base_hash(name);
	return 0;
}

/* Functions that are not in @taken, sorted; those without a hash are left out. */
static int collect(const struct carry_pairs *p, int how, int side, const bool *taken,
		   struct carry_hashed *known, size_t *n)
{
	int err = 0;

	*n = 0;
	for (uint32_t i = 0; i < p->of[side].n && !err; i++) {
		struct carry_hashed *k = &known[*n];

		if (taken[i])
			continue;
		*k = (struct carry_hashed){ .index = i };
		err = hash_of(p, how, side, k);
		*n += !!k->hash;
	}
	carry_hashed_sort(known, *n);
	return err;
}

/* Local functions may have one name: as many of them in both builds are in the same order. */
static void join(struct carry_pairs *p, bool *taken[2], struct carry_common *c)
{
	while (carry_common_next(c))
		for (size_t i = 0; i < c->alike[0] && c->alike[0] == c->alike[1]; i++) {
			const uint32_t a = c->list[0][c->first[0] + i].index;
			const uint32_t b = c->list[1][c->first[1] + i].index;

			p->pair[a].other = b;
			taken[0][a] = true;
			taken[1][b] = true;
		}
}

static int pair_functions(struct carry_pairs *p)
{
	bool *taken[2] = { NULL, NULL };
	struct carry_hashed *list[2] = { NULL, NULL };
	int err = 0;

	for (int side = 0; side < 2; side++) {
		taken[side] = calloc(p->of[side].n, sizeof(bool));
		list[side] = calloc(p->of[side].n, sizeof(*list[side]));
		if (!taken[side] || !list[side])
			err = -ENOMEM;
	}
	for (int how = BY_NAME; how <= BY_CODE && !err; how++) {
		struct carry_common c = { .list = { list[0], list[1] } };

		for (int side = 0; side < 2 && !err; side++)
			err = collect(p, how, side, taken[side], list[side], &c.n[side]);
		if (!err)
			join(p, taken, &c);
	}
	for (int side = 0; side < 2; side++) {
		free(taken[side]);
		free(list[side]);
	}
	return err;
}

static int by_addr(const void *p, const void *q)
{
	const struct function *a = p, *b = q;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Stubs have no symbols, but names all the same. */
static int add_stubs(struct functions *f, struct elf_stubs *stubs, const struct elf_file *elf)
{
	const size_t n = f->n;
	struct function *grown;

	if (!elf_plt_read(elf, stubs))
		return -ENOMEM;
	grown = realloc(f->function, (f->n + stubs->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->function = grown;
	for (size_t i = 0; i < stubs->n; i++) {
		const struct elf_stub *s = &stubs->stub[i];
		const struct functions named = { .function = grown, .n = n };

		if (!functions_at(&named, s->addr))
			grown[f->n++] = (struct function){ .addr = s->addr, .size = s->size,
							   .name = s->name };
	}
	qsort(grown, f->n, sizeof(*grown), by_addr);
	return 0;
}

int carry_pairs(struct carry_pairs *p, struct elf_file *const elf[2])
{
	int err = 0;

	*p = (struct carry_pairs){ .pair = NULL };
	for (int side = 0; side < 2 && !err; side++) {
		p->elf[side] = elf[side];
		err = elf[side]->is_a64 ? functions_read(&p->of[side], elf[side]) : -EOPNOTSUPP;
	}
	for (int side = 0; side < 2 && !err; side++)
		err = add_stubs(&p->of[side], &p->stubs[side], elf[side]);
	if (err)
		return err;
	p->pair = calloc(p->of[0].n, sizeof(*p->pair));
	if (!p->pair)
		return -ENOMEM;
	for (size_t i = 0; i < p->of[0].n; i++)
		p->pair[i].other = CARRY_NONE;
	return pair_functions(p);
}

void carry_pairs_fini(struct carry_pairs *p)
{
	for (size_t i = 0; p->pair && i < p->of[0].n; i++) {
		carry_match_fini(&p->pair[i].match);
		carry_function_fini(&p->pair[i].old);
		carry_function_fini(&p->pair[i].new);
	}
	for (int side = 0; side < 2; side++) {
		functions_fini(&p->of[side]);
		elf_plt_free(&p->stubs[side]);
	}
	free(p->pair);
	*p = (struct carry_pairs){ .pair = NULL };
}

static int read_pair(struct carry_pairs *p, struct carry_pair *pair, const struct function *f)
{
	int err;

	pair->read = true;
	if (pair->other == CARRY_NONE)
		return 0;
	err = carry_function_read(&pair->old, p->elf[0], &p->of[0], f);
	if (!err)
		err = carry_function_read(&pair->new, p->elf[1], &p->of[1],
					  &p->of[1].function[pair->other]);
	if (!err)
		err = carry_match(&pair->match, &pair->old, &pair->new);
	pair->ok = !err;
	return err == -ENOENT ? 0 : err;
}

struct carry_pair *carry_pair_at(struct carry_pairs *p, uint64_t addr, int *err)
{
	const struct function *f = functions_at(&p->of[0], addr);
	struct carry_pair *pair = f ? &p->pair[f - p->of[0].function] : NULL;

	if (pair && !pair->read)
		*err = read_pair(p, pair, f);
	return pair && pair->ok ? pair : NULL;
}

bool carry_pairs_addr(struct carry_pairs *p, uint64_t addr, uint64_t *to, int *err)
{
	struct carry_pair *pair = carry_pair_at(p, addr, err);
	const uint32_t at = pair ? carry_function_at(&pair->old, addr) : CARRY_NONE;

	if (at == CARRY_NONE || pair->match.to[at] == CARRY_NONE)
		return false;
	*to = pair->new.addr + 4ull * pair->match.to[at];
	return true;
}
