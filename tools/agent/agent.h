/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent: rounds, from a signal to the next. */
#ifndef CSF_AGENT_H
#define CSF_AGENT_H

#include <stdbool.h>

/*
 * Runs as the configuration at @path says.  @once: one round.  Reports everything.  Return: CMD_OK:
 * a signal ended it, or the one round is written; CMD_FAILED.
 */
int agent_run(const char *path, bool once);

#endif /* CSF_AGENT_H */
