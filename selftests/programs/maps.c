// SPDX-License-Identifier: GPL-2.0-only
/* Code of AArch64 that comes and goes: written, changed, mapped from files, moved. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096
#define RET	0xd65f03c0u

static int total;

/* mov w0, #value; ret */
static void make(uint32_t *code, unsigned int value)
{
	code[0] = 0x52800000u | value << 5;
	code[1] = RET;
	__builtin___clear_cache((char *)code, (char *)(code + 2));
}

static void call(const void *code)
{
	total += ((int (*)(void))code)();
}

/* Pages that can be written and executed, changed in place. */
static void changed(void)
{
	uint32_t *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < 20; i++) {
		make(p + i % 3 * 512, i);
		call(p + i % 3 * 512);
		call(p);
	}
	munmap(p, 2 * PAGE);
}

/* Never both, as compilers of today do. */
static void protected(void)
{
	uint32_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < 10; i++) {
		mprotect(p, PAGE, PROT_READ | PROT_WRITE);
		make(p + 4 * i, 100 + i);
		mprotect(p, PAGE, PROT_READ | PROT_EXEC);
		for (unsigned int k = 0; k <= i; k++)
			call(p + 4 * k);
	}
	munmap(p, PAGE);
}

/* A file, then another at the same place; and one whose page was written to. */
static void files(const char *dir)
{
	void *where = NULL;

	for (unsigned int i = 0; i < 4; i++) {
		uint32_t page[PAGE / 4] = { 0x52800000u | (200 + i) << 5, RET };
		char name[256];
		uint32_t *p;
		FILE *f;

		snprintf(name, sizeof(name), "%s/code-%u", dir, i);
		f = fopen(name, "w+");
		if (!f || fwrite(page, sizeof(page), 1, f) != 1 || fflush(f))
			exit(1);
		p = mmap(where, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | (where ? MAP_FIXED : 0),
			 fileno(f), 0);
		fclose(f);
		call(p);
		mprotect(p, PAGE, PROT_READ | PROT_WRITE);
		make(p + 8, 300 + i);
		mprotect(p, PAGE, PROT_READ | PROT_EXEC);
		call(p + 8);
		call(p);
		where = p;
	}
	munmap(where, PAGE);
}

static void moved(void)
{
	uint32_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *q = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	make(p, 400);
	call(p);
	p = mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	call(p);
	munmap(p, PAGE);
}

int main(int argc, char **argv)
{
	changed();
	protected();
	files(argc > 1 ? argv[1] : "/tmp");
	moved();
	printf("%d\n", total);
	return 0;
}
