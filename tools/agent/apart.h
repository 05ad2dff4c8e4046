/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that are left out of the counts, by name, systemd unit, cgroup or user.
 *
 * A process is left out if it fits at the start or the end of a recording, or takes a fitting name
 * meanwhile; so are all that it forks.
 */
#ifndef CSF_APART_H
#define CSF_APART_H

#include "agent-config.h"

/**
 * struct apart - zero is none
 * @pid: @n processes, in the order of their numbers
 */
struct apart {
	uint32_t *pid;
	size_t n, size;
};

/* Does the process fit now?  It may have ended. */
bool apart_fits(const struct agent_config *config, uint32_t pid, const char *comm);

bool apart_has(const struct apart *apart, uint32_t pid);

/* Return: 0, -ENOMEM. */
int apart_add(struct apart *apart, uint32_t pid);
void apart_free(struct apart *apart);

#endif /* CSF_APART_H */
