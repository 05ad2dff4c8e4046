// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reader of the truth log.
 *
 * A cursor walks over the chunks of the file, reads those of its CPU, and the
 * definitions if no other cursor has read them: so each definition is read
 * once, and before its use.  Everything is checked here and nowhere else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth.h"

#define HEAD	8	/* bytes before a chunk: CPU, length */

/* The most blocks, and bytes of their code, to keep, because the input decides their number. */
#define BLOCKS_MAX	(1u << 26)
#define CODE_MAX	(1ull << 30)
#define ARENA		(1u << 16)

struct arena {
	struct arena *before;
	size_t n;
	uint8_t bytes[ARENA];
};

/**
 * struct truth_file - a log
 * @size: bytes when it was opened
 * @defs: offset up to which definitions are read
 * @block: by number, from 1; @n_block: the next number, 0 before the first
 */
struct truth_file {
	int fd;
	uint64_t size, defs, n_code;
	struct truth_block *block;
	size_t n_block, size_block;
	struct arena *code;
};

static uint32_t le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static int read_at(int fd, uint64_t offset, uint8_t *p, size_t n)
{
	while (n) {
		ssize_t got = pread(fd, p, n, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		p += got;
		offset += got;
		n -= got;
	}
	return 0;
}

/* ---------------------------------------------------------------- numbers */

/* Return: false: the bytes end inside it, or it has over 64 bits. */
static bool number(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	return leb128_get(p, end, v) == LEB128_GOOD;
}

static bool number32(const uint8_t **p, const uint8_t *end, uint32_t *v)
{
	uint64_t wide;

	if (!number(p, end, &wide) || wide > UINT32_MAX)
		return false;
	*v = wide;
	return true;
}

/* @n of them */
static bool numbers(const uint8_t **p, const uint8_t *end, uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!number(p, end, &v[i]))
			return false;
	return true;
}

static bool numbers32(const uint8_t **p, const uint8_t *end, uint32_t **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!number32(p, end, v[i]))
			return false;
	return true;
}

/* ---------------------------------------------------------------- open and close */

bool truth_is(const void *bytes, size_t n)
{
	return n >= 8 && !memcmp(bytes, TRUTH_MAGIC, 8);
}

int truth_open(struct truth_file **file, int fd)
{
	uint8_t head[TRUTH_HEADER];
	struct stat st;

	*file = NULL;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < TRUTH_HEADER || read_at(fd, 0, head, sizeof(head)) ||
	    !truth_is(head, sizeof(head)) || le32(head + 8) != TRUTH_VERSION)
		return -EINVAL;
	*file = calloc(1, sizeof(**file));
	if (!*file)
		return -ENOMEM;
	(*file)->fd = fd;
	(*file)->size = st.st_size;
	(*file)->defs = TRUTH_HEADER;
	return 0;
}

void truth_close(struct truth_file *file)
{
	if (!file)
		return;
	while (file->code) {
		struct arena *before = file->code->before;

		free(file->code);
		file->code = before;
	}
	free(file->block);
	free(file);
}

/* Return: 1: the chunk at @offset is @head; 0: the end; -errno; -EINVAL: it is not a chunk. */
static int chunk_head(const struct truth_file *file, uint64_t offset, uint32_t head[2])
{
	uint8_t bytes[HEAD];
	int err;

	if (offset >= file->size)
		return 0;
	if (file->size - offset < HEAD)
		return -EINVAL;
	err = read_at(file->fd, offset, bytes, HEAD);
	if (err)
		return err;
	head[0] = le32(bytes);
	head[1] = le32(bytes + 4);
	if (head[0] >= TRUTH_CPU_MAX && head[0] != TRUTH_CPU_NONE)
		return -EINVAL;
	return head[1] && head[1] <= TRUTH_CHUNK_MAX ? 1 : -EINVAL;
}

int truth_cpus(struct truth_file *file, bool *seen, uint64_t *end)
{
	uint32_t head[2] = { 0 };
	int err;

	memset(seen, 0, TRUTH_CPU_MAX * sizeof(*seen));
	for (*end = TRUTH_HEADER; (err = chunk_head(file, *end, head)) > 0; *end += HEAD + head[1])
		if (head[0] != TRUTH_CPU_NONE)
			seen[head[0]] = true;
	return err == -EINVAL ? 1 : err;
}

/* ---------------------------------------------------------------- definitions */

static uint8_t *keep(struct truth_file *file, const uint8_t *p, size_t n)
{
	uint8_t *at;

	if (!file->code || ARENA - file->code->n < n) {
		struct arena *a = malloc(sizeof(*a));

		if (!a)
			return NULL;
		a->n = 0;
		a->before = file->code;
		file->code = a;
	}
	at = file->code->bytes + file->code->n;
	memcpy(at, p, n);
	file->code->n += n;
	file->n_code += n;
	return at;
}

/* Makes room for block @number, the next one. */
static int grow(struct truth_file *file, size_t number)
{
	size_t size = number + number / 2 + 64;
	struct truth_block *grown;

	if (number >= file->size_block) {
		grown = realloc(file->block, size * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		file->block = grown;
		file->size_block = size;
	}
	file->n_block = number + 1;
	return 0;
}

/* Return: its error, or NULL; *@err is -ENOMEM if there is no memory. */
static const char *define(struct truth_file *file, const uint8_t *p, const uint8_t *end, int *err)
{
	struct truth_block block;
	uint64_t v[4];

	if (!numbers(&p, end, v, 4))
		return "a definition that is cut off";
	if (v[0] != (file->n_block ? file->n_block : 1) || v[0] >= BLOCKS_MAX)
		return "a block whose number does not follow the one before";
	if (v[2] > CSF_T32 || !v[3] || v[3] > TRUTH_INSN_MAX)
		return "an impossible block";
	block = (struct truth_block){ .addr = v[1], .isa = v[2], .n_insn = v[3],
				      .size = end - p, .code = p };
	if (truth_block_bytes(&block, block.n_insn) != block.size)
		return "a block whose code is not as long as its instructions";
	if (file->n_code + block.size > CODE_MAX)
		return "more code than can be kept";
	block.code = keep(file, p, block.size);
	*err = block.code ? grow(file, v[0]) : -ENOMEM;
	if (!*err)
		file->block[v[0]] = block;
	return NULL;
}

/* Parses a control record.  Return: its error, or NULL. */
static const char *control(const uint8_t **p, const uint8_t *end, uint32_t *kind,
			   const uint8_t **payload)
{
	uint64_t n;

	if (!number32(p, end, kind) || !number(p, end, &n) || n > end - *p)
		return "a record that is cut off";
	*payload = *p;
	*p += n;
	return NULL;
}

static int wrong(struct truth_cursor *at, const char *why, uint64_t where)
{
	at->wrong = why;
	at->where = where;
	at->ended = true;
	return 0;
}

/* The definitions in at->buf.  Return: 1; 0: there is an error in them; -errno. */
static int definitions(struct truth_cursor *at, size_t n)
{
	const uint8_t *p = at->buf, *end = p + n, *payload;
	const char *why = NULL;
	uint32_t kind;
	int err = 0;

	while (p < end && !err) {
		const uint8_t *begin = p;

		if (*p++)
			why = "a record that is not a definition";
		else
			why = control(&p, end, &kind, &payload);
		if (!why && kind == TRUTH_BLOCK)
			why = define(at->file, payload, p, &err);
		if (why)
			return wrong(at, why, at->chunk + HEAD + (begin - at->buf));
	}
	return err ? err : 1;
}

/* ---------------------------------------------------------------- records */

void truth_start(struct truth_cursor *at, struct truth_file *file, uint32_t cpu)
{
	memset(at, 0, sizeof(*at));
	at->file = file;
	at->cpu = cpu;
	at->next = TRUTH_HEADER;
}

void truth_stop(struct truth_cursor *at)
{
	free(at->buf);
	at->buf = NULL;
	at->size = 0;
	at->ended = true;
}

/* An incomplete chunk is read up to the end of the file. */
static int load(struct truth_cursor *at, size_t n)
{
	if (n > at->size) {
		uint8_t *grown = realloc(at->buf, n);

		if (!grown)
			return -ENOMEM;
		at->buf = grown;
		at->size = n;
	}
	return read_at(at->file->fd, at->chunk + HEAD, at->buf, n);
}

/* The next chunk of this CPU.  Return: 1; 0: there is none, or an error; -errno. */
static int next_chunk(struct truth_cursor *at)
{
	struct truth_file *file = at->file;
	uint32_t head[2] = { 0 };
	int err;

	for (;;) {
		uint64_t rest;
		bool defs;

		at->chunk = at->next;
		err = chunk_head(file, at->chunk, head);
		if (err == -EINVAL)
			return wrong(at, "not a chunk", at->chunk);
		if (err <= 0)
			return err;
		rest = file->size - at->chunk - HEAD;
		at->next = at->chunk + HEAD + head[1];
		defs = head[0] == TRUTH_CPU_NONE && at->chunk >= file->defs;
		if (!defs && head[0] != at->cpu)
			continue;
		if (head[1] < rest)
			rest = head[1];
		if (!rest)
			return 0;
		err = load(at, rest);
		if (err)
			return err;
		if (!defs)
			break;
		err = definitions(at, rest);
		if (err <= 0)
			return err;
		file->defs = at->next;
	}
	at->p = at->buf;
	at->end = at->buf + (at->next > file->size ? file->size - at->chunk - HEAD : head[1]);
	return 1;
}

/* Instructions @first up to @first + @n of block @number.  Return: the error, or NULL. */
static const char *ran(struct truth_cursor *at, struct truth_record *r, uint64_t first, uint64_t n)
{
	const struct truth_file *file = at->file;
	const struct truth_block *b;
	uint32_t skip;

	if (r->number >= file->n_block || !r->number)
		return "a block that is not defined";
	b = &file->block[r->number];
	r->kind = TRUTH_RAN;
	r->block = b;
	r->addr = b->addr;
	r->code = b->code;
	r->size = b->size;
	r->first = 0;
	r->n_insn = b->n_insn;
	r->failed = false;
	at->ran++;
	if (n == UINT64_MAX)
		return NULL;
	if (!n || first >= b->n_insn || n > b->n_insn - first)
		return "a part of a block that has no such instructions";
	skip = truth_block_bytes(b, first);
	r->first = first;
	r->n_insn = n;
	r->addr += skip;
	r->code += skip;
	r->size = truth_block_bytes(b, first + n) - skip;
	return NULL;
}

static bool map_of(struct truth_record *r, const uint8_t *p, const uint8_t *end)
{
	struct truth_map *m = &r->map;
	uint32_t *ids[] = { &m->pid, &m->tid };
	uint32_t *rest[] = { &m->maj, &m->min, &m->prot, &m->flags };
	uint64_t *wide[] = { &m->addr, &m->len, &m->pgoff, &m->ino, &m->ino_generation };
	uint64_t n;

	memset(m, 0, sizeof(*m));
	m->name = "";
	if (!numbers32(&p, end, ids, 2))
		return false;
	for (size_t i = 0; i < (r->kind == TRUTH_UNMAP ? 2 : 5); i++)
		if (!number(&p, end, wide[i]))
			return false;
	if (r->kind == TRUTH_UNMAP)
		return true;
	if (!numbers32(&p, end, rest, 4) || !number(&p, end, &n) || n > TRUTH_BUILD_ID_MAX ||
	    n > end - p)
		return false;
	m->n_build_id = n;
	memcpy(m->build_id, p, n);
	p += n;
	r->name = (const char *)p;
	return true;
}

static bool config_of(struct truth_record *r, const uint8_t *p, const uint8_t *end)
{
	struct csf_config *x = &r->config;
	uint32_t *v[] = { &x->trcconfigr, &x->trcdevarch, &x->trcidr0, &x->trcidr1, &x->trcidr2,
			  &x->trcidr8, &x->trcidr9, &x->trcidr10, &x->trcidr11, &x->trcidr12,
			  &x->trcidr13, &x->profile };
	uint32_t *later[] = { &x->protocol, &x->etmcr, &x->etmccer, &x->etmidr };

	memset(x, 0, sizeof(*x));
	x->size = sizeof(*x);
	if (!number(&p, end, &r->value) || !numbers32(&p, end, v, sizeof(v) / sizeof(*v)))
		return false;
	/* Older logs end here. */
	return p == end || numbers32(&p, end, later, sizeof(later) / sizeof(*later));
}

static bool data_of(struct truth_data *data, const uint8_t *p, const uint8_t *end)
{
	return number32(&p, end, &data->flags) && number32(&p, end, &data->size) &&
	       number(&p, end, &data->addr) && number(&p, end, &data->value) && data->size &&
	       data->size <= 8;
}

static bool context_of(struct truth_record *r, const uint8_t *p, const uint8_t *end)
{
	uint32_t el, security, has;
	uint32_t *v[] = { &el, &security, &has, &r->context.contextid, &r->context.vmid };

	if (!numbers32(&p, end, v, 5) || el > 3 || security > CSF_REALM)
		return false;
	r->context.el = el;
	r->context.security = security;
	r->context.bits64 = has & 1;
	r->context.has_contextid = has >> 1 & 1;
	r->context.has_vmid = has >> 2 & 1;
	r->context.known = true;
	return true;
}

static bool comm_of(struct truth_record *r, const uint8_t *p, const uint8_t *end)
{
	uint32_t *ids[] = { &r->pid, &r->tid };

	if (!numbers32(&p, end, ids, 2) || !number(&p, end, &r->value))
		return false;
	r->name = (const char *)p;
	return true;
}

/* r->name points at text up to @end: ends it with a 0. */
static bool name_of(struct truth_cursor *at, struct truth_record *r, const uint8_t *end)
{
	size_t n = end - (const uint8_t *)r->name;

	if (n >= sizeof(at->name))
		return false;
	memcpy(at->name, r->name, n);
	at->name[n] = '\0';
	r->name = at->name;
	r->map.name = at->name;
	return true;
}

/* Return: r->kind is known, and its payload is valid. */
static bool payload_of(struct truth_cursor *at, struct truth_record *r, const uint8_t *p,
		       const uint8_t *end)
{
	uint32_t *ids[] = { &r->pid, &r->tid };

	switch (r->kind) {
	case TRUTH_THREAD:
		return numbers32(&p, end, ids, 2) && number(&p, end, &r->value);
	case TRUTH_EXCEPTION:
		return number(&p, end, &r->value) && number(&p, end, &r->addr);
	case TRUTH_CONTEXT:
		return context_of(r, p, end);
	case TRUTH_MAP:
		return map_of(r, p, end) && name_of(at, r, end);
	case TRUTH_UNMAP:
		return map_of(r, p, end);
	case TRUTH_COMM:
		return comm_of(r, p, end) && name_of(at, r, end);
	case TRUTH_CONFIG:
		return config_of(r, p, end);
	case TRUTH_LOST:
		at->lost = true;
		return number(&p, end, &r->value) && r->value;
	case TRUTH_FOUND:
		if (!at->lost)
			return false;
		at->lost = false;
		return true;
	case TRUTH_DATA:
		return data_of(&r->data, p, end);
	case TRUTH_TIME:
	case TRUTH_TM:
	case TRUTH_END:
		return number(&p, end, &r->value);
	}
	return false;
}

/* After the 0.  Return: the error, or NULL; r->kind TRUTH_BLOCK: go on. */
static const char *special(struct truth_cursor *at, struct truth_record *r)
{
	const uint8_t *payload;
	const char *why = control(&at->p, at->end, &r->kind, &payload);
	uint64_t v[3];

	if (why)
		return why;
	if (r->kind == TRUTH_PART) {
		if (!numbers(&payload, at->p, v, 3) || v[0] > UINT32_MAX)
			return "a part of a block that is cut off";
		r->number = v[0];
		why = ran(at, r, v[1], v[2]);
		r->failed = number(&payload, at->p, v) && v[0] & 1;
		return why;
	}
	if (r->kind > TRUTH_DATA || r->kind <= TRUTH_BLOCK) {
		r->kind = TRUTH_BLOCK;
		return NULL;
	}
	if (!payload_of(at, r, payload, at->p))
		return "an impossible record";
	if (r->kind == TRUTH_END && r->value != at->ran)
		return "the count at the end is not that of the blocks";
	at->ended = r->kind == TRUTH_END;
	return NULL;
}

int truth_next(struct truth_cursor *at, struct truth_record *r)
{
	const char *why = NULL;

	do {
		if (at->ended)
			return 0;
		if (at->p == at->end) {
			int got = next_chunk(at);

			if (got <= 0) {
				if (!got && !at->wrong)
					wrong(at, "the end is missing", at->chunk);
				return got;
			}
		}
		r->offset = at->chunk + HEAD + (at->p - at->buf);
		r->kind = TRUTH_RAN;
		if (!number32(&at->p, at->end, &r->number))
			why = "a number that is cut off";
		else if (r->number)
			why = ran(at, r, 0, UINT64_MAX);
		else
			why = special(at, r);
		if (why)
			return wrong(at, why, r->offset);
	} while (r->kind == TRUTH_BLOCK);
	return 1;
}
