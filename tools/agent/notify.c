// SPDX-License-Identifier: GPL-2.0-only
#include "notify.h"

#include <inttypes.h>
#include <stdint.h>
#include <systemd/sd-daemon.h>
#include <time.h>

void notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void notify_status(const char *status)
{
	sd_notifyf(0, "STATUS=%s", status);
}

void notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		   now.tv_sec * (uint64_t)1000000 + now.tv_nsec / 1000);
}

void notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}
