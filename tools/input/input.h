/* SPDX-License-Identifier: GPL-2.0-only */
/* A captured trace buffer, the trace units that wrote into it, and the code they ran. */
#ifndef CSF_INPUT_H
#define CSF_INPUT_H

#include "../../decoder/csflow.h"

/* How the bytes are wrapped: enum csf_framing, or not at all. */
#define INPUT_RAW	(-1)

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
 * struct input - everything borrowed
 * @name: of the buffer
 * @data: its @n bytes
 * @framing: enum csf_framing or INPUT_RAW; raw trace has exactly one source
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

#endif /* CSF_INPUT_H */
