/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of the part that a task of an engine makes. */
#ifndef CSF_SHARD_TASK_H
#define CSF_SHARD_TASK_H

#include <stdint.h>

/**
 * task_part() - find the number of a part
 * @word: as given; NULL: the engine's environment says it
 * @n: parts of the plan
 * @k: set to the number, from 1 to @n
 *
 * Reports errors: no number, one that is too large, or two engines that disagree.
 *
 * Return: CMD_OK or CMD_USAGE.
 */
int task_part(const char *word, uint32_t n, uint32_t *k);

#endif /* CSF_SHARD_TASK_H */
