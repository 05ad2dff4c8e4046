// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simpleperf's branch list: each block with the one atom after it.  Blocks that an exception cut
 * have no atom, and are left out.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "branch-list.h"
#include "branch-stream.h"
#include "profile.h"
#include "../lib/protobuf.h"

static void put_branch(struct proto *addr, uint8_t bit, uint64_t count)
{
	struct proto branch;

	branch.n = 0;
	proto_bytes(&branch, BRANCH_BITS, &bit, 1);
	proto_number(&branch, BRANCH_SIZE, 1);
	proto_number(&branch, BRANCH_COUNT, count);
	proto_message(addr, ADDR_BRANCH, &branch);
}

static void put_block(const struct profile *p, const struct count_block *b, FILE *f)
{
	/* instructions other than branches take an E, and go on */
	const uint64_t n = count_branches(b) ? b->passed : 0;
	const uint64_t e = count_branches(b) ? b->taken : b->passed;
	struct proto addr, message;

	addr.n = 0;
	message.n = 0;
	proto_number(&addr, ADDR_ADDR, profile_address(p, b->start) | (b->isa == CSF_T32));
	if (n)
		put_branch(&addr, 0, n);
	if (e)
		put_branch(&addr, 1, e);
	proto_message(&message, BINARY_ADDR, &addr);
	fwrite(message.bytes, 1, message.n, f);
}

static void put_name(const struct count_dso *d, FILE *f)
{
	char id[2 * ELF_BUILD_ID_MAX + 1];
	struct proto message = { .n = 0 };

	/* theirs have 20 bytes, zeros at the end included */
	for (size_t i = 0; i < ELF_BUILD_ID_MAX; i++)
		snprintf(&id[2 * i], 3, "%02x", i < d->n_build_id ? d->build_id[i] : 0);
	proto_bytes(&message, BINARY_PATH, d->name, strnlen(d->name, PATH_MAX));
	if (d->n_build_id)
		proto_text(&message, BINARY_BUILD_ID, id);
	proto_number(&message, BINARY_TYPE, d->kind == DSO_KERNEL);
	fwrite(message.bytes, 1, message.n, f);
}

/* The approximate length of a message, if there can be several. */
#define MESSAGE_MAX	(1u << 20)

/**
 * struct writing - messages
 * @f: to write to; @whole: everything is in one, for version 0
 * @i: the next block
 */
struct writing {
	const struct profile *p;
	FILE *f;
	bool whole;
	size_t i;
};

/* Makes the file's message, with blocks from @w->i on.  Return: the bytes; NULL: no memory. */
static char *make_binary(struct writing *w, size_t *n)
{
	const struct count_dso *d = &w->p->table->dso[w->p->dso];
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	if (!f)
		return NULL;
	put_name(d, f);
	for (; w->i < d->n_block && (w->whole || ftell(f) < MESSAGE_MAX); w->i++) {
		const struct count_block *b = &d->block[w->i];

		if (!(b->flags & CSF_FLAG_CUT) && b->flags & CSF_FLAG_P0)
			put_block(w->p, b, f);
	}
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static int put_message(struct writing *w)
{
	struct proto head = { .n = 0 };
	uint8_t size[4];
	size_t n = 0;
	char *text = make_binary(w, &n);

	if (!text)
		return -ENOMEM;
	if (w->whole)
		proto_text(&head, LIST_MAGIC, BRANCH_STREAM_MAGIC);
	/* the file may be longer than this message */
	proto_raw(&head, LIST_BINARY << 3 | PROTO_BYTES);
	proto_raw(&head, n);
	for (int i = 0; i < 4; i++)
		size[i] = (head.n + n) >> 8 * i;
	if (!w->whole)
		fwrite(size, 1, sizeof(size), w->f);
	fwrite(head.bytes, 1, head.n, w->f);
	fwrite(text, 1, n, w->f);
	free(text);
	return 0;
}

int profile_branch_list(const struct profile *p)
{
	struct writing w = { .p = p, .f = p->f, .whole = true };

	return put_message(&w);
}

static void put_head(FILE *f, bool packed)
{
	const uint8_t version[] = { 1, 0, 0, 0, packed };

	fputs(BRANCH_STREAM_MAGIC, f);
	fwrite(version, 1, sizeof(version), f);
}

static int put_messages(const struct profile *p, FILE *f)
{
	struct writing w = { .p = p, .f = f };
	int err;

	do {
		err = put_message(&w);
	} while (!err && w.i < p->table->dso[p->dso].n_block);
	return err;
}

int profile_branch_list_v1(const struct profile *p)
{
	put_head(p->f, false);
	return put_messages(p, p->f);
}

int profile_branch_list_zstd(const struct profile *p)
{
	char *text = NULL, *packed = NULL;
	size_t n = 0, room;
	FILE *f = open_memstream(&text, &n);
	int err = f ? put_messages(p, f) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	room = ZSTD_compressBound(n);
	packed = err ? NULL : malloc(room);
	room = packed ? ZSTD_compress(packed, room, text, n, ZSTD_CLEVEL_DEFAULT) : 0;
	if (!err && (!packed || ZSTD_isError(room)))
		err = -ENOMEM;
	if (!err) {
		put_head(p->f, true);
		fwrite(packed, 1, room, p->f);
	}
	free(packed);
	free(text);
	return err;
}
