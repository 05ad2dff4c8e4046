// SPDX-License-Identifier: GPL-2.0-only
/* Sorts, sieves, and calls by pointer: plain[ROUNDS]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N	2000
#define LIMIT	20000

static uint32_t multiply(uint32_t x)
{
	return x * 2654435761u + 1;
}

static uint32_t shift(uint32_t x)
{
	return x << 13 ^ x >> 7;
}

static uint32_t collatz(uint32_t x)
{
	return x & 1 ? x * 3 + 1 : x / 2;
}

static uint32_t (*const step[])(uint32_t) = { multiply, shift, collatz, shift };
static uint32_t number[N];
static unsigned char is_prime[LIMIT];

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	uint32_t x = 12345, primes = 0;

	while (rounds--) {
		for (int i = 0; i < N; i++) {
			x = step[x & 3](x) + i;
			number[i] = x;
		}
		qsort(number, N, sizeof(*number), compare);
		memset(is_prime, 1, sizeof(is_prime));
		for (unsigned int i = 2; i * i < LIMIT; i++)
			for (unsigned int j = i * i; is_prime[i] && j < LIMIT; j += i)
				is_prime[j] = 0;
		for (unsigned int i = 2; i < LIMIT; i++)
			primes += is_prime[i];
		x += primes + number[N / 2];
	}
	printf("%u\n", x);
	return 0;
}
