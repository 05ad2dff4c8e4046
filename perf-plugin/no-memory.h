/* SPDX-License-Identifier: GPL-2.0-only */
/* The purpose for which memory was missing: error numbers cannot tell it. */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdint.h>

/*
 * There were no @bytes of memory for @what, a constant; the last call counts: see
 * plugin_no_memory().
 */
void no_memory_for(const char *what, uint64_t bytes);

#endif /* NO_MEMORY_H */
