// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>

/* EXC_RETURN */
#define LR_TO_SECURE	(1u << 0)	/* 0: likewise, if the frame is Secure */
#define LR_PSP		(1u << 2)
#define LR_BASIC	(1u << 4)	/* 0: the frame has floating-point registers */
#define LR_CALLEE	(1u << 5)	/* 0: the frame has the callee's registers, too */
#define LR_SECURE	(1u << 6)	/* it is on a Secure stack */
#define CALLEE_BYTES	0x28

#define FRAME_LR	0x14		/* the return address and xPSR follow */
#define FRAME_BASIC	0x20
#define FRAME_FLOAT	0x68
#define XPSR_T		(1u << 24)
#define XPSR_ALIGN	(1u << 9)
#define XPSR_EXCEPTION	0x1ff

/* QEMU's MemTxAttrs, which is passed as a word: bit 1 is "secure" in 7.2. */
#define ATTRS_SECURE	2

/* Address spaces of an Arm CPU: only one that has the security extension has the second. */
enum { SPACE_NONSECURE, SPACE_SECURE };

static struct {
	void *(*cpu)(int number);
	void *(*space)(void *cpu, int space);
	uint32_t (*read)(void *space, uint64_t addr, uint32_t attrs, void *buf, uint64_t n);
} qemu;

/* POSIX wants a pointer to a function to be read so. */
static bool find(void *where, const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(where, &symbol, sizeof(symbol));
	return symbol;
}

bool core_init(void)
{
	return find(&qemu.cpu, "qemu_get_cpu") && find(&qemu.space, "cpu_get_address_space") &&
	       find(&qemu.read, "address_space_read_full");
}

bool core_is_sound(const uint8_t *env, uint64_t pc)
{
	return guest_r(env, 15) == pc && guest_is_thumb(env) && !core_exception(env) &&
	       core_word(env, CORE_AT_SECURE) <= 1 && !core_it(env);
}

/* The size of a frame without what is below it on a Secure stack. */
static uint32_t frame_size(uint32_t lr, uint32_t xpsr)
{
	return (lr & LR_BASIC ? FRAME_BASIC : FRAME_FLOAT) + (xpsr & XPSR_ALIGN ? 4 : 0);
}

/*
 * The frame that @lr means, whose exception was taken to state @to; @sp: the main stack pointer
 * there.  Handlers use the main stack, so the process stack is not the current one.
 */
static uint32_t frame_at(const uint8_t *env, bool security, uint32_t lr, uint32_t sp, bool to)
{
	const bool from = security && lr & LR_SECURE;

	if (security && from != core_is_secure(env))
		sp = core_word(env, lr & LR_PSP ? CORE_AT_OTHER_PSP : CORE_AT_OTHER_MSP);
	else if (lr & LR_PSP)
		sp = core_word(env, CORE_AT_OTHER_SP);
	else if (from != to)
		return 0;
	return from && (!(lr & LR_CALLEE) || !(lr & LR_TO_SECURE)) ? sp + CALLEE_BYTES : sp;
}

static bool read_frame(unsigned int number, const uint8_t *env, bool security, uint32_t lr,
		       uint32_t sp, bool to, struct core_frame *frame)
{
	const bool secure = security && lr & LR_SECURE;
	const uint32_t at = frame_at(env, security, lr, sp, to);
	uint32_t word[3];
	void *space;

	if (!core_is_return(lr) || !at)
		return false;
	space = qemu.space(qemu.cpu(number), secure ? SPACE_SECURE : SPACE_NONSECURE);
	if (qemu.read(space, at + FRAME_LR, secure ? ATTRS_SECURE : 0, word, sizeof(word)))
		return false;
	*frame = (struct core_frame){
		.ret = word[1] & ~1u, .exception = word[2] & XPSR_EXCEPTION, .lr = lr,
		.outer_lr = word[0], .outer_sp = at + frame_size(lr, word[2]), .secure = secure,
	};
	return word[2] & XPSR_T;
}

bool core_frame(unsigned int number, const uint8_t *env, bool security, struct core_frame *frame)
{
	return read_frame(number, env, security, guest_r(env, 14), guest_r(env, 13),
			  security && core_is_secure(env), frame);
}

bool core_outer(unsigned int number, const uint8_t *env, bool security, struct core_frame *frame)
{
	const struct core_frame inner = *frame;

	return read_frame(number, env, security, inner.outer_lr, inner.outer_sp, inner.secure,
			  frame);
}

/* The frame is right below the stack pointer, but its size is not known any more. */
uint8_t core_returned_it(unsigned int number, const uint8_t *env, uint32_t pc)
{
	static const uint32_t sizes[] = { FRAME_BASIC, FRAME_FLOAT };
	const uint32_t sp = guest_r(env, 13);
	uint32_t word[2];
	void *space = qemu.space(qemu.cpu(number), SPACE_NONSECURE);

	for (unsigned int i = 0; i < 4; i++) {
		const uint32_t at = sp - sizes[i >> 1] - (i & 1 ? 4 : 0) + FRAME_LR + 4;
		const uint32_t *xpsr = &word[1];

		if (!qemu.read(space, at, 0, word, sizeof(word)) && (word[0] & ~1u) == pc &&
		    *xpsr & XPSR_T && (*xpsr & XPSR_EXCEPTION) == core_exception(env) &&
		    !(*xpsr & XPSR_ALIGN) == !(i & 1))
			return (*xpsr >> 8 & 0xfc) | (*xpsr >> 25 & 3);
	}
	return 0;
}
