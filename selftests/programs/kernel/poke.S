/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel that changes its code: twice "key", between NOP (x3) and a branch (x1), and once "other",
 * which is a branch when it begins and NOP in its file; then code of its own at x6.
 */
	.text
	.balign	4096
	.globl	_text
	.type	_text, %function
_text:
	adr	x0, key
	adr	x4, other
	bl	works
	str	w1, [x0]
	bl	works
	str	w3, [x0]
	bl	works
	str	w3, [x4]
	bl	works
	str	w3, [x6]
	str	w7, [x6, #4]
	blr	x6
	str	w8, [x6]
	blr	x6
	bl	works
	hlt	#0
	.size	_text, . - _text

	.globl	works
	.type	works, %function
works:
	mov	x21, x30
	mov	x20, #4
1:	bl	work
	sub	x20, x20, #1
	cbnz	x20, 1b
	mov	x30, x21
	ret
	.size	works, . - works

	.globl	work
	.type	work, %function
work:
key:	nop
	mov	x9, #1
other:	nop
	mov	x9, #2
	ret
	.size	work, . - work
