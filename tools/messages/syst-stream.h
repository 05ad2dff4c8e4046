/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of MIPI SyS-T, put together from what was written to channels.
 *
 * On an STM, a packet with a timestamp begins a message, and a flag ends it; one with timestamp and
 * marker is a whole message.  An ITM has neither: there a message ends where its contents say.
 */
#ifndef CSF_SYST_STREAM_H
#define CSF_SYST_STREAM_H

#include "../../perf-plugin/hash.h"
#include "channel.h"
#include "row.h"
#include "syst.h"

/* A message is not longer: the length has 16 bits. */
#define SYST_BYTES_MAX	(66u << 10)
/* More messages at once end before they are complete. */
#define SYST_OPEN_MAX	1024

/**
 * struct syst_stream - set what is not private; without @catalog there are none
 * @channels: those that carry messages; none: all
 * @take: called for each message; returns 0 or a negative enum csf_error, as all of these do
 * @n_bad: messages that are not SYST_OK
 */
struct syst_stream {
	const struct syst_catalog *catalog;
	struct channels channels;
	int (*take)(void *owner, const struct row *row);
	void *owner;
	uint64_t n_bad;
	/* private */
	struct syst_open **open;
	size_t n;
	struct hash_table by_channel;
};

/* Is this row part of a message? */
bool syst_stream_want(struct syst_stream *s, const struct row *row);

int syst_stream_add(struct syst_stream *s, const struct row *row);

/* Something of @source was lost: its messages end here. */
int syst_stream_break(struct syst_stream *s, const struct message_source *source);

/* No more rows follow. */
int syst_stream_end(struct syst_stream *s);
void syst_stream_free(struct syst_stream *s);

#endif /* CSF_SYST_STREAM_H */
