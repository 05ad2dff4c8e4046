/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's process, at the addresses of the host's. */
	.text
	.globl	_start
	.type	_start, %function
_start:
	nop
1:	bl	2f
	svc	#0
	b	1b
2:	nop
	nop
	ret
	.size	_start, . - _start
