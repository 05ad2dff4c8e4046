/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of the rows: those that are wanted are put together, and printed. */
#ifndef CSF_MESSAGES_LISTING_H
#define CSF_MESSAGES_LISTING_H

#include "binary.h"
#include "clock.h"
#include "lines.h"
#include "print.h"
#include "syst-stream.h"

/* Channels of which messages came, for a hint; further ones are not kept. */
#define LISTING_SEEN	64

/**
 * struct listing - zero it, set what the user wants, then listing_begin()
 * @ids, @masters, @channels: only these; none: all
 * @kinds: bit n: kind n; 0: all but local timestamps, which other messages have, too
 * @span: only messages of this time, if @span_given
 * @lines: channels that carry text
 * @syst: messages of MIPI SyS-T
 * @print: the output; its format may be NULL
 * @shown: number of rows in the output
 * @synced: number of messages after a sync, or of a source that needs none
 * @no_clock: a row was left out as its clock has no known frequency
 * @error: a negative errno of the output
 */
struct listing {
	struct channels ids, masters, channels;
	uint32_t kinds;
	struct clock_span span;
	bool span_given, no_clock;
	struct lines lines;
	struct binaries binaries;
	struct syst_stream syst;
	struct print print;
	uint64_t shown, synced, unsynced;
	int error;
	/* private */
	struct csf_message seen[LISTING_SEEN];
	size_t n_seen, last;
};

/* Return: 0; a negative errno. */
int listing_begin(struct listing *l);

/* For struct feed.  Return: 0 or a negative enum csf_error. */
int listing_take(void *owner, const struct row *row);

/* No more rows follow; @whole: all was read.  Return: 0; a negative errno. */
int listing_end(struct listing *l, bool whole);
void listing_free(struct listing *l);

/*
 * A channel that the user named, and of which no message came, as "5" or "161:66"; the channels of
 * which one came, in @others.  Return: there is one.
 */
bool listing_silent(const struct listing *l, char name[32], char others[200]);

#endif /* CSF_MESSAGES_LISTING_H */
