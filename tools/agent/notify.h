/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells systemd how a service is, if it started this process; without libsystemd, nothing. */
#ifndef CSF_NOTIFY_H
#define CSF_NOTIFY_H

void notify_ready(const char *status);
void notify_status(const char *status);
/* Reading the configuration again, until the next notify_ready(). */
void notify_reloading(void);
void notify_stopping(void);

#endif /* CSF_NOTIFY_H */
