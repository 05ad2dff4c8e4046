// SPDX-License-Identifier: GPL-2.0-only
/*
 * A block is known to have been executed when the next one of its thread begins: that shows
 * where it led.  Usually that is a successor of its last instruction.  If
 * not, the thread is in a signal handler, and its frame tells where it was; or QEMU has begun
 * anew in the middle of the block, for an instruction that changed code or must be alone.
 */
#define _GNU_SOURCE
#include "flow.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "enter.h"
#include "guest.h"
#include "keep.h"
#include "sched.h"

/* The most CPU numbers of QEMU, that is, threads of the program at one time. */
#define TASKS_MAX	65536

static struct {
	struct task *task[TASKS_MAX];
	uint32_t maker[TASKS_MAX];
	atomic_ullong unknown, lost;
	atomic_bool begun;
} flow;

/* The task of this thread of the host. */
static __thread struct task *here;

ENTER_TO("flow_enter", "flow_executed");

void flow_save(struct task *task)
{
	if (!sched_has(task))
		return;
	if (task->cpu->on) {
		enc_flush(task->cpu->enc);
		vcpu_drain(task->cpu);
	}
	vcpu_time(task->cpu);
	if (task->cpu->truth)
		truth_flush(task->cpu->truth);
}

/* ---------------------------------------------------------------- threads */

static int open_state(void)
{
	int fd = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? fd : port_out_of_way(fd);
}

struct task *flow_here(void)
{
	return here;
}

struct task *flow_task(unsigned int vcpu)
{
	struct task *task = flow.task[vcpu % TASKS_MAX];

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->pid = getpid();
	task->tid = gettid();
	task->maker = flow.maker[vcpu % TASKS_MAX];
	task->state = open_state();
	task->open = -1;
	flow.task[vcpu % TASKS_MAX] = task;
	here = task;
	return task;
}

void flow_task_made(unsigned int vcpu)
{
	flow.maker[vcpu % TASKS_MAX] = gettid();
}

static void send(uint32_t type, const struct task *task, uint32_t other, const char *name)
{
	struct port_head head = { .type = type, .pid = task->pid, .tid = task->tid, .other = other,
				  .cpu = task->cpu ? task->cpu->number : 0,
				  .flags = name && *name };

	port_begin();
	head.time = vcpu_time(NULL);
	port_send(&head, name, name ? strlen(name) + 1 : 0, NULL, 0);
	port_end();
}

static void announce_first(const struct task *task)
{
	const struct map_who who = { .truth = task->cpu->truth, .time = vcpu_time(task->cpu),
				     .pid = task->pid, .tid = task->tid,
				     .cpu = task->cpu->number };
	const char *path, *name;

	path = qemu_plugin_path_to_binary();
	name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	send(PORT_COMM, task, 0, name ? name : "");
	if (who.truth)
		truth_comm(who.truth, task->pid, task->tid, name ? name : "", true);
	free((char *)path);
	keep_watch_all();
	map_begin(&who);
}

static void announce(const struct task *task)
{
	if (atomic_exchange(&flow.begun, true)) {
		send(PORT_FORK, task, task->maker, NULL);
		return;
	}
	port_begin();
	announce_first(task);
	port_end();
}

void flow_task_exit(unsigned int vcpu)
{
	struct task *task = flow.task[vcpu % TASKS_MAX];

	if (!task || sched_has_ended())
		return;
	sched_exit(task);
	send(PORT_EXIT, task, 0, NULL);
	if (task->state >= 0)
		close(task->state);
	task->state = -1;
	flow.task[vcpu % TASKS_MAX] = NULL;
}

/* ---------------------------------------------------------------- outcomes of blocks */

/**
 * struct outcome - the outcome of a block that was begun
 * @n_insn: instructions executed
 * @whole: all of them
 * @exception: an exception came, @type, and the program would go on at @ret
 * @known: the above is known
 */
struct outcome {
	unsigned int n_insn;
	bool whole, exception, known;
	uint32_t type;
	uint64_t ret;
	enum enc_isa isa;
};

static enum enc_isa isa_of(bool thumb)
{
	return !guest_is_arm() ? ENC_A64 : thumb ? ENC_T32 : ENC_A32;
}

static uint32_t fault_type(const struct guest_signal *signal, bool began)
{
	switch (signal->signo) {
	case SIGSEGV:
	case SIGBUS:
		return began ? ENC_EXC_DATA_FAULT : ENC_EXC_INST_FAULT;
	case SIGTRAP:
		return ENC_EXC_INST_DEBUG;
	default:
		return ENC_EXC_TRAP;
	}
}

static void judge_signal(const struct code *last, const struct guest_signal *signal,
			 struct outcome *outcome)
{
	unsigned int before = code_before(last, signal->pc);

	outcome->exception = true;
	outcome->type = ENC_EXC_IRQ;
	outcome->ret = signal->pc;
	outcome->isa = isa_of(signal->thumb);
	if (signal->fault && before < last->n_insn) {
		outcome->type = fault_type(signal, true);
		outcome->n_insn = before;
		outcome->known = true;
		if (outcome->type == ENC_EXC_TRAP && vcpu_counts_undefined()) {
			outcome->n_insn++;
			outcome->ret += code_size_at(last, signal->pc);
		}
		return;
	}
	if (signal->fault)
		outcome->type = fault_type(signal, false);
	outcome->n_insn = last->n_insn;
	outcome->whole = true;
	outcome->known = code_leads_to(last, signal->pc);
}

/*
 * An SVC without a call-back for a system call: only on Linux for arm, which has private calls
 * from 0xf0000 on; or its condition was not met.
 */
static void judge_svc(const struct code *last, const uint8_t *env, struct outcome *outcome)
{
	outcome->n_insn = last->n_insn;
	outcome->whole = true;
	outcome->known = true;
	if (guest_r(env, 7) < 0xf0000)
		return;
	outcome->exception = true;
	outcome->type = ENC_EXC_CALL;
	outcome->ret = last->end;
	outcome->isa = last->isa;
}

/* Determines the outcome of @last, now that @next begins. */
static struct outcome judge(const struct code *last, const struct code *next, const uint8_t *env)
{
	struct outcome outcome = { .n_insn = last->n_insn, .ret = next->pc, .isa = next->isa };
	struct guest_signal signal;
	unsigned int before;

	if (next->look & CODE_HANDLER && guest_signal(env, next->pc, &signal)) {
		judge_signal(last, &signal, &outcome);
		return outcome;
	}
	if (last->call && guest_is_arm() && next->pc == last->end) {
		judge_svc(last, env, &outcome);
		return outcome;
	}
	/* A single instruction, not a branch, from the middle of the block: QEMU began anew. */
	before = code_before(last, next->pc);
	if (next->n_insn == 1 && (last->n_insn > 1 || vcpu_each) && before < last->n_insn &&
	    next->tail->block.last.class == ENC_PLAIN) {
		outcome.n_insn = before;
		outcome.known = true;
		return outcome;
	}
	outcome.whole = true;
	outcome.known = code_leads_to(last, next->pc);
	return outcome;
}

/* Adds it to the trace and the log, up to the beginning of @next, or to an exception. */
static void tell(const struct task *task, const struct code *last, const struct outcome *o)
{
	struct vcpu *cpu = task->cpu;

	if (!o->known) {
		flow.unknown++;
		vcpu_leave(cpu, ENC_EXC_IRQ, last->pc);
		vcpu_lost(cpu, task, last, last->n_insn);
		return;
	}
	if (o->whole)
		vcpu_ran(cpu, last, o->ret, o->isa);
	else
		vcpu_ran_part(cpu, last, o->n_insn, !o->exception);
	if (o->exception)
		vcpu_leave(cpu, o->type, o->ret);
}

/* ---------------------------------------------------------------- less urgent work */

static void stop(struct task *task, const struct code *next)
{
	vcpu_leave(task->cpu, ENC_EXC_IRQ, next->pc);
}

/* Gives the CPU to waiting tasks, and waits for one.  Return: there is one. */
static bool give_way(struct task *task)
{
	task_exit(task);
	sched_leave(task);
	if (!sched_take(task))
		return false;
	task_enter(task);
	return true;
}

static void look_around(struct task *task, const struct code *next)
{
	struct vcpu *cpu = task->cpu;

	task->quantum -= VCPU_BATCH - cpu->left;
	cpu->left = VCPU_BATCH;
	vcpu_time(cpu);
	vcpu_see_changes(cpu);
	vcpu_drain(cpu);
	if (vcpu_is_full(cpu)) {
		stop(task, next);
		vcpu_empty(cpu, false);
		vcpu_renew(cpu);
	}
	if (vcpu_sink_is_full())
		sched_empty_sink(0);
	sched_look_idle();
	if (sched_is_wanted(task)) {
		if (cpu->on)
			stop(task, next);
		if (!give_way(task))
			return;
	}
	if (!task->cpu->on)
		vcpu_start(task->cpu, task, next->pc, next->isa);
}

/* ---------------------------------------------------------------- a block begins */

static bool prepare(const struct task *task, struct code *code, const uint8_t *env)
{
	enum enc_isa isa = isa_of(guest_is_thumb(env));
	const struct code *last = task->last;
	unsigned int it = 0;

	if (isa == ENC_T32 && vcpu_each)
		it = code->look & CODE_HANDLER ? 0 : each_it(&task->each);
	else if (isa == ENC_T32 && last && !last->any && last->end == code->pc)
		it = last->tail->block.it;
	if (code->look & CODE_NEW || code->isa != isa || code->it != it)
		return code_scan(code, isa, it);
	return true;
}

/*
 * The task's CPU is stopped, because code changes.  If timestamps do not tell the time, its
 * buffer ends here.  Return: the task still has a CPU.
 */
bool flow_change(struct task *task)
{
	const struct port_setup *port = vcpu_setup();

	if (!port->cut)
		return true;
	if (port->per_thread || !port->framed) {
		task_exit(task);
		sched_empty_idle(task);
		task_enter(task);
		return sched_has(task) || give_way(task);
	}
	sched_empty_sink(0);
	return give_way(task);
}

/*
 * Makes sure that the recording has the code.  If not, an interrupt comes before it, with the
 * timestamp of the change.  Return: the task still has a CPU.
 */
static bool record_code(struct task *task, struct code *code)
{
	struct map_who who = { .pid = task->pid, .tid = task->tid };

	code->look &= ~CODE_FRESH;
	if (map_has(code->pc, code->bytes, code->end - code->pc))
		return true;
	if (!task->cpu->on)
		vcpu_start(task->cpu, task, code->pc, code->isa);
	port_begin();
	who.time = vcpu_time_of_change(task->cpu);
	stop(task, code);
	if (vcpu_setup()->cut) {
		port_end();
		if (!flow_change(task))
			return false;
		port_begin();
		who.time = vcpu_time_of_change(task->cpu);
	}
	who.truth = task->cpu->truth;
	who.cpu = task->cpu->number;
	map_write_code(code->pc, code->bytes, code->end - code->pc, &who);
	port_end();
	return true;
}

/* The task has no CPU: it begins, or comes back from a call, or its CPU was taken away. */
static bool come_back(struct task *task)
{
	bool first = !task->cpu;

	task_exit(task);
	if (!sched_take(task))
		return false;
	task_enter(task);
	if (first)
		announce(task);
	return true;
}

/* The first block of a thread is not linked to another, so its program counter is right. */
static bool is_known(const struct task *task, const struct code *code, const uint8_t *env)
{
	if (guest_is_at(env, code->pc))
		return true;
	send(PORT_PROBLEM, task, 0, "this QEMU keeps registers where 7.2 does not");
	return false;
}

static void slow(struct task *task, struct code *code, const uint8_t *env)
{
	const struct code *last = task->last;
	bool had = sched_has(task), first = !task->cpu;

	if (!had && !come_back(task))
		return;
	if ((first && !is_known(task, code, env)) || !prepare(task, code, env)) {
		flow.unknown++;
		return;
	}
	if (last) {
		struct outcome outcome = judge(last, code, env);

		if (task->cpu->on && had) {
			tell(task, last, &outcome);
		} else {
			flow.lost++;
			flow.unknown += !outcome.known;
			vcpu_lost(task->cpu, task, last, outcome.n_insn);
		}
	}
	task->last = NULL;
	if (code->look & CODE_FRESH && !record_code(task, code))
		return;
	if (!task->cpu->on)
		vcpu_start(task->cpu, task, code->pc, code->isa);
	task->last = code;
	if (code->look & CODE_TRAP && (guest_is_fatal(SIGTRAP) || guest_is_fatal(SIGILL)))
		keep_save(task);
	if (sched_has(task) && task->cpu->left <= 0)
		look_around(task, code);
}

static inline bool is_plain(const struct task *task, const struct code *code, const uint8_t *env)
{
	const struct code *last = task->last;

	return last && sched_has(task) && task->cpu->on && code_leads_to(last, code->pc) &&
		!atomic_load_explicit(&code->look, memory_order_acquire) &&
		code->thumb == env[GUEST_AT_THUMB] &&
		(!vcpu_each || code->it == each_it(&task->each));
}

/* A handler begins outside of any IT block. */
static void begin_each(struct task *task, const struct code *code, const uint8_t *env)
{
	if (code->look & CODE_HANDLER)
		task->each.it = 0;
	task->env = env;
	each_begin(&task->each, code, env);
}

void flow_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *unused)
{
	struct task *task = flow.task[vcpu % TASKS_MAX];

	if (task && task->last)
		each_access(&task->each, info, addr);
}

__attribute__((used))
void flow_executed(unsigned int vcpu, struct code *code, const uint8_t *env)
{
	struct task *task = flow.task[vcpu % TASKS_MAX];

	if (__builtin_expect(!task, 0)) {
		task = sched_has_ended() ? NULL : flow_task(vcpu);
		if (!task)
			return;
	}
	task_enter(task);
	if (vcpu_each && task->last)
		each_end(&task->each, env);
	if (__builtin_expect(is_plain(task, code, env), 1)) {
		vcpu_ran(task->cpu, task->last, code->pc, code->isa);
		task->last = code;
		if (__builtin_expect(task->cpu->left <= 0, 0))
			look_around(task, code);
	} else if (!sched_has_ended()) {
		slow(task, code, env);
	}
	if (vcpu_each && task->last == code)
		begin_each(task, code, env);
	task_exit(task);
}

/* ---------------------------------------------------------------- system calls */

void flow_call(struct task *task)
{
	const struct code *last = task->last;
	bool had;

	task_enter(task);
	if (vcpu_each && last)
		task->each.it = guest_returns(task->env, task->number, task->each.it);
	had = sched_has(task);
	if (last && !sched_has_ended() && (had || come_back(task))) {
		if (had && task->cpu->on) {
			vcpu_ran(task->cpu, last, last->end, last->isa);
			vcpu_leave(task->cpu, ENC_EXC_CALL, last->end);
		} else {
			flow.lost++;
			vcpu_lost(task->cpu, task, last, last->n_insn);
		}
	}
	task->last = NULL;
}

/* ---------------------------------------------------------------- the end */

uint64_t flow_unknown(void)
{
	return flow.unknown;
}

uint64_t flow_lost(void)
{
	return flow.lost;
}

void flow_end(void)
{
	sched_end();
	for (size_t i = 0; i < TASKS_MAX; i++)
		if (flow.task[i] && flow.task[i]->open >= 0 && vcpu_setup()->per_thread)
			vcpu_empty_task(flow.task[i]);
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++) {
		if (vcpu_at(i)->fragment)
			vcpu_empty(vcpu_at(i), false);
		vcpu_time(vcpu_at(i));
	}
	if (vcpu_setup()->framed && !vcpu_setup()->per_thread)
		vcpu_empty_sink(vcpu_at(0));
}
