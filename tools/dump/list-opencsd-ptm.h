/* SPDX-License-Identifier: GPL-2.0-only */
/* PTMs in a listing in OpenCSD's manner: for list-opencsd.c only. */
#ifndef CSF_LIST_OPENCSD_PTM_H
#define CSF_LIST_OPENCSD_PTM_H

#include "list-opencsd.h"

struct ocsd_ptm;

/* @slot: the ID in packet lines.  Return: NULL: no memory. */
struct ocsd_ptm *ocsd_ptm_new(const struct input *in, const struct input_source *source,
			      uint8_t slot, const struct ocsd_options *options, struct out *out);
void ocsd_ptm_free(struct ocsd_ptm *p);

/* Lists the next bytes; the first has the index @idx, and so on. */
void ocsd_ptm_read(struct ocsd_ptm *p, const uint8_t *bytes, size_t n, uint64_t idx);

/* No bytes follow.  Return: 0, or a negative enum csf_error. */
int ocsd_ptm_end(struct ocsd_ptm *p);

#endif /* CSF_LIST_OPENCSD_PTM_H */
