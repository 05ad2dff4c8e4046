/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a unit of debug information, with their discriminators.  libdw has them, too, but
 * rejects a whole unit if one of its discriminators needs more than 24 bits; those of clang's code
 * generator (-enable-fs-discriminator) and probes (-fpseudo-probe-for-profiling) need 32.
 */
#ifndef LINE_TABLE_H
#define LINE_TABLE_H

#include <stddef.h>

#include "section.h"

/*
 * Valid from @addr up to the next row; @end: there is no code.  @number: its position in the table.
 */
struct line_row {
	uint64_t addr;
	uint32_t line, discriminator, file;
	size_t number;
	bool end;
};

/**
 * struct line_head - the header of a line table
 * @version: version of DWARF; @wide: size of an offset in it, in bytes
 * @least: size of the shortest instruction, in bytes
 * @first, @range, @base: for special opcodes; @args: for standard opcodes, which are less than
 *                        @base
 * @names: directories and files
 * @code: the program that makes the rows
 */
struct line_head {
	unsigned int version;
	int wide;
	int8_t first;
	uint8_t least, range, base, args[256];
	struct section names, code;
};

/* All zero: empty. */
struct line_table {
	struct line_row *row;
	size_t n, size;
};

/*
 * Reads the line table at @offset of .debug_line, of DWARF 2 to 5.  Return: 0; -EBADMSG: it is
 * damaged; -ENOMEM.  Call line_table_fini() in any case.
 */
int line_table_read(struct line_table *table, struct section section, uint64_t offset);
void line_table_fini(struct line_table *table);

/* Reads the header at @offset.  Return: it is not damaged. */
bool line_head_read(struct line_head *head, struct section section, uint64_t offset);

/* Return: NULL: none. */
const struct line_row *line_table_find(const struct line_table *table, uint64_t addr);

#endif /* LINE_TABLE_H */
