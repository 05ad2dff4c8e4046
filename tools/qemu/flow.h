/* SPDX-License-Identifier: GPL-2.0-only */
/* What was executed: from one block that begins to the next, and across system calls. */
#ifndef CSF_QEMU_FLOW_H
#define CSF_QEMU_FLOW_H

#include "vcpu.h"

/*
 * As flow_executed(), but it is what QEMU calls: it hands on the register of the host in which
 * translated code has the address of QEMU's CPU state.
 */
void flow_enter(unsigned int vcpu, void *code);

/* @code is about to be executed; @env: see guest.h. */
void flow_executed(unsigned int vcpu, struct code *code, const uint8_t *env);

/* A thread's system call begins: SVC was executed.  Leaves @task->busy set. */
void flow_call(struct task *task);

/*
 * What code is where is about to change; @task's CPU is stopped.  Return: the task has a CPU
 * still; false: the recording has ended.
 */
bool flow_change(struct task *task);

/* The thread with QEMU's number @vcpu, which is made if it is not known; it is the caller's. */
struct task *flow_task(unsigned int vcpu);
void flow_task_exit(unsigned int vcpu);

/* QEMU's number @vcpu will be that of a new thread, which the caller makes. */
void flow_task_made(unsigned int vcpu);

/* Sends what there is of the CPU that @task has. */
void flow_save(struct task *task);

/* The task of this thread, or NULL. */
struct task *flow_here(void);

/* Places where execution went in a way that nothing explains. */
uint64_t flow_unknown(void);
uint64_t flow_lost(void);

/* Ends the recording. */
void flow_end(void);

#endif /* CSF_QEMU_FLOW_H */
