// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes code, executes it, and makes other code in its place: jit [ROUNDS].  It writes a jitdump in
 * the current directory, with times of the virtual counter.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE	4096

struct head {
	uint32_t magic, version, size, machine, zero, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t kind, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t addr, code, bytes, number;
	char name[8];
};

/* perf takes no other clock than its own for cs_etm, which counts as this counter does. */
static uint64_t now(void)
{
	uint64_t ticks;

	asm volatile("isb\nmrs %0, cntvct_el0" : "=r" (ticks));
	return ticks;
}

static FILE *dump_new(void)
{
	struct head head = { 0x4a695444, 1, sizeof(head), 183, 0, getpid(), now(), 1 };
	char name[64];
	FILE *f;

	sprintf(name, "jit-%d.dump", getpid());
	f = fopen(name, "w+");
	if (!f || fwrite(&head, sizeof(head), 1, f) != 1 || fflush(f) ||
	    mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(1);
	return f;
}

static void dump(FILE *f, const uint32_t *code, size_t n, uint64_t number)
{
	struct load load = { 0, sizeof(load) + n * 4, now(), getpid(), getpid(),
			     (uintptr_t)code, (uintptr_t)code, n * 4, number, "made_it" };

	fwrite(&load, sizeof(load), 1, f);
	fwrite(code, 4, n, f);
	fflush(f);
}

/* A loop of @times rounds, with @fill additions in each. */
static size_t make(uint32_t *code, unsigned int times, unsigned int fill)
{
	size_t n = 0, loop;

	code[n++] = 0xd2800001 | times << 5;			/* mov x1, #times */
	loop = n;
	for (unsigned int i = 0; i < fill; i++)
		code[n++] = 0x91000000 | (i + 1) << 10;		/* add x0, x0, #i + 1 */
	code[n++] = 0xf1000421;					/* subs x1, x1, #1 */
	code[n] = 0x54000001 | ((loop - n) & 0x7ffff) << 5;	/* b.ne loop */
	n++;
	code[n++] = 0xd65f03c0;					/* ret */
	return n;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	FILE *f = dump_new();
	uint32_t *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	uint64_t sum = 0, want = 0;

	for (int i = 0; i < rounds; i++) {
		unsigned int times = 100 + i, fill = 1 + i % 40;
		size_t n;

		mprotect(code, SIZE, PROT_READ | PROT_WRITE);
		n = make(code, times, fill);
		__builtin___clear_cache((char *)code, (char *)(code + n));
		mprotect(code, SIZE, PROT_READ | PROT_EXEC);
		dump(f, code, n, i);
		sum += ((uint64_t (*)(uint64_t))(void *)code)(0);
		want += (uint64_t)times * fill * (fill + 1) / 2;
		/* Timestamps must tell this code from the next. */
		usleep(1000);
	}
	fclose(f);
	printf("%d\n", sum == want);
	return sum != want;
}
