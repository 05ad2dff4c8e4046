/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual CPUs: each has a trace unit, a stream in the truth log, and a share of the clock.
 * Only the owner of a CPU (sched.h) may call these functions.
 */
#ifndef CSF_QEMU_VCPU_H
#define CSF_QEMU_VCPU_H

#include "code.h"
#include "each.h"
#include "map.h"
#include "port.h"

/* Instructions between two checks of the clock, buffers, and waiting tasks. */
#define VCPU_BATCH	4096

/**
 * struct task - a thread of the program
 * @cpu: its current or last CPU; it owns it if it is @cpu->owner
 * @last: the code that it executes, whose end is not yet known; NULL: none, or the kernel
 * @busy: it is inside the unit and may use its CPU
 * @traced: it was traced before
 * @maker: the task that made it
 * @state: descriptor of its state in /proc; -1: none
 * @quantum: instructions left before its CPU may be given to others
 * @n_scheduled: how often it was put on a CPU
 * @fragment: bytes of its trace since its buffer was emptied
 * @open: number of the CPU that traced them; -1: none
 * @number, @arg: system call
 * @next: in the queue for a CPU
 * @env, @each: with an ETMv3: QEMU's state; the instruction of @last
 */
struct task {
	struct vcpu *cpu;
	const struct code *last;
	atomic_bool busy;
	bool traced;
	uint32_t pid, tid, maker;
	int state;
	int64_t quantum;
	uint64_t n_scheduled;
	uint64_t fragment;
	int open;
	int64_t number;
	uint64_t arg[6];
	struct task *next;
	const uint8_t *env;
	struct each each;
};

/* Enclose the use of a CPU by a task; sched.c tells who else may access it. */
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
 * @owner: NULL: it is free
 * @enc: its trace unit; @truth: its stream, or NULL
 * @clock: time as its trace unit sees it; @base: the part that the others know
 * @left: instructions until the next check
 * @lost: the result of the last block
 * @on: tracing is on
 * @idle: it is recorded as idle
 * @task: the task that was traced here last
 * @fragment: bytes of trace since its buffer was emptied
 * @changes: changes of code for which it has sent a timestamp
 * @units: number of trace units that it has had
 * @insns: executed here, up to the last check
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
	uint64_t seen;		/* for sched.c: clock at its last check */
	unsigned int looks;
};

/**
 * vcpu_init() - make all virtual CPUs
 * @port: the settings from csflow record
 * @setup: of the trace units; copied
 *
 * Return: 0, or a negative enum csf_error.
 */
int vcpu_init(const struct port_setup *port, const struct enc_setup *setup,
	      struct truth_writer *truth);

struct vcpu *vcpu_at(uint32_t number);
const struct port_setup *vcpu_setup(void);

/*
 * PTM and ETMv3 take an undefined instruction for one that was executed, as a call is, and that
 * returns to the next one.
 */
bool vcpu_counts_undefined(void);

/* The time, published for all.  NULL: where no task executes. */
uint64_t vcpu_time(struct vcpu *cpu);

/* Instructions that were executed, up to the last check of each CPU. */
uint64_t vcpu_insns(void);

/*
 * The same, but later than all times before, because code changes: each CPU sends a timestamp
 * soon, and this one before it executes anything more.
 */
uint64_t vcpu_time_of_change(struct vcpu *cpu);

/* Sends a timestamp if this CPU has not yet seen such a change. */
void vcpu_see_changes(struct vcpu *cpu);

/* Starts tracing of @task, at @pc. */
void vcpu_start(struct vcpu *cpu, struct task *task, uint64_t pc, enum enc_isa isa);

/* @cpu is free.  If it was free for some time, it is recorded as idle. */
void vcpu_idle(struct vcpu *cpu);

/* An exception in the started task, after which tracing is off. */
void vcpu_leave(struct vcpu *cpu, uint32_t type, uint64_t ret);

/* @code was executed as a whole, and execution goes on at @pc. */
static inline void vcpu_ran(struct vcpu *cpu, const struct code *code, uint64_t pc,
			    enum enc_isa isa);

/* The first @n_insn instructions ran; @goes_on: on to the next one; else an exception comes. */
void vcpu_ran_part(struct vcpu *cpu, const struct code *code, unsigned int n_insn, bool goes_on);

/* The same for @task, perhaps on another CPU, for the log only: it is not in the trace. */
void vcpu_lost(struct vcpu *cpu, const struct task *task, const struct code *code,
	       unsigned int n_insn);

/* Sends the available trace. */
void vcpu_drain(struct vcpu *cpu);

/* Empties its buffer.  The CPU must be stopped, or @truncated. */
void vcpu_empty(struct vcpu *cpu, bool truncated);

/* Empties the buffer of a task without a CPU. */
void vcpu_empty_task(struct task *task);

/* Makes a new trace unit: an emptied buffer begins with one without any state. */
void vcpu_renew(struct vcpu *cpu);

/* Is the buffer full, or the sink that all CPUs share? */
bool vcpu_is_full(const struct vcpu *cpu);
bool vcpu_sink_is_full(void);

/* Empties the shared sink, while all CPUs are stopped. */
void vcpu_empty_sink(struct vcpu *cpu);

/* The slow part of the above. */
void vcpu_note(struct vcpu *cpu, enum enc_lost why);

static inline void vcpu_tell(struct vcpu *cpu, const struct piece *piece, uint64_t pc,
			     enum enc_isa isa)
{
	enum enc_lost why = enc_block(cpu->enc, &piece->block, pc, isa);

	if (__builtin_expect(why != cpu->lost, 0))
		vcpu_note(cpu, why);
}

static inline void vcpu_say(struct vcpu *cpu, const struct piece *piece, uint64_t pc,
			    enum enc_isa isa)
{
	vcpu_tell(cpu, piece, pc, isa);
	if (cpu->truth)
		truth_ran(cpu->truth, piece->number);
}

/* The same, of the one instruction of @code, for an ETMv3. */
void vcpu_ran_each(struct vcpu *cpu, const struct code *code, uint64_t pc, enum enc_isa isa);

/* Is the unit an ETMv3, for which QEMU executes one instruction at a time? */
extern bool vcpu_each;

static inline void vcpu_ran(struct vcpu *cpu, const struct code *code, uint64_t pc,
			    enum enc_isa isa)
{
	if (__builtin_expect(vcpu_each, 0)) {
		vcpu_ran_each(cpu, code, pc, isa);
		return;
	}
	for (const struct piece *p = code->piece; p < code->tail; p++)
		vcpu_say(cpu, p, p[1].block.pc, p[1].block.isa);
	vcpu_say(cpu, code->tail, pc, isa);
	cpu->clock += code->n_insn;
	cpu->left -= code->n_insn;
}

#endif /* CSF_QEMU_VCPU_H */
