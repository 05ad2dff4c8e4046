/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel: vectors, system calls, and interrupts.  System calls go to a function that lies in front of
 * .text if x23 is not 0, and to one of a module, x24, if that is not 0.
 */
	.section .head.text, "ax"
	.globl	_text
	.type	_text, %function
_text:
	mov	x2, #1
	ret
	.size	_text, . - _text

	.text
	.balign	2048
	.globl	_stext
	.type	_stext, %function
_stext:
vectors:
	.org	vectors + 0x400		/* a system call */
	b	entry
	.org	vectors + 0x480		/* an interrupt */
	b	irq
	.org	vectors + 0x800
	.size	_stext, . - _stext

	.type	entry, %function
entry:
	mov	x19, x30
	mrs	x26, elr_el1
	mrs	x27, spsr_el1
	bl	syscall
	mov	x30, x19
	msr	elr_el1, x26
	msr	spsr_el1, x27
	eret
	.size	entry, . - entry

	.type	irq, %function
irq:
	mov	x25, #2
1:	sub	x25, x25, #1
	cbnz	x25, 1b
	eret
	.size	irq, . - irq

	.globl	syscall
	.type	syscall, %function
syscall:
	mov	x22, x30
	bl	kernel_helper
	bl	early
	cbz	x23, 1f
	bl	_text
1:	cbz	x24, 2f
	blr	x24
2:	mov	x30, x22
	ret
	.size	syscall, . - syscall

	.globl	kernel_helper
	.type	kernel_helper, %function
kernel_helper:
	cbz	xzr, 1f
	nop
1:	ret
	.size	kernel_helper, . - kernel_helper

	.section .init.text, "ax"
	.globl	early
	.type	early, %function
early:
	nop
	nop
	ret
	.size	early, . - early
