/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that change maps, tasks, or the actions of signals. */
#ifndef CSF_QEMU_SYSCALL_H
#define CSF_QEMU_SYSCALL_H

#include "vcpu.h"

/* @task->number and @task->arg are set. */
void syscall_begins(struct task *task);

/* @task has a CPU. */
void syscall_ends(struct task *task, int64_t ret);

#endif /* CSF_QEMU_SYSCALL_H */
