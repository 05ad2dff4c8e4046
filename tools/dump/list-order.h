/* SPDX-License-Identifier: GPL-2.0-only */
/* The elements and messages of any number of sources, in one order of time. */
#ifndef CSF_LIST_ORDER_H
#define CSF_LIST_ORDER_H

#include "list.h"

/**
 * struct list_part - a source of trace
 * @label: for its lines; @name: for what is said of it, or NULL
 * @in, @source: its first piece of trace
 * @more: sets both to the next piece; returns 1, 0: there is none, or a negative enum csf_error.
 *        NULL: there is only one
 * @skew: ticks to add to its times
 * @owner: for @more
 */
struct list_part {
	char label[64];
	const char *name;
	const struct input *in;
	const struct input_source *source;
	int (*more)(struct list_part *part);
	int64_t skew;
	void *owner;
};

/* Lists all @part, then says what is not in order.  Return: 0, or a negative enum csf_error. */
int list_in_order(struct list_part *part, size_t n, const struct list_options *options,
		  struct out *out);

#endif /* CSF_LIST_ORDER_H */
