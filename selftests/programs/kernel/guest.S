/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's kernel: goes to its process at x12, whose system calls go on in the host. */
	.text
	.balign	2048
	.globl	_text
	.type	_text, %function
_text:
	.org	_text + 0x400
	b	guest_syscall
	.org	_text + 0x800
	.size	_text, . - _text

	.globl	guest_boot
	.type	guest_boot, %function
guest_boot:
	msr	elr_el1, x12
	msr	spsr_el1, xzr
	bl	guest_helper
	hvc	#0
	eret
	.size	guest_boot, . - guest_boot

	.globl	guest_syscall
	.type	guest_syscall, %function
guest_syscall:
	mov	x13, x30
	bl	guest_helper
	hvc	#0
	bl	guest_helper
	mov	x30, x13
	eret
	.size	guest_syscall, . - guest_syscall

	.globl	guest_helper
	.type	guest_helper, %function
guest_helper:
	mov	x14, #2
1:	sub	x14, x14, #1
	cbnz	x14, 1b
	ret
	.size	guest_helper, . - guest_helper
