/* SPDX-License-Identifier: GPL-2.0-only */
/* What system.c cannot say in C: the begin of a CPU, calls between levels, and vectors. */
	.macro	vector kind
	.balign	128
	str	x30, [sp, #-16]!
	mov	x30, #\kind
	b	enter
	.endm

	.text
	.globl	_start, begin, psci, enter_user, user32, vectors
_start:
	mov	x0, #0
begin:
	adr	x1, stack
	add	x2, x0, #1
	lsl	x2, x2, #13
	add	x1, x1, x2
	sub	x1, x1, #4096
	mov	sp, x1
	mov	x1, #(3 << 20)
	msr	cpacr_el1, x1
	isb
	cbnz	x0, second
	b	first

psci:
	hvc	#0
	ret

	/* Saves what a call must keep; the user comes back by SVC with x0 = 1. */
enter_user:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	msr	daifset, #2
	msr	sp_el0, x1
	msr	elr_el1, x0
	msr	spsr_el1, x2
	eret
leave_user:
	add	sp, sp, #256
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	msr	daifclr, #2
	ret

	/* A32, and T32 with IT blocks, calls and faults; the addresses are those of both. */
	.balign	4096
user32:
	.inst	0xe3a04003	/* mov	r4, #3 */
	.inst	0xe3a00000	/* mov	r0, #0		1: */
	.inst	0xef000001	/* svc	#1 */
	.inst	0xe7f000f0	/* udf	#0 */
	.inst	0xfa000005	/* blx	2f */
	.inst	0xe3a02203	/* mov	r2, #0x30000000 */
	.inst	0xe5923000	/* ldr	r3, [r2]: nothing is there */
	.inst	0xe2544001	/* subs	r4, r4, #1 */
	.inst	0x1afffff7	/* bne	1b */
	.inst	0xe3a00001	/* mov	r0, #1 */
	.inst	0xef000000	/* svc	#0 */
	.hword	0x2105, 0x1e49	/* movs	r1, #5		2: ; subs r1, r1, #1	3: */
	.hword	0xbf08, 0x2207	/* it	eq ; moveq r2, #7 */
	.hword	0xd1fb, 0x2000	/* bne	3b ; movs r0, #0 */
	.hword	0xdf02, 0xbf14	/* svc	#2 ; ite ne */
	.hword	0x2301, 0x2302	/* movne r3, #1 ; moveq r3, #2 */
	.hword	0xde01, 0xbf00	/* udf	#1 ; nop */
	.hword	0x4770, 0xbf00	/* bx	lr */

	.balign	2048
vectors:
	.rept	4
	vector	0
	vector	1
	vector	2
	vector	3
	.endr
	.balign	128
enter:
	sub	sp, sp, #240
	stp	x0, x1, [sp, #0]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x19, [sp, #144]
	mrs	x1, elr_el1
	mrs	x2, esr_el1
	mrs	x19, spsr_el1
	/* The last call of a user? */
	cbnz	x30, 1f
	lsr	x3, x2, #26
	cmp	x3, #0x15
	b.eq	2f
	cmp	x3, #0x11
	b.ne	1f
2:
	tst	x19, #0xf
	b.ne	1f
	cmp	x0, #1
	b.eq	leave_user
1:
	mov	x0, x30
	bl	handle
	msr	elr_el1, x0
	msr	spsr_el1, x19
	ldp	x0, x1, [sp, #0]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x19, [sp, #144]
	add	sp, sp, #240
	ldr	x30, [sp], #16
	eret

