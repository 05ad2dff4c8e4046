// SPDX-License-Identifier: GPL-2.0-only
#include "jitdump.h"

#include <stdlib.h>
#include <string.h>

/* Start of a record: id, size, time; the rest depends on the id. */
#define PREFIX	16
#define MOVE	64

/* A number of @n bytes at @p, in the byte order of the file. */
static uint64_t number(const struct jitdump *dump, const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[dump->swapped ? n - 1 - i : i] << 8 * i;
	return v;
}

static uint32_t word(const struct jitdump *dump, uint64_t at)
{
	return number(dump, dump->bytes + at, 4);
}

static uint64_t wide(const struct jitdump *dump, uint64_t at)
{
	return number(dump, dump->bytes + at, 8);
}

bool jitdump_name(const char *name, uint32_t *pid)
{
	const char *base = strrchr(name, '/');
	unsigned long v;
	char *end;

	base = base ? base + 1 : name;
	if (strncmp(base, "jit-", 4) || base[4] < '0' || base[4] > '9')
		return false;
	v = strtoul(base + 4, &end, 10);
	*pid = v;
	return !strcmp(end, ".dump") && v <= UINT32_MAX;
}

bool jitdump_open(struct jitdump *dump, const void *bytes, uint64_t n)
{
	*dump = (struct jitdump){ .bytes = bytes, .n = n };
	if (n < JITDUMP_HEADER)
		return false;
	dump->swapped = word(dump, 0) != JITDUMP_MAGIC;
	if (word(dump, 0) != JITDUMP_MAGIC || word(dump, 4) != JITDUMP_VERSION)
		return false;
	dump->at = word(dump, 8);
	dump->elf_machine = word(dump, 12);
	dump->pid = word(dump, 20);
	dump->flags = wide(dump, 32);
	return dump->at >= JITDUMP_HEADER && dump->at <= n;
}

static bool read_load(const struct jitdump *dump, uint64_t at, uint32_t size,
		      struct jitdump_code *code)
{
	const char *name = (const char *)dump->bytes + at + JITDUMP_LOAD;
	size_t n;

	if (size <= JITDUMP_LOAD)
		return false;
	n = strnlen(name, size - JITDUMP_LOAD);
	code->name = name;
	code->pid = word(dump, at + 16);
	code->tid = word(dump, at + 20);
	code->addr = wide(dump, at + 32);
	code->size = wide(dump, at + 40);
	code->index = wide(dump, at + 48);
	code->offset = at + JITDUMP_LOAD + n + 1;
	return n < size - JITDUMP_LOAD && code->size <= size - JITDUMP_LOAD - n - 1;
}

static bool read_move(const struct jitdump *dump, uint64_t at, uint32_t size,
		      struct jitdump_code *code)
{
	if (size < MOVE)
		return false;
	code->name = "";
	code->pid = word(dump, at + 16);
	code->tid = word(dump, at + 20);
	code->from = wide(dump, at + 32);
	code->addr = wide(dump, at + 40);
	code->size = wide(dump, at + 48);
	code->index = wide(dump, at + 56);
	return true;
}

bool jitdump_next(struct jitdump *dump, struct jitdump_code *code)
{
	while (dump->n - dump->at >= PREFIX) {
		uint64_t at = dump->at;
		uint32_t kind = word(dump, at), size = word(dump, at + 4);

		if (size < PREFIX || size > dump->n - at)
			return false;
		dump->at += size;
		*code = (struct jitdump_code){ .kind = kind, .time = wide(dump, at + 8) };
		if (kind == JITDUMP_CODE_LOAD && read_load(dump, at, size, code))
			return true;
		if (kind == JITDUMP_CODE_MOVE && read_move(dump, at, size, code))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- writing */

static void put(uint8_t **p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(*p)++ = v >> 8 * i;
}

void jitdump_header(uint8_t *bytes, uint32_t elf_machine, uint32_t pid, uint64_t time)
{
	put(&bytes, JITDUMP_MAGIC, 4);
	put(&bytes, JITDUMP_VERSION, 4);
	put(&bytes, JITDUMP_HEADER, 4);
	put(&bytes, elf_machine, 4);
	put(&bytes, 0, 4);
	put(&bytes, pid, 4);
	put(&bytes, time, 8);
	put(&bytes, 0, 8);
}

void jitdump_load(uint8_t *bytes, const struct jitdump_code *code)
{
	put(&bytes, JITDUMP_CODE_LOAD, 4);
	put(&bytes, JITDUMP_LOAD + strlen(code->name) + 1 + code->size, 4);
	put(&bytes, code->time, 8);
	put(&bytes, code->pid, 4);
	put(&bytes, code->tid, 4);
	put(&bytes, code->addr, 8);
	put(&bytes, code->addr, 8);
	put(&bytes, code->size, 8);
	put(&bytes, code->index, 8);
}
