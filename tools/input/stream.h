/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The elements of one trace ID, pulled one by one.
 *
 * A stream reads its capture by itself, so that elements are available as soon as a
 * listing has reached their packet, however far ahead the decoder looks.
 */
#ifndef CSF_STREAM_H
#define CSF_STREAM_H

#include "input.h"

/**
 * struct stream - private except for @error
 * @error: negative: decoding stopped early, CSF_ERR_MEMORY
 */
struct stream {
	const struct input *in;
	const struct input_source *source;
	struct csf_frames *frames;
	struct csf_decoder *dec;
	struct csf_elements it;
	struct csf_run run;
	struct csf_element element;
	size_t fed;
	bool have, in_run, ended;
	int error;
};

/*
 * @options: CSF_ELEMS_x; @marks: CSF_MARK_x besides those of Arm's elements; @unchecked: as in
 * struct csf_config.  Return: 0 or a negative enum csf_error.
 */
int stream_open(struct stream *s, const struct input *in, const struct input_source *source,
		uint32_t options, uint32_t marks, bool unchecked);
void stream_close(struct stream *s);

/* The next element, which stays the next until stream_take(); NULL: there is none. */
const struct csf_element *stream_next(struct stream *s);

static inline void stream_take(struct stream *s)
{
	s->have = false;
}

#endif /* CSF_STREAM_H */
