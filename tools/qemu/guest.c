// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

/* struct sigaction of the kernel, flags: the frame has a siginfo; there is a restorer */
#define GUEST_SA_SIGINFO	0x00000004u
#define GUEST_SA_RESTORER	0x04000000u
/* Frames of simultaneous signals: at most one for each signal. */
#define NESTED_MAX		GUEST_SIGNALS

struct action {
	uint64_t handler;	/* with bit 0 for T32 */
	uint64_t flags;
	uint64_t restorer;
};

static struct {
	bool arm;
	uint64_t base;
	pthread_mutex_t lock;
	struct action action[GUEST_SIGNALS + 1];
} guest = { .lock = PTHREAD_MUTEX_INITIALIZER };

void guest_set_arm(bool arm)
{
	guest.arm = arm;
}

bool guest_is_arm(void)
{
	return guest.arm;
}

void guest_set_base(uint64_t base)
{
	guest.base = base;
}

uint64_t guest_base(void)
{
	return guest.base;
}

bool guest_read(uint64_t addr, void *buf, size_t n)
{
	struct iovec to = { buf, n }, from = { (void *)(uintptr_t)(guest.base + addr), n };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n)
		return true;
	/* A container may forbid the safe way, but the memory that we read exists. */
	if (errno != EPERM)
		return false;
	memcpy(buf, from.iov_base, n);
	return true;
}

bool guest_is_at(const uint8_t *env, uint64_t pc)
{
	uint64_t v;

	if (guest.arm)
		return guest_r(env, 15) == pc;
	memcpy(&v, env + GUEST_AT_PC, sizeof(v));
	return v == pc;
}

/* ---------------------------------------------------------------- handlers */

static bool read_action(uint64_t sa, struct action *action)
{
	uint64_t wide[3];
	uint32_t narrow[3];

	if (guest.arm) {
		if (!guest_read(sa, narrow, sizeof(narrow)))
			return false;
		*action = (struct action){ narrow[0], narrow[1], narrow[2] };
		return true;
	}
	if (!guest_read(sa, wide, sizeof(wide)))
		return false;
	*action = (struct action){ wide[0], wide[1], wide[2] };
	return true;
}

void guest_sigaction(unsigned int signo, uint64_t sa)
{
	struct action action;

	if (!sa || signo < 1 || signo > GUEST_SIGNALS || signo == SIGKILL || signo == SIGSTOP ||
	    !read_action(sa, &action))
		return;
	pthread_mutex_lock(&guest.lock);
	guest.action[signo] = action;
	pthread_mutex_unlock(&guest.lock);
}

static uint64_t entry(const struct action *action)
{
	return guest.arm ? action->handler & ~1ull : action->handler;
}

bool guest_is_handler(uint64_t pc)
{
	bool found = false;

	if (pc < 2)			/* SIG_DFL, SIG_IGN */
		return false;
	pthread_mutex_lock(&guest.lock);
	for (int i = 1; i <= GUEST_SIGNALS && !found; i++)
		found = entry(&guest.action[i]) == pc;
	pthread_mutex_unlock(&guest.lock);
	return found;
}

/* Also called in signal handlers of the host: takes no lock. */
bool guest_is_fatal(unsigned int signo)
{
	if (signo < 1 || signo > GUEST_SIGNALS || signo == SIGCHLD || signo == SIGURG ||
	    signo == SIGWINCH || signo == SIGCONT || signo == SIGTSTP || signo == SIGTTIN ||
	    signo == SIGTTOU)
		return false;
	return !__atomic_load_n(&guest.action[signo].handler, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- frames */

/* The contents of a frame; @lr and @sp are those at the signal. */
struct frame {
	uint64_t pc, sp, lr;
	int32_t signo, code;
	bool thumb;
	bool has_info;
};

/*
 * rt_sigframe of Linux for arm64: siginfo, 128 bytes, which QEMU fills in only with SA_SIGINFO;
 * ucontext, 176; in it sigcontext: fault_address, x0..x30, sp, pc, pstate.
 */
static bool read_frame64(uint64_t sp, bool siginfo, struct frame *frame)
{
	uint64_t context[34];
	int32_t info[3] = { 0 };

	if ((siginfo && !guest_read(sp, info, sizeof(info))) ||
	    !guest_read(sp + 128 + 176, context, sizeof(context)))
		return false;
	*frame = (struct frame){ .pc = context[33], .sp = context[32], .lr = context[31],
				 .signo = info[0], .code = info[2], .has_info = siginfo };
	return true;
}

/*
 * Linux for arm: with SA_SIGINFO siginfo, 128 bytes; then ucontext: 20 bytes, and sigcontext:
 * trap_no, error_code, oldmask, r0..r15, cpsr.
 */
static bool read_frame32(uint64_t sp, bool siginfo, struct frame *frame)
{
	uint32_t context[20];
	int32_t info[3] = { 0 };

	if (siginfo && !guest_read(sp, info, sizeof(info)))
		return false;
	if (!guest_read(sp + (siginfo ? 128 : 0) + 20, context, sizeof(context)))
		return false;
	*frame = (struct frame){ .pc = context[18], .sp = context[16], .lr = context[17],
				 .signo = info[0], .code = info[2], .has_info = siginfo,
				 .thumb = context[19] >> 5 & 1 };
	frame->pc &= ~(uint64_t)frame->thumb;
	return true;
}

/* Does the code at @lr return from a signal: rt_sigreturn, or for arm also sigreturn? */
static bool returns(uint64_t lr, const struct action *action)
{
	static const uint32_t code64[2] = { 0xd2801168, 0xd4000001 };
	uint32_t code[2];

	if (guest.arm && action->flags & GUEST_SA_RESTORER)
		return lr == action->restorer;
	if (!guest_read(lr & ~1ull, code, sizeof(code)))
		return false;
	if (!guest.arm)
		return code[0] == code64[0] && code[1] == code64[1];
	/* mov r7, #173 or #119; in T32: movs r7, #..; svc 0 */
	return code[0] == 0xe3a070ad || code[0] == 0xe3a07077 || code[0] == 0xdf0027ad ||
	       code[0] == 0xdf002777;
}

/* Is it synchronous, with a code that the kernel gives for a fault of an instruction? */
static bool is_fault(const struct frame *frame, unsigned int signo)
{
	switch (signo) {
	case SIGILL:
	case SIGTRAP:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
		return !frame->has_info || (frame->code > 0 && frame->code < 0x80);
	default:
		return false;
	}
}

/* Reads the frame at @sp if @pc, with @lr and first argument @signo, runs because of a signal. */
static bool read_signal(uint64_t pc, uint64_t sp, uint64_t lr, unsigned int signo,
			struct frame *frame)
{
	struct action action;
	bool siginfo, read;

	if (signo < 1 || signo > GUEST_SIGNALS)
		return false;
	pthread_mutex_lock(&guest.lock);
	action = guest.action[signo];
	pthread_mutex_unlock(&guest.lock);
	if (entry(&action) != pc || !returns(lr, &action))
		return false;
	siginfo = action.flags & GUEST_SA_SIGINFO;
	read = guest.arm ? read_frame32(sp, siginfo, frame) : read_frame64(sp, siginfo, frame);
	return read && (!siginfo || frame->signo == (int)signo);
}

bool guest_signal(const uint8_t *env, uint64_t pc, struct guest_signal *signal)
{
	uint64_t sp = guest.arm ? guest_r(env, 13) : guest_x(env, 31);
	uint64_t lr = guest.arm ? guest_r(env, 14) : guest_x(env, 30);
	unsigned int signo = guest.arm ? guest_r(env, 0) : guest_x(env, 0);
	struct frame frame;

	if (!guest_is_at(env, pc) || !read_signal(pc, sp, lr, signo, &frame))
		return false;
	*signal = (struct guest_signal){ signo, frame.pc, frame.thumb, is_fault(&frame, signo) };
	/* A handler was interrupted before its first instruction: both signals came together. */
	for (int i = 0; i < NESTED_MAX && !signal->fault && guest_is_handler(frame.pc); i++) {
		struct frame outer;
		unsigned int s = 1;

		while (s <= GUEST_SIGNALS && !read_signal(frame.pc, frame.sp, frame.lr, s, &outer))
			s++;
		if (s > GUEST_SIGNALS)
			break;
		frame = outer;
		*signal = (struct guest_signal){ s, frame.pc, frame.thumb, is_fault(&frame, s) };
	}
	return true;
}

/* The frame of sigreturn is as read_frame32() has it, and so is that of rt_sigreturn. */
uint8_t guest_returns(const uint8_t *env, int64_t number, uint8_t it)
{
	const bool plain = number == 119, rt = number == 173;
	uint32_t cpsr;

	if (!guest.arm || !(plain || rt) ||
	    !guest_read(guest_r(env, 13) + (rt ? 128 : 0) + 20 + 19 * 4, &cpsr, sizeof(cpsr)))
		return it;
	return (cpsr >> 25 & 3) | (cpsr >> 8 & 0xfc);
}
