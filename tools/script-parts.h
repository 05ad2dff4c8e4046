/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that print samples share. */
#ifndef CSF_SCRIPT_PARTS_H
#define CSF_SCRIPT_PARTS_H

#include "script-print.h"

/* An address, and when and in which space it is one. */
struct where {
	uint64_t addr, time;
	int space;
};

void script_blanks(struct script_print *p, int n);

/* The line of a sample is one behind the other: who, what the clock said, and the rest. */
void script_who(struct script_print *p, const struct perf_run *run, uint32_t fields);
void script_clock(struct script_print *p, uint64_t ns);
void script_rest(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* Text of any length that is not under our control. */
void script_text(struct script_print *p, const char *s);

/* " symbol+0xoff (dso)", each as @fields says. */
void script_place(struct script_print *p, const struct where *w, uint32_t fields);

/* "symbol+0xoff" or "[unknown]". */
void script_symbol(struct script_print *p, const struct code_place *place, bool offset);

/* "(dso)" */
void script_dso(struct script_print *p, const struct code_place *place);

/* What is at @w; all zero if nothing is. */
void script_look(struct script_print *p, const struct where *w, struct code_place *place);

/* -------- script-stack.c */

/* Last branches behind a sample. */
void script_branches(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* A call chain, a line for each entry, in place of the address. */
void script_chain(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* What is called, or returned from, indented by how deep it is. */
void script_indent(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

#endif /* CSF_SCRIPT_PARTS_H */
