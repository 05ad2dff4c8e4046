/* SPDX-License-Identifier: GPL-2.0-only */
/* Execution: from the beginning of one block to the next, and across system calls. */
#ifndef CSF_QEMU_FLOW_H
#define CSF_QEMU_FLOW_H

#include "vcpu.h"

/*
 * As flow_executed(), but called by QEMU: it passes on the host register in which translated code
 * has the address of QEMU's CPU state.
 */
void flow_enter(unsigned int vcpu, void *code);

/* Called by QEMU, after each access to memory, for an ETMv3. */
void flow_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *unused);

/* @code is about to be executed; @env: see guest.h. */
void flow_executed(unsigned int vcpu, struct code *code, const uint8_t *env);

/* A thread's system call begins: SVC was executed.  Leaves @task->busy set. */
void flow_call(struct task *task);

/*
 * The program's maps are about to change; @task's CPU is stopped.  Return: the task still has a
 * CPU; false: the recording has ended.
 */
bool flow_change(struct task *task);

/* The thread with QEMU's number @vcpu, made if it is new; the caller's own. */
struct task *flow_task(unsigned int vcpu);
void flow_task_exit(unsigned int vcpu);

/* QEMU's number @vcpu will be that of a new thread, made by the caller. */
void flow_task_made(unsigned int vcpu);

/* Sends all data of @task's CPU. */
void flow_save(struct task *task);

/* The task of this thread, or NULL. */
struct task *flow_here(void);

/* The number of places where execution went on without an explanation. */
uint64_t flow_unknown(void);
uint64_t flow_lost(void);

/* Ends the recording. */
void flow_end(void);

#endif /* CSF_QEMU_FLOW_H */
