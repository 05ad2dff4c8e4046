/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of a guest thread, and the frames that signals leave on its stack.
 *
 * QEMU 7.2's interface for plugins has no registers.  But translated code keeps the address of
 * QEMU's CPU state in a register of the host, through every call; at the beginning of a block
 * it has the contents of all guest registers.  The layout is that of QEMU 7.2 and similar versions,
 * and is checked: the program counter must be the address of a thread's first block.
 *
 * So the address at which a signal interrupted the program can be read; otherwise it would be
 * known only when the handler returns, or never.
 */
#ifndef CSF_QEMU_GUEST_H
#define CSF_QEMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GUEST_SIGNALS	64

/* Offsets in QEMU's CPU state. */
enum {
	GUEST_AT_R		= 0,	/* AArch32: 16 words */
	GUEST_AT_X		= 64,	/* AArch64: 32 of 64 bits, the last is SP */
	GUEST_AT_PC		= 320,
	GUEST_AT_THUMB		= 333,
};

static inline uint64_t guest_x(const uint8_t *env, unsigned int n)
{
	uint64_t v;

	memcpy(&v, env + GUEST_AT_X + 8 * n, sizeof(v));
	return v;
}

static inline uint32_t guest_r(const uint8_t *env, unsigned int n)
{
	uint32_t v;

	memcpy(&v, env + GUEST_AT_R + 4 * n, sizeof(v));
	return v;
}

static inline bool guest_is_thumb(const uint8_t *env)
{
	return env[GUEST_AT_THUMB];
}

/*
 * Is @env the state of a CPU that is about to execute @pc?  If one block leads directly to the
 * next, QEMU does not update the program counter; it is right at the first block of a thread,
 * and at the target of a signal.
 */
bool guest_is_at(const uint8_t *env, uint64_t pc);

/* Learns of a handler that rt_sigaction set; @sa: its second argument. */
void guest_sigaction(unsigned int signo, uint64_t sa);

/* Does a handler begin at @pc? */
bool guest_is_handler(uint64_t pc);

/* Does @signo end the program, because it has no handler? */
bool guest_is_fatal(unsigned int signo);

/**
 * struct guest_signal - the reason why a handler runs
 * @signo: the signal
 * @pc: the interrupted address, bit 0 clear
 * @thumb: its instruction set is T32
 * @fault: the instruction at @pc caused it
 */
struct guest_signal {
	unsigned int signo;
	uint64_t pc;
	bool thumb;
	bool fault;
};

/**
 * guest_signal() - is a thread at the beginning of a handler because of a signal?
 * @env: its state
 * @pc: the address that it is about to execute
 *
 * If several came at once, @signal has the address that the first one interrupted.
 *
 * Return: it is, and its frame can be read.
 */
bool guest_signal(const uint8_t *env, uint64_t pc, struct guest_signal *signal);

/*
 * System call @number is about to begin.  Return: ITSTATE after it: that of the place that
 * sigreturn goes back to, or else @it.
 */
uint8_t guest_returns(const uint8_t *env, int64_t number, uint8_t it);

/* Copies @n bytes of the guest.  Return: they are readable. */
bool guest_read(uint64_t addr, void *buf, size_t n);

/* The kind of guest, and the place of its address 0 in our memory. */
void guest_set_arm(bool arm);
bool guest_is_arm(void);
void guest_set_base(uint64_t base);
uint64_t guest_base(void);

#endif /* CSF_QEMU_GUEST_H */
