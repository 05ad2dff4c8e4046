/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that print samples. */
#ifndef CSF_SCRIPT_PARTS_H
#define CSF_SCRIPT_PARTS_H

#include "script-print.h"

/* An address, with its time and space. */
struct where {
	uint64_t addr, time;
	int space;
};

void script_blanks(struct out *out, int n);

/* The parts of a sample's line, in order: the thread, the time, and the rest. */
void script_who(struct script_print *p, const struct perf_run *run, uint32_t fields);
void script_clock(struct out *out, bool in_ns, uint64_t ns);
void script_rest(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* Text of any length, from foreign files. */
void script_text(struct script_print *p, const char *s);

/* The kind of a text about an address; the lower bits are worlds and fields with names. */
#define SCRIPT_TEXT_PLACE	0x01000000u	/* " symbol+0xoff (dso)" */
#define SCRIPT_TEXT_BRANCH	0x02000000u	/* "symbol+0xoff(dso)" or "0xaddr(dso)" */
#define SCRIPT_TEXT_CALLED	0x03000000u	/* "symbol", or the address */
#define SCRIPT_TEXT_INSN	0x04000000u	/* an instruction, from the time on */
#define SCRIPT_TEXT_BLOCK	0x05000000u	/* the same for a whole block */
#define SCRIPT_TEXT_MOVE	0x06000000u	/* one of the last branches */
#define SCRIPT_TEXT_DSO		0x07000000u	/* "(dso)" */
#define SCRIPT_TEXT_INLINED	0x08000000u	/* a line for each function that is inlined there */
#define SCRIPT_NAMES		(SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)

/* A place in the output. */
static inline uint64_t script_mark(const struct script_print *p)
{
	return p->out->gone + p->out->n;
}

/*
 * Text about an address that is always the same: prints it again if it is known; otherwise keeps
 * what was printed after @mark.  Only addresses at the time of the current run are known.
 */
bool script_is_kept(const struct script_print *p, const struct where *w);
bool script_again(struct script_print *p, const struct where *w, uint32_t what);
void script_keep(struct script_print *p, const struct where *w, uint32_t what, uint64_t mark);

/* Both: @print prints it the first time; @what: SCRIPT_TEXT_x, and the SCRIPT_NAMES it needs. */
void script_once(struct script_print *p, const struct where *w, uint32_t what,
		 void (*print)(struct script_print *p, const struct where *w, uint32_t what));

/* " symbol+0xoff (dso)", each part if it is in @fields. */
void script_place(struct script_print *p, const struct where *w, uint32_t fields);

/* "symbol+0xoff" or "[unknown]". */
void script_symbol(struct script_print *p, const struct code_place *place, bool offset);

/* "(dso)" */
void script_dso(struct script_print *p, const struct code_place *place);

/* Finds what is at @w; all zero if nothing is. */
void script_look(struct script_print *p, const struct where *w, struct code_place *place);

/* -------- script-stack.c */

/* The last branches, after a sample. */
void script_branches(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* script-insns.c: the instructions between them, up to the sample. */
void script_branch_insns(struct script_print *p, const struct cs_sample *sample);

/* script-disasm.c: the instruction as text; its bytes, if that is not known. */
void script_disasm(struct script_print *p, const struct cs_sample *sample);

/* The bytes of the instruction, with blanks between them. */
void script_bytes(struct script_print *p, const struct cs_sample *sample);

/* A call chain, a line for each entry, in place of the address. */
void script_chain(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

/* The called function, or the one returned from, indented by its depth. */
void script_indent(struct script_print *p, const struct cs_sample *sample, uint32_t fields);

#endif /* CSF_SCRIPT_PARTS_H */
