// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of the demonstration: sorts some numbers, each way, and prints them.
 *
 * It has what makes trace interesting: loops, recursion, calls through a pointer, a switch by a
 * table of addresses, and system calls.  No library; make.sh builds it and makes its recording.
 */
#include "demo-call.h"
typedef int (*compare_fn)(int a, int b);

enum op { OP_UP, OP_DOWN, OP_PRINT, OP_REVERSE, OP_SUM, OP_END };

#define N	10
static int numbers[N] = { 31, 4, 15, 92, 6, 53, 58, 9, 79, 32 };

static long write_out(const char *text, long n)
{
	register long x0 asm(REG_0) = 1;
	register const char *x1 asm(REG_1) = text;
	register long x2 asm(REG_2) = n;
	register long x8 asm(REG_NR) = NR_WRITE;

	asm volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return x0;
}

static void leave(long status)
{
	register long x0 asm(REG_0) = status;
	register long x8 asm(REG_NR) = NR_EXIT_GROUP;

	asm volatile("svc #0" : : "r"(x0), "r"(x8) : "memory");
	__builtin_unreachable();
}

__attribute__((noinline)) static int ascending(int a, int b)
{
	return a - b;
}

__attribute__((noinline)) static int descending(int a, int b)
{
	return b - a;
}

__attribute__((noinline)) static void swap(int *a, int *b)
{
	int t = *a;

	*a = *b;
	*b = t;
}

__attribute__((noinline)) static void sort(int *first, int *last, compare_fn compare)
{
	int *low = first;

	if (first >= last)
		return;
	for (int *p = first; p < last; p++)
		if (compare(*p, *last) < 0)
			swap(p, low++);
	swap(low, last);
	sort(first, low - 1, compare);
	sort(low + 1, last, compare);
}

/* Return: characters written to @text, with a blank after the last digit */
__attribute__((noinline)) static int digits(char *text, int v)
{
	int n = v >= 10 ? digits(text, v / 10) - 1 : 0;

	text[n++] = '0' + v % 10;
	text[n++] = ' ';
	return n;
}

__attribute__((noinline)) static void print(const int *v, int n)
{
	char line[80];
	int at = 0;

	for (int i = 0; i < n; i++)
		at += digits(line + at, v[i]);
	line[at - 1] = '\n';
	write_out(line, at);
}

__attribute__((noinline)) static int do_op(enum op op)
{
	int sum = 0;

	switch (op) {
	case OP_UP:
		sort(numbers, numbers + N - 1, ascending);
		break;
	case OP_DOWN:
		sort(numbers, numbers + N - 1, descending);
		break;
	case OP_PRINT:
		print(numbers, N);
		break;
	case OP_REVERSE:
		for (int i = 0; i < N / 2; i++)
			swap(&numbers[i], &numbers[N - 1 - i]);
		break;
	case OP_SUM:
		for (int i = 0; i < N; i++)
			sum += numbers[i];
		print(&sum, 1);
		break;
	case OP_END:
		return 0;
	}
	return 1;
}

void _start(void)
{
	static const enum op program[] = {
		OP_PRINT, OP_UP, OP_PRINT, OP_REVERSE, OP_PRINT, OP_DOWN, OP_SUM, OP_END,
	};

	for (const enum op *op = program; do_op(*op); op++)
		;
	leave(0);
}
