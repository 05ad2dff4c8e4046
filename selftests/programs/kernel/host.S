/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel at EL2.  A system call runs its guest, which goes on at x10 with the state x11; HVC leads
 * back to the process.  x9 is for itself, x26 and x27 are where the process is.
 */
	.text
	.balign	2048
	.globl	_text
	.type	_text, %function
_text:
	.org	_text + 0x400
	b	sync
	.org	_text + 0x480
	b	irq
	.org	_text + 0x800
	.size	_text, . - _text

	.globl	sync
	.type	sync, %function
sync:
	mrs	x9, hcr_el2
	cbz	x9, guest_exit
	mrs	x26, elr_el2
	mrs	x27, spsr_el2
	bl	guest_enter
	.size	sync, . - sync

	.globl	guest_enter
	.type	guest_enter, %function
guest_enter:
	msr	hcr_el2, xzr
	msr	elr_el2, x10
	msr	spsr_el2, x11
	isb
	eret
	.size	guest_enter, . - guest_enter

	.globl	guest_exit
	.type	guest_exit, %function
guest_exit:
	mrs	x10, elr_el2
	mrs	x11, spsr_el2
	mov	x9, #1 << 27
	msr	hcr_el2, x9
	msr	elr_el2, x26
	msr	spsr_el2, x27
	eret
	.size	guest_exit, . - guest_exit

	/* Whoever was interrupted goes on. */
	.globl	irq
	.type	irq, %function
irq:
	mov	x9, #2
1:	sub	x9, x9, #1
	cbnz	x9, 1b
	eret
	.size	irq, . - irq

	/* Here the guest has code, too. */
	.org	_text + 0x2000
