/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace cases: Documentation/format/trace-case.rst says what the files look like. */
#ifndef CASE_H
#define CASE_H

#include <stdio.h>

#include "text.h"
#include "walker.h"

#define CASE_LABELS	128
#define CASE_MAPS	32
#define CASE_SECTIONS	16
#define CASE_PIECES	16
#define CASE_RULES	8

/* What follows a piece of trace. */
enum case_end { CASE_END, CASE_BREAK, CASE_RESET };

struct case_piece {
	uint8_t *trace;		/* owned */
	size_t n;
	enum case_end end;
};

/* Code, mapped or not. */
struct case_section {
	char name[32];
	uint64_t addr;		/* where labels are */
	enum csf_isa isa;
	uint8_t *code;		/* owned */
	size_t n, max;
};

enum case_what { CASE_CID, CASE_VMID, CASE_EL };

/* After a context with @what equal to @value, use @space. */
struct case_rule {
	enum case_what what;
	uint32_t value;
	int space;
};

struct trace_case {
	char title[64];		/* "path" or "path: name" */
	struct csf_config config;
	struct label label[CASE_LABELS];
	size_t n_label;
	struct case_section section[CASE_SECTIONS];
	size_t n_section;
	struct walker_map map[CASE_MAPS];	/* .code is set when all is read */
	size_t n_map;
	struct case_rule rule[CASE_RULES];
	size_t n_rule;
	int n_space;		/* spaces 0..n_space - 1 */
	struct case_piece piece[CASE_PIECES];
	size_t n_piece;
	struct text expect;
};

/**
 * case_read() - read one of the cases of a file
 * @which: 0 for the first
 * @error: what is wrong, with a line number
 *
 * Return: 1: read; 0: there are not so many; -1: *@error says why not. case_fini() in any case.
 */
int case_read(struct trace_case *c, FILE *f, const char *path, int which, struct text *error);
void case_fini(struct trace_case *c);

/* The space of the code after a context. */
int case_space(const struct trace_case *c, const struct csf_context *context);

/* The first time after @time at which a map changes; 0: there is none. */
uint64_t case_limit(const struct trace_case *c, uint64_t time);

/* The configuration that cases start from: an ETE 1.0 as in most cores. */
void case_config(struct csf_config *config);

/* Changes a configuration by a line of words.  Returns the word it does not know, or NULL. */
const char *case_configure(struct csf_config *config, char *words);

#endif /* CASE_H */
