/* SPDX-License-Identifier: GPL-2.0-only */
/* A captured trace buffer, the trace units that wrote into it, and the code they ran. */
#ifndef CSF_INPUT_H
#define CSF_INPUT_H

#include "../../decoder/csflow.h"

/*
 * How the bytes are wrapped: enum csf_framing, or not at all; or, up to transport_open(), in one of
 * the forms of a serial wire.
 */
#define INPUT_RAW	(-1)
#define INPUT_SWO	(-2)	/* frames without syncs, from any byte on */
#define INPUT_ORBFLOW	(-3)	/* packets of Orbuculum */

/**
 * struct input_source - one trace unit
 * @name: borrowed; NULL: the unit of CPU @number
 * @number: of its CPU, if known
 * @id: trace ID
 * @data: its data stream, of which csflow knows no more than the bytes
 */
struct input_source {
	struct csf_config config;
	const char *name;
	uint32_t number;
	uint8_t id;
	bool data;
};

/**
 * struct input_cut - bytes that are not in a frame: the frames break off there
 * @at: offset of the first
 * @n: how many
 */
struct input_cut {
	size_t at, n;
};

/**
 * struct input - everything borrowed
 * @name: of the buffer
 * @data: its @n bytes
 * @framing: enum csf_framing or INPUT_RAW; raw trace has exactly one source
 * @cut: @n_cut, by ascending offset; only with CSF_FRAMES_MEMORY
 * @source: @n_source, by ascending trace ID
 * @image: code
 * @choose: called when decoding of @source begins, with @context NULL, and at each context; it may
 *          choose address space and time, otherwise they stay as they are
 * @owner: for @choose
 */
struct input {
	const char *name;
	const uint8_t *data;
	size_t n;
	int framing;
	const struct input_cut *cut;
	size_t n_cut;
	const struct input_source *source;
	size_t n_source;
	struct csf_image *image;
	void (*choose)(const struct input *in, const struct input_source *source,
		       struct csf_decoder *dec, const struct csf_context *context);
	void *owner;
};

static inline bool input_is_ete(const struct input_source *source)
{
	return csf_config_protocol(&source->config) == CSF_PROTOCOL_ETE;
}

/* Names of framings for an option: the first means that the input tells. */
extern const char *const input_framings[];

/* @choice: an index into them.  Return: the framing, or @fallback. */
int input_framing(int choice, int fallback);

/* Flags for csf_frames_new(): a frame that has to be found cannot be a barrier. */
uint32_t input_frame_flags(const struct input *in);

/**
 * input_feed() - feed frames, up to the next cut
 * @frames: has taken what is before @at
 * @most: takes no more than so many bytes, except of a cut
 *
 * Return: as csf_frames_feed().
 */
long input_feed(const struct input *in, struct csf_frames *frames, size_t at, size_t most);

/*
 * Likewise, for csf_frames_watch().  @n: gets the number of bytes that are being watched; the bytes
 * of a cut come as CSF_FRAME_SKIPPED, in @skipped, of which @n is 0 if there is none.
 */
int input_watch(const struct input *in, struct csf_frames *frames, size_t at, size_t most,
		size_t *n, struct csf_frame *skipped);

#endif /* CSF_INPUT_H */
