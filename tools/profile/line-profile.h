/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by place in the source, as compilers take them: a tree of functions, with the functions
 * that are inlined in each, and where.
 *
 *	struct samples s;
 *
 *	err = samples_read(&s, profile, SAMPLES_CLANG);
 *	for (uint32_t i = s.node[0].inner; i; i = s.node[i].next)
 *		print(&s, i);
 *	samples_fini(&s);
 */
#ifndef CSF_SAMPLES_H
#define CSF_SAMPLES_H

#include "../code/frames.h"
#include "../code/functions.h"
#include "probes.h"
#include "profile.h"

/*
 * The kind of discriminators.  Those of clang contain several numbers, of which the first one is
 * used.  If samples_read() is called with SAMPLES_CLANG, it detects discriminators of clang's code
 * generator (-enable-fs-discriminator), whose passes each use some of all 32 bits, and which are
 * used whole; and it detects probes, which replace lines.
 */
enum samples_kind { SAMPLES_CLANG, SAMPLES_GCC, SAMPLES_FS, SAMPLES_PROBES };

/* A name of a function, without the suffixes of compilers: @n bytes. */
struct sample_name {
	const char *text;
	size_t n;
};

/**
 * struct sample_place - a line of a function
 * @node: that function
 * @line: relative to the first line of the function, 16 bits; the number of a probe
 */
struct sample_place {
	uint32_t node, line, discriminator;
};

/**
 * struct sample_node - a function, or one that is inlined; node 0 is neither
 * @at: where it is inlined; node 0: not inlined
 * @head: how often it was called, if it is not inlined
 * @checksum: as frame.checksum
 * @total: count times bytes of its instructions, including inlined ones; for probes: the sum of
 *         their counts
 * @line: first of its lines, @n_line of them
 * @inner: the first inlined in it, in the order of places and names; for node 0, the first of all
 * functions, by total; @next: the next one of these; 0: none
 */
struct sample_node {
	struct sample_name name;
	struct sample_place at;
	uint64_t head, checksum, total;
	size_t line, n_line;
	uint32_t inner, next;
};

/**
 * struct sample_line - how often a place ran
 * @count: of its most executed instruction; for a probe, the sum of all its copies
 * @target: first of the functions called there, the most frequent first, @n_target of them
 */
struct sample_line {
	struct sample_place at;
	uint64_t count;
	size_t target, n_target;
};

struct sample_target {
	struct sample_place at;
	struct sample_name name;
	uint64_t count;
};

/* Everything is sorted. */
struct samples {
	struct sample_node *node;
	struct sample_line *line;
	struct sample_target *target;
	size_t n_node, n_line, n_target;
	/* private */
	const struct profile *p;
	enum samples_kind kind;
	struct functions file;
	struct frames frames;
	struct probes probes;
	size_t size_node, size_line, size_target;
	uint32_t *hash;
};

/*
 * Return: 0; -ENODATA: no debug information, or nothing ran that has some; -EBADMSG: probes that
 * cannot be read; -ENOMEM.  Call samples_fini() in any case.
 */
int samples_read(struct samples *s, const struct profile *p, enum samples_kind kind);

/*
 * The same in two parts, for callers with several tables for one file: after the first, each
 * further table replaces the one before.  Code that did not run has no lines then.
 */
int samples_open(struct samples *s, const struct profile *p, enum samples_kind kind);
int samples_take(struct samples *s, const struct profile *p);

/* The place of an instruction in the source, as in samples; @node is not set. */
struct sample_place samples_place(const struct samples *s, const struct frame *f);

/* A name without the suffixes of compilers. */
struct sample_name samples_name(const char *text);

void samples_fini(struct samples *s);

/* All names, sorted, each once, for the caller to free.  Return: 0 or -ENOMEM. */
int samples_names(const struct samples *s, struct sample_name **name, size_t *n);

/* By bytes. */
int sample_name_order(const struct sample_name *a, const struct sample_name *b);

#endif /* CSF_SAMPLES_H */
