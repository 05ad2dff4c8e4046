/* SPDX-License-Identifier: GPL-2.0-only */
/* csflow annotate: one function, instruction by instruction. */
#ifndef CSF_ANNOTATE_H
#define CSF_ANNOTATE_H

#include "../code/disasm.h"
#include "../count/hot-lines.h"
#include "report.h"
#include "../code/source-text.h"

/**
 * struct annotate - what to print
 * @dis: NULL: there is no disassembler
 * @source: NULL: without source
 * @out: where to
 * @inlines: say where inlined code begins
 */
struct annotate {
	struct report *r;
	struct disasm *dis;
	struct source_text *source;
	FILE *out;
	bool inlines;
};

/**
 * struct annotate_match - a function with the requested name
 * @insns: executed
 */
struct annotate_match {
	size_t dso;
	struct place_symbol symbol;
	uint64_t insns;
};

/* Return: 0, or the error of hot_lines_read(). */
int annotate_print(struct annotate *a, const struct annotate_match *match);

/*
 * The lines of a function whose own code did not run, summed over all places where it is inlined.
 * @rows: all functions that ran, by file.  Return: 0; -ENODATA: none of them has it; -ENOMEM.
 */
int annotate_print_inlined(struct annotate *a, const char *name, const struct report_rows *rows);

#endif /* CSF_ANNOTATE_H */
