/* SPDX-License-Identifier: GPL-2.0-only */
/* A process and the guest that it runs, at EL1, in one program. */
	.text
	.globl	_start
	.type	_start, %function
_start:
	mov	x20, #3
1:	svc	#0
	sub	x20, x20, #1
	cbnz	x20, 1b
	hlt	#0
	.size	_start, . - _start

	.globl	guest_main
	.type	guest_main, %function
guest_main:
	nop
	hvc	#0
	b	guest_main
	.size	guest_main, . - guest_main
