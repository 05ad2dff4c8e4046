/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a unit of debug information, and their discriminators.  libdw has them too, but
 * refuses a unit whole if one of its discriminators needs more than 24 bits, and those of clang's
 * code generator (-enable-fs-discriminator) and probes (-fpseudo-probe-for-profiling) need 32.
 */
#ifndef LINE_TABLE_H
#define LINE_TABLE_H

#include <stddef.h>

#include "section.h"

/* From @addr on, up to the next one; @end: there is no code.  @number: the how manieth it was. */
struct line_row {
	uint64_t addr;
	uint32_t line, discriminator, file;
	size_t number;
	bool end;
};

/**
 * struct line_head - what is before the rows
 * @version: of DWARF; @wide: bytes of an offset in it
 * @least: bytes of the shortest instruction
 * @first, @range, @base: of special opcodes; @args: of the standard ones, which are less than @base
 * @names: directories and files
 * @code: what makes the rows
 */
struct line_head {
	unsigned int version;
	int wide;
	int8_t first;
	uint8_t least, range, base, args[256];
	struct section names, code;
};

/* Zero is empty. */
struct line_table {
	struct line_row *row;
	size_t n, size;
};

/*
 * What stands at @offset of .debug_line, of DWARF 2 to 5.  Return: 0; -EBADMSG: it is damaged;
 * -ENOMEM.  In any case line_table_fini().
 */
int line_table_read(struct line_table *table, struct section section, uint64_t offset);
void line_table_fini(struct line_table *table);

/* The head of what stands at @offset.  Return: it is not damaged. */
bool line_head_read(struct line_head *head, struct section section, uint64_t offset);

/* NULL: none. */
const struct line_row *line_table_find(const struct line_table *table, uint64_t addr);

#endif /* LINE_TABLE_H */
