// SPDX-License-Identifier: GPL-2.0-only
/* Code and data of Arm in the upper half of the address space: mapped from a file, moved. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096
#define FIRST	((void *)0x90000000)
#define SECOND	((void *)0xa0000000)
#define DATA	((void *)0xb0000000)

static sig_atomic_t signals;

static void count(int signo)
{
	signals++;
}

static int call(const void *code)
{
	int n = 0;

	for (int i = 0; i < 100; i++)
		n = ((int (*)(int))code)(n);
	return n;
}

static int file_of_code(const char *dir)
{
	static const uint32_t code[] = { 0xe2800001, 0xe12fff1e };	/* add r0, #1; bx lr */
	char path[200], page[PAGE] = { 0 };
	int fd;

	snprintf(path, sizeof(path), "%s/high.code", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	memcpy(page, code, sizeof(code));
	write(fd, page, sizeof(page));
	return fd;
}

int main(int argc, char **argv)
{
	int fd = file_of_code(argc > 1 ? argv[1] : "."), n;
	struct sigaction *action;
	char *p = mmap(FIRST, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);

	mprotect(p, PAGE, PROT_READ | PROT_EXEC);
	n = call(p);
	p = mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, SECOND);
	n += call(p);
	action = mmap(DATA, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS,
		      -1, 0);
	action->sa_handler = count;
	sigaction(SIGUSR1, action, NULL);
	for (int i = 0; i < 20; i++)
		syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	printf("%d %d\n", n, signals);
	return 0;
}
