// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "branch-parse.h"

#define UNKNOWN	"an unknown field"

/* Of simpleperf's longest names, PATH_MAX. */
#define PATH_ROOM	4096

/**
 * struct parse - a list that is being read
 * @at: the current field, or the damaged one
 * @moved: addresses of the current file differ from those of the file
 */
struct parse {
	const struct branch_list *list;
	const struct branch_stream *stream;
	const struct branch_parse *take;
	struct branch_list_problem *problem;
	const uint8_t *at;
};

/* For compressed input, only the position of unpacking is known. */
static size_t offset_of(const struct parse *p, const uint8_t *at)
{
	const uint8_t *start = p->list->bytes;

	return p->stream->packed || !at ? p->stream->in.pos : (size_t)(at - start);
}

/* The current field is not understood. */
static void odd(struct parse *p, const char *what)
{
	if (p->problem->n_odd++)
		return;
	p->problem->odd = offset_of(p, p->at);
	p->problem->what = what;
}

static int next(struct parse *p, struct protobuf *m, struct protobuf_field *f)
{
	p->at = m->at;
	return protobuf_next(m, f);
}

/* Atoms that no run of so many bytes has: what is not of the run is 0. */
static bool exact(const struct protobuf *bits, uint64_t n)
{
	return n / 8 + !!(n & 7) == protobuf_size(bits) &&
	       (!(n & 7) || !(bits->end[-1] >> (n & 7)));
}

static int read_branch(struct parse *p, struct protobuf m, uint64_t addr)
{
	struct branch_list_run run = { .addr = addr };
	struct protobuf bits = { NULL, NULL };
	const uint8_t *const start = m.at;
	struct protobuf_field f;
	int err;

	while ((err = next(p, &m, &f)) > 0) {
		if (f.number == BRANCH_BITS && f.bytes.at)
			bits = f.bytes;
		else if (f.number == BRANCH_SIZE && !f.bytes.at)
			run.n = f.value;
		else if (f.number == BRANCH_COUNT && !f.bytes.at)
			run.count = f.value;
		else
			odd(p, UNKNOWN);
	}
	if (err || run.n / 8 + !!(run.n & 7) > protobuf_size(&bits))
		return -EBADMSG;
	run.bits = bits.at;
	run.exact = exact(&bits, run.n);
	p->at = start;
	return p->take->run(p->take->owner, &run);
}

static int read_addr(struct parse *p, struct protobuf m)
{
	struct protobuf again = m;
	struct protobuf_field f;
	uint64_t addr = 0;
	int err;

	while ((err = next(p, &again, &f)) > 0) {
		if (f.number == ADDR_ADDR && !f.bytes.at)
			addr = f.value;
		else if (f.number != ADDR_BRANCH || !f.bytes.at)
			odd(p, UNKNOWN);
	}
	while (!err && (err = next(p, &m, &f)) > 0) {
		if (f.number == ADDR_BRANCH && f.bytes.at)
			err = read_branch(p, f.bytes, addr);
		else
			err = 0;
	}
	return err;
}

/* ---------------------------------------------------------------- files */

static int digit(uint8_t c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* A build-id in hexadecimal, as many bytes as it has digits for; 0: it is invalid. */
static size_t read_build_id(struct parse *p, const struct protobuf *text,
			    uint8_t id[ELF_BUILD_ID_MAX])
{
	size_t n = protobuf_size(text) / 2;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *c = text->at + 2 * i;

		if (i == ELF_BUILD_ID_MAX || !isxdigit(c[0]) || !isxdigit(c[1])) {
			p->at = text->at;
			odd(p, "an invalid build-id");
			return 0;
		}
		id[i] = digit(c[0]) << 4 | digit(c[1]);
	}
	while (n && !id[n - 1])
		n--;
	return n;
}

/* Return: 0: not given; or -EBADMSG. */
static int read_kernel(struct parse *p, struct protobuf m, bool *moved)
{
	struct protobuf_field f;
	int err;

	while ((err = next(p, &m, &f)) > 0) {
		if (f.number == KERNEL_START && !f.bytes.at)
			*moved = f.value;
		else
			odd(p, UNKNOWN);
	}
	return err;
}

/* Reads its head, before its addresses.  Return: 0; -EBADMSG. */
static int read_head(struct parse *p, struct protobuf m, struct branch_list_file *file,
		     struct protobuf *path, struct protobuf *id)
{
	struct protobuf_field f;
	uint64_t type = 0;
	int err;

	while ((err = next(p, &m, &f)) > 0) {
		if (f.number == BINARY_PATH && f.bytes.at)
			*path = f.bytes;
		else if (f.number == BINARY_BUILD_ID && f.bytes.at)
			*id = f.bytes;
		else if (f.number == BINARY_TYPE && !f.bytes.at && f.value <= 2)
			type = f.value;
		else if (f.number == BINARY_TYPE)
			odd(p, "an unknown kind of file");
		else if (f.number == BINARY_KERNEL && f.bytes.at)
			err = read_kernel(p, f.bytes, &file->moved);
		else if (f.number != BINARY_ADDR || !f.bytes.at)
			odd(p, UNKNOWN);
		if (err < 0)
			return err;
	}
	file->key.kind = type == 1 ? DSO_KERNEL : type == 2 ? DSO_MODULE : DSO_FILE;
	file->moved &= file->key.kind == DSO_KERNEL;
	return err || protobuf_size(path) > PATH_ROOM ? -EBADMSG : 0;
}

static int read_binary(struct parse *p, struct protobuf m)
{
	struct protobuf path = { NULL, NULL }, id = path;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	struct branch_list_file file = { .key = { .build_id = build_id } };
	char name[PATH_ROOM + 1] = "";
	struct protobuf_field f;
	int err = read_head(p, m, &file, &path, &id);

	if (err)
		return err;
	if (path.at)
		memcpy(name, path.at, protobuf_size(&path));
	name[protobuf_size(&path)] = 0;
	file.key.name = name;
	file.key.n_build_id = read_build_id(p, &id, build_id);
	err = p->take->file(p->take->owner, &file);
	while (!err && (err = next(p, &m, &f)) > 0) {
		if (f.number == BINARY_ADDR && f.bytes.at)
			err = read_addr(p, f.bytes);
		else
			err = 0;
	}
	return err;
}

static int read_message(struct parse *p, struct protobuf m)
{
	struct protobuf_field f;
	int err = 0;

	while (!err && (err = next(p, &m, &f)) > 0) {
		if (f.number != LIST_MAGIC && f.number != LIST_BINARY)
			odd(p, UNKNOWN);
		if (f.number == LIST_BINARY && f.bytes.at)
			err = read_binary(p, f.bytes);
		else
			err = 0;
	}
	return err;
}

int branch_parse(struct branch_stream *stream, const struct branch_list *list,
		 const struct branch_parse *take, struct branch_list_problem *problem)
{
	struct parse p = { .list = list, .stream = stream, .take = take, .problem = problem };
	struct protobuf m;
	int err;

	*problem = (struct branch_list_problem){ .why = "a branch list that is damaged" };
	err = branch_stream_init(stream, list->bytes, list->n);
	while (!err && (err = branch_stream_next(stream, &m)) > 0) {
		err = take->message ? take->message(take->owner, &m) : 0;
		if (!err)
			err = read_message(&p, m);
	}
	if (stream->why)
		problem->why = stream->why;
	problem->offset = stream->why ? stream->at : offset_of(&p, p.at);
	return err;
}
