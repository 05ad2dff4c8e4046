/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count tables of many machines, in groups: by version, by week, by type of machine.
 *
 *	struct fleet f = { .by = FLEET_WEEK };
 *
 *	status = fleet_list(&f, "list") ?: fleet_add(&f, "a.counts");
 *	status = fleet_load(&f, &options);
 *	err = fleet_print(&f, stdout);
 */
#ifndef CSF_FLEET_H
#define CSF_FLEET_H

#include "../profile/count-load.h"
#include "../profile/quality.h"

/* The columns of a list after the file; see fleet_list(). */
enum fleet_by { FLEET_VERSION, FLEET_WEEK, FLEET_MACHINE, FLEET_BY_NR };

/* So many functions are printed, and so many groups of them, the last. */
#define FLEET_FUNCTIONS	20
#define FLEET_GROUPS	10

/**
 * struct fleet_member - a count table
 * @path: owned, and so are its labels; NULL: the list does not have that label
 */
struct fleet_member {
	char *path, *label[FLEET_BY_NR];
};

/**
 * struct fleet_row - a function, or one way out of a block
 * @key: the same in all builds: of the names of file and function, and the distance from its start
 * @name, @file: of functions only; owned
 * @insns: executed
 */
struct fleet_row {
	uint64_t key, insns;
	char *name, *file;
};

/* Sorted by key; each key is there once. */
struct fleet_rows {
	struct fleet_row *row;
	size_t n, size;
};

/**
 * struct fleet_group - the count tables with one label
 * @n: how many
 * @path: theirs; borrowed
 * @insns: executed
 * @functions, @blocks: what was executed
 * @quality: of @table
 */
struct fleet_group {
	char *label;
	const char **path;
	size_t n, size;
	struct count_table table;
	uint64_t insns;
	struct fleet_rows functions, blocks;
	struct quality quality;
};

/* Zero it and set @by.  @group: in the order of labels, numbers in them by value. */
struct fleet {
	enum fleet_by by;
	struct fleet_member *member;
	size_t n, size;
	struct fleet_group *group;
	size_t n_group, size_group;
};

/*
 * Adds the files of a list: a line each, FILE [VERSION [WEEK [MACHINE]]], with a tab between them
 * or, if a line has none, blanks; "-", and nothing between two tabs, is no label; a line
 * that begins with "#" is a comment.  @path "-": standard input.
 *
 * Return: CMD_OK or CMD_FAILED.
 */
int fleet_list(struct fleet *f, const char *path);

/* Adds a file without labels.  Return: as fleet_list(). */
int fleet_add(struct fleet *f, const char *path);

/*
 * Loads and measures all.  A table without a version has the build-id of the program that was run;
 * without a week, that of its file's time.  Return: CMD_OK; CMD_FAILED: some were not loaded.
 */
int fleet_load(struct fleet *f, const struct count_load_options *options);
void fleet_fini(struct fleet *f);

/* The share that two groups have in common, 0 to 1: the sum of the lesser shares of each row. */
double fleet_overlap(const struct fleet_rows *a, const struct fleet_rows *b);

/* Return: 0 or -ENOMEM. */
int fleet_print(const struct fleet *f, FILE *out);
int fleet_csv(const struct fleet *f, FILE *out);
int fleet_json(const struct fleet *f, FILE *out);

/* "version" and so on. */
extern const char *const fleet_by_names[];

#endif /* CSF_FLEET_H */
