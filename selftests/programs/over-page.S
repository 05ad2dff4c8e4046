/* SPDX-License-Identifier: GPL-2.0-only */
	.syntax unified
	.text
	.thumb
	.balign 4096
	.space 4086
	.globl over_page
	.thumb_func
	.type over_page, %function
over_page:
	nop
	cmp	r0, #7
	it	eq
	moveq	r0, #1
	add.w	r0, r0, #1
	bx	lr
	.space 4096 - 20
	.globl it_over_page
	.thumb_func
	.type it_over_page, %function
it_over_page:
	cmp	r0, #3
	nop
	nop
	nop
	ittet	gt
	addgt	r0, #1
	subgt	r0, #9
	addle	r0, #2
	bgt	1f
	add	r0, #5
1:	bx	lr
	.balign 4
	.section .note.GNU-stack, "", %progbits
