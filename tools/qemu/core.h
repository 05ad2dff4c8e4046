/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of an emulated Cortex-M, and the frames that exceptions leave on its stacks.
 *
 * Registers are read as guest.h says, and memory by functions of QEMU itself: Debian's
 * qemu-system-arm 7.2 exports all that it has, for its modules.
 */
#ifndef CSF_QEMU_CORE_H
#define CSF_QEMU_CORE_H

#include "guest.h"

/* Offsets in QEMU's CPU state, of M profile. */
enum {
	CORE_AT_IT		= 0x220,
	CORE_AT_OTHER_SP	= 0xb68,	/* the stack pointer that is not in r13 */
	CORE_AT_OTHER_MSP	= 0xb6c,	/* those of the other security state */
	CORE_AT_OTHER_PSP	= 0xb70,
	CORE_AT_EXCEPTION	= 0xbc0,	/* IPSR */
	CORE_AT_SECURE		= 0xbd8,
};

static inline uint32_t core_word(const uint8_t *env, unsigned int at)
{
	uint32_t v;

	memcpy(&v, env + at, sizeof(v));
	return v;
}

/* The number of the exception that is handled; 0: thread mode. */
static inline uint32_t core_exception(const uint8_t *env)
{
	return core_word(env, CORE_AT_EXCEPTION);
}

static inline bool core_is_secure(const uint8_t *env)
{
	return core_word(env, CORE_AT_SECURE);
}

/* How many of the next instructions are in an IT block. */
static inline unsigned int core_it(const uint8_t *env)
{
	const uint32_t mask = core_word(env, CORE_AT_IT) & 0xf;

	return mask ? 4 - __builtin_ctz(mask) : 0;
}

/* Is it a value that an exception leaves in LR? */
static inline bool core_is_return(uint32_t lr)
{
	return lr >> 24 == 0xff;
}

/**
 * struct core_frame - what an exception left on the stack
 * @ret: the address to which it returns
 * @exception: IPSR there; @secure: the state there
 * @lr: EXC_RETURN of the exception whose frame it is; @outer_lr: LR there
 * @outer_sp: the stack pointer there, if it is of the same stack
 */
struct core_frame {
	uint32_t ret, exception;
	uint32_t lr, outer_lr, outer_sp;
	bool secure;
};

/* Finds the functions of QEMU.  Return: they are there. */
bool core_init(void);

/* Does @env look like the state of a Cortex-M that is about to execute @pc after a reset? */
bool core_is_sound(const uint8_t *env, uint64_t pc);

/**
 * core_frame() - read the frame of the exception whose handler is about to begin
 * @number: QEMU's number of the CPU
 * @security: the CPU has the security extension
 *
 * Return: there is one.
 */
bool core_frame(unsigned int number, const uint8_t *env, bool security, struct core_frame *frame);

/* If a handler was interrupted before its first instruction, its own frame.  Return: as above. */
bool core_outer(unsigned int number, const uint8_t *env, bool security, struct core_frame *frame);

/* ITSTATE at @pc, to which an exception has just returned; 0: it cannot be found. */
uint8_t core_returned_it(unsigned int number, const uint8_t *env, uint32_t pc);

#endif /* CSF_QEMU_CORE_H */
