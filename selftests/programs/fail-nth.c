// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a module again and again: the first allocation of the kernel for it fails, then the second,
 * and so on, until none of them is left to fail.  Prints how many there were.
 *
 *	fail-nth MODULE.ko NAME [PARAMETERS]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES	10000

static int counter;	/* fail-nth of this thread */

/* Return: what is left of @n: 0 if an allocation has failed. */
static int load(int module, const char *parameters, int n, int *error)
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

int main(int argc, char **argv)
{
	int module, loaded = 0;

	if (argc < 3)
		return 2;
	module = open(argv[1], O_RDONLY | O_CLOEXEC);
	counter = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (module < 0 || counter < 0) {
		perror("fail-nth");
		return 2;
	}
	for (int n = 1; n < TIMES; n++) {
		int error, left = load(module, argc > 3 ? argv[3] : "", n, &error);

		if (left && error) {
			printf("not loaded at last: %s\n", strerror(error));
			return 1;
		}
		if (!error && syscall(SYS_delete_module, argv[2], O_NONBLOCK)) {
			perror("fail-nth: unloading");
			return 1;
		}
		if (left) {
			printf("%d failures, loaded in spite of %d\n", n - 1, loaded);
			return 0;
		}
		loaded += !error;
	}
	printf("no end\n");
	return 1;
}
