/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places of a count table for people: address, function, line.
 *
 *	struct places places;
 *
 *	err = places_init(&places, &table, &options);
 *	if (places_symbol(&places, dso, offset, &symbol))
 *		puts(symbol.name);
 *
 * A file is looked for when it is first needed.
 */
#ifndef CSF_PLACES_H
#define CSF_PLACES_H

#include "count.h"
#include "../code/functions.h"

/**
 * struct place_file - a file of the table
 * @number: of the dso
 * @functions: for places_named(), once it was @asked
 */
struct place_file {
	uint32_t number;
	bool asked;
	struct functions functions;
};

/* @file: one for each dso of the table. */
struct places {
	const struct count_table *table;
	struct dso_table dsos;
	struct place_file *file;
};

/**
 * struct place_symbol - a function
 * @name: demangled; borrowed until places_fini()
 * @start: offset of its first byte, of @size; as in the table
 * @made: as in struct elf_symbol
 */
struct place_symbol {
	const char *name;
	uint64_t start, size;
	bool made;
};

/*
 * @table is borrowed, and settled; what @options points to is borrowed, too.  Return: 0 or -ENOMEM;
 * places_fini() may be called in any case.
 */
int places_init(struct places *p, const struct count_table *table,
		const struct dso_options *options);
void places_fini(struct places *p);

/* As dso_memory(). */
const struct elf_file *places_memory(struct places *p, size_t dso, uint64_t *distance);

/* The file; NULL: it is missing; places_dso() has the reason. */
struct elf_file *places_elf(struct places *p, size_t dso);
const struct dso *places_dso(const struct places *p, size_t dso);

/* The address of @offset by the file's headers; @offset itself if the file is missing. */
uint64_t places_address(struct places *p, size_t dso, uint64_t offset);

/* The offset of an address.  Return: it is in the file. */
bool places_offset(struct places *p, size_t dso, uint64_t addr, uint64_t *offset);

/* The function, and the line of the source, at a place.  Return: the function is known. */
bool places_symbol(struct places *p, size_t dso, uint64_t offset, struct place_symbol *symbol);
bool places_line(struct places *p, size_t dso, uint64_t offset, struct elf_line *line);

/* As elf_file_inlined(), by offset; *@end: the answer is the same from @offset up to there. */
const struct elf_inlined *places_inlined(struct places *p, size_t dso, uint64_t offset,
					 uint64_t *end);

/*
 * Offsets of functions named @name, mangled or demangled, at most @max of them, whether or not they
 * ran.  Return: how many there are.
 */
size_t places_named(struct places *p, size_t dso, const char *name, uint64_t *offset, size_t max);

#endif /* CSF_PLACES_H */
