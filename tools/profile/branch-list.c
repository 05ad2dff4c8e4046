// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "branch-list.h"
#include "branch-stream.h"
#include "../count/code-walk.h"
#include "../lib/protobuf.h"
#include "../input/unchecked.h"

/* Blocks of an atom run that are added before equal ones are joined. */
#define SETTLE	(1u << 20)

#define UNKNOWN	"an unknown field"

/**
 * struct walk - a walk through the code of a list's files
 * @code: the place in the code
 * @moved: addresses differ from those of the file
 * @at: the current field, or the damaged one
 */
struct walk {
	struct code_walk code;
	struct dso_table *dsos;
	const struct branch_list *list;
	const struct branch_stream *stream;
	struct branch_list_problem *problem;
	const uint8_t *at;
	bool moved;
};

/* For compressed input, only the position of unpacking is known. */
static size_t offset_of(const struct walk *w, const uint8_t *at)
{
	const uint8_t *start = w->list->bytes;

	return w->stream->zstd || !at ? w->stream->in.pos : (size_t)(at - start);
}

/* The current field is not understood. */
static void odd(struct walk *w, const char *what)
{
	if (w->problem->n_odd++)
		return;
	w->problem->odd = offset_of(w, w->at);
	w->problem->what = what;
}

static int next(struct walk *w, struct protobuf *m, struct protobuf_field *f)
{
	w->at = m->at;
	return protobuf_next(m, f);
}

/* Return: 0; -ENOENT: the atom run leads no further; -ENOMEM. */
static int walk_atom(struct walk *w, bool taken, uint64_t count)
{
	uint64_t *stat = w->code.table->stat;
	struct csf_insn insn;
	struct count_block b;
	int err = code_walk_block(&w->code, count, &b, &insn);

	if (err)
		return err;
	taken &= count_branches(&b);
	b.taken = taken ? count : 0;
	b.passed = taken ? 0 : count;
	code_walk_target(&w->code, &insn, &b);
	stat[COUNT_BLOCKS] = count_sum(stat[COUNT_BLOCKS], count);
	stat[COUNT_INSNS] = count_sum(stat[COUNT_INSNS], count_times(count, b.n_insn));
	err = count_block_add(&w->code.table->dso[w->code.dso], &b);
	if (err || !taken)
		return err;
	if (insn.kind == CSF_INSN_INDIRECT)
		w->code.elf = NULL;
	w->code.addr = insn.target;
	w->code.isa = insn.target_isa;
	return 0;
}

/* ---------------------------------------------------------------- messages */

static int read_branch(struct walk *w, struct protobuf m)
{
	const struct walk start = *w;
	struct protobuf bits = { NULL, NULL };
	uint64_t n = 0, count = 0, done = 0;
	struct protobuf_field f;
	int err;

	while ((err = next(w, &m, &f)) > 0) {
		if (f.number == BRANCH_BITS && f.bytes.at)
			bits = f.bytes;
		else if (f.number == BRANCH_SIZE && !f.bytes.at)
			n = f.value;
		else if (f.number == BRANCH_COUNT && !f.bytes.at)
			count = f.value;
		else
			odd(w, UNKNOWN);
	}
	if (err || n / 8 + !!(n & 7) > protobuf_size(&bits))
		return -EBADMSG;
	for (; done < n && w->code.elf && !err; done++) {
		err = walk_atom(w, bits.at[done / 8] >> (done & 7) & 1, count);
		if (err)
			break;
	}
	if (done < n) {
		uint64_t *lost = &w->code.table->stat[COUNT_LOST + CSF_GAP_IMAGE];

		n = count_times(n - done, count);
		*lost = count_sum(*lost, n);
		lost = &w->code.table->dso[w->code.dso].lost;
		*lost = count_sum(*lost, n);
	}
	*w = start;
	return err == -ENOENT ? 0 : err;
}

static int read_addr(struct walk *w, struct protobuf m)
{
	struct protobuf again = m;
	struct protobuf_field f;
	uint64_t addr = 0;
	int err;

	while ((err = next(w, &again, &f)) > 0) {
		if (f.number == ADDR_ADDR && !f.bytes.at)
			addr = f.value;
		else if (f.number != ADDR_BRANCH || !f.bytes.at)
			odd(w, UNKNOWN);
	}
	w->code.addr = addr & ~1ull;
	/* for A64 bit 0 is not part of an address */
	if (w->code.isa != CSF_A64)
		w->code.isa = addr & 1 ? CSF_T32 : CSF_A32;
	while (!err && (err = next(w, &m, &f)) > 0) {
		if (f.number == ADDR_BRANCH && f.bytes.at)
			err = read_branch(w, f.bytes);
		else
			err = 0;
	}
	if (!err && w->code.table->dso[w->code.dso].n_block > SETTLE)
		err = count_table_settle(w->code.table);
	return err;
}

/* ---------------------------------------------------------------- files */

/* A build-id in hexadecimal, as many bytes as it has digits for; 0: it is invalid. */
static size_t read_build_id(struct walk *w, const struct protobuf *text,
			    uint8_t id[ELF_BUILD_ID_MAX])
{
	size_t n = protobuf_size(text) / 2;
	unsigned int byte;

	for (size_t i = 0; i < n; i++) {
		char digits[3] = { text->at[2 * i], text->at[2 * i + 1] };

		if (i == ELF_BUILD_ID_MAX || !isxdigit((unsigned char)digits[0]) ||
		    !isxdigit((unsigned char)digits[1]) || sscanf(digits, "%2x", &byte) != 1) {
			w->at = text->at;
			odd(w, "an invalid build-id");
			return 0;
		}
		id[i] = byte;
	}
	while (n && !id[n - 1])
		n--;
	return n;
}

/* Opens its file.  Return: 0; -ENOMEM. */
static int open_binary(struct walk *w, const struct dso_key *key)
{
	struct dso *dso;
	long number = count_dso_add(w->code.table, key);

	w->code.elf = NULL;
	if (number < 0)
		return number;
	w->code.dso = number;
	if (w->code.kind == DSO_MODULE || w->moved)
		return 0;
	number = dso_add(w->dsos, key);
	if (number < 0)
		return number;
	dso = w->dsos->dso[number];
	if (!dso_load(w->dsos, dso) || !dso->elf->is_elf || dso->elf->is_module)
		return 0;
	w->code.elf = dso->elf;
	w->code.isa = code_walk_isa(w->code.elf);
	return 0;
}

/* Return: 0: not given; or -EBADMSG. */
static int read_kernel(struct walk *w, struct protobuf m)
{
	struct protobuf_field f;
	int err;

	while ((err = next(w, &m, &f)) > 0) {
		if (f.number == KERNEL_START && !f.bytes.at)
			w->moved = f.value;
		else
			odd(w, UNKNOWN);
	}
	return err;
}

/* Reads its head, before its addresses.  Return: 0; -EBADMSG. */
static int read_head(struct walk *w, struct protobuf m, struct protobuf *path, struct protobuf *id)
{
	struct protobuf_field f;
	uint64_t type = 0;
	int err;

	w->moved = false;
	while ((err = next(w, &m, &f)) > 0) {
		if (f.number == BINARY_PATH && f.bytes.at)
			*path = f.bytes;
		else if (f.number == BINARY_BUILD_ID && f.bytes.at)
			*id = f.bytes;
		else if (f.number == BINARY_TYPE && !f.bytes.at && f.value <= 2)
			type = f.value;
		else if (f.number == BINARY_TYPE)
			odd(w, "an unknown kind of file");
		else if (f.number == BINARY_KERNEL && f.bytes.at)
			err = read_kernel(w, f.bytes);
		else if (f.number != BINARY_ADDR || !f.bytes.at)
			odd(w, UNKNOWN);
		if (err < 0)
			return err;
	}
	w->code.kind = type == 1 ? DSO_KERNEL : type == 2 ? DSO_MODULE : DSO_FILE;
	w->moved &= w->code.kind == DSO_KERNEL;
	return err || protobuf_size(path) > 4096 ? -EBADMSG : 0;
}

static int read_binary(struct walk *w, struct protobuf m)
{
	struct protobuf path = { NULL, NULL }, id = path;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	struct dso_key key = { .build_id = build_id };
	struct protobuf_field f;
	char *name;
	int err = read_head(w, m, &path, &id);

	if (err)
		return err;
	name = strndup(path.at ? (const char *)path.at : "", protobuf_size(&path));
	if (!name)
		return -ENOMEM;
	key.name = name;
	key.kind = w->code.kind;
	key.n_build_id = read_build_id(w, &id, build_id);
	err = open_binary(w, &key);
	free(name);
	while (!err && (err = next(w, &m, &f)) > 0) {
		if (f.number == BINARY_ADDR && f.bytes.at)
			err = read_addr(w, f.bytes);
		else
			err = 0;
	}
	return err;
}

static int read_message(struct walk *w, struct protobuf m)
{
	struct protobuf_field f;
	int err = 0;

	while (!err && (err = next(w, &m, &f)) > 0) {
		if (f.number != LIST_MAGIC && f.number != LIST_BINARY)
			odd(w, UNKNOWN);
		if (f.number == LIST_BINARY && f.bytes.at)
			err = read_binary(w, f.bytes);
		else
			err = 0;
	}
	return err;
}

int branch_list_read(struct count_table *table, const struct branch_list *list,
		     const struct dso_options *options, struct branch_list_problem *problem)
{
	struct dso_table dsos = { 0 };
	struct branch_stream stream;
	struct walk w = { .code.table = table, .dsos = &dsos, .list = list, .stream = &stream,
			  .problem = problem };
	struct protobuf m;
	int err = dso_table_init(&dsos, options);

	*problem = (struct branch_list_problem){ .why = "a branch list that is damaged" };
	if (err)
		return -ENOMEM;
	table->stat[COUNT_RECORDINGS] = count_sum(table->stat[COUNT_RECORDINGS], 1);
	err = branch_stream_init(&stream, list->bytes, list->n);
	while (!err && (err = branch_stream_next(&stream, &m)) > 0)
		err = read_message(&w, m);
	if (stream.why)
		problem->why = stream.why;
	problem->offset = stream.why ? stream.at : offset_of(&w, w.at);
	branch_stream_fini(&stream);
	unchecked_tell(&dsos);
	dso_table_fini(&dsos);
	return err;
}
