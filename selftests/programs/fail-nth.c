// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a module again and again: one allocation of the kernel for it fails, the next time the one
 * after that, and so on, until none of them is left to fail.  Prints how many failed.
 *
 *	fail-nth MODULE.ko NAME IDLE.ko PART PARTS
 *
 * The kernel's loader allocates, too, and that is not tested: IDLE.ko is the same module, but does
 * nothing when it is loaded.  So many allocations are left out.  A load in which nothing fails
 * tells how many there are in all, so the end is known.  Several machines share the work: of each
 * PARTS allocations, one fails in this machine, that with number PART, from 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MANY	1000000	/* more than there are */
#define TRIES	3
/* The loader makes some when the module is there; and IDLE.ko may have one section more. */
#define AFTER	40
#define TELL	20
/* The kernel's own checks allocate now and then: so many more are no surprise. */
#define MORE(n)	((n) / 4 + 50)

static const char *name;
static int counter;	/* fail-nth of this thread */

/*
 * Loads it.  CONFIG_DEBUG_KOBJECT_RELEASE keeps the name of a driver for up to four seconds, and no
 * other can have it.  Return: what is left of @n: 0 if an allocation has failed.
 */
static int load(int module, int n, int *error)
{
	char text[16] = "";
	int left;

	snprintf(text, sizeof(text), "%d", n);
	sleep(5);
	if (pwrite(counter, text, strlen(text), 0) < 0)
		exit(2);
	*error = syscall(SYS_finit_module, module, "", 0) ? errno : 0;
	memset(text, 0, sizeof(text));
	if (pread(counter, text, sizeof(text) - 1, 0) < 0)
		exit(2);
	left = atoi(text);
	if (left && pwrite(counter, "0", 1, 0) < 0)
		exit(2);
	return left;
}

static void fails(const char *what, int error)
{
	printf("%s: %s\n", what, strerror(error));
	exit(1);
}

static void unload(void)
{
	if (syscall(SYS_delete_module, name, O_NONBLOCK))
		fails("unloading", errno);
}

/* Those of a load in which none fails: the least of a few. */
static int allocations(int module)
{
	int least = MANY;

	for (int i = 0; i < TRIES; i++) {
		int error, n = MANY - load(module, MANY, &error);

		if (error)
			fails("not loaded", error);
		unload();
		if (n < least)
			least = n;
	}
	return least;
}

static int open_or_exit(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

int main(int argc, char **argv)
{
	int module, first, all, part, parts, failures = 0, loaded = 0;

	if (argc != 6)
		return 2;
	module = open_or_exit(argv[1], O_RDONLY);
	name = argv[2];
	counter = open_or_exit("/proc/thread-self/fail-nth", O_RDWR);
	first = allocations(open_or_exit(argv[3], O_RDONLY)) - AFTER;
	all = allocations(module);
	part = atoi(argv[4]);
	parts = atoi(argv[5]);
	for (int n = first + 1 + part; n < all + MORE(all); n += parts) {
		int error, left = load(module, n, &error);

		if (left && error)
			fails("not loaded at last", error);
		if (!error)
			unload();
		if (left) {
			printf("%d failures, after %d of the loader; loaded in spite of %d\n",
			       failures, first, loaded);
			return 0;
		}
		loaded += !error;
		if (++failures % TELL == 0)
			fprintf(stderr, "fail-nth: %d of %d to %d\n", n, first + 1, all);
	}
	printf("no end: %d failures, and a load has %d allocations\n", failures, all);
	return 1;
}
