/* SPDX-License-Identifier: GPL-2.0-only */
/* What Slurm's queue says of the jobs that were submitted. */
#ifndef CSF_SHARD_QUEUE_H
#define CSF_SHARD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/* Tasks that run, and that wait; those that have ended are not in the queue. */
struct queue {
	size_t running, waiting;
};

/* Asks squeue about the jobs @ids, which have @between between them.  Return: it answered. */
bool queue_ask(struct queue *queue, const char *ids, char between);

#endif /* CSF_SHARD_QUEUE_H */
