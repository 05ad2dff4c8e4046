/* SPDX-License-Identifier: GPL-2.0-only */
/* Things of two builds that have one hash: functions, or pieces of a function. */
#ifndef CSF_CARRY_HASHED_H
#define CSF_CARRY_HASHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of them, by its number. */
struct carry_hashed {
	uint64_t hash;
	uint32_t index;
};

/**
 * struct carry_common - the hashes that two lists have in common
 * @list: @n things of the old build, [0], and of the new one, [1]; see carry_hashed_sort()
 * @first, @alike: those with the hash that was found: @alike of them, from @first on, by number
 */
struct carry_common {
	const struct carry_hashed *list[2];
	size_t n[2];
	size_t first[2], alike[2];
};

/* By hash, then by number. */
void carry_hashed_sort(struct carry_hashed *list, size_t n);

/* Finds the next hash that is in both lists.  @alike is 0 at first.  Return: there is one. */
bool carry_common_next(struct carry_common *c);

#endif /* CSF_CARRY_HASHED_H */
