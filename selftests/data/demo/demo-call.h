/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of Linux: registers and numbers. */
#ifndef DEMO_CALL_H
#define DEMO_CALL_H

#ifdef __arm__
#define REG_0		"r0"
#define REG_1		"r1"
#define REG_2		"r2"
#define REG_NR		"r7"
#define NR_WRITE	4
#define NR_EXIT_GROUP	248
#else
#define REG_0		"x0"
#define REG_1		"x1"
#define REG_2		"x2"
#define REG_NR		"x8"
#define NR_WRITE	64
#define NR_EXIT_GROUP	94
#endif

#endif /* DEMO_CALL_H */
