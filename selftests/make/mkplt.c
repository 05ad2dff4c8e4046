// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkplt FILE SECTION...	for each word of these sections: its address, and the name of what
 *			is there; -: none
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../perf-plugin/elf.h"

int main(int argc, char **argv)
{
	struct elf_range range = { 0 };
	struct elf_symbol symbol;
	struct elf_file *file;

	if (argc < 3 || elf_file_open(&file, argv[1])) {
		fprintf(stderr, "usage: mkplt FILE SECTION...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (!elf_file_section(file, argv[i], &range))
			continue;
		for (uint64_t at = range.start; at < range.end; at += 4)
			printf("%" PRIx64 " %s\n", at,
			       elf_file_symbol(file, at, &symbol) ? symbol.name : "-");
	}
	elf_file_close(file);
	return 0;
}
