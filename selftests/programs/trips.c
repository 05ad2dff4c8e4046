// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that go round a known number of times.  The numbers after "loop:": how often the loop is
 * entered, how often its ways in ran, the least and the most of an entry, how many entries do not
 * end, and how many loops it is in.  twin() is a name that another file may have.
 */
#include <stdio.h>
#include <stdlib.h>

/* No compiler knows what the caller passes. */
#define APART	__attribute__((noipa))

/* Work that no compiler may leave out. */
static inline void step(int n)
{
	asm volatile("" : : "r" (n));
}

APART static void once(int n)
{
	int i = 0;

	do	/* loop: 1 100 100 100 0 0 */
		step(i);
	while (++i < n);
}

APART static void nest(int n, int m)
{
	int i = 0, k;

	do {	/* loop: 3 21 7 7 0 0 */
		k = 0;
		do	/* loop: 21 105 5 5 0 1 */
			step(k);
		while (++k < m);
		step(i);
	} while (++i < n);
}

/* Calls itself, and that is no loop; each call goes round. */
APART static void deep(int n, int m)
{
	int i = 0;

	do {	/* loop: 26 52 2 2 0 0 */
		step(i);
		if (n)
			deep(n - 1, m);
		step(n);
	} while (++i < m);
	step(m);
}

/* Two ways in: no header is passed each time. */
APART static void crossed(int n)
{
	asm volatile("mov	w9, #6\n"	/* loop: 2 12 6 6 0 0 */
		     "tbnz	%w0, #0, 2f\n"
		     "1: sub	w9, w9, #1\n"
		     "cbz	w9, 3f\n"
		     "2: sub	w9, w9, #1\n"
		     "cbnz	w9, 1b\n"
		     "3: nop\n" : : "r" (n) : "w9");
}

/* Stays the same, but compilers do not know that. */
static inline int same(int n)
{
	asm volatile("" : "+r" (n));
	return n;
}

/* Calls functions with loops, and has two ways out. */
APART static void uneven(int n)
{
	int i = 0;

	do {	/* loop: 4 20 1 11 0 0 */
		i = same(i);
		if (i == 10)
			break;
		deep(0, 2);
	} while (++i < n);
}

APART static void many(void)
{
	int i = 0, k;

	do {	/* loop: 1 1000 1000 1000 0 0 */
		k = 0;
		do	/* loop: 1000 13000 13 13 0 1 */
			step(k);
		while (++k < 13);
	} while (++i < 1000);
}

APART static void leave_at(int i, int n)
{
	if (i == n)
		exit(0);
}

/* The trace does not have the end of it. */
APART static void endless(void)
{
	int i = 0;

	do {	/* loop: 1 4 - - 1 0 */
		leave_at(i, 3);
		i = same(i);
	} while (++i);
}

APART static void twin(void)
{
	step(4);
}

int main(void)
{
	once(100);
	nest(7, 5);
	nest(7, 5);
	nest(7, 5);
	deep(2, 2);
	crossed(0);
	crossed(1);
	uneven(1);
	uneven(2);
	uneven(6);
	uneven(99);
	many();
	twin();
	printf("done\n");
	endless();
	return 0;
}
