/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of standard output when a command ends. */
#ifndef CSF_OUTPUT_H
#define CSF_OUTPUT_H

#include <stdbool.h>

/* Has all output arrived?  If not, for example because the disk is full, reports the reason. */
bool output_arrived(void);

#endif /* CSF_OUTPUT_H */
