/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * That the recording has all that was executed, however the program ends: by itself, by a signal,
 * or because csflow record is to end.
 */
#ifndef CSF_QEMU_KEEP_H
#define CSF_QEMU_KEEP_H

#include "vcpu.h"

/*
 * Starts a thread of the unit's own, which hears csflow record, and hands over what waits every so
 * often: a program that is killed takes no more along.  @truth: the log, or NULL.
 * Return: 0, -errno.
 */
int keep_begin(struct truth_writer *truth);

/* QEMU has its handlers: from now on a signal that ends the program waits until all is sent. */
void keep_watch_all(void);

/* The program has set what becomes of @signo, and QEMU has set its handler anew. */
void keep_watch(unsigned int signo);

/* Hands over what there is of all CPUs, for @task, which is busy, may end the program now. */
void keep_save(struct task *task);

/* Ends the recording, once.  Whoever else calls it waits until that is done. */
void keep_end(void);

/* In a process that was forked. */
void keep_abandon(void);

#endif /* CSF_QEMU_KEEP_H */
