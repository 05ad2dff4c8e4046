/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of text, put together from what was written to channels. */
#ifndef CSF_MESSAGES_LINES_H
#define CSF_MESSAGES_LINES_H

#include "../../perf-plugin/hash.h"
#include "channel.h"
#include "row.h"

/* Longer lines are split. */
#define LINE_MAX_BYTES	4096
/* More lines at once end before they are complete. */
#define LINES_MAX	1024

/**
 * struct lines - set @take and @owner, the rest zero
 * @channels: those that carry text
 * @take: called for each line; returns 0 or a negative enum csf_error, as all of these do
 */
struct lines {
	struct channels channels;
	int (*take)(void *owner, const struct row *row);
	void *owner;
	/* private */
	struct line_of_text **line;
	size_t n;
	struct hash_table by_channel;
};

/* Is this row part of a line, or the end of one? */
bool lines_want(const struct lines *l, const struct row *row);

int lines_add(struct lines *l, const struct row *row);

/* Something of @source was lost: its lines end here. */
int lines_break(struct lines *l, const struct message_source *source);

/* No more rows follow. */
int lines_end(struct lines *l);
void lines_free(struct lines *l);

#endif /* CSF_MESSAGES_LINES_H */
