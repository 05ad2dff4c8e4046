// SPDX-License-Identifier: GPL-2.0-only
/* A condition in each line with "if", and none that a compiler makes without a branch. */
#include <stdlib.h>

#define OWN	__attribute__((noinline))

int sink;

OWN static void note(int x)
{
	sink = x;
}

OWN static int take(int x)
{
	sink -= x;
	return sink;
}

/* A return, in A32 and in IT blocks a conditional one. */
OWN static void leave(int x)
{
	if (x <= 3)
		return;
	note(x);
	take(x);
}

/* A call comes last: a conditional jump to it, or a conditional return before it. */
OWN static void tail(int x)
{
	sink--;
	if (x > 7)
		note(x);
}

OWN static int value(int x)
{
	if (x & 1)
		return x;
	return take(x) + take(x + 1);
}

/* By a pointer: a conditional indirect call. */
OWN static void pointer(int x, void (*f)(int))
{
	if (x % 5 == 2)
		f(x);
	sink++;
}

OWN static int zero(int x)
{
	if (!x)
		return take(4);
	return take(x) + 2;
}

OWN static int bit(int x)
{
	if (x & 8)
		sink = zero(x - 8);
	return x + sink;
}

OWN static int popped(int x)
{
	int y = take(x);

	if (x == 5)
		return y;
	return take(y) + take(x);
}

OWN static void never(int x)
{
	if (x > 1000)
		note(1);
	take(3);
}

OWN static void always(int x)
{
	if (x < 1000)
		return;
	note(1);
	take(3);
}

OWN static void unreached(int x)
{
	if (x > 2)
		return;
	note(1);
	take(3);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;

	if (n > 1000)
		unreached(argc);
	for (int i = 0; i < n; i++) {
		leave(i);
		tail(i);
		value(i);
		pointer(i, note);
		zero(i % 4);
		bit(i);
		popped(i);
		never(i);
		always(i);
	}
	return 0;
}
