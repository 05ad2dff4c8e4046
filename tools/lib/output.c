// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "output.h"

bool output_arrived(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	perror("csflow: standard output");
	return false;
}
