// SPDX-License-Identifier: GPL-2.0-only
/* Accesses of all kinds, of A32 or T32: exclusive stores that succeed and fail, and others. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t words[8];
static uint64_t twice;

/* Return: how many of the stores failed. */
static unsigned int stores(void)
{
	unsigned int failed = 0, r;

	asm volatile("ldrex %0, [%1]\n strex %0, %2, [%1]" : "=&r"(r) : "r"(words), "r"(1) : "memory");
	failed += r;
	asm volatile("ldrex %0, [%1]\n clrex\n strex %0, %2, [%1]"
		     : "=&r"(r) : "r"(words), "r"(0x12345678) : "memory");
	failed += r;
	asm volatile("ldrexb %0, [%1]\n clrex\n strexb %0, %2, [%1]"
		     : "=&r"(r) : "r"((char *)words + 5), "r"(0x123) : "memory");
	failed += r;
	asm volatile("ldrexh %0, [%1]\n strexh %0, %2, [%1]"
		     : "=&r"(r) : "r"((char *)words + 6), "r"(0x12345) : "memory");
	failed += r;
	asm volatile("mov r2, #5\n mov r3, #6\n ldrexd r4, r5, [%1]\n clrex\n strexd %0, r2, r3, [%1]"
		     : "=&r"(r) : "r"(&twice) : "r2", "r3", "r4", "r5", "memory");
	failed += r;
	asm volatile("mov r2, #5\n mov r3, #6\n ldrexd r4, r5, [%1]\n strexd %0, r2, r3, [%1]"
		     : "=&r"(r) : "r"(&twice) : "r2", "r3", "r4", "r5", "memory");
	return failed + r;
}

static uint32_t others(uint32_t i)
{
	uint32_t r, tls;

	asm volatile("ldrd r2, r3, [%1]\n strd r2, r3, [%1, #8]\n ldm %1, {r2, r3, r4, r5}\n"
		     "push {r2, r3, r4}\n pop {r2, r3, r4}\n ldrsh %0, [%1, #3]\n str %0, [%1, #17]\n"
		     "vldr d0, [%1]\n vstr d0, [%1, #16]\n vpush {d0, d1}\n vpop {d0, d1}\n"
		     "cmp %2, #3\n it eq\n ldreq %0, [%1, #4]\n it ne\n strne %0, [%1, #8]\n"
		     : "=&r"(r) : "r"(words), "r"(i & 7)
		     : "r2", "r3", "r4", "r5", "d0", "d1", "cc", "memory");
	asm volatile("mrc p15, 0, %0, c13, c0, 3" : "=r"(tls));
	return r + (tls != 0);
}

int main(int argc, char **argv)
{
	const unsigned int n = argc > 1 ? atoi(argv[1]) : 100;
	unsigned int failed = 0;
	uint32_t sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		failed += stores();
		sum += others(i);
	}
	printf("%u of %u stores failed, %x\n", failed, 6 * n, sum);
	return 0;
}
