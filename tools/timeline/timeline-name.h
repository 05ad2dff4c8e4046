/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names in a timeline, mainly of functions, each with a number.
 *
 *	struct timeline_names names;
 *
 *	err = timeline_names_init(&names, &replay->tasks->code);
 *	timeline_function(&names, &where, &function);
 *	puts(names.name[function.name].text);
 */
#ifndef CSF_TIMELINE_NAME_H
#define CSF_TIMELINE_NAME_H

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/perf-code.h"
#include "../index/selection.h"

/* Longer names are cut. */
#define TIMELINE_NAME_MAX	2048
/* The most names; further ones get no entry, and generated names share a number. */
#define TIMELINE_NAMES_MAX	(1u << 20)

/**
 * struct timeline_name - the name of a slice
 * @text: UTF-8
 * @area: for a function without a symbol, the number of the entry for all of them in its file; else
 *        its own number; different numbers are different functions
 * @told: it is in the output
 * @left_out: it is a function that is not chosen
 */
struct timeline_name {
	char *text;
	uint32_t area;
	bool told, left_out;
};

/* The origin or target of a branch.  @called: a call goes there, so a function begins. */
struct timeline_where {
	uint64_t addr, time;
	int space;
	bool called;
};

/**
 * struct timeline_function - the function at an address
 * @name: number of its name
 * @entry: the function begins there
 */
struct timeline_function {
	uint32_t name;
	bool entry;
};

#define TIMELINE_RECENT	8192

/**
 * struct timeline_names - all names
 * @name: @n of them, from 1
 * @part: the chosen files and functions; NULL: all.  Set after timeline_names_init()
 */
struct timeline_names {
	struct timeline_name *name;
	size_t n;
	const struct selection *part;
	/* private */
	struct perf_code *code;
	size_t size;
	struct timeline_key *key;	/* of each name */
	struct hash_table by_key;
	struct timeline_known *recent;
	uint32_t unknown;
};

/* Return: 0; -1: no memory. */
int timeline_names_init(struct timeline_names *names, struct perf_code *code);
void timeline_names_fini(struct timeline_names *names);

/* Adds a name that is not a function's; it is copied.  Return: its number; 0: no memory. */
uint32_t timeline_names_add(struct timeline_names *names, const char *text);

/*
 * Finds the function at @where.  @until: from struct perf_who, how long the answer is valid; 0:
 * only at that time.
 * Return: 0; -1: no memory.
 */
int timeline_function(struct timeline_names *names, const struct timeline_where *where,
		      uint64_t until, struct timeline_function *function);

/* The number of the name of an inlined function; 0: no memory. */
uint32_t timeline_inlined(struct timeline_names *names, const struct elf_function *function);

/* The innermost inlined function at @where; NULL: none. */
const struct elf_inlined *timeline_find_inlined(struct timeline_names *names,
						const struct timeline_where *where);

#endif /* CSF_TIMELINE_NAME_H */
