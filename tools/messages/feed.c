// SPDX-License-Identifier: GPL-2.0-only
#include "../lib/without.h"
#include "feed.h"

/* Frames at once: the rows of several sources are in order of the buffer by as much. */
#define SOME_FRAMES	4096
#define SOME_RAW	(64u << 10)

int feed_open(struct feed *f, int framing, struct message_source *const *source, size_t n)
{
	int err = 0;

	f->source = source;
	f->n = n;
	if (framing != INPUT_RAW)
		err = csf_frames_new(&f->frames, framing, without_frames());
	for (size_t i = 0; i < n && f->frames && !err; i++)
		err = message_source_attach(source[i], f->frames);
	return err;
}

void feed_close(struct feed *f)
{
	csf_frames_free(f->frames);
	f->frames = NULL;
}

static int drain(struct feed *f)
{
	struct row row;
	int err = 0;

	for (size_t i = 0; i < f->n && !err; i++)
		while (!err && message_source_next(f->source[i], &row))
			err = f->take(f->owner, &row);
	return err;
}

static long feed_some(struct feed *f, const uint8_t *bytes, size_t n)
{
	const size_t most = f->frames ? SOME_FRAMES : SOME_RAW;

	if (n > most)
		n = most;
	if (f->frames)
		return csf_frames_feed(f->frames, bytes, n);
	return message_source_feed(f->source[0], bytes, n) ?: (long)n;
}

int feed_bytes(struct feed *f, const uint8_t *bytes, size_t n)
{
	while (n) {
		const long taken = feed_some(f, bytes, n);
		int err;

		if (taken < 0)
			return taken;
		err = drain(f);
		if (err)
			return err;
		bytes += taken;
		n -= taken;
	}
	return 0;
}

int feed_end(struct feed *f)
{
	int err = f->frames ? csf_frames_end(f->frames) : 0;

	for (size_t i = 0; i < f->n && !err; i++)
		err = message_source_end(f->source[i], !f->frames);
	return err ? err : drain(f);
}
