// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <sys/mman.h>

#include "block.h"
#include "chart.h"
#include "image.h"
#include "insn-a64.h"

#define BLOCK_PAGED	1024u	/* pages are asked for by so many blocks; a multiple of 512 */
#define CELLS_MIN	8192

/* So many bytes are in small pages: 27 of these cost as much as a large one, on an AMD EPYC. */
#define FEW_BLOCKS	(64ul << 10)
#define FEW_LINKS	(256ul << 10)

/* A page has room for 100 blocks, and its fault costs as much as 20: so ask for several at once. */
static void page_in(struct block_table *t)
{
#ifdef MADV_POPULATE_WRITE
	madvise(t->succ + 2 * t->n_paged, 2 * BLOCK_PAGED * sizeof(*t->succ), MADV_POPULATE_WRITE);
	madvise(t->block + t->n_paged, BLOCK_PAGED * sizeof(*t->block), MADV_POPULATE_WRITE);
#endif
	t->n_paged += BLOCK_PAGED;
}

int block_table_init(struct block_table *t)
{
	*t = (struct block_table){ .n = 1 };
	t->succ = table_reserve(2ull * BLOCK_MAX * sizeof(*t->succ), FEW_LINKS);
	t->block = table_reserve(BLOCK_MAX * sizeof(*t->block), FEW_BLOCKS);
	if (cells_init(&t->cells, CELLS_MIN) && t->succ && t->block) {
		page_in(t);
		return 0;
	}
	block_table_fini(t);
	return CSF_ERR_MEMORY;
}

void block_table_fini(struct block_table *t)
{
	table_release(t->succ, 2ull * BLOCK_MAX * sizeof(*t->succ));
	table_release(t->block, BLOCK_MAX * sizeof(*t->block));
	cells_fini(&t->cells);
}

static bool same(const struct block *b, const struct block_key *key, uint32_t version)
{
	return b->pub.offset == key->offset && b->view == key->view &&
	       b->version == version && b->cut == key->cut && b->pub.isa == key->isa &&
	       b->rule == key->rule;
}

/*
 * Blocks that lie side by side are looked up one behind the other: so 16 of them, 8 bytes of code
 * each, have cells that are in a row, which is a cache line.  Where in its 8 bytes one begins, and
 * which of them, is in the high bits, too, which are what a cell has of the hash.
 */
static uint32_t hash_of(const struct block_key *key, uint32_t version)
{
	const uint64_t row = key->offset >> 7 ^ (uint64_t)key->cut << 28;
	const uint32_t hash = hash_spread((row ^ (uint64_t)key->view << 40) + version);

	return (hash << 4 ^ (uint32_t)key->offset << 26) | (key->offset >> 3 & 15);
}

/* Where its number is, or belongs. */
static __always_inline uint32_t *slot(const struct block_table *t, const struct block_key *key,
				      uint32_t version, uint32_t hash)
{
	uint32_t *cell = cells_first(&t->cells, hash);

	while (*cell && !same(&t->block[*cell & CELL_NUMBER], key, version))
		cell = cells_next(&t->cells, cell, hash);
	return cell;
}

static uint32_t hash_of_block(const void *table, uint32_t number)
{
	return ((const struct block_table *)table)->block[number].hash;
}

/* The opcode in the @n bytes at @p, which are at @offset.  Returns as fetch(). */
static int fetch_from(struct csf_image *image, const struct view *v, uint64_t offset,
		      const uint8_t *p, size_t n, enum csf_isa isa, uint32_t *opcode)
{
	if (isa != CSF_T32) {
		*opcode = n < 4 ? 0 : get_le32(p);
		return n < 4 ? 0 : 4;
	}
	if (n < 2)
		return 0;
	*opcode = get_le16(p);
	if (*opcode < 0xe800)
		return 2;
	n = view_at(image, v, offset + 2, &p);	/* may be on the next page */
	if (!p)
		return CSF_ERR_MEMORY;
	if (n < 2)
		return 0;
	*opcode = *opcode << 16 | get_le16(p);
	return 4;
}

/* The opcode at @offset.  Returns its size, 0 if there is not all of it, < 0: no memory. */
static int fetch(struct csf_image *image, const struct view *v, uint64_t offset,
		 enum csf_isa isa, uint32_t *opcode)
{
	const uint8_t *p;
	size_t n = view_at(image, v, offset, &p);

	return p ? fetch_from(image, v, offset, p, n, isa, opcode) : CSF_ERR_MEMORY;
}

/* Targets of AArch32 are modulo 2^32; as an offset, those in front of the section are negative. */
static int64_t target_offset(const struct csf_insn *insn, enum csf_isa isa, uint64_t n)
{
	if (isa != CSF_A64 && insn->target >= n)
		return (int32_t)insn->target;
	return insn->target;
}

static void classify(const struct csf_image *image, const struct block_key *key,
		     struct csf_insn *insn, uint32_t opcode, uint64_t offset)
{
	if (image->classify)
		image->classify(image->classify_context, insn, opcode, offset, key->isa, key->rule);
	else
		csf_insn(insn, opcode, offset, key->isa, key->rule);
}

/*
 * The next instruction of the block, and before it those that take no atom, up
 * to the next page or the last of @max.  With a classifier of the caller's
 * nobody knows which they are without asking.  Returns as fetch().
 */
static int next_insn(struct csf_image *image, const struct block_key *key, unsigned int max,
		     struct csf_block *b)
{
	const struct view *v = &image->views.view[key->view];
	struct csf_insn insn;
	uint32_t opcode, skip = 0;
	const uint8_t *p;
	size_t n = view_at(image, v, key->offset + b->size, &p);
	int size;

	if (!p)
		return CSF_ERR_MEMORY;
	if (!image->classify)
		b->n_insn += insn_skip(&image->filter, p, n, key->isa, key->rule,
				       max - b->n_insn - 1, &skip);
	b->size += skip;
	size = fetch_from(image, v, key->offset + b->size, p + skip, n - skip, key->isa, &opcode);
	if (size <= 0)
		return size;
	classify(image, key, &insn, opcode, key->offset + b->size);
	b->n_insn++;
	b->size += size;		/* whatever a classifier says */
	b->last_size = size;
	b->kind = insn.kind;
	b->flags = insn.flags;
	b->target_isa = insn.target_isa;
	b->target = target_offset(&insn, key->isa, image->section[v->section].n);
	return size;
}

/* Returns 1 if there is a block of at least one instruction, 0 if not, < 0: no memory. */
static noinline int decode(struct csf_image *image, const struct block_key *key,
			   struct csf_block *b)
{
	unsigned int max = key->cut ? key->cut : BLOCK_INSN_MAX;

	*b = (struct csf_block){
		.offset = key->offset, .section = image->views.view[key->view].section,
		.isa = key->isa,
	};
	while (b->n_insn < max) {
		int size = next_insn(image, key, max, b);

		if (size < 0)
			return size;
		if (!size)
			break;
		if (b->flags & CSF_FLAG_P0 && !key->cut)
			return 1;
	}
	b->flags = (b->flags & ~CSF_FLAG_P0) | CSF_FLAG_CUT;
	return b->n_insn > 0;
}

/*
 * Likewise, of A64 that is in memory, and that nobody but us judges: of nearly all code.  Returns
 * false if it is something else, or no instruction takes an atom before it ends.
 */
static bool decode_a64(const struct csf_image *image, const struct block_key *key,
		       const struct view *v, struct csf_block *b)
{
	const struct section *s = &image->section[v->section];
	const uint64_t end = v->to < s->n ? v->to : s->n;
	struct csf_insn insn;
	unsigned int n, i;

	if (!s->code || key->isa != CSF_A64 || key->cut || image->classify || key->offset >= end)
		return false;
	n = end - key->offset < 4 * BLOCK_INSN_MAX ? (end - key->offset) / 4 : BLOCK_INSN_MAX;
	i = insn_find_a64(&image->filter, s->code + key->offset, n, key->offset, key->rule, &insn);
	if (i == n)
		return false;
	*b = (struct csf_block){
		.offset = key->offset, .target = insn.target, .section = v->section,
		.size = 4 * (i + 1), .n_insn = i + 1, .kind = insn.kind, .flags = insn.flags,
		.last_size = 4, .isa = CSF_A64, .target_isa = CSF_A64,
	};
	return true;
}

static uint8_t odd_of(const struct csf_block *b, const struct view *v)
{
	const uint64_t target = b->isa == CSF_A64 ? (uint64_t)b->target : (uint32_t)b->target;
	uint8_t odd = 0;

	if (b->flags & CSF_FLAG_CUT)
		return BLOCK_CUT;
	if (b->kind == CSF_INSN_BRANCH && (target < v->from || target >= v->to))
		odd = BLOCK_OUT;
	return odd | (b->kind == CSF_INSN_INDIRECT ? BLOCK_INDIRECT : 0) |
	       (b->flags & CSF_FLAG_LINK ? BLOCK_LINK : 0);
}

/*
 * Where @b branches to is looked up next, as often as not; what follows it is in the same row.
 * Always inlined: calls of a function that does nothing but this are left out by gcc.
 */
static __always_inline void look_ahead(const struct block_table *t, const struct block *b)
{
	const struct block_key key = { .offset = b->pub.target, .view = b->view };

	__builtin_prefetch(&t->cells.cell[hash_of(&key, b->version) & t->cells.mask]);
}

static __always_inline void look_ahead_in_chart(const struct view *v, const struct block *b)
{
	if ((uint64_t)b->pub.target - v->from < v->to - v->from)
		__builtin_prefetch(&v->chart.number[(b->pub.target - v->from) / 4]);
}

/**
 * struct known - where the number of a block stands, or will stand
 * @entry: in a chart; NULL: there is none
 * @cell: then it is this one, by @hash
 */
struct known {
	uint32_t *entry;
	uint32_t *cell;
	uint32_t hash;
};

static uint32_t find(struct csf_image *image, const struct block_key *key, uint32_t version,
		     struct known *known)
{
	known->entry = unlikely(image->charts.begun) ? chart_find(image, key) : NULL;
	known->hash = 0;
	known->cell = NULL;
	if (known->entry)
		return *known->entry & SUCC_BLOCK;
	known->hash = hash_of(key, version);
	known->cell = slot(&image->blocks, key, version, known->hash);
	return *known->cell & CELL_NUMBER;
}

/* The next block is there, and is the one that was not found.  Returns false: no memory. */
static bool put(struct block_table *t, const struct block_key *key, uint32_t version,
		struct known *known)
{
	if (known->entry) {
		chart_put(known->entry, &t->block[t->n], t->n);
		return true;
	}
	if (!cells_has_room(&t->cells, t->n_cells + 1)) {
		if (!cells_grow(&t->cells, t, hash_of_block))
			return false;
		known->cell = slot(t, key, version, known->hash);
	}
	cells_put(known->cell, known->hash, t->n);
	t->n_cells++;
	return true;
}

/* The block of @key, which is where @known says from now on.  Returns as block_at(). */
static noinline int64_t make(struct csf_image *image, const struct block_key *key,
			     uint32_t version, struct known *known)
{
	const struct view *v = &image->views.view[key->view];
	struct block_table *t = &image->blocks;
	struct block *b = &t->block[t->n];
	int ret;

	if (key->offset < v->from || key->offset >= v->to)
		return 0;
	if (t->n == BLOCK_MAX)
		return CSF_ERR_MEMORY;
	image->missed |= image->quiet && image->classify;
	if (image->missed)
		return 0;
	if (t->n == t->n_paged)
		page_in(t);
	if (unlikely(!decode_a64(image, key, v, &b->pub))) {
		ret = decode(image, key, &b->pub);
		if (ret <= 0)
			return ret;
		if (image->missed)
			return 0;
	}
	b->view = key->view;
	b->version = version;
	b->cut = key->cut;
	b->rule = key->rule;
	b->odd = odd_of(&b->pub, v);
	b->hash = known->hash;
	t->succ[t->n << 1 | 1] = block_succ_odd(b, true);
	if (!put(t, key, version, known))
		return CSF_ERR_MEMORY;
	if (unlikely(known->entry))
		look_ahead_in_chart(v, b);
	else
		look_ahead(t, b);
	__atomic_store_n(&t->n, t->n + 1, __ATOMIC_RELEASE);
	if (unlikely(t->n >= image->charts.from && !image->charts.begun))
		chart_begin(image);
	return t->n - 1;
}

int64_t block_at(struct csf_image *image, const struct block_key *key)
{
	const uint32_t section = image->views.view[key->view].section;
	const uint32_t version = image->section[section].version;
	struct known known;
	const uint32_t number = find(image, key, version, &known);

	return number ? number : make(image, key, version, &known);
}

unsigned int block_insn_size(struct csf_image *image, const struct csf_block *b, uint32_t at)
{
	const struct view all = { .to = SECTION_MAX, .section = b->section };
	uint32_t opcode;
	int size;

	pthread_mutex_lock(&image->lock);
	size = fetch(image, &all, b->offset + at, b->isa, &opcode);
	pthread_mutex_unlock(&image->lock);
	return size == 2 ? 2 : 4;
}

void block_unlink(struct csf_image *image, uint32_t section)
{
	struct block_table *t = &image->blocks;

	for (uint32_t i = 1; i < t->n; i++) {
		if (t->block[i].pub.section != section)
			continue;
		chart_forget(image, &t->block[i]);
		__atomic_store_n(&t->succ[i << 1], 0, __ATOMIC_RELAXED);
		__atomic_store_n(&t->succ[i << 1 | 1], block_succ_odd(&t->block[i], true),
				 __ATOMIC_RELAXED);
	}
}
