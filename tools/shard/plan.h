/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan: many inputs divided into parts, of which each can be made alone, on any machine.
 * Documentation/format/shard-plan.rst describes the file.
 *
 *	struct plan plan = { 0 };
 *
 *	if (!plan_read(&plan, "fleet.plan"))
 *		... plan.part[k] ...
 *	plan_fini(&plan);
 */
#ifndef CSF_SHARD_PLAN_H
#define CSF_SHARD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PLAN_NAME	"csflow-shard-plan "
#define PLAN_MAGIC	PLAN_NAME "1\n"

/* Slurm takes up to 4,000,000 tasks in an array; names and tables of a plan have this many. */
#define PLAN_PARTS_MAX	1000000u

/**
 * enum plan_word - what the plan says about finding programs, as options of the same names
 * @PLAN_BINARY: any number; each of the others at most once
 */
enum plan_word { PLAN_BINARY, PLAN_SYMFS, PLAN_VMLINUX, PLAN_BUILDID_DIR, PLAN_WORDS };

extern const char *const plan_word_names[PLAN_WORDS];

/* @path: absolute. */
struct plan_option {
	enum plan_word word;
	char *path;
};

/**
 * struct plan_input - a recording, or a file of counts
 * @path: absolute
 * @size: bytes; @hash: index_hash_of() the file
 */
struct plan_input {
	char *path;
	uint64_t size, hash;
};

/**
 * struct plan_piece - an input, or what ran in a span of time of a recording
 * @input: its number, from 0
 * @from, @until: ns, both included; 0 and UINT64_MAX: all
 * @bytes: of the input
 */
struct plan_piece {
	uint32_t input;
	uint64_t from, until, bytes;
};

/* @n pieces, from @first on; @bytes of all. */
struct plan_part {
	size_t first, n;
	uint64_t bytes;
};

/**
 * struct plan - zero is empty; all is the plan's own
 * @hash: of everything in it
 * @version: of csflow, which made it
 * @option: by enum plan_word
 * @piece: part by part; in a part by input and time
 */
struct plan {
	uint64_t hash;
	char *version;
	struct plan_option *option;
	struct plan_input *input;
	struct plan_piece *piece;
	struct plan_part *part;
	size_t n_option, n_input, n_piece, n_part;
	size_t size_option, size_input, size_piece, size_part;
};

/* Return: 0 or -ENOMEM. */
int plan_add_option(struct plan *plan, enum plan_word word, const char *path);
int plan_add_input(struct plan *plan, const struct plan_input *input);
int plan_add_piece(struct plan *plan, const struct plan_piece *piece);

void plan_fini(struct plan *plan);

/* Writes it, and sets @hash.  Return: 0 or -errno. */
int plan_write(struct plan *plan, FILE *f);

/* The error in a plan, and its line, from 1; 0: the plan as a whole is wrong. */
struct plan_problem {
	const char *why;
	size_t line;
};

/**
 * plan_parse() - a plan from the @n bytes of a file
 * @plan: empty
 *
 * A plan is what plan_write() writes and nothing else.  Each input is in its parts exactly once.
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.  Free @plan in any case.
 */
int plan_parse(struct plan *plan, const char *bytes, size_t n, struct plan_problem *problem);

/* From a file; reports errors.  Return: CMD_OK or CMD_FAILED. */
int plan_read(struct plan *plan, const char *path);

#endif /* CSF_SHARD_PLAN_H */
