/* SPDX-License-Identifier: GPL-2.0-only */
/* A process: calls a function of its own, one of the vDSO if x21 has its address, and the kernel. */
	.text
	.globl	_start
	.type	_start, %function
_start:
	mov	x20, #12
1:	bl	work
	cbz	x21, 2f
	blr	x21
2:	svc	#0
	sub	x20, x20, #1
	cbnz	x20, 1b
	hlt	#0
	.size	_start, . - _start

	.globl	work
	.type	work, %function
work:
	mov	x0, #3
3:	sub	x0, x0, #1
	cbnz	x0, 3b
	ret
	.size	work, . - work
