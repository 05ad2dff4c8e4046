// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU's interface for plugins has no exceptions.  When a block begins, IPSR shows whether an
 * exception was taken or returned since the block before it.  The frame on the stack tells which
 * place was interrupted.  If the frame is older than the handler that ran before, that handler
 * returned, and the exception came in a tail chain.
 *
 * A block may have been executed in part: an instruction faulted; or it accessed a device, and
 * QEMU executed it apart, so that its time is exact.  QEMU counts instructions for us: the count
 * between two blocks tells how far the first one came.
 *
 * One thread of the host executes all CPUs of the machine.
 */
#include "machine.h"

#include <stdio.h>

#include "core.h"
#include "enter.h"

#define CPUS_MAX	8
/* The number that only trace has. */
#define EXC_DEBUG_HALT	0x18
/* Exceptions inside exceptions: each has a higher priority than the one before. */
#define NESTED_MAX	256
/* Those of them that come at once. */
#define NEW_MAX		16

/**
 * struct taken - an exception that is being handled
 * @number: as in IPSR
 * @pc: where its handler begins
 * @secure: the state there
 */
struct taken {
	uint32_t number;
	uint32_t pc;
	bool secure;
};

/**
 * struct core - an emulated Cortex-M
 * @task: stands for all that it executes
 * @last: the code that it executes, whose end is not yet known; NULL: none
 * @ran: instructions of @last that were begun
 * @exception: IPSR at the beginning of @last; @secure: the state
 * @handler: @depth of them, the current one last
 */
struct core {
	struct task task;
	struct vcpu *cpu;
	const struct code *last;
	uint64_t ran;
	uint32_t exception;
	bool secure;
	uint32_t depth;
	struct taken handler[NESTED_MAX];
};

static struct {
	struct truth_writer *truth;
	struct core core[CPUS_MAX];
	struct core *now;		/* executes since @mark */
	uint64_t count, mark;
	uint64_t unknown;
	bool security;			/* the CPUs have the security extension */
	bool ended;
} machine;

ENTER_TO("machine_enter", "machine_executed");

void machine_watch(struct qemu_plugin_tb *tb, struct code *code)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);

	qemu_plugin_register_vcpu_tb_exec_cb(tb, machine_enter, QEMU_PLUGIN_CB_NO_REGS, code);
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, i),
							   QEMU_PLUGIN_INLINE_ADD_U64,
							   &machine.count, 1);
}

bool machine_begin(struct truth_writer *truth)
{
	machine.truth = truth;
	return core_init();
}

/* ---------------------------------------------------------------- to the trace unit and the log */

/* ETMv3 does not tell thread mode from handlers. */
static struct enc_context context_of(uint32_t exception, bool secure)
{
	return (struct enc_context){
		.el = vcpu_each ? 1 : exception ? 3 : 0,
		.security = secure ? CSF_SECURE : CSF_NONSECURE,
	};
}

static void log_context(const struct core *core, const struct enc_context *context)
{
	const struct csf_context as = { .el = context->el, .security = context->security };

	if (core->cpu->truth)
		truth_context(core->cpu->truth, &as);
}

static void start(struct core *core, uint64_t pc, const uint8_t *env)
{
	const struct enc_context context = context_of(core_exception(env), core_is_secure(env));

	log_context(core, &context);
	enc_start(core->cpu->enc, pc, ENC_T32, &context);
	core->cpu->on = true;
}

/* The code from here on is executed in another mode or security state. */
static void change(struct core *core, const uint8_t *env)
{
	const struct enc_context context = context_of(core_exception(env), core_is_secure(env));

	log_context(core, &context);
	enc_context(core->cpu->enc, &context);
}

/* @last was executed as a whole, and its last instruction is a return, ENC_ERET or ENC_FRET. */
static void returned(struct core *core, uint64_t pc, uint8_t flag)
{
	const struct code *last = core->last;
	struct vcpu *cpu = core->cpu;
	struct piece tail = *last->tail;

	tail.block.last.flags |= flag;
	for (const struct piece *p = last->piece; p < last->tail; p++)
		vcpu_say(cpu, p, p[1].block.pc, ENC_T32);
	vcpu_say(cpu, &tail, pc, ENC_T32);
	cpu->clock += last->n_insn;
	cpu->left -= last->n_insn;
}

/* Exception @taken comes; @ret: its return address, or ENC_CHAIN. */
static void took(struct core *core, const struct taken *taken, uint32_t ret)
{
	const uint32_t type = enc_exception_m(taken->number);
	const struct enc_context context = context_of(taken->number, taken->secure);

	vcpu_note(core->cpu, enc_exception(core->cpu->enc, type, ret));
	if (core->cpu->truth)
		truth_exception(core->cpu->truth, type, ret);
	enc_handler(core->cpu->enc, taken->pc, ENC_T32, &context);
	log_context(core, &context);
	if (core->depth < NESTED_MAX)
		core->handler[core->depth++] = *taken;
}

/* Nothing explains how execution came to @pc: trace begins anew there. */
static void unexplained(struct core *core, uint64_t pc, const uint8_t *env)
{
	struct vcpu *cpu = core->cpu;

	machine.unknown++;
	enc_stop(cpu->enc);
	vcpu_lost(cpu, &core->task, core->last, core->ran);
	core->depth = 0;
	start(core, pc, env);
}

/* ---------------------------------------------------------------- where a block led */

/* The block was executed up to @pc.  Return: that is possible; @goes_on: no exception comes. */
static bool ran_to(struct core *core, uint32_t pc, bool goes_on)
{
	const struct code *last = core->last;
	const unsigned int before = code_before(last, pc);
	const bool after = pc == last->end || code_leads_to(last, pc);

	if (core->ran == last->n_insn && after &&
	    !(last->any && !goes_on && before + 1 == last->n_insn)) {
		vcpu_ran(core->cpu, last, pc, ENC_T32);
		return true;
	}
	/* An instruction that faulted was begun, too. */
	if (before != core->ran && (goes_on || before + 1 != core->ran))
		return false;
	vcpu_ran_part(core->cpu, last, before, goes_on);
	return true;
}

/* Is exception @number being handled, but interrupted? */
static bool is_outer(const struct core *core, uint32_t number)
{
	for (uint32_t i = 0; i + 1 < core->depth; i++)
		if (core->handler[i].number == number)
			return true;
	return !number && core->depth;
}

static bool may_return(const struct core *core)
{
	return core->exception && core->last->any && core->ran == core->last->n_insn;
}

/* Was the handler of @frame->exception interrupted before its first instruction? */
static bool is_new(const struct core *core, const struct core_frame *frame)
{
	const struct taken *top = &core->handler[core->depth - !!core->depth];

	if (!frame->exception || is_outer(core, frame->exception))
		return false;
	if (frame->exception != core->exception)
		return true;
	/* The same one came again before. */
	return core->depth && may_return(core) && frame->ret == top->pc;
}

/* A handler begins, perhaps after others that were never executed.  Return: it is explained. */
static bool enters(struct core *core, const struct code *next, const uint8_t *env)
{
	const unsigned int number = core - machine.core;
	struct taken taken[NEW_MAX] = { { core_exception(env), next->pc, core_is_secure(env) } };
	struct core_frame frame;
	uint32_t ret[NEW_MAX];
	unsigned int n = 1;

	if (!core_frame(number, env, machine.security, &frame))
		return false;
	while (is_new(core, &frame)) {
		if (n == NEW_MAX)
			return false;
		ret[n - 1] = frame.ret;
		taken[n++] = (struct taken){ frame.exception, frame.ret, frame.secure };
		if (!core_outer(number, env, machine.security, &frame))
			return false;
	}
	ret[n - 1] = frame.ret;
	if (frame.exception != core->exception) {
		if (!may_return(core))
			return false;
		returned(core, ENC_CHAIN, ENC_ERET);
		core->depth -= !!core->depth;
		ret[n - 1] = ENC_CHAIN;
	} else if (!ran_to(core, frame.ret, false)) {
		return false;
	}
	while (n--)
		took(core, &taken[n], ret[n]);
	return true;
}

/* Did the handler return, and the same exception came again in its place? */
static bool is_again(const struct core *core, const struct code *next, const uint8_t *env)
{
	const struct taken *handler = &core->handler[core->depth - !!core->depth];
	struct core_frame frame;

	return core->depth && may_return(core) && handler->pc == next->pc &&
	       core_frame(core - machine.core, env, machine.security, &frame) &&
	       frame.exception != core->exception;
}

/* Execution changed between the security states, without an exception. */
static bool crosses(struct core *core, const struct code *next, const uint8_t *env)
{
	if (core_is_secure(env) && core->last->any && core->ran == core->last->n_insn)
		returned(core, next->pc, ENC_FRET);
	else if (!ran_to(core, next->pc, true))
		return false;
	change(core, env);
	return true;
}

/* Says where core->last led.  Return: false: nothing explains it. */
static bool judge(struct core *core, const struct code *next, const uint8_t *env)
{
	const uint32_t number = core_exception(env);

	if (number != core->exception && is_outer(core, number)) {
		if (!may_return(core))
			return false;
		returned(core, next->pc, ENC_ERET);
		change(core, env);
		do
			core->depth--;
		while (core->depth && core->handler[core->depth - 1].number != number);
		return true;
	}
	if (number != core->exception || is_again(core, next, env))
		return enters(core, next, env);
	if (core_is_secure(env) != core->secure)
		return crosses(core, next, env);
	return ran_to(core, next->pc, true);
}

/* ---------------------------------------------------------------- a block begins */

/*
 * ITSTATE where @next begins.  Where QEMU executes one instruction at a time, its own is cleared
 * before the call-back.
 */
static uint8_t it_at(const struct core *core, const struct code *next, const uint8_t *env)
{
	const uint32_t number = core_exception(env);

	if (!core->last)
		return 0;
	if (number != core->exception && is_outer(core, number))
		return core_returned_it(core - machine.core, env, next->pc);
	if (number != core->exception || is_again(core, next, env))
		return 0;
	return core->task.each.it;
}

static bool prepare(struct core *core, struct code *code, const uint8_t *env)
{
	unsigned int it = core_it(env);

	if (vcpu_each) {
		core->task.each.it = it_at(core, code, env);
		it = each_it(&core->task.each);
	}
	if (code->look & CODE_NEW || code->it != it)
		return code_scan(code, ENC_T32, it);
	return true;
}

static struct core *begin(unsigned int vcpu, const struct code *code, const uint8_t *env)
{
	struct core *core = &machine.core[vcpu];
	const struct port_head head = { .type = PORT_PROBLEM };
	static const char problem[] = "this QEMU keeps registers where 7.2 does not";

	if (vcpu >= CPUS_MAX || vcpu >= vcpu_setup()->n_cpu)
		return NULL;
	if (core->cpu)
		return core;
	if (!core_is_sound(env, code->pc)) {
		machine.unknown++;
		port_send(&head, problem, sizeof(problem), NULL, 0);
		machine_end();
		return NULL;
	}
	machine.security |= core_is_secure(env);
	core->cpu = vcpu_at(vcpu);
	core->cpu->task = &core->task;
	return core;
}

static void look_around(struct core *core)
{
	core->cpu->left = VCPU_BATCH;
	vcpu_time(core->cpu);
	vcpu_drain(core->cpu);
	if (port_wait(-1, 0))
		machine_end();
}

/* The instructions since the last block are those of the CPU that began it. */
static void count(struct core *core)
{
	if (machine.now)
		machine.now->ran += machine.count - machine.mark;
	machine.mark = machine.count;
	machine.now = core;
}

static inline bool is_plain(const struct core *core, const struct code *code, const uint8_t *env)
{
	const struct code *last = core->last;

	return last && core->ran == last->n_insn && code_leads_to(last, code->pc) &&
	       core_exception(env) == core->exception && core_is_secure(env) == core->secure &&
	       !(last->any && core->exception && core_is_return(guest_r(env, 14)));
}

__attribute__((used))
void machine_executed(unsigned int vcpu, struct code *code, const uint8_t *env)
{
	struct core *core = machine.ended ? NULL : begin(vcpu, code, env);

	if (!core)
		return;
	count(core);
	if (!prepare(core, code, env)) {
		machine.unknown++;
		return;
	}
	if (is_plain(core, code, env))
		vcpu_ran(core->cpu, core->last, code->pc, ENC_T32);
	else if (!core->last)
		start(core, code->pc, env);
	else if (!judge(core, code, env))
		unexplained(core, code->pc, env);
	if (vcpu_each) {
		each_begin(&core->task.each, code, env);
		core->task.each.n = 0;		/* no data */
	}
	core->last = code;
	core->ran = 0;
	core->exception = core_exception(env);
	core->secure = core_is_secure(env);
	if (core->cpu->left <= 0)
		look_around(core);
}

/* ---------------------------------------------------------------- the end */

/*
 * A debugger would halt the CPU here, as it does for the BKPT of semihosting.  Whether the last
 * instruction was completed is not known.
 */
static void halt(struct core *core)
{
	const struct code *last = core->last;
	const bool whole = core->ran == last->n_insn && last->tail->block.last.class == ENC_PLAIN;
	const uint64_t ret = whole ? last->end - last->tail->block.last.size : last->pc;

	vcpu_ran_part(core->cpu, last, whole ? last->n_insn - 1 : 0, false);
	if (vcpu_each)		/* ETMv3 has no number for it */
		return;
	vcpu_note(core->cpu, enc_exception(core->cpu->enc, EXC_DEBUG_HALT, ret));
	if (core->cpu->truth)
		truth_exception(core->cpu->truth, EXC_DEBUG_HALT, ret);
}

void machine_end(void)
{
	struct port_head head = { .type = PORT_END };
	struct port_stats stats = { .unknown = machine.unknown };

	if (machine.ended)
		return;
	machine.ended = true;
	count(NULL);
	for (uint32_t i = 0; i < vcpu_setup()->n_cpu; i++) {
		struct vcpu *cpu = vcpu_at(i);

		if (cpu->on)
			halt(&machine.core[i]);
		enc_stop(cpu->enc);
		vcpu_drain(cpu);
		vcpu_time(cpu);
	}
	stats.insns = vcpu_insns();
	if (machine.truth)
		head.flags = -truth_finish(machine.truth);
	head.time = vcpu_time(NULL);
	port_send(&head, &stats, sizeof(stats), NULL, 0);
	port_flush();
}
