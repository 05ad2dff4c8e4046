/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording as a machine of the other byte order would have made it. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* A pipe, as mkperf makes it from a recording of csflow record; @sample_type: of all its events. */
void foreign_pipe(uint8_t *bytes, size_t n, uint64_t sample_type);

#endif /* FOREIGN_H */
