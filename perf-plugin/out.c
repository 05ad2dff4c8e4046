// SPDX-License-Identifier: GPL-2.0-only
#include "out.h"

#include <unistd.h>

void out_write(FILE *file, const char *text, size_t n)
{
	ssize_t done = fflush(file) ? -1 : 1;

	while (n && done > 0) {
		done = write(fileno(file), text, n);
		if (done > 0) {
			text += done;
			n -= done;
		}
	}
	/* If it cannot be written, this fails again, and the file then has the error. */
	if (n)
		fwrite(text, 1, n, file);
}
