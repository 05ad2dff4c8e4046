/* SPDX-License-Identifier: GPL-2.0-only */
/* How translated code enters the unit with QEMU's CPU state. */
#ifndef CSF_QEMU_ENTER_H
#define CSF_QEMU_ENTER_H

/*
 * QEMU's code generator keeps its CPU state in rbp on x86-64 and in x19 on AArch64, and calls us
 * with two arguments.  The compiler decides where the third is.
 */
#define ENTER(name, call)		\
	".text\n"			\
	".globl " name "\n"		\
	".hidden " name "\n"		\
	".type " name ", %function\n"	\
	name ":\n"			\
	call				\
	".size " name ", . - " name "\n"

#if defined(__x86_64__)
#define ENTER_TO(name, to)	asm(ENTER(name, "mov %rbp, %rdx\n" "jmp " to "\n"))
#elif defined(__aarch64__)
#define ENTER_TO(name, to)	asm(ENTER(name, "mov x2, x19\n" "b " to "\n"))
#endif

#endif /* CSF_QEMU_ENTER_H */
