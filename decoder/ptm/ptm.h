/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PTM (PFT 1.0 and 1.1): its state is that of classic.h. */
#ifndef CSF_PTM_H
#define CSF_PTM_H

#include "../element.h"

/*
 * An element of this room alone: execution went on to @addr, up to and including the instruction
 * there if @count is 1, up to but not including it if @count is 0; and it met no waypoint.
 * EL_ADDR: if it is not known from where, it goes on there.
 */
#define PTM_EL_REACH	EL_NR

extern const struct protocol ptm_protocol __hidden;

#endif /* CSF_PTM_H */
