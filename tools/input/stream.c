// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "losses.h"
#include "stream.h"
#include "../lib/without.h"

#define CHUNK	(64u << 10)

int stream_open(struct stream *s, const struct input *in, const struct input_source *source,
		uint32_t options, uint32_t marks, bool unchecked)
{
	struct csf_config config = source->config;
	int err;

	memset(s, 0, sizeof(*s));
	s->in = in;
	s->source = source;
	config.marks = CSF_MARK_DEFAULT | CSF_MARK_ERET | CSF_MARK_RETURN | CSF_MARK_INFO |
		       CSF_MARK_PACKET | marks;
	config.unchecked = unchecked;
	config.without = without_layers();
	err = csf_new(&s->dec, &config, in->image);
	if (err < 0)
		return err;
	if (in->framing != INPUT_RAW) {
		err = csf_frames_new(&s->frames, in->framing, input_frame_flags(in));
		if (err >= 0)
			err = csf_attach(s->frames, source->id, s->dec);
	}
	s->it.dec = s->dec;
	s->it.options = options;
	if (err >= 0 && in->choose)
		in->choose(in, source, s->dec, NULL);
	return err < 0 ? err : 0;
}

void stream_close(struct stream *s)
{
	csf_free(s->dec);
	csf_frames_free(s->frames);
	memset(s, 0, sizeof(*s));
}

static long feed_some(struct stream *s)
{
	size_t n = s->in->n - s->fed;

	if (n > CHUNK)
		n = CHUNK;
	if (s->frames)
		return input_feed(s->in, s->frames, s->fed, n);
	if (csf_feed(s->dec, s->in->data + s->fed, n) < 0)
		return CSF_ERR_ARG;
	return n;
}

/* Return: there is more trace to decode. */
static bool feed(struct stream *s)
{
	long taken;

	if (s->ended)
		return false;
	if (s->fed == s->in->n) {
		s->ended = true;
		taken = s->frames ? csf_frames_end(s->frames) : csf_end(s->dec);
	} else {
		taken = feed_some(s);
		s->fed += taken > 0 ? taken : 0;
	}
	if (taken < 0)
		s->error = taken;
	return taken >= 0;
}

static bool next_run(struct stream *s)
{
	int got = csf_next(s->dec, &s->run);

	while (!got && feed(s))
		got = csf_next(s->dec, &s->run);
	if (got < 0)
		s->error = got;
	if (got <= 0)
		return false;
	losses_run(s->in->name, s->source->id, s->frames, &s->run);
	csf_elements_run(&s->it, &s->run);
	return true;
}

/* Elements still need the run: the space changes after all of them were returned. */
static void end_run(struct stream *s)
{
	if (s->run.end == CSF_END_CONTEXT && s->in->choose)
		s->in->choose(s->in, s->source, s->dec, &s->run.to);
	s->in_run = false;
}

const struct csf_element *stream_next(struct stream *s)
{
	while (!s->have) {
		if (!s->in_run) {
			s->in_run = !s->error && next_run(s);
			if (!s->in_run)
				return NULL;
		}
		s->have = csf_elements_next(&s->it, &s->element) > 0;
		if (!s->have)
			end_run(s);
	}
	return &s->element;
}
