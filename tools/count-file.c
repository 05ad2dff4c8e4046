// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "count-file.h"

bool count_file_is(const void *bytes, size_t n)
{
	return n >= COUNT_HEADER && !memcmp(bytes, COUNT_MAGIC, 8);
}

/* Differences of either sign as small numbers. */
static uint64_t fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static uint64_t unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

static uint32_t crc_of(const uint8_t *p, size_t n)
{
	return crc32_z(crc32_z(0, NULL, 0), p, n);
}

/* ---------------------------------------------------------------- writing */

/* Bytes that grow; with @err set nothing is added. */
struct buffer {
	uint8_t *p;
	size_t n, size;
	int err;
};

static void put_bytes(struct buffer *b, const void *bytes, size_t n)
{
	if (b->n + n > b->size && !b->err) {
		size_t size = 2 * (b->n + n) + 4096;
		uint8_t *p = realloc(b->p, size);

		if (p) {
			b->p = p;
			b->size = size;
		} else {
			b->err = -ENOMEM;
		}
	}
	if (b->err || !n)
		return;
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
}

static void put(struct buffer *b, uint64_t v)
{
	uint8_t byte[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		byte[n++] = v | 0x80;
	byte[n++] = v;
	put_bytes(b, byte, n);
}

static void put_u32(struct buffer *b, uint32_t v)
{
	const uint8_t byte[4] = { v, v >> 8, v >> 16, v >> 24 };

	put_bytes(b, byte, 4);
}

static void put_blocks(struct buffer *b, const struct count_dso *dso)
{
	uint64_t last = 0;

	put(b, dso->n_block);
	for (size_t i = 0; i < dso->n_block; i++) {
		const struct count_block *k = &dso->block[i];

		put(b, k->start - last);
		last = k->start;
		put(b, k->size);
		put(b, k->n_insn);
		put(b, k->isa | k->kind << 2 | (k->last_size == 4) << 6 | k->direct << 7);
		put(b, k->flags);
		if (k->direct)
			put(b, fold(k->target - k->start));
		put(b, k->taken);
		put(b, k->passed);
	}
}

static void put_edges(struct buffer *b, const struct count_dso *dso)
{
	uint64_t last = 0;

	put(b, dso->n_edge);
	for (size_t i = 0; i < dso->n_edge; i++) {
		const struct count_edge *e = &dso->edge[i];

		put(b, e->from - last);
		last = e->from;
		put(b, e->dso == COUNT_OUTSIDE ? 0 : (uint64_t)e->dso + 1);
		put(b, fold(e->to - e->from));
		put(b, e->count);
	}
}

static void put_dso(struct buffer *b, const struct count_dso *dso)
{
	size_t n = strnlen(dso->name, COUNT_NAME_MAX);

	put(b, dso->kind);
	put(b, dso->n_build_id);
	put_bytes(b, dso->build_id, dso->n_build_id);
	put(b, n);
	put_bytes(b, dso->name, n);
	put(b, dso->lost);
	put_blocks(b, dso);
	put_edges(b, dso);
}

int count_file_write(const struct count_table *table, FILE *f)
{
	struct buffer head = { 0 }, b = { 0 };
	int err;

	put(&b, COUNT_STAT_NR);
	for (int i = 0; i < COUNT_STAT_NR; i++)
		put(&b, table->stat[i]);
	put(&b, table->n);
	for (size_t i = 0; i < table->n; i++)
		put_dso(&b, &table->dso[i]);
	put_bytes(&head, COUNT_MAGIC, 8);
	put_u32(&head, COUNT_VERSION);
	put_u32(&head, b.err ? 0 : crc_of(b.p, b.n));
	err = b.err ? b.err : head.err;
	if (!err && (fwrite(head.p, 1, head.n, f) != head.n || fwrite(b.p, 1, b.n, f) != b.n))
		err = errno ? -errno : -EIO;
	free(head.p);
	free(b.p);
	return err;
}

/* ---------------------------------------------------------------- reading */

/* What is left of the file; @why: what is wrong with it, and no more is taken. */
struct reader {
	const uint8_t *p, *end;
	const char *why;
};

static void wrong(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	r->p = r->end;
}

static uint64_t take(struct reader *r)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		if (r->p == r->end) {
			wrong(r, "it ends too early");
			return 0;
		}
		byte = *r->p++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	wrong(r, "a number has more than 64 bits");
	return 0;
}

/* A number that is at most @max. */
static uint64_t take_max(struct reader *r, uint64_t max, const char *what)
{
	uint64_t v = take(r);

	if (v <= max)
		return v;
	wrong(r, what);
	return 0;
}

static const uint8_t *take_bytes(struct reader *r, size_t n)
{
	const uint8_t *p = r->p;

	if (n > (size_t)(r->end - r->p)) {
		wrong(r, "it ends too early");
		return NULL;
	}
	r->p += n;
	return p;
}

static void take_block(struct reader *r, struct count_block *b, uint64_t last)
{
	uint64_t bits;

	*b = (struct count_block){ .start = last + take(r) };
	b->size = take_max(r, COUNT_SIZE_MAX, "a block is too long");
	b->n_insn = take_max(r, COUNT_SIZE_MAX / 2, "a block has too many instructions");
	bits = take_max(r, 0xff, "an unknown kind of block");
	b->flags = take_max(r, 0xff, "unknown flags of a block");
	b->isa = bits & 3;
	b->kind = bits >> 2 & 15;
	b->last_size = bits & 0x40 ? 4 : 2;
	b->direct = bits >> 7;
	if (b->direct)
		b->target = b->start + unfold(take(r));
	b->taken = take(r);
	b->passed = take(r);
	if (b->start < last || b->start + b->size < b->start || b->size < b->last_size)
		wrong(r, "a block that cannot be");
	if (b->isa > CSF_T32 || b->kind > CSF_INSN_EXCEPTION || !b->n_insn ||
	    2u * b->n_insn > b->size)
		wrong(r, "a block that cannot be");
}

static int take_blocks(struct reader *r, struct count_dso *dso)
{
	uint64_t n = take(r), last = 0;
	struct count_block b;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		take_block(r, &b, last);
		last = b.start;
		if (!r->why && count_block_add(dso, &b))
			return -ENOMEM;
	}
	return 0;
}

static int take_edges(struct reader *r, struct count_dso *dso, uint64_t n_dso)
{
	uint64_t n = take(r), last = 0;

	for (uint64_t i = 0; i < n && !r->why; i++) {
		struct count_edge e = { .from = last + take(r) };

		if (e.from < last)
			wrong(r, "a branch that cannot be");
		last = e.from;
		e.dso = (uint32_t)take_max(r, n_dso, "a branch to a file that is not there") - 1;
		e.to = e.from + unfold(take(r));
		e.count = take(r);
		if (!r->why && count_edge_add(dso, &e))
			return -ENOMEM;
	}
	return 0;
}

static int take_dso(struct reader *r, struct count_table *table, uint64_t n_dso)
{
	struct dso_key key = { .kind = take_max(r, DSO_SYMBOL, "an unknown kind of file") };
	const uint8_t *name;
	size_t n_name;
	char *copy;
	long dso;

	key.n_build_id = take_max(r, ELF_BUILD_ID_MAX, "a build-id is too long");
	key.build_id = take_bytes(r, key.n_build_id);
	n_name = take_max(r, COUNT_NAME_MAX, "a name is too long");
	name = take_bytes(r, n_name);
	if (r->why)
		return 0;
	copy = strndup((const char *)name, n_name);
	if (!copy)
		return -ENOMEM;
	key.name = copy;
	dso = count_dso_add(table, &key);
	free(copy);
	if (dso < 0)
		return -ENOMEM;
	table->dso[dso].lost = take(r);
	return take_blocks(r, &table->dso[dso]) ||
	       take_edges(r, &table->dso[dso], n_dso) ? -ENOMEM : 0;
}

static int take_table(struct reader *r, struct count_table *table)
{
	uint64_t n = take(r), n_dso;
	int err = 0;

	/* Another version of the same format may know more of them. */
	for (uint64_t i = 0; i < n && !r->why; i++) {
		uint64_t v = take(r);

		if (i < COUNT_STAT_NR)
			table->stat[i] = v;
	}
	n_dso = take_max(r, UINT32_MAX - 1, "too many files");
	for (uint64_t i = 0; i < n_dso && !r->why && !err; i++)
		err = take_dso(r, table, n_dso);
	if (!err && r->p != r->end)
		wrong(r, "something is behind its end");
	return err;
}

int count_file_read(struct count_table *table, const void *bytes, size_t n, const char **why)
{
	const uint8_t *p = bytes;
	struct reader r = { .p = p + COUNT_HEADER, .end = p + n };
	int err = 0;

	*why = NULL;
	if (!count_file_is(bytes, n))
		*why = "it is no count table";
	else if ((p[8] | p[9] << 8 | p[10] << 16 | (uint32_t)p[11] << 24) != COUNT_VERSION)
		*why = "a count table of another version";
	else if ((p[12] | p[13] << 8 | p[14] << 16 | (uint32_t)p[15] << 24) !=
		 crc_of(p + COUNT_HEADER, n - COUNT_HEADER))
		*why = "its checksum is wrong: it is damaged, or not all there";
	if (*why)
		return -EBADMSG;
	err = take_table(&r, table);
	*why = r.why;
	return err ? err : r.why ? -EBADMSG : 0;
}
