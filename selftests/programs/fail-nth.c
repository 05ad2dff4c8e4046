// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a module again and again: one allocation of the kernel for it fails, the next time the one
 * after that, and so on, until none of them is left to fail.  Prints how many failed.
 *
 *	fail-nth MODULE.ko NAME WRONG
 *
 * The kernel's loader allocates, too, and that is not tested: WRONG is a parameter that it refuses
 * when it has done most of its work, before the module's own code runs.  The allocations of such a
 * load are left out.  A load in which nothing fails tells how many there are in all, so the end is
 * known.
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
/* The kernel's own checks allocate now and then: so many more are no surprise. */
#define MORE(n)	((n) / 4 + 50)

static int module;
static const char *name;
static int counter;	/* fail-nth of this thread */

/* Loads it.  Return: what is left of @n: 0 if an allocation has failed. */
static int load(const char *parameters, int n, int *error)
{
	char text[16] = "";
	int left;

	snprintf(text, sizeof(text), "%d", n);
	if (pwrite(counter, text, strlen(text), 0) < 0)
		exit(2);
	*error = syscall(SYS_finit_module, module, parameters, 0) ? errno : 0;
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

/* Those of a load in which none fails, and which ends with @want: the least of a few. */
static int allocations(const char *parameters, int want)
{
	int least = MANY;

	for (int i = 0; i < TRIES; i++) {
		int error, n = MANY - load(parameters, MANY, &error);

		if (error != want)
			fails(parameters, error);
		if (!error)
			unload();
		if (n < least)
			least = n;
	}
	return least;
}

int main(int argc, char **argv)
{
	int first, all, loaded = 0;

	if (argc != 4)
		return 2;
	name = argv[2];
	module = open(argv[1], O_RDONLY | O_CLOEXEC);
	counter = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (module < 0 || counter < 0) {
		perror("fail-nth");
		return 2;
	}
	first = allocations(argv[3], EINVAL);
	all = allocations("", 0);
	for (int n = first + 1; n < all + MORE(all); n++) {
		int error, left = load("", n, &error);

		if (left && error)
			fails("not loaded at last", error);
		if (!error)
			unload();
		if (left) {
			printf("%d failures, after %d of the loader; loaded in spite of %d\n",
			       n - 1 - first, first, loaded);
			return 0;
		}
		loaded += !error;
	}
	printf("no end: %d failures, and a load has %d allocations\n", all + MORE(all) - first,
	       all);
	return 1;
}
