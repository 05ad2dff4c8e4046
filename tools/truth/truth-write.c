// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writer of the truth log.
 *
 * Each CPU has its own buffer, so a block costs a store and no lock.
 * Definitions share one buffer, under the lock; it is written before any chunk
 * of a CPU, so a reader sees every definition before its use.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

/* The most waiting bytes of definitions. */
#define DEFS_MAX	(1u << 18)

struct truth_writer {
	int fd;
	int error;
	uint32_t n_cpu;
	uint32_t n_block;
	atomic_uint_fast64_t order;	/* of truth_thread() */
	pthread_mutex_t lock;
	size_t n_defs, size_defs;
	uint8_t *defs;
	struct truth_cpu *cpu;
};

static uint8_t *put(uint8_t *p, uint64_t v)
{
	return p + leb128_put(p, v);
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

/* ---------------------------------------------------------------- definitions of blocks */

static uint32_t t32_bytes(const struct truth_block *block, uint32_t n_insn)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n_insn; i++) {
		if (block->size - at < 2)
			return 0;
		at += block->code[at + 1] >> 3 >= 0x1d ? 4 : 2;
		if (at > block->size)
			return 0;
	}
	return at;
}

uint32_t truth_block_bytes(const struct truth_block *block, uint32_t n_insn)
{
	if (n_insn > block->n_insn)
		return 0;
	if (block->isa == CSF_T32)
		return t32_bytes(block, n_insn);
	return 4 * n_insn <= block->size ? 4 * n_insn : 0;
}

const char *truth_lost_name(uint64_t reason)
{
	static const char *const names[TRUTH_LOST_NR] = {
		[TRUTH_LOST_FILTER] = "filter",
		[TRUTH_LOST_STROBE] = "strobe",
		[TRUTH_LOST_OVERFLOW] = "overflow",
		[TRUTH_LOST_TRUNCATED] = "truncated",
		[TRUTH_LOST_SIGNAL] = "signal",
		[TRUTH_LOST_OFF] = "off",
		[TRUTH_LOST_Q] = "q",
		[TRUTH_LOST_DISCARD] = "discard",
	};

	return reason < TRUTH_LOST_NR && names[reason] ? names[reason] : "unknown";
}

/* ---------------------------------------------------------------- to the file */

/* Under the lock. */
static void write_all(struct truth_writer *truth, const uint8_t *p, size_t n)
{
	while (n && !truth->error) {
		ssize_t done = write(truth->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			truth->error = done ? -errno : -EIO;
			return;
		}
		p += done;
		n -= done;
	}
}

static void write_chunk(struct truth_writer *truth, uint32_t cpu, const uint8_t *p, size_t n)
{
	uint8_t head[8];

	if (!n)
		return;
	put32(put32(head, cpu), n);
	write_all(truth, head, sizeof(head));
	write_all(truth, p, n);
}

static void write_defs(struct truth_writer *truth)
{
	write_chunk(truth, TRUTH_CPU_NONE, truth->defs, truth->n_defs);
	truth->n_defs = 0;
}

void truth_flush(struct truth_cpu *c)
{
	pthread_mutex_lock(&c->truth->lock);
	write_defs(c->truth);
	write_chunk(c->truth, c->cpu, c->buf, c->n);
	pthread_mutex_unlock(&c->truth->lock);
	c->written |= c->n;
	c->n = 0;
}

int truth_new(struct truth_writer **truth, int fd, uint32_t n_cpu)
{
	struct truth_writer *w;
	uint8_t head[TRUTH_HEADER] = TRUTH_MAGIC;

	*truth = NULL;
	if (!n_cpu || n_cpu > TRUTH_CPU_MAX)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (w)
		w->cpu = calloc(n_cpu, sizeof(*w->cpu));
	if (!w || !w->cpu) {
		free(w);
		return -ENOMEM;
	}
	w->fd = fd;
	w->n_cpu = n_cpu;
	pthread_mutex_init(&w->lock, NULL);
	for (uint32_t i = 0; i < n_cpu; i++) {
		w->cpu[i].truth = w;
		w->cpu[i].cpu = i;
	}
	put32(head + 8, TRUTH_VERSION);
	write_all(w, head, sizeof(head));
	*truth = w;
	return 0;
}

struct truth_cpu *truth_cpu(struct truth_writer *truth, uint32_t cpu)
{
	return cpu < truth->n_cpu ? &truth->cpu[cpu] : NULL;
}

/* ---------------------------------------------------------------- records */

/* Makes room for a definition of @n bytes of code.  Under the lock. */
static uint8_t *defs_room(struct truth_writer *truth, size_t n)
{
	size_t need = truth->n_defs + n + TRUTH_SLACK;
	uint8_t *grown;

	if (need > truth->size_defs) {
		need += need / 2;
		grown = realloc(truth->defs, need);
		if (!grown)
			return NULL;
		truth->defs = grown;
		truth->size_defs = need;
	}
	return truth->defs + truth->n_defs;
}

static uint32_t define(struct truth_writer *truth, const struct truth_block *block)
{
	uint8_t body[TRUTH_SLACK];
	uint8_t *q = body, *p = defs_room(truth, block->size);

	if (!p || truth->n_block == UINT32_MAX) {
		truth->error = truth->error ? truth->error : p ? -EOVERFLOW : -ENOMEM;
		return 0;
	}
	q = put(q, ++truth->n_block);
	q = put(q, block->addr);
	q = put(q, block->isa);
	q = put(q, block->n_insn);

	*p++ = 0;
	*p++ = TRUTH_BLOCK;
	p = put(p, q - body + block->size);
	memcpy(p, body, q - body);
	p += q - body;
	memcpy(p, block->code, block->size);
	truth->n_defs = p + block->size - truth->defs;
	if (truth->n_defs >= DEFS_MAX)
		write_defs(truth);
	return truth->n_block;
}

uint32_t truth_define(struct truth_writer *truth, const struct truth_block *block)
{
	uint32_t number;

	if (!block->n_insn || block->n_insn > TRUTH_INSN_MAX || block->isa > CSF_T32 ||
	    truth_block_bytes(block, block->n_insn) != block->size)
		return 0;
	pthread_mutex_lock(&truth->lock);
	number = define(truth, block);
	pthread_mutex_unlock(&truth->lock);
	return number;
}

/* A control record whose payload is @n bytes. */
static void control(struct truth_cpu *c, enum truth_kind kind, const uint8_t *payload, size_t n)
{
	uint8_t *p;

	if (c->n + n + 16 > sizeof(c->buf))
		truth_flush(c);
	p = c->buf + c->n;
	*p++ = 0;
	*p++ = kind;
	p = put(p, n);
	memcpy(p, payload, n);
	c->n = p + n - c->buf;
	if (c->n >= TRUTH_ROOM)
		truth_flush(c);
}

/* A control record of numbers. */
static void numbers(struct truth_cpu *c, enum truth_kind kind, const uint64_t *v, size_t n)
{
	uint8_t body[24 * 10] = { 0 };
	uint8_t *p = body;

	for (size_t i = 0; i < n; i++)
		p = put(p, v[i]);
	control(c, kind, body, p - body);
}

#define NUMBERS(c, kind, ...) do {					\
	const uint64_t numbers_[] = { __VA_ARGS__ };			\
									\
	numbers(c, kind, numbers_, sizeof(numbers_) / sizeof(*numbers_));	\
} while (0)

void truth_part(struct truth_cpu *c, uint32_t number, uint32_t first, uint32_t n_insn)
{
	if (!n_insn)
		return;
	c->ran++;
	NUMBERS(c, TRUTH_PART, number, first, n_insn);
}

void truth_failed(struct truth_cpu *c, uint32_t number)
{
	NUMBERS(c, TRUTH_PART, number, 0, 1, 1);
	c->ran++;
}

void truth_thread(struct truth_cpu *c, uint32_t pid, uint32_t tid)
{
	NUMBERS(c, TRUTH_THREAD, pid, tid, atomic_fetch_add(&c->truth->order, 1));
}

void truth_context(struct truth_cpu *c, const struct csf_context *x)
{
	const uint32_t has = x->bits64 | x->has_contextid << 1 | x->has_vmid << 2;

	NUMBERS(c, TRUTH_CONTEXT, x->el, x->security, has, x->contextid, x->vmid);
}

void truth_exception(struct truth_cpu *c, uint32_t type, uint64_t addr)
{
	NUMBERS(c, TRUTH_EXCEPTION, type, addr);
}

void truth_lost(struct truth_cpu *c, enum truth_lost reason)
{
	NUMBERS(c, TRUTH_LOST, reason);
}

void truth_found(struct truth_cpu *c)
{
	const uint64_t none = 0;

	numbers(c, TRUTH_FOUND, &none, 0);
}

void truth_time(struct truth_cpu *c, uint64_t time)
{
	NUMBERS(c, TRUTH_TIME, time);
}

void truth_tm(struct truth_cpu *c, enum csf_transaction what)
{
	NUMBERS(c, TRUTH_TM, what);
}

/* The length of a name, cut to fit a record. */
static size_t name_length(const char *name)
{
	return name ? strnlen(name, TRUTH_NAME_MAX - 1) : 0;
}

void truth_map(struct truth_cpu *c, const struct truth_map *map)
{
	uint8_t body[TRUTH_NAME_MAX + 256];
	uint8_t *p = body;
	const uint64_t v[] = {
		map->pid, map->tid, map->addr, map->len, map->pgoff, map->ino,
		map->ino_generation, map->maj, map->min, map->prot, map->flags,
	};
	size_t n_id = map->n_build_id <= TRUTH_BUILD_ID_MAX ? map->n_build_id : 0;
	size_t n_name = name_length(map->name);

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		p = put(p, v[i]);
	p = put(p, n_id);
	memcpy(p, map->build_id, n_id);
	if (n_name)
		memcpy(p + n_id, map->name, n_name);
	control(c, TRUTH_MAP, body, p + n_id + n_name - body);
}

void truth_unmap(struct truth_cpu *c, const struct truth_map *map)
{
	NUMBERS(c, TRUTH_UNMAP, map->pid, map->tid, map->addr, map->len);
}

void truth_comm(struct truth_cpu *c, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	uint8_t body[TRUTH_NAME_MAX + 32];
	uint8_t *p = put(put(put(body, pid), tid), exec);
	size_t n = name_length(name);

	if (n)
		memcpy(p, name, n);
	control(c, TRUTH_COMM, body, p + n - body);
}

void truth_config(struct truth_cpu *c, const struct csf_config *x, uint8_t id)
{
	NUMBERS(c, TRUTH_CONFIG, id, x->trcconfigr, x->trcdevarch, x->trcidr0, x->trcidr1,
		x->trcidr2, x->trcidr8, x->trcidr9, x->trcidr10, x->trcidr11, x->trcidr12,
		x->trcidr13, x->profile, x->protocol, x->etmcr, x->etmccer, x->etmidr);
}

void truth_data(struct truth_cpu *c, const struct truth_data *data)
{
	NUMBERS(c, TRUTH_DATA, data->flags, data->size, data->addr, data->value);
}

int truth_finish(struct truth_writer *truth)
{
	int error;

	for (uint32_t i = 0; i < truth->n_cpu; i++) {
		if (truth->cpu[i].n || truth->cpu[i].written)
			NUMBERS(&truth->cpu[i], TRUTH_END, truth->cpu[i].ran);
		truth_flush(&truth->cpu[i]);
	}
	error = truth->error;
	pthread_mutex_destroy(&truth->lock);
	free(truth->defs);
	free(truth->cpu);
	free(truth);
	return error;
}
