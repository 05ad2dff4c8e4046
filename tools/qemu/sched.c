// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "sched.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How often a waiting task checks whether the owner of a CPU sleeps. */
#define LOOK_NS		1000000
/* The number of such checks in which it slept and did nothing. */
#define LOOKS		3

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct task *first, **last;	/* waiting tasks */
	atomic_int waiting;
	atomic_bool empty_sink;
	uint32_t sink_cpu;		/* the CPU whose buffer gets it */
	bool held;			/* no task gets a CPU */
	atomic_bool ended;
} sched = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.last = &sched.first,
};

void sched_init(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

/* ---------------------------------------------------------------- taking a CPU away */

static bool sleeps(const struct task *task)
{
	char text[256];
	ssize_t n = task->state < 0 ? 0 : pread(task->state, text, sizeof(text) - 1, 0);
	const char *p;

	if (n <= 0)
		return false;
	text[n] = '\0';
	p = strrchr(text, ')');
	return p && p[1] == ' ' && p[2] == 'S';
}

/*
 * The owner's current block is not in the trace and not yet known: the trace ends where that block
 * begins.  The owner adds it to the log when it comes back.
 */
static void take_away(struct vcpu *cpu)
{
	struct task *task = cpu->owner;

	cpu->owner = NULL;
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	while (task->busy)
		sched_yield();
	if (cpu->on)
		vcpu_leave(cpu, ENC_EXC_IRQ, task->last ? task->last->pc : 0);
}

/* Does a task sleep with a CPU, since several checks? */
static void look(void)
{
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++) {
		struct vcpu *cpu = vcpu_at(i);
		struct task *owner = cpu->owner;

		if (!owner || owner->busy || cpu->clock != cpu->seen || !sleeps(owner)) {
			cpu->seen = cpu->clock;
			cpu->looks = 0;
		} else if (++cpu->looks >= LOOKS) {
			cpu->looks = 0;
			take_away(cpu);
		}
	}
}

/* ---------------------------------------------------------------- giving CPUs to tasks */

/* The owner of a CPU may be about to start it: only free CPUs are certainly stopped. */
static void empty_sink(void)
{
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++)
		if (vcpu_at(i)->owner)
			return;
	vcpu_empty_sink(vcpu_at(sched.sink_cpu));
	sched.empty_sink = false;
	pthread_cond_broadcast(&sched.changed);
}

/* Chooses its own CPU if it is free, but now and then another one. */
static struct vcpu *choose(const struct task *task)
{
	const struct port_setup *port = vcpu_setup();
	bool away = port->migrate && task->n_scheduled % port->migrate == port->migrate - 1;
	uint32_t from = task->cpu ? task->cpu->number : 0;

	for (uint32_t i = away; i < port->n_cpu + away; i++) {
		struct vcpu *cpu = vcpu_at((from + i) % port->n_cpu);

		if (!cpu->owner)
			return cpu;
	}
	return NULL;
}

/* The buffer of a thread ends where it leaves its CPU and another thread comes. */
static void open_buffer(struct vcpu *cpu, struct task *task)
{
	struct task *old = cpu->task;

	if (!vcpu_setup()->per_thread || (old == task && task->open == (int)cpu->number))
		return;
	if (old && old->open == (int)cpu->number)
		vcpu_empty_task(old);
	if (task->open >= 0)
		vcpu_empty_task(task);
	vcpu_renew(cpu);
}

static void queue(struct task *task)
{
	task->next = NULL;
	*sched.last = task;
	sched.last = &task->next;
	sched.waiting++;
}

static void dequeue(const struct task *task)
{
	struct task **link = &sched.first;

	while (*link != task)
		link = &(*link)->next;
	*link = task->next;
	if (!task->next)
		sched.last = link;
	sched.waiting--;
}

static void wait(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (pthread_cond_timedwait(&sched.changed, &sched.lock, &until) == ETIMEDOUT)
		look();
}

bool sched_take(struct task *task)
{
	struct vcpu *cpu = NULL;

	pthread_mutex_lock(&sched.lock);
	queue(task);
	while (!sched.ended) {
		if (sched.empty_sink)
			empty_sink();
		if (!sched.empty_sink && !sched.held && sched.first == task)
			cpu = choose(task);
		if (cpu)
			break;
		wait();
	}
	dequeue(task);
	if (cpu) {
		open_buffer(cpu, task);
		cpu->owner = task;
		task->cpu = cpu;
		task->quantum = vcpu_setup()->quantum;
		task->n_scheduled++;
	}
	pthread_cond_broadcast(&sched.changed);
	pthread_mutex_unlock(&sched.lock);
	return cpu;
}

void sched_leave(struct task *task)
{
	pthread_mutex_lock(&sched.lock);
	if (sched_has(task))
		task->cpu->owner = NULL;
	if (sched.empty_sink)
		empty_sink();
	pthread_cond_broadcast(&sched.changed);
	pthread_mutex_unlock(&sched.lock);
}

void sched_look_idle(void)
{
	/* The holder of the lock may wait for the busy caller: the next check is enough. */
	if (vcpu_setup()->n_cpu < 2 || pthread_mutex_trylock(&sched.lock))
		return;
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++)
		if (!vcpu_at(i)->owner && !sched.ended)
			vcpu_idle(vcpu_at(i));
	pthread_mutex_unlock(&sched.lock);
}

void sched_exit(struct task *task)
{
	sched_leave(task);
	pthread_mutex_lock(&sched.lock);
	if (task->open >= 0 && vcpu_setup()->per_thread)
		vcpu_empty_task(task);
	pthread_mutex_unlock(&sched.lock);
}

bool sched_is_wanted(const struct task *task)
{
	return sched.empty_sink || (task->quantum <= 0 && (sched.waiting || vcpu_setup()->migrate));
}

void sched_empty_idle(struct task *task)
{
	const bool per_thread = vcpu_setup()->per_thread;

	pthread_mutex_lock(&sched.lock);
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++) {
		struct vcpu *cpu = vcpu_at(i);

		if (cpu->owner != task && (per_thread || cpu->owner || !cpu->fragment))
			continue;
		/* The previous task may be elsewhere now, together with its buffer. */
		if (!per_thread || cpu->task == task)
			vcpu_empty(cpu, false);
		vcpu_renew(cpu);
	}
	pthread_mutex_unlock(&sched.lock);
}

void sched_empty_sink(uint32_t cpu)
{
	sched.sink_cpu = cpu;
	sched.empty_sink = true;
}

/* ---------------------------------------------------------------- the end */

void sched_save(const struct task *task)
{
	pthread_mutex_lock(&sched.lock);
	sched.held = !task;
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu && !sched.ended; i++) {
		struct vcpu *cpu = vcpu_at(i);

		if (cpu->owner && cpu->owner != task)
			take_away(cpu);
		if (!cpu->owner && cpu->truth)
			truth_flush(cpu->truth);
	}
	pthread_mutex_unlock(&sched.lock);
}

void sched_go_on(void)
{
	pthread_mutex_lock(&sched.lock);
	sched.held = false;
	pthread_cond_broadcast(&sched.changed);
	pthread_mutex_unlock(&sched.lock);
}

void sched_end(void)
{
	pthread_mutex_lock(&sched.lock);
	sched.ended = true;
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++)
		if (vcpu_at(i)->owner)
			take_away(vcpu_at(i));
	pthread_cond_broadcast(&sched.changed);
	pthread_mutex_unlock(&sched.lock);
}

bool sched_has_ended(void)
{
	return sched.ended;
}

void sched_abandon(void)
{
	sched.ended = true;
	pthread_mutex_init(&sched.lock, NULL);
}
