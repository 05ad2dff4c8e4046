// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "output.h"

bool output_arrived(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	log_say(LOG_FILE, "csflow: standard output: %s\n", strerror(errno));
	return false;
}
