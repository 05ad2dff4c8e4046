/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual CPUs: each has a trace unit, a stream in the log of truth, and a share of the clock.
 * Whoever owns one (sched.h) may call what is here; nobody else.
 */
#ifndef CSF_QEMU_VCPU_H
#define CSF_QEMU_VCPU_H

#include "code.h"
#include "map.h"
#include "port.h"

/* Instructions between two looks at what is not urgent: clock, buffers, others that wait. */
#define VCPU_BATCH	4096

/**
 * struct task - a thread of the program
 * @cpu: where it is, or was last; it owns it if @cpu->owner says so
 * @last: what it executes: its end is not known yet; NULL: it executes nothing, or the kernel
 * @busy: it is inside the unit, and may use its CPU
 * @traced: it has been
 * @maker: who made it
 * @state: descriptor of its state in /proc; -1: none
 * @quantum: instructions left before others may have its CPU
 * @placed: how often it was put on a CPU
 * @fragment: bytes of its trace since its buffer was emptied
 * @open: number of the CPU whose trace these are; -1: there are none
 * @number, @arg: system call
 * @next: in the queue for a CPU
 */
struct task {
	struct vcpu *cpu;
	const struct code *last;
	atomic_bool busy;
	bool traced;
	uint32_t pid, tid, maker;
	int state;
	int64_t quantum;
	uint64_t placed;
	uint64_t fragment;
	int open;
	int64_t number;
	uint64_t arg[6];
	struct task *next;
};

/* Around what a task does with its CPU; see sched.c on who else may look. */
static inline void task_enter(struct task *task)
{
	atomic_store_explicit(&task->busy, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void task_exit(struct task *task)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&task->busy, false, memory_order_release);
}

/**
 * struct vcpu - a virtual CPU
 * @owner: NULL: nobody has it
 * @enc: its trace unit; @truth: its stream, or NULL
 * @clock: time as its trace unit sees it; @base: of that, what the others know
 * @left: instructions until the next look
 * @lost: what became of the last block
 * @on: tracing is on
 * @idle: the recording says that it is
 * @task: who was traced here last
 * @fragment: bytes of trace since its buffer was emptied
 * @changes: of code that it has sent a timestamp for
 * @units: trace units it has had
 * @insns: executed here, up to the last look
 */
struct vcpu {
	struct task *_Atomic owner;
	struct encoder *enc;
	struct truth_cpu *truth;
	uint64_t clock, base;
	int64_t left;
	enum enc_lost lost;
	bool on, idle;
	uint32_t number;
	struct task *task;
	uint64_t fragment;
	uint64_t changes;
	uint32_t units;
	uint64_t insns;
	uint64_t seen;		/* for sched.c: clock at its last look */
	unsigned int looks;
};

/**
 * vcpu_init() - make all of them
 * @port: what csflow record wants
 * @setup: of the trace units; copied
 *
 * Return: 0, or a negative enum csf_error.
 */
int vcpu_init(const struct port_setup *port, const struct enc_setup *setup,
	      struct truth_writer *truth);

struct vcpu *vcpu_at(uint32_t number);
const struct port_setup *vcpu_setup(void);

/* The time, for all to see.  With NULL: where nobody executes. */
uint64_t vcpu_time(struct vcpu *cpu);

/* Instructions that were executed, up to the last look of each CPU. */
uint64_t vcpu_insns(void);

/*
 * The same, later than all before, because what code is where changes: each CPU sends a timestamp
 * soon, and this one before it executes anything more.
 */
uint64_t vcpu_time_of_change(struct vcpu *cpu);

/* Sends a timestamp if such a change has not been seen here. */
void vcpu_see_changes(struct vcpu *cpu);

/* @task goes on at @pc. */
void vcpu_start(struct vcpu *cpu, struct task *task, uint64_t pc, enum enc_isa isa);

/* @cpu is nobody's.  If it has been for some time, the recording says that it is idle. */
void vcpu_idle(struct vcpu *cpu);

/* An exception in the task that was started, behind which tracing is off. */
void vcpu_leave(struct vcpu *cpu, uint32_t type, uint64_t ret);

/* @code was executed as a whole, and execution goes on at @pc. */
static inline void vcpu_ran(struct vcpu *cpu, const struct code *code, uint64_t pc,
			    enum enc_isa isa);

/* The first @n_insn instructions were; @goes_on: at the next one; else an exception comes. */
void vcpu_ran_part(struct vcpu *cpu, const struct code *code, unsigned int n_insn, bool goes_on);

/* The same of @task, which may have been elsewhere, for the log only: the trace has it not. */
void vcpu_lost(struct vcpu *cpu, const struct task *task, const struct code *code,
	       unsigned int n_insn);

/* Sends the trace that there is. */
void vcpu_drain(struct vcpu *cpu);

/* The buffer that it goes to is emptied.  With its CPU stopped, or @truncated. */
void vcpu_empty(struct vcpu *cpu, bool truncated);

/* The buffer of a task that is on no CPU is emptied. */
void vcpu_empty_task(struct task *task);

/* Another trace unit: a buffer that was emptied begins with one that knows nothing. */
void vcpu_renew(struct vcpu *cpu);

/* Is the buffer full, or the sink that all CPUs share? */
bool vcpu_is_full(const struct vcpu *cpu);
bool vcpu_sink_is_full(void);

/* The shared sink is emptied, while all CPUs are stopped. */
void vcpu_empty_sink(struct vcpu *cpu);

/* All of the above that is in the way of the fast path. */
void vcpu_note(struct vcpu *cpu, enum enc_lost why);

static inline void vcpu_say(struct vcpu *cpu, const struct piece *piece, uint64_t pc,
			    enum enc_isa isa)
{
	enum enc_lost why = enc_block(cpu->enc, &piece->block, pc, isa);

	if (__builtin_expect(why != cpu->lost, 0))
		vcpu_note(cpu, why);
	if (cpu->truth)
		truth_ran(cpu->truth, piece->number);
}

static inline void vcpu_ran(struct vcpu *cpu, const struct code *code, uint64_t pc,
			    enum enc_isa isa)
{
	for (const struct piece *p = code->piece; p < code->tail; p++)
		vcpu_say(cpu, p, p[1].block.pc, p[1].block.isa);
	vcpu_say(cpu, code->tail, pc, isa);
	cpu->clock += code->n_insn;
	cpu->left -= code->n_insn;
}

#endif /* CSF_QEMU_VCPU_H */
