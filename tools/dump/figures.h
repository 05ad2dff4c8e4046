/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of csflow dump --stats: bytes, packets, atoms, gaps by reason.  A trace is decoded as
 * it arrives, and nothing of it is kept.
 *
 *	err = figures_open(&f, &in, threads);
 *	while (... bytes of the capture ...)
 *		err = figures_feed(&f, bytes, n, 0);
 *	err = figures_end(&f);
 *	figures_print(&f, stdout);
 *	figures_close(&f);
 */
#ifndef CSF_FIGURES_H
#define CSF_FIGURES_H

#include <stdio.h>

#include "../input/input.h"
#include "data-stream.h"

/**
 * struct figures - private
 * @dec: one for each source of @in; NULL: another source has its trace ID, or it has @messages, or
 *       is a data stream
 * @messages: likewise, of sources of messages
 * @data: of a data stream without frames; in frames only its bytes are counted
 * @before: the counts of each at figures_begin(); @frames_before: likewise
 */
struct figures {
	const struct input *in;
	struct csf_decoder **dec;
	struct csf_messages **messages;
	struct data_stream data;
	struct csf_frames *frames;
	struct csf_stats *before;
	struct csf_message_stats *messages_before;
	struct csf_frame_stats frames_before;
};

/* The next input of @figures: @n bytes, fed all at once; they stay until then. */
struct figures_next {
	struct figures *figures;
	const uint8_t *bytes;
	size_t n;
};

/* @in: borrowed, but not its bytes; @threads: help to decode, or NULL.  Return: 0 or csf_error. */
int figures_open(struct figures *f, const struct input *in, struct csf_threads *threads);

/*
 * @more: number of bytes after these that are fed next, all at once, if known, and that must not
 *    change until then.
 * Return: 0 or enum csf_error.
 */
int figures_feed(struct figures *f, const uint8_t *bytes, size_t n, size_t more);
int figures_end(struct figures *f);

/* Feeds the last bytes, and ends; @next: the next input, of any figures; NULL: unknown. */
int figures_finish(struct figures *f, const uint8_t *bytes, size_t n,
		   const struct figures_next *next);

/* After figures_end(): begins another capture of the same units, with new statistics. */
void figures_begin(struct figures *f);

void figures_print(const struct figures *f, FILE *out);
void figures_close(struct figures *f);

/*
 * The same for a caller with its own decoder or reader of messages; the other is NULL.  @listed:
 * trace IDs not reported as left out.
 */
void figures_print_source(FILE *out, const struct input_source *source,
			  const struct csf_decoder *dec, const struct csf_messages *messages);
void figures_print_data(FILE *out, const struct input_source *source,
			const struct data_stream *data);
void figures_print_frames(FILE *out, const struct csf_frame_stats *s, const bool *listed);

#endif /* CSF_FIGURES_H */
