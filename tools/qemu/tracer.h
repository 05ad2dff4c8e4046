/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace unit of an emulated CPU of A profile: driven by its channel, fed by what system.h finds
 * out.  Only the thread that executes the CPU calls these functions.
 */
#ifndef CSF_QEMU_TRACER_H
#define CSF_QEMU_TRACER_H

#include "channel.h"
#include "vcpu.h"

/* Instructions between two looks at the counter. */
#define TRACER_BATCH	256

/**
 * struct gate - start and stop addresses
 * @start: @n_start of them; @stop: @n_stop; with any, each block must be looked at: @watched
 * @open: the last one that was executed was a start
 */
struct gate {
	uint64_t start[CSF_CHANNEL_RANGES], stop[CSF_CHANNEL_RANGES];
	unsigned int n_start, n_stop;
	bool watched, open;
};

/**
 * struct tracer - a trace unit
 * @cpu: encoder and log
 * @now: the virtual counter, as the unit knows it
 * @task: stands for what the CPU executes, in the log
 * @context: the last one that was told
 * @gate: what may open and close it
 * @levels: bit n: exception level n is traced
 * @period: ticks between two timestamps; @told: @now at the last one that was asked for
 * @enabled: the driver has enabled it
 * @full: trace is lost until there is room
 */
struct tracer {
	struct channel channel;
	struct vcpu *cpu;
	struct task task;
	struct enc_context context;
	struct gate gate;
	uint32_t levels;
	uint64_t now, period, told;
	bool enabled, full;
};

/* Makes the unit of CPU @number; @setup: what all of them are.  vcpu_init() comes before. */
void tracer_init(struct tracer *t, uint32_t number, const struct enc_setup *setup);

/* Does the driver want trace? */
static inline bool tracer_is_wanted(const struct tracer *t)
{
	return CHANNEL_GET(&t->channel, enable);
}

/* Is level @el traced? */
static inline bool tracer_has(const struct tracer *t, unsigned int el)
{
	return t->levels >> el & 1;
}

/* The driver has enabled it: takes its registers.  Nothing is traced yet. */
void tracer_enable(struct tracer *t, const uint8_t *env);

/* The driver has disabled it: everything is sent, and the driver is told. */
void tracer_disable(struct tracer *t);

/* The CPU goes on at @pc, in the context of @env: traced, if its level is. */
void tracer_start(struct tracer *t, uint64_t pc, enum enc_isa isa, const uint8_t *env);

/* Tracing is off, but for the log. */
void tracer_stop(struct tracer *t);

/* An exception was taken; tracer_change() or tracer_stop() follows. */
void tracer_exception(struct tracer *t, uint32_t type, uint64_t ret);

/* The CPU goes on at @pc, after an exception: @entry; or an exception return. */
void tracer_change(struct tracer *t, uint64_t pc, enum enc_isa isa, const uint8_t *env, bool entry);

/* The CPU may be in another process than before. */
void tracer_see_process(struct tracer *t, const uint8_t *env);

/* Reads the counter. */
void tracer_see_time(struct tracer *t, const uint8_t *env);

/* The last block ends with a WFI or WFE, perhaps with a long sleep: the time before it is sent. */
void tracer_sleeps(struct tracer *t, const uint8_t *env);

/* Writes the available trace. */
void tracer_drain(struct tracer *t);

/* The last instruction was a P0 element or an exception: trace may be lost, or go on. */
void tracer_see_room(struct tracer *t);

/* @code is told next: opens the gate if a start address is in it. */
void tracer_open(struct tracer *t, const struct code *code);

/* @code was told: closes the gate if it is to end there. */
void tracer_close(struct tracer *t, const struct code *code);

/* Counts @n instructions that were executed just now. */
static inline void tracer_count(struct tracer *t, unsigned int n)
{
	if (t->cpu->lost == ENC_KEPT)
		t->channel.reg->instructions += n;
	else if (t->cpu->lost == ENC_LOST_TRUNCATED)
		t->channel.reg->lost += n;
}

#endif /* CSF_QEMU_TRACER_H */
