/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our own listing: a line for each packet, its place in the capture first, and
 * indented below it the elements that come from it.
 *
 *	      21 [10] atom ENN
 *	                 range 0x50010-0x5001c 3 E branch link
 */
#ifndef CSF_LIST_H
#define CSF_LIST_H

#include "../code/conditional.h"
#include "../input/input.h"
#include "../../perf-plugin/out.h"
#include "../lib/progress.h"

/**
 * struct list_options - what to list
 * @packets, @elements: either or both
 * @split: one range for each block that a source address passed
 * @stats: statistics at the end
 * @progress: borrowed; NULL: none
 */
struct list_options {
	bool packets, elements, split, stats;
	struct progress *progress;
};

/* Lists a whole buffer.  Return: 0, or a negative enum csf_error. */
int list_trace(const struct input *in, const struct list_options *options, struct out *out);

/* Lists the contents of the frames of a capture, without decoding. */
int list_frames(const struct input *in, struct out *out);

/* Writes any packet in words that asm reads, without the end of the line. */
void list_packet(struct out *out, const struct csf_config *config, const struct csf_packet *packet,
		 const uint8_t *bytes);

/* Writes an element in words, without the end of the line. */
void list_element(struct out *out, const struct csf_element *element);

/* Likewise one of type CSF_ELEM_CONDITION, whose instruction is looked up in @code. */
void list_condition(struct out *out, const struct csf_element *element,
		    const struct conditional_code *code);

/* Likewise a message. */
void list_message(struct out *out, const struct csf_message *message);

#endif /* CSF_LIST_H */
