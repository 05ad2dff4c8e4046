// SPDX-License-Identifier: GPL-2.0-only
#include "tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* TRCCONFIGR */
#define CONFIG_VMIDOPT	(1u << 15)

static struct enc_setup unit;

void tracer_init(struct tracer *t, uint32_t number, const struct enc_setup *setup)
{
	unit = *setup;
	t->cpu = vcpu_at(number);
	channel_init(&t->channel, number, setup);
}

static void die(void)
{
	fputs("csflow: no memory for a trace unit\n", stderr);
	abort();
}

/* ---------------------------------------------------------------- time and bytes */

/*
 * Between two looks the clock stands still, so it may be late, but is never early.  It does not go
 * back when the guest sets its counter.
 */
void tracer_see_time(struct tracer *t, const uint8_t *env)
{
	const uint64_t now = state_count(env);

	if (now > t->now)
		t->now = now;
	t->cpu->left = TRACER_BATCH;
}

/* Without a timestamp, a decoder would take the instructions before it for slow ones. */
void tracer_sleeps(struct tracer *t, const uint8_t *env)
{
	if (t->period && state_count(env) > t->now + t->period)
		enc_time(t->cpu->enc);
}

void tracer_drain(struct tracer *t)
{
	const uint8_t *bytes;
	const long n = enc_take(t->cpu->enc, &bytes);

	if (n < 0)
		die();
	channel_write(&t->channel, bytes, n);
}

/*
 * A trace buffer that is full takes no more bytes, and the trace unit does not know it: the trace
 * just stops, and the driver says so beside it.  That is no overflow, which the unit would report.
 */
void tracer_see_room(struct tracer *t)
{
	struct encoder *enc = t->cpu->enc;

	if (t->full) {
		t->full = CHANNEL_GET(&t->channel, full);
		if (!t->full)
			enc_resume(enc);
		return;
	}
	if (!t->cpu->on || channel_has_room(&t->channel, enc_pending(enc)))
		return;
	enc_lose(enc, ENC_LOST_TRUNCATED);
	tracer_drain(t);
	t->full = true;
	channel_fill(&t->channel);
}

/* ---------------------------------------------------------------- start and stop addresses */

/* With start addresses nothing is traced before the first one. */
static void set_gate(struct tracer *t)
{
	const struct csf_channel *reg = t->channel.reg;
	struct gate *gate = &t->gate;

	*gate = (struct gate){ 0 };
	for (uint32_t i = 0; i < reg->n_range && i < CSF_CHANNEL_RANGES; i++) {
		if (reg->range[i].kind == CSF_CHANNEL_START)
			gate->start[gate->n_start++] = reg->range[i].from;
		else if (reg->range[i].kind == CSF_CHANNEL_STOP)
			gate->stop[gate->n_stop++] = reg->range[i].from;
	}
	gate->watched = gate->n_start || gate->n_stop;
	gate->open = !gate->n_start;
	enc_gate(t->cpu->enc, gate->open);
}

/* The last of @n addresses that is in @code; 0: none. */
static uint64_t last_in(const uint64_t *addr, unsigned int n, const struct code *code)
{
	uint64_t last = 0;

	for (unsigned int i = 0; i < n; i++)
		if (addr[i] >= code->pc && addr[i] < code->end && addr[i] > last)
			last = addr[i];
	return last;
}

void tracer_open(struct tracer *t, const struct code *code)
{
	struct gate *gate = &t->gate;

	if (gate->open || !last_in(gate->start, gate->n_start, code))
		return;
	gate->open = true;
	enc_gate(t->cpu->enc, true);
}

/* The block of a stop address is traced as a whole. */
void tracer_close(struct tracer *t, const struct code *code)
{
	struct gate *gate = &t->gate;
	const uint64_t stop = last_in(gate->stop, gate->n_stop, code);

	if (!stop || stop < last_in(gate->start, gate->n_start, code))
		return;
	gate->open = false;
	enc_gate(t->cpu->enc, false);
}

/* ---------------------------------------------------------------- on and off */

void tracer_enable(struct tracer *t, const uint8_t *env)
{
	struct vcpu *cpu = t->cpu;
	struct enc_setup setup;

	channel_setup(&t->channel, &setup, &unit);
	setup.seed += (uint64_t)t->channel.number << 32;
	enc_free(cpu->enc);
	if (enc_new(&cpu->enc, &setup, &t->now))
		die();
	t->now = 0;
	tracer_see_time(t, env);
	t->levels = CHANNEL_GET(&t->channel, levels);
	t->period = setup.time_period;
	t->told = 0;
	t->full = CHANNEL_GET(&t->channel, full);
	t->enabled = true;
	/* It may be the thread of the last time, which was on another CPU in between. */
	t->task.traced = false;
	set_gate(t);
	CHANNEL_SET(&t->channel, idle, 0);
	if (cpu->truth)
		truth_config(cpu->truth, &setup.config, 0);
}

void tracer_disable(struct tracer *t)
{
	enc_stop(t->cpu->enc);
	enc_flush(t->cpu->enc);
	tracer_drain(t);
	t->cpu->on = false;
	t->enabled = false;
	vcpu_note(t->cpu, ENC_LOST_OFF);
	if (t->cpu->truth)
		truth_flush(t->cpu->truth);
	CHANNEL_SET(&t->channel, idle, 1);
}

void tracer_stop(struct tracer *t)
{
	enc_stop(t->cpu->enc);
	t->cpu->on = false;
}

/* ---------------------------------------------------------------- contexts */

/* Linux writes the thread to CONTEXTIDR of its own level; that of the other one stays 0. */
static uint32_t thread_of(const struct enc_context *c)
{
	return c->vmid ? c->vmid : c->contextid;
}

static void log_context(struct tracer *t, bool other)
{
	const struct enc_context *c = &t->context;
	const struct csf_context as = {
		.contextid = c->contextid, .vmid = c->vmid, .el = c->el,
		.security = c->security, .bits64 = c->bits64, .has_contextid = true,
		.has_vmid = true, .known = true,
	};

	if (!t->cpu->truth)
		return;
	/* The process of a thread is not known here. */
	t->task.pid = thread_of(c);
	t->task.tid = thread_of(c);
	if (other)
		truth_thread(t->cpu->truth, t->task.pid, t->task.tid);
	truth_context(t->cpu->truth, &as);
}

/* Takes the context from the CPU's registers.  Return: it is another one. */
static bool see_context(struct tracer *t, const uint8_t *env)
{
	const struct enc_context old = t->context;
	struct enc_context *c = &t->context;

	c->el = state_el(env);
	c->bits64 = state_is_a64(env);
	c->security = CSF_NONSECURE;
	c->contextid = state_contextid1(env);
	c->vmid = state_contextid2(env);
	if (old.el == c->el && old.bits64 == c->bits64 && old.contextid == c->contextid &&
	    old.vmid == c->vmid && t->task.traced)
		return false;
	log_context(t, thread_of(&old) != thread_of(c) || !t->task.traced);
	t->task.traced = true;
	return true;
}

void tracer_see_process(struct tracer *t, const uint8_t *env)
{
	if (see_context(t, env) && t->cpu->on)
		enc_context(t->cpu->enc, &t->context);
}

/* ---------------------------------------------------------------- where tracing goes */

void tracer_start(struct tracer *t, uint64_t pc, enum enc_isa isa, const uint8_t *env)
{
	struct encoder *enc = t->cpu->enc;

	see_context(t, env);
	if (!tracer_has(t, t->context.el))
		return;
	tracer_see_time(t, env);
	enc_start(enc, pc, isa, &t->context);
	t->cpu->on = true;
	/* The encoder's period begins anew with each start. */
	if (t->period && t->now >= t->told + t->period) {
		t->told = t->now;
		enc_time(enc);
	}
	if (t->full)
		enc_lose(enc, ENC_LOST_TRUNCATED);
}

void tracer_exception(struct tracer *t, uint32_t type, uint64_t ret)
{
	vcpu_note(t->cpu, enc_exception(t->cpu->enc, type, ret));
	if (t->cpu->truth)
		truth_exception(t->cpu->truth, type, ret);
}

void tracer_change(struct tracer *t, uint64_t pc, enum enc_isa isa, const uint8_t *env, bool entry)
{
	if (!t->cpu->on) {
		tracer_start(t, pc, isa, env);
		return;
	}
	see_context(t, env);
	if (!tracer_has(t, t->context.el))
		tracer_stop(t);
	else if (entry)
		enc_handler(t->cpu->enc, pc, isa, &t->context);
	else
		enc_context(t->cpu->enc, &t->context);
}
