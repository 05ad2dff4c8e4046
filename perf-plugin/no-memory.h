/* SPDX-License-Identifier: GPL-2.0-only */
/* What there was no memory for: errors are numbers, and a number does not tell what it was. */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdint.h>

/* There were no @bytes for @what, a constant; the last one counts: see plugin_no_memory(). */
void no_memory_for(const char *what, uint64_t bytes);

#endif /* NO_MEMORY_H */
