// SPDX-License-Identifier: GPL-2.0-only
/* A32 and T32 that call each other: directly, by pointer, in IT blocks, over pages. */
#include <stdio.h>
#include <stdlib.h>

#define A32	__attribute__((noinline, target("arm")))
#define T32	__attribute__((noinline, target("thumb")))

A32 static int a32_leaf(int x)
{
	return x & 1 ? x * 3 + 1 : x / 2;
}

T32 static int t32_leaf(int x)
{
	int y = x > 7 ? x - 3 : x + 5;

	return y & 2 ? y : -y;
}

A32 static int a32_calls(int x, int (*f)(int))
{
	return f(x) + t32_leaf(x) + a32_leaf(x);
}

T32 static int t32_calls(int x, int (*f)(int))
{
	return f(x) + a32_leaf(x) + t32_leaf(x);
}

T32 static int t32_switch(int x)
{
	switch (x % 6) {
	case 0:
		return a32_leaf(x);
	case 1:
		return 11;
	case 2:
		return x + 3;
	case 3:
		return -x;
	case 4:
		return t32_leaf(x);
	default:
		return 1;
	}
}

/* An instruction of four bytes that begins two bytes before a page ends; an IT block likewise. */
int over_page(int x);
int it_over_page(int x);

asm(".text\n"
    ".syntax unified\n"
    ".thumb\n"
    ".balign 4096\n"
    ".space 4086\n"
    ".thumb_func\n"
    ".type over_page, %function\n"
    "over_page:\n"
    "nop\n"
    "cmp r0, #7\n"
    "it eq\n"
    "moveq r0, #1\n"
    "add.w r0, r0, #1\n"
    "bx lr\n"
    ".space 4096 - 16 - 4\n"
    ".thumb_func\n"
    ".type it_over_page, %function\n"
    "it_over_page:\n"
    "cmp r0, #3\n"
    "nop\n"
    "nop\n"
    "nop\n"
    "ittet gt\n"
    "addgt r0, #1\n"
    "subgt r0, #9\n"
    "addle r0, #2\n"
    "bgt 1f\n"
    "add r0, #5\n"
    "1: bx lr\n"
    ".balign 4\n");

int main(int argc, char **argv)
{
	static int (*const leaf[])(int) = { a32_leaf, t32_leaf, t32_switch };
	int rounds = argc > 1 ? atoi(argv[1]) : 1, x = 1;

	for (int i = 0; i < 300 * rounds; i++) {
		x += a32_calls(i, leaf[i % 3]);
		x += t32_calls(x & 0xff, leaf[(i + 1) % 3]);
		x += t32_switch(i) + over_page(i) + it_over_page(i % 8);
	}
	printf("%d\n", x);
	return 0;
}
