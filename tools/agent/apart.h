/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that are left out of the counts, by name, systemd unit, cgroup or user.
 *
 * A process is left out if it fits at the start or the end of a recording, or takes a fitting name
 * meanwhile; so are all that it forks.  Each CPU has a ring, so a record of a fork may be read
 * before the one that says that the parent is left out: forks are kept until all records are read.
 */
#ifndef CSF_APART_H
#define CSF_APART_H

#include "agent-config.h"

/* A process that began. */
struct apart_fork {
	uint64_t time;
	uint32_t pid, parent;
};

/**
 * struct apart - zero is none
 * @pid: @n processes, in the order of their numbers
 * @fork: @n_fork forks, in any order
 */
struct apart {
	uint32_t *pid;
	size_t n, size;
	struct apart_fork *fork;
	size_t n_fork, fork_size;
};

/* Does the process fit now?  It may have ended. */
bool apart_fits(const struct agent_config *config, uint32_t pid, const char *comm);

bool apart_has(const struct apart *apart, uint32_t pid);

/* Return: 0, -ENOMEM. */
int apart_add(struct apart *apart, uint32_t pid);
int apart_add_fork(struct apart *apart, const struct apart_fork *fork);

/* Adds what those that are left out forked; call it after all others.  Return: 0, -ENOMEM. */
int apart_follow(struct apart *apart);
void apart_free(struct apart *apart);

#endif /* CSF_APART_H */
