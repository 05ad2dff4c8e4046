/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that a log says were executed: their symbols and lines are those of the log's code,
 * where both have the same bytes.
 */
#ifndef CSF_ENCODE_PROGRAM_H
#define CSF_ENCODE_PROGRAM_H

#include "../../perf-plugin/elf.h"
#include "../lib/options.h"
#include "../lib/problems.h"
#include "encode-code.h"

/**
 * struct encode_program - a program
 * @path: its full path; owned
 * @offset: from the addresses of the file to those of the log
 * @pid: the process that is looked at runs it; set by encode_programs_of()
 * @ran: some process does
 */
struct encode_program {
	char *path;
	struct elf_file *file;
	uint64_t offset;
	bool pid, ran;
};

/* struct encode_programs - zero is none */
struct encode_programs {
	struct encode_program *program;
	size_t n;
};

/* Opens those of @list: "FILE" or "FILE@OFFSET".  Return: 0; or -errno, and @problems says why. */
int encode_programs_open(struct encode_programs *p, const struct opt_list *list,
			 struct problems *problems);
void encode_programs_close(struct encode_programs *p);

/*
 * Finds which of them the process of @n pages at @page runs: those that have more of its code than
 * they have other code there.
 */
void encode_programs_of(struct encode_programs *p, struct code_page *const *page, size_t n);

/*
 * Has a program of the process the bytes of the log at @at of the page?  They are @n, some of which
 * may not be known.
 */
bool encode_programs_have(const struct encode_programs *p, const struct code_page *page, size_t at,
			  size_t n);

#endif /* CSF_ENCODE_PROGRAM_H */
