/* SPDX-License-Identifier: GPL-2.0-only */
/* ETMv3 and PTM in a listing in OpenCSD's manner: for list-opencsd.c only. */
#ifndef CSF_LIST_OPENCSD_OLDER_H
#define CSF_LIST_OPENCSD_OLDER_H

#include "list-opencsd.h"

struct ocsd_older;

/* @slot: the ID in packet lines: 0 for raw trace.  Return: 0, or a negative enum csf_error. */
int ocsd_older_new(struct ocsd_older **older, const struct input *in,
		   const struct input_source *source, uint8_t slot,
		   const struct ocsd_options *options, struct out *out);
void ocsd_older_free(struct ocsd_older *o);

/* Lists a piece of the stream; the first byte has the index @idx, and so on. */
void ocsd_older_read(struct ocsd_older *o, const uint8_t *p, size_t n, uint64_t idx);

/* No bytes follow.  Return: 0, or a negative enum csf_error. */
int ocsd_older_end(struct ocsd_older *o);

#endif /* CSF_LIST_OPENCSD_OLDER_H */
