/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by place in the source, as compilers take them: a tree of functions and of what is
 * inlined in each, and where.
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
 * Whose discriminators: clang's have several numbers in them, of which the first one counts.  Where
 * samples_read() is asked for these it finds out itself that they are of clang's code generator
 * (-enable-fs-discriminator), whose passes take bits of all 32 each, and all count; or that there
 * are probes, in place of lines.
 */
enum samples_kind { SAMPLES_CLANG, SAMPLES_GCC, SAMPLES_FS, SAMPLES_PROBES };

/* A name of a function, of which @n bytes count: what compilers put behind it is left out. */
struct sample_name {
	const char *text;
	size_t n;
};

/**
 * struct sample_place - a line of a function
 * @node: that function
 * @line: less that on which it begins, 16 bits; of probes: which
 */
struct sample_place {
	uint32_t node, line, discriminator;
};

/**
 * struct sample_node - a function, or one that is inlined; node 0 is neither
 * @at: where it is inlined; node 0: it is not
 * @head: how often it was called, if it is not inlined
 * @checksum: as frame.checksum
 * @total: count times bytes of its instructions, those of what is inlined in it included; of
 *         probes: their counts
 * @line: first of its lines, @n_line of them
 * @inner: first of what is inlined in it, in the order of places and names; of node 0, first of all
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
 * @count: of its instructions, that which ran most; of copies of a probe, all together
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
 * cannot be read; -ENOMEM.  In any case samples_fini() is to be called.
 */
int samples_read(struct samples *s, const struct profile *p, enum samples_kind kind);

/*
 * The same in two parts, for those who have several tables for one file: after the first, each of
 * the others takes the place of the one before.  What did not run has no lines then.
 */
int samples_open(struct samples *s, const struct profile *p, enum samples_kind kind);
int samples_take(struct samples *s, const struct profile *p);

/* The place of an instruction in the source, as samples have it; @node is not set. */
struct sample_place samples_place(const struct samples *s, const struct frame *f);

/* Without what compilers put behind it. */
struct sample_name samples_name(const char *text);

void samples_fini(struct samples *s);

/* All names, sorted, each once, for the caller to free.  Return: 0 or -ENOMEM. */
int samples_names(const struct samples *s, struct sample_name **name, size_t *n);

/* By bytes. */
int sample_name_order(const struct sample_name *a, const struct sample_name *b);

#endif /* CSF_SAMPLES_H */
