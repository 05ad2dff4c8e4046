/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that run at the same time, a limited number of them. */
#ifndef CSF_SHARD_POOL_H
#define CSF_SHARD_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct pool - commands to run
 * @argv: returns the arguments of command @i, ended by NULL, valid until the next call
 * @each: called about once a second
 * @owner: for both
 * @n: commands; @jobs: that many at a time
 * @said: a file for what they print on standard output; NULL: they share ours.  With a file,
 *        signals of the terminal do not reach them, and only SIGKILL ends them with csflow: after
 *        another signal, qsub would delete its job.
 */
struct pool {
	const char *const *(*argv)(void *owner, size_t i);
	void (*each)(void *owner);
	void *owner;
	size_t n;
	uint32_t jobs;
	FILE *said;
};

/*
 * Runs all commands to their ends, whatever these are.  If csflow ends meanwhile, they do, too.
 *
 * Return: the status of the one that ended last: as tool_run().
 */
int pool_run(const struct pool *pool);

#endif /* CSF_SHARD_POOL_H */
