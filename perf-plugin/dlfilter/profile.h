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
 * Those of AutoFDO's text: from the first byte on that is loaded, as create_llvm_prof 0.19 wants
 * them, or offsets in the file, as newer ones do.  Any: the first.
 */
enum profile_addresses { ADDRESSES_ANY, ADDRESSES_LOAD, ADDRESSES_FILE };

/**
 * struct profile - what shall be written
 * @dso: name of the file, or its last part; NULL: that in which most code ran
 * @elf: where that file is here; NULL: where its name says
 */
struct profile {
	enum profile_format format;
	enum profile_addresses addresses;
	const char *dso, *elf;
	FILE *out;
	const char *out_name;
};

/* Says on stderr what it wrote, or why it did not.  Return: 0 or -1. */
int profile_write(const struct profile *profile, const struct counts *counts);

#endif /* DLFILTER_PROFILE_H */
