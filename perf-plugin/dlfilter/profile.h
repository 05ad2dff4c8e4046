/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of one file as text for compilers. */
#ifndef DLFILTER_PROFILE_H
#define DLFILTER_PROFILE_H

#include <stdio.h>

#include "counts.h"

enum profile_format {
	PROFILE_NONE,
	PROFILE_AUTOFDO,	/* create_llvm_prof --profiler=text */
	PROFILE_BOLT,		/* perf2bolt -pa */
};

/*
 * Addresses in AutoFDO's text: counted from the first byte that is loaded, as create_llvm_prof 0.19
 * requires, or offsets in the file, as newer ones do.  Any: the first.
 */
enum profile_addresses { ADDRESSES_ANY, ADDRESSES_LOAD, ADDRESSES_FILE };

/**
 * struct profile - the profile to write
 * @dso: name of the file, or its last part; NULL: the file in which most code ran
 * @elf: path of that file here; NULL: its name
 */
struct profile {
	enum profile_format format;
	enum profile_addresses addresses;
	const char *dso, *elf;
	FILE *out;
	const char *out_name;
};

/* Writes it, and reports that, or why not, on stderr.  Return: 0 or -1. */
int profile_write(const struct profile *profile, const struct counts *counts);

#endif /* DLFILTER_PROFILE_H */
