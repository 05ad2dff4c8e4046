// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <sys/mman.h>

#include "block.h"
#include "image.h"

/* Address space only; pages come as blocks do. */
static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int block_table_init(struct block_table *t)
{
	*t = (struct block_table){ .n = 1, .hash_mask = 0xffff };
	t->succ = reserve(2ull * BLOCK_MAX * sizeof(*t->succ));
	t->block = reserve(BLOCK_MAX * sizeof(*t->block));
	t->key = reserve(BLOCK_MAX * sizeof(*t->key));
	t->hash = calloc(t->hash_mask + 1, sizeof(*t->hash));
	if (t->succ && t->block && t->key && t->hash)
		return 0;
	block_table_fini(t);
	return CSF_ERR_MEMORY;
}

void block_table_fini(struct block_table *t)
{
	if (t->succ)
		munmap(t->succ, 2ull * BLOCK_MAX * sizeof(*t->succ));
	if (t->block)
		munmap(t->block, BLOCK_MAX * sizeof(*t->block));
	if (t->key)
		munmap(t->key, BLOCK_MAX * sizeof(*t->key));
	free(t->hash);
}

static bool same(const struct block_key *a, const struct block_key *b)
{
	return a->offset == b->offset && a->view == b->view && a->version == b->version &&
	       a->cut == b->cut && a->isa == b->isa && a->rule == b->rule;
}

static uint32_t hash_of(const struct block_key *key)
{
	uint64_t h = (key->offset >> 1) ^ (uint64_t)key->view << 40 ^ (uint64_t)key->cut << 32;

	h = (h + key->version) * 0x9e3779b97f4a7c15ull;
	return h >> 32;
}

static uint32_t *slot(const struct block_table *t, const struct block_key *key)
{
	uint32_t i = hash_of(key) & t->hash_mask;

	while (t->hash[i] && !same(&t->key[t->hash[i]], key))
		i = (i + 1) & t->hash_mask;
	return &t->hash[i];
}

static bool grow_hash(struct block_table *t)
{
	uint32_t mask = t->hash_mask * 2 + 1;
	uint32_t *hash = calloc(mask + 1ul, sizeof(*hash));

	if (!hash)
		return false;
	free(t->hash);
	t->hash = hash;
	t->hash_mask = mask;
	for (uint32_t i = 1; i < t->n; i++)
		*slot(t, &t->key[i]) = i;
	return true;
}

/* The opcode at @offset.  Returns its size, 0 if there is not all of it, < 0: no memory. */
static int fetch(struct csf_image *image, const struct view *v, uint64_t offset,
		 enum csf_isa isa, uint32_t *opcode)
{
	const uint8_t *p;
	size_t n = view_at(image, v, offset, &p);

	if (!p)
		return CSF_ERR_MEMORY;
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

/* Targets of AArch32 are modulo 2^32; as an offset, those in front of the section are negative. */
static int64_t target_offset(const struct csf_insn *insn, enum csf_isa isa, uint64_t n)
{
	if (isa != CSF_A64 && insn->target >= n)
		return (int32_t)insn->target;
	return insn->target;
}

static void add_insn(struct csf_block *b, const struct csf_insn *insn)
{
	b->n_insn++;
	b->size += insn->size;
	b->last_size = insn->size;
	b->kind = insn->kind;
	b->flags = insn->flags;
	b->target_isa = insn->target_isa;
}

/* Returns 1 if there is a block of at least one instruction, 0 if not, < 0: no memory. */
static int decode(struct csf_image *image, const struct block_key *key, struct csf_block *b)
{
	const struct view *v = &image->views.view[key->view];
	unsigned int max = key->cut ? key->cut : BLOCK_INSN_MAX;
	struct csf_insn insn;
	uint32_t opcode;
	int size;

	*b = (struct csf_block){
		.offset = key->offset, .section = v->section, .isa = key->isa,
	};
	while (b->n_insn < max) {
		uint64_t at = key->offset + b->size;

		size = fetch(image, v, at, key->isa, &opcode);
		if (size < 0)
			return size;
		if (!size)
			break;
		image->classify(image->classify_context, &insn, opcode, at, key->isa, key->rule);
		insn.size = size;	/* whatever a classifier says */
		add_insn(b, &insn);
		b->target = target_offset(&insn, key->isa, image->section[v->section].n);
		if (insn.flags & CSF_FLAG_P0 && !key->cut)
			return 1;
	}
	b->flags = (b->flags & ~CSF_FLAG_P0) | CSF_FLAG_CUT;
	return b->n_insn > 0;
}

static uint8_t odd_of(const struct csf_block *b)
{
	if (b->flags & CSF_FLAG_CUT)
		return BLOCK_CUT;
	return (b->kind == CSF_INSN_INDIRECT ? BLOCK_INDIRECT : 0) |
	       (b->flags & CSF_FLAG_LINK ? BLOCK_LINK : 0);
}

static int64_t add(struct csf_image *image, const struct block_key *key)
{
	struct block_table *t = &image->blocks;
	struct csf_block b;
	int ret = decode(image, key, &b);

	if (ret <= 0)
		return ret;
	if (t->n == BLOCK_MAX || (t->n > t->hash_mask / 2 && !grow_hash(t)))
		return CSF_ERR_MEMORY;
	t->block[t->n] = (struct block){ .pub = b, .odd = odd_of(&b) };
	t->key[t->n] = *key;
	*slot(t, key) = t->n;
	return t->n++;
}

int64_t block_at(struct csf_image *image, const struct block_key *key)
{
	struct block_key full = *key;
	int64_t number;

	pthread_mutex_lock(&image->lock);
	full.version = image->section[image->views.view[key->view].section].version;
	number = *slot(&image->blocks, &full);
	if (!number)
		number = add(image, &full);
	pthread_mutex_unlock(&image->lock);
	return number;
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

void block_unlink(struct block_table *t, uint32_t section)
{
	for (uint32_t i = 1; i < t->n; i++)
		if (t->block[i].pub.section == section)
			memset(&t->succ[2 * i], 0, 2 * sizeof(*t->succ));
}
