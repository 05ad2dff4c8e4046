/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What csflow dump --stats tells: bytes, packets, atoms, gaps by reason.  A trace is decoded as
 * it comes, and nothing of it is kept.
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

#include "input.h"

/**
 * struct figures - private
 * @dec: of each source of @in; NULL: another one has its trace ID
 */
struct figures {
	const struct input *in;
	struct csf_decoder **dec;
	struct csf_frames *frames;
};

/* @in: borrowed, but not its bytes; @threads: decode, too, or NULL.  Return: 0 or csf_error. */
int figures_open(struct figures *f, const struct input *in, struct csf_threads *threads);

/*
 * @more: bytes behind these that are fed next, all at once, if that is known; they stay till then.
 * Return: 0 or enum csf_error.
 */
int figures_feed(struct figures *f, const uint8_t *bytes, size_t n, size_t more);
int figures_end(struct figures *f);

void figures_print(const struct figures *f, FILE *out);
void figures_close(struct figures *f);

/* The same of one who decodes by himself; @listed: by trace ID, who is not said to be left out. */
void figures_print_source(FILE *out, const struct input_source *source,
			  const struct csf_decoder *dec);
void figures_print_frames(FILE *out, const struct csf_frame_stats *s, const bool *listed);

#endif /* CSF_FIGURES_H */
