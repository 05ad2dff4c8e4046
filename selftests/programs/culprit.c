// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wrong value that comes from one caller of a function among many: who set the limit last?
 *
 * A pump has a limit, which several parts of the program set, thousands of times.  One of them sets
 * it wrongly, once.  The value is noticed later, elsewhere, so the code that complains does not say
 * whose fault it is.
 */
#include <stdio.h>
#include <stdlib.h>

#define NORMAL	100
#define SLOW	40
#define ROUNDS	3000
#define WORN	2417	/* the round in which the filter is worn */

static int limit;
static unsigned int moved;

__attribute__((noinline)) static void set_limit(int value)
{
	limit = value;
}

__attribute__((noinline)) static void start_round(void)
{
	set_limit(NORMAL);
}

__attribute__((noinline)) static void cool_down(void)
{
	set_limit(SLOW);
}

__attribute__((noinline)) static void speed_up(int by)
{
	set_limit(limit + by);
}

/* The fault: a worn filter halves the limit, and this takes what is left of the filter. */
__attribute__((noinline)) static void spare_filter(int left)
{
	set_limit(left / 2);
}

__attribute__((noinline)) static void complain(int round)
{
	printf("round %d: the limit is %d\n", round, limit);
	exit(1);
}

__attribute__((noinline)) static void pump(int round)
{
	for (int i = 0; i < limit; i++)
		moved += i;
	if (limit < SLOW)
		complain(round);
}

int main(void)
{
	for (int round = 1; round <= ROUNDS; round++) {
		start_round();
		if (round % 3 == 0)
			cool_down();
		if (round % 5 == 0)
			speed_up(10);
		if (round == WORN)
			spare_filter(7);
		if (round % 4 == 0)
			speed_up(1);
		pump(round);
	}
	printf("%u\n", moved);
	return 0;
}
