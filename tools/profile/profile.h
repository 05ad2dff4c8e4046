/* SPDX-License-Identifier: GPL-2.0-only */
/* Printers of the count table for one file, in the formats of other tools. */
#ifndef CSF_PROFILE_H
#define CSF_PROFILE_H

#include <stdio.h>

#include "../context/context.h"
#include "../count/count.h"

/*
 * Addresses of AutoFDO's text: counted from the first loaded byte, as in create_llvm_prof 0.19 and
 * simpleperf; or offsets in the file, as in newer tools.  ANY: the first, or the second if the
 * file is missing.
 */
enum profile_addresses { PROFILE_ANY = -1, PROFILE_LOAD, PROFILE_FILE };

extern const char *const profile_address_names[];	/* ended by NULL */

/* Stacks of all threads together, of threads with one name, or of each thread. */
enum profile_by { PROFILE_BY_NONE, PROFILE_BY_NAME, PROFILE_BY_THREAD };

/**
 * struct profile - a profile to print
 * @contexts: calls; NULL: not needed
 * @by: how to divide stacks: enum profile_by
 * @addresses: enum profile_addresses
 * @dso: index of the file in the table
 * @elf: that file; NULL: offsets in it are enough
 * @f: the output
 */
struct profile {
	const struct count_table *table;
	const struct contexts *contexts;
	int by, addresses;
	size_t dso;
	struct elf_file *elf;
	FILE *f;
};

/* The address of a place in the file, by the file's headers. */
uint64_t profile_address(const struct profile *p, uint64_t offset);

/* The address of the first loaded byte of a file. */
uint64_t profile_load_base(const struct elf_file *elf);

/* Do the two kinds of addresses differ for some code that ran? */
bool profile_addresses_differ(const struct profile *p);

/* A count for readers that take it as a signed number. */
static inline uint64_t profile_signed(uint64_t n)
{
	return n < INT64_MAX ? n : INT64_MAX;
}

/*
 * Printers.  Return: 0; -ENOMEM; -ENODATA: the file lacks the symbols, or the debug information,
 * that the format needs; -EBADMSG: they are damaged.
 */

/* Ranges, then branches, for create_llvm_prof; then the name of the file. */
int profile_autofdo(const struct profile *p);
/* The same, counted from the first executable segment, for llvm-profgen. */
int profile_profgen(const struct profile *p);
/* Pre-aggregated branches and straight code for perf2bolt -pa: lines B, F, f. */
int profile_bolt(const struct profile *p);
/* The same with each branch joined to the code after it: lines T, R, r, F, B of BOLT 22. */
int profile_bolt_traces(const struct profile *p);
/* BOLT's own profile, fdata. */
int profile_fdata(const struct profile *p);
/* LLVM's sample profile as text. */
int profile_llvm(const struct profile *p);
/* The same by context, as text. */
int profile_cs(const struct profile *p);
int profile_cs_extbinary(const struct profile *p);
/* The same in its extensible binary form. */
int profile_extbinary(const struct profile *p);
/* AutoFDO's for gcc -fauto-profile, version 2. */
int profile_gcov(const struct profile *p);
/* Propeller's BranchFrequenciesProto. */
int profile_propeller(const struct profile *p);
/* Samples of last-branch records as perf script prints them, for llvm-profgen --perfscript. */
int profile_perfscript(const struct profile *p);
/* The same with call chains, from which it makes profiles by context. */
int profile_hybrid(const struct profile *p);
/* Simpleperf's branch list. */
int profile_branch_list(const struct profile *p);
int profile_branch_list_v1(const struct profile *p);
int profile_branch_list_zstd(const struct profile *p);
/* Stacks and how many instructions ran there, for flamegraph.pl. */
int profile_folded(const struct profile *p);
/* All files of the table as JSON. */
int profile_json(const struct profile *p);

#endif /* CSF_PROFILE_H */
