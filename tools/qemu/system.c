// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU's interface for plugins has no exceptions.  But when a block begins at an exception vector
 * of its level, ELR of that level has the address that was interrupted, and ESR the cause, as the
 * guest's own handler will read them: so it is exact how far the block before came.
 *
 * Nothing is done, but one look, while the driver of a CPU's unit has not enabled it.
 */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doorbell.h"
#include "enter.h"
#include "state.h"
#include "tracer.h"

#define CPUS	CSF_CHANNEL_CPUS

/* QEMU's status if the log of truth could not be written, for machine.sh; its own are 0 and 1. */
#define LOG_LOST	3

/* The vectors of a level: 16, each of 128 bytes; their kinds repeat. */
#define VECTORS_SIZE	0x800
#define VECTOR_SIZE	0x80
enum vector { VECTOR_SYNC, VECTOR_IRQ, VECTOR_FIQ, VECTOR_SERROR };

/**
 * struct pe - an emulated CPU
 * @last: the code that it executes, whose end is not yet known; NULL: none that counts
 * @el: its exception level
 * @here: it has executed something, and its registers are where they should be
 * @gone: they are not
 */
struct pe {
	struct tracer tracer;
	const struct code *last;
	unsigned int el;
	bool here, gone;
};

static struct {
	struct pe pe[CPUS];
	struct enc_setup setup;
	struct truth_writer *truth;
	atomic_ullong unknown;
	atomic_bool ended;
} machine;

ENTER_TO("system_enter", "system_executed");

/* ---------------------------------------------------------------- exceptions */

static bool is_vector(const uint8_t *env, uint64_t pc, unsigned int el)
{
	return el && !(pc & (VECTOR_SIZE - 1)) && pc - state_vbar(env, el) < VECTORS_SIZE;
}

/* ---------------------------------------------------------------- where a block led */

static bool is_return(const struct code *code)
{
	return code->tail->block.last.flags & ENC_ERET;
}

/* Was its last instruction a P0 element, so that the trace may stop after it? */
static bool ends_well(const struct code *code)
{
	const uint8_t class = code->tail->block.last.class;

	return class != ENC_PLAIN && class != ENC_CALL && (class != ENC_WFX || machine.setup.wfx);
}

static inline void ran_plain(struct pe *pe, uint64_t pc, enum enc_isa isa)
{
	vcpu_ran(pe->tracer.cpu, pe->last, pc, isa);
	tracer_count(&pe->tracer, pe->last->n_insn);
}

static void ran(struct pe *pe, uint64_t pc, enum enc_isa isa, const uint8_t *env)
{
	const bool slept = pe->last->tail->block.last.class == ENC_WFX;

	if (slept)
		tracer_sleeps(&pe->tracer, env);
	tracer_open(&pe->tracer, pe->last);
	ran_plain(pe, pc, isa);
	tracer_close(&pe->tracer, pe->last);
	if (slept)
		tracer_see_time(&pe->tracer, env);
}

static void ran_part(struct pe *pe, unsigned int n_insn, bool goes_on)
{
	tracer_open(&pe->tracer, pe->last);
	vcpu_ran_part(pe->tracer.cpu, pe->last, n_insn, goes_on);
	tracer_count(&pe->tracer, n_insn);
}

/* The instruction set in which an exception to level @el interrupted the CPU. */
static enum enc_isa isa_before(const uint8_t *env, unsigned int el)
{
	const uint64_t spsr = state_spsr(env, el);

	return !(spsr & STATE_SPSR_32) ? ENC_A64 : spsr & STATE_SPSR_T ? ENC_T32 : ENC_A32;
}

/*
 * The last block was executed up to where an exception to level @el came; @whole: all of it, if it
 * leads there.  Return: that is possible.
 */
static bool ran_to(struct pe *pe, bool whole, const uint8_t *env, unsigned int el)
{
	const uint64_t ret = state_elr(env, el);
	const struct code *last = pe->last;
	const unsigned int before = code_before(last, ret);
	const bool after = code_leads_to(last, ret) || (last->call && ret == last->end);

	if (after && (whole || before >= last->n_insn)) {
		ran(pe, ret, isa_before(env, el), env);
		return true;
	}
	if (before >= last->n_insn)
		return false;
	ran_part(pe, before, false);
	return true;
}

/* Nothing explains how execution came to @code: trace begins anew there. */
static void unexplained(struct pe *pe, const struct code *code, const uint8_t *env)
{
	machine.unknown++;
	tracer_stop(&pe->tracer);
	vcpu_lost(pe->tracer.cpu, &pe->tracer.task, pe->last, pe->last->n_insn);
	tracer_start(&pe->tracer, code->pc, code->isa, env);
}

/* An exception was taken, and its handler begins. */
static void took(struct pe *pe, const struct code *code, const uint8_t *env, unsigned int el)
{
	static const uint32_t types[] = {
		[VECTOR_IRQ] = ENC_EXC_IRQ, [VECTOR_FIQ] = ENC_EXC_FIQ,
		[VECTOR_SERROR] = ENC_EXC_SERROR,
	};
	const enum vector vector = code->pc / VECTOR_SIZE & 3;
	const uint64_t esr = state_esr(env, el), ret = state_elr(env, el);
	const bool whole = vector != VECTOR_SYNC || state_is_before(esr);
	uint32_t type = vector == VECTOR_SYNC ? state_cause(esr) : types[vector];

	if (!ran_to(pe, whole, env, el)) {
		unexplained(pe, code, env);
		return;
	}
	/* A call that was trapped returns to itself. */
	if (type == ENC_EXC_CALL && ret != pe->last->end)
		type = ENC_EXC_TRAP;
	tracer_exception(&pe->tracer, type, ret);
	tracer_change(&pe->tracer, code->pc, code->isa, env, true);
}

/*
 * HVC or SMC, and QEMU itself is what they call: as if it were a level of its own that is not
 * traced.
 */
static void called(struct pe *pe, const struct code *code, const uint8_t *env)
{
	ran(pe, code->pc, code->isa, env);
	tracer_exception(&pe->tracer, ENC_EXC_CALL, code->pc);
	tracer_stop(&pe->tracer);
	tracer_start(&pe->tracer, code->pc, code->isa, env);
}

/* QEMU left a block in the middle, and began anew with one instruction that must be alone. */
static bool is_anew(const struct code *last, const struct code *code)
{
	return code->n_insn == 1 && code->tail->block.last.class == ENC_PLAIN &&
	       code_before(last, code->pc) < last->n_insn &&
	       (last->any || !code_leads_to(last, code->pc));
}

/* Says where pe->last led, now that @code begins.  Return: trace may stop here. */
static bool judge(struct pe *pe, const struct code *code, const uint8_t *env)
{
	const struct code *last = pe->last;
	const unsigned int el = state_el(env);

	if (is_vector(env, code->pc, el)) {
		took(pe, code, env, el);
		return true;
	}
	if (is_return(last)) {
		ran(pe, code->pc, code->isa, env);
		tracer_change(&pe->tracer, code->pc, code->isa, env, false);
		return true;
	}
	if (el == pe->el && last->call && code->pc == last->end) {
		called(pe, code, env);
		return true;
	}
	if (el != pe->el || !(is_anew(last, code) || code_leads_to(last, code->pc))) {
		unexplained(pe, code, env);
		return true;
	}
	if (is_anew(last, code)) {
		ran_part(pe, code_before(last, code->pc), true);
		return false;
	}
	ran(pe, code->pc, code->isa, env);
	if (last->tail->block.last.class == ENC_ISB)
		tracer_see_process(&pe->tracer, env);
	return ends_well(last);
}

/* ---------------------------------------------------------------- a block begins */

static enum enc_isa isa_of(const uint8_t *env)
{
	return state_is_a64(env) ? ENC_A64 : guest_is_thumb(env) ? ENC_T32 : ENC_A32;
}

static bool prepare(struct code *code, const uint8_t *env)
{
	const enum enc_isa isa = isa_of(env);
	const unsigned int it = isa == ENC_T32 ? state_it(env) : 0;

	code->look &= ~CODE_FRESH;
	if (code->look & CODE_NEW || code->isa != isa || code->it != it)
		return code_scan(code, isa, it);
	return true;
}

/* The first block of a CPU. */
static bool arrive(struct pe *pe, unsigned int number, const uint8_t *env)
{
	if (pe->gone || machine.ended)
		return false;
	pe->here = state_find(number, env);
	pe->gone = !pe->here;
	if (pe->gone) {
		fputs("csflow: this QEMU keeps registers where 7.2 does not\n", stderr);
		channel_remove(&pe->tracer.channel);
	}
	return pe->here;
}

/* Looks at the clock now and then, at the room, and sends what is pending. */
static void look_around(struct pe *pe, const uint8_t *env, bool well)
{
	struct tracer *t = &pe->tracer;

	if (t->cpu->left <= 0)
		tracer_see_time(t, env);
	if (well)
		tracer_see_room(t);
	if (enc_pending(t->cpu->enc))
		tracer_drain(t);
}

static void step(struct pe *pe, struct code *code, const uint8_t *env)
{
	struct tracer *t = &pe->tracer;
	bool well = true;

	if (!prepare(code, env)) {
		machine.unknown++;
		tracer_stop(t);
		pe->last = NULL;
		return;
	}
	if (!t->enabled)
		tracer_enable(t, env);
	if (pe->last)
		well = judge(pe, code, env);
	else if (!t->cpu->on)
		tracer_start(t, code->pc, code->isa, env);
	pe->last = NULL;
	if (!tracer_is_wanted(t) && (well || !t->cpu->on)) {
		tracer_disable(t);
		return;
	}
	look_around(pe, env, well);
	if (!t->cpu->on && !machine.truth)
		return;
	pe->last = code;
	pe->el = state_el(env);
}

/* It goes on as the code says, without any of what step() looks for. */
static inline bool is_plain(const struct pe *pe, const struct code *code, const uint8_t *env)
{
	const struct code *last = pe->last;

	return last && tracer_is_wanted(&pe->tracer) && code_leads_to(last, code->pc) &&
	       !atomic_load_explicit(&code->look, memory_order_acquire) &&
	       code->pc & (VECTOR_SIZE - 1) && !is_return(last) &&
	       last->tail->block.last.class != ENC_ISB &&
	       last->tail->block.last.class != ENC_WFX && code->isa == ENC_A64 &&
	       !pe->tracer.gate.watched &&
	       state_is_a64(env) && state_el(env) == pe->el;
}

__attribute__((used))
void system_executed(unsigned int vcpu, struct code *code, const uint8_t *env)
{
	struct pe *pe = &machine.pe[vcpu % CPUS];
	struct tracer *t = &pe->tracer;

	if (__builtin_expect(pe->here, 1) && !(t->enabled | tracer_is_wanted(t)))
		return;
	if (vcpu >= CPUS || machine.ended || (!pe->here && !arrive(pe, vcpu, env)))
		return;
	if (is_plain(pe, code, env)) {
		const bool well = ends_well(pe->last);

		ran_plain(pe, code->pc, code->isa);
		pe->last = code;
		look_around(pe, env, well);
		return;
	}
	/* Most code is that of a level that is not traced. */
	if (t->enabled && !t->cpu->on && !machine.truth && tracer_is_wanted(t) &&
	    !tracer_has(t, state_el(env)))
		return;
	if (t->enabled || tracer_is_wanted(t))
		step(pe, code, env);
}

/* ---------------------------------------------------------------- begin and end */

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct code *code = code_translated(tb);

	if (code)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, system_enter, QEMU_PLUGIN_CB_NO_REGS,
						     code);
}

/* QEMU has stopped its CPUs. */
static void ended(uint64_t id, void *userdata)
{
	int err = 0;

	machine.ended = true;
	for (unsigned int i = 0; i < CPUS; i++)
		if (machine.pe[i].tracer.enabled)
			tracer_disable(&machine.pe[i].tracer);
	if (machine.truth)
		err = truth_finish(machine.truth);
	if (machine.unknown)
		fprintf(stderr, "csflow: execution went on %llu times without an explanation\n",
			machine.unknown);
	if (!err)
		return;
	fprintf(stderr, "csflow: log of truth: %s\n", strerror(-err));
	_exit(LOG_LOST);
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "csflow: %s: %s\n", what, why);
	return -1;
}

/* The last value of argument @name; NULL: there is none. */
static const char *value(int argc, char **argv, const char *name)
{
	const size_t n = strlen(name);

	for (int i = argc; i--; )
		if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

bool system_is_wanted(int argc, char **argv)
{
	return value(argc, argv, "shm");
}

static int open_log(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : truth_new(&machine.truth, fd, CPUS);
}

int system_begin(uint64_t id, int argc, char **argv)
{
	const char *const shm = value(argc, argv, "shm"), *log = value(argc, argv, "truth");
	const char *const bell = value(argc, argv, "doorbell");
	const bool rings = bell && !strcmp(bell, "on");
	const struct port_setup port = { .n_cpu = CPUS };
	char problem[ENC_PROBLEM_MAX] = "";
	int fd, err;

	if (enc_setup_parse(&machine.setup, value(argc, argv, "unit"), problem))
		return complain("unit", problem);
	fd = channel_open(shm, rings ? doorbell_ring : NULL);
	if (fd < 0)
		return complain(shm, strerror(-fd));
	err = rings ? doorbell_open("csflow", fd) : 0;
	if (err)
		return complain("doorbell", strerror(-err));
	err = log ? open_log(log) : 0;
	if (err)
		return complain(log, strerror(-err));
	if (code_init(&machine.setup, machine.truth) ||
	    vcpu_init(&port, &machine.setup, machine.truth))
		return complain("unit", "no memory, or no such trace unit");
	for (unsigned int i = 0; i < CPUS; i++)
		tracer_init(&machine.pe[i].tracer, i, &machine.setup);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
