/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file with code: its build-id, segments, symbols and source lines.
 *
 * There are three kinds of addresses.  An offset is a place in the file.  An address is what the
 * file's own headers say (p_vaddr).  For a kernel module, which has no addresses yet, an address is
 * the distance from where the module was loaded.
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX	20

struct line_row;

/**
 * struct elf_segment - a piece of the file that is loaded
 * @addr: first address
 * @offset: offset in the file of its @size bytes, all of which are in the file
 * @exec: it is executable
 */
struct elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool exec;
};

/**
 * struct elf_symbol - a function
 * @name: borrowed from the file; demangled if it is C++ or Rust
 * @raw: the linker's name; NULL: it has none
 * @made: no name is known: @name is "file+0xaddr", made of the file's name and @addr, where the
 *        function seems to begin
 */
struct elf_symbol {
	const char *name;
	uint64_t addr;
	uint64_t size;
	const char *raw;
	bool made;
};

/**
 * struct elf_file - an open file
 * @bytes: the whole file, @size bytes, mapped
 * @path: owned
 * @name: for code without a name: its part after the last slash; borrowed; NULL: that of @path
 * @is_elf: it is an ELF file; if not, only @bytes is valid
 * @is_arm: it is for an Arm processor; @is_a64: for a 64-bit one
 * @is_module: it is relocatable: a kernel module
 * @is_core: it is an image of memory, such as kcore: addresses are run-time addresses
 * @entry: address where a program starts; 0: none
 * @build_id: @n_build_id bytes, 0: none
 * @segment: @n_segment of them, sorted by address
 */
struct elf_file {
	const uint8_t *bytes;
	uint64_t size;
	char *path;
	const char *name;
	bool is_elf, is_arm, is_a64, is_module, is_core;
	uint64_t entry;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t n_build_id;
	struct elf_segment *segment;
	size_t n_segment;
	/* private */
	struct Elf *elf;
	struct elf_names *names;
	struct elf_dwarf *dwarf;
	struct elf_lines *lines;
	struct elf_inlines *inlines;
};

/**
 * elf_file_open() - open a file, ELF or not, compressed or not
 *
 * Return: 0; -ENOENT and so on; -EINVAL if it is empty or no regular file; -EBADMSG if it cannot be
 * decompressed; -ENOMEM.
 */
int elf_file_open(struct elf_file **file, const char *path);
/* As elf_file_open(), for @n bytes in memory, which are copied. */
int elf_file_copy(struct elf_file **file, const void *bytes, size_t n);
void elf_file_close(struct elf_file *file);

/* Appends a segment, cut to what is in the file; the array must have room.  For elf-module.c. */
void elf_segment_add(struct elf_file *file, const struct elf_segment *segment);

/* The segment that holds the byte at @offset of the file; NULL: none. */
const struct elf_segment *elf_segment_at(const struct elf_file *file, uint64_t offset);

/* The segment that holds @addr; NULL: none. */
const struct elf_segment *elf_segment_find(const struct elf_file *file, uint64_t addr);

/**
 * struct elf_range - addresses @start..@end-1
 */
struct elf_range {
	uint64_t start, end;
};

/* The place in memory of the section with that name.  Return: there is one. */
bool elf_file_section(const struct elf_file *file, const char *name, struct elf_range *range);

/**
 * elf_file_symbol() - the function at @addr
 *
 * Its name is from the first of these that has one: .symtab, of the file or of its debug file, or
 * .gnu_debugdata, with .dynsym and stubs of the procedure linkage table; Go's .gopclntab; and where
 * none has, it is made of the file's name and of the place where a function begins: by .eh_frame or
 * .ARM.exidx, by calls in the file's code, or after the end of what has a name.  The first call
 * reads symbols.
 *
 * Return: there is one; false: @addr is in no executable segment, or in a module or core without a
 * symbol there, or there is no memory.
 */
bool elf_file_symbol(struct elf_file *file, uint64_t addr, struct elf_symbol *symbol);

/* The address of the symbol with the linker's name @name.  Return: there is one. */
bool elf_file_address(struct elf_file *file, const char *name, uint64_t *addr);

/**
 * struct elf_line - a place in the source
 * @file: path from the debug information; borrowed from the file
 */
struct elf_line {
	const char *file;
	int line;
};

/* The source line of @addr, if there is debug information.  Return: there is one. */
bool elf_file_line(struct elf_file *file, uint64_t addr, struct elf_line *line);

/*
 * The row of a line table that @addr has, with a discriminator; borrowed.  NULL: there is none.
 * Return: 0 or -ENOMEM.
 */
int elf_file_row(struct elf_file *file, uint64_t addr, const struct line_row **row);

/**
 * struct elf_function - a function of the source, for all places where it is
 * @id: identifies it by the next three; never 0
 * @linkage: the linker's name; @file, @line: where it is declared; NULL, 0: unknown
 * @name: for people, like that of a symbol; @marked: the same, followed by " (inlined)"
 */
struct elf_function {
	uint64_t id;
	const char *linkage, *file, *name, *marked;
	int line;
};

/**
 * struct elf_inlined - a function that is inlined at one place
 * @outer: the one that it is inlined in; NULL: it is inlined in the function of the symbol
 * @function: which function
 * @depth: how many are around it, and 1
 * @call_file, @call_line, @call_discriminator: its call; NULL, 0: unknown
 * @entry: address of its first instruction
 */
struct elf_inlined {
	const struct elf_inlined *outer;
	const struct elf_function *function;
	uint32_t depth, call_discriminator;
	const char *call_file;
	int call_line;
	uint64_t entry;
};

/*
 * The innermost function that is inlined at @addr; NULL: none.  The answer is the same for all
 * addresses of @range.  The file owns everything, and keeps it.
 */
const struct elf_inlined *elf_file_inlined(struct elf_file *file, uint64_t addr,
					   struct elf_range *range);

/* The function whose own code is at @addr, by debug information; NULL: unknown. */
const struct elf_function *elf_file_function(struct elf_file *file, uint64_t addr);

/**
 * struct elf_body - code of a function, @start..@end-1; a function may have several
 * @name: the linker's name, of a copy its own; borrowed from the file
 * @line: where it is declared; 0: unknown
 * @number: the same for all code of one function
 * @is_entry: the function begins there
 */
struct elf_body {
	uint64_t start, end;
	const char *name;
	int line;
	uint32_t number;
	bool is_entry;
};

/* Zero is empty.  @body: @n of them, by address, for free(); all numbers are below @n_number. */
struct elf_bodies {
	struct elf_body *body;
	size_t n, size;
	uint32_t n_number;
};

/*
 * All functions that have a name and code of their own, by debug information.  None overlap, unless
 * the file is damaged.  It is not a kernel module.  Return: false: no memory.
 */
bool elf_file_bodies(struct elf_file *file, struct elf_bodies *bodies);

#endif /* ELF_FILE_H */
