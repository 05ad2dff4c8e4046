/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system registers of an emulated CPU of A profile, at the beginning of a block.
 *
 * QEMU tells where it keeps them: Debian's qemu-system-aarch64 7.2 exports all that it has, for its
 * modules.  Among it is the description of a CPU for migration, with names and offsets, and the
 * table of system registers, likewise.
 */
#ifndef CSF_QEMU_STATE_H
#define CSF_QEMU_STATE_H

#include "guest.h"

/* Offsets in QEMU's CPU state, beside those of guest.h; state_find() checks their neighbours. */
enum {
	STATE_AT_PSTATE		= 328,	/* of AArch64 */
	STATE_AT_AARCH64	= 332,
	STATE_AT_IT		= 0x220,	/* of AArch32 */
};

#define STATE_LEVELS	4

/**
 * struct state_places - offsets of registers in QEMU's CPU state
 * @esr: by exception level, as @vbar and @spsr; 0: QEMU has no such register
 * @elr: of level 0; those of the others follow
 * @contextid1: CONTEXTIDR_EL1; @contextid2: CONTEXTIDR_EL2, or 0
 * @count: reads the virtual counter
 * @counter: what it wants to be given
 */
struct state_places {
	size_t esr[STATE_LEVELS], vbar[STATE_LEVELS], spsr[STATE_LEVELS];
	size_t elr;
	size_t contextid1, contextid2;
	uint64_t (*count)(const void *env, const void *counter);
	const void *counter;
};

extern struct state_places state_places;

/**
 * state_find() - find the registers of a CPU
 * @number: QEMU's number of it
 * @env: its state
 *
 * Return: they are there; false: this is not QEMU 7.2, or one that has another layout.
 */
bool state_find(unsigned int number, const uint8_t *env);

static inline uint64_t state_long(const uint8_t *env, size_t at)
{
	uint64_t v = 0;

	if (at)
		memcpy(&v, env + at, sizeof(v));
	return v;
}

/* SPSR: that of AArch32, and of T32 in it. */
#define STATE_SPSR_32	(1u << 4)
#define STATE_SPSR_T	(1u << 5)

static inline bool state_is_a64(const uint8_t *env)
{
	return env[STATE_AT_AARCH64];
}

/* The exception level: AArch32 is at EL0, because the kernel is one for arm64. */
static inline unsigned int state_el(const uint8_t *env)
{
	return state_is_a64(env) ? env[STATE_AT_PSTATE] >> 2 & 3 : 0;
}

/* How many of the next T32 instructions are in an IT block. */
static inline unsigned int state_it(const uint8_t *env)
{
	const unsigned int mask = env[STATE_AT_IT] & 0xf;

	return mask ? 4 - __builtin_ctz(mask) : 0;
}

/*
 * Registers of level @el: where the last exception to it returns, with which state, its cause, and
 * the vectors.
 */
static inline uint64_t state_elr(const uint8_t *env, unsigned int el)
{
	return state_long(env, state_places.elr + 8 * el);
}

static inline uint64_t state_spsr(const uint8_t *env, unsigned int el)
{
	return state_long(env, state_places.spsr[el]);
}

static inline uint64_t state_esr(const uint8_t *env, unsigned int el)
{
	return state_long(env, state_places.esr[el]);
}

static inline uint64_t state_vbar(const uint8_t *env, unsigned int el)
{
	return state_long(env, state_places.vbar[el]);
}

static inline uint32_t state_contextid1(const uint8_t *env)
{
	return state_long(env, state_places.contextid1);
}

static inline uint32_t state_contextid2(const uint8_t *env)
{
	return state_long(env, state_places.contextid2);
}

/* The virtual counter, as the CPU itself would read it now. */
static inline uint64_t state_count(const uint8_t *env)
{
	return state_places.count(env, state_places.counter);
}

/* The type, for a trace unit, of the synchronous exception whose cause is @esr. */
uint32_t state_cause(uint64_t esr);

/* Does it come before its instruction is begun? */
bool state_is_before(uint64_t esr);

#endif /* CSF_QEMU_STATE_H */
