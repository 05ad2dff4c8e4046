/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples as text: the lines of perf script, byte for byte. */
#ifndef CSF_SCRIPT_PRINT_H
#define CSF_SCRIPT_PRINT_H

#include "../../perf-plugin/perf-sample.h"
#include "../../perf-plugin/perf-replay.h"
#include "../../perf-plugin/call-stack.h"
#include "../../perf-plugin/out.h"
#include "../code/disasm.h"
#include "../code/line-cache.h"

/* The fields of -F: bit i is called script_field_names[i]. */
extern const char *const script_field_names[];
#define SCRIPT_COMM	0x0001
#define SCRIPT_TID	0x0002
#define SCRIPT_PID	0x0004
#define SCRIPT_TIME	0x0008
#define SCRIPT_CPU	0x0010
#define SCRIPT_EVENT	0x0020
#define SCRIPT_IP	0x0040
#define SCRIPT_SYM	0x0080
#define SCRIPT_DSO	0x0100
#define SCRIPT_ADDR	0x0200
#define SCRIPT_SYMOFF	0x0400
#define SCRIPT_SRCLINE	0x0800
#define SCRIPT_PERIOD	0x1000
#define SCRIPT_FLAGS	0x2000
#define SCRIPT_INSN	0x4000
#define SCRIPT_INSNLEN	0x8000
#define SCRIPT_IPC	0x10000
#define SCRIPT_BRSTACK	0x20000
#define SCRIPT_BRSTACKSYM	0x40000
#define SCRIPT_CALLINDENT	0x80000
#define SCRIPT_BRSTACKINSN	0x100000
#define SCRIPT_DISASM	0x200000
#define SCRIPT_BRANCHES	(SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKINSN)
#define SCRIPT_WHO	(SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU)
#define SCRIPT_DEFAULT	(SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_PERIOD | SCRIPT_EVENT | \
			 SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | SCRIPT_ADDR)

/**
 * struct script_fields - which fields to print
 * @branch: of branch samples
 * @insn: of instruction samples
 * @unknown: the error of a word that is no field
 */
struct script_fields {
	uint32_t branch, insn;
	char unknown[320];
};

/**
 * script_fields_parse() - parse -F
 * @fields: the default on entry
 * @text: words and commas; +word and -word change the default
 *
 * Return: NULL, or the error in it: a constant, or @fields->unknown.
 */
const char *script_fields_parse(struct script_fields *fields, const char *text);

/* The text of CS_FLAG_x: @n bytes; 0: nothing yet. */
struct script_flags {
	uint32_t flags;
	uint32_t n;
	char text[32];
};

/**
 * struct script_print - zero it, set the first three, script_print_init()
 * @replay: borrowed
 * @old: columns of perf 6.1, not of 6.12
 * @ns: times with nine decimal places
 * @full_path: source files with their directories
 * @inlines: call chains have inlined functions, too
 * @kinds: the kinds of samples that may come, a bit for each enum cs_sample_kind
 * @chain: room for @chain_max entries of a call chain; NULL: none are shown
 * @stack: of the current thread; NULL: none is kept
 * @dis: for SCRIPT_DISASM; borrowed
 * @known: names that were printed before, borrowed; NULL: none are kept.  @world is that of
 *         the current run: of addresses in @space at @map_time
 */
struct script_print {
	struct perf_replay *replay;
	struct script_fields fields;
	bool old, ns, full_path, inlines;
	struct out *out;
	uint32_t kinds;
	uint64_t *chain;
	size_t chain_max;
	const struct call_stack *stack;
	struct disasm *dis;
	struct line_cache *known;
	uint32_t world;
	int space;
	uint64_t map_time;
	/* private */
	int width;
	size_t spacing;		/* the indentation of called functions */
	char event[CS_SAMPLE_ERROR][32];
	struct script_flags flags[16];
	const char *comm;
	uint32_t comm_tid;
	uint64_t comm_time;
};

void script_print_init(struct script_print *p);

/* Prints a sample of @run. */
void script_print(struct script_print *p, const struct perf_run *run,
		  const struct cs_sample *sample);

/* The name of the thread of a run, ":TID" if it has none; @buf has room for 16. */
const char *script_comm(struct script_print *p, const struct perf_run *run, char *buf);

#endif /* CSF_SCRIPT_PRINT_H */
