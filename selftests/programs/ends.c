// SPDX-License-Identifier: GPL-2.0-only
/* Programs that end without warning: ends abort|fault|trap|exec. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int status;

	/* The code of a child is not traced, and does not disturb. */
	if (!fork())
		_exit(3);
	wait(&status);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "fault"))
		*(char *)(uintptr_t)argc = 1;
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", NULL);
	return WEXITSTATUS(status);
}
