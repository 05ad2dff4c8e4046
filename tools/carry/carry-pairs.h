/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of two builds, and which is which. */
#ifndef CSF_CARRY_PAIRS_H
#define CSF_CARRY_PAIRS_H

#include "../../perf-plugin/elf-plt.h"
#include "carry-match.h"

/**
 * struct carry_pair - a function of the old build
 * @other: index of its function in the new build; CARRY_NONE: none
 * @read: it was looked at: @ok: it is matched with @other: @old, @new, @match
 */
struct carry_pair {
	uint32_t other;
	bool read, ok;
	struct carry_function old, new;
	struct carry_match match;
};

/**
 * struct carry_pairs - two builds; [0]: the old one, [1]: the new one
 * @of: functions by symbol, and @stubs, through which a build calls others
 * @pair: for each function of @of[0]
 */
struct carry_pairs {
	const struct elf_file *elf[2];
	struct functions of[2];
	struct elf_stubs stubs[2];
	struct carry_pair *pair;
};

/*
 * Reads the functions, and pairs them.
 *
 * Return: 0; -EOPNOTSUPP, -ENODATA, -ENOMEM, as carry().  Call carry_pairs_fini() in any case.
 */
int carry_pairs(struct carry_pairs *p, struct elf_file *const elf[2]);
void carry_pairs_fini(struct carry_pairs *p);

/* The function at @addr of the old build, matched.  NULL: there is none, or no partner: *@err. */
struct carry_pair *carry_pair_at(struct carry_pairs *p, uint64_t addr, int *err);

/* The address in the new build for one in the old.  Return: there is one. */
bool carry_pairs_addr(struct carry_pairs *p, uint64_t addr, uint64_t *to, int *err);

#endif /* CSF_CARRY_PAIRS_H */
