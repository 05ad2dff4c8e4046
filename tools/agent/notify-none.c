// SPDX-License-Identifier: GPL-2.0-only
/* In the place of notify.c where there is no libsystemd. */
#include "notify.h"

void notify_ready(const char *status)
{
}

void notify_status(const char *status)
{
}

void notify_reloading(void)
{
}

void notify_stopping(void)
{
}
