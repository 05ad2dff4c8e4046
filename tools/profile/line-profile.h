/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by line of the source, as compilers take them: a tree of functions, with the functions
 * that are inlined in each, and where.
 *
 *	struct line_profile s;
 *
 *	err = line_profile_read(&s, profile, LINE_PROFILE_CLANG);
 *	for (uint32_t i = s.node[0].inner; i; i = s.node[i].next)
 *		print(&s, i);
 *	line_profile_fini(&s);
 */
#ifndef CSF_LINE_PROFILE_H
#define CSF_LINE_PROFILE_H

#include "../../perf-plugin/hash.h"
#include "../code/frames.h"
#include "../code/functions.h"
#include "probes.h"
#include "profile.h"

/*
 * The kind of discriminators.  Those of clang contain several numbers, of which the first one is
 * used.  If line_profile_read() is called with LINE_PROFILE_CLANG, it detects discriminators of
 * clang's code generator (-enable-fs-discriminator), whose passes each use some of all 32 bits, and
 * which are used whole; and it detects probes, which replace lines.
 */
enum line_profile_kind {
	LINE_PROFILE_CLANG,
	LINE_PROFILE_GCC,
	LINE_PROFILE_FS,
	LINE_PROFILE_PROBES
};

/* A name of a function, without the suffixes of compilers: @n bytes. */
struct profile_name {
	const char *text;
	size_t n;
};

/**
 * struct profile_at - a line of a function
 * @node: that function
 * @line: relative to the first line of the function, 16 bits; the number of a probe
 */
struct profile_at {
	uint32_t node, line, discriminator;
};

/**
 * struct profile_node - a function, or one that is inlined; node 0 is neither
 * @at: where it is inlined; node 0: not inlined
 * @head: how often it was called, if it is not inlined
 * @checksum: as frame.checksum
 * @total: count times bytes of its instructions, including inlined ones; for probes: the sum of
 *         their counts
 * @line: first of its lines, @n_line of them
 * @inner: the first inlined in it, in the order of lines and names; for node 0, the first of all
 * functions, by total; @next: the next one of these; 0: none
 */
struct profile_node {
	struct profile_name name;
	struct profile_at at;
	uint64_t head, checksum, total;
	size_t line, n_line;
	uint32_t inner, next;
};

/**
 * struct profile_line_counts - how often a line ran
 * @count: of its most executed instruction; for a probe, the sum of all its copies
 * @target: first of the functions called there, the most frequent first, @n_target of them
 */
struct profile_line_counts {
	struct profile_at at;
	uint64_t count;
	size_t target, n_target;
};

struct profile_target {
	struct profile_at at;
	struct profile_name name;
	uint64_t count;
};

/* Everything is sorted. */
struct line_profile {
	struct profile_node *node;
	struct profile_line_counts *line;
	struct profile_target *target;
	size_t n_node, n_line, n_target;
	/* private */
	const struct profile *p;
	enum line_profile_kind kind;
	struct functions file;
	struct frames frames;
	struct probes probes;
	size_t size_node, size_line, size_target;
	struct hash_table by_key;	/* nodes */
};

/*
 * Return: 0; -ENODATA: no debug information, or nothing ran that has some; -EBADMSG: probes that
 * cannot be read; -ENOMEM.  Call line_profile_fini() in any case.
 */
int line_profile_read(struct line_profile *s, const struct profile *p, enum line_profile_kind kind);

/*
 * The same in two parts, for callers with several tables for one file: after the first, each
 * further table replaces the one before.  Code that did not run has no lines then.
 */
int line_profile_open(struct line_profile *s, const struct profile *p, enum line_profile_kind kind);
int line_profile_take(struct line_profile *s, const struct profile *p);

/* The line of an instruction, as in samples; @node is not set. */
struct profile_at line_profile_at(const struct line_profile *s, const struct frame *f);

/* A name without the suffixes of compilers. */
struct profile_name line_profile_name(const char *text);

void line_profile_fini(struct line_profile *s);

/* All names, sorted, each once, for the caller to free.  Return: 0 or -ENOMEM. */
int line_profile_names(const struct line_profile *s, struct profile_name **name, size_t *n);

/* By bytes. */
int profile_name_order(const struct profile_name *a, const struct profile_name *b);

#endif /* CSF_LINE_PROFILE_H */
