/* SPDX-License-Identifier: GPL-2.0-only */
/* Between system.c and system.S. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <linux/types.h>

/* A CPU begins here; its argument is its number. */
void begin(void);

/* A call of QEMU, as of firmware. */
__u64 psci(__u64 number, __u64 a, __u64 b, __u64 c);

/*
 * Executes user code at @pc, with @pstate: 0 for AArch64, 16 for A32.  Returns when that makes a
 * call with an argument of 1.
 */
void enter_user(__u64 pc, __u64 sp, __u64 pstate);

/* What the user does. */
void user(void);
void user32(void);

/* For the kernel and the user, of each CPU. */
extern __u64 stack[][2][512];

/* Exception vectors, which call handle(). */
void vectors(void);

/* Called by the vectors with the kind of a vector.  Return: where to go on. */
__u64 handle(__u64 kind, __u64 elr, __u64 esr);

/* The first CPU, and the second one. */
void first(void);
void second(void);

#endif /* SYSTEM_H */
