// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static struct {
	struct port_setup port;
	struct enc_setup setup;
	struct vcpu *cpu;
	atomic_ullong clock;
	atomic_ullong changes;	/* number of changes of code */
	atomic_ullong sink;		/* bytes in the sink that all CPUs share */
	atomic_bool sink_truncated;
} unit;

/* Ends the program, which must not go on without trace. */
static void die(void)
{
	fputs("csflow: no memory for a trace unit\n", stderr);
	abort();
}

static int renew(struct vcpu *cpu)
{
	struct enc_setup setup = unit.setup;

	setup.seed += ((uint64_t)cpu->number << 32) + cpu->units++;
	enc_free(cpu->enc);
	cpu->enc = NULL;
	return enc_new(&cpu->enc, &setup, &cpu->clock);
}

bool vcpu_each;

int vcpu_init(const struct port_setup *port, const struct enc_setup *setup,
	      struct truth_writer *truth)
{
	unit.port = *port;
	unit.setup = *setup;
	vcpu_each = csf_config_protocol(&setup->config) == CSF_PROTOCOL_ETM3;
	unit.cpu = calloc(port->n_cpu, sizeof(*unit.cpu));
	if (!unit.cpu)
		return CSF_ERR_MEMORY;
	for (uint32_t i = 0; i < port->n_cpu; i++) {
		struct vcpu *cpu = &unit.cpu[i];
		int err;

		cpu->number = i;
		cpu->left = VCPU_BATCH;
		cpu->truth = truth ? truth_cpu(truth, i) : NULL;
		err = renew(cpu);
		if (err)
			return err;
	}
	return 0;
}

bool vcpu_counts_undefined(void)
{
	return !enc_setup_a64(&unit.setup);
}

struct vcpu *vcpu_at(uint32_t number)
{
	return &unit.cpu[number];
}

const struct port_setup *vcpu_setup(void)
{
	return &unit.port;
}

/* ---------------------------------------------------------------- time */

/*
 * Each CPU counts what it executes, and adds it to the common time now and then.
 * So time never goes back for any CPU, and is later than the earlier actions of others.
 */
uint64_t vcpu_time(struct vcpu *cpu)
{
	uint64_t more;

	if (!cpu)
		return unit.clock;
	more = cpu->clock - cpu->base;
	cpu->insns += more;
	cpu->base = atomic_fetch_add(&unit.clock, more) + more;
	cpu->clock = cpu->base;
	return cpu->clock;
}

uint64_t vcpu_time_of_change(struct vcpu *cpu)
{
	vcpu_time(cpu);
	cpu->base = atomic_fetch_add(&unit.clock, 1) + 1;
	cpu->clock = cpu->base;
	unit.changes++;
	vcpu_see_changes(cpu);
	return cpu->clock;
}

void vcpu_see_changes(struct vcpu *cpu)
{
	if (cpu->changes == unit.changes)
		return;
	cpu->changes = unit.changes;
	enc_time(cpu->enc);
}

uint64_t vcpu_insns(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < unit.port.n_cpu; i++)
		n += unit.cpu[i].insns;
	return n;
}

/* ---------------------------------------------------------------- buffers */

static void send(uint32_t type, struct vcpu *cpu, uint32_t flags)
{
	struct port_head head = { .type = type, .cpu = cpu->number,
				  .pid = cpu->task ? cpu->task->pid : 0,
				  .tid = cpu->task ? cpu->task->tid : 0, .flags = flags };

	port_begin();
	head.time = vcpu_time(cpu);
	port_send(&head, NULL, 0, NULL, 0);
	port_end();
}

static void count(struct vcpu *cpu, size_t n)
{
	if (unit.port.per_thread) {
		cpu->task->fragment += n;
		cpu->task->open = cpu->number;
	} else if (unit.port.framed) {
		unit.sink += n;
	} else {
		cpu->fragment += n;
	}
}

void vcpu_drain(struct vcpu *cpu)
{
	const uint8_t *bytes;
	long n = enc_take(cpu->enc, &bytes);

	if (n < 0)
		die();
	if (!n || !cpu->task)
		return;
	count(cpu, n);
	while (n > 0) {
		size_t part = n < PORT_MAX ? n : PORT_MAX;
		struct port_head head = { .type = PORT_TRACE, .time = cpu->clock,
					  .pid = cpu->task->pid, .tid = cpu->task->tid,
					  .cpu = cpu->number };

		port_send(&head, bytes, part, NULL, 0);
		bytes += part;
		n -= part;
	}
}

void vcpu_empty(struct vcpu *cpu, bool truncated)
{
	send(PORT_AUX, cpu, truncated);
	cpu->fragment = 0;
	if (cpu->task) {
		cpu->task->fragment = 0;
		cpu->task->open = -1;
	}
}

void vcpu_empty_task(struct task *task)
{
	struct port_head head = { .type = PORT_AUX, .pid = task->pid, .tid = task->tid,
				  .cpu = task->open };

	port_begin();
	head.time = vcpu_time(NULL);
	port_send(&head, NULL, 0, NULL, 0);
	port_end();
	task->fragment = 0;
	task->open = -1;
}

bool vcpu_is_full(const struct vcpu *cpu)
{
	if (unit.port.per_thread)
		return cpu->task->fragment >= unit.port.limit;
	return cpu->fragment >= unit.port.limit;
}

bool vcpu_sink_is_full(void)
{
	return unit.port.framed && !unit.port.per_thread && unit.sink >= unit.port.limit;
}

void vcpu_empty_sink(struct vcpu *cpu)
{
	if (unit.sink)
		vcpu_empty(cpu, atomic_exchange(&unit.sink_truncated, false));
	unit.sink = 0;
	for (uint32_t i = 0; i < unit.port.n_cpu; i++)
		vcpu_renew(&unit.cpu[i]);
}

void vcpu_renew(struct vcpu *cpu)
{
	if (renew(cpu))
		die();
}

/* ---------------------------------------------------------------- executed blocks */

/* The reasons of losses as in the log. */
static const uint8_t lost_as[ENC_LOST_NR] = {
	[ENC_LOST_OFF] = TRUTH_LOST_OFF,
	[ENC_LOST_FILTER] = TRUTH_LOST_FILTER,
	[ENC_LOST_STROBE] = TRUTH_LOST_STROBE,
	[ENC_LOST_OVERFLOW] = TRUTH_LOST_OVERFLOW,
	[ENC_LOST_DISCARD] = TRUTH_LOST_DISCARD,
	[ENC_LOST_TRUNCATED] = TRUTH_LOST_TRUNCATED,
	[ENC_LOST_SIGNAL] = TRUTH_LOST_SIGNAL,
	[ENC_LOST_Q] = TRUTH_LOST_Q,
};

/*
 * Trace that was cut off ends its buffer: the AUX record has a flag, the trace does not show it.  A
 * CPU without a task has a buffer of its own kind.
 */
static void truncated(struct vcpu *cpu)
{
	if (unit.port.framed && !unit.port.per_thread) {
		unit.sink_truncated = true;
		return;
	}
	vcpu_drain(cpu);
	vcpu_empty(cpu, true);
}

void vcpu_note(struct vcpu *cpu, enum enc_lost why)
{
	if (why == cpu->lost)
		return;
	cpu->lost = why;
	if (cpu->truth && why == ENC_KEPT)
		truth_found(cpu->truth);
	else if (cpu->truth)
		truth_lost(cpu->truth, lost_as[why]);
	if (why == ENC_LOST_TRUNCATED && cpu->task)
		truncated(cpu);
}

static void log_data(struct vcpu *cpu, const struct each *each)
{
	const bool kept = cpu->lost == ENC_KEPT && enc_data_kept(cpu->enc);
	const uint32_t flags = (kept ? 0 : TRUTH_DATA_LOST) |
			       (each->elements ? TRUTH_DATA_ELEMENTS : 0);

	for (unsigned int i = 0; i < each->n; i++) {
		const struct enc_data *d = &each->data[i];
		const struct truth_data as = {
			.addr = d->addr, .value = d->value, .size = d->size,
			.flags = d->flags | flags,
		};

		truth_data(cpu->truth, &as);
	}
}

void vcpu_ran_each(struct vcpu *cpu, const struct code *code, uint64_t pc, enum enc_isa isa)
{
	struct each *each = &cpu->task->each;
	struct piece piece = *code->tail;
	struct enc_insn *insn = &piece.block.last;

	/* A CBZ is not taken without any condition of its own. */
	if (insn->class == ENC_DIRECT)
		each->failed = pc != insn->target || isa != insn->target_isa;
	else if (each->failed)
		insn->flags |= ENC_FAILED;
	for (unsigned int i = 0; i < each->n; i++)
		enc_data(cpu->enc, &each->data[i]);
	vcpu_tell(cpu, &piece, pc, isa);
	if (cpu->truth && each->failed)
		truth_failed(cpu->truth, piece.number);
	else if (cpu->truth)
		truth_ran(cpu->truth, piece.number);
	if (cpu->truth)
		log_data(cpu, each);
	each->n = 0;
	cpu->clock++;
	cpu->left--;
}

/* The first @n_insn instructions of @piece.  None of them takes an atom. */
static struct enc_block first_of(const struct code *code, const struct piece *piece,
				 unsigned int n_insn)
{
	const uint64_t pc = piece->block.pc;
	struct enc_block part = { .pc = pc, .isa = piece->block.isa };
	const unsigned int before = code_before(code, pc);
	unsigned int size = 0;

	if (n_insn == piece->block.n_insn)
		return piece->block;
	while (code_before(code, pc + size) != before + n_insn)
		size += 2;
	enc_scan(&unit.setup, &part, code->bytes + (pc - code->pc), size);
	return part;
}

void vcpu_ran_part(struct vcpu *cpu, const struct code *code, unsigned int n_insn, bool goes_on)
{
	const struct piece *p = code->piece;
	unsigned int left = n_insn;
	struct enc_block part;

	for (; p < code->tail && left >= p->block.n_insn; p++) {
		vcpu_say(cpu, p, p[1].block.pc, p[1].block.isa);
		left -= p->block.n_insn;
	}
	cpu->clock += n_insn;
	cpu->left -= n_insn;
	part = first_of(code, p, left);
	if (goes_on && left)
		vcpu_note(cpu, enc_block(cpu->enc, &part, part.pc + part.size, part.isa));
	else if (!goes_on)
		vcpu_note(cpu, enc_part(cpu->enc, &part));
	if (cpu->truth)
		truth_part(cpu->truth, p->number, 0, left);
}

void vcpu_lost(struct vcpu *cpu, const struct task *task, const struct code *code,
	       unsigned int n_insn)
{
	cpu->clock += n_insn;
	if (!cpu->truth)
		return;
	truth_thread(cpu->truth, task->pid, task->tid);
	truth_lost(cpu->truth, TRUTH_LOST_SIGNAL);
	for (const struct piece *p = code->piece; p <= code->tail && n_insn; p++) {
		unsigned int n = n_insn < p->block.n_insn ? n_insn : p->block.n_insn;

		truth_part(cpu->truth, p->number, 0, n);
		n_insn -= n;
	}
	if (cpu->lost == ENC_KEPT)
		truth_found(cpu->truth);
	else
		truth_lost(cpu->truth, lost_as[cpu->lost]);
}

/* ---------------------------------------------------------------- on and off */

/* The VMID is that of the only machine, or a second context ID for perf. */
static void context_of(const struct task *task, struct enc_context *context)
{
	*context = (struct enc_context){ .contextid = task->tid, .security = CSF_NONSECURE,
					 .bits64 = !guest_is_arm() };
	context->vmid = unit.setup.config.trcconfigr >> 15 & 1 ? task->tid : 1;
}

/* @from leaves the CPU, and @to comes; NULL: the idle task. */
static void tell_switch(const struct vcpu *cpu, uint64_t time, const struct task *from,
			const struct task *to)
{
	const uint32_t pid[] = { from ? from->pid : 0, to ? to->pid : 0 };
	const uint32_t tid[] = { from ? from->tid : 0, to ? to->tid : 0 };
	struct port_head head = { .time = time, .cpu = cpu->number };

	for (int i = 0; i < 2; i++) {
		head.type = i ? PORT_SWITCH_IN : PORT_SWITCH_OUT;
		head.pid = pid[i];
		head.tid = tid[i];
		head.other_pid = pid[!i];
		head.other = tid[!i];
		port_send(&head, NULL, 0, NULL, 0);
	}
}

static void switched(struct vcpu *cpu, struct task *task)
{
	const struct task *old = cpu->idle ? NULL : cpu->task;
	const bool had = cpu->task;

	port_begin();
	cpu->task = task;
	vcpu_time(cpu);
	if (!had || !task->traced)
		send(PORT_START, cpu, 0);
	if (had)
		tell_switch(cpu, cpu->clock, old, task);
	cpu->idle = false;
	port_end();
}

void vcpu_idle(struct vcpu *cpu)
{
	if (!cpu->task || cpu->idle || unit.port.per_thread || cpu->clock + VCPU_BATCH > unit.clock)
		return;
	port_begin();
	tell_switch(cpu, vcpu_time(NULL), cpu->task, NULL);
	cpu->idle = true;
	port_end();
}

void vcpu_start(struct vcpu *cpu, struct task *task, uint64_t pc, enum enc_isa isa)
{
	struct enc_context context;

	vcpu_time(cpu);
	if (cpu->task != task || cpu->idle)
		switched(cpu, task);
	/* Even if it is the same: it may have been on another CPU in between. */
	if (cpu->truth)
		truth_thread(cpu->truth, task->pid, task->tid);
	task->traced = true;
	vcpu_see_changes(cpu);
	context_of(task, &context);
	enc_start(cpu->enc, pc, isa, &context);
	cpu->on = true;
}

void vcpu_leave(struct vcpu *cpu, uint32_t type, uint64_t ret)
{
	vcpu_note(cpu, enc_exception(cpu->enc, type, ret));
	if (cpu->truth)
		truth_exception(cpu->truth, enc_exception_number(cpu->enc, type), ret);
	enc_stop(cpu->enc);
	vcpu_drain(cpu);
	vcpu_time(cpu);
	cpu->on = false;
}
