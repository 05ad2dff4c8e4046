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

#include "../input/input.h"

/**
 * struct figures - private
 * @dec: of each source of @in; NULL: another one has its trace ID
 * @before: of each, what it had counted at figures_begin(); @frames_before: likewise
 */
struct figures {
	const struct input *in;
	struct csf_decoder **dec;
	struct csf_frames *frames;
	struct csf_stats *before;
	struct csf_frame_stats frames_before;
};

/* What is fed to @figures next: @n bytes, all at once, that stay till then. */
struct figures_next {
	struct figures *figures;
	const uint8_t *bytes;
	size_t n;
};

/* @in: borrowed, but not its bytes; @threads: decode, too, or NULL.  Return: 0 or csf_error. */
int figures_open(struct figures *f, const struct input *in, struct csf_threads *threads);

/*
 * @more: bytes behind these that are fed next, all at once, if that is known; they stay till then.
 * Return: 0 or enum csf_error.
 */
int figures_feed(struct figures *f, const uint8_t *bytes, size_t n, size_t more);
int figures_end(struct figures *f);

/* Both at once, with the last bytes; @next: and then, of the same or another; NULL: not known. */
int figures_finish(struct figures *f, const uint8_t *bytes, size_t n,
		   const struct figures_next *next);

/* Behind figures_end(): another capture of the same units begins, and its figures. */
void figures_begin(struct figures *f);

void figures_print(const struct figures *f, FILE *out);
void figures_close(struct figures *f);

/* The same of one who decodes by himself; @listed: by trace ID, who is not said to be left out. */
void figures_print_source(FILE *out, const struct input_source *source,
			  const struct csf_decoder *dec);
void figures_print_frames(FILE *out, const struct csf_frame_stats *s, const bool *listed);

#endif /* CSF_FIGURES_H */
