/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of several sources in one order of time, as far as timestamps tell it.
 *
 *	struct ordered o = { .take = ..., .owner = ... };
 *
 *	err = ordered_add(&o, &in, &source, reader);	for each source
 *	err = ordered_run(&o, path);
 *	ordered_free(&o);
 */
#ifndef CSF_MESSAGES_ORDERED_H
#define CSF_MESSAGES_ORDERED_H

#include "message-source.h"

/**
 * struct ordered - set @take and @owner, as in struct feed; the rest is private, and zero
 */
struct ordered {
	int (*take)(void *owner, const struct row *row);
	void *owner;
	struct ordered_source **source;
	size_t n;
};

/*
 * @in: a buffer in memory, without sources; @source: one that wrote into it; @reader: for it, open.
 * All are borrowed but @in and @source.  Return: 0 or a negative enum csf_error.
 */
int ordered_add(struct ordered *o, const struct input *in, const struct input_source *source,
		struct message_source *reader);

/* Takes all rows.  What is not in order is reported on standard error for @path. */
int ordered_run(struct ordered *o, const char *path);
void ordered_free(struct ordered *o);

#endif /* CSF_MESSAGES_ORDERED_H */
