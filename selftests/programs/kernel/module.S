/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel module: branches to other functions are filled in when it is loaded. */
	.text
	.globl	module_call
	.type	module_call, %function
module_call:
	mov	x28, x30
	bl	module_inner
	bl	kernel_helper
	mov	x30, x28
	ret
	.size	module_call, . - module_call

	.globl	module_inner
	.type	module_inner, %function
module_inner:
	mov	x1, #2
1:	sub	x1, x1, #1
	cbnz	x1, 1b
	ret
	.size	module_inner, . - module_inner
