/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes sure that the recording has all that was executed, however the program ends: by itself, by
 * a signal, or because csflow record asks for it.
 */
#ifndef CSF_QEMU_KEEP_H
#define CSF_QEMU_KEEP_H

#include "vcpu.h"

/*
 * Starts a thread of the unit, which listens to csflow record, and regularly sends waiting data, so
 * that little is lost if the program is killed.  @truth: the log, or NULL.
 * Return: 0, -errno.
 */
int keep_begin(struct truth_writer *truth);

/* QEMU has set its handlers: from now on a fatal signal waits until everything is sent. */
void keep_watch_all(void);

/* The program has changed the action of @signo, and QEMU has set its handler anew. */
void keep_watch(unsigned int signo);

/* Sends the data of all CPUs, because @task, which is busy, may end the program now. */
void keep_save(struct task *task);

/* Ends the recording, once.  Other callers wait until that is done. */
void keep_end(void);

/* For a forked process. */
void keep_abandon(void);

#endif /* CSF_QEMU_KEEP_H */
