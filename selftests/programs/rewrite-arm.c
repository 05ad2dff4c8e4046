// SPDX-License-Identifier: GPL-2.0-only
/* Writes functions of A32 one over the other, and runs each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ADD(n)	(0xe2800000u | (n))	/* add r0, r0, #n */
#define CMP_3	0xe3500003u
#define BEQ_1	0x0a000000u		/* over the next instruction */
#define RETURN	0xe12fff1eu		/* bx lr */

#define CALLS	50

typedef int (*code_fn)(int value);

/* The code depends on @round. */
static code_fn write_code(uint32_t *code, int round)
{
	uint32_t *p = code;

	for (int i = 0; i <= round % 3; i++)
		*p++ = ADD(1 + i);
	if (round & 1) {
		*p++ = CMP_3;
		*p++ = BEQ_1;
		*p++ = ADD(1);
		*p++ = ADD(1);
	}
	*p++ = RETURN;
	__builtin___clear_cache((char *)code, (char *)p);
	return (code_fn)code;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? 100 * atoi(argv[1]) : 100;
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (int round = 0; round < rounds; round++) {
		const code_fn run = write_code(code, round);

		for (int i = 0; i < CALLS; i++)
			sum += run(i);
	}
	printf("%d\n", sum);
	return 0;
}
