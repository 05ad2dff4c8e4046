/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel maps into every process. */
	.text
	.globl	__kernel_clock
	.type	__kernel_clock, %function
__kernel_clock:
	nop
	cbz	xzr, 1f
	nop
1:	ret
	.size	__kernel_clock, . - __kernel_clock
