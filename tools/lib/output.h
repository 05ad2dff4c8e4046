/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output, as it is when a command is done. */
#ifndef CSF_OUTPUT_H
#define CSF_OUTPUT_H

#include <stdbool.h>

/* All that was printed has arrived: a full disk is a failure, too.  Else it is said why not. */
bool output_arrived(void);

#endif /* CSF_OUTPUT_H */
