// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simpleperf's branch list: each block with the one atom behind it.  Blocks that an exception cut
 * have none, and no place there.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "branch-list.h"
#include "profile.h"
#include "protobuf.h"

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
	/* what is no branch takes an E, and goes on */
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

int profile_branch_list(const struct profile *p)
{
	const struct count_dso *d = &p->table->dso[p->dso];
	struct proto head = { .n = 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	f = open_memstream(&text, &n);
	if (!f)
		return -ENOMEM;
	put_name(d, f);
	for (size_t i = 0; i < d->n_block; i++)
		if (!(d->block[i].flags & CSF_FLAG_CUT) && d->block[i].flags & CSF_FLAG_P0)
			put_block(p, &d->block[i], f);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	proto_text(&head, LIST_MAGIC, BRANCH_LIST_MAGIC);
	/* the file may be longer than a message here */
	proto_raw(&head, LIST_BINARY << 3 | PROTO_BYTES);
	proto_raw(&head, n);
	fwrite(head.bytes, 1, head.n, p->f);
	fwrite(text, 1, n, p->f);
	free(text);
	return 0;
}
