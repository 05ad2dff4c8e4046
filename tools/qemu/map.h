/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program's maps, and whether the code that it executes is that of the mapped file.
 *
 * Maps with execute permission go into the recording.  Code that is in no file, or differs from
 * it, also goes there, page by page, when it is first executed and after each change.
 */
#ifndef CSF_QEMU_MAP_H
#define CSF_QEMU_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../truth/truth.h"

#define MAP_PAGE	4096u

/**
 * struct map_who - the thread of a change, and its place in the truth log
 * @truth: the stream of its CPU; NULL: no log
 * @time: of the records
 */
struct map_who {
	struct truth_cpu *truth;
	uint64_t time;
	uint32_t pid, tid;
	uint32_t cpu;
};

/* Records the program, its interpreter, and other maps from before execution. */
void map_begin(const struct map_who *who);

/**
 * struct map_request - an mmap call of the program, and its result
 * @fd: -1: no file
 */
struct map_request {
	uint64_t addr, len, offset;
	uint32_t prot, flags;
	int fd;
};

/* mremap: @from_len bytes at @from are now @to_len bytes at @to. */
struct map_move {
	uint64_t from, from_len;
	uint64_t to, to_len;
};

void map_add(const struct map_request *request, const struct map_who *who);
void map_protect(uint64_t addr, uint64_t len, uint32_t prot, const struct map_who *who);
void map_remove(uint64_t addr, uint64_t len, const struct map_who *who);
void map_move(const struct map_move *move, const struct map_who *who);

/* Has the recording @code, @n bytes, at @addr? */
bool map_has(uint64_t addr, const uint8_t *code, size_t n);

/* It has now. */
void map_write_code(uint64_t addr, const uint8_t *code, size_t n, const struct map_who *who);

#endif /* CSF_QEMU_MAP_H */
