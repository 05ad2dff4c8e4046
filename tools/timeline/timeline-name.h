/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of what a timeline shows: functions above all, each with a number.
 *
 *	struct timeline_names names;
 *
 *	err = timeline_names_init(&names, &session->map->code);
 *	timeline_place(&names, &where, &place);
 *	puts(names.name[place.name].text);
 */
#ifndef CSF_TIMELINE_NAME_H
#define CSF_TIMELINE_NAME_H

#include "../../perf-plugin/perf-code.h"

/* Longer names are cut. */
#define TIMELINE_NAME_MAX	2048
/* When there are more, what is new has no name of its own: what is made up has any number. */
#define TIMELINE_NAMES_MAX	(1u << 20)

/**
 * struct timeline_name - what a slice is called
 * @text: UTF-8
 * @area: of a function without a symbol: number of what stands for all of them in its file; else
 *        its own number: what has another one is another function
 * @told: the file that is written has it
 */
struct timeline_name {
	char *text;
	uint32_t area;
	bool told;
};

/* Where a branch comes from or goes to.  @called: by a call, so that a function begins there. */
struct timeline_where {
	uint64_t addr, time;
	int space;
	bool called;
};

/**
 * struct timeline_place - the function there
 * @name: its number
 * @entry: it begins there
 */
struct timeline_place {
	uint32_t name;
	bool entry;
};

#define TIMELINE_RECENT	8192

/**
 * struct timeline_names - all of them
 * @name: @n of them, from 1
 */
struct timeline_names {
	struct timeline_name *name;
	size_t n;
	/* private */
	struct perf_code *code;
	size_t size;
	struct timeline_key *key;	/* of each name */
	uint32_t *hash;
	size_t n_hash;
	struct timeline_known *recent;
	uint32_t unknown;
};

/* Return: 0; -1: no memory. */
int timeline_names_init(struct timeline_names *names, struct perf_code *code);
void timeline_names_fini(struct timeline_names *names);

/* A name that is none of a function; it is copied.  Return: its number; 0: no memory. */
uint32_t timeline_names_add(struct timeline_names *names, const char *text);

/*
 * The function at @where.  @until: of struct perf_who, for as long as the answer holds; 0: only at
 * that time.
 * Return: 0; -1: no memory.
 */
int timeline_place(struct timeline_names *names, const struct timeline_where *where, uint64_t until,
		   struct timeline_place *place);

#endif /* CSF_TIMELINE_NAME_H */
