/* SPDX-License-Identifier: GPL-2.0-only */
/* Exit statuses of the subcommands. */
#ifndef CSF_STATUS_H
#define CSF_STATUS_H

/* CMD_POOR: the result was written, but is below the requested quality. */
enum { CMD_OK, CMD_FAILED, CMD_USAGE, CMD_POOR };

#endif /* CSF_STATUS_H */
