/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listings in the format of OpenCSD's trc_pkt_lister, for comparison.
 *
 * Everything peculiar to that program is here and nowhere else: indexes that
 * count from the start of a frame and skip ID bytes, elements held back
 * until the next P0 packet, VMID and context ID that stay once given, a
 * packet reader that goes on after a bad packet, runs of 8 bytes out of sync.
 */
#ifndef CSF_LIST_OPENCSD_H
#define CSF_LIST_OPENCSD_H

#include "../input/input.h"
#include "../../perf-plugin/opencsd/element-release.h"
#include "../../perf-plugin/out.h"
#include "../lib/progress.h"

/**
 * struct ocsd_options - what to print
 * @bytes: the bytes of each packet (with -decode and -pkt_mon)
 * @packets: packets
 * @elements: elements
 * @split: one range for each block that a source address passed (-src_addr_n)
 * @release: of OpenCSD
 * @reset: this is not the first buffer: the decoders were reset
 * @progress: borrowed
 */
struct ocsd_options {
	bool bytes, packets, elements, split, reset;
	const struct ocsd_release *release;
	struct progress *progress;
};

/* Lists a whole buffer.  Return: 0, or a negative enum csf_error. */
int list_opencsd(const struct input *in, const struct ocsd_options *options, struct out *out);

#endif /* CSF_LIST_OPENCSD_H */
