// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <sys/mman.h>

#include "block.h"
#include "block-map.h"
#include "image.h"
#include "insn-a64.h"

#define BLOCK_PAGED	1024u	/* blocks for which memory is taken at once; a multiple of 512 */
#define BLOCKS_FEWEST	(64u * BLOCK_PAGED)	/* with less address space there is no table */
#define CELLS_MIN	8192

/*
 * This many bytes at the start are in small pages: 27 of these cost as much as a large page, on an
 * AMD EPYC.
 */
#define FEW_BLOCKS	(64ul << 10)
#define FEW_LINKS	(256ul << 10)

/*
 * A page has room for 100 blocks, and its fault costs as much as 20 blocks: so several pages are
 * taken at once.  Returns false: no memory.
 */
static bool page_in(struct block_table *t)
{
	const uint32_t n = t->n_paged + BLOCK_PAGED;

	if (!table_space_has(&t->links, 2ul * n * sizeof(*t->succ)) ||
	    !table_space_has(&t->blocks, n * sizeof(*t->block)))
		return false;
#ifdef MADV_POPULATE_WRITE
	madvise(t->succ + 2 * t->n_paged, 2 * BLOCK_PAGED * sizeof(*t->succ), MADV_POPULATE_WRITE);
	madvise(t->block + t->n_paged, BLOCK_PAGED * sizeof(*t->block), MADV_POPULATE_WRITE);
#endif
	t->n_paged = n;
	return true;
}

/* Reserves address space for @max blocks, a multiple of BLOCK_PAGED. */
static bool reserve(struct block_table *t, uint32_t max)
{
	t->max = max;
	if (table_space_init(&t->links, 2ul * max * sizeof(*t->succ), FEW_LINKS) &&
	    table_space_init(&t->blocks, max * sizeof(*t->block), FEW_BLOCKS))
		return true;
	table_space_fini(&t->links);
	return false;
}

int block_table_init(struct block_table *t)
{
	uint32_t max = table_space_share(BLOCK_MAX, sizeof(*t->block) + 2 * sizeof(*t->succ));

	*t = (struct block_table){ .n = 1 };
	max = max < BLOCK_PAGED ? BLOCK_PAGED : max / BLOCK_PAGED * BLOCK_PAGED;
	while (!reserve(t, max) && max > BLOCKS_FEWEST)
		max = max / 2 / BLOCK_PAGED * BLOCK_PAGED;
	t->succ = (uint32_t *)t->links.at;
	t->block = (struct block *)t->blocks.at;
	if (t->succ && cells_init(&t->cells, CELLS_MIN) && page_in(t))
		return 0;
	block_table_fini(t);
	return CSF_ERR_MEMORY;
}

void block_table_fini(struct block_table *t)
{
	table_space_fini(&t->links);
	table_space_fini(&t->blocks);
	cells_fini(&t->cells);
}

static __always_inline bool same(const struct block *b, const struct block_key *key,
				 uint32_t version)
{
	return b->pub.offset == key->offset && b->mapping == key->mapping &&
	       b->version == version && b->cut == key->cut && b->pub.isa == key->isa &&
	       b->rule == key->rule;
}

/*
 * Adjacent blocks are looked up one after the other: so 16 of them, of 8 bytes of code each, have
 * adjacent cells, which fill a cache line.  The place of a block inside its 8 bytes is also in the
 * high bits, which are what a cell keeps of the hash.
 */
static __always_inline uint32_t hash_of(const struct block_key *key, uint32_t version)
{
	const uint64_t row = key->offset >> 7 ^ (uint64_t)key->cut << 28;
	const uint32_t hash = hash_spread((row ^ (uint64_t)key->mapping << 40) + version);

	return (hash << 4 ^ (uint32_t)key->offset << 26) | (key->offset >> 3 & 15);
}

/* The cell that has its number, or will have it. */
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

/* Reads the opcode in the @n bytes at @p, which are at @offset.  Returns as fetch(). */
static int fetch_from(struct csf_image *image, const struct mapping *v, uint64_t offset,
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
	n = mapping_at(image, v, offset + 2, &p);	/* may be on the next page */
	if (!p)
		return CSF_ERR_MEMORY;
	if (n < 2)
		return 0;
	*opcode = *opcode << 16 | get_le16(p);
	return 4;
}

/* Reads the opcode at @offset.  Returns its size; 0: it is incomplete; < 0: no memory. */
static int fetch(struct csf_image *image, const struct mapping *v, uint64_t offset,
		 enum csf_isa isa, uint32_t *opcode)
{
	const uint8_t *p;
	size_t n = mapping_at(image, v, offset, &p);

	return p ? fetch_from(image, v, offset, p, n, isa, opcode) : CSF_ERR_MEMORY;
}

/* Targets of AArch32 are modulo 2^32; as offsets, targets before the section are negative. */
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
 * Adds to the block the instructions that take no atom, up to the next page or the last of @max,
 * and the instruction after them.  With a classifier of the caller, adds one instruction.  Returns
 * as fetch().
 */
static int next_insn(struct csf_image *image, const struct block_key *key, unsigned int max,
		     struct csf_block *b)
{
	const struct mapping *v = &image->mappings.mapping[key->mapping];
	struct csf_insn insn;
	uint32_t opcode, skip = 0;
	const uint8_t *p;
	size_t n = mapping_at(image, v, key->offset + b->size, &p);
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
	b->size += size;		/* ignore the size that a classifier returned */
	b->last_size = size;
	b->kind = insn.kind;
	b->flags = insn.flags;
	b->target_isa = insn.target_isa;
	b->target = target_offset(&insn, key->isa, image->section[v->section].n);
	return size;
}

/* Returns 1: there is a block of at least one instruction; 0: there is none; < 0: no memory. */
static noinline int decode(struct csf_image *image, const struct block_key *key,
			   struct csf_block *b)
{
	unsigned int max = key->cut ? key->cut : BLOCK_INSN_MAX;

	*b = (struct csf_block){
		.offset = key->offset, .section = image->mappings.mapping[key->mapping].section,
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

/* BLOCK_x of a block that ends with such an instruction and is not cut. */
static __always_inline uint8_t slow_of(const struct mapping *v, uint8_t kind, uint8_t flags,
				       uint64_t target)
{
	const uint8_t link = flags & CSF_FLAG_LINK ? BLOCK_LINK : 0;

	if (likely(kind == CSF_INSN_BRANCH))
		return link | (target - v->from >= v->to - v->from ? BLOCK_OUT : 0);
	if (unlikely(flags & CSF_FLAG_THUMBEE))
		return BLOCK_INDIRECT;
	return link | (kind == CSF_INSN_INDIRECT ? BLOCK_INDIRECT | BLOCK_OUT : 0);
}

static uint8_t slow_of_block(const struct csf_block *b, const struct mapping *v)
{
	const uint64_t target = b->isa == CSF_A64 ? (uint64_t)b->target : (uint32_t)b->target;

	return b->flags & CSF_FLAG_CUT ? BLOCK_CUT : slow_of(v, b->kind, b->flags, target);
}

/* Follows IT blocks, as block_it(). */
static bool it_of(struct csf_image *image, const struct mapping *v, const struct csf_block *b,
		  uint8_t *it)
{
	uint32_t opcode;
	bool in = false;
	int size;

	for (uint32_t at = 0; at < b->size; at += size) {
		size = fetch(image, v, b->offset + at, b->isa, &opcode);
		if (size <= 0)
			break;
		in = *it;
		*it -= in;
		if (opcode >> 8 == 0xbf && opcode & 0xf)
			*it = 4 - __builtin_ctz(opcode & 0xf);
	}
	return in;
}

#define IT_MOST		4	/* instructions in an IT block, at most */

/*
 * Is an atom for @b always E?  Not in T32 if its last instruction may be in an IT block, and not
 * under a rule by which the condition of every instruction has an atom.
 */
static bool is_sure(struct csf_image *image, const struct mapping *v, const struct block *b)
{
	uint8_t it = IT_MOST;

	if (b->pub.flags & (CSF_FLAG_CUT | CSF_FLAG_COND) || b->rule & CSF_RULE_EACH)
		return false;
	return b->pub.isa != CSF_T32 || (b->pub.n_insn > IT_MOST && !it_of(image, v, &b->pub, &it));
}

/* ---------------------------------------------------------------- any code */

/* The place for the block of @key in a block map.  NULL: it has none. */
static noinline uint32_t *entry_of(struct csf_image *image, struct block_key key)
{
	return image->block_maps.begun ? block_map_find(image, &key) : NULL;
}

/* A cell for an entry with @hash, after making more cells.  NULL: no memory. */
static uint32_t *another_cell(struct block_table *t, uint32_t hash)
{
	uint32_t i = hash;

	if (!cells_grow(&t->cells, t, hash_of_block))
		return NULL;
	while (t->cells.cell[i & t->cells.mask])
		i++;
	return &t->cells.cell[i & t->cells.mask];
}

/* Makes the next block visible to all threads.  Returns its number. */
static __always_inline uint32_t publish(struct csf_image *image)
{
	struct block_table *t = &image->blocks;
	const uint32_t n = t->n;

	__atomic_store_n(&t->n, n + 1, __ATOMIC_RELEASE);
	if (unlikely(n + 1 >= image->block_maps.from && !image->block_maps.begun))
		block_map_begin(image);
	return n;
}

/* Makes the block of @key and enters it at @entry, or else into @cell, by @hash.  As block_at(). */
static int64_t make(struct csf_image *image, const struct block_key *key, uint32_t *entry,
		    uint32_t *cell, uint32_t hash)
{
	const struct mapping *v = &image->mappings.mapping[key->mapping];
	struct block_table *t = &image->blocks;
	struct block *b = &t->block[t->n];
	int ret;

	if (key->offset < v->from || key->offset >= v->to)
		return 0;
	if (t->n == t->max)
		return CSF_ERR_MEMORY;
	image->missed |= image->quiet && image->classify;
	if (image->missed)
		return 0;
	if (t->n == t->n_paged && !page_in(t))
		return CSF_ERR_MEMORY;
	ret = decode(image, key, &b->pub);
	if (ret <= 0)
		return ret;
	if (image->missed)
		return 0;
	b->mapping = key->mapping;
	b->version = image->section[v->section].version;
	b->cut = key->cut;
	b->rule = key->rule;
	b->slow = slow_of_block(&b->pub, v);
	b->hash = hash;
	t->succ[t->n << 1] = is_sure(image, v, b) ? SUCC_NEVER : 0;
	t->succ[t->n << 1 | 1] = block_succ_slow(b->slow);
	if (entry) {
		block_map_put(entry, b, t->n);
		return publish(image);
	}
	if (!cells_has_room(&t->cells, t->n_cells + 1))
		cell = another_cell(t, hash);
	if (!cell)
		return CSF_ERR_MEMORY;
	cells_put(cell, hash, t->n);
	t->n_cells++;
	return publish(image);
}

static noinline int64_t find_any(struct csf_image *image, const struct block_key *key)
{
	const uint32_t section = image->mappings.mapping[key->mapping].section;
	const uint32_t version = image->section[section].version;
	uint32_t *entry = entry_of(image, *key), *cell, hash;

	if (entry)
		return *entry ? *entry & SUCC_BLOCK : make(image, key, entry, NULL, 0);
	hash = hash_of(key, version);
	cell = slot(&image->blocks, key, version, hash);
	return *cell ? *cell & CELL_NUMBER : make(image, key, NULL, cell, hash);
}

/* ---------------------------------------------------------------- nearly all code */

/*
 * Fills in the next block, of @key: A64 code in memory, without a classifier of the caller.
 * Returns false if the first instruction that takes an atom is not well before the end of the code.
 */
static __always_inline bool fill_a64(struct csf_image *image, const struct block_key *key,
				     const struct mapping *v, const struct section *s,
				     uint32_t hash)
{
	const uint64_t end = v->to < s->n_code ? v->to : s->n_code;
	const int64_t left = end - key->offset;
	struct block_table *t = &image->blocks;
	struct block *b = &t->block[t->n];
	struct csf_insn insn;
	uint32_t size;

	if (unlikely((int64_t)key->offset < (int64_t)v->from || left < INSN_GROUP))
		return false;
	size = insn_size_a64(&image->filter, s->code + key->offset, left < 4 * BLOCK_INSN_MAX ?
			     left : 4 * BLOCK_INSN_MAX, key->offset, key->rule, &insn);
	if (unlikely(!size))
		return false;
	b->pub.offset = key->offset;
	b->pub.target = insn.target;
	b->pub.section = v->section;
	b->pub.size = size;
	b->pub.n_insn = size / 4;
	b->pub.kind = insn.kind;
	b->pub.flags = insn.flags;
	b->pub.last_size = 4;
	b->pub.isa = CSF_A64;
	b->pub.target_isa = CSF_A64;
	b->mapping = key->mapping;
	b->version = s->version;
	b->cut = 0;
	b->rule = key->rule;
	b->slow = slow_of(v, insn.kind, insn.flags, insn.target);
	b->hash = hash;
	t->succ[t->n << 1] = block_succ_passed(insn.flags);
	t->succ[t->n << 1 | 1] = block_succ_slow(b->slow);
	return true;
}

/* The target of the new block's branch is often looked up next. */
static __always_inline void prefetch_block_map(const struct mapping *v, const struct block *b)
{
	if ((uint64_t)b->pub.target - v->from < v->to - v->from)
		__builtin_prefetch(&v->block_map.number[(b->pub.target - v->from) / 4]);
}

/*
 * As find_any().  Also returns 0 if there is no room, or the block takes no atom, or anything else
 * is special.  The key stays in registers: no function is called that needs it in memory.
 */
static __always_inline uint32_t find_a64(struct csf_image *image, const struct block_key *key)
{
	const struct mapping *v = &image->mappings.mapping[key->mapping];
	const struct section *s = &image->section[v->section];
	struct block_table *t = &image->blocks;
	uint32_t *entry = NULL, *cell = NULL, hash = 0, number;

	if (unlikely(!s->code || image->classify ||
		     key->rule & (CSF_RULE_LOAD | CSF_RULE_STORE)))
		return 0;
	if (unlikely(image->block_maps.begun))
		entry = entry_of(image, *key);
	if (unlikely(entry)) {
		number = *entry & SUCC_BLOCK;
	} else {
		hash = hash_of(key, s->version);
		cell = slot(t, key, s->version, hash);
		number = *cell & CELL_NUMBER;
	}
	if (number)
		return likely(!(t->block[number].slow & BLOCK_CUT)) ? number : 0;
	number = t->n;
	if (unlikely(number == t->n_paged ||
		     (!entry && !cells_has_room(&t->cells, t->n_cells + 1)) ||
		     !fill_a64(image, key, v, s, hash)))
		return 0;
	if (unlikely(entry)) {
		block_map_put(entry, &t->block[number], number);
		prefetch_block_map(v, &t->block[number]);
	} else {
		cells_put(cell, hash, number);
		t->n_cells++;
	}
	return publish(image);
}

int64_t block_at(struct csf_image *image, const struct block_key *key)
{
	const struct block_key plain = {
		.offset = key->offset, .mapping = key->mapping, .isa = CSF_A64, .rule = key->rule,
	};
	uint32_t number = 0;

	if (likely(key->isa == CSF_A64 && !key->cut))
		number = find_a64(image, &plain);
	return likely(number) ? number : find_any(image, key);
}

/* Finds where execution goes on without a branch, which would be mispredicted. */
uint32_t block_behind(struct csf_image *image, uint32_t step, uint32_t rule)
{
	struct block_table *t = &image->blocks;
	const struct block *from = &t->block[step >> 1];
	const uint64_t branch = -(uint64_t)(step & (from->pub.kind == CSF_INSN_BRANCH));
	const uint64_t behind = from->pub.offset + from->pub.size;
	const struct block_key key = {
		.offset = behind ^ ((behind ^ from->pub.target) & branch),
		.mapping = from->mapping, .isa = CSF_A64, .rule = rule,
	};
	uint32_t *const link = &t->succ[step], number;

	if (unlikely(from->pub.isa != CSF_A64))
		return 0;
	number = find_a64(image, &key);
	if (likely(number))
		__atomic_store_n(link, number | (load_link(link) & ~SUCC_BLOCK), __ATOMIC_RELEASE);
	return number;
}

int block_opcode(struct csf_image *image, const struct csf_block *b, uint32_t at,
		 uint32_t *opcode)
{
	const struct mapping all = { .to = SECTION_MAX, .section = b->section };
	int size;

	lock_take(&image->lock);
	size = fetch(image, &all, b->offset + at, b->isa, opcode);
	lock_release(&image->lock);
	return size;
}

unsigned int block_insn_size(struct csf_image *image, const struct csf_block *b, uint32_t at)
{
	uint32_t opcode;

	return block_opcode(image, b, at, &opcode) == 2 ? 2 : 4;
}

bool block_it(struct csf_image *image, const struct csf_block *b, uint8_t *it)
{
	const struct mapping all = { .to = SECTION_MAX, .section = b->section };
	bool in;

	lock_take(&image->lock);
	in = it_of(image, &all, b, it);
	lock_release(&image->lock);
	return in;
}

void block_unlink(struct csf_image *image, uint32_t section)
{
	struct block_table *t = &image->blocks;

	for (uint32_t i = 1; i < t->n; i++) {
		if (t->block[i].pub.section != section)
			continue;
		block_map_forget(image, &t->block[i]);
		__atomic_store_n(&t->succ[i << 1], load_link(&t->succ[i << 1]) & ~SUCC_BLOCK,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&t->succ[i << 1 | 1], block_succ_slow(t->block[i].slow),
				 __ATOMIC_RELAXED);
	}
}
