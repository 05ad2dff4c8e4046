/* SPDX-License-Identifier: GPL-2.0-only */
/* How many tasks an engine takes in one array, as its administrator has set it. */
#ifndef CSF_SHARD_LIMIT_H
#define CSF_SHARD_LIMIT_H

#include <stddef.h>

/**
 * struct limit - where the engine says it
 * @argv: a command that prints the engine's settings, ended by NULL; none: there is no limit
 * @name: begins the line that has the number
 * @less: what the number is above the limit
 */
struct limit {
	const char *argv[4], *name;
	size_t less;
};

/* Return: the limit, if the engine says it and it is below @most; else @most. */
size_t limit_of(const struct limit *limit, size_t most);

#endif /* CSF_SHARD_LIMIT_H */
