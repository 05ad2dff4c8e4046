/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hear PATH [ARG...]: runs that program, which SIGINT and SIGQUIT reach.  A shell makes a command in
 * the background ignore them, and a script that it starts so cannot change that.  Without a C library,
 * because the host may have none for arm64.
 */
#define SYS_exit		93
#define SYS_rt_sigaction	134
#define SYS_execve		221
#define SIGINT			2
#define SIGQUIT			3

	.macro	by_default signal
	mov	x0, #\signal
	adr	x1, action
	mov	x2, #0
	mov	x3, #8			/* bytes of a mask of signals */
	mov	x8, #SYS_rt_sigaction
	svc	#0
	.endm

	.globl	_start
_start:
	by_default SIGINT
	by_default SIGQUIT
	/* The stack has the number of words, these, a zero, and the environment. */
	ldr	x2, [sp]
	add	x2, sp, x2, lsl #3
	add	x2, x2, #16
	add	x1, sp, #16
	ldr	x0, [x1]
	mov	x8, #SYS_execve
	svc	#0
	mov	x0, #127
	mov	x8, #SYS_exit
	svc	#0

	.balign	8
action:
	.zero	32			/* of a struct sigaction of the kernel: what the signal does by default */
