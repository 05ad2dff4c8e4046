/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads on virtual CPUs.
 *
 * Threads of the program are threads of the host, and as many of them as there are virtual CPUs
 * may execute.  The others wait, in the order of their arrival.
 *
 * A thread that waits inside a call-back holds up QEMU if it needs to be alone, for instance
 * for an atomic operation of 128 bits; then the thread that has the CPU waits for QEMU, and QEMU
 * for the thread that waits for the CPU.  So a CPU whose owner sleeps is taken away from it.
 */
#ifndef CSF_QEMU_SCHED_H
#define CSF_QEMU_SCHED_H

#include "vcpu.h"

void sched_init(void);

/* Does @task have its CPU?  Inside the unit (@task->busy) it keeps the CPU until it waits. */
static inline bool sched_has(const struct task *task)
{
	return task->cpu &&
		atomic_load_explicit(&task->cpu->owner, memory_order_relaxed) == task;
}

/* Gets a CPU for @task, which has none.  Return: false: the recording has ended. */
bool sched_take(struct task *task);

/* @task, whose CPU is stopped, does not need it for a while. */
void sched_leave(struct task *task);

/* Records CPUs that no task has had for some time as idle. */
void sched_look_idle(void);

/* @task ends. */
void sched_exit(struct task *task);

/* Should @task give its CPU to another task? */
bool sched_is_wanted(const struct task *task);

/* The buffer of @task's CPU is emptied, and those of free CPUs. */
void sched_empty_idle(struct task *task);

/* The shared sink is full: it is emptied as soon as all CPUs are stopped, into that of @cpu. */
void sched_empty_sink(uint32_t cpu);

/*
 * Takes the CPUs of all tasks but @task, after their data is sent.  NULL: of all tasks, and none
 * gets one until sched_go_on().
 */
void sched_save(const struct task *task);
void sched_go_on(void);

/* Ends the recording: takes all CPUs.  Their tasks go on without them. */
void sched_end(void);
bool sched_has_ended(void);

/* For a forked process: behaves as if the recording had ended. */
void sched_abandon(void);

#endif /* CSF_QEMU_SCHED_H */
