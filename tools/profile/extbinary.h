/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LLVM's sample profile, extensible binary: "SPROF42" and 4, the version, a table of sections, then
 * these.  Numbers are LEB128, those of the table 64 bits, little-endian.
 *
 * Source: files that llvm-profdata-19 merge --extbinary writes.
 */
#ifndef CSF_EXTBINARY_H
#define CSF_EXTBINARY_H

#include "line-profile.h"

/* extbinary_section.type */
enum extbinary_type {
	EXT_SUMMARY = 1,
	EXT_NAMES = 2,
	EXT_OFFSETS = 4,
	EXT_CHECKSUMS = 5,
	EXT_CONTEXTS = 6,
	EXT_FUNCTIONS = 32,
};

/*
 * extbinary_section.flags: for a summary: it is by context; discriminators include those of the
 * code generator; for offsets: in the order of the functions; for names: some are of
 * -funique-internal-linkage-names, without which clang removes the ends of the names that it
 * looks for, and finds none; for checksums: lines are probes
 */
#define EXT_FULL_CONTEXT	(1ull << 33)
#define EXT_FS			(1ull << 34)
#define EXT_ORDERED		(1ull << 32)
#define EXT_UNIQUE		(1ull << 34)
#define EXT_PROBES		(1ull << 32)

/* A part of the file in memory; @f is open while it is written. */
struct extbinary_section {
	uint64_t type, flags;
	FILE *f;
	char *bytes;
	size_t n;
};

/* All names, sorted, each once. */
struct extbinary_names {
	struct profile_name *name;
	size_t n;
};

/* The parts of a summary besides counts. */
struct extbinary_sums {
	uint64_t head, functions;
};

void extbinary_put(FILE *f, uint64_t v);
uint64_t extbinary_name(const struct extbinary_names *names, const struct profile_name *name);
/* Writes the names to @section, and sets the flag for them. */
void extbinary_put_names(const struct extbinary_names *names, struct extbinary_section *section);

/* @count: of all lines, @n > 0 of them; they are sorted here. */
void extbinary_put_summary(FILE *f, uint64_t *count, size_t n, const struct extbinary_sums *sums);

/* Return: 0 or -ENOMEM; call extbinary_free() in any case. */
int extbinary_open(struct extbinary_section *section, size_t n);
int extbinary_close(struct extbinary_section *section, size_t n);
void extbinary_free(struct extbinary_section *section, size_t n);

/* Writes the file, from closed sections. */
void extbinary_write(const struct extbinary_section *section, size_t n, FILE *f);

#endif /* CSF_EXTBINARY_H */
