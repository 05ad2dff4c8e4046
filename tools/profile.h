/* SPDX-License-Identifier: GPL-2.0-only */
/* Printers of the count table for one file, in the formats of others. */
#ifndef CSF_PROFILE_H
#define CSF_PROFILE_H

#include <stdio.h>

#include "count.h"

/**
 * struct profile - what is printed
 * @dso: index of the file in the table
 * @elf: that file; NULL: offsets in it will do
 * @f: where to
 */
struct profile {
	const struct count_table *table;
	size_t dso;
	struct elf_file *elf;
	FILE *f;
};

/*
 * Ranges, then branches.  @profgen: as llvm-profgen takes it, from the first executable segment on;
 * else offsets in the file, as create_llvm_prof takes it.  Return: 0 or -ENOMEM.
 */
int profile_text(const struct profile *p, bool profgen);

/* Pre-aggregated branches and straight code for BOLT, by address.  Return: 0 or -ENOMEM. */
int profile_bolt(const struct profile *p);

#endif /* CSF_PROFILE_H */
